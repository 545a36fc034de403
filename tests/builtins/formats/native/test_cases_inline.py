"""Cases that stand in the native file itself."""

from __future__ import annotations

import pytest

from steelyard.api import Message, Turn


def _case(**more):
    keys = {"id": "c1", "variables": "{q: a}", "expected_output": "a", "evaluation": "exact_match", **more}
    return "[{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}]"


def _read_case(read, sound, **more):
    (case,) = read(sound(test_cases=_case(**more))).sound.cases
    return case


def test_a_case_keeps_everything_it_says(read, sound):
    case = _read_case(
        read,
        sound,
        criteria="polite",
        reference="Sure",
        tags="[a, b]",
        metadata="{owner: [x]}",
        human_score="4.5",
    )

    assert (case.criteria, case.reference, case.tags, case.human_score) == ("polite", "Sure", ("a", "b"), 4.5)
    assert (dict(case.variables), dict(case.metadata)) == ({"q": "a"}, {"owner": ["x"]})


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("tags", "billing", "must be a list, got 'billing'"),
        ("tags", "[1, ok]", "must be text, got 1; quote it"),
        ("variables", "[q]", "must be a mapping"),
        ("metadata", "x", "must be a mapping"),
        ("criteria", "3", "must be text, got 3; quote it"),
        ("reference", "yes", "must be text, got true; quote it"),
        ("evaluation", "3", "must be text, got 3; quote it"),
        ("evaluation", '""', "must not be empty"),
        ("id", '" "', "must not be empty"),
        ("scorers", "exact_match", "must be a list, got 'exact_match'"),
        ("turns", "x", "must be a list, got 'x'"),
    ],
)
def test_a_value_of_the_wrong_kind_is_an_error_at_its_place(read, sound, key, value, message):
    errors = [
        error for error in read(sound(test_cases=_case(**{key: value}))).errors if "unknown variable" not in error
    ]

    assert len(errors) == 1
    assert f": test_cases[0].{key}" in errors[0]
    assert message in errors[0]


def test_a_case_without_an_id_is_an_error(read, sound):
    (error,) = read(sound(test_cases="[{expected_output: a, evaluation: exact_match}]")).errors

    assert "test_cases[0]: 'id' is required" in error


def test_turns_are_templates_over_the_variables_of_the_case_and_rendered_once(read, sound):
    case = _read_case(
        read,
        sound,
        variables="{q: '{{ 7*7 }}'}",
        turns="[{role: user, content: 'Say {{ q }}'}, {role: assistant, content: null}, "
        "{role: user, content: 'And {{ q }}'}, {role: assistant}]",
    )

    assert case.turns == (
        Turn(role="user", content="Say {{ 7*7 }}"),
        Turn(role="assistant", content=None),
        Turn(role="user", content="And {{ 7*7 }}"),
        Turn(role="assistant", content=None),
    )


def test_a_conversation_that_ends_with_the_user_is_answered(read, sound):
    case = _read_case(read, sound, turns="[{role: user, content: Hi}]")

    assert case.turns[-1] == Turn(role="assistant", content=None)


def test_a_case_that_begins_itself_leaves_out_the_template_and_keeps_the_system_message(read, sound):
    text = sound(
        prompts='[{id: v1, system: Be brief, template: "{{ q }}"}]',
        test_cases=_case(turns="[{role: user, content: Hi}]"),
    )
    benchmark = read(text).sound

    assert benchmark.prompts[0].render(next(iter(benchmark.cases))) == [Message(role="system", content="Be brief")]


def test_a_case_that_begins_with_the_model_has_the_template_as_first_turn(read, sound):
    text = sound(test_cases=_case(turns="[{role: assistant, content: null}, {role: user, content: More}]"))
    benchmark = read(text).sound

    assert benchmark.prompts[0].render(next(iter(benchmark.cases))) == [Message(role="user", content="a")]


def test_a_prompt_needs_no_template_where_every_case_begins_itself(read, sound):
    text = sound(prompts="[{id: v1, system: Be brief}]", test_cases=_case(turns="[{role: user, content: Hi}]"))

    assert read(text).problems == ()


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ("[]", "must hold at least one turn"),
        ("[{role: bot, content: x}]", "must be 'user' or 'assistant', got 'bot'"),
        ("[{role: system, content: x}, {role: user, content: y}]", "put it into the 'system' of a prompt"),
        ("[{role: user, content: null}]", "a user's turn needs 'content'"),
        ("[{role: user, content: 3}]", "must be text, got 3; quote it"),
        ("[{content: x}]", "'role' is required"),
        ("[{role: user, content: a}, {role: assistant, content: b}]", "no turn is left for the model"),
        ("[{role: user, content: '{{ nope }}'}]", "nope"),
        ("[{role: user, content: '{{ q'}]", "test_cases[0].turns[0].content"),
        ("[hi]", "must be a mapping, got 'hi'"),
    ],
)
def test_a_wrong_turn_is_an_error(read, sound, turns, message):
    errors = read(sound(test_cases=_case(turns=turns))).errors

    assert len(errors) == 1
    assert message in errors[0]
