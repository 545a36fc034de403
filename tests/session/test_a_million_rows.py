"""A run over a million rows asks its first question within two seconds, whichever format the file has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROWS = 1_000_000
MOST_SECONDS = 2.0
STOPWATCH = '''
"""A provider that writes down how much time its process has had when it is asked first, and ends it."""

import os
import time
from pathlib import Path

from steelyard import hookimpl
from steelyard.api import NoSettings, ProviderSpec


class Stopwatch:
    async def complete(self, request):
        Path("first-call.txt").write_text(f"{time.process_time()}", encoding="utf-8")
        os._exit(0)


@hookimpl
def steelyard_register_providers():
    return [ProviderSpec(name="stopwatch", summary="Stops", settings=NoSettings, create=lambda *_: Stopwatch())]
'''
EVAL = {
    "name": "Many",
    "provider": "stopwatch",
    "model": "any",
    "dataset": "rows.jsonl",
    "cases": [{"id": "{{id}}", "prompt": "{{q}}", "criteria": [{"type": "contains", "value": "x"}]}],
}
NATIVE = {
    "name": "Many",
    "models": [{"id": "any", "model": "any", "provider": "stopwatch"}],
    "prompts": [{"id": "p", "template": "{{ q }}"}],
    "test_cases": "rows.csv",
    "case": {"id": "{{ id }}", "variables": {"q": "{{ q }}"}, "evaluation": "exact_match", "expected_output": "x"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a million rows in either kind of file, and the stopwatch."""
    path = tmp_path_factory.mktemp("million")
    with (
        (path / "rows.jsonl").open("w", encoding="utf-8") as lines,
        (path / "rows.csv").open("w", encoding="utf-8") as table,
    ):
        table.write("id,q\n")
        for number in range(ROWS):
            lines.write(f'{{"id": "r{number}", "q": "question {number}"}}\n')
            table.write(f"r{number},question {number}\n")
    (path / "scorers").mkdir()
    (path / "scorers" / "stopwatch.py").write_text(STOPWATCH, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("suite", "more"),
    [(EVAL, []), (NATIVE, []), (NATIVE, ["--dataset", "rows.jsonl"])],
    ids=["eval", "native", "other"],
)
def test_the_first_call_comes_within_two_seconds_of_a_million_rows(
    folder: Path, suite: dict[str, Any], more: list[str]
) -> None:
    (folder / "suite.json").write_text(json.dumps(suite), encoding="utf-8")
    seen = folder / "first-call.txt"
    seen.unlink(missing_ok=True)

    command = [sys.executable, "-m", "steelyard", "run", "suite.json", "--no-cache", *more]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONUTF8": "1"}, capture_output=True, check=False)

    assert seen.exists(), done.stderr.decode("utf-8", "replace")
    # The time that the process had, so that a busy machine does not count: on an idle one it is the time by the clock.
    assert float(seen.read_text(encoding="utf-8")) < MOST_SECONDS
