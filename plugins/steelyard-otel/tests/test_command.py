"""The command with the reporter as it is installed, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from steelyard.testing import FakeAPI

BENCHMARK = {
    "name": "Greetings",
    "models": [{"id": "echo", "provider": "mock"}],
    "prompts": [{"id": "p", "template": "{{ word }}"}],
    "quality_threshold": 100,
}


@pytest.fixture
def steelyard(tmp_path):
    """Run a benchmark of one case, which passes or not; the answer repeats the question."""

    def run(endpoint, *, passes):
        case = {"id": "one", "variables": {"word": "yes"}, "evaluation": "exact_match"}
        case["expected_output"] = "yes" if passes else "no"
        text = json.dumps(BENCHMARK | {"test_cases": [case]})
        (tmp_path / "greetings.json").write_text(text, "utf-8")
        environ = {name: value for name, value in os.environ.items() if not name.startswith(("OTEL_", "STEELYARD_"))}
        environ |= {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OTEL_EXPORTER_OTLP_TIMEOUT": "1", "PYTHONUTF8": "1"}
        return subprocess.run(
            [sys.executable, "-m", "steelyard", "run", "greetings.json", "--reporter", "otel", "--quiet"],
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )

    return run


@pytest.mark.parametrize(("passes", "code"), [(True, 0), (False, 1)])
def test_a_collector_that_is_away_is_one_line_and_leaves_the_exit_code(steelyard, passes, code):
    with FakeAPI() as server:
        nobody_there = server.origin

    done = steelyard(nobody_there, passes=passes)

    assert done.returncode == code
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"warning: reporter 'otel': 3 of 3 spans did not reach {nobody_there}/v1/traces; ")


def test_a_collector_that_is_there_gets_the_run(steelyard, collector):
    done = steelyard(collector.origin, passes=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(span.name for span in collector.spans) == ["case one", "chat", "steelyard run Greetings"]
