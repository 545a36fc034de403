"""Records and journals as steelyard itself writes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

BENCHMARK = """
name: Greetings
models:
  - {id: polite, provider: mock, latency_ms: %(latency_ms)d, default: Thanks and goodbye.}
  - {id: curt, provider: mock, latency_ms: %(latency_ms)d, default: Bye.}
prompts:
  - {id: plain, template: "Say goodbye to {{ name }}."}
test_cases:
%(cases)s
"""


@pytest.fixture
def steelyard(tmp_path):
    """Start a run of so many cases in a process of its own; its results go to ``results``."""
    started = []

    def start(cases, latency_ms, *arguments, benchmark=BENCHMARK):
        rows = "\n".join(
            f'  - {{id: "guest-{number}", variables: {{name: "Ada {number}"}},'
            ' expected_output: "Thanks and goodbye.", evaluation: exact_match, tags: [bye]}'
            for number in range(cases)
        )
        (tmp_path / "greetings.yaml").write_text(benchmark % {"latency_ms": latency_ms, "cases": rows}, "utf-8")
        environ = {key: value for key, value in os.environ.items() if not key.startswith("STEELYARD_")}
        process = subprocess.Popen(
            [sys.executable, "-m", "steelyard", "run", "greetings.yaml", *arguments],
            cwd=tmp_path,
            env={**environ, "PYTHONIOENCODING": "utf-8"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def until(found, process):
    """Look again and again until there is something; the run must not have ended by then."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        value = found()
        if value:
            return value
        assert process.poll() in {None, 0}, process.communicate()[0]
        time.sleep(0.05)
    raise AssertionError("nothing came in a minute")


def test_a_real_record_is_shown_with_the_figures_that_it_holds(steelyard, dashboard, results, read):
    output, _ = steelyard(4, 0).communicate(timeout=60)
    (path,) = results.glob("*.json")
    record = json.loads(path.read_bytes())
    run = path.stem

    page = read(dashboard(f"/runs/{run}"))

    assert page.tables["Per cent passed of each model with each prompt"][1:] == [
        ["polite", "100.0% 51.0–100.0 4 of 4"],  # Wilson's interval of 4 of 4
        ["curt", "0.0% 0.0–49.0 0 of 4"],
    ], output
    assert dashboard(f"/api/runs/{run}").json["manifest"] == record["manifest"]
    assert [case["match_result"] for case in dashboard(f"/api/runs/{run}/cases").json["cases"]] == [True] * 4 + [
        False
    ] * 4
    case = read(dashboard(f"/runs/{run}/cases/1/0"))
    assert case.blocks[:3] == ["Thanks and goodbye.", "Say goodbye to Ada 0.", "Bye."]
    for path in ("/", "/compare", f"/compare?run={run}", "/live"):
        assert dashboard(path).status == 200


def test_two_real_runs_get_the_verdicts_of_steelyard_compare(steelyard, dashboard, results, tmp_path):
    for benchmark in (BENCHMARK, BENCHMARK.replace("default: Bye.", "default: Thanks and goodbye.")):
        steelyard(8, 0, "--no-cache", benchmark=benchmark).communicate(timeout=60)
    runs = sorted((path.stem for path in results.glob("*.json")), key=lambda name: (len(name), name))
    told = subprocess.run(
        [sys.executable, "-m", "steelyard", "compare", *runs, "--format", "json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        check=True,
        timeout=60,
    )
    wanted = {combo["model"]: combo for combo in json.loads(told.stdout)["combos"]}

    groups = dashboard(f"/api/compare?run={runs[0]}&run={runs[1]}").json["groups"]

    found = {group["model"]: group["sides"][1] for group in groups}
    # All eight cases got better: 2 / 2^8, which counts twice beside the other combo.
    assert (found["curt"]["verdict"], found["curt"]["p_adjusted"]) == ("better", 0.015625)
    for model in ("polite", "curt"):
        for name in ("n_paired", "score_delta", "delta", "delta_low", "delta_high", "p_value", "p_adjusted", "verdict"):
            assert found[model][name] == wanted[model][name], (model, name)


def test_a_real_run_is_watched_from_its_first_case_to_its_record(steelyard, dashboard):
    process = steelyard(30, 60, "-j", "1")

    first = until(lambda: [live for live in dashboard("/api/live").json["live"] if live["done"]], process)[0]
    run = first["id"]

    assert first["benchmark"] == "Greetings"
    assert [(combo["model"], combo["prompt_id"]) for combo in first["combos"]] == [
        ("polite", "plain"),
        ("curt", "plain"),
    ]
    assert first["total"] == 60
    assert first["done"] < 60
    until(lambda: dashboard(f"/api/live/{run}").json["finished"], process)
    assert dashboard(f"/live/{run}").headers["Location"] == f"/runs/{run}"
    assert dashboard(f"/api/runs/{run}/cases").json["total"] == 60
