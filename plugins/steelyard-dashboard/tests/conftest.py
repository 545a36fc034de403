from __future__ import annotations

import http.client
import json
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from steelyard_dashboard.application import application
from steelyard_dashboard.serving import take

from steelyard.api import (
    Best,
    CaseResult,
    CaseRun,
    ComboResult,
    Insights,
    JudgeResult,
    LabelResult,
    LabelsResult,
    Message,
    PanelResult,
    RunRecord,
    ScoreResult,
    Status,
    TagResult,
)
from steelyard.records import write_record

Make = Callable[..., Any]


@pytest.fixture(scope="session")
def make_run() -> Make:
    """One run of a case: passed with one scorer unless told otherwise."""

    def make(*, passed: bool = True, **changes: Any) -> CaseRun:
        scored = changes.get("status", Status.SCORED) is Status.SCORED
        verdict = ScoreResult(
            scorer="contains",
            name="greets",
            passed=passed,
            score=float(passed),
            reason="found 'Thanks'" if passed else "'Thanks' is missing",
        )
        fields: dict[str, Any] = {
            "repeat": 0,
            "status": Status.SCORED,
            "passed": passed and scored,
            "score": float(passed) if scored else None,
            "messages": (
                Message(role="system", content="Be brief."),
                Message(role="user", content="Where is my order?"),
            ),
            "response": "Thanks, it is on its way." if passed else "It is on its way.",
            "prompt_tokens": 80,
            "completion_tokens": 6,
            "cost_usd": 0.002,
            "judge_prompt_tokens": 0,
            "judge_completion_tokens": 0,
            "judge_cost_usd": 0.0,
            "spent_usd": 0.002,
            "latency_ms": 400.0,
            "attempts": 1,
            "finish_reason": "stop",
            "scores": (verdict,) if scored else (),
        }
        return CaseRun(**fields | changes)

    return make


@pytest.fixture(scope="session")
def make_case(make_run: Make) -> Make:
    """A case: passed, under model ``gpt`` and prompt ``v1``, unless told otherwise."""

    def make(id: str = "q-1", *, passed: bool = True, run: dict[str, Any] | None = None, **changes: Any) -> CaseResult:  # noqa: A002
        status = changes.get("status", Status.SCORED)
        scored = status is Status.SCORED
        one = make_run(passed=passed, status=status, **(run or {}))
        fields: dict[str, Any] = {
            "model": "gpt",
            "prompt_id": "v1",
            "id": id,
            "status": status,
            "passed": passed and scored,
            "score": float(passed) if scored else None,
            "runs": (one,),
            "tags": ("billing",),
            "evaluation": "contains",
            "expected": "Thanks",
        }
        return CaseResult(**fields | changes)

    return make


@pytest.fixture(scope="session")
def make_combo() -> Make:
    """The combo that some cases make, with counts and a score that follow from them."""

    def make(*cases: CaseResult, **changes: Any) -> ComboResult:
        passed = sum(case.passed for case in cases)
        errors = sum(case.status is not Status.SCORED for case in cases)
        scored = len(cases) - errors
        tags = sorted({tag for case in cases for tag in case.tags})
        fields: dict[str, Any] = {
            "model": cases[0].model if cases else "gpt",
            "prompt_id": cases[0].prompt_id if cases else "v1",
            "total": len(cases),
            "passed": passed,
            "failed": scored - passed,
            "errors": errors,
            "score": 100 * passed / scored if scored else None,
            "score_low": 20.0,
            "score_high": 90.0,
            "runs": len(cases),
            "prompt_tokens": 80 * len(cases),
            "completion_tokens": 6 * len(cases),
            "cost_usd": 0.002 * len(cases),
            "judge_cost_usd": 0.0,
            "spent_usd": 0.002 * len(cases),
            "latency_p50_ms": 400.0,
            "latency_p95_ms": 900.0,
            "tags": tuple(_tag(name, [case for case in cases if name in case.tags]) for name in tags),
            "cases": cases,
        }
        return ComboResult(**fields | changes)

    return make


