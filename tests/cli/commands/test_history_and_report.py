"""What ``history`` lists, and what ``report`` makes of a stored run."""

from __future__ import annotations

import json
import os
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

M = ("openai/gpt-4o-mini", "v1")
N = ("vendor/large", "v1")
A = "2026-06-08_101500_b"
B = "2026-06-10_143205_b"


def listed(done: Any) -> list[str]:
    return [line.split()[0] for line in done.stdout.splitlines()[1:]]


# history


def test_history_lists_every_run_the_newest_first_with_its_best_score_errors_and_cost(desk, keep):
    keep(A, {M: "PPFF", N: "PFEE"})
    keep(B, {M: "PPPP"})

    done = desk("history")

    assert (done.returncode, done.stderr) == (0, "")
    heading, newer, older = (line.split("  ") for line in done.stdout.splitlines())
    assert [cell.strip() for cell in heading if cell] == [
        "Run", "Benchmark", "When", "Best score", "Best combo", "Errors", "Cost"
    ]  # fmt: skip
    cells = [[cell.strip() for cell in row if cell.strip()] for row in (newer, older)]
    assert cells[0] == [B, "b", "2026-06-10 14:32:05", "100.0%", "openai/gpt-4o-mini / v1", "0", "$0.004000"]
    # Of the older run a part costs an unknown sum: what a failed call costs is not known.
    assert cells[1] == [A, "b", "2026-06-08 10:15:00", "50.0%", cells[1][4], "2", "-"]


def test_a_list_shows_long_names_in_part_and_json_in_full(desk, keep):
    name, model = "n" * 5000, "vendor/" + "m" * 5000
    keep(A, {(model, "v1"): "P"}, benchmark=name)

    for command in (("history",), ("report", "--last", "1")):
        assert max(map(len, desk(*command).stdout.splitlines())) < 300
    (run,) = json.loads(desk("history", "--format", "json").stdout)
    assert (run["benchmark"], run["best"]["model"]) == (name, model)


def test_a_file_that_is_no_record_is_named_and_the_others_are_listed(desk, keep):
    keep(A, {M: "P"})
    desk.write("results/notes.json", '{"benchmark": 5}')

    done = desk("history")

    assert done.returncode == 0
    assert listed(done) == [A]
    assert done.stderr == (
        f"⚠ Skipping {desk.folder / 'results' / 'notes.json'}: not a run record: 'benchmark' must be text\n"
    )


def test_history_in_json_has_no_words_in_it(desk, keep):
    keep(A, {M: "PPFF"}, filters={"limit": 4})

    (run,) = json.loads(desk("history", "--format", "json").stdout)

    assert run == {
        "run_id": A,
        "path": str(desk.folder / "results" / f"{A}.json"),
        "benchmark": "b",
        "timestamp": "2026-06-08T10:15:00+00:00",
        "passed": True,
        "best": {"model": M[0], "prompt_id": "v1", "score": 50.0},
        "errors": 0,
        "total": 4,
        "total_cost": pytest.approx(0.004),
        "filters": {"limit": 4},
    }


def test_without_runs_history_says_how_to_get_one(desk):
    done = desk("history")

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith("no run is stored there; make one with: steelyard run\n")
    assert json.loads(desk("history", "--format", "json").stdout) == []


@pytest.mark.parametrize(
    ("flags", "wanted"), [(["--last", "3"], "no run is"), (["--suite", "x"], "no run of a benchmark named 'x' is")]
)
def test_a_list_of_no_runs_says_so(desk, flags, wanted):
    done = desk("report", *flags)

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.endswith(f"{wanted} stored there; make one with: steelyard run\n")


def test_a_run_in_which_nothing_was_scored_has_no_best_score(desk, keep):
    keep(A, {M: "EE"})

    (run,) = json.loads(desk("history", "--format", "json").stdout)

    assert (run["best"], run["passed"], run["errors"], run["total_cost"]) == (None, False, 2, None)


def test_errors_are_counted_from_the_results_whatever_the_file_says_of_them(desk, keep):
    path = keep(A, {M: "PE", N: "EE"})
    text = path.read_text("utf-8")
    start = text.index('"insights"')
    path.write_text(text[:start] + text[start:].replace('"errors": 3', '"errors": 0'), "utf-8")

    (run,) = json.loads(desk("history", "--format", "json").stdout)

    assert run["errors"] == 3


def test_a_name_from_a_file_is_printed_literally_and_on_one_line(desk, keep):
    keep(A, {M: "P"}, benchmark="[bold]a\nb\x1b[2J")

    done = desk("history")

    assert len(done.stdout.splitlines()) == 2
    assert "[bold]a" in done.stdout
    assert "\x1b" not in done.stdout


# report


def test_report_writes_the_markdown_beside_the_latest_record_anew(desk, keep):
    keep(A, {M: "P"})
    keep(B, {M: "PFE"})
    report = desk.write(f"results/{B}.md", "stale")

    done = desk("report")

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"Report of {B} saved to {report}\n"
    text = report.read_text("utf-8")
    assert text.startswith("# b\n")
    assert "1 pipeline error(s) excluded from scoring." in text
    assert not (desk.folder / "results" / f"{A}.md").exists()


