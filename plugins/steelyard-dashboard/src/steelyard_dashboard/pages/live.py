"""Runs in progress: all of them, and one with its progress, its combos and what finished last."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from steelyard.errors import RecordError

from ..addresses import run_address
from ..board import Board
from ..results.live import QUIET_S, LiveRun, now_s
from ..results.runs import NotFoundError


def live_runs(board: Board, _request: Request) -> Response:
    """Show every run without a record."""
    live, unreadable = board.live.all()
    return board.render.page("live_list.html", live=live, unreadable=unreadable, now_s=now_s(), quiet_s=QUIET_S)


def live_run(board: Board, request: Request) -> Response:
    """Show a run in progress, or lead to its record when it is done. Raises ``NotFoundError`` or ``RecordError``."""
    run_id = request.path_params["run_id"]
    live = live_or_done(board, run_id)
    if live is None:
        return RedirectResponse(run_address(run_id), 303)
    return board.render.page("live.html", live=live, now_s=now_s(), quiet_s=QUIET_S)


def live_or_done(board: Board, run_id: str) -> LiveRun | None:
    """Return a run in progress, or ``None`` when it is done. Raises ``NotFoundError`` or ``RecordError``."""
    try:
        return board.live.find(run_id)
    except (NotFoundError, RecordError):
        # A run stores its record and then drops its journal, at any moment, this one included.
        if run_id in board.runs.folder.contents().records:
            return None
        raise
