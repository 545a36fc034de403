"""What ``calibrate`` says of a judge, and how ``label`` gathers what it takes."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

from steelyard.api import ScoreResult, Status
from steelyard.records import read_record, write_record
from steelyard.testing.run_builders import make_case_result, make_combo, make_record

RUN = "2026-06-08_101500_b"
FIGURES = ("pearson", "spearman", "kappa", "kappa_quadratic", "agreement", "bias", "false_pass", "false_fail")


def judged(case_id, score, human=None, *, model="m", response="an answer", **fields):
    """A case whose judge gave this score of 5, and passes from 4 on."""
    share = (score - 1) / 4
    verdict = ScoreResult(
        scorer="judge", name="judge", passed=score >= 4, score=share, details={"judge_score": score, "judge_scale": 5}
    )
    return make_case_result(
        case_id,
        passed=score >= 4,
        score=share,
        scores=(verdict,),
        human_score=human,
        model=model,
        prompt_id="v1",
        response=response,
        **fields,
    )


@pytest.fixture
def store(desk):
    def store_run(*cases, run_id=RUN, **fields):
        combos = {}
        for case in cases:
            combos.setdefault(case.model, []).append(case)
        record = make_record(
            [make_combo(found) for found in combos.values()],
            run_id=run_id,
            benchmark="b",
            judge_model="openai:judge",
            **fields,
        )
        path = desk.folder / "results" / f"{run_id}.json"
        path.parent.mkdir(exist_ok=True)
        write_record(path, record)
        return path

    return store_run


def test_a_judge_that_gives_everything_the_same_score_is_told_so(desk, store):
    store(*(judged(f"c{human}", 5, human) for human in (1, 2, 3, 4, 5)))

    done = desk("calibrate")
    found = json.loads(desk("calibrate", "--format", "json").stdout)

    # It passes all, people two of five: what they agree on is what chance would bring.
    assert (found["verdict"], found["pearson"], found["kappa"], found["agreement"]) == ("ambiguous", None, 0.0, 0.4)
    assert done.stdout.splitlines()[-1] == (
        "Verdict: ambiguous: the judge gives every output the same score, 5: it tells good from bad nowhere."
    )


def test_people_who_give_everything_the_same_score_are_asked_for_more_kinds(desk, store):
    store(*(judged(f"c{score}", score, 4) for score in (1, 3, 5)))

    assert "Verdict: unknown: there is too little to compare; label outputs of every kind" in desk("calibrate").stdout


def read(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def fifty():
    """Cohen's [[20, 5], [10, 15]]: kappa 0.40."""
    counts = ((20, 5, 5), (5, 5, 1), (10, 1, 5), (15, 1, 1))
    pairs = [(judge, human) for count, judge, human in counts for _ in range(count)]
    return [judged(f"c{number}", judge, human) for number, (judge, human) in enumerate(pairs)]


def test_the_json_has_every_figure_with_its_interval(desk, store):
    store(*fifty())

    found = read(desk("calibrate", RUN, "--format", "json"))

    assert {*found} >= {"n", "verdict", "worst", *FIGURES, *(f"{name}_low" for name in FIGURES)}
    assert (found["n"], found["judge"]) == (50, "openai:judge")
    assert found["kappa"] == pytest.approx(0.4)
    assert (found["kappa_low"], found["kappa_high"]) == pytest.approx((0.151092, 0.648908), abs=1e-6)
    assert (found["agreement"], found["false_pass"], found["false_fail"]) == (0.7, 0.25, pytest.approx(1 / 3))
    assert found["confusion"] == {"both_pass": 20, "false_pass": 5, "false_fail": 10, "both_fail": 15}
    assert found["verdict"] == "fair"
    assert len(found["worst"]) == 10


def test_the_text_says_the_verdict_and_who_is_furthest_apart(desk, store):
    store(judged("near", 5, 4), judged("far", 5, 1), judged("alike", 2, 2))

    lines = desk("calibrate").stdout.splitlines()

    assert lines[0] == "Judge 'openai:judge' against people: 3 output(s); people pass from 4 on"
    assert [line for line in lines if line.startswith("- ")] == [
        "- far (m / v1): judge 5.0, people 1",
        "- near (m / v1): judge 5.0, people 4",
    ]
    assert lines[-1].startswith("Verdict: ")


