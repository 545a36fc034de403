"""``suggest`` reads a stored run and changes nothing."""

from __future__ import annotations

import json

import pytest

from steelyard.records import write_record
from steelyard.testing.run_builders import make_case_result, make_combo, make_record

RUN = "2026-06-08_101500_b"


def case(case_id, **fields):
    return make_case_result(case_id, prompt_id="v1", expected=None, response=f"answer to {case_id}", **fields)


@pytest.fixture
def store(desk):
    """Store a run of combos whose failures are all tagged ``hard``."""

    def store_run(*models, failed=4, passed=12):
        combos = []
        for model in models or ("m",):
            results = [case(f"f{n}", passed=False, tags=("hard",), model=model) for n in range(failed)]
            results += [case(f"p{n}", tags=("easy",), model=model) for n in range(passed)]
            combos.append(make_combo(results))
            failed = 0
        path = desk.folder / "results" / f"{RUN}.json"
        path.parent.mkdir(exist_ok=True)
        write_record(path, make_record(combos, run_id=RUN, benchmark="b", manifest={"file": "b.yaml"}))
        return path

    return store_run


def read(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_says_where_a_run_fails_with_figures_cases_and_a_command(desk, store):
    store()

    lines = desk("suggest").stdout.splitlines()

    # Wilson of 4 of 16: 0.1018 to 0.4950.
    assert lines[0] == "m / v1: 4 of 16 scored cases failed (25 %, 95 % interval 10 to 49 %)"
    # Fisher's exact test of 4 of 4 against 0 of 12 is 1 / C(16, 4) = 0.000549, twice that for two tags.
    assert lines[2] == (
        "1. cases tagged 'hard' fail more often: 4 of 4, the others 0 of 12 "
        "(100 %, 95 % interval 51 to 100 %, p = 0.001 for all kinds at once)"
    )
    assert lines[3] == "   cases: f0, f1, f2, f3"
    assert lines[5] == "   test:  steelyard run b.yaml -m m -p v1 -t hard"


def test_the_json_holds_the_same_for_programs(desk, store):
    store()

    (combo,) = read(desk("suggest", RUN, "--format", "json"))["combos"]

    (guess,) = combo["hypotheses"]
    assert (guess["kind"], guess["count"], guess["of"], guess["cases"]) == ("group", 4, 4, ["f0", "f1", "f2", "f3"])
    assert guess["share_low"] == pytest.approx(0.5101, abs=5e-5)
    assert combo["words"] is None


def test_the_best_combo_is_looked_at_unless_another_is_named(desk, store):
    store("worse", "better")

    best, named = (read(desk("suggest", *which, "--format", "json"))["combos"] for which in ((), ("-m", "worse")))

    assert [combo["model"] for combo in best] == ["better"]
    assert [(combo["model"], combo["failed"]) for combo in named] == [("worse", 4)]


def test_without_failures_there_is_nothing_to_say(desk, store):
    store(failed=0)

    assert "Nothing failed." in desk("suggest").stdout


def test_failures_without_anything_in_common_are_left_to_the_reader(desk, store):
    store(failed=1)

    assert "read the cases themselves" in desk("suggest").stdout


def test_a_combo_that_is_not_there_is_refused(desk, store):
    store()

    done = desk("suggest", "-m", "none")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: {RUN}: no combo of those models and prompts; it has m / v1\n"


def test_a_model_may_put_it_into_words_beside_the_findings(desk, store):
    store()

    done = desk("suggest", "--model", "mock:words", "--format", "json")

    (combo,) = read(done)["combos"]
    # The mock repeats what it is asked: the findings, fenced.
    assert "cases tagged 'hard' fail more often" in combo["words"]
    assert len(combo["hypotheses"]) == 1


def test_a_model_that_cannot_be_asked_is_refused_in_one_line(desk, store):
    store()

    done = desk("suggest", "--model", "openrouter:a/b")

    assert (done.returncode, done.stdout) == (1, "")
    assert "OPENROUTER_API_KEY" in done.stderr


def test_markdown_takes_no_markup_from_a_name(desk, store):
    path = store()
    path.write_text(path.read_text("utf-8").replace('"hard"', '"<b>|hard"'), "utf-8")

    out = desk("suggest", "--format", "markdown").stdout

    assert "<b>" not in out
    assert out.startswith("### m / v1: 4 of 16")


def test_nothing_is_changed(desk, store):
    path = store()
    before = sorted((one.name, one.read_bytes()) for one in path.parent.iterdir())

    desk("suggest")

    assert sorted((one.name, one.read_bytes()) for one in path.parent.iterdir()) == before
