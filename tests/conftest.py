"""What every test may count on: no key, no settings and no plugin switch of the machine that it runs on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

LEAKS = ("_API_KEY", "_BASE_URL")


@pytest.fixture(autouse=True)
def nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in list(os.environ):
        if name.startswith("STEELYARD_") or name.endswith(LEAKS) or name in {"OLLAMA_HOST", "NO_COLOR", "FORCE_COLOR"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(_no_settings(tmp_path_factory)))


def _no_settings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "no-settings"
