"""The web application: which address leads to which page, and what is said when there is nothing there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from steelyard.errors import RecordError
from steelyard.text import one_line

from .api import ENDPOINTS as API
from .api import StrictJson
from .assets import asset, load_assets
from .board import Board
from .guard import Guard
from .pages.case import case, live_case
from .pages.compare import compare, compare_case
from .pages.live import live_run, live_runs
from .pages.overview import overview
from .pages.run import run
from .results.runs import NotFoundError

PAGES: Final[Mapping[str, Callable[[Board, Request], Response]]] = {
    "/": overview,
    "/runs/{run_id}": run,
    "/runs/{run_id}/cases/{combo}/{number}": case,
    "/compare": compare,
    "/compare/case": compare_case,
    "/live": live_runs,
    "/live/{run_id}": live_run,
    "/live/{run_id}/cases/{combo}/{number}": live_case,
}

_NOT_FOUND = 404
_UNREADABLE = 422


def application(
    results_dir: Path, *, names: Collection[str], any_address: bool, report: Callable[[str], None]
) -> ASGIApp:
    """Return the application for a results folder.

    Args:
        results_dir: The folder; it need not exist yet.
        names: The names under which it may be asked, in lower case.
        any_address: Whether it may be asked under any numeric address.
        report: Hears one line about each fault of the application.
    """
    board = Board(results_dir)
    pages = [Route(path, partial(page, board)) for path, page in {**PAGES, **API}.items()]
    routes = [*pages, Route("/static/{name}", partial(asset, load_assets()))]
    app = Starlette(
        routes=routes,
        exception_handlers={
            NotFoundError: partial(_problem, board, _NOT_FOUND),
            RecordError: partial(_problem, board, _UNREADABLE),
            HTTPException: partial(_no_such_page, board),
        },
    )
    return Guard(app, names=names, any_address=any_address, report=report)


def _no_such_page(board: Board, request: Request, error: Exception) -> Response:
    del error
    return _problem(board, _NOT_FOUND, request, NotFoundError(f"no page is at {request.url.path}"))


def _problem(board: Board, status: int, request: Request, error: Exception) -> Response:
    said = one_line(str(error), 500)
    if request.url.path.startswith("/api/"):
        return StrictJson({"error": said}, status)
    return board.render.page("problem.html", status=status, said=said)
