"""``pairwise`` compares the outputs of stored runs; the judge is a mock that likes certain answers."""

from __future__ import annotations

import json

import pytest

from steelyard.api import Status
from steelyard.records import write_record
from steelyard.testing.run_builders import make_case_result, make_combo, make_record

A, B = "2026-06-08_101500_b", "2026-06-10_143205_b"
SUITE = """
name: b
models: [{id: m, provider: mock, default: x}]
judges:
  - id: judge
    provider: mock
    cost_usd: 0.01
    responses:
      - {match: 'ANSWER 1 [0-9a-f]+ begins -----\\ngood', output: '{"reasoning": "good", "winner": "1"}'}
      - {match: 'ANSWER 2 [0-9a-f]+ begins -----\\ngood', output: '{"reasoning": "good", "winner": "2"}'}
      - {match: 'ANSWER . [0-9a-f]+ begins -----\\nodd', output: 'I cannot say'}
    default: '{"reasoning": "alike", "winner": "tie"}'
evaluation: {judge_model: judge}
prompts: [{id: v1, template: "{{ q }}"}]
test_cases:
  - {id: c0, variables: {q: x}, criteria: Must be good., expected_output: x, evaluation: exact_match}
"""


@pytest.fixture
def suite(desk):
    return str(desk.write("b.yaml", SUITE))


@pytest.fixture
def store(desk):
    """Store a run: ``store(A, m="good fair", n="fair fair")`` has two combos with these answers."""

    def store_run(run_id, **answers):
        combos = [
            make_combo(
                [
                    make_case_result(f"c{number}", response=answer, model=model, prompt_id="v1", expected=None)
                    if answer != "ERROR"
                    else make_case_result(f"c{number}", status=Status.API_ERROR, model=model, prompt_id="v1")
                    for number, answer in enumerate(texts.split())
                ]
            )
            for model, texts in answers.items()
        ]
        path = desk.folder / "results" / f"{run_id}.json"
        path.parent.mkdir(exist_ok=True)
        write_record(path, make_record(combos, run_id=run_id, benchmark="b"))
        return path

    return store_run


