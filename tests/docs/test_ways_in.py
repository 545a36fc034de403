"""Whoever comes in by a front door finds the pages that say whether a result can be believed."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BELIEF = ("compare-runs-with-confidence.md", "calibrate-a-judge.md", "explanation/statistics.md")


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/tutorial/first-benchmark.md"])
def test_the_ways_in_lead_to_what_says_whether_a_result_is_real(page):
    text = (ROOT / page).read_text("utf-8")

    assert [target for target in BELIEF if f"{target})" not in text] == []
