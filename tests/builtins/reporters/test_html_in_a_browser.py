"""The HTML report in a real browser: its own script runs, nothing of a model's does, and nothing is fetched."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from steelyard_builtins.reporters import html

from steelyard.api import CaseRun, Message, ScoreResult, Status

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run")
FLAGS += ("--disable-background-networking", "--disable-component-update", "--disable-sync")


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    """Open a page and return what the browser has made of it, once its script has run."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        pytest.skip("no Chromium is installed; Debian: apt-get install chromium")

    def dom(page: Path) -> str:
        profile = f"--user-data-dir={tmp_path / 'profile'}"
        command = [browser, *FLAGS, profile, "--dump-dom", page.resolve().as_uri()]
        return subprocess.run(command, capture_output=True, check=True, timeout=120).stdout.decode("utf-8")

    return dom


@pytest.fixture
def server() -> Iterator[tuple[str, list[str]]]:
    """A server that a page might ask for something, and what it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{listening.server_port}", asked
        listening.shutdown()


def evil_texts(origin: str) -> list[str]:
    act = "document.title='taken'"
    return [
        f"</pre></p></script><script>{act}</script>",
        f"\"'><img src={origin}/img onerror={act}>",
        f"</title></style><link rel=stylesheet href={origin}/style><iframe srcdoc='<script>parent.{act}</script>'>",
        f"<svg/onload={act}><meta http-equiv=refresh content='0;url={origin}/away'><base href={origin}/>",
        "<!--<script>",
        "\u202e\x00\x1b[2J\ud800]]>",
    ]


def test_hostile_text_acts_nowhere_and_the_filters_work(
    show: Any, make_record: Any, make_combo: Any, make_case: Any, tmp_path: Path, opened: Any, server: Any
) -> None:
    origin, asked = server
    cases = []
    for number, evil in enumerate(evil_texts(origin)):
        score = ScoreResult(scorer="s", name=evil, passed=False, score=0.0, reason=evil)
        run = CaseRun(
            repeat=0,
            status=Status.SCORED,
            passed=False,
            score=0.0,
            messages=(Message(role="system", content=evil), Message(role="user", content=evil)),
            response=evil,
            reasoning=evil,
            scores=(score,),
        )
        case = make_case(f"{number} {evil}", passed=False, runs=(run,), tags=(evil,), expected={"deep": [evil]})
        cases.append(case)
    everywhere = " ".join(evil_texts(origin)).encode("utf-8", "replace").decode("utf-8")
    record = make_record(make_combo(*cases, model=everywhere, prompt_id=everywhere), benchmark=everywhere)
    show(html, record, output=tmp_path / "x.html")

    dom = opened(tmp_path / "x.html")

    # The script of the page has run: it shows the filters, which the page itself keeps hidden, and counts.
    form = re.search(r'<form id="filters"[^>]*>', dom)
    assert form is not None
    assert "hidden" not in form[0]
    assert f"{len(cases)} of {len(cases)} cases shown" in dom
    assert len(re.findall(r'<details class="case [^>]*data-status="failed"', dom)) == len(cases)
    title = re.search(r"<title>(.*?)</title>", dom, re.DOTALL)
    assert title is not None
    assert title[1].startswith("&lt;/pre&gt;")
    # The browser writes text with its brackets escaped, so these would be elements.
    assert re.findall(r"<(?:img|iframe|svg|link|base)\b", dom) == []
    assert len(re.findall(r"<script\b", dom)) == 1
    assert asked == []
