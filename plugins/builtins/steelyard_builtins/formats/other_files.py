"""What a suite file says about other files: where it names one that cannot be used."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from steelyard.api import Node
from steelyard.errors import BenchmarkError

FLAG = "--dataset"
"""Where the user names a file that takes the place of the suite's."""


def report_unusable(node: Node, error: BenchmarkError, dataset: Path | None = None) -> None:
    """Report what is wrong with a file: at the value that names it, or at the flag where that is what names it."""
    for problem in error.problems:
        where = ": ".join(part for part in (problem.place, problem.path) if part)
        if dataset is not None:
            node.report(replace(problem, place=FLAG, path=where))
        else:
            node.error(f"{where}: {problem.message}" if where else problem.message, problem.hint)