def _tag(name: str, cases: list[CaseResult]) -> TagResult:
    passed = sum(case.passed for case in cases)
    errors = sum(case.status is not Status.SCORED for case in cases)
    scored = len(cases) - errors
    return TagResult(
        tag=name,
        total=len(cases),
        passed=passed,
        failed=scored - passed,
        errors=errors,
        score=100 * passed / scored if scored else None,
        score_low=10.0 if scored else None,
        score_high=90.0 if scored else None,
    )


@pytest.fixture(scope="session")
def make_labels() -> Callable[..., LabelsResult]:
    """Of two labels, four answers should have been the first and two the second; four were right, one was neither."""

    def make(first: str = "refund", second: str = "other", **changes: Any) -> LabelsResult:
        def label(name: str, expected: int, predicted: int, correct: int) -> LabelResult:
            bounds = {"precision_low": 0.438, "precision_high": 1.0, "recall_low": 0.301, "recall_high": 0.954}
            return LabelResult(
                label=name,
                expected=expected,
                predicted=predicted,
                correct=correct,
                precision=correct / predicted,
                recall=correct / expected,
                f1=2 * correct / (expected + predicted),
                f1_low=0.4,
                f1_high=0.9,
                **bounds,
            )

        fields: dict[str, Any] = {
            "answers": 6,
            "correct": 4,
            "labels": (label(first, 4, 3, 3), label(second, 2, 2, 1)),
            "confusion": ((3, 0), (1, 1)),
            "other": (1, 0),
            "macro_precision": 0.75,
            "macro_recall": 0.625,
            "macro_f1": 0.68,
            "macro_f1_low": 0.5,
            "macro_f1_high": 0.81,
            "weighted_precision": 0.83,
            "weighted_recall": 0.667,
            "weighted_f1": 0.74,
        }
        return LabelsResult(**fields | changes)

    return make


@pytest.fixture(scope="session")
def panel() -> PanelResult:
    """Two judges, of whom the second judged nothing."""
    first = JudgeResult(
        model="judge-a",
        scored=10,
        passed=7,
        mean_score=0.8,
        cost_usd=0.01,
        passed_low=0.397,
        passed_high=0.892,
        mean_score_low=0.7,
        mean_score_high=0.9,
    )
    second = JudgeResult(model="judge-b", scored=0, passed=0, mean_score=0.0, cost_usd=None)
    return PanelResult(judges=(first, second), outputs=10, alpha=0.71, alpha_low=0.4, alpha_high=0.9)


@pytest.fixture(scope="session")
def make_record() -> Make:
    """A record of some combos."""

    def make(*combos: ComboResult, **changes: Any) -> RunRecord:
        scored = [combo for combo in combos if combo.score is not None]
        best = max(scored, key=lambda combo: combo.score, default=None)
        fields: dict[str, Any] = {
            "run_id": "2026-06-10_143205_support",
            "benchmark": "Support",
            "timestamp": "2026-06-10T14:32:05+02:00",
            "steelyard_version": "1.2.3",
            "format": "native",
            "duration_s": 12.5,
            "results": combos,
            "insights": Insights(
                passed=True,
                verdict="PASS: best score meets quality_threshold (85).",
                best_quality=best and Best(model=best.model, prompt_id=best.prompt_id, score=best.score),
            ),
        }
        return RunRecord(**fields | changes)

    return make


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """An empty results folder."""
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


@pytest.fixture
def store(results: Path) -> Callable[[RunRecord], Path]:
    """Put a record into the results folder, under its run id."""

    def put(record: RunRecord) -> Path:
        path = results / f"{record.run_id}.json"
        write_record(path, record)
        return path

    return put


@pytest.fixture
def put(store: Callable[[RunRecord], Path], make_record: Make, make_combo: Make) -> Callable[..., Path]:
    """Store a run of one combo with these cases."""

    def put_cases(*cases: CaseResult, **changes: Any) -> Path:
        return store(make_record(make_combo(*cases), **changes))

    return put_cases


@pytest.fixture(scope="session")
def hostile() -> str:
    """Text with everything in it that ought to be harmless and may not be."""
    return (
        "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
        "</pre></td>'\"`&amp; {{ 7*7 }} {% raw %} \u0000\u0007\u001b[31m "
        "\u202eevil\u202c שלום עולם مرحبا \U0001d518 👩‍👩‍👧 \u2028\ud800 javascript:alert(1)\r\nnext"
    )


