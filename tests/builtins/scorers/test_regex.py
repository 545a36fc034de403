from __future__ import annotations

import threading
import time

import pytest
from steelyard_builtins.scorers import regex as plugin
from steelyard_builtins.scorers.regex import RegexSettings

from steelyard.errors import ScorerError, UsageError
from steelyard.testing import make_case, make_context, make_output

(SPEC,) = plugin.steelyard_register_scorers()


def score(pattern, text, **settings):
    scorer = SPEC.create(RegexSettings(pattern=pattern, **settings), make_context())
    return scorer.score(make_case(), make_output(text), None)


def test_a_pattern_without_end_is_an_error_that_names_pattern_and_limit():
    started = time.monotonic()

    with pytest.raises(ScorerError) as caught:
        score("^(a|aa)+$", "a" * 61 + "b", timeout=0.3)

    assert time.monotonic() - started < 30
    assert str(caught.value) == "pattern '^(a|aa)+$' took longer than its time limit of 0.3 s; avoid nested repetition"


def test_other_threads_go_on_while_a_pattern_is_matched():
    ticks = 0
    done = threading.Event()

    def match():
        with pytest.raises(ScorerError):
            score("^(a|aa)+$", "a" * 61 + "b", timeout=0.5)
        done.set()

    thread = threading.Thread(target=match)
    thread.start()
    while not done.wait(0.01):
        ticks += 1
    thread.join()

    assert ticks >= 10


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[z-a]", "(?P<n>a)(?P=m)"])
def test_what_is_no_pattern_is_refused_before_any_call(pattern):
    with pytest.raises(UsageError, match="is no regular expression"):
        score(pattern, "x")


def test_an_empty_pattern_is_refused_since_it_would_match_everything():
    with pytest.raises(UsageError, match="must not be empty"):
        score("", "x")


def test_a_full_match_leaves_the_white_space_around_out():
    assert score("yes|no", " no\n", fullmatch=True).passed
    assert not score("yes|no", "no way", fullmatch=True).passed
