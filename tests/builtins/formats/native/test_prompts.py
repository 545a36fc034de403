"""Prompts of a native file, and the variables they read."""

from __future__ import annotations

import pytest

from steelyard.api import Case, Message
from steelyard.errors import TemplateError


def test_values_are_data_and_are_never_rendered_again(read, sound):
    page = "Hello {{ user.name }} {# note #} {% writes %} ^{{Omega}rel } 100%} {{ 7*7 }}"
    text = sound(
        prompts='[{id: v1, template: "Summarise: {{ page }}"}]',
        test_cases=f"[{{id: c1, variables: {{page: '{page}'}}, expected_output: a, evaluation: exact_match}}]",
    )
    benchmark = read(text).sound

    assert benchmark.prompts[0].render(next(iter(benchmark.cases)))[0].content == f"Summarise: {page}"


def test_a_date_stays_the_text_that_the_file_has(read, sound):
    text = sound(
        prompts='[{id: v1, template: "Due {{ due }}, at {{ at }}."}]',
        test_cases="[{id: c1, variables: {due: 2024-01-15, at: 2024-01-15T10:00:00Z}, expected_output: 2024-01-15, "
        "evaluation: exact_match}]",
    )
    benchmark = read(text).sound
    (case,) = benchmark.cases

    assert benchmark.prompts[0].render(case)[0].content == "Due 2024-01-15, at 2024-01-15T10:00:00Z."
    assert case.expected == "2024-01-15"


def test_nothing_is_escaped_and_the_last_newline_stays(read, sound):
    text = sound(
        prompts="[{id: v1, template: \"Q: {{ q }} | {{ items | join(', ') }}\\n\\nAnswer:\\n\"}]",
        variables='{q: "a < b\\r\\n&", items: ["R&D", "Q<A"]}',
        test_cases="[{id: c1, expected_output: a, evaluation: exact_match}]",
    )
    benchmark = read(text).sound
    content = benchmark.prompts[0].render(next(iter(benchmark.cases)))[0].content

    assert content == "Q: a < b\r\n& | R&D, Q<A\n\nAnswer:\n"


def test_a_variable_that_no_one_gives_is_an_error_with_the_name_that_was_meant(read, sound):
    text = sound(
        prompts="[{id: v1, template: \"Classify: {{ coment }} {% if lang == 'fr' %}en francais{% endif %}\"}]",
        test_cases="[{id: c1, variables: {comment: late}, expected_output: a, evaluation: exact_match}]",
    )

    assert read(text).errors == [
        "bench.yaml:3:30: prompts[0].template: prompt 'v1', case 'c1': unknown variable 'coment'; "
        "did you mean 'comment'?",
        "bench.yaml:3:30: prompts[0].template: prompt 'v1', case 'c1': unknown variable 'lang'",
    ]


def test_a_variable_with_a_default_may_be_missing(read, sound):
    benchmark = read(sound(prompts="[{id: v1, template: \"{{ q }} {{ lang | default('en') }}\"}]")).sound

    assert benchmark.prompts[0].render(next(iter(benchmark.cases)))[0].content == "hi en"


def test_many_cases_without_a_variable_are_one_error(read, sound):
    cases = "".join(f"- {{id: c{n}, expected_output: a, evaluation: exact_match}}\n" for n in range(5))
    (error,) = read(sound(test_cases=cases)).errors

    assert "prompt 'v1', case 'c0' and 4 more: unknown variable 'q'" in error


def test_shared_variables_stand_under_those_of_a_case(read, sound):
    text = sound(
        variables="{q: shared, z: shared}",
        prompts='[{id: v1, template: "{{ q }} {{ z }}"}]',
    )
    benchmark = read(text).sound

    assert benchmark.prompts[0].render(next(iter(benchmark.cases)))[0].content == "hi shared"


@pytest.mark.parametrize("key", ["template", "system"])
def test_a_syntax_error_is_reported_at_its_prompt(read, sound, key):
    other = "system" if key == "template" else "template"
    (error,) = read(sound(prompts=f'[{{id: v1, {other}: x, {key}: "a\\n{{{{ q"}}]')).errors

    assert f": prompts[0].{key}: " in error
    assert "line 2" in error


