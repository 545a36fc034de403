from __future__ import annotations

from datetime import UTC, datetime
from pathlib import PureWindowsPath

import pytest

from steelyard._paths import run_id, slug

STARTED = datetime(2026, 6, 10, 14, 32, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("Customer Support Classification", "customer-support-classification"),
        ('a:b/c\\d?*|<>"', "a-b-c-d"),
        ("../../etc/x", "etc-x"),
        ("trailing dot.", "trailing-dot"),
        (".hidden", "hidden"),
        ("n" * 300, "n" * 60),
        ("a" * 59 + " b", "a" * 59),
        ("🎯", "benchmark"),
        ("测试", "benchmark"),
        ("", "benchmark"),
        ("Über 100 %", "ber-100"),
    ],
)
def test_a_name_becomes_a_slug_that_every_system_takes(name: str, wanted: str) -> None:
    assert slug(name) == wanted


@pytest.mark.parametrize("name", ["CON", "aux", "nul", "COM1", "lpt9.", " prn "])
def test_no_slug_is_the_name_of_a_windows_device(name: str) -> None:
    assert slug(name).endswith("-benchmark")
    assert not PureWindowsPath(f"{slug(name)}.yaml").is_reserved()


def test_a_run_is_named_by_its_start_and_its_benchmark() -> None:
    assert run_id("Customer Support", STARTED) == "2026-06-10_143205_customer-support"
    assert run_id("Customer Support", STARTED, 3) == "2026-06-10_143205_customer-support-3"


def test_the_longest_names_of_a_run_stay_below_255_bytes() -> None:
    assert len(f"{run_id('n' * 300, STARTED, 1000)}.journal.jsonl".encode()) < 255
