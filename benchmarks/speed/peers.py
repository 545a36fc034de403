"""Other tools, measured on the same questions when they are installed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from suites import QUESTION
from taken import Sheet, take

PEERS = ("evalkit", "promptfoo")


def run_peer(peer: str, sheet: Sheet, folder: Path, url: str, cases: int, in_flight: int) -> None:
    """Measure one run of another tool, its start included; say so when it is not there."""
    if shutil.which(peer) is None:
        print(f"{peer}: not installed, left out")
        return
    command = (
        _evalkit(folder, url, cases, in_flight) if peer == "evalkit" else _promptfoo(folder, url, cases, in_flight)
    )
    keys = {"OPENAI_API_KEY": "sk-none", "OPENAI_BASE_URL": url, "PROMPTFOO_DISABLE_TELEMETRY": "1"}
    taken = take(command, cwd=folder, environ=keys, expect=(0, 1, 100))
    sheet.row(f"{peer}: {cases:,} cases", taken, figure=f"{cases / taken.wall_s:,.0f} cases/s with start")


def _evalkit(folder: Path, url: str, cases: int, in_flight: int) -> list[str]:
    tasks = [
        {"id": f"case-{number}", "input": QUESTION.format(number=number), "expected": "ok"} for number in range(cases)
    ]
    (folder / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks), encoding="utf-8")
    suite = f"""\
name: speed
target: {{provider: openai, model: fake, base_url: "{url}"}}
prompt: "Classify this conversation: {{{{ input }}}}"
graders: [exact]
tasks: tasks.jsonl
settings: {{concurrency: {in_flight}}}
"""
    (folder / "evalkit.yaml").write_text(suite, encoding="utf-8")
    return ["evalkit", "run", "evalkit.yaml", "-o", "evalkit.json"]


def _promptfoo(folder: Path, url: str, cases: int, in_flight: int) -> list[str]:
    tests = [
        {"vars": {"question": QUESTION.format(number=number)}, "assert": [{"type": "equals", "value": "ok"}]}
        for number in range(cases)
    ]
    suite = {
        "prompts": ["Classify this conversation: {{question}}"],
        "providers": [{"id": "openai:chat:fake", "config": {"apiBaseUrl": url}}],
        "tests": tests,
    }
    (folder / "promptfooconfig.json").write_text(json.dumps(suite), encoding="utf-8")
    return ["promptfoo", "eval", "-c", "promptfooconfig.json", "-j", str(in_flight), "--no-table", "--no-progress-bar"]