def read(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def compared(desk, suite, *arguments):
    return read(desk("pairwise", *arguments, "--benchmark", suite, "--format", "json"))


def test_two_combos_of_one_run_are_compared_case_by_case(desk, suite, store):
    store(A, m="good good fair fair", n="fair fair good fair")

    found = compared(desk, suite, A)

    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"]) == ("m / v1", "n / v1")
    assert (pair["wins"], pair["losses"], pair["ties"], pair["n"]) == (2, 1, 1, 4)
    assert pair["win_rate"] == 0.625
    assert pair["win_rate_low"] < 0.625 < pair["win_rate_high"]
    assert [one["winner"] for one in found["comparisons"]] == ["a", "a", "b", "tie"]
    assert (found["judge"], found["flip_rate"], found["first_position_rate"]) == ("judge", 0.0, 0.5)
    assert found["ranking"] == []


def test_the_same_combo_of_two_runs_is_told_apart_by_the_run(desk, suite, store):
    store(A, m="fair fair")
    store(B, m="good good")

    found = compared(desk, suite, A, B)

    assert [one["label"] for one in found["contestants"]] == [f"m / v1 ({A})", f"m / v1 ({B})"]
    assert found["pairs"][0]["losses"] == 2


def test_three_combos_are_ranked(desk, suite, store):
    store(A, m="fair fair fair", n="good good good", o="fair fair fair")

    done = desk("pairwise", "--benchmark", suite)
    found = compared(desk, suite)

    assert found["ranking"][0]["label"] == "n / v1"
    assert found["ranking"][0]["win_share_low"] <= found["ranking"][0]["win_share"]
    assert "RANKING (Bradley-Terry)" in done.stdout
    assert [one["n"] for one in found["ranking"]] == [6, 6, 6]
    assert "Corrected p" in done.stdout
    assert "3 combos, 9 comparison(s) in both orders: 18 questions" in done.stderr


def test_combos_that_no_verdict_joins_are_not_ranked(desk, suite, store):
    store(A, m="fair ERROR", n="good ERROR", o="ERROR good")

    done = desk("pairwise", "--benchmark", suite)

    assert "No ranking: no verdict joins these, directly or by way of others: m / v1, n / v1 | o / v1" in done.stdout
    assert "RANKING" not in done.stdout


def test_a_judge_that_goes_by_position_is_found_out_and_decides_nothing(desk, store):
    store(A, m="a " * 12, n="b " * 12)
    biased = SUITE.replace('default: \'{"reasoning": "alike", "winner": "tie"}\'', 'default: \'{"winner": "1"}\'')
    desk.write("biased.yaml", biased)

    done = desk("pairwise", "--benchmark", "biased.yaml")

    assert "Swapped answers changed the verdict in 100.0% of 12 comparison(s)" in done.stdout
    assert "the judge favours a position" in done.stdout
    assert "no difference that these 12 cases can show" in done.stdout


def test_answers_that_could_not_be_judged_are_errors_and_unanswered_cases_no_part(desk, suite, store):
    store(A, m="good odd ERROR", n="fair fair fair")

    found = compared(desk, suite)

    assert (found["n"], found["errors"]) == (1, 1)
    assert "gave no verdict" in found["comparisons"][1]["error"]


def test_where_nothing_could_be_judged_the_command_fails(desk, suite, store):
    store(A, m="odd", n="odd")

    assert desk("pairwise", "--benchmark", suite).returncode == 1


def test_where_every_question_failed_the_cause_is_said_and_nothing_claimed(desk, store):
    store(A, m="a b c", n="d e f")
    broken = "    responses: [{match: ., error: {message: the key was refused}}]\n"
    desk.write("broken.yaml", SUITE[: SUITE.index("    responses:")] + broken + SUITE[SUITE.index("evaluation: {") :])

    done = desk("pairwise", "--benchmark", "broken.yaml")
    found = json.loads(desk("pairwise", "--benchmark", "broken.yaml", "--format", "json").stdout)

    assert done.returncode == 1
    assert "No comparison got a verdict: nothing can be said.\n" in done.stdout
    (why,) = [line for line in done.stdout.splitlines() if "comparison(s) without a verdict" in line]
    assert why.startswith("3 comparison(s) without a verdict; the reason: ")
    assert "the key was refused" in why
    assert "Swapped answers" not in done.stdout
    assert "favour" not in done.stdout
    assert (found["first_position_p_value"], found["pairs"][0]["p_value"]) == (None, None)


def test_the_most_frequent_reason_for_no_verdict_is_named_beside_those_with_one(desk, store):
    store(A, m="good odd odd mad", n="fair fair fair fair")
    mad = SUITE.replace("    responses:\n", "    responses:\n      - {match: mad, error: {message: too mad}}\n")
    desk.write("mad.yaml", mad)

    done = desk("pairwise", "--benchmark", "mad.yaml")

    (why,) = [line for line in done.stdout.splitlines() if "without a verdict" in line]
    assert why.startswith("3 comparison(s) without a verdict are left out; most often, 2 times: ")
    assert "too mad" not in why


def test_replies_that_all_hold_no_verdict_are_one_reason_whatever_they_say(desk, store):
    store(A, m="a b c", n="d e f")

    done = desk("pairwise", "--judge", "mock:echo")  # says what it was asked, each time something else

    (why,) = [line for line in done.stdout.splitlines() if "without a verdict" in line]
    assert why.startswith("3 comparison(s) without a verdict; the reason: pairwise: judge 'mock:echo' gave no verdict")


def test_verdicts_that_are_all_ties_show_no_favour_and_claim_none(desk, suite, store):
    store(A, m="fair fair", n="fair fair")

    done = desk("pairwise", "--benchmark", suite)

    assert "No verdict named a winner, so nothing shows whether the judge favours a position." in done.stdout
    assert "no favour to a position shows" not in done.stdout


def test_a_run_that_is_named_twice_is_refused_before_anything_is_paid(desk, suite, store):
    path = store(A, m="good good", n="fair fair")

    for again in (A, str(path)):
        done = desk("pairwise", A, again, "--benchmark", suite)

        assert (done.returncode, done.stdout) == (1, "")
        assert f"{A} is named twice; answers say nothing against themselves" in done.stderr
    assert "question" not in done.stderr


def test_copies_of_a_record_are_told_apart_by_their_files(desk, suite, store):
    path = store(A, m="good good")
    copy = path.with_name("copy.json")
    copy.write_bytes(path.read_bytes())

    found = compared(desk, suite, str(path), str(copy))

    labels = [one["label"] for one in found["contestants"]]
    assert len(set(labels)) == 2
    assert labels[1].endswith("copy.json)")


def test_the_criteria_of_the_suite_reach_the_judge_and_others_where_it_has_none(desk, store):
    store(A, m="a b", n="c d")
    asked = SUITE.replace("judges:\n", "judges:\n", 1)
    asked = asked.replace(
        "    responses:\n", "    responses:\n      - {match: 'Must be good', output: '{\"winner\": \"1\"}'}\n"
    )
    asked = asked.replace(
        "    responses:\n", "    responses:\n      - {match: 'Be short', output: '{\"winner\": \"2\"}'}\n"
    )
    desk.write("asked.yaml", asked)

    found = read(desk("pairwise", "--benchmark", "asked.yaml", "--criteria", "Be short", "--format", "json"))

    # Always the first of the two for c0, always the second for c1: ties by flipping, each for its own criteria.
    assert [one["flipped"] for one in found["comparisons"]] == [True, True]
    assert found["first_position_rate"] == 0.5


def test_what_was_judged_once_is_not_paid_for_again(desk, suite, store):
    store(A, m="good", n="fair")

    first, second = compared(desk, suite), compared(desk, suite)
    fresh = read(desk("pairwise", "--benchmark", suite, "--no-cache", "--format", "json"))

    assert first["cost_usd"] == second["cost_usd"] == pytest.approx(0.02)
    assert (first["spent_usd"], second["spent_usd"]) == (first["cost_usd"], 0.0)
    assert fresh["spent_usd"] == pytest.approx(first["cost_usd"])


def test_models_and_a_limit_narrow_what_is_compared(desk, suite, store):
    store(A, m="good " * 6, n="fair " * 6, o="fair " * 6)

    found = compared(desk, suite, "-m", "m", "-m", "o", "--limit", "2")
    again = compared(desk, suite, "-m", "m", "-m", "o", "--limit", "2")

    assert (len(found["pairs"]), found["n"]) == (1, 2)
    assert found["comparisons"] == again["comparisons"]


def test_a_judge_needs_no_suite_when_its_provider_is_named(desk, store):
    store(A, m="x", n="y")

    done = desk("pairwise", "--judge", "mock:anything")

    assert done.returncode == 1  # the mock's own words are no verdict
    assert "1 comparison(s) without a verdict" in done.stdout


@pytest.mark.parametrize(
    ("answers", "arguments", "said"),
    [
        ({"m": "x"}, (), "it takes two combos to compare, but of those asked for there is m / v1"),
        ({"m": "x", "n": "ERROR"}, ("--judge", "mock:j"), "no two of these combos answered the same cases"),
        ({"m": "x", "n": "y"}, (), "no judge is named; name one with --judge PROVIDER:MODEL"),
        ({"m": "x", "n": "y"}, ("--judge", "mock:j", "--scorer", "exact_match"), "compares no outputs"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_one_line(desk, store, answers, arguments, said):
    store(A, **answers)

    done = desk("pairwise", *arguments)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert done.stderr.count("error:") == 1


def test_a_judge_of_an_unknown_provider_is_not_called_one_of_no_provider(desk, store):
    store(A, m="x", n="y")

    done = desk("pairwise", "--judge", "nope:x")

    assert done.returncode == 1
    assert "judge: model 'nope:x': no provider 'nope', and none is the default; those in use: " in done.stderr
    assert "no provider is named" not in done.stderr


def test_detailed_says_who_won_each_case_and_why(desk, suite, store):
    store(A, m="good fair", n="fair fair")

    lines = desk("pairwise", "--benchmark", suite, "-d").stdout.splitlines()

    assert "- c0: m / v1 : n / v1: m / v1 (good)" in lines
    assert "- c1: m / v1 : n / v1: tie (alike)" in lines
