"""What stands under ``tasks``: the tasks themselves, or a data file whose rows they are."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from steelyard.api import Case, CaseSource, FormatTools, Node, Rows, is_sequence
from steelyard.errors import BenchmarkError

from ..other_files import report_unusable
from ..row_cases import RowCases
from .tasks import TaskReader


def read_tasks(
    document: Node, path: Path, reader: TaskReader, dataset: Path | None, tools: FormatTools
) -> CaseSource | None:
    """Find the tasks; ``dataset`` takes the place of what the suite names. ``None`` when there are none to be had."""
    node = document.get("tasks")
    if dataset is not None:
        return _rows(document.child("tasks"), str(dataset), Path(), reader, tools, dataset)
    if node is None:
        document.error("'tasks' is required", "list the tasks, or name a file", at_key=True)
        return None
    if isinstance(node.value, str):
        return _rows(node, node.value, path.parent, reader, tools)
    return _inline(node, reader)


def _inline(node: Node, reader: TaskReader) -> tuple[Case, ...] | None:
    if not node.is_list():
        return None
    found: dict[str, Case] = {}
    for number, entry in enumerate(node.entries(), 1):
        case = reader.read(entry, number)
        if case is None:
            continue
        if case.id in found:
            entry.error(f"id {case.id!r} is used twice", f"first at {found[case.id].place}", key="id")
        else:
            found[case.id] = case
    if not node.value:
        node.error("must hold at least one task")
    return tuple(found.values())


def _rows(
    node: Node, pattern: str, folder: Path, reader: TaskReader, tools: FormatTools, dataset: Path | None = None
) -> RowCases | None:
    try:
        rows = tools.rows(pattern, base_dir=folder)
    except BenchmarkError as error:
        report_unusable(node, error, dataset)
        return None
    _note_judges(rows, reader)
    return RowCases(rows=rows, read=reader.read_row, warn=node.report)


def _note_judges(rows: Rows, reader: TaskReader) -> None:
    """Find the judges that tasks bring along: a benchmark must know them before its first task is read."""
    try:
        for row in rows:
            graders = row.data.get("graders")
            for grader in graders if is_sequence(graders) else ():
                if isinstance(grader, Mapping) and grader.get("provider") is not None:
                    # What is wrong with it is reported when the row is read.
                    reader.judges.add(Node(grader["provider"], (), lambda _path, _at_key: "", lambda _problem: None))
    except BenchmarkError:
        return