def test_a_good_verdict_on_few_outputs_says_how_unsure_it_is(desk, store):
    store(*[judged(f"c{number}", score, score) for number, score in enumerate((5, 4, 2, 1))])

    assert "4 outputs are too few to be sure: kappa may be as low as" in desk("calibrate").stdout


def test_a_bad_verdict_on_few_outputs_says_so_too(desk, store):
    store(*[judged(f"c{number}", *pair) for number, pair in enumerate([(5, 5), (5, 1), (1, 5), (1, 1)])])

    last = desk("calibrate").stdout.splitlines()[-1]

    # Kappa 0, standard error 0.5: 0 ± 0.98.
    assert last.startswith("Verdict: ambiguous: ")
    assert last.endswith("; 4 outputs are too few to be sure: kappa may be as high as 0.98.")


def test_the_judges_pass_rate_is_corrected_by_what_people_found(desk, store):
    # 9 of 10 good ones passed, 4 of 5 bad ones failed, and 25 of 45 unlabelled passed: 35 of 60 in all.
    pairs = [(5, 5)] * 9 + [(1, 5)] + [(5, 1)] + [(1, 1)] * 4 + [(5, None)] * 25 + [(1, None)] * 20
    store(*[judged(f"c{number}", *pair) for number, pair in enumerate(pairs)])

    found = read(desk("calibrate", "--format", "json"))

    assert (found["n"], found["n_judged"]) == (15, 60)
    assert found["pass_rate"] == pytest.approx(35 / 60)
    # (35/60 + 0.8 - 1) / (0.9 + 0.8 - 1)
    assert found["pass_rate_corrected"] == pytest.approx((35 / 60 - 0.2) / 0.7)
    assert found["pass_rate_corrected_low"] < found["pass_rate_corrected"] < found["pass_rate_corrected_high"]
    rows = [line for line in desk("calibrate").stdout.splitlines() if line.startswith("Pass rate by")]
    assert [row.split()[-1] for row in rows] == ["60", "60"]


def test_a_scorer_that_is_not_there_is_named_with_those_that_are(desk, store):
    store(judged("a", 5, 4))

    done = desk("calibrate", "--scorer", "jugde")

    assert done.returncode == 1
    assert done.stderr == f"error: {RUN}: no output was scored by 'jugde'; scorers there: judge\n"


def test_a_file_without_scores_is_refused_with_what_it_has(desk, store):
    store(judged("a", 5))
    desk.write("people.csv", "id,rating\na,5\n")

    done = desk("calibrate", "--labels", "people.csv")

    assert done.returncode == 1
    assert "people.csv:2: error: no row has a human_score; the first has 'id', 'rating'" in done.stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.csv", "id,human_score\nc1,5\nc2,1\nc3,\n"),
        ("labels.jsonl", '{"id": "c1", "human_score": 5}\n{"id": "c2", "score": 1}\n'),
    ],
)
def test_scores_of_people_are_read_from_a_file_by_the_id_of_the_case(desk, store, name, text):
    store(judged("c1", 5), judged("c2", 5), judged("c3", 5))
    desk.write(name, text)

    found = read(desk("calibrate", RUN, "--labels", name, "--format", "json"))

    assert (found["n"], found["worst"], found["agreement"]) == (2, ["c2"], 0.5)


def test_a_label_of_one_combo_is_not_held_against_another(desk, store):
    store(judged("c1", 5, model="m"), judged("c1", 1, model="n"))
    desk.write("labels.csv", "id,model,human_score\nc1,m,5\n")

    done = desk("calibrate", "--labels", "labels.csv", "--format", "json")

    assert read(done)["n"] == 1
    assert done.stderr == ""


def test_scores_that_name_no_combo_are_held_against_all_with_a_warning(desk, store):
    store(judged("c1", 5, 4, model="m"), judged("c1", 1, 4, model="n"))

    done = desk("calibrate", "--format", "json")
    one = desk("calibrate", "-m", "n", "--format", "json")

    assert read(done)["n"] == 2
    assert done.stderr.startswith("warning: human scores that name no combo are held against the outputs of all 2")
    assert (read(one)["n"], one.stderr) == (1, "")


def test_of_several_people_for_one_output_the_mean_counts_and_their_number_is_told(desk, store):
    store(judged("c1", 5), judged("c2", 1))
    desk.write("labels.csv", "id,human_score\nc1,5\nc1,2\nc2,1\nc2,1\nc2,4\n")

    done = desk("calibrate", "--labels", "labels.csv", "--format", "json")

    assert done.stderr == "warning: 2 output(s) have several human scores each; the mean of them counts\n"
    # Of 5 and 2 the mean is 3.5, of 1, 1 and 4 it is 2: the judge gives 1.5 more, and 1 less.
    assert (read(done)["n"], read(done)["bias"]) == (2, 0.25)
    assert read(done)["confusion"] == {"both_pass": 0, "false_pass": 1, "false_fail": 0, "both_fail": 1}


