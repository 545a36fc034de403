"""What was probably meant."""

from __future__ import annotations

import pytest

from steelyard._suggest import closest


@pytest.mark.parametrize(
    ("written", "known", "meant"),
    [
        ("numerc", ["numeric", "regex"], "numeric"),
        ("NUMERIC", ["numeric", "regex"], "numeric"),
        ("max-words", ["max_words", "max_lines"], "max_words"),
        ("zzz", ["numeric", "regex"], None),
        ("numeric", [], None),
        ("", ["numeric"], None),
        # 2 characters in common out of 2 + 3, twice over: 0.8 for each, so the alphabet decides.
        ("ab", ["abz", "abc"], "abc"),
    ],
)
def test_the_nearest_name_is_meant_if_it_is_near_enough(written, known, meant):
    assert closest(written, known) == meant


def test_how_near_is_near_enough_can_be_said():
    # 'judges' and 'caches' share 'c'-less 'es' and little else: 2 * 2 / 12 = 0.33.
    assert closest("judges", ["caches"]) is None
    assert closest("judges", ["caches"], cutoff=0.3) == "caches"
