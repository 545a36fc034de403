"""Evalkit's placeholders. The wanted texts are those that evalkit 0.2.0 sends for the same suites."""

from __future__ import annotations

import pytest
from steelyard_builtins.formats.evalkit.placeholders import Variables, as_json, filled, not_placeholders, resolved

from steelyard.api import Case
from steelyard.errors import TemplateError

TASK = Variables(
    Case(
        id="a",
        input="hi",
        expected=3,
        variables={"city": "Rome", "items": [1, "é"], "id": "shadowed", "map": {"k": "v"}, "café": "crème"},
        metadata={"o": [1]},
    )
)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("A {{ input }} B {{vars.city}} C {{ city }}", "A hi B Rome C Rome"),
        ("{{expected}} {{id}} {{metadata.o}} {{ items.0 }}", "3 a [1] 1"),
        ("{{ vars.id }} {{ vars.map.k }}", "shadowed v"),
        ("{{ items }}", '[1, "é"]'),
        ("{{ map }}", '{"k": "v"}'),
        ("{{ my-var }} {{ q | upper }} {{}} {q} {{ q", "{{ my-var }} {{ q | upper }} {{}} {q} {{ q"),
        ("{{ é }} {{ items.-1 }}", "{{ é }} {{ items.-1 }}"),
        ("{{ café }} {{ vars.café }} {{{city}}}", "crème crème {Rome}"),
    ],
)
def test_names_and_dotted_paths_are_filled_in_and_nothing_else(template, text):
    assert filled(template, TASK) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "True"),
        (None, ""),
        (1.5, "1.5"),
        (12345678901234567890, "12345678901234567890"),
        ([1, "é", None, True], '[1, "é", null, true]'),
        ({"k": {"n": [1]}}, '{"k": {"n": [1]}}'),
    ],
)
def test_values_are_written_into_a_prompt_as_evalkit_writes_them(value, text):
    assert filled("{{ v }}", Variables(Case(id="a", variables={"v": value}))) == text


@pytest.mark.parametrize(
    ("value", "text"), [(3, "3"), (1.0, "1.0"), (None, "null"), (["a"], '["a"]'), ({"x": 1}, '{"x": 1}'), ("t", "t")]
)
def test_values_are_compared_as_json(value, text):
    assert as_json(value) == text


@pytest.mark.parametrize("value", [7, 1.5, None, True, ["a"], {"k": 1}, "text"])
def test_a_text_that_is_one_placeholder_keeps_the_type(value):
    variables = Variables(Case(id="a", variables={"v": value}))

    assert resolved("{{ v }}", variables) == value
    assert type(resolved("{{ v }}", variables)) is type(value)
    assert resolved("\n {{ v }}\n", variables) == value
    assert isinstance(resolved("{{ v }}{{ v }}", variables), str)


def test_data_is_never_filled_in_again():
    variables = Variables(Case(id="a", variables={"v": "{{ id }}"}))

    assert filled("{{ v }}", variables) == "{{ id }}"


def test_variables_of_the_task_win_over_keys_of_its_input():
    variables = Variables(Case(id="a", input={"k": "input", "only": "input"}, variables={"k": "vars"}))

    assert filled("{{ k }} {{ only }} {{ input.k }}", variables) == "vars input input"


@pytest.mark.parametrize("path", ["nope", "city.name", "items.2", "map.x", "input.0", "city.", "map..k"])
def test_a_path_that_leads_nowhere_is_an_error(path):
    with pytest.raises(TemplateError, match=f"unknown variable '{path}'"):
        filled("{{ " + path + " }}", TASK)


def test_a_misspelt_name_is_told_what_was_meant():
    with pytest.raises(TemplateError, match=r"unknown variable 'ctiy'; did you mean 'city'\?"):
        filled("{{ ctiy }}", TASK)


def test_what_only_looks_like_a_placeholder_is_known():
    assert not_placeholders("{{ my-var }} {{ ok.0 }} {{ q | upper }} {{ my-var }} {{{ok}}}") == [
        "{{ my-var }}",
        "{{ q | upper }}",
    ]
