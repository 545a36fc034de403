"""Numbers of a native file: their ranges, and that nothing else passes for one."""

from __future__ import annotations

import pytest

HUGE = "9" * 400
NOT_A_NUMBER = ["true", '"5"', "[5]", ".inf", "-.inf", ".nan", HUGE]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("quality_threshold", "must be a number from 0 to 100"),
        ("concurrency", "must be a whole number from 1 to 100"),
        ("max_cost_usd", "must be a number of at least 0"),
        ("repeat", "must be a whole number from 1 to 1000"),
        ("retries", "must be a whole number from 0 to 100"),
        ("case_pass_rate", "must be a number above 0 and at most 1"),
        ("retry_backoff", "must be a number of at least 0"),
        ("timeout", "must be a number above 0"),
    ],
)
@pytest.mark.parametrize("value", [*NOT_A_NUMBER, "-1"])
def test_a_wrong_number_at_the_top_is_an_error(read, sound, key, message, value):
    reading = read(sound(**{key: value}))

    assert len(reading.errors) == 1
    assert f": {key}: {message}, got " in reading.errors[0]


@pytest.mark.parametrize("value", ["0", "101", "4.0", "5.5"])
def test_concurrency_is_a_whole_number_from_1_to_100(read, sound, value):
    assert len(read(sound(concurrency=value)).errors) == 1


@pytest.mark.parametrize("value", ["50.5", "100.0", "true", "0", "-3", '"9"', ".inf", ".nan", HUGE])
def test_max_tokens_is_a_positive_whole_number(read, sound, value):
    reading = read(sound(inference=f"{{max_tokens: {value}}}"))

    assert len(reading.errors) == 1
    assert ": inference.max_tokens: must be a whole number of at least 1, got " in reading.errors[0]


@pytest.mark.parametrize("value", ["hot", *NOT_A_NUMBER])
def test_temperature_is_a_number(read, sound, value):
    assert len(read(sound(inference=f"{{temperature: {value}}}")).errors) == 1


@pytest.mark.parametrize("value", ["0", "1", "57.5", "100"])
def test_the_gate_may_be_any_number_from_0_to_100(read, sound, value):
    assert read(sound(quality_threshold=value)).sound.gate.quality_threshold == float(value)


@pytest.mark.parametrize("value", ["6", "0", "true", ".nan", '"4"'])
def test_a_human_score_is_a_number_from_1_to_5(read, sound, value):
    case = f"[{{id: c1, variables: {{q: a}}, expected_output: a, evaluation: exact_match, human_score: {value}}}]"

    assert len(read(sound(test_cases=case)).errors) == 1


def test_absent_request_parameters_stay_absent(read, sound):
    inference = read(sound(inference="{temperature: null, seed: 7}")).sound.inference

    assert (inference.temperature, inference.max_tokens, inference.seed, inference.params) == (None, None, 7, {})
