"""Suite files read as the host reads them: with its own YAML source, templates and data files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from steelyard._config.tools import Tools
from steelyard.api import Benchmark, FormatTools, SuiteFormat
from steelyard.errors import Problem


@dataclass(frozen=True)
class Reading:
    """What came of reading a suite file."""

    benchmark: Benchmark | None
    problems: tuple[Problem, ...]
    folder: Path

    def said(self, severity: str) -> list[str]:
        """Return the problems of a severity as the user reads them, without the folder of the test."""
        prefix = f"{self.folder}{os.sep}"
        return [str(problem).replace(prefix, "") for problem in self.problems if problem.severity == severity]

    @property
    def errors(self) -> list[str]:
        return self.said("error")

    @property
    def warnings(self) -> list[str]:
        return self.said("warning")

    @property
    def sound(self) -> Benchmark:
        """The benchmark, which must be there and without errors."""
        assert self.errors == []
        assert self.benchmark is not None
        return self.benchmark


Read = Callable[..., Reading]
ReadWith = Callable[[Callable[[FormatTools], SuiteFormat]], Read]


@pytest.fixture
def read_with(tmp_path: Path) -> ReadWith:
    """A reader of texts as suite files, for a format's ``create``."""

    def reader_of(create: Callable[[FormatTools], SuiteFormat]) -> Read:
        def read(
            text: str,
            files: Mapping[str, str | bytes] | None = None,
            *,
            environ: Mapping[str, str] | None = None,
            dataset: Path | None = None,
            name: str = "bench.yaml",
        ) -> Reading:
            for path, content in {name: text, **(files or {})}.items():
                target = tmp_path / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content if isinstance(content, bytes) else content.encode())
            tools = Tools(environ or {})
            problems: list[Problem] = []
            path = tmp_path / name
            suite_format = create(tools)
            document = tools.document(path, problems.append)
            if dataset is None:
                benchmark = suite_format.read(document, path)
            else:
                benchmark = suite_format.with_dataset(document, path, dataset)
            return Reading(benchmark=benchmark, problems=tuple(problems), folder=tmp_path)

        return read

    return reader_of
