"""What ``compare`` and ``diff`` find between two stored runs, and when they fail a build."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from steelyard.records import write_record
from steelyard.testing.run_builders import make_case_result, make_case_run, make_combo, make_record

M = ("openai/gpt-4o-mini", "v1")
N = ("anthropic/claude-sonnet-4.6", "v2")
A = "2026-06-08_101500_b"
B = "2026-06-10_143205_b"


def rows(done: Any) -> list[list[str]]:
    """Return the cells of the table; a pipe gets columns two blanks apart."""
    lines = done.stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("Model")) + 1
    end = next(number for number, line in enumerate(lines) if number > start and not line.strip())
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines[start:end]]


def evidence(done: Any) -> list[str]:
    """Return the lines between the table and the verdict."""
    return [line for line in done.stdout.splitlines() if "n = " in line]


# Which two runs


def test_without_names_the_two_latest_runs_of_the_benchmark_that_ran_last_are_compared(desk, keep):
    keep("2026-06-01_000000_b", {M: "P"})
    keep(A, {M: "P"})
    keep("2026-06-09_000000_other", {M: "P"}, benchmark="other")
    keep(B, {M: "P"})

    done = desk("compare")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == f"DELTA: {A} → {B}"


def test_a_kept_baseline_is_compared_with_the_latest_run_of_its_benchmark_and_filters(desk, keep):
    baseline = keep(A, {M: "PP"})
    baseline.rename(desk.folder / "baseline.json")
    keep("2026-06-09_000000_b", {M: "PP"})
    keep(B, {M: "P"}, filters={"limit": 1})
    keep("2026-06-11_000000_other", {M: "PP"}, benchmark="other")

    done = desk("compare", "baseline.json")

    assert done.stdout.splitlines()[0] == f"DELTA: {A} → 2026-06-09_000000_b"


def test_runs_are_named_by_file_by_id_or_by_the_beginning_of_one(desk, keep):
    path = keep(A, {M: "P"})
    keep(B, {M: "P"})

    for names in (
        (str(path), B),
        (A, B),
        ("2026-06-08", "2026-06-10"),
        (f"results/{A}", f"results/{B}.json"),
        (f"{A}.json", f"{B}.json"),
    ):
        done = desk("compare", *names)
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[0] == f"DELTA: {A} → {B}"


def test_a_beginning_of_several_ids_and_a_name_of_none_are_refused_in_one_line(desk, keep):
    keep(A, {M: "P"})
    keep(B, {M: "P"})

    several, none = desk("compare", "2026-06", B), desk("compare", "2025", B)

    assert (several.returncode, none.returncode) == (1, 1)
    assert several.stderr == f"error: '2026-06': 2 runs begin with it; write more of one: {A}, {B}\n"
    assert none.stderr.startswith("error: '2025': no such record file, and no run in ")


@pytest.mark.parametrize("content", ["", "{", "[]", '{"benchmark": "b"}', '{"benchmark": 1, "timestamp": "t"}'])
def test_a_file_that_is_no_record_is_refused_in_one_line(desk, keep, content):
    keep(A, {M: "P"})
    desk.write("bad.json", content)

    done = desk("compare", "bad.json", A)

    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: bad.json: not ")


@pytest.mark.parametrize("arguments", [(), ("--fail-on-regression", "0")])
def test_with_no_other_run_to_compare_there_is_a_note_and_no_failure(desk, keep, arguments):
    keep(A, {M: "P"})

    for name in ((), (A,)):
        done = desk("compare", *name, *arguments)
        assert (done.returncode, done.stdout) == (0, "")
        assert len(done.stderr.splitlines()) == 1


def test_runs_elsewhere_are_found_by_their_folder(desk, keep):
    keep(A, {M: "P"})
    keep(B, {M: "P"})
    (desk.folder / "results").rename(desk.folder / "kept")

    assert desk("compare", "--results-dir", "kept").stdout.startswith(f"DELTA: {A} → {B}")


# What is found


def test_each_combo_says_its_difference_and_changed_ones_come_first(desk, keep):
    keep(A, {M: "PPPP", N: "PPFF"})
    keep(B, {M: "PPPP", N: "PPPF"})

    done = desk("compare")

    assert rows(done) == [
        [*N, "50.0% → 75.0%", "+25.0% ↑", "stable"],
        [*M, "100.0% → 100.0%", "stable", "stable"],
    ]
    # Two of four against three of four: one discordant pair, so p is 1 (2 x 1/2).
    changed, same = evidence(done)
    assert changed.startswith(f"{N[0]} / v2: no difference that these 4 cases can show (+25.0 points, 95 % ")
    assert changed.endswith(", p = 1.000, p = 1.000 corrected for 2 combos, n = 4)")
    assert same == f"{M[0]} / v1: no case changed (n = 4)"
    assert done.stdout.splitlines()[-2:] == [
        "Verdict: Run B improves quality on 1/2 shared combo(s).",
        "Beyond chance: 0 better, 0 worse, 1 undecided, 1 unchanged.",
    ]


def test_a_difference_that_is_real_is_called_so(desk, keep):
    # Ten cases lost and thirty won: exact p 0.002221434 (table of discordant pairs in statsmodels' tests).
    keep(A, {M: "P" * 10 + "F" * 30})
    keep(B, {M: "F" * 10 + "P" * 30})

    done, read = desk("compare"), json.loads(desk("compare", "--format", "json").stdout)

    (line,) = evidence(done)
    assert line.startswith(f"{M[0]} / v1: better (+50.0 points, 95 % interval +")
    assert "p = 0.002, n = 40" in line
    (combo,) = read["combos"]
    assert combo["p_value"] == pytest.approx(0.002221434, rel=1e-6)
    assert combo["verdict"] == "better"
    # The difference lies inside its interval, which excludes 0.
    assert 0 < combo["delta_low"] < combo["delta"] == 50.0 < combo["delta_high"]


def test_several_combos_have_to_convince_together(desk, keep):
    # One combo lost 0 of 6: p = 2 / 2^6 = 0.03125, which is 0.0625 when two are looked at (Holm).
    keep(A, {M: "F" * 6 + "P" * 4, N: "PF" * 5})
    keep(B, {M: "P" * 10, N: "FP" * 5})

    combos = json.loads(desk("compare", "--format", "json").stdout)["combos"]
    alone = json.loads(desk("compare", "--format", "json", "-m", M[0]).stdout)["combos"]

    by_model = {combo["model"]: combo for combo in combos}
    assert [by_model[M[0]][key] for key in ("p_value", "p_adjusted", "verdict")] == [0.03125, 0.0625, "inconclusive"]
    assert [alone[0][key] for key in ("p_value", "p_adjusted", "verdict")] == [0.03125, 0.03125, "better"]


def repeated(desk, run_id: str, passes: list[int], of: int, clusters: str = "") -> None:
    """Store a run in which each case passed so many times."""
    cases = [
        make_case_result(
            f"c{number}",
            passed=passed == of,
            runs=[make_case_run(passed=repeat < passed, repeat=repeat) for repeat in range(of)],
            model=M[0],
            prompt_id=M[1],
            cluster=clusters[number] if clusters else None,
        )
        for number, passed in enumerate(passes)
    ]
    record = make_record([make_combo(cases)], run_id=run_id, benchmark="b", repeat=of)
    write_record(desk.folder / "results" / f"{run_id}.json", record)


def test_with_repeats_the_share_of_passed_runs_is_compared(desk):
    # Every case passes once more of four: no case passes wholly, yet 20 of 20 moved, 2 / 2^20.
    repeated(desk, A, [1] * 20, 4)
    repeated(desk, B, [2] * 20, 4)

    done, read = desk("compare", A, B), json.loads(desk("compare", A, B, "--format", "json").stdout)

    (combo,) = read["combos"]
    # No case passes in either record, but what is tested, and what the bounds are of, are the runs.
    assert (combo["score_a"], combo["score_b"], combo["score_delta"]) == (0.0, 0.0, 0.0)
    assert (combo["measure"], combo["rate_a"], combo["rate_b"]) == ("runs", 25.0, 50.0)
    assert combo["delta_low"] < combo["delta"] == 25.0 < combo["delta_high"]
    assert (combo["method"], combo["verdict"]) == ("paired t on shares of passed runs", "better")
    assert combo["mean_score"] is None  # it is the share of passed runs
    (line,) = evidence(done)
    assert line.startswith(f"{M[0]} / v1: better (passed runs +25.0 points, 95 % interval +")


def graded(desk, run_id: str, scores: list[float], clusters: str = "") -> None:
    """Store a run of cases with these scores, of which those from 0.75 on pass."""
    cases = [
        make_case_result(
            f"c{number}",
            passed=score >= 0.75,
            score=score,
            runs=[make_case_run(passed=score >= 0.75, score=score)],
            model=M[0],
            prompt_id=M[1],
            cluster=clusters[number] if clusters else None,
        )
        for number, score in enumerate(scores)
    ]
    record = make_record([make_combo(cases)], run_id=run_id, benchmark="b")
    write_record(desk.folder / "results" / f"{run_id}.json", record)


def test_scores_that_say_more_than_pass_and_fail_are_compared_too(desk):
    # The paired example of Miller 2024 halved: mean 0.15, standard error 0.0763763, t = 1.963961, p = 0.0811262.
    graded(desk, A, [0.25 + 0.25 * one for one in (1, 0, 0, 1, 0, 0, 1, 0, 1, 0)])
    graded(desk, B, [0.25 + 0.25 * one for one in (1, 1, 0, 1, 0, 1, 1, 0, 1, 1)])

    done, read = desk("compare", A, B), json.loads(desk("compare", A, B, "--format", "json").stdout)

    (combo,) = read["combos"]
    assert (combo["delta"], combo["verdict"]) == (0.0, "inconclusive")  # none passes
    scores = combo["mean_score"]
    # 4 of 10 are 0.5 before, 7 of 10 after.
    assert (scores["n_paired"], scores["score_a"], scores["score_b"]) == (10, pytest.approx(35), pytest.approx(42.5))
    assert (scores["delta"], scores["p_value"]) == (pytest.approx(7.5), pytest.approx(0.0811262, abs=1e-7))
    # 7.5 ± 2.262157 · 3.818813
    assert (scores["delta_low"], scores["delta_high"]) == pytest.approx((-1.138755, 16.138755), abs=1e-4)
    assert (scores["method"], scores["verdict"]) == ("paired t on scores", "inconclusive")
    assert evidence(done)[1] == (
        f"{M[0]} / v1: no difference that these 10 cases can show "
        "(mean score +7.5 points, 95 % interval -1.1 to +16.1, p = 0.081, n = 10)"
    )


def test_scores_show_a_difference_that_passes_and_fails_hide(desk):
    # Everything gains a little and nothing crosses the threshold: 24 of 24, sign test 2 / 2^24.
    graded(desk, A, [0.25] * 24)
    graded(desk, B, [0.5] * 24)

    (combo,) = json.loads(desk("compare", A, B, "--format", "json").stdout)["combos"]

    assert (combo["verdict"], combo["mean_score"]["verdict"]) == ("inconclusive", "better")


def test_scores_of_one_cluster_are_not_counted_as_many(desk):
    graded(desk, A, [0.25] * 12, "aaaabbbbcccc")
    graded(desk, B, [0.5] * 12, "aaaabbbbcccc")

    (combo,) = json.loads(desk("compare", A, B, "--format", "json").stdout)["combos"]

    assert (combo["mean_score"]["n_independent"], combo["mean_score"]["p_value"]) == (3, 0.25)


def test_cases_of_one_cluster_are_not_counted_as_many(desk):
    repeated(desk, A, [0] * 12, 1, "aaaabbbbcccc")
    repeated(desk, B, [1] * 12, 1, "aaaabbbbcccc")

    done, read = desk("compare", A, B), json.loads(desk("compare", A, B, "--format", "json").stdout)

    (combo,) = read["combos"]
    # Three clusters that gained alike: 2 / 2^3.
    assert (combo["n_paired"], combo["n_independent"], combo["p_value"]) == (12, 3, 0.25)
    assert combo["verdict"] == "inconclusive"
    assert evidence(done)[0].endswith(
        "but p = 0.250 by the exact test, which counts only the 3 clusters that changed, n = 12 in 3 clusters)"
    )


def test_one_cluster_and_one_case_say_that_they_show_nothing(desk):
    repeated(desk, A, [0] * 4, 1, "aaaa")
    repeated(desk, B, [1] * 4, 1, "aaaa")
    of_cluster = desk("compare", A, B)
    repeated(desk, A, [1], 3)
    repeated(desk, B, [3], 3)
    of_case = desk("compare", A, B)

    assert evidence(of_cluster) == [
        f"{M[0]} / v1: all 4 cases belong to one cluster, which shows nothing about others (n = 4 in 1 cluster)"
    ]
    assert evidence(of_case) == [f"{M[0]} / v1: one case alone shows nothing about others (n = 1)"]


def test_cases_of_one_id_are_paired_in_their_order(desk, keep):
    # Other tools let ids repeat: c1 is there three times, and the second run has one case more.
    keep(A, {M: "PFP"})
    keep(B, {M: "PPFF"})
    for run_id in (A, B):
        path = desk.folder / "results" / f"{run_id}.json"
        path.write_text(re.sub('"id": ?"c[23]"', '"id":"c1"', path.read_text("utf-8")), "utf-8")

    done = desk("compare", A, B, "--detailed")
    (combo,) = json.loads(desk("compare", A, B, "--format", "json").stdout)["combos"]

    assert (combo["n_paired"], combo["improved"], combo["regressed"]) == (3, ["c1"], ["c1"])
    assert "different test cases (1 only in B)" in done.stdout


def test_the_check_of_few_cases_goes_by_the_confidence_that_is_asked_for(desk):
    # What eight cases lost of three runs: 3, -3, 2, 2, 2, 2, 3, 3. t = 2.5, p = 0.041; a bootstrap at 95 % holds 0.
    repeated(desk, A, [3, 0, 3, 3, 3, 3, 3, 3], 3)
    repeated(desk, B, [0, 3, 1, 1, 1, 1, 0, 0], 3)

    careful, bold = (desk("compare", A, B, "--confidence", level) for level in ("0.95", "0.8"))

    assert (careful.returncode, bold.returncode) == (0, 1)
    assert "which may be chance" in careful.stderr
    assert ", beyond chance at 80 %" in bold.stdout


def test_cost_is_compared_too(desk, keep):
    keep(A, {M: "P" * 4})  # 0.001 each
    keep(B, {M: "P" * 4, N: "P"})
    path = desk.folder / "results" / f"{B}.json"
    path.write_text(path.read_text("utf-8").replace('"total_cost": 0.004', '"total_cost": 0.0042'), "utf-8")

    done = desk("compare")

    assert rows(done)[0][3:5] == ["stable", "+0.0002 ↑"]


def test_a_combo_with_other_errors_is_noted_and_not_counted(desk, keep):
    keep(A, {M: "PPEE", N: "PF"})
    keep(B, {M: "PPPF", N: "PP"})

    done = desk("compare")

    row = next(row for row in rows(done) if row[0] == M[0])
    assert row[-1] == "pipeline errors 2 → 0"
    assert done.stdout.splitlines()[-2] == (
        "Verdict: Run B improves quality on 1/2 shared combo(s)."
        " 1 combo(s) left out: cases broke with errors in one of the runs."
    )


def test_a_combo_that_is_not_counted_is_yellow_where_there_is_colour(desk, keep):
    keep(A, {M: "PPEE", N: "PF"})
    keep(B, {M: "PPPF", N: "PP"})

    environ = {**os.environ, "FORCE_COLOR": "1", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "steelyard", "compare"]
    done = subprocess.run(command, cwd=desk.folder, env=environ, capture_output=True, encoding="utf-8", check=True)

    by_model = {model: next(row for row in done.stdout.splitlines() if model in row) for model, _ in (M, N)}
    assert "\x1b[33m" in by_model[M[0]]
    assert "\x1b[33m" not in by_model[N[0]]


def test_as_many_errors_in_other_cases_are_noted_as_well(desk, keep):
    keep(A, {M: "EFFF"})
    keep(B, {M: "PFFE"})

    done = desk("compare")

    assert rows(done)[0][-1] == "pipeline errors 1 → 1, in other cases"
    assert "0/1 shared combo(s). 1 combo(s) left out" in done.stdout


def test_cases_that_break_in_one_run_are_told_alike_from_top_to_bottom(desk, keep):
    keep(A, {M: "P" * 40})
    keep(B, {M: "P" * 28 + "E" * 12})

    done = desk("compare", "--confidence", "0.95")

    lines = done.stdout.splitlines()
    assert f"{M[0]} / v1: no case that both runs scored changed (n = 28); 12 cases that passed now break" in lines
    assert lines[-3:] == [
        "Verdict: Run B improves quality on 0/1 shared combo(s)."
        " 1 combo(s) left out: cases broke with errors in one of the runs.",
        "Beyond chance: 0 better, 0 worse, 1 undecided; 12 case(s) that passed now break.",
        f"REGRESSION: {M[0]} / v1: the pass rate fell by 30.0 points, cases that break counted as failures,"
        " beyond chance at 95 %; no drop is allowed",
    ]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("PF", "EE", "nothing was scored in the second run; 1 case that passed now breaks"),
        ("EE", "PF", "nothing was scored in the first run"),
        ("EE", "EE", "nothing was scored in either run"),
        ("PE", "EP", "nothing was scored in both runs; 1 case that passed now breaks"),
    ],
)
def test_where_nothing_can_be_held_against_each_other_the_run_that_broke_is_named(desk, keep, before, after, said):
    keep(A, {M: before})
    keep(B, {M: after})

    assert f"{M[0]} / v1: {said}" in desk("compare").stdout.splitlines()


def test_a_slice_is_not_compared_with_the_whole(desk, keep):
    keep(A, {M: "PPPP"})
    keep(B, {M: "PF"})

    done = desk("compare", A, B)

    assert rows(done) == [[*M, "100.0% → 50.0%", "-", "-", "not compared: different test cases (2 only in A)"]]
    assert evidence(done) == []


def test_combos_of_one_run_alone_are_named(desk, keep):
    keep(A, {M: "P", ("old", "v1"): "P"})
    keep(B, {M: "P", ("new", "v1"): "P"})

    lines = desk("compare").stdout.splitlines()

    assert "old / v1: only in run A, not compared" in lines
    assert "new / v1: only in run B, not compared" in lines


def test_detailed_shows_every_case_that_changed_and_the_sums(desk, keep):
    keep(A, {M: "PFPEP", N: "PPPPP"})
    keep(B, {M: "FPEPP", N: "PPPPF"})

    lines = desk("compare", "--detailed").stdout.splitlines()

    start = lines.index(" / ".join(M))
    assert lines[start + 1 : start + 5] == ["- regressed: c1", "- improved: c2", "- new error: c3", "- recovered: c4"]
    assert "All shared combos: 2 regressed, 1 improved, 1 new error, 1 recovered, 5 unchanged." in lines


def test_the_json_has_the_fields_that_scripts_rely_on(desk, keep):
    keep(A, {M: "PPFFE"})
    keep(B, {M: "PFPEP"})

    read = json.loads(desk("compare", A, B, "--format", "json").stdout)

    (combo,) = read.pop("combos")
    assert read == {"a": A, "b": B, "comparable": True}
    low, high = combo.pop("delta_low"), combo.pop("delta_high")
    assert -100 <= low < 0 < high <= 100
    assert combo == {
        "model": M[0],
        "prompt_id": M[1],
        "n_paired": 3,
        "score_a": 50.0,
        "score_b": 75.0,
        "score_delta": 25.0,
        # Of the three cases that both scored: PPF before, PFP after.
        "measure": "cases",
        "rate_a": pytest.approx(200 / 3),
        "rate_b": pytest.approx(200 / 3),
        "delta": 0.0,
        "n_independent": 3,
        "p_value": 1.0,
        "p_adjusted": 1.0,
        "method": "exact McNemar",
        "verdict": "inconclusive",
        "mean_score": None,
        "regressed": ["c2"],
        "improved": ["c3"],
        "new_errors": ["c4"],
        "recovered": ["c5"],
    }


def test_in_json_nothing_scored_is_null_and_still_json(desk, keep):
    keep(A, {M: "EE"})
    keep(B, {M: "EE"})

    (combo,) = json.loads(desk("compare", "--format", "json").stdout)["combos"]

    assert [combo[name] for name in ("score_a", "delta", "delta_low", "p_value", "n_paired")] == [None] * 4 + [0]


def test_markdown_is_a_table_that_no_name_can_break(desk, keep):
    keep(A, {("a|b", "<v1>"): "PF"})
    keep(B, {("a|b", "<v1>"): "FF"})

    lines = desk("compare", "--format", "markdown", "--detailed").stdout.splitlines()

    table = [line for line in lines if line.startswith("|")]
    assert len(table) == 3
    assert "- regressed: c1" in lines
    assert "a\\|b" in table[2]
    assert "<v1>" not in table[2]


def test_models_and_prompts_narrow_the_comparison_and_unknown_ones_are_refused(desk, keep):
    keep(A, {M: "P", N: "P"})
    keep(B, {M: "F", N: "P"})

    assert len(rows(desk("compare", "-m", M[0]))) == 1
    assert [row[0] for row in rows(desk("compare", "-p", "v2"))] == [N[0]]
    done = desk("compare", "-m", "gpt")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: no model 'gpt' in either run; models there: {N[0]}, {M[0]}\n"


def test_runs_of_different_benchmarks_or_judges_are_compared_with_a_warning(desk, keep):
    keep(A, {M: "P"}, judge_model="one")
    keep(B, {M: "P"}, judge_model="two", benchmark="c")

    done = desk("compare", A, B)

    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "warning: the runs are of different benchmarks: 'b' and 'c'",
        "warning: the runs are of different judges: 'one' and 'two'",
    ]


def test_records_of_evalblink_are_compared(desk):
    def evalblink(name: str, passed: list[bool]) -> str:
        cases = [
            {
                "id": f"c{n}",
                "status": "scored",
                "match_result": ok,
                "match_score": float(ok),
                "evaluation": "exact_match",
            }
            for n, ok in enumerate(passed)
        ]
        combo = {"model": M[0], "prompt_id": "v1", "success": sum(passed), "scored": len(passed), "errors": 0}
        combo |= {
            "total": len(passed),
            "score": 100 * sum(passed) / len(passed),
            "total_cost": 0.5,
            "test_cases": cases,
        }
        record = {"schema_version": 1, "run_id": name, "benchmark": "b", "timestamp": "2026-06-10T14:32:05"}
        desk.write(f"{name}.json", json.dumps({**record, "results": [combo], "insights": {"passed": True}}))
        return f"{name}.json"

    before, after = evalblink("one", [True, True]), evalblink("two", [True, False])

    done = desk("compare", before, after, "--fail-on-regression", "10")

    assert done.returncode == 1
    assert rows(done)[0][2:4] == ["100.0% → 50.0%", "-50.0% ↓"]


def test_the_end_counts_what_is_better_and_worse_beyond_chance(desk, keep):
    # 10 of 10 lost in each of two combos: 2 / 2^10 = 0.002, twice that for two of them (Holm), well below 0.05.
    keep(A, {M: "P" * 10, N: "P" * 10})
    keep(B, {M: "F" * 10, N: "F" * 10})

    for form in ("text", "markdown"):
        said = desk("compare", "--format", form).stdout
        assert "Verdict: Run B improves quality on 0/2 shared combo(s)." in said
        assert said.rstrip("\n*").endswith("Beyond chance: 0 better, 2 worse, 0 undecided.")


def test_a_run_held_against_itself_is_unchanged(desk, keep):
    keep(A, {M: "PF", N: "PE"})

    last = desk("compare", A, A).stdout.splitlines()[-1]

    assert last == "Beyond chance: 0 better, 0 worse, 0 undecided, 2 unchanged."


def test_the_end_counts_what_was_not_compared_and_scores_by_themselves(desk, keep):
    keep(A, {M: "PP"})
    keep(B, {M: "PPP"})
    assert desk("compare", A, B).stdout.endswith("Beyond chance: 0 better, 0 worse, 0 undecided, 1 not compared.\n")

    graded(desk, A, [0.25] * 24)
    graded(desk, B, [0.5] * 24)
    assert desk("compare", A, B).stdout.splitlines()[-1] == (
        "Beyond chance: 0 better, 0 worse, 1 undecided; by mean score 1 better, 0 worse, 0 undecided."
    )


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_runs_without_a_common_combo_are_said_to_have_none_instead_of_an_empty_table(desk, keep, form):
    keep(A, {M: "P"})
    keep(B, {("other", f"v{number}"): "P" for number in range(1, 6)})

    done = desk("compare", A, B, "--format", form)

    assert done.returncode == 0
    assert (
        f"Nothing to compare: no combo in common (A has {M[0]} / v1; "
        "B has other / v1, other / v2, other / v3 and 2 more)"
    ) in done.stdout
    assert "Verdict" not in done.stdout
    assert "Model" not in done.stdout


# When it fails a build


@pytest.mark.parametrize(
    ("points", "code"),
    # 29 of 50 is 58 per cent and 28 of 50 is 56: exactly 2 points.
    [("2", 0), ("2.0", 0), ("1.999", 1), ("0", 1), ("100", 0)],
)
def test_a_drop_of_more_than_the_allowed_points_fails(desk, keep, points, code):
    keep(A, {M: "P" * 29 + "F" * 21})
    keep(B, {M: "P" * 28 + "F" * 22})

    done = desk("compare", "--fail-on-regression", points)

    assert done.returncode == code
    assert done.stdout.splitlines()[-1].startswith("OK: no regression" if code == 0 else "REGRESSION: ")


def test_with_a_confidence_only_a_drop_that_is_real_fails(desk, keep):
    keep(A, {M: "P" * 20})
    keep(B, {M: "P" * 16 + "F" * 4})  # 0 of 4 won: p = 2 / 2^4 = 0.125

    chance = desk("compare", "--confidence", "0.95")
    lenient = desk("compare", "--confidence", "0.85")

    assert chance.returncode == 0
    assert chance.stderr == f"warning: {M[0]} / v1: the pass rate fell by 20.0 points, which may be chance\n"
    assert lenient.returncode == 1
    assert lenient.stdout.splitlines()[-1] == (
        f"REGRESSION: {M[0]} / v1: the pass rate fell by 20.0 points, beyond chance at 85 %; no drop is allowed"
    )


def test_a_real_drop_may_still_be_small_enough(desk, keep):
    keep(A, {M: "P" * 20})
    keep(B, {M: "P" * 12 + "F" * 8})  # 0 of 8 won: p = 2 / 2^8 = 0.0078

    codes = [
        desk("compare", "--confidence", "0.95", "--fail-on-regression", points).returncode for points in ("39", "40")
    ]

    assert codes == [1, 0]


def test_cases_that_break_with_errors_are_a_real_drop_too(desk, keep):
    keep(A, {M: "P" * 20})
    keep(B, {M: "P" * 10 + "E" * 10})

    assert desk("compare", "--confidence", "0.95").returncode == 1


@pytest.mark.parametrize("value", ["95", "1", "0.2", "-0.95", "nan", "much"])
def test_a_confidence_that_is_no_share_is_refused(desk, value):
    done = desk("compare", "--confidence", value)

    assert done.returncode == 2
    assert f"must be a share from 0.5 to below 1 such as 0.95, got '{value}'" in done.stderr


def test_a_regression_says_by_how_much_without_contradicting_itself(desk, keep):
    keep(A, {M: "P" * 3})
    keep(B, {M: "PPF"})

    done = desk("compare", "--fail-on-regression", "33.3")

    # A third is 33.333… points.
    assert done.stdout.splitlines()[-1] == (
        "REGRESSION: openai/gpt-4o-mini / v1: the pass rate fell by 33.33 points; at most 33.3 are allowed"
    )


def test_new_errors_count_as_failures_for_the_gate(desk, keep):
    keep(A, {M: "PPPP"})
    keep(B, {M: "PPEE"})

    done = desk("compare", "--fail-on-regression", "5")

    assert done.returncode == 1
    assert "fell by 50.0 points" in done.stdout


def test_without_a_rule_a_decline_is_shown_and_does_not_fail(desk, keep):
    keep(A, {M: "PPPP"})
    keep(B, {M: "FFFF"})

    assert desk("compare").returncode == 0


def test_strict_fails_on_a_single_case_even_when_another_makes_up_for_it(desk, keep):
    keep(A, {M: "PF"})
    keep(B, {M: "FP"})

    loose, strict = desk("compare", "--fail-on-regression", "0"), desk("compare", "--strict")

    assert (loose.returncode, strict.returncode) == (0, 1)
    assert strict.stdout.splitlines()[-1] == "REGRESSION: openai/gpt-4o-mini / v1: 1 case(s) do not pass any more: c1"


def test_strict_counts_a_case_that_passed_and_now_breaks_but_not_one_that_failed_before(desk, keep):
    keep(A, {M: "PF"})
    keep(B, {M: "PE"})
    keep("2026-06-11_000000_b", {M: "EF"})

    assert desk("compare", A, B, "--strict").returncode == 0
    assert desk("compare", A, "2026-06-11", "--strict").returncode == 1


@pytest.mark.parametrize(
    ("after", "why"),
    [
        (
            {M: "PPP"},
            f"no combo ran the same test cases in {A} and {B}; {M[0]} / v1: different test cases (1 only in A)",
        ),
        ({("renamed", "v1"): "PPPP"}, f"no combo in common (A has {M[0]} / v1; B has renamed / v1)"),
    ],
    ids=["the test set changed", "the model was renamed"],
)
def test_where_no_combo_can_be_compared_the_gate_says_why_and_asks_for_a_new_baseline(desk, keep, after, why):
    keep(A, {M: "PPPP"})
    keep(B, after)

    done = desk("compare", A, B, "--fail-on-regression", "50")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"error: {why}; refresh the baseline with a record of the benchmark as it is now"
    )


def test_the_gate_says_what_it_did_not_compare(desk, keep):
    keep(A, {M: "PP", N: "PP", ("gone", "v1"): "PP"})
    keep(B, {M: "PP", N: "PPP"})

    done = desk("compare", "--fail-on-regression", "0")

    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        f"warning: {N[0]} / v2: different test cases (1 only in B), not compared",
        "warning: gone / v1: only in run A, not compared",
    ]
    assert done.stdout.splitlines()[-1] == (
        "OK: no regression in what was compared; not compared: "
        f"{N[0]} / v2: different test cases (1 only in B); 1 combo(s) only in A"
    )


@pytest.mark.parametrize("points", ["-1", "nan", "inf", "1e2", "101", "two", ""])
def test_points_that_make_no_sense_are_wrong_usage(desk, keep, points):
    keep(A, {M: "P"})
    keep(B, {M: "P"})

    done = desk("compare", "--fail-on-regression", points)

    assert (done.returncode, done.stdout) == (2, "")
    assert "must be a number from 0 to 100" in done.stderr


def test_a_program_that_reads_the_json_gets_the_verdict_by_the_exit_code_alone(desk, keep):
    keep(A, {M: "PP"})
    keep(B, {M: "PF"})

    done = desk("compare", "--format", "json", "--strict")

    assert done.returncode == 1
    assert json.loads(done.stdout)["combos"][0]["regressed"] == ["c2"]
    assert done.stderr.startswith("REGRESSION: ")


# diff


def test_diff_lists_what_became_of_cases_and_fails_on_any_regression(desk, keep):
    keep(A, {M: "PFP"})
    keep(B, {M: "PPF"})

    done = desk("diff", A, B)

    assert done.returncode == 1
    assert "- regressed: c3" in done.stdout.splitlines()
    assert "- improved: c2" in done.stdout.splitlines()


def test_diff_passes_where_cases_only_got_better_or_were_added(desk, keep):
    keep(A, {M: "PF"})
    keep(B, {M: "PPF"})

    done = desk("diff", A, B)

    assert done.returncode == 0, done.stdout
    assert done.stderr == f"warning: {M[0]} / v1: different test cases (1 only in B)\n"


def test_diff_says_at_its_end_which_cases_and_models_it_could_not_compare(desk, keep):
    keep(A, {M: "PPP", N: "PP"})
    keep(B, {M: "PP"})

    done = desk("diff", A, B)

    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == (
        "OK: no regression in what was compared; not compared: "
        f"{M[0]} / v1: different test cases (1 only in A); 1 combo(s) only in A"
    )


def test_diff_fails_where_no_case_is_left_to_compare(desk, keep):
    keep(A, {M: "PF"})
    keep(B, {M: "PF"}, first=10)

    assert desk("diff", A, B).returncode == 1


def test_diff_prints_json(desk, keep):
    keep(A, {M: "P"})
    keep(B, {M: "F"})

    done = desk("diff", A, B, "--format", "json")

    assert done.returncode == 1
    assert json.loads(done.stdout)["combos"][0]["regressed"] == ["c1"]


def test_diff_needs_both_runs(desk):
    assert desk("diff", "only-one").returncode == 2


# Results of other tools


def tasks(path: Path, name: str, statuses: str, **top: object) -> str:
    """Write results as evalkit 0.2.0 does: ``P`` pass, ``F`` fail, ``L`` flaky, ``E`` error."""
    words = {"P": "pass", "F": "fail", "L": "flaky", "E": "error"}
    listed = [
        {"id": f"t{n}", "status": words[letter], "passed": letter == "P", "score": float(letter == "P"),
         "pass_rate": 1.0, "runs_passed": 1, "runs_total": 1, "tags": ["easy"], "prompt": "Hi", "expected": None,
         "cost_usd": None, "latency_ms": 12.0, "runs": [
             {"repeat": 0, "passed": letter == "P", "score": float(letter == "P"), "output": "Hello",
              "error": "boom" if letter == "E" else None, "latency_ms": 12.0, "input_tokens": 3, "output_tokens": 1,
              "cost_usd": None, "cached": False, "attempts": 1,
              "grades": [{"grader": "contains", "passed": letter == "P", "score": 1.0, "reason": "because"}]}]}
        for n, letter in enumerate(statuses)
    ]  # fmt: skip
    document = {
        "format": 1, "evalkit_version": "0.2.0", "suite": "support-bot", "description": "", "target": "mock:m",
        "started_at": "2026-06-08T10:15:00+00:00", "duration_s": 0.1, "repeat": 1, "seed": 0,
        "summary": {"tasks": len(statuses), "passed": statuses.count("P"), "pass_rate": 0.5, "score": 0.5,
                    "fail_under": 0.85, "ok": False, "cost_usd": None, "input_tokens": 9, "output_tokens": 3},
        "tasks": listed, **top,
    }  # fmt: skip
    (path / name).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return name


def test_results_of_evalkit_are_compared_with_each_other(desk):
    base, head = tasks(desk.folder, "base.json", "PPPF"), tasks(desk.folder, "head.json", "PFLP")

    done = desk("compare", base, head, "--detailed", "--fail-on-regression", "5")

    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == "DELTA: base → head"
    assert rows(done)[0][:3] == ["mock:m", "default", "75.0% → 50.0%"]
    assert {"- regressed: t1", "- regressed: t2", "- improved: t3"} <= set(done.stdout.splitlines())


def test_an_error_of_evalkit_is_an_error_here(desk):
    base, head = tasks(desk.folder, "base.json", "PP"), tasks(desk.folder, "head.json", "PE")

    read = json.loads(desk("compare", base, head, "--format", "json").stdout)["combos"][0]

    assert (read["new_errors"], read["regressed"], read["score_b"]) == (["t1"], [], 100.0)


def test_results_of_evalkit_are_compared_with_a_run_of_the_same_suite_here(desk):
    suite = {
        "name": "support-bot",
        "target": {"provider": "mock", "model": "m", "default": "Hello"},
        "tasks": [
            {"id": "t0", "input": "Hi", "graders": [{"type": "contains", "value": "Hello"}]},
            {"id": "t1", "input": "Hi", "graders": [{"type": "contains", "value": "Bye"}]},
        ],
        "settings": {"fail_under": 0},
    }
    desk.write("evals.json", json.dumps(suite))
    assert desk("run", "evals.json", "-q").returncode == 0

    done = desk("compare", tasks(desk.folder, "base.json", "PP"), "--strict")

    assert done.returncode == 1, done.stderr
    assert "1 case(s) do not pass any more: t1" in done.stdout


def test_results_of_evalkit_that_cannot_be_are_unknown_with_a_warning(desk):
    base, head = tasks(desk.folder, "base.json", "PPPF"), tasks(desk.folder, "head.json", "PPPF")
    path = desk.folder / head
    odd = path.read_text("utf-8").replace('"score": 1.0,', '"score": 1e300,', 1).replace('"t1"', '"t0"')
    path.write_text(odd.replace('"latency_ms": 12.0', '"latency_ms": -12.0', 1), "utf-8")

    done = desk("compare", base, head)

    assert done.returncode == 0
    assert done.stderr.splitlines() == [
        "warning: head.json: 1 score(s) that are not from 0 to 1 are taken as unknown",
        "warning: head.json: 1 cost(s), token count(s) or latencies that are not 0 or more are taken as unknown",
        "warning: head.json: mock:m: the case 't0' is there 2 times; each of them counts, and a comparison pairs them "
        "in their order",
    ]


def test_another_layout_of_evalkit_is_refused(desk):
    base, head = tasks(desk.folder, "base.json", "P"), tasks(desk.folder, "head.json", "P", format=99)

    done = desk("compare", base, head)

    assert (done.returncode, done.stderr) == (1, "error: head.json: results of format 99; the only one known is 1\n")


@pytest.mark.parametrize(
    "style",
    [
        {"suite": "s", "results": "id passed output error"},
        {"name": "s", "cases": "caseId pass response error"},
        {"suiteName": "s", "cases": "case_id success actual errorMessage"},
    ],
    ids=["snake", "camel", "mixed"],
)
def test_results_of_the_eval_tool_are_compared_whatever_their_style(desk, style):
    (title, _), (key, words) = style.items()
    names = words.split()

    def results(name: str, outcomes: str) -> str:
        entries = [
            dict(zip(names, [f"c{n}", letter == "P", "text", "timed out" if letter == "E" else None], strict=True))
            for n, letter in enumerate(outcomes)
        ]
        desk.write(name, json.dumps({title: "s", "provider": "openai", "model": "gpt-4o", key: entries}))
        return name

    done = desk("diff", results("base.json", "PFPP"), results("head.json", "PPFE"), "--format", "json")

    assert done.returncode == 1
    (combo,) = json.loads(done.stdout)["combos"]
    assert (combo["model"], combo["prompt_id"]) == ("openai:gpt-4o", "default")
    assert (combo["regressed"], combo["improved"], combo["new_errors"]) == (["c2"], ["c1"], ["c3"])


def test_results_that_name_a_case_twice_are_refused(desk):
    desk.write(
        "twice.json", json.dumps({"suite": "s", "cases": [{"id": "a", "passed": True}, {"id": "a", "passed": False}]})
    )

    done = desk("diff", "twice.json", "twice.json")

    assert (done.returncode, done.stdout) == (1, "")
    assert "the case 'a' is there twice" in done.stderr