@dataclass(frozen=True)
class Reply:
    """What the server answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Dashboard:
    """A server that is running, over a real socket."""

    port: int
    faults: list[str]
    folder: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __call__(self, path: str, *, method: str = "GET", headers: dict[str, str] | None = None) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, headers=headers or {})
            reply = connection.getresponse()
            return Reply(reply.status, reply.headers, reply.read())
        finally:
            connection.close()


@pytest.fixture(scope="session")
def dashboard_of() -> Iterator[Callable[[Path], Dashboard]]:
    """Start a dashboard over a folder; each is stopped at the end."""
    running: list[tuple[uvicorn.Server, threading.Thread]] = []

    def start(folder: Path) -> Dashboard:
        address = take("127.0.0.1", 0)
        faults: list[str] = []
        app = application(folder, names=address.names, any_address=False, report=faults.append)
        config = uvicorn.Config(app, http="h11", ws="none", lifespan="off", log_config=None, log_level="critical")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [address.socket]}, daemon=True)
        thread.start()
        running.append((server, thread))
        return Dashboard(address.port, faults, folder)

    yield start
    for server, _ in running:
        server.should_exit = True
    for _, thread in running:
        thread.join(10)


@pytest.fixture
def dashboard(results: Path, dashboard_of: Callable[[Path], Dashboard]) -> Iterator[Dashboard]:
    """A dashboard over the results folder. A fault in any page fails the test."""
    running = dashboard_of(results)
    yield running
    assert running.faults == []


@pytest.fixture(scope="session")
def many_cases(make_case: Make) -> Callable[..., tuple[CaseResult, ...]]:
    """Cases as a real benchmark has them, about 2 kB each; from a fixed seed."""
    words = ("order", "refund", "invoice", "the", "a", "to", "billing", "please", "thanks", "is", "late", "parcel")

    def make(count: int, seed: int = 7, share: float = 0.8, **changes: Any) -> tuple[CaseResult, ...]:
        rng = random.Random(seed)

        def text(length: int) -> str:
            return " ".join(rng.choice(words) for _ in range(length))

        return tuple(
            make_case(
                f"case-{number:05}",
                passed=rng.random() < share,
                run={
                    "messages": (Message(role="user", content=text(180)),),
                    "response": text(100),
                    "latency_ms": round(rng.uniform(200, 3000), 1),
                },
                tags=(rng.choice(("billing", "shipping", "returns")),),
                **changes,
            )
            for number in range(count)
        )

    return make


class Document(HTMLParser):
    """A page as a reader has it: its texts, tables and links."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.links: dict[str, str] = {}
        """Where each link leads, by its text."""
        self.headings: list[str] = []
        self.blocks: list[str] = []
        """The texts in ``pre``."""
        self.tables: dict[str, list[list[str]]] = {}
        """The rows of each table, its headings first, by its caption."""
        self._open: list[tuple[str, list[str]]] = []
        self._href = ""
        self._rows: list[list[str]] = []
        self.feed(reply.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self._href = dict(attrs).get("href") or ""
        if tag == "table":
            self._rows = []
        if tag == "tr":
            self._rows.append([])
        if tag in ("a", "h1", "h2", "h3", "pre", "td", "th", "caption"):
            self._open.append((tag, []))

    def handle_data(self, data: str) -> None:
        for _, parts in self._open:
            parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open[-1][0] != tag:
            return
        _, parts = self._open.pop()
        whole = "".join(parts)
        text = " ".join(whole.split())
        if tag == "a":
            self.links[text] = self._href
        elif tag == "pre":
            self.blocks.append(whole.removeprefix("\n"))
        elif tag in ("td", "th"):
            self._rows[-1].append(text)
        elif tag == "caption":
            self.tables[text] = self._rows
        else:
            self.headings.append(text)


@pytest.fixture
def read() -> Callable[[Reply], Document]:
    """Read a page that was answered."""
    return Document
