"""Models that only judge, and what a case is about besides its prompt."""

from __future__ import annotations

BENCHMARK = """\
name: b
models: [mock:m]
judges:
  - mock:strict
  - {id: kind, provider: mock, model: k, default: "5"}
prompts: [{id: v1, template: hi}]
test_cases:
  - {id: a, input: {city: Bonn}, expected_output: x, evaluation: exact_match}
  - {id: b, expected_output: x, evaluation: exact_match}
"""


def test_judges_are_known_by_their_ids_and_are_not_asked_the_prompts(read):
    benchmark = read(BENCHMARK).sound

    assert [use.id for use in benchmark.models] == ["mock:m"]
    assert [(use.id, use.provider, use.model) for use in benchmark.judges] == [
        ("mock:strict", None, "mock:strict"),
        ("kind", "mock", "k"),
    ]
    assert benchmark.judges[1].options == {"default": "5"}


def test_a_judge_is_held_to_what_a_model_is_held_to(read):
    reading = read(BENCHMARK.replace("- mock:strict", "- {id: x}\n  - kind"))

    assert [(problem.path, problem.message) for problem in reading.problems] == [
        ("judges[0]", "'model' is required"),
        ("judges[2]", "model 'kind' is listed twice"),
    ]


def test_without_judges_there_are_none(read):
    assert read(BENCHMARK.replace("judges:", "x-judges:")).sound.judges == ()


def test_the_input_of_a_case_is_kept_with_its_type(read):
    first, second = read(BENCHMARK).sound.cases

    assert first.input == {"city": "Bonn"}
    assert second.input is None
