from __future__ import annotations

import subprocess
import sys

import pytest
from steelyard_builtins.scorers._caseless import caseless, composed

PAIRS = [("Straße", "STRASSE", True), ("İstanbul", "İSTANBUL", True), ("ΟΔΟΣ", "οδος", True), ("I", "\u0131", False)]


@pytest.mark.parametrize(("first", "second", "same"), [*PAIRS, ("É", "e\u0301", True), ("ﬁne", "FINE", True)])
def test_texts_that_differ_in_case_only_are_the_same(first, second, same):
    assert (caseless(first) == caseless(second)) is same


def test_accents_may_be_encoded_either_way():
    assert composed("cafe\u0301") == composed("café")
    assert composed("Café") != composed("café")


def test_the_machine_s_language_has_no_say():
    program = f"""
import locale, sys
sys.path[:] = sys.argv[1:]
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
from steelyard_builtins.scorers._caseless import caseless
assert [caseless(a) == caseless(b) for a, b, _ in {PAIRS!r}] == [True, True, True, False]
"""
    environ = {"LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8", "PYTHONUTF8": "1"}

    subprocess.run([sys.executable, "-c", program, *sys.path], check=True, env=environ)
