"""The examples in ``benchmarks/``: valid, free, and run whole, against a server that answers as a good model would."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from steelyard.testing.fake_api import FakeRequest, catalog_entry

FOLDER = Path(__file__).parents[2] / "benchmarks"
EXAMPLES = ("classification", "exact_match_classification", "llm_as_judge", "weighted_match_config")
VERDICT = json.dumps({"reasoning": "It meets the criteria one by one.", "score": 4})


def content(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return loaded


def models_of(file: dict[str, Any]) -> list[str]:
    judge = file.get("evaluation", {}).get("judge_model")
    return [*file["models"], *([judge] if judge else [])]


def good_model(file: dict[str, Any]) -> Any:
    """Answer what each case expects, and judge kindly."""

    def answer(request: FakeRequest) -> str:
        if request.model == file.get("evaluation", {}).get("judge_model"):
            return VERDICT
        for case in file["test_cases"]:
            texts = [text.strip() for text in case["variables"].values()]
            if all(text in request.prompt for text in texts):
                expected = case.get("expected_output", "Dear customer, here is your answer.")
                return expected if isinstance(expected, str) else json.dumps(expected)
        raise AssertionError(f"no case asks this: {request.prompt}")

    return answer


@pytest.fixture(params=EXAMPLES)
def example(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_example_is_valid_without_a_warning(desk, example):
    done = desk("validate", str(FOLDER / f"{example}.yaml"))
    assert (done.returncode, done.stderr) == (0, "")


def test_an_example_asks_free_models_only_and_gives_them_time(example):
    file = content(example)
    assert all(model.endswith(":free") for model in models_of(file))
    assert file["concurrency"] <= 2
    assert file["inference"]["max_tokens"] >= 1024


def test_an_example_costs_nothing_by_its_own_estimate(keyless, api, example):
    api.catalog([catalog_entry(model, input_per_mtok=0, output_per_mtok=0) for model in models_of(content(example))])
    done = keyless("run", str(FOLDER / f"{example}.yaml"), "--dry-run")
    assert done.returncode == 0, done.said
    assert "Estimated total cost: $0.000000" in done.stdout


def test_an_example_runs_as_it_is(online, api, example):
    file = content(example)
    api.answer(good_model(file))
    done = online("run", str(FOLDER / f"{example}.yaml"))
    assert done.returncode == 0, done.said
    for combo in online.record()["results"]:
        assert (combo["success"], combo["errors"]) == (len(file["test_cases"]), 0)


def test_a_model_that_only_chats_fails_at_what_has_a_label(online, api):
    for example in ("exact_match_classification", "weighted_match_config"):
        api.reply("I would be happy to help!")
        online("run", str(FOLDER / f"{example}.yaml"), "--no-cache")
        assert [combo["success"] for combo in online.record()["results"]] == [0] * len(online.record()["results"])


def test_each_mode_is_shown_and_the_mixed_example_has_several():
    used = {name: {case["evaluation"] for case in content(name)["test_cases"]} for name in EXAMPLES}
    assert used == {
        "classification": {"exact_match", "llm_judge"},
        "exact_match_classification": {"exact_match"},
        "llm_as_judge": {"llm_judge"},
        "weighted_match_config": {"weighted_match"},
    }


def test_the_examples_are_half_easy_and_a_fifth_edge_cases():
    cases = content("exact_match_classification")["test_cases"]
    counts = {tag: sum(tag in case["tags"] for case in cases) for tag in ("easy", "medium", "edge_case")}
    assert counts == {"easy": 5, "medium": 3, "edge_case": 2}
