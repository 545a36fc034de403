"""What stands under ``test_cases``: the cases themselves, or a data file whose rows they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from steelyard.api import Case, CaseSource, FormatTools, Node, Rows, is_sequence
from steelyard.errors import BenchmarkError

from ..other_files import report_unusable
from ..row_cases import MOST_ROWS, RowCases
from .cases import CaseReader
from .extending import Source
from .filling import compile_case
from .keys import DATA_FILE
from .rows import row_reader


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundCases:
    """The cases of a benchmark."""

    source: CaseSource
    inline: tuple[Case, ...] | None
    """The cases when they stand in the file itself; ``None`` for rows, which nobody has read yet."""


def read_cases(source: Source, reader: CaseReader, dataset: Path | None) -> FoundCases | None:
    """Find the cases; ``dataset`` takes the place of what the file names. ``None`` when there are none to be had."""
    top = source.node
    node = top.get("test_cases")
    if dataset is None and node is None:
        top.error("'test_cases' is required", "list the cases, or name a data file", at_key=True)
        return None
    if dataset is None and node is not None and not isinstance(node.value, (str, Mapping)):
        if top.get("case") is not None:
            hint = "name a data file in test_cases, or write the cases out"
            top.error("is a template for the rows of a data file", hint, key="case", at_key=True)
        return _inline(node, reader)
    return _from_rows(source, reader, dataset)


def _inline(node: Node, reader: CaseReader) -> FoundCases | None:
    if not node.is_list() or not is_sequence(node.value):
        return None
    found: dict[str, Case] = {}
    for index, value in enumerate(node.value):
        entry = Node(value, (*node.path, index), node.locate, node.report)
        if not isinstance(value, Mapping):
            entry.is_mapping()
            continue
        case = reader.read(entry, value)
        if case is None:
            continue
        if case.id in found:
            entry.error(f"id {case.id!r} is used twice", f"first at {found[case.id].place}", key="id")
            continue
        found[case.id] = case
    if not node.value:
        node.error("must hold at least one test case")
    cases = tuple(found.values())
    return FoundCases(source=cases, inline=cases)


def _from_rows(source: Source, reader: CaseReader, dataset: Path | None) -> FoundCases | None:
    top = source.node
    case = top.get("case")
    template = None if case is None else compile_case(case, reader.tools)
    rows = _open(source, reader.tools, dataset)
    if rows is None:
        return None
    return FoundCases(source=RowCases(rows=rows, read=row_reader(reader, template), warn=top.report), inline=None)


def _open(source: Source, tools: FormatTools, dataset: Path | None) -> Rows | None:
    node = source.node.child("test_cases")
    options = node if isinstance(node.value, Mapping) else Node({}, node.path, node.locate, node.report)
    options.check_keys(DATA_FILE)
    limit = options.whole("limit", minimum=1, maximum=MOST_ROWS)
    sample = options.whole("sample", minimum=1, maximum=MOST_ROWS)
    seed = options.whole("seed")
    if dataset is not None:
        pattern, folder = str(dataset), Path()
    else:
        named = node if isinstance(node.value, str) else node.child("path")
        text = named.value
        if not isinstance(text, str) or not text.strip():
            node.text("path", required=True, allow_empty=False)
            return None
        pattern, folder = text, source.folder(named.path)
    try:
        return tools.rows(pattern, base_dir=folder, limit=limit, sample=sample, seed=seed)
    except BenchmarkError as error:
        report_unusable(node, error, dataset)
        return None