@pytest.mark.parametrize(
    ("template", "warned"),
    [
        ("Say {q}", ["q"]),
        ("{ q } and {q} and {other}", ["q", "other"]),
        ("{{ q }}", []),
        ('{"a": {"b": 1}} {{ q }}', []),
        ("\\\\frac{a}{b} ${HOME} f{x}", []),
        ("{% if q %}{q}{% endif %}{# {no} #}", ["q"]),
    ],
)
def test_single_braces_are_a_warning(read, sound, template, warned):
    reading = read(sound(prompts=f"[{{id: v1, template: '{template}'}}]"))

    assert reading.errors == []
    assert [warning.split(" in single")[0].split(": ")[-1] for warning in reading.warnings] == [
        f"{{{name}}}" for name in warned
    ]


def test_a_prompt_id_that_is_used_twice_is_an_error_with_both_places(read, sound):
    (error,) = read(sound(prompts='[{id: v1, template: "{{ q }}"}, {id: v1, template: x}]')).errors

    assert error == "bench.yaml:3:47: prompts[1].id: prompt id 'v1' is used twice; first at bench.yaml:3:11"


@pytest.mark.parametrize("prompt", ["{id: v1}", '{id: v1, template: ""}', "{id: v1, template: 3}", "{template: x}"])
def test_a_prompt_without_a_part_is_one_error(read, sound, prompt):
    assert len(read(sound(prompts=f"[{prompt}]")).errors) == 1


def test_an_empty_system_message_is_left_out(read, sound):
    text = sound(
        variables='{s: ""}',
        prompts='[{id: v1, system: "{{ s }}", template: "{{ q }}"}]',
    )
    benchmark = read(text).sound

    assert benchmark.prompts[0].render(next(iter(benchmark.cases))) == [Message(role="user", content="hi")]


def test_a_rendering_that_fails_names_part_and_variable(read, sound):
    (prompt,) = read(sound()).sound.prompts

    with pytest.raises(TemplateError, match=r"^template: unknown variable 'q'; did you mean 'qq'\?$"):
        prompt.render(Case(id="z", variables={"qq": 1}))


def test_an_unknown_variable_is_found_in_a_branch_that_is_not_taken(read, sound):
    text = sound(
        prompts='[{id: v1, template: "{% if q %}ok{% else %}{{ nope }}{% endif %}"}]',
        test_cases="rows.csv",
        scorers="[exact_match]",
    )
    benchmark = read(text, {"rows.csv": "q\nx\n"}).sound

    with pytest.raises(TemplateError, match="unknown variable 'nope'"):
        benchmark.prompts[0].render(next(iter(benchmark.cases)))


@pytest.mark.parametrize(
    ("variables", "template", "warned"),
    [
        ("{labels: [yes, no, maybe]}", "{{ labels | join(', ') }}", ["variables.labels"]),
        ("{labels: [yes, no]}", "{% for l in labels %}{{ l }}{% endfor %}", ["variables.labels"]),
        ("{answer: yes}", "{{ answer }}", ["variables.answer"]),
        ("{polite: yes}", "{% if polite %}Please{% endif %}", []),
        ("{polite: yes}", "{{ 'Please' if polite else '' }}", []),
        ('{labels: ["yes", "no"], n: 1}', "{{ labels }}{{ n }}", []),
    ],
)
def test_yes_and_no_among_variables_are_a_warning_where_text_is_written(read, sound, variables, template, warned):
    for reading in (
        read(sound(variables=variables, prompts=f'[{{id: v1, template: "{template}"}}]')),
        read(
            sound(
                prompts=f'[{{id: v1, template: "{template}"}}]',
                test_cases=f"[{{id: c1, variables: {variables}, expected_output: a, evaluation: exact_match}}]",
            )
        ),
    ):
        assert reading.errors == []
        assert [problem.path.removeprefix("test_cases[0].") for problem in reading.problems] == warned
