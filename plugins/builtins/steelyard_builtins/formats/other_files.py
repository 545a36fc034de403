"""What a suite file says about other files: where it names one that cannot be used."""

from __future__ import annotations

from steelyard.api import Node
from steelyard.errors import BenchmarkError


def report_unusable(node: Node, error: BenchmarkError) -> None:
    """Report at the value that names a file what is wrong with the file."""
    for problem in error.problems:
        where = ": ".join(part for part in (problem.place, problem.path) if part)
        node.error(f"{where}: {problem.message}" if where else problem.message, problem.hint)
