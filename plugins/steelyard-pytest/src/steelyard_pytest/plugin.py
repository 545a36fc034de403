"""What pytest calls. Nothing of steelyard is imported until a benchmark is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .patterns import is_named
from .totals import Totals


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options."""
    parser.addini("steelyard_files", "Benchmark files, as patterns from the root folder; none unless set.", type="args")
    parser.addini(
        "steelyard_missing_key", "What a case is whose provider has no key: 'error' or 'skip'.", default="error"
    )
    group = parser.getgroup("steelyard", "benchmarks of steelyard as tests")
    group.addoption(
        "--steelyard-files",
        action="append",
        default=[],
        metavar="PATTERN",
        help="benchmark files, besides those of the ini option steelyard_files; may be repeated",
    )
    group.addoption(
        "--steelyard-missing-key",
        choices=("error", "skip"),
        help="what a case is whose provider has no key (default: the ini option steelyard_missing_key, or error)",
    )
    group.addoption(
        "--steelyard-no-cache", action="store_true", help="ask every model anew: neither read nor write the cache"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Check the options, and declare the marker of the tests."""
    if _missing_key(config) not in ("error", "skip"):
        raise pytest.UsageError(f"steelyard_missing_key: must be 'error' or 'skip', got {_missing_key(config)!r}")
    config.addinivalue_line("markers", "steelyard: a case of a benchmark (steelyard-pytest); it may call a model.")
    config.pluginmanager.register(Totals(), "steelyard-totals")


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say what is looked for."""
    patterns = _patterns(config)
    return f"steelyard: {' '.join(patterns)}" if patterns else None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Take a file that a pattern names."""
    patterns = _patterns(parent.config)
    if not patterns or not is_named(file_path, patterns, parent.config.rootpath):
        return None
    from .collecting import BenchmarkFile  # noqa: PLC0415 - a test run without benchmarks must not pay for it

    file: BenchmarkFile = BenchmarkFile.from_parent(
        parent, path=file_path, skip_without_key=_missing_key(parent.config) == "skip"
    )
    return file


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist whether whole files come to it, and may be asked together."""
    node.workerinput["steelyard_whole_files"] = node.config.getoption("dist", "no") == "loadfile"


def _patterns(config: pytest.Config) -> list[str]:
    return [*config.getini("steelyard_files"), *config.getoption("steelyard_files")]


def _missing_key(config: pytest.Config) -> str:
    return str(config.getoption("steelyard_missing_key") or config.getini("steelyard_missing_key"))
