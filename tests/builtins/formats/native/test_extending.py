"""A native file that extends another."""

from __future__ import annotations

BASE = """\
name: base
models: [a, b]
inference: {temperature: 0, params: {top_p: 0.5, top_k: 3}}
max_cost_usd: 1
prompts: [{id: v1, template: "{{ q }}"}]
test_cases:
  - {id: c1, variables: {q: hi}, expected_output: x, evaluation: exact_match}
"""


def test_mappings_are_merged_and_everything_else_is_replaced(read):
    text = "extends: base.yaml\nname: mine\nmodels: [c]\ninference: {max_tokens: 9, params: {top_k: 4}}\n"
    benchmark = read(text, {"base.yaml": BASE}).sound

    assert benchmark.name == "mine"
    assert [model.id for model in benchmark.models] == ["c"]
    assert (benchmark.inference.temperature, benchmark.inference.max_tokens) == (0, 9)
    assert dict(benchmark.inference.params) == {"top_p": 0.5, "top_k": 4}
    assert [case.id for case in benchmark.cases] == ["c1"]


def test_null_takes_the_value_of_the_base_away(read):
    benchmark = read("extends: base.yaml\nmax_cost_usd: null\n", {"base.yaml": BASE}).sound

    assert benchmark.max_cost_usd is None


def test_positions_point_into_the_file_that_is_wrong(read):
    base = BASE.replace("top_p: 0.5", "top_p: 0.5}, max_tokens: 0, seed: 1, x-y: {a: b").replace("[a, b]", "[a, a]")
    reading = read("extends: base.yaml\ninference: {seed: x}\nretries: -1\n", {"base.yaml": base})

    assert [problem.place.rpartition("/")[2] for problem in reading.problems] == [
        "base.yaml:2:13",
        "base.yaml:3:63",
        "bench.yaml:2:19",
        "bench.yaml:3:10",
    ]


def test_a_base_may_have_a_base_and_paths_start_at_the_file_that_has_them(read):
    files = {
        "shared/middle.yaml": "extends: deep/base.yaml\nname: middle\n",
        "shared/deep/base.yaml": BASE.partition("test_cases:")[0] + "test_cases: rows.jsonl\nscorers: [exact_match]\n",
        "shared/deep/rows.jsonl": '{"id": "row", "q": "x"}\n',
    }
    benchmark = read("extends: shared/middle.yaml\nmodels: [z]\n", files).sound

    assert (benchmark.name, [model.id for model in benchmark.models]) == ("middle", ["z"])
    assert [case.id for case in benchmark.cases] == ["row"]


def test_part_of_a_mapping_from_a_base_keeps_its_own_folder(read):
    files = {
        "shared/base.yaml": BASE.partition("test_cases:")[0]
        + "test_cases: {path: rows.jsonl}\nscorers: [exact_match]\n",
        "shared/rows.jsonl": '{"id": "a", "q": "x"}\n{"id": "b", "q": "x"}\n',
    }
    benchmark = read("extends: shared/base.yaml\ntest_cases: {limit: 1}\n", files).sound

    assert [case.id for case in benchmark.cases] == ["a"]


def test_files_that_extend_each_other_are_an_error_that_shows_the_circle(read):
    reading = read("extends: base.yaml\n", {"base.yaml": "extends: bench.yaml\n"})

    assert reading.benchmark is None
    assert len(reading.errors) == 1
    assert "in a circle: bench.yaml → base.yaml → bench.yaml" in reading.errors[0]


def test_a_base_that_is_not_there_is_the_only_error(read):
    reading = read("extends: nowhere.yaml\nname: mine\n")

    assert reading.benchmark is None
    assert len(reading.errors) == 1
    assert "nowhere.yaml" in reading.errors[0]


def test_a_base_that_is_no_mapping_is_the_only_error(read):
    reading = read("extends: base.yaml\n", {"base.yaml": "[1]\n"})

    assert [problem.place.rpartition("/")[2] for problem in reading.problems] == ["base.yaml:1:1"]


def test_what_both_files_lack_is_missed_in_the_file_that_is_run(read):
    (error,) = read("extends: base.yaml\n", {"base.yaml": BASE.replace("name: base", "x-a: 1")}).errors

    assert error.startswith("bench.yaml:1:1: 'name' is required")
