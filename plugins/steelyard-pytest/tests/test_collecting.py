"""Which files become tests, and what those are called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from steelyard_pytest.patterns import is_named

ROOT = Path("/repo")


@pytest.mark.parametrize(
    ("path", "pattern", "named"),
    [
        ("a.steelyard.yaml", "*.steelyard.yaml", True),
        ("deep/er/a.steelyard.yaml", "*.steelyard.yaml", True),
        ("a.yaml", "*.steelyard.yaml", False),
        ("benchmarks/a.yaml", "benchmarks/*.yaml", True),
        ("other/benchmarks/a.yaml", "benchmarks/*.yaml", False),
        ("benchmarks/deep/a.yaml", "benchmarks/*.yaml", False),
        ("benchmarks/deep/er/a.yaml", "benchmarks/**/*.yaml", True),
        ("benchmarks/a.yaml", "benchmarks/**/*.yaml", True),
        ("x/benchmarks/a.yaml", "**/benchmarks/*.yaml", True),
        ("benchmarks/a.yaml", "./benchmarks/a.yaml", True),
        ("benchmarks/a.yaml", "benchmarks", False),
        ("benchmarks/a.yaml", "benchmarks/", False),
    ],
)
def test_a_pattern_names_what_it_says(path, pattern, named):
    assert is_named(ROOT / path, [pattern], ROOT) is named


def test_a_file_outside_the_root_is_named_by_its_name_alone():
    outside = Path("/elsewhere/a.bench.yaml")

    assert is_named(outside, ["*.bench.yaml"], ROOT)
    assert not is_named(outside, ["**/*.bench.yaml"], ROOT)


def test_without_a_pattern_nothing_is_taken(folder, api):
    folder.ini()
    folder.benchmark("steelyard.yaml")
    folder.benchmark("greet.bench.json")

    result = folder.run()

    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert "steelyard:" not in result.stdout.str()
    assert api.count == 0


def test_a_strangers_file_is_left_alone(folder):
    folder.benchmark()
    (folder.path / "strangers.json").write_text("not a benchmark", "utf-8")
    (folder.path / "test_strangers.yaml").write_text("stages: []", "utf-8")

    folder.run().assert_outcomes(passed=4)


def test_steelyard_is_not_imported_where_no_file_is_named(folder):
    folder.ini()
    folder.pytester.makepyfile(
        "import sys\n"
        "def test_imports():\n"
        "    assert not {'steelyard.session', 'steelyard_pytest.collecting'} & {*sys.modules}\n"
    )

    folder.run_apart().assert_outcomes(passed=1)


def test_there_is_a_test_for_each_model_prompt_and_case(folder, api):
    prompts = [{"id": name, "template": "Greet {{ who }}."} for name in ("v1", "v2")]
    folder.benchmark(models=["openai:small", {"id": "big", "provider": "openai", "model": "large"}], prompts=prompts)

    result = folder.run("--collect-only", "-q")

    assert [line for line in result.outlines if "::" in line] == [
        f"greet.bench.json::{model}×{prompt}×{case}"
        for model in ("openai:small", "big")
        for prompt in ("v1", "v2")
        for case in ("ada", "bob")
    ]
    assert api.count == 0


def test_collecting_needs_no_key(folder, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    folder.benchmark()

    assert folder.run("--collect-only", "-q").ret == pytest.ExitCode.OK


def test_files_are_named_by_the_ini_file_and_by_the_flag(folder):
    folder.benchmark("a.bench.json")
    folder.benchmark("more/b.json")

    folder.run().assert_outcomes(passed=4)
    folder.run("--steelyard-files", "more/*.json").assert_outcomes(passed=8)


def test_a_test_can_be_chosen_by_its_id(folder, api):
    folder.benchmark()

    folder.run("greet.bench.json::openai:small×v1×bob").assert_outcomes(passed=1)

    assert api.prompts == ("Greet Bob.",)


def test_a_mistake_is_an_error_of_collection_with_its_place(folder, make_case, api):
    folder.benchmark(test_cases=[make_case("ada", evaluation="contans")])

    result = folder.run()

    result.assert_outcomes(errors=1)
    text = (folder.path / "greet.bench.json").read_text("utf-8")
    column = text.index('"contans"') + 1
    result.stdout.fnmatch_lines(
        [f"greet.bench.json:1:{column}: case 'ada': unknown scorer 'contans'; did you mean 'contains'[?]"]
    )
    assert "Traceback" not in result.stdout.str()
    assert api.count == 0


def test_every_mistake_of_a_file_is_told_at_once(folder, make_case):
    folder.benchmark(test_cases=[make_case("ada", evaluation="contans"), make_case("bob", evaluation="exact_mach")])

    said = folder.run().stdout.str()

    assert "did you mean 'contains'?" in said
    assert "did you mean 'exact_match'?" in said


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "name: [", "\0"])
def test_what_is_no_benchmark_is_an_error_of_collection(folder, text):
    (folder.path / "greet.bench.json").write_text(text, "utf-8")

    result = folder.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["greet.bench.json:*"])
    assert "Traceback" not in result.stdout.str()


def test_wrong_settings_are_an_error_of_collection_with_their_place(folder):
    folder.benchmark()
    (folder.path / "steelyard.yaml").write_text("concurrency: many\n", "utf-8")

    result = folder.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*steelyard.yaml:1:14:*"])


def test_warnings_about_a_file_are_warnings_of_pytest(folder):
    folder.benchmark(models=["openai:small"], prompts=[{"id": "v1", "template": "Greet {who}: {{ who }}."}])

    result = folder.run()

    result.stdout.fnmatch_lines(["*SteelyardWarning: greet.bench.json:1:*{who} in single braces is sent as it stands*"])
    result.assert_outcomes(passed=2, warnings=1)


def test_cases_from_a_data_file_stand_where_their_rows_stand(folder):
    (folder.path / "people.jsonl").write_text('{"who": "Ada"}\n{"who": "Bob"}\n', "utf-8")
    row = {"id": "{{ who }}", "variables": {"who": "{{ who }}"}, "evaluation": "contains", "expected_output": "Eve"}
    folder.benchmark(models=["openai:small"], test_cases={"path": "people.jsonl"}, case=row)

    result = folder.run()

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["people.jsonl:1*contains: missing 'Eve'*", "people.jsonl:2*contains: missing 'Eve'*"])


def test_other_formats_are_tests_too(folder, api):
    suite = {
        "name": "Suite",
        "target": {"provider": "openai", "model": "small", "base_url": api.base_url},
        "tasks": [{"id": "hello", "input": "Greet Ada.", "graders": [{"type": "contains", "value": "Ada"}]}],
    }
    (folder.path / "suite.bench.json").write_text(json.dumps(suite), "utf-8")

    result = folder.run("-v")

    result.assert_outcomes(passed=1)


def test_the_marker_leaves_all_of_them_out(folder, api):
    folder.benchmark()
    folder.pytester.makepyfile("def test_other():\n    pass")

    folder.run("--strict-markers", "-m", "not steelyard").assert_outcomes(passed=1, deselected=4)

    assert api.count == 0
