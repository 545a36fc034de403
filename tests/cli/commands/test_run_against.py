"""``run --baseline``: a run held against a kept one. ``run --watch``: a run at every save."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

M = ("parrot", "v1")
KEPT = "2026-01-01_000000_b"


def benchmark(answer: str = "yes", **top: object) -> str:
    cases = [case(number, wanted) for number, wanted in enumerate(["yes", "no"], 1)]
    return json.dumps(
        {
            "name": "b",
            "models": [{"id": "parrot", "provider": "mock", "default": answer}],
            "prompts": [{"id": "v1", "template": "hi"}],
            "test_cases": cases,
            **top,
        }
    )


def case(number: int, wanted: str = "no") -> dict[str, Any]:
    return {"id": f"c{number}", "expected_output": wanted, "evaluation": "exact_match"}


def stored(desk: Any) -> list[str]:
    return sorted(path.stem for path in (desk.folder / "results").glob("*.json"))


@pytest.mark.parametrize(
    ("outcomes", "flags", "code"),
    [
        ("PF", (), 0),
        ("PP", (), 1),
        ("PP", ("--threshold", "50"), 0),
        ("PP", ("--threshold", "49.9"), 1),
        ("FP", (), 0),
        ("FP", ("--strict",), 1),
        ("PF", ("--strict",), 0),
        ("PP", ("--strict", "--threshold", "100"), 1),
        ("PP", ("--confidence", "0.95"), 0),  # one case lost of two may be chance
        ("PP", ("--confidence", "0.95", "--strict"), 1),
        ("P", ("--strict",), 0),  # a case is new: rates cannot be compared, but the case that both have can
        ("P", (), 1),
    ],
)
def test_a_run_that_is_worse_than_its_baseline_fails(desk, keep, outcomes, flags, code):
    keep(KEPT, {M: outcomes})
    desk.write("b.json", benchmark())

    done = desk("run", "b.json", "--baseline", f"results/{KEPT}.json", *flags)

    assert done.returncode == code, done.stderr
    assert f"DELTA: {KEPT} → " in done.stdout
    assert done.stdout.splitlines()[-1].startswith("OK: ") == (code == 0)


@pytest.mark.parametrize("quiet", [False, True])
def test_a_run_that_misses_its_gate_does_not_end_with_ok(desk, keep, quiet):
    keep(KEPT, {M: "PF"})
    desk.write("b.json", benchmark(quality_threshold=60))

    done = desk("run", "b.json", "--baseline", KEPT, "--confidence", "0.95", *(["--quiet"] if quiet else []))

    # One of two passes, as before: no regression, and still below 60.
    assert done.returncode == 1
    last = (done.stderr if quiet else done.stdout).splitlines()[-1]
    assert last == "FAIL: best score 50.0% is below quality_threshold (60)."


WORDS = ["one", "two", "three", "four"]


def evalkit_suite(answer: str) -> str:
    task = {"id": "t", "input": "hi", "graders": [{"type": "contains", "value": WORDS}]}
    target = {"provider": "mock", "default": answer}
    return json.dumps({"name": "w", "target": target, "tasks": [task], "settings": {"fail_under": 0}})


def native_suite(answer: str) -> str:
    wanted = {"id": "t", "variables": {}, "scorers": [{"type": "contains", "value": WORDS}]}
    return benchmark(answer, test_cases=[wanted], name="w")


@pytest.mark.parametrize(
    ("suite", "flags", "code"),
    [
        # The mean score falls by 50 points while the case fails both times: evalkit's rule, for its own suites.
        (evalkit_suite, (), 1),
        (evalkit_suite, ("--threshold", "49"), 1),
        (evalkit_suite, ("--threshold", "50"), 0),
        (evalkit_suite, ("--strict",), 0),
        (native_suite, (), 0),
        (native_suite, ("--scores",), 1),
        (native_suite, ("--scores", "--threshold", "50"), 0),
        (native_suite, ("--scores", "--confidence", "0.95"), 0),
    ],
)
def test_a_mean_score_that_falls_counts_for_suites_of_evalkit_and_where_it_is_asked_for(desk, suite, flags, code):
    desk.write("b.json", suite("one two three"))
    desk("run", "b.json", "-q", "-o", "base.json", "--no-cache")
    desk.write("b.json", suite("one"))

    done = desk("run", "b.json", "--baseline", "base.json", "--no-cache", *flags)

    assert done.returncode == code, done.stderr
    assert ("the mean score fell by 50.0 points; " in done.stdout) == (code == 1)


def evalkit_tasks(outcomes: dict[str, bool], **target: object) -> str:
    """A suite whose tasks pass or fail as it is said."""
    return json.dumps(
        {
            "name": "w",
            "target": {"provider": "mock", "default": "yes", **target},
            "graders": [{"type": "exact"}],
            "tasks": [{"id": name, "input": "hi", "expected": "yes" if ok else "no"} for name, ok in outcomes.items()],
            "settings": {"fail_under": 0},
        }
    )


@pytest.mark.parametrize("layout", ["json", "evalkit"])
@pytest.mark.parametrize(
    ("suite", "flags", "code", "said"),
    [
        # Of 2 tasks that both have, 1 passes in both runs.
        (evalkit_tasks({"a": True, "b": False, "c": True}), (), 0, "1 case(s) only in B, not compared: c"),
        (evalkit_tasks({"a": True, "b": False, "c": False}), (), 0, "1 case(s) only in B, not compared: c"),
        (evalkit_tasks({"a": True}), (), 0, "1 case(s) only in A, not compared: b"),
        (evalkit_tasks({"a": True, "b": False}), ("--limit", "1"), 0, "1 case(s) only in A, not compared: b"),
        (evalkit_tasks({"a": True, "b": False}, model="next"), (), 0, "mock:next / default: was mock:mock / default"),
        # The task that passed fails now, however many pass that are new.
        (evalkit_tasks({"a": False, "b": False, "c": True, "d": True}), (), 1, "REGRESSION: mock:mock / default: "),
        (evalkit_tasks({"a": False, "b": False}, model="next"), ("--strict",), 1, "REGRESSION: mock:next / default: "),
        (evalkit_tasks({"c": True}), (), 1, "error: "),
    ],
)
def test_suites_with_one_target_are_compared_by_it_on_the_tasks_that_both_have(desk, layout, suite, flags, code, said):
    desk.write("b.json", evalkit_tasks({"a": True, "b": False}))
    desk("run", "b.json", "-q", "-o", f"{layout}:base.json")
    desk.write("b.json", suite)

    done = desk("run", "b.json", "-q", "--baseline", "base.json", *flags)

    assert done.returncode == code, done.stderr
    assert said in done.stderr


def test_tasks_that_both_runs_have_are_the_ones_whose_scores_are_shown(desk):
    for name, outcomes in (("a", {"x": True, "y": False}), ("c", {"x": True, "z": True})):
        desk.write("b.json", evalkit_tasks(outcomes))
        desk("run", "b.json", "-q", "-o", f"{name}.json")

    done = desk("compare", "a.json", "c.json", "--format", "json")

    combo = json.loads(done.stdout)["combos"][0]
    assert (combo["n_paired"], combo["score_a"], combo["score_b"], combo["delta"]) == (1, 100.0, 100.0, 0.0)
    assert "different test cases (1 only in A, 1 only in B)" in desk("compare", "a.json", "c.json").stdout


def test_where_rates_cannot_be_compared_the_message_says_why(desk):
    desk.write("b.json", benchmark())
    desk("run", "b.json", "-q", "-o", "base.json")

    done = desk("run", "b.json", "-q", "--baseline", "base.json", "--limit", "1")

    assert done.returncode == 1
    assert "parrot / v1: different test cases (1 only in A); A is a run of everything and B of limit 1: " in done.stderr


@pytest.mark.parametrize(("threshold", "told"), [("0.05", True), ("5", False), ("60", False)])
def test_a_share_where_points_are_meant_is_pointed_out_when_it_fails(desk, threshold, told):
    desk.write("b.json", evalkit_suite("one two three"))
    desk("run", "b.json", "-q", "-o", "base.json", "--no-cache")
    desk.write("b.json", evalkit_suite("one"))

    done = desk("run", "b.json", "--baseline", "base.json", "--threshold", threshold, "--no-cache")

    assert ("0.05 is hardly any; for a share write 5" in done.stderr) == told


def test_scores_of_two_kept_runs_can_be_held_against_each_other(desk):
    for name, answer in (("before", "one two three"), ("after", "one")):
        desk.write("b.json", native_suite(answer))
        desk("run", "b.json", "-q", "-o", f"{name}.json", "-o", f"evalkit:{name}.evalkit", "--no-cache")
    codes = [
        desk("compare", f"before.{kind}", f"after.{kind}", *flags).returncode
        for kind in ("json", "evalkit")
        for flags in ((), ("--threshold", "0"), ("--threshold", "0", "--scores"))
    ]

    # A results file of evalkit's layout is judged by evalkit's rule, by which scores count.
    assert codes == [0, 0, 1, 0, 1, 1]
    assert desk("compare", "before.json", "after.json", "--scores").returncode == 2


@pytest.mark.parametrize(
    "layouts", [("json", "json"), ("json", "evalkit"), ("evalkit", "json"), ("evalkit", "evalkit")]
)
def test_runs_of_evalkit_suites_get_one_verdict_whatever_their_layout(desk, layouts):
    """The task fails both times, and its score falls from 0.75 to 0.25: evalkit fails at any threshold below 50."""
    for name, answer, layout in zip(("before", "after"), ("one two three", "one"), layouts, strict=True):
        desk.write("b.json", evalkit_suite(answer))
        desk("run", "b.json", "-q", "-o", f"{layout}:{name}.json", "--no-cache")

    codes = [
        desk("compare", "before.json", "after.json", "--threshold", points).returncode for points in ("0", "49", "50")
    ]

    assert codes == [1, 1, 0]


def test_the_gate_and_the_baseline_must_both_be_met(desk, keep):
    keep(KEPT, {M: "PF"})
    desk.write("b.json", benchmark(quality_threshold=90))

    assert desk("run", "b.json", "--baseline", KEPT).returncode == 1


@pytest.mark.parametrize("output", ["base.json", "./base.json", "json:base.json", "evalkit:base.json"])
@pytest.mark.parametrize("flags", [(), ("--strict",), ("--confidence", "0.5")], ids=" ".join)
def test_a_run_that_takes_the_place_of_its_baseline_is_compared_with_the_old_one(desk, keep, output, flags):
    keep(KEPT, {M: "PPPPP"}).rename(desk.folder / "base.json")
    desk.write("b.json", benchmark(test_cases=[case(number) for number in range(1, 6)]))

    done = desk("run", "b.json", "-q", "--baseline", "base.json", "-o", output, *flags)

    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert done.stderr.startswith("REGRESSION: parrot / v1: ")
    assert KEPT not in (desk.folder / "base.json").read_text("utf-8")


def test_a_baseline_that_is_reached_by_another_name_is_read_before_it_is_replaced(desk, keep):
    keep(KEPT, {M: "PP"}).rename(desk.folder / "base.json")
    (desk.folder / "link.json").hardlink_to(desk.folder / "base.json")
    desk.write("b.json", benchmark())

    assert desk("run", "b.json", "-q", "--baseline", "link.json", "-o", "base.json").returncode == 1


@pytest.mark.parametrize(
    "flag",
    [
        "--markdown=suite.json",
        "-ocsv:./suite.json",
        "-ocsv:cases.jsonl",
        "-ojson:../project/answers.json",
        "-ojunit:schema.json",
    ],
)
def test_a_report_never_takes_the_place_of_what_the_run_reads(desk, flag):
    """The suite, its data file, the file that it extends and a schema."""
    files = {
        "suite.json": benchmark(extends="answers.json", test_cases="cases.jsonl"),
        "answers.json": "{}",
        "cases.jsonl": json.dumps({"id": "a", "scorers": [{"type": "json_schema", "schema_file": "schema.json"}]}),
        "schema.json": "{}",
    }
    for name, text in files.items():
        desk.write(name, text)

    done = desk("run", "suite.json", "-q", flag)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(": the run reads this file itself; name another one\n")
    assert {name: (desk.folder / name).read_text("utf-8") for name in files} == files
    assert not (desk.folder / "results").exists()


@pytest.mark.parametrize(
    "flags",
    [
        ("-o", "d.json", "-o", "evalkit:d.json"),
        ("--junit", "d.xml", "--markdown", "./d.xml"),
        ("-o", "d.json", "-o", "new/../d.json"),
        ("-o", ""),
        ("-o", "json:"),
    ],
    ids=" ".join,
)
def test_two_reports_in_one_file_and_a_report_in_none_are_wrong_usage(desk, flags):
    desk.write("b.json", benchmark())

    assert desk("run", "b.json", *flags).returncode == 2
    assert [path.name for path in desk.folder.iterdir()] == ["b.json"]


def test_a_record_is_not_replaced_by_a_report_of_it(desk, keep):
    before = keep(KEPT, {M: "PP"}).read_bytes()

    done = desk("report", KEPT, "-o", f"markdown:results/{KEPT}.json")

    assert done.returncode == 1
    assert (desk.folder / "results" / f"{KEPT}.json").read_bytes() == before


@pytest.mark.parametrize("content", [None, "{", '{"benchmark": 1}'])
def test_a_baseline_that_cannot_be_read_stops_the_run_before_it_begins(desk, content):
    desk.write("b.json", benchmark())
    if content is not None:
        desk.write("base.json", content)

    done = desk("run", "b.json", "--baseline", "base.json")

    assert (done.returncode, done.stdout) == (1, "")
    assert "base.json" in done.stderr
    assert not (desk.folder / "results").exists()


def test_a_baseline_of_other_cases_asks_for_a_new_one(desk, keep):
    keep(KEPT, {M: "PPP"})
    desk.write("b.json", benchmark())

    done = desk("run", "b.json", "--baseline", KEPT)

    assert done.returncode == 1
    assert "refresh the baseline" in done.stderr


def test_a_quiet_run_says_no_more_than_whether_it_regressed(desk, keep):
    keep(KEPT, {M: "PP"})
    desk.write("b.json", benchmark())

    done = desk("run", "b.json", "-q", "--baseline", KEPT)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "REGRESSION: parrot / v1: the pass rate fell by 50.0 points; no drop is allowed\n"


def test_with_a_confidence_a_drop_that_is_real_fails(desk, keep):
    # Ten cases lost and none won: exact p 2 / 2^10 = 0.00195.
    keep(KEPT, {M: "P" * 10})
    desk.write("b.json", benchmark(test_cases=[case(number) for number in range(1, 11)]))

    done = desk("run", "b.json", "-q", "--baseline", KEPT, "--confidence", "0.95")

    assert done.returncode == 1
    assert done.stderr.endswith("the pass rate fell by 100.0 points, beyond chance at 95 %; no drop is allowed\n")


@pytest.mark.parametrize("flags", [("-o", "json:-"), ("--reporter", "json")], ids=" ".join)
def test_a_report_on_standard_output_stays_alone_there(desk, keep, flags):
    keep(KEPT, {M: "PP"})
    desk.write("b.json", benchmark())

    done = desk("run", "b.json", "--baseline", KEPT, *flags)

    assert done.returncode == 1
    assert json.loads(done.stdout)["benchmark"] == "b"
    assert "REGRESSION: " in done.stderr


PRINTING = """
print("on loading")


