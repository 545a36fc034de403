"""Where a check says that something is wrong: the line of the case that it is wrong in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard import RunOptions, open_session

HEAD = """\
name: Demo
models: [mock:echo]
prompts: [{id: p, template: "{{ q }}"}]
test_cases:
"""

Errors = Callable[..., list[str]]


@pytest.fixture
def errors_of(tmp_path: Path) -> Errors:
    """Check a file with these cases, and return its errors without the folder."""

    def check(cases: str, head: str = HEAD) -> list[str]:
        path = tmp_path / "bench.yaml"
        path.write_text(head + cases, "utf-8")
        problems = open_session(cwd=tmp_path, environ={}, warn=pytest.fail).check(path, RunOptions()).problems
        return [str(one).replace(f"{tmp_path}{os.sep}", "") for one in problems if one.severity == "error"]

    return check


CASES = """\
  - id: a
    variables: {q: x}
    evaluation: exact_match
    expected_output: ok
  - id: b
    variables: {q: x}
    evaluation: exact_match
    expected_output: yes
  - id: c
    variables: {q: x}
    evaluation: exact_match
"""


def test_a_wrong_value_is_placed_at_the_value_and_a_missing_one_at_its_case(errors_of: Errors) -> None:
    wrong, missing = errors_of(CASES)

    assert wrong.startswith("bench.yaml:12:22: case 'b': expected_output: ")
    assert "got true; quote it" in wrong
    assert missing.startswith("bench.yaml:13:5: case 'c': expected_output: ")


def test_an_option_beside_evaluation_is_placed_where_it_stands(errors_of: Errors) -> None:
    cases = CASES.partition("  - id: b")[0]

    for scorer, option in (("exact_match", "ignore_case: 3"), ("max_words", "value: many")):
        (error,) = errors_of(f"{cases}  - id: d\n    variables: {{q: x}}\n    evaluation: {scorer}\n    {option}\n"
                             "    expected_output: x\n")  # fmt: skip

        assert error.startswith(f"bench.yaml:12:{7 + option.index(':')}: case 'd': {scorer}.{option.split(':')[0]}: ")


def test_a_scorer_of_every_case_is_blamed_at_the_case_that_it_cannot_judge(errors_of: Errors) -> None:
    cases = CASES.replace("    evaluation: exact_match\n", "").partition("  - id: c")[0]

    (error,) = errors_of(cases, HEAD.replace("test_cases", "scorers: [exact_match]\ntest_cases"))

    assert error.startswith("bench.yaml:11:22: case 'b': expected_output: ")


def test_options_that_all_cases_share_still_have_a_place(errors_of: Errors) -> None:
    head = HEAD.replace("test_cases", "evaluation: {quality_threshold: 0.5, variables: [{name: x}]}\ntest_cases")
    case = "  - {id: a, variables: {q: x}, evaluation: weighted_match, expected_output: []}\n"

    assert errors_of(case, head)
    assert all(error.startswith("bench.yaml:6:") for error in errors_of(case, head))


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("{id: a, variables: {q: x}}", "nothing says how the case is judged; give it an 'evaluation' or 'scorers'"),
        ("{id: a, variables: {q: x}, scorers: [{value: x}]}", "test_cases[0].scorers[0]: 'type' is required"),
    ],
)
def test_a_case_without_a_scorer_is_told_once(errors_of: Errors, case: str, said: str) -> None:
    (error,) = errors_of(f"  - {case}\n")

    assert error.endswith(said)


@pytest.mark.parametrize("text", ["", "# nothing yet\n"])
def test_an_empty_file_is_said_to_be_empty(errors_of: Errors, text: str) -> None:
    (error,) = errors_of("", text)

    assert error == "bench.yaml:1:1: the file is empty; steelyard init writes one to begin with"


@pytest.mark.parametrize(
    "head",
    [
        HEAD.replace("[mock:echo]", "[{provider: openai, model: m, api_key: sk-secret}]"),
        HEAD.replace("[mock:echo]", "[openai:m]\nproviders: {openai: {api_key: sk-secret}}"),
    ],
    ids=["model", "providers"],
)  # fmt: skip
def test_a_key_in_the_file_is_refused_with_the_place_where_keys_belong(errors_of: Errors, head: str) -> None:
    (error,) = errors_of(CASES.partition("  - id: b")[0], head)

    assert "'api_key'; it comes from the environment, not from a file; api_key_env names the variable" in error
    assert "sk-secret" not in error


def test_a_required_plugin_that_is_missing_is_told_at_its_own_line(tmp_path: Path) -> None:
    lines = ["name: b", "require_plugins:", "  - mock", "  - polite", "  - formal", "models: ['mock:m']"]
    lines += ["prompts: [{id: p, template: x}]", "test_cases: [{id: a, expected_output: x, evaluation: exact_match}]"]
    suite = tmp_path / "b.yaml"
    suite.write_text("\n".join(lines), "utf-8")

    problems = open_session(cwd=tmp_path, environ={}).check(suite).problems

    assert [problem.place for problem in problems] == [f"{suite}:4:5", f"{suite}:5:5"]
    assert problems[0].message.startswith("required plugin 'polite': no installed distribution has that name")


def test_a_required_plugin_of_the_file_that_is_extended_is_told_in_the_file_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text("require_plugins: [polite]\n", "utf-8")
    suite = tmp_path / "b.yaml"
    suite.write_text(
        "extends: base.yaml\nname: b\nmodels: ['mock:m']\nprompts: [{id: p, template: x}]\n"
        "test_cases: [{id: a, expected_output: x, evaluation: exact_match}]\n",
        "utf-8",
    )

    (problem,) = open_session(cwd=tmp_path, environ={}).check(suite).problems

    assert problem.place.startswith(str(suite))
    assert problem.message.startswith("required plugin 'polite'")
