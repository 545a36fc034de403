"""Which file is run, and which part of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


def combos(desk: Any) -> list[tuple[str, str]]:
    return [(combo["model"], combo["prompt_id"]) for combo in desk.record()["results"]]


@pytest.fixture
def file(online, make, a_case) -> Any:
    cases = [
        a_case("c1", tags=["easy"]),
        a_case("c2", tags=["edge_case", "billing"]),
        a_case("c3", tags=["edge_case"]),
        a_case("c4", tags=["billing"]),
    ]
    prompts = [{"id": "v1", "template": "{{ text }}"}, {"id": "v2", "system": "s", "template": "{{ text }}"}]
    return online.write("b.json", make(models=["a/one", "b/two", "c/three"], prompts=prompts, test_cases=cases))


def test_every_model_is_run_with_every_prompt_in_the_order_of_the_file(online, file):
    online("run", "b.json")
    assert combos(online) == [(model, prompt) for model in ("a/one", "b/two", "c/three") for prompt in ("v1", "v2")]


def test_models_and_prompts_can_be_chosen_again_and_again(online, file):
    online("run", "b.json", "-m", "c/three", "--model", "a/one", "-p", "v2")
    assert combos(online) == [("a/one", "v2"), ("c/three", "v2")]
    assert online.record()["filters"] == {"models": ["c/three", "a/one"], "prompts": ["v2"]}


@pytest.mark.parametrize(
    ("flags", "cases"),
    [
        (["--tag", "edge_case"], ["c2", "c3"]),
        (["-t", "easy", "-t", "billing"], ["c1", "c2", "c4"]),
        (["--limit", "3"], ["c1", "c2", "c3"]),
        (["--tag", "edge_case", "--limit", "1"], ["c2"]),
    ],
)
def test_a_slice_of_the_cases_can_be_chosen(online, file, flags, cases):
    online("run", "b.json", "-m", "a/one", "-p", "v1", *flags)
    assert list(online.cases()) == cases


@pytest.mark.parametrize("flags", [["-m", "a/on"], ["-p", "v3"], ["--tag", "none"]])
def test_a_choice_that_the_file_does_not_have_asks_nobody(online, api, file, flags):
    done = online("run", "b.json", *flags)
    assert done.returncode == 1
    assert api.count == 0


def test_verbose_says_how_every_case_went(online, api, file):
    api.answer(lambda request: "no" if "<c2>" in request.prompt else "ok")
    done = online("run", "b.json", "-m", "a/one", "-p", "v1", "-v")
    lines = [line for line in done.stderr.splitlines() if line.startswith("Test case: ")]
    assert [line.split(" · ")[0] for line in lines] == [f"Test case: c{number}" for number in (1, 2, 3, 4)]
    assert "failed, score 0.00" in lines[1]
    assert "expected 'ok', got 'no'" in lines[1]


def test_python_dash_m_is_the_same_command(desk):
    with desk.apart("--version") as process:
        stdout, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert stdout == desk("--version").stdout
    assert stdout.startswith("steelyard ")


@pytest.mark.parametrize("command", ["run", "validate"])
def test_without_a_path_the_only_benchmark_is_used_and_named_on_standard_error(online, make, command):
    online.write("benchmarks/mine.json", make())
    (online.folder / "benchmarks/mine.json").rename(online.folder / "benchmarks/mine.yaml")
    done = online(command)
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == f"Using {Path('benchmarks/mine.yaml')}"


@pytest.mark.parametrize("command", ["run", "validate"])
def test_of_several_the_exact_match_example_is_used(online, make, command):
    for name in ("classification.yaml", "exact_match_classification.yaml", "llm_as_judge.yaml"):
        online.write(f"benchmarks/{name}", make())
    done = online(command)
    assert done.returncode == 0
    assert done.stderr.splitlines()[0] == f"Using {Path('benchmarks/exact_match_classification.yaml')}"


@pytest.mark.parametrize("command", ["run", "validate"])
def test_of_several_others_the_list_is_shown_to_choose_from(online, make, command):
    for name in ("one.yaml", "two.yaml"):
        online.write(f"benchmarks/{name}", make())
    done = online(command)
    assert done.returncode == 1
    assert str(Path("benchmarks/one.yaml")) in done.stderr
    assert str(Path("benchmarks/two.yaml")) in done.stderr


@pytest.mark.parametrize("command", ["run", "validate"])
def test_without_any_init_is_suggested(online, command):
    done = online(command)
    assert done.returncode == 1
    assert "steelyard init" in done.stderr


def test_at_most_so_many_calls_are_in_flight_as_the_file_says_and_five_otherwise(online, api, make, a_case):
    cases = [a_case(f"c{number}") for number in range(12)]
    for keys, wanted in (({"concurrency": 2}, 2), ({}, 5)):
        online.write("b.json", make(test_cases=cases, name=f"At most {wanted}", **keys))
        api.hold()
        process = online.apart("run", "b.json", "--no-cache")
        assert api.wait_for(lambda server, wanted=wanted: server.in_flight == wanted, 80)
        api.release()
        process.communicate(timeout=60)
        assert process.returncode == 0
        assert online.record()["concurrency"] == wanted
        assert api.max_in_flight == wanted