def plain(output, context):
    print("plain")
    return True


async def slow(output, context):
    print("async")
    return True
"""


@pytest.mark.parametrize("flags", [("--reporter", "json"), ("-o", "json:-")], ids=" ".join)
def test_what_a_users_function_prints_stays_out_of_a_report_on_standard_output(desk, flags):
    desk.write("checks.py", PRINTING)
    names = ("plain", "slow")
    scorers = [{"type": "python", "function": f"checks.py:{name}"} for name in names]
    desk.write("b.json", benchmark(test_cases=[{"id": "c", "scorers": scorers}]))

    done = desk("run", "b.json", *flags)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["results"][0]["success"] == 1
    assert [line for line in ("on loading", "plain", "async") if line in done.stderr.splitlines()] == [
        "on loading",
        "plain",
        "async",
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("b.json", "--strict"),
        ("b.json", "--threshold", "1"),
        ("b.json", "--confidence", "0.95"),
        ("b.json", "--baseline", "x", "--confidence", "95"),
        ("b.json", "--baseline", "x", "--threshold", "-1"),
        ("b.json", "c.json", "--baseline", "x"),
    ],
    ids=" ".join,
)
def test_a_comparison_without_a_sense_is_wrong_usage(desk, arguments):
    desk.write("b.json", benchmark())

    assert desk("run", *arguments).returncode == 2
    assert not (desk.folder / "results").exists()


def test_json_is_another_name_for_output(desk):
    desk.write("b.json", benchmark())

    assert desk("run", "b.json", "-q", "--json", "out.json").returncode == 0
    assert json.loads((desk.folder / "out.json").read_text("utf-8"))["benchmark"] == "b"


# --watch


@pytest.fixture
def watch(steelyard) -> Callable[..., Any]:
    """Start ``run --watch`` and return what waits for the next run."""
    processes: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> Callable[[int], bool]:
        (steelyard.folder / "suite").mkdir(exist_ok=True)
        process = steelyard.start("run", *arguments, "--watch", "-q")
        processes.append(process)

        def has_run(times: int) -> bool:
            deadline = time.monotonic() + 40
            while time.monotonic() < deadline and process.poll() is None:
                if len(stored(steelyard)) >= times:
                    return True
                time.sleep(0.05)
            return False

        has_run.process = process  # type: ignore[attr-defined]
        return has_run

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str]) -> tuple[int, list[str]]:
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    return process.returncode, err.splitlines()


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process alone on Windows")
def test_every_save_of_suite_or_data_has_the_suite_run_again(steelyard, watch):
    pytest.importorskip("watchfiles")
    suite = steelyard.folder / "suite" / "b.json"
    suite.parent.mkdir()
    data = suite.with_name("rows.jsonl")
    data.write_text('{"id": "a", "expected_output": "yes", "evaluation": "exact_match"}\n')
    suite.write_text(benchmark(test_cases="rows.jsonl"))
    has_run = watch("suite/b.json", "--results-dir", "suite/results", "-o", "suite/out.json")
    (steelyard.folder / "results").symlink_to(suite.parent / "results")

    assert has_run(1)
    seen = lines_until(has_run.process, "Watching")
    save(suite, benchmark("no", test_cases="rows.jsonl"))
    assert has_run(2)
    seen += lines_until(has_run.process, "Watching")
    save(data, '{"id": "b", "expected_output": "yes", "evaluation": "exact_match"}\n')
    assert has_run(3)
    seen += lines_until(has_run.process, "Watching")

    code, lines = ended(has_run.process)
    assert code == 130
    assert lines[-1] == "Stopped watching."
    # What the runs themselves wrote into the folder had nothing run again.
    assert [line for line in [*seen, *lines] if line.startswith("Saved")] == [f"Saved: {suite}", f"Saved: {data}"]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process alone on Windows")
def test_files_that_lie_elsewhere_have_the_suite_run_again_and_what_lies_beside_them_does_not(steelyard, watch):
    pytest.importorskip("watchfiles")
    far = steelyard.folder / "far"
    (far / "rows").mkdir(parents=True)
    files = {
        "base.json": json.dumps({"models": [{"id": "a", "provider": "mock", "default": '{"n": 1}'}]}),
        "schema.json": json.dumps({"type": "object", "required": ["n"]}),
        "checks.py": "def fine(output, context):\n    return True\n",
        "rows/one.jsonl": '{"id": "a"}\n',
    }
    for name, text in files.items():
        (far / name).write_text(text, encoding="utf-8")
    scorers = [{"type": "json_schema", "schema_file": "../far/schema.json"}]
    scorers += [{"type": "python", "function": "../far/checks.py:fine"}]
    suite = {
        "name": "b",
        "extends": "../far/base.json",
        "prompts": [{"id": "p", "template": "hi"}],
        "scorers": scorers,
        "test_cases": {"path": "../far/rows/*.jsonl"},
    }
    (steelyard.folder / "suite").mkdir()
    (steelyard.folder / "suite" / "b.json").write_text(json.dumps(suite), encoding="utf-8")
    has_run = watch("suite/b.json")
    seen = lines_until(has_run.process, "Watching")

    changed = {**files, "rows/two.jsonl": '{"id": "b"}\n'}  # a file that is new, too
    for times, (name, text) in enumerate(changed.items(), 2):
        (far / "notes.txt").write_text(name, encoding="utf-8")  # nobody reads it
        save(far / name, f"{text}\n")
        assert has_run(times), name
        seen += lines_until(has_run.process, "Watching")

    code, lines = ended(has_run.process)
    assert code == 130
    saved = [line for line in [*seen, *lines] if line.startswith("Saved")]
    assert saved == [f"Saved: {far / name}" for name in changed]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process alone on Windows")
def test_a_save_before_a_file_is_watched_is_not_missed(steelyard, watch):
    pytest.importorskip("watchfiles")
    data = steelyard.folder / "far" / "rows.jsonl"
    data.parent.mkdir()
    data.write_text('{"id": "a"}\n', encoding="utf-8")
    # While it runs for the first time, its own data are saved, in a folder that nobody watches yet.
    save_it = f"import pathlib; print('ok'); pathlib.Path({str(data)!r}).write_text('{{\"id\": \"b\"}}\\n')"
    models = [{"id": "a", "provider": "command", "command": [sys.executable, "-c", save_it], "cache": False}]
    case = {"path": "../far/rows.jsonl"}
    (steelyard.folder / "suite").mkdir()
    suite = steelyard.folder / "suite" / "b.json"
    suite.write_text(benchmark(models=models, test_cases=case, scorers=[{"type": "contains", "value": "ok"}]))
    has_run = watch("suite/b.json")

    assert has_run(2)
    assert ended(has_run.process)[0] == 130


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process alone on Windows")
@pytest.mark.parametrize("way", ["beside", "aside", "deleted", "in place"])
def test_every_way_in_which_editors_save_counts(steelyard, watch, way):
    pytest.importorskip("watchfiles")
    suite = steelyard.folder / "suite" / "b.json"
    suite.parent.mkdir()
    suite.write_text(benchmark(), encoding="utf-8")
    has_run = watch("suite/b.json")
    assert has_run(1)
    lines_until(has_run.process, "Watching")

    backup, draft = suite.with_name("b.json~"), suite.with_name(".b.json.swp")
    if way == "beside":  # a draft is renamed over the file
        draft.write_text(benchmark("no"), encoding="utf-8")
        draft.replace(suite)
    elif way == "aside":  # the file is renamed to a backup, then written anew
        suite.rename(backup)
        suite.write_text(benchmark("no"), encoding="utf-8")
    elif way == "deleted":
        suite.unlink()
        suite.write_text(benchmark("no"), encoding="utf-8")
    else:
        with suite.open("r+", encoding="utf-8") as file:
            file.write(benchmark("no"))
            file.truncate()

    assert has_run(2)
    assert ended(has_run.process)[0] == 130


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process alone on Windows")
def test_results_that_a_suite_has_stored_beside_it_have_nothing_run_again(steelyard, watch):
    pytest.importorskip("watchfiles")
    suite = steelyard.folder / "suite" / "b.json"
    suite.parent.mkdir()
    cases = [{"id": "a", "prompt": "yes", "criteria": [{"type": "contains", "value": "yes"}]}]
    suite.write_text(json.dumps({"name": "b", "provider": "mock", "model": "m", "cases": cases}))
    (steelyard.folder / ".evalrc.json").write_text('{"results_dir": "suite/kept"}')
    has_run = watch("suite/b.json")
    seen = lines_until(has_run.process, "Watching")
    (steelyard.folder / "results").symlink_to(suite.parent / "kept")  # late: the folder of the settings is another

    for times, model in ((2, "second"), (3, "third"), (4, "fourth")):
        save(suite, json.dumps({"name": "b", "provider": "mock", "model": model, "cases": cases}))
        assert has_run(times)
        seen += lines_until(has_run.process, "Watching")

    _, lines = ended(has_run.process)
    assert [line for line in [*seen, *lines] if line.startswith("Saved")] == [f"Saved: {suite}"] * 3


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C cannot be sent to one process alone on Windows")
def test_a_mistake_in_a_save_is_told_and_the_next_save_is_run(steelyard, watch):
    pytest.importorskip("watchfiles")
    suite = steelyard.folder / "suite" / "b.json"
    suite.parent.mkdir()
    suite.write_text(benchmark())
    has_run = watch("suite/b.json")

    assert has_run(1)
    lines_until(has_run.process, "Watching")
    suite.write_text(benchmark(modles=[]))
    lines_until(has_run.process, "did you mean 'models'?")
    lines_until(has_run.process, "Watching")
    suite.write_text(benchmark())
    assert has_run(2)
    lines_until(has_run.process, "Watching")
    assert ended(has_run.process)[0] == 130


def lines_until(process: subprocess.Popen[str], text: str) -> list[str]:
    """Read what a process says until a line holds a text, and return it."""
    assert process.stderr is not None
    lines = []
    while text not in (line := process.stderr.readline()):
        assert line, f"it ended before it said {text!r}"
        lines.append(line.rstrip("\n"))
    return lines


def save(path: Path, text: str) -> None:
    """Save a file the way editors do: in one step, under its name."""
    draft = path.with_name(".draft")
    draft.write_text(text, encoding="utf-8")
    draft.replace(path)


def test_without_the_library_that_hears_of_saves_watching_is_refused(desk, monkeypatch):
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    desk.write("b.json", benchmark())

    done = desk("run", "b.json", "--watch")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == 'error: --watch needs the package watchfiles; install it: pip install "steelyard[watch]"\n'
    assert not Path(desk.folder / "results").exists()
