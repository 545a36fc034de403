"""A case: prompt, answer, what each scorer said, what it took, its repeats and its conversation."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from ..addresses import Here
from ..board import Board
from ..results.opened import OpenedRun
from ..results.rows import Row, row_of
from ..results.runs import NotFoundError
from ..results.selection import Selection, whole

_FILTERS = ("combo", "verdict", "tag", "scorer", "text", "sort")


def case(board: Board, request: Request) -> Response:
    """Show a case of a run. Raises ``NotFoundError`` or ``RecordError``."""
    opened = board.shelf.open(request.path_params["run_id"])
    combo, number = position(request)
    result = opened.case(combo, number)
    chosen = {name: request.query_params.get(name, "") for name in _FILTERS}
    rows = Selection.of(request.query_params).of_run(opened)
    before, after, place = _neighbours(rows, combo, number)
    return board.render.page(
        "case.html",
        here=Here(request.url.path, chosen),
        run=opened.run,
        back=Here(f"{request.url.path.rsplit('/cases/', 1)[0]}", chosen).but(),
        case=result,
        row=row_of(combo, number, result),
        combos=opened.record.results,
        elsewhere=_elsewhere(opened, result.id, combo),
        chosen=chosen,
        before=before,
        after=after,
        place=place,
        total=len(rows),
    )


def live_case(board: Board, request: Request) -> Response:
    """Show a case of a run in progress. Raises ``NotFoundError`` or ``RecordError``."""
    combo, number = position(request)
    live, result = board.live.case(request.path_params["run_id"], combo, number)
    return board.render.page("live_case.html", live=live, case=result, row=row_of(combo, number, result))


def position(request: Request) -> tuple[int, int]:
    """Return the combo and the number of the case that an address names. Raises ``NotFoundError``."""
    combo, number = (whole(request.path_params[name]) for name in ("combo", "number"))
    if combo is None or number is None:
        raise NotFoundError("a case is named by two whole numbers: that of its combo and its own")
    return combo, number


def _neighbours(rows: list[Row], combo: int, number: int) -> tuple[Row | None, Row | None, int | None]:
    """Return the rows before and after a case in the list that it was opened from, and its place there, from 1."""
    place = next((i for i, row in enumerate(rows) if (row.combo, row.number) == (combo, number)), None)
    if place is None:
        return None, None, None
    before = rows[place - 1] if place > 0 else None
    after = rows[place + 1] if place + 1 < len(rows) else None
    return before, after, place + 1


def _elsewhere(opened: OpenedRun, case_id: str, combo: int) -> list[Row]:
    """Return the same case under the other combos."""
    return [row for row in opened.rows if row.id == case_id and row.combo != combo]
