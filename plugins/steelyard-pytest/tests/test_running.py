"""Which cases are asked, when, and how many at a time."""

from __future__ import annotations

import threading

import pytest
from steelyard_pytest.batches import Asked, rectangles

from steelyard.api import ModelUse
from steelyard.testing import FixedPrompt, make_case


def test_only_the_selected_cases_are_asked(folder, api):
    folder.benchmark()

    folder.run("-k", "ada and small").assert_outcomes(passed=1, deselected=3)

    assert [request.model for request in api.requests if request.method == "POST"] == ["small"]
    assert api.prompts == ("Greet Ada.",)


def test_tags_select_cases(folder, api, make_case):
    folder.benchmark(test_cases=[make_case("ada", tags=["vip"]), make_case("bob")])

    folder.run("-k", "vip").assert_outcomes(passed=2, deselected=2)

    assert set(api.prompts) == {"Greet Ada."}


def test_a_selection_that_is_no_rectangle_asks_nothing_else(folder, api):
    folder.benchmark()

    folder.run("-k", "(small and ada) or (large and bob)").assert_outcomes(passed=2, deselected=2)

    assert sorted((request.model, request.prompt) for request in api.requests if request.method == "POST") == [
        ("large", "Greet Bob."),
        ("small", "Greet Ada."),
    ]


def asked(model, prompt, case):
    return Asked(model=ModelUse(id=model, model=model), prompt=FixedPrompt(id=prompt), case=make_case(case))


@pytest.mark.parametrize(
    ("wanted", "parts"),
    [
        # All of it is one run.
        ("a1x a1y a2x a2y b1x b1y b2x b2y", ["a1x a1y a2x a2y b1x b1y b2x b2y"]),
        # What two models share is one run, what differs another.
        ("a1x a1y b1x b1y c1x", ["a1x a1y b1x b1y", "c1x"]),
        # One corner is missing.
        ("a1x a2x b1x", ["a1x a2x", "b1x"]),
        # Nothing is shared.
        ("a1x b1y", ["a1x", "b1y"]),
        ("", []),
    ],
)
def test_a_selection_is_split_into_runs_that_ask_nothing_else(wanted, parts):
    found = [
        " ".join("".join(one.key) for one in part) for part in rectangles([asked(*three) for three in wanted.split()])
    ]

    assert found == parts
    for part in found:
        models, prompts, cases = (set(column) for column in zip(*part.split(), strict=True))
        assert len(part.split()) == len(models) * len(prompts) * len(cases)


def test_the_cases_of_a_file_are_asked_at_the_same_time(folder, api):
    folder.benchmark(concurrency=4)
    results = []
    api.hold()
    together = threading.Thread(target=lambda: results.append(api.wait_for(lambda api: api.in_flight == 4, 60)))
    together.start()
    watcher = threading.Thread(target=lambda: (together.join(), api.release()))
    watcher.start()

    folder.run().assert_outcomes(passed=4)

    watcher.join()
    assert results == [True]


def test_nothing_is_asked_after_the_first_failure_that_ends_the_tests(folder, api, make_case):
    names = ["ada", "bob", "eve"]
    cases = [make_case(name, expected_output="nobody" if name == "bob" else name.capitalize()) for name in names]
    folder.benchmark(models=["openai:small"], test_cases=cases)

    folder.run("-x").assert_outcomes(passed=1, failed=1)

    assert api.prompts == ("Greet Ada.", "Greet Bob.")


def test_the_tests_of_several_files_are_asked_file_by_file(folder, api):
    folder.benchmark("a.bench.json", models=["openai:small"])
    folder.benchmark("b.bench.json", models=["openai:large"])

    folder.run().assert_outcomes(passed=4)

    assert [request.model for request in api.requests if request.method == "POST"] == ["small"] * 2 + ["large"] * 2


def test_a_case_that_a_mark_skips_is_not_asked(folder, api):
    folder.benchmark(models=["openai:small"])
    folder.pytester.makeconftest(
        "import pytest\n"
        "def pytest_collection_modifyitems(items):\n"
        "    for item in items:\n"
        "        if item.name.endswith('bob'):\n"
        "            item.add_marker(pytest.mark.skip(reason='not today'))\n"
    )

    folder.run().assert_outcomes(passed=1, skipped=1)

    assert api.prompts == ("Greet Ada.",)


@pytest.mark.parametrize("distribution", ["load", "loadfile"])
def test_workers_ask_each_case_once(folder, api, distribution):
    folder.benchmark("a.bench.json")
    folder.benchmark("b.bench.json", prompts=[{"id": "v1", "template": "Greet {{ who }}"}])

    result = folder.run_apart("-p", "xdist", "-n", "2", "--dist", distribution)

    result.assert_outcomes(passed=8)
    assert len(api.prompts) == 8
    result.stdout.fnmatch_lines(["8 cases, 0 from the cache: *"])


def test_workers_with_whole_files_ask_for_all_of_a_file_at_once(folder, api):
    folder.benchmark("a.bench.json", concurrency=4)
    folder.benchmark("b.bench.json", concurrency=4, prompts=[{"id": "v1", "template": "Greet {{ who }}"}])
    results = []
    api.hold()
    together = threading.Thread(target=lambda: results.append(api.wait_for(lambda api: api.in_flight >= 4, 80)))
    together.start()
    watcher = threading.Thread(target=lambda: (together.join(), api.release()))
    watcher.start()

    folder.run_apart("-p", "xdist", "-n", "1", "--dist", "loadfile").assert_outcomes(passed=8)

    watcher.join()
    assert results == [True]


def test_an_answer_is_bought_once(folder, api):
    folder.benchmark()

    first, second = folder.run(), folder.run()

    for result in (first, second):
        result.assert_outcomes(passed=4)
    assert len(api.prompts) == 4
    second.stdout.fnmatch_lines(["4 cases, 4 from the cache: *"])


def test_a_run_of_the_command_has_bought_it_too(folder, api):
    folder.benchmark()
    folder.pytester.run(__import__("sys").executable, "-m", "steelyard", "run", "greet.bench.json", "--quiet")
    bought = len(api.prompts)

    folder.run().assert_outcomes(passed=4)

    assert (bought, len(api.prompts)) == (4, 4)


def test_without_the_cache_it_is_bought_anew(folder, api):
    folder.benchmark()

    for _ in range(2):
        folder.run("--steelyard-no-cache").assert_outcomes(passed=4)

    assert len(api.prompts) == 8


def test_nothing_is_stored_and_nothing_else_is_printed(folder):
    folder.benchmark()

    result = folder.run("-s")

    assert not (folder.path / "results").exists()
    assert "PASS" not in result.stdout.str().replace("PASSED", "")
    assert result.stderr.str() == ""