def test_a_label_that_names_the_combo_goes_before_one_for_any(desk, store):
    store(judged("c1", 5, model="m"), judged("c1", 5, model="n"))
    desk.write("labels.csv", "id,model,human_score\nc1,m,5\nc1,,1\n")

    done = desk("calibrate", "--labels", "labels.csv", "--format", "json")

    assert "several human scores" not in done.stderr
    # m gets its own 5, n the 1 for any.
    assert (read(done)["n"], read(done)["bias"]) == (2, 2.0)


@pytest.mark.parametrize("head", ["ID,Human_Score", "Id , human score ", "Case ID,Score"])
def test_labels_from_a_spreadsheet_are_read_whatever_its_capitals_and_blanks(desk, store, head):
    store(judged("c1", 5), judged("c2", 1))
    desk.write("labels.csv", f"{head}\n c1 ,5\nc2 , 1\n")

    done = desk("calibrate", "--labels", "labels.csv", "--format", "json")

    assert (read(done)["n"], read(done)["bias"], done.stderr) == (2, 0.0, "")


def test_labels_in_the_utf_16_of_a_spreadsheet_are_read(desk, store):
    store(judged("grün", 5), judged("c2", 1))
    (desk.folder / "labels.csv").write_bytes("id,human_score\ngrün,5\nc2,1\n".encode("utf-16"))

    assert read(desk("calibrate", "--labels", "labels.csv", "--format", "json"))["n"] == 2


@pytest.mark.parametrize("command", ["calibrate", "label"])
def test_a_score_that_was_cut_off_while_it_was_written_says_what_to_do(desk, store, command):
    path = store(judged("c1", 5), judged("c2", 1))
    kept = path.with_name(f"{RUN}.labels.jsonl")
    kept.write_text('{"id": "c1", "human_score": 5}\n{"id": "c2", "hum', encoding="utf-8")

    done = desk(command)

    assert done.returncode == 1
    assert f"{RUN}.labels.jsonl:2:" in done.stderr
    assert "delete this line, and score the output again: steelyard label" in done.stderr


def test_labels_that_name_no_case_are_told(desk, store):
    store(judged("c1", 5, 4))
    desk.write("labels.csv", "id,human_score\nc1,5\nc9,5\n")

    done = desk("calibrate", "--labels", "labels.csv")

    assert done.stderr == f"warning: 1 label(s) name no output that was judged in {RUN}: 'c9'\n"


def test_a_row_that_is_no_label_is_refused_where_it_stands(desk, store):
    store(judged("c1", 5, 4))
    desk.write("labels.csv", "id,human_score\nc1,7\n,3\n")

    done = desk("calibrate", "--labels", "labels.csv")

    assert (done.returncode, done.stdout) == (1, "")
    assert "labels.csv:2: error: human_score must be a number from 1 to 5, got '7'" in done.stderr
    assert "labels.csv:3: error: a label needs the 'id' of a case" in done.stderr


def test_errors_and_cases_without_a_judge_are_left_out(desk, store):
    store(
        judged("c1", 5, 4),
        make_case_result("plain", human_score=1, model="m", prompt_id="v1"),
        make_case_result("broken", status=Status.JUDGE_ERROR, human_score=1, model="m", prompt_id="v1"),
    )

    assert read(desk("calibrate", "--format", "json"))["n"] == 1


def test_a_scorer_that_is_no_judge_can_be_measured_by_name_and_where_there_is_no_judge(desk, store):
    store(make_case_result("a", human_score=5, model="m", prompt_id="v1"), judged("b", 5, 5))
    named = read(desk("calibrate", "--scorer", "fake", "--format", "json"))
    store(make_case_result("a", human_score=5, model="m", prompt_id="v1"))

    assert named["n"] == read(desk("calibrate", "--format", "json"))["n"] == 1


