"""Pytest inside pytest, in a folder of its own, against a server that plays a model's API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from steelyard import RunOptions, open_session
from steelyard.testing import FakeAPI

pytest_plugins = ["pytester"]

QUIETLY = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-W", "default")
"""Hypothesis would be imported anew by each inner pytest, which takes longer than the rest; and what the outer pytest
makes of warnings is not to hold for the inner one."""

KEY = "sk-a-key-that-is-shown-nowhere"


@pytest.fixture
def api():
    with FakeAPI() as server:
        yield server


@pytest.fixture(scope="session", autouse=True)
def imported(tmp_path_factory):
    """Import what a benchmark needs once and for all.

    An inner pytest forgets the modules that were imported while it ran, and a module that is imported twice knows
    nothing of the classes of the first time.
    """
    path = tmp_path_factory.mktemp("imported")
    with FakeAPI() as server:
        for number, fields in enumerate(
            (
                {"models": ["openai:small"], "prompts": [{"id": "p", "template": "{{ who }}"}], "retries": 0},
                {"models": ["openai:small"], "prompts": [{"id": "p", "template": "{{ who"}]},
            )
        ):
            file = path / f"{number}.json"
            text = {
                "name": "Once",
                "providers": {"openai": {"base_url": server.base_url, "api_key_env": None}},
                "test_cases": [
                    case("ada", scorers=[{"type": "max_words", "value": 1}, {"type": "contains", "value": "x"}])
                ],
            }
            file.write_text(json.dumps(text | fields), "utf-8")
            session = open_session(cwd=path, warn=lambda _line: None)
            if session.check(file).ok:
                session.run(file, RunOptions(store=False, automatic_reporters=False))


class Folder:
    """A folder with benchmarks, and pytest to run there."""

    def __init__(self, pytester: pytest.Pytester, api: FakeAPI) -> None:
        self.pytester = pytester
        self.path = pytester.path
        self._api = api
        self.ini("steelyard_files = *.bench.json")

    def ini(self, *lines: str) -> None:
        self.pytester.makeini("\n".join(["[pytest]", *lines]))

    def benchmark(self, name: str = "greet.bench.json", /, **changes: Any) -> None:
        """Write a benchmark of two models and two cases: 'ada' wants Ada in the answer, 'bob' Bob."""
        benchmark = {
            "name": "Greet",
            "models": ["openai:small", "openai:large"],
            "prompts": [{"id": "v1", "template": "Greet {{ who }}."}],
            "providers": {"openai": {"base_url": self._api.base_url}},
            "retries": 0,
            "test_cases": [case("ada"), case("bob")],
            **changes,
        }
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({key: value for key, value in benchmark.items() if value is not None}), "utf-8")

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in this process, where the plugin is as it is installed."""
        return self.pytester.runpytest_inprocess(*QUIETLY, *arguments)

    def run_apart(self, *arguments: str) -> pytest.RunResult:
        """Run pytest in processes of its own."""
        return self.pytester.runpytest_subprocess(*QUIETLY, *arguments)


def case(name: str, **changes: Any) -> dict[str, Any]:
    word = name.capitalize()
    return {"id": name, "variables": {"who": word}, "expected_output": word, "evaluation": "contains", **changes}


@pytest.fixture
def make_case():
    return case


@pytest.fixture
def folder(pytester, api, monkeypatch):
    for name in ("STEELYARD_SETTINGS", "OPENAI_BASE_URL", "PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STEELYARD_SETTINGS", "")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("PYTHONUTF8", "1")
    monkeypatch.setenv("COLUMNS", "200")
    # The model greets whom it is told to greet.
    api.answer(lambda request: f"Hello {request.prompt.removeprefix('Greet ').removesuffix('.')}!")
    return Folder(pytester, api)


@pytest.fixture
def key():
    return KEY
