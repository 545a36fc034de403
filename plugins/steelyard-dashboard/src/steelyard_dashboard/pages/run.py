"""A run: its facts, the matrix of models and prompts, quality by tag, and its cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from steelyard.api import CaseResult, ComboResult, RunRecord, TagResult

from ..addresses import Here
from ..board import Board
from ..figures import line
from ..results.opened import OpenedRun
from ..results.rows import Row, shown_run
from ..results.selection import Selection, page_of
from .conclusions import conclusions_of
from .measures import NEITHER, measures_of

_MOST_TAGS = 200
_FILTERS = ("combo", "verdict", "tag", "scorer", "text", "sort")


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Models down, prompts across."""

    models: tuple[str, ...]
    prompts: tuple[str, ...]
    cells: dict[tuple[str, str], list[tuple[int, ComboResult]]]
    """The combos of a cell with their positions; more than one only in files of other tools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TagLine:
    """One tag under every combo."""

    tag: str
    results: tuple[TagResult | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseLine:
    """A case in the list of cases."""

    row: Row
    combo: ComboResult
    said: str
    """Why it did not pass, or else the beginning of the answer."""


def run(board: Board, request: Request) -> Response:
    """Show a run. Raises ``NotFoundError`` or ``RecordError``."""
    opened = board.shelf.open(request.path_params["run_id"])
    selection = Selection.of(request.query_params)
    chosen = {name: request.query_params.get(name, "") for name in _FILTERS}
    page = page_of(selection.of_run(opened), selection.page, selection.size)
    tags = _tags(opened.record)
    return board.render.page(
        "run.html",
        here=Here(request.url.path, chosen),
        chosen=chosen,
        opened=opened,
        run=opened.run,
        record=opened.record,
        matrix=matrix_of(opened.record),
        conclusions=conclusions_of(opened.record),
        measures=measures_of(opened.record),
        neither=NEITHER,
        tags=tags[:_MOST_TAGS],
        more_tags=max(len(tags) - _MOST_TAGS, 0),
        selection=selection,
        page=page,
        lines=[_case_line(opened, row) for row in page.items],
    )


def matrix_of(record: RunRecord) -> Matrix:
    """Return the combos of a run as a table."""
    cells: dict[tuple[str, str], list[tuple[int, ComboResult]]] = {}
    for position, combo in enumerate(record.results):
        cells.setdefault((combo.model, combo.prompt_id), []).append((position, combo))
    return Matrix(
        models=tuple(dict.fromkeys(model for model, _ in cells)),
        prompts=tuple(dict.fromkeys(prompt for _, prompt in cells)),
        cells=cells,
    )


def _tags(record: RunRecord) -> Sequence[TagLine]:
    by_combo = [{tag.tag: tag for tag in combo.tags} for combo in record.results]
    names = sorted({name for tags in by_combo for name in tags})
    return [TagLine(tag=name, results=tuple(tags.get(name) for tags in by_combo)) for name in names]


def _case_line(opened: OpenedRun, row: Row) -> CaseLine:
    case = opened.case_of(row)
    return CaseLine(row=row, combo=opened.record.results[row.combo], said=line(reason(case), 160))


def reason(case: CaseResult) -> str:
    """Return why a case did not pass, or the beginning of the answer when it did or nobody says why."""
    if case.error:
        return case.error
    if not case.passed:
        failed = next((score for run in case.runs for score in run.scores if score.passed is False), None)
        if failed is not None and failed.reason:
            return f"{failed.name}: {failed.reason[:500]}"
    return shown_run(case).response[:500]