@pytest.mark.parametrize("name", ["results/{}.json", "{}", "2026-06-08"])
def test_a_run_is_named_by_file_id_or_beginning(desk, keep, name):
    keep(A, {M: "P"})
    keep(B, {M: "P"})

    assert desk("report", name.format(A)).returncode == 0
    assert (desk.folder / "results" / f"{A}.md").is_file()


def test_a_baseline_elsewhere_gets_its_report_beside_it(desk, keep):
    keep(A, {M: "P"}).rename(desk.folder / "baseline.json")

    assert desk("report", "baseline.json").returncode == 0
    assert (desk.folder / "baseline.md").is_file()


def test_any_reporter_can_tell_a_stored_run(desk, keep):
    keep(A, {M: "PF"})

    done = desk("report", "-o", "out.xml", "-o", "badge:badge.json", "--reporter", "html")

    assert done.returncode == 0, done.stderr
    suites = ET.parse(desk.folder / "out.xml").getroot()
    assert len(list(suites.iter("testcase"))) == 2
    assert len(list(suites.iter("failure"))) == 1
    assert json.loads((desk.folder / "badge.json").read_text("utf-8"))["schemaVersion"] == 1
    assert (desk.folder / "results" / f"{A}.html").is_file()
    # Asked for something else, it leaves the report beside the record alone.
    assert not (desk.folder / "results" / f"{A}.md").exists()


def test_a_report_on_standard_output_is_alone_there(desk, keep):
    keep(A, {M: "P"})

    done = desk("report", "-o", "json:-")

    assert json.loads(done.stdout)["run_id"] == A


def test_reports_can_be_had_from_results_of_evalblink(desk):
    case = {"id": "c1", "tags": ["easy"], "evaluation": "exact_match", "status": "scored", "match_result": True,
            "match_score": 1.0, "response": "x"}  # fmt: skip
    combo = {"model": "m", "prompt_id": "v1", "success": 1, "scored": 1, "errors": 0, "total": 1, "score": 100.0,
             "total_cost": 0.5, "test_cases": [case]}  # fmt: skip
    record = {"schema_version": 1, "benchmark": "Old", "timestamp": "2026-06-10T14:32:05", "results": [combo]}
    desk.write("old.json", json.dumps({**record, "insights": {"passed": True}}))

    assert desk("report", "old.json").returncode == 0
    text = (desk.folder / "old.md").read_text("utf-8")
    # One of one: the interval that such a file does not hold is worked out (Wilson, 20.7 to 100).
    assert "20.7–100.0%" in text
    assert "| easy |" in text


@pytest.mark.parametrize(
    ("content", "why"), [("{", "not JSON"), ("[]", "must be a JSON object"), ("{}", "'benchmark' must be text")]
)
def test_a_file_that_is_no_record_is_refused_in_one_line(desk, content, why):
    desk.write("bad.json", content)

    done = desk("report", "bad.json")

    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: bad.json: ")
    assert why in line


def test_without_any_run_there_is_nothing_to_report(desk):
    done = desk("report")

    assert done.returncode == 1
    assert "no run is stored there" in done.stderr


def test_an_unknown_reporter_or_ending_is_refused_before_anything_is_written(desk, keep):
    keep(A, {M: "P"})

    assert desk("report", "-o", "out.xyz").returncode == 1
    assert desk("report", "--reporter", "htlm").returncode == 2
    assert sorted(path.name for path in (desk.folder / "results").iterdir()) == [f"{A}.json"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions bind neither Windows nor root")
def test_a_report_that_cannot_be_written_is_an_error(desk, keep):  # pragma: no cover - not as root
    keep(A, {M: "P"})
    (desk.folder / "results").chmod(0o500)
    done = desk("report")
    (desk.folder / "results").chmod(0o700)

    assert done.returncode == 1


def test_report_lists_runs_as_well(desk, keep):
    keep("2026-06-01_000000_sum", {M: "P"}, benchmark="Summarization")
    keep(A, {M: "P"})
    keep(B, {M: "P"})

    assert listed(desk("report", "--last", "2")) == [B, A]
    assert listed(desk("report", "--suite", "summarization")) == ["2026-06-01_000000_sum"]
    assert list(desk.folder.rglob("*.md")) == []


def test_listing_and_reporting_exclude_each_other(desk, keep):
    keep(A, {M: "P"})

    assert desk("report", A, "--last", "2").returncode == 2


def test_what_report_writes_is_what_the_run_wrote(desk):
    suite = {
        "name": "b",
        "models": [{"id": "parrot", "provider": "mock", "default": "yes"}],
        "prompts": [{"id": "v1", "template": "hi"}],
        "test_cases": [{"id": "a", "expected_output": "yes", "evaluation": "exact_match", "tags": ["t"]}],
    }
    desk.write("b.json", json.dumps(suite))
    assert desk("run", "b.json", "-q").returncode == 0
    (written,) = (desk.folder / "results").glob("*.md")
    first = written.read_bytes()
    written.unlink()

    assert desk("report").returncode == 0
    assert Path(written).read_bytes() == first
