"""Pytest fixtures, opt-in: ``pytest_plugins = ["steelyard.testing.fixtures"]`` in a ``conftest.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ..session import Session
from .fake_api import FakeAPI
from .sessions import session_with as open_session_with


@pytest.fixture
def fake_api() -> Iterator[FakeAPI]:
    """Run a server that plays a model's API, for the length of a test."""
    with FakeAPI() as api:
        yield api


@pytest.fixture
def session_with(tmp_path: Path) -> Callable[..., Session]:
    """Open sessions in the test's own folder: ``session_with(*components)``."""

    def open_one(*components: object, **options: Any) -> Session:
        return open_session_with(*components, cwd=tmp_path, **options)

    return open_one