def test_records_of_evalblink_are_measured(desk):
    cases = [
        {"id": f"c{n}", "status": "scored", "match_result": passed, "match_score": score, "human_score": human}
        for n, (passed, score, human) in enumerate([(True, 1.0, 5), (False, 0.25, 2)])
    ]
    combo = {"model": "m", "prompt_id": "v1", "success": 1, "scored": 2, "errors": 0, "total": 2, "test_cases": cases}
    record = {"schema_version": 1, "run_id": "old", "benchmark": "b", "timestamp": "2026-06-10T14:32:05"}
    desk.write("old.json", json.dumps({**record, "results": [combo], "insights": {}}))

    found = read(desk("calibrate", "old.json", "--format", "json"))

    assert (found["n"], found["agreement"], found["bias"]) == (2, 1.0, 0.0)


def test_without_any_score_of_a_person_it_says_what_to_do(desk, store):
    store(judged("c1", 5))

    done = desk("calibrate")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {RUN}: no output that a person scored too; add human_score")
    assert f"steelyard label {RUN}" in done.stderr


def test_the_page_shows_every_output_and_nothing_acts_in_it(desk, store):
    store(judged("<script>", 5, 1), judged("b", 2, 2), judged("c", 2, 2))

    done = desk("calibrate", "-o", "page.html")
    page = (desk.folder / "page.html").read_text("utf-8")

    assert done.stderr == "Page saved to page.html\n"
    assert "<title>people 2, judge 2: 2 output(s)</title>" in page
    assert page.count("<circle") == 2
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert desk("calibrate", "-o", "page.pdf").returncode == 2


def labels(path):
    file = path.with_name(path.name.replace(".json", ".labels.jsonl"))
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []


def test_a_person_scores_without_seeing_who_answered_or_what_the_judge_said(desk, store):
    path = store(judged("c1", 4, model="secret-model", response="It is blue."))

    done = desk("label", typed="5\n")

    assert "It is blue." in done.stderr
    assert "secret-model" not in done.stderr
    assert "judge" not in done.stderr.partition("scored now")[0]
    assert labels(path) == [{"id": "c1", "model": "secret-model", "prompt_id": "v1", "human_score": 5}]


WITH_CRITERIA = """
name: b
models: [{id: m, provider: mock}]
judges: [{id: judge, provider: mock}]
evaluation: {judge_model: judge}
prompts: [{id: v1, template: "{{ q }}"}]
test_cases:
  - {id: c1, variables: {q: x}, criteria: It must name the colour., evaluation: llm_judge}
  - {id: c2, variables: {q: x}, scorers: [{type: llm_judge, rubric: It must be short.}]}
"""


def test_a_person_is_shown_what_the_judge_was_told_to_look_for(desk, store):
    store(judged("c1", 4, model="secret-model"), judged("c2", 4, model="secret-model"))
    desk.write("b.yaml", WITH_CRITERIA)

    done = desk("label", "--benchmark", "b.yaml", typed="5\n5\n")

    assert "CRITERIA\n  It must name the colour.\n" in done.stderr
    assert "CRITERIA\n  It must be short.\n" in done.stderr
    assert "secret-model" not in done.stderr
    assert "with --benchmark FILE" not in done.stderr


def test_without_the_suite_a_person_is_told_that_the_criteria_are_missing(desk, store):
    store(judged("c1", 4))

    assert "The criteria are not in the record; show them with --benchmark FILE." in desk("label", typed="q\n").stderr


def test_a_suite_without_the_cases_is_warned_about(desk, store):
    store(judged("c1", 4), judged("c9", 4))
    desk.write("b.yaml", WITH_CRITERIA)

    done = desk("label", "--benchmark", "b.yaml", typed="q\n")

    assert "warning: b.yaml does not have the cases of 1 of these output(s)" in done.stderr


def test_who_scored_nothing_now_is_not_sent_to_measure(desk, store):
    store(judged("c1", 4), judged("c2", 4))

    assert "steelyard calibrate" not in desk("label", typed="q\n").stderr
    assert "steelyard calibrate" in desk("label", typed="4\nq\n").stderr
    assert "steelyard calibrate" not in desk("label", typed="q\n").stderr


def test_the_end_of_input_on_a_terminal_ends_the_line_of_the_question(desk, store, monkeypatch):
    store(judged("c1", 4))

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(io, "StringIO", Terminal)
    done = desk("label", typed="")

    assert "q stops [s]: \n0 output(s) scored now, 1 left.\n" in done.stderr


