"""What ``validate`` (and ``run``, which does the same first) finds wrong with a file, and how bad it is.

Each change makes one mistake in a file that is right otherwise. An error exits with 1, a warning with 0; each names
the file, the line and the column.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

NAN, INF = float("nan"), float("inf")
HUGE = 10**400
"""An integer that no float can hold."""

Change = Callable[[dict[str, Any]], object]


def right() -> dict[str, Any]:
    """A file of the three modes without a mistake."""
    return {
        "name": "Right",
        "quality_threshold": 80,
        "max_cost_usd": 1.5,
        "concurrency": 5,
        "models": ["vendor/one", "other/two"],
        "inference": {"temperature": 0, "max_tokens": 300},
        "evaluation": {
            "judge_model": "third/judge",
            "judge_threshold": 0.7,
            "judge_max_tokens": 4096,
            "quality_threshold": 0.8,
            "variables": [
                {"name": "use_case", "weight": 0.5},
                {"name": "percent", "weight": 0.25, "tolerance": 0.2},
                {"name": "order", "weight": 0.25},
            ],
        },
        "prompts": [
            {"id": "v1", "template": "Sort {{ text }}."},
            {"id": "v2", "system": "You sort. {{ labels }}", "template": "{{ text }}"},
        ],
        "variables": {"labels": "a, b"},
        "test_cases": [
            {"id": "exact", "variables": {"text": "x"}, "expected_output": "a", "evaluation": "exact_match"},
            {"id": "judge", "variables": {"text": "y"}, "criteria": "good", "evaluation": "llm_judge"},
            {
                "id": "weighted",
                "variables": {"text": "z"},
                "expected_output": [{"use_case": "a", "percent": 1.0, "order": 1}],
                "evaluation": "weighted_match",
            },
        ],
    }


def put(*path: Any) -> Change:
    """Set the value at the end of a path: the last argument is the value."""
    *keys, last, value = path

    def change(file: dict[str, Any]) -> None:
        place: Any = file
        for key in keys:
            place = place[key]
        place[last] = copy.deepcopy(value)

    return change


def drop(*path: Any) -> Change:
    *keys, last = path

    def change(file: dict[str, Any]) -> None:
        place: Any = file
        for key in keys:
            place = place[key]
        del place[last]

    return change


def both(*changes: Change) -> Change:
    return lambda file: [change(file) for change in changes]


@pytest.fixture
def said(desk: Any) -> Callable[[Change], tuple[int, list[str]]]:
    """Return the exit code and the lines that ``validate`` says about a changed file."""

    def check(change: Change) -> tuple[int, list[str]]:
        file = right()
        change(file)
        desk.write("b.json", file)
        done = desk("validate", "b.json")
        return done.returncode, done.stderr.splitlines()

    return check


def test_the_file_without_a_mistake_is_valid_without_a_word(said):
    assert said(lambda _file: None) == (0, [])


EXACT, JUDGE, WEIGHTED = 0, 1, 2
CASE = "test_cases"

STRUCTURE: dict[str, tuple[Change, str]] = {
    "no name": (drop("name"), "'name' is required"),
    "no models": (drop("models"), "'models' is required"),
    "no prompts": (drop("prompts"), "'prompts' is required"),
    "no test cases": (drop(CASE), "'test_cases' is required"),
    "a name that is a number": (put("name", 5), "name"),
    "a model that is a number": (put("models", 0, 5), "models[0]"),
    "a prompt id that is a number": (put("prompts", 0, "id", 5), "prompts[0].id"),
    "a case id that is a number": (put(CASE, 0, "id", 5), "test_cases[0].id"),
    "a model twice": (put("models", 1, "vendor/one"), "'vendor/one' is listed twice"),
    "a prompt id twice": (put("prompts", 1, "id", "v1"), "prompt id 'v1' is used twice"),
    "a case id twice": (put(CASE, 1, "id", "exact"), "'exact' is used twice"),
    "inference that is a list": (put("inference", []), "inference"),
    "evaluation that is a text": (put("evaluation", "strict"), "evaluation"),
    "an unknown evaluation": (put(CASE, 0, "evaluation", "exact_mach"), "did you mean 'exact_match'?"),
}
UNKNOWN_KEYS: dict[str, tuple[Change, str]] = {
    "at the top": (
        put("qualty_threshold", 80),
        "unknown key 'qualty_threshold'; did you mean 'quality_threshold'?",
    ),
}
KEYS_WARNED_ABOUT: dict[str, tuple[Change, str]] = {
    "inference": (put("inference", "temprature", 0), "inference.temprature: unknown key 'temprature'"),
    "evaluation": (put("evaluation", "judge_modle", "x"), "evaluation.judge_modle: unknown key 'judge_modle'"),
    "a prompt": (put("prompts", 1, "sytem", "x"), "prompts[1].sytem: unknown key 'sytem'"),
    "a case": (put(CASE, 1, "refrence", "x"), "test_cases[1].refrence: unknown key 'refrence'"),
}
NUMBERS: dict[str, tuple[Change, str]] = {
    **{
        f"quality_threshold {value!r:.12}": (put("quality_threshold", value), "quality_threshold")
        for value in ("85", True, -1, 100.5, NAN, INF, HUGE)
    },
    **{
        f"concurrency {value!r:.12}": (put("concurrency", value), "concurrency")
        for value in (0, 101, 2.5, "5", True, NAN, INF, HUGE)
    },
    **{
        f"max_cost_usd {value!r:.12}": (put("max_cost_usd", value), "max_cost_usd")
        for value in (-0.01, "1", NAN, INF, HUGE)
    },
    **{
        f"temperature {value!r:.12}": (put("inference", "temperature", value), "temperature")
        for value in ("hot", True, NAN, INF, HUGE)
    },
    **{
        f"max_tokens {value!r:.12}": (put("inference", "max_tokens", value), "max_tokens")
        for value in (50.5, 100.0, True, 0, -1, "100", NAN, INF, HUGE)
    },
}
MODES: dict[str, tuple[Change, str]] = {
    "exact_match without a label": (drop(CASE, EXACT, "expected_output"), "needs expected_output"),
    **{
        f"exact_match with {value!r}": (put(CASE, EXACT, "expected_output", value), "expected_output as text")
        for value in (True, 3, 1.5, ["a"])
    },
    "a judge without criteria": (drop(CASE, JUDGE, "criteria"), "needs criteria"),
    "a judge without a model": (drop("evaluation", "judge_model"), "needs a judge model"),
    **{
        f"judge_threshold {value!r}": (put("evaluation", "judge_threshold", value), "judge_threshold")
        for value in (-0.1, 1.1, "0.7", NAN, INF, HUGE)
    },
    **{
        f"judge_max_tokens {value!r:.12}": (put("evaluation", "judge_max_tokens", value), "judge_max_tokens")
        for value in (0, -1, 50.5, 100.0, True, "100", NAN, HUGE)
    },
    "a judge model that is no text, also where no case is judged": (
        both(put("evaluation", "judge_model", 5), drop(CASE, JUDGE)),
        "judge_model",
    ),
    "weighted_match without a threshold": (drop("evaluation", "quality_threshold"), "quality_threshold"),
    **{
        f"weighted_match with the threshold {value!r}": (
            put("evaluation", "quality_threshold", value),
            "quality_threshold",
        )
        for value in (-0.1, 1.1, "0.8", NAN)
    },
    **{
        f"weighted_match without the dimension {name}": (drop("evaluation", "variables", index), f"{name!r}")
        for index, name in enumerate(("use_case", "percent", "order"))
    },
    "weighted_match without dimensions": (drop("evaluation", "variables"), "variables"),
    "a weight that is a text": (put("evaluation", "variables", 0, "weight", "half"), "weight"),
    "a tolerance that is a text": (put("evaluation", "variables", 1, "tolerance", "wide"), "tolerance"),
    "an expected list that is empty": (put(CASE, WEIGHTED, "expected_output", []), "expected_output"),
    "an expected list that is none": (put(CASE, WEIGHTED, "expected_output", "a"), "expected_output"),
    "an expected entry without a label": (
        drop(CASE, WEIGHTED, "expected_output", 0, "use_case"),
        "expected_output[0].use_case",
    ),
    **{
        f"an expected label that is {value!r}": (
            put(CASE, WEIGHTED, "expected_output", 0, "use_case", value),
            "expected_output[0].use_case",
        )
        for value in (["a"], {"a": 1})
    },
    "an expected percent that is a text": (
        put(CASE, WEIGHTED, "expected_output", 0, "percent", "70%"),
        "expected_output[0].percent",
    ),
    "an expected entry without an order": (
        drop(CASE, WEIGHTED, "expected_output", 0, "order"),
        "expected_output[0].order",
    ),
}
TEMPLATES: dict[str, tuple[Change, str]] = {
    "a syntax error in a template": (put("prompts", 0, "template", "{{ text "), "prompts[0].template"),
    "a syntax error in a system text": (put("prompts", 1, "system", "{% if %}"), "prompts[1].system"),
    "an unknown variable": (put("prompts", 0, "template", "{{ txet }}"), "unknown variable 'txet'"),
    "an unknown variable in a system text": (put("prompts", 1, "system", "{{ lables }}"), "unknown variable 'lables'"),
}
RENDERINGS: dict[str, tuple[Change, str]] = {
    "an undefined attribute": (put("prompts", 1, "template", "{{ text.name.first }}"), ""),
    "a division by zero": (put("prompts", 1, "template", "{{ 1 / (text | length - 1) }}"), "division by zero"),
    "an attribute that the sandbox guards, called": (put("prompts", 1, "template", "{{ text.__class__() }}"), ""),
    "a chain through an attribute that the sandbox guards": (
        put("prompts", 1, "template", "{{ text.__class__.__mro__ }}"),
        "",
    ),
    "a filter of the wrong type": (put("prompts", 1, "template", "{{ text | sum }}"), ""),
}
WARNINGS: dict[str, tuple[Change, str]] = {
    "single braces": (put("prompts", 0, "template", "Sort {text}."), "write {{ text }}"),
    "few tokens where a judge reads": (put("inference", "max_tokens", 199), "199 tokens are few"),
    "a long label": (put(CASE, EXACT, "expected_output", "x" * 101), "101 characters"),
}


def named(table: Mapping[str, tuple[Change, str]]) -> Any:
    return pytest.mark.parametrize(("change", "message"), table.values(), ids=list(table))


def is_an_error(said: Any, change: Change, message: str) -> None:
    code, lines = said(change)
    errors = [line for line in lines if re.match(r"b\.json:\d+:\d+: error: ", line)]
    assert code == 1, lines
    assert any(message in line for line in errors), lines


def is_a_warning(said: Any, change: Change, message: str) -> None:
    code, lines = said(change)
    assert code == 0, lines
    (line,) = lines
    assert re.match(r"b\.json:\d+:\d+: warning: ", line)
    assert message in line


@named(STRUCTURE)
def test_a_mistake_of_structure_is_an_error(said, change, message):
    is_an_error(said, change, message)


@named(UNKNOWN_KEYS)
def test_an_unknown_key_is_an_error_with_the_one_that_was_meant(said, change, message):
    is_an_error(said, change, message)


@named(KEYS_WARNED_ABOUT)
def test_an_unknown_key_further_in_is_a_warning_that_names_where_it_is(said, change, message):
    is_a_warning(said, change, message)


def test_keys_of_the_users_own_are_never_flagged(said):
    keys = {"_note": 1, "x-anchor": [1, 2]}

    def change(file: dict[str, Any]) -> None:
        for place in (file, file["inference"], file["evaluation"], file["prompts"][0], file[CASE][0]):
            place.update(keys)

    assert said(change) == (0, [])


@named(NUMBERS)
def test_a_number_that_is_none_is_an_error(said, change, message):
    is_an_error(said, change, message)


@named(MODES)
def test_what_a_mode_needs_is_an_error_where_it_is_missing_or_wrong(said, change, message):
    is_an_error(said, change, message)


@named(TEMPLATES)
def test_a_template_that_cannot_be_filled_is_an_error(said, change, message):
    is_an_error(said, change, message)


@named(RENDERINGS)
def test_a_rendering_that_fails_is_an_error_that_names_prompt_and_case(said, change, message):
    code, lines = said(change)
    assert code == 1
    assert any("'v2'" in line and "'exact'" in line and message in line for line in lines), lines


@named(WARNINGS)
def test_what_is_probably_not_meant_is_a_warning(said, change, message):
    is_a_warning(said, change, message)


def test_a_single_guarded_attribute_renders_as_nothing(online, api, make):
    online.write("b.json", make(prompts=[{"id": "v1", "template": "[{{ text.__class__ }}] {{ [text] | join(', ') }}"}]))
    assert online("run", "b.json").returncode == 0
    assert api.prompts[0] == "[] <c1>"


def test_a_bare_block_counts_as_absent(said):
    assert said(put("inference", None)) == (0, [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ""),
        ("- a\n- b\n", ""),
        ("just words\n", ""),
        ("name: &a [*a]\n", ""),
        (f"quality_threshold: {'9' * 4301}\n", "4300 digits"),
        ("a: " + "[" * 3000 + "]" * 3000 + "\n", ""),
        ("name: a\nname: b\n", "name"),
        ("name: [\n", ""),
    ],
    ids=["empty", "a list", "a scalar", "an alias in itself", "4301 digits", "3000 levels", "a key twice", "syntax"],
)
def test_what_is_no_mapping_or_no_yaml_is_one_error_and_no_crash(desk, text, message):
    desk.write("b.yaml", text)
    done = desk("validate", "b.yaml")
    assert done.returncode == 1
    assert message in done.stderr
    assert "b.yaml" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("word", ["yes", "true", "3", "1.5"])
def test_an_unquoted_word_that_yaml_reads_as_something_else_is_to_be_quoted(desk, word):
    desk.write(
        "b.yaml",
        "name: b\nmodels: [a/b]\nprompts: [{id: v1, template: x}]\n"
        f"test_cases: [{{id: c, expected_output: {word}, evaluation: exact_match}}]\n",
    )
    done = desk("validate", "b.yaml")
    assert done.returncode == 1
    assert "quote it" in done.stderr


def test_a_run_refuses_what_validate_refuses_before_any_call(online, api, make):
    online.write("b.json", make(qualty_threshold=80))
    done = online("run", "b.json")
    assert (done.returncode, api.count) == (1, 0)
    assert "did you mean 'quality_threshold'?" in done.stderr
    assert not (online.folder / "results").exists()


def test_all_mistakes_of_a_file_are_told_in_one_go(said):
    mistakes = (put("qualty_threshold", 1), put("concurrency", 0), drop(CASE, EXACT, "expected_output"))
    code, lines = said(both(*mistakes))
    assert code == 1
    assert sum(": error: " in line for line in lines) == 3


@pytest.mark.parametrize("key", ["models", "prompts"])
def test_a_file_without_a_usable_model_or_prompt_still_hears_what_is_wrong_with_its_cases(said, key):
    broken: dict[str, Change] = {
        "models": put("models", []),
        "prompts": put("prompts", [{"id": "v1", "template": "{{ text"}]),
    }
    code, lines = said(both(broken[key], put(CASE, EXACT, "evaluation", "exakt_match"), drop(CASE, JUDGE, "criteria")))
    assert code == 1
    assert sum(": error: " in line for line in lines) == 3
    assert any("did you mean 'exact_match'?" in line for line in lines)
    assert any("criteria" in line for line in lines)


def test_a_template_that_fails_only_now_and_then_costs_its_case_alone(online, make, a_case, monkeypatch):
    def choice(values: Any) -> Any:
        """Chance as it may fall: well while the file is checked, badly once the run has its results folder."""
        return values[-1] if (online.folder / "results").exists() else values[0]

    monkeypatch.setattr(random, "choice", choice)
    unsteady = "{% if fails and [0, 1] | random %}{{ 1 / 0 }}{% endif %}{{ text }}"
    cases = [a_case(name, variables={"text": name, "fails": name == "unsteady"}) for name in ("unsteady", "steady")]
    online.write("b.json", make(prompts=[{"id": "v1", "template": unsteady}], test_cases=cases))
    done = online("run", "b.json")
    assert done.returncode == 0
    assert online.cases()["unsteady"]["status"] == "internal_error"
    assert "division by zero" in online.cases()["unsteady"]["error"]
    assert online.cases()["steady"]["match_result"] is True
    assert "⚠️  Internal error on vendor/small / v1 / unsteady: " in done.stderr
