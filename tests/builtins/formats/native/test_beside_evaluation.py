"""Options beside ``evaluation``: which are honoured, and which keys a case is warned about."""

from __future__ import annotations

import dataclasses

import pytest
from steelyard_builtins.formats.native.judging import MODES
from steelyard_builtins.formats.native.keys import CASE
from steelyard_builtins.scorers import exact_match, llm_judge, weighted_match

EXPECTED = "[{use_case: a, percent: 1, order: 1}]"


def _case(**more):
    keys = {"id": "c1", "variables": "{q: a}", **more}
    return "[{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}]"


def _options(reading):
    assert reading.warnings == []
    (case,) = reading.sound.cases
    return dict(case.scorers[0].options)


@pytest.mark.parametrize("module", [exact_match, llm_judge, weighted_match], ids=lambda module: module.__name__)
def test_every_option_of_a_mode_that_a_case_has_no_key_for_may_stand_beside_it(module):
    (spec,) = module.steelyard_register_scorers()

    assert MODES[spec.name] == {field.name for field in dataclasses.fields(spec.settings)} - CASE


def test_exact_match_takes_its_options_from_the_case(read, sound):
    reading = read(sound(test_cases=_case(evaluation="exact_match", expected_output="x", ignore_case="false")))

    assert _options(reading) == {"ignore_case": False}
    assert reading.sound.cases[0].scorers[0].place.endswith("bench.yaml:4:54")


def test_what_a_case_says_to_the_judge_goes_before_the_evaluation_block(read, sound):
    block = "{judge_model: j, judge_threshold: 0.5, judge_max_tokens: 99}"
    judged = {"evaluation": "llm_judge", "criteria": "x"}

    own = _options(read(sound(evaluation=block, test_cases=_case(**judged, model="k", threshold=0.9))))
    scaled = _options(read(sound(evaluation=block, test_cases=_case(**judged, min_score=4))))

    assert own == {"model": "k", "threshold": 0.9, "max_tokens": 99}
    assert scaled == {"model": "j", "max_tokens": 99, "min_score": 4}


def test_one_case_that_says_more_changes_nothing_for_the_others(read, sound):
    cases = (
        "[{id: a, variables: {q: a}, expected_output: x, evaluation: exact_match, strip: false},"
        " {id: b, variables: {q: a}, expected_output: x, evaluation: exact_match}]"
    )
    first, second = read(sound(test_cases=cases)).sound.cases

    assert (dict(first.scorers[0].options), dict(second.scorers[0].options)) == ({"strip": False}, {})


@pytest.mark.parametrize(
    ("scorer", "key", "hint"),
    [
        ("exact_match", "ignore_cas", "did you mean 'ignore_case'?"),
        ("exact_match", "tagz", "did you mean 'tags'?"),
        ("exact_match", "threshold", "known keys: "),
        ("llm_judge", "max_token", "did you mean 'max_tokens'?"),
        ("weighted_match", "treshold", "did you mean 'threshold'?"),
    ],
)
def test_any_other_key_beside_a_mode_is_a_warning_with_what_was_probably_meant(read, sound, scorer, key, hint):
    case = _case(evaluation=scorer, criteria="x", expected_output=EXPECTED, **{key: 1})
    reading = read(sound(test_cases=case))

    assert key not in dict(reading.sound.cases[0].scorers[0].options)
    assert any(f"unknown key '{key}'; {hint}" in warning for warning in reading.warnings)
