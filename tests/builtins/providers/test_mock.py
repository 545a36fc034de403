"""The model that is played by rules: the same every time, and failing exactly as told."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from typing import Any

import pytest
from steelyard_builtins.providers.mock import (
    MockFailure,
    MockResponse,
    MockSettings,
    create,
    steelyard_register_providers,
)

from steelyard.api import Completion, Usage
from steelyard.errors import UsageError

Ask = Callable[..., Completion]


@pytest.fixture
def mock(context: Any) -> Callable[..., Any]:
    return lambda **settings: create(MockSettings(**settings), context({}))


def rule(match: str, output: str | None = None, **fields: Any) -> MockResponse:
    return MockResponse(match=match, output=output, **fields)


def test_without_rules_it_says_what_it_hears(mock: Any, ask: Ask) -> None:
    assert ask(mock(), "hello there").text == "hello there"


def test_the_first_rule_that_is_found_answers(mock: Any, ask: Ask) -> None:
    model = mock(responses=[rule("charged", "billing"), rule("ch", "other")], default="none")

    assert [ask(model, prompt).text for prompt in ("I was charged", "much", "hm")] == ["billing", "other", "none"]


def test_an_empty_default_is_an_answer(mock: Any, ask: Ask) -> None:
    completion = ask(mock(default=""), "hello")

    assert (completion.text, completion.problem) == ("", None)


def test_rules_look_at_the_last_question_and_not_at_the_system_text(mock: Any, ask: Ask) -> None:
    assert ask(mock(responses=[rule("secret", "found")]), "hello", system="the secret").text == "hello"


@pytest.mark.parametrize(
    ("pattern", "is_found"), [("^b$", False), ("(?m)^b$", True), ("A", False), ("(?i)A", True), ("a.b", False)]
)
def test_patterns_take_case_and_line_ends_as_they_are(pattern: str, is_found: bool, mock: Any, ask: Ask) -> None:
    assert (ask(mock(responses=[rule(pattern, "found")]), "a\nb").text == "found") is is_found


def test_tokens_are_a_quarter_of_the_characters_and_cost_nothing(mock: Any, ask: Ask) -> None:
    completion = ask(mock(default="12345"), "123456789", system="1234")

    assert completion.usage == Usage(prompt_tokens=4, completion_tokens=2)
    assert completion.cost_usd == 0
    assert completion.finish_reason == "stop"


@pytest.mark.parametrize("cost", [None, 0.25])
def test_the_cost_can_be_set_or_left_to_prices(cost: float | None, mock: Any, ask: Ask) -> None:
    assert ask(mock(cost_usd=cost)).cost_usd == cost


def test_an_answer_takes_its_latency(mock: Any, ask: Ask) -> None:
    started = time.monotonic()
    ask(mock(latency_ms=30))

    assert time.monotonic() - started >= 0.03


# The draws of evalkit 0.2.0 at seed 0 and probability 0.5, seen by running it.
@pytest.mark.parametrize(
    ("prompt", "is_flaky"),
    [
        ("hello\nHELLO", [True, False, True, False]),
        ("two", [True, True, True, True]),
        ("hello", [True, True, True, False]),
    ],
)
def test_flaky_answers_fall_as_in_evalkit(prompt: str, is_flaky: list[bool], mock: Any, ask: Ask) -> None:
    model = mock(default="right", flaky=0.5, flaky_output="wrong")

    texts = [ask(model, prompt, repeat=repeat).text for repeat in range(4)]
    assert texts == ["wrong" if flaky else "right" for flaky in is_flaky]


def test_flaky_answers_depend_on_seed_and_repeat_and_nothing_else(mock: Any, ask: Ask) -> None:
    def drawn(**fields: Any) -> list[str]:
        model = mock(default="right", flaky=0.5, flaky_output="wrong")
        return [ask(model, f"question {number}", **fields).text for number in range(40)]

    assert drawn() == drawn() == drawn(seed=0)
    assert drawn() != drawn(seed=1)
    assert drawn() != drawn(repeat=1)


@pytest.mark.parametrize(("probability", "text"), [(0, "right"), (1, "wrong")])
def test_probability_0_never_and_1_always_falls(probability: float, text: str, mock: Any, ask: Ask) -> None:
    model = mock(default="right", flaky=probability, flaky_output="wrong")

    assert {ask(model, str(number)).text for number in range(50)} == {text}


def test_a_rule_can_be_more_or_less_flaky_than_the_rest(mock: Any, ask: Ask) -> None:
    model = mock(responses=[rule("sure", "yes", flaky=0)], default="right", flaky=1, flaky_output="wrong")

    assert [ask(model, prompt).text for prompt in ("sure", "else")] == ["yes", "wrong"]


def test_each_prompt_fails_so_many_times_and_is_then_answered(mock: Any, ask: Ask, failing: Any) -> None:
    model = mock(default="done", fail_times=2)

    for prompt in ("a", "b"):
        errors = [failing(model, prompt) for _ in range(2)]
        assert [error.retryable for error in errors] == [True, True]
        assert ask(model, prompt).text == "done"


def test_a_scripted_failure_says_what_it_was_told_to_say(mock: Any, ask: Ask, failing: Any) -> None:
    failure = MockFailure(message="slow down", status=429, retryable=True, retry_after_s=3)
    model = mock(responses=[rule("limit", error=failure)], default="fine")

    error = failing(model, "the limit")
    assert (error.message, error.status, error.retryable, error.retry_after_s) == ("mock: slow down", 429, True, 3)
    assert ask(model, "else").text == "fine"


def test_a_failure_that_is_used_up_lets_later_rules_answer(mock: Any, ask: Ask, failing: Any) -> None:
    model = mock(responses=[rule("x", error=MockFailure(times=1)), rule("x", "now")])

    failing(model, "x")
    assert ask(model, "x").text == "now"
    failing(model, "x again")


@pytest.mark.parametrize("fields", [{}, {"output": "x", "error": MockFailure()}])
def test_a_rule_must_answer_or_fail(fields: dict[str, Any], mock: Any) -> None:
    with pytest.raises(UsageError, match=r"providers\.mock: responses\[0\]: must have either 'output' or 'error'"):
        mock(responses=[MockResponse(match="x", **fields)])


def test_a_pattern_that_is_none_is_refused_before_any_call(mock: Any) -> None:
    with pytest.raises(UsageError, match=r"providers\.mock: responses\[1\]: match: not a regular expression"):
        mock(responses=[rule("fine", "x"), rule("(", "x")])


def test_a_pattern_that_runs_wild_is_stopped(mock: Any, failing: Any) -> None:
    error = failing(mock(responses=[rule(r"^(a|a|b?a)+$", "x")]), "a" * 60 + "!")

    assert "responses[0].match took longer than 1 s" in error.message
    assert not error.retryable


def test_rules_and_question_make_the_fingerprint_and_latency_does_not(mock: Any, make_request: Any) -> None:
    request = make_request("hello", system="s")
    base = mock(default="x").fingerprint(request)

    assert mock(default="x", latency_ms=50).fingerprint(request) == base
    assert mock(default="y").fingerprint(request) != base
    assert mock(default="x").fingerprint(make_request("hello", system="t")) != base
    assert json.loads(base)


def test_many_can_ask_at_once(mock: Any, make_request: Any) -> None:
    model = mock(default="done", fail_times=1, latency_ms=1)

    async def ask_all() -> list[Any]:
        asked = (model.complete(make_request(str(number % 10))) for number in range(20))
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = asyncio.run(ask_all())
    assert sum(isinstance(answer, Completion) for answer in answers) == 10


def test_no_model_name_is_needed() -> None:
    assert not next(iter(steelyard_register_providers())).needs_model


def test_tokens_are_four_characters_or_a_word_as_told(mock: Any, ask: Ask) -> None:
    by_characters, by_words = (
        ask(mock(default="one two", tokens=unit), "hello big world", system="be brief").usage
        for unit in ("characters", "words")
    )

    # 8 and 15 characters in, 7 out; two and three words in, two out.
    assert by_characters == Usage(prompt_tokens=2 + 4, completion_tokens=2)
    assert by_words == Usage(prompt_tokens=2 + 3, completion_tokens=2)