def test_labelling_goes_on_where_it_stopped(desk, store):
    path = store(*[judged(f"c{number}", 4) for number in range(5)])

    first = desk("label", typed="5\n4\nq\n")
    second = desk("label", typed="3\n3\n3\n")
    third = desk("label")

    assert "2 output(s) scored now, 3 left." in first.stderr
    assert "3 output(s) scored now, 0 left." in second.stderr
    assert "0 output(s) scored now, 0 left." in third.stderr
    assert sorted(label["id"] for label in labels(path)) == ["c0", "c1", "c2", "c3", "c4"]
    assert read(desk("calibrate", "--format", "json"))["n"] == 5


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process alone on Windows")
def test_an_interrupt_keeps_what_was_scored(desk, store):
    path = store(*[judged(f"c{number}", 4) for number in range(5)])
    kept = path.with_name(f"{RUN}.labels.jsonl")
    with subprocess.Popen(
        [sys.executable, "-m", "steelyard", "label"],
        cwd=desk.folder,
        env={**os.environ, **desk.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdin.write(b"5\n4\n")
        process.stdin.flush()
        until = time.monotonic() + 60
        while time.monotonic() < until and not (kept.exists() and kept.read_bytes().count(b"\n") == 2):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)

    assert process.returncode == 130
    assert told.decode().rstrip().endswith("Interrupted; every score so far is kept.")
    assert len(labels(path)) == 2


def test_what_is_skipped_or_mistyped_is_no_score(desk, store):
    path = store(judged("c1", 4), judged("c2", 4))

    done = desk("label", typed="6\ngood\ns\n2\n")

    assert "a whole number from 1 to 5, s or q, not '6'" in done.stderr
    assert [label["human_score"] for label in labels(path)] == [2]
    assert done.returncode == 0


def test_the_order_mixes_the_combos_and_is_the_same_each_time(desk, store):
    store(*[judged(f"{model}{number}", 4, model=model) for model in "ab" for number in range(8)])

    def order(*arguments):
        lines = desk("label", *arguments, typed="s\n" * 16).stderr.splitlines()
        return [line.rpartition(" · ")[2] for line in lines if line.startswith("────")]

    assert order() == order()
    assert order() != order("--seed", "1")
    assert len({one[0] for one in order()[:8]}) == 2


def test_a_torn_line_is_not_run_into(desk, store):
    path = store(judged("c1", 4))
    file = path.with_name(f"{RUN}.labels.jsonl")
    file.write_text('{"id": "c0", "human_score": 5}', "utf-8")

    desk("label", typed="4\n")

    assert [label["id"] for label in labels(path)] == ["c0", "c1"]


def test_terminal_codes_in_an_answer_are_shown_and_not_obeyed(desk, store):
    store(judged("c1", 4, response="\x1b[2Jgone"))

    assert "\x1b" not in desk("label", typed="4\n").stderr


def test_labels_leave_the_record_as_it_is(desk, store):
    path = store(judged("c1", 4))
    before = path.read_bytes()

    desk("label", typed="4\n")

    assert path.read_bytes() == before
    assert len(desk("history").stdout.splitlines()) == 2
    assert read_record(path).run_id == RUN


def test_stated_confidence_is_held_against_the_outcome(desk, store):
    store(
        *[
            make_case_result(f"c{n}", passed=n < 3, response=f"x\nCONFIDENCE: {said}", model="m", prompt_id="v1")
            for n, said in enumerate(("0.9", "0.9", "0.3", "0.3"))
        ],
        make_case_result("c9", response="x", model="m", prompt_id="v1"),
    )

    found = read(desk("calibrate", "--stated", "--format", "json"))
    lines = desk("calibrate", "--stated").stdout.splitlines()

    # (0.01 + 0.01 + 0.49 + 0.09) / 4
    assert (found["n"], found["unstated"], found["brier"]) == (4, 1, pytest.approx(0.15))
    assert [(one["low"], one["n"], one["right"]) for one in found["bins"]] == [(0.3, 2, 0.5), (0.9, 2, 1.0)]
    assert lines[0] == "Stated confidence against outcome: 4 answer(s); 1 state none"
    assert "Brier score: 0.150" in "\n".join(lines)


def test_where_no_answer_states_its_confidence_it_says_how_to_get_it(desk, store):
    store(judged("c1", 5))

    done = desk("calibrate", "--stated")

    assert (done.returncode, done.stdout) == (1, "")
    assert "ask for a line such as 'CONFIDENCE: 80 %'" in done.stderr
    assert desk("calibrate", "--stated", "-o", "x.html").returncode == 2
