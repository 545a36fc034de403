"""The same in JSON, under ``/api/``: the addresses and queries of the pages, the field names of the record."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from steelyard.records import record_chunks

from .api_fields import (
    Fields,
    case_fields,
    figures_fields,
    labelled_fields,
    line_fields,
    live_fields,
    page_fields,
    run_fields,
    side_fields,
    unreadable_fields,
)
from .board import Board
from .pages.case import position
from .pages.compare import Choice, answers_of, counts_of, line_of
from .pages.live import live_or_done
from .results.runs import NotFoundError
from .results.selection import Selection, page_of

Endpoint = Callable[[Board, Request], Response]


class StrictJson(Response):
    """An answer in strict JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the bytes. What UTF-8 or JSON does not have becomes ``?`` and ``null``."""
        try:
            text = json.dumps(content, ensure_ascii=False, allow_nan=False)
        except ValueError:  # a sum that went beyond all numbers
            text = json.dumps(_finite(content), ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "replace")


def _finite(content: Any) -> Any:
    if isinstance(content, dict):
        return {key: _finite(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_finite(value) for value in content]
    return None if isinstance(content, float) and not math.isfinite(content) else content


def runs(board: Board, _request: Request) -> Response:
    """List every run, every run in progress, and what cannot be read."""
    listing = board.runs.listing()
    live, unreadable = board.live.all()
    return StrictJson(
        {
            "runs": [run_fields(run) for run in listing.runs],
            "live": [live_fields(one) for one in live],
            "unreadable": [unreadable_fields(one) for one in (*listing.unreadable, *unreadable)],
        }
    )


def run(board: Board, request: Request) -> Response:
    """Return a run as its record has it, without the cases."""
    found = board.runs.find(request.path_params["run_id"])
    record: Fields = json.loads(b"".join(record_chunks(found.record)))
    for combo in record["results"]:
        del combo["test_cases"]
    return StrictJson({"id": found.id, **record})


def cases(board: Board, request: Request) -> Response:
    """Return a page of a run's cases, chosen as on the page of the run; ``size`` up to 500."""
    opened = board.shelf.open(request.path_params["run_id"])
    selection = Selection.of(request.query_params)
    page = page_of(selection.of_run(opened), selection.page, selection.size)
    labels = [(combo.model, combo.prompt_id) for combo in opened.record.results]
    return StrictJson({**page_fields(page), "cases": [labelled_fields(row, *labels[row.combo]) for row in page.items]})


def case(board: Board, request: Request) -> Response:
    """Return one case as the record has it."""
    opened = board.shelf.open(request.path_params["run_id"])
    return StrictJson(case_fields(opened.case(*position(request))))


def compare(board: Board, request: Request) -> Response:
    """Put runs side by side, as the page does."""
    choice = Choice.of(request.query_params)
    if not choice.run_ids:
        raise NotFoundError("name the runs to compare: /api/compare?run=A&run=B")
    comparison = board.compare(choice.run_ids, choice.by, choice.base)
    page = page_of(choice.lines_of(comparison), choice.page)
    return StrictJson(
        {
            "by": comparison.by,
            "sides": [side_fields(side) for side in comparison.sides],
            "groups": [
                {
                    "model": group.label[0] if group.label else None,
                    "prompt_id": group.label[1] if group.label else None,
                    "sides": [figures_fields(figures) for figures in group.figures],
                }
                for group in comparison.groups
            ],
            "left_out": [{"model": model, "prompt_id": prompt_id} for model, prompt_id in comparison.left_out],
            "counts": dict(counts_of(comparison)),
            **page_fields(page),
            "cases": [line_fields(number, line) for number, line in page.items],
        }
    )


def compare_case(board: Board, request: Request) -> Response:
    """Return one case on all sides, in full."""
    choice = Choice.of(request.query_params)
    comparison = board.compare(choice.run_ids, choice.by, choice.base)
    number, line = line_of(comparison, request.query_params)
    answers = answers_of(comparison, line)
    return StrictJson(
        {
            **line_fields(number, line),
            "answers": [
                {
                    "side": answer.side.key,
                    "case": None if answer.case is None else case_fields(answer.case),
                    "difference": None
                    if answer.pieces is None
                    else [{"kind": piece.kind, "text": piece.text} for piece in answer.pieces],
                }
                for answer in answers
            ],
        }
    )


def live_runs(board: Board, _request: Request) -> Response:
    """List every run in progress."""
    live, unreadable = board.live.all()
    return StrictJson(
        {"live": [live_fields(one) for one in live], "unreadable": [unreadable_fields(one) for one in unreadable]}
    )


def live_run(board: Board, request: Request) -> Response:
    """Return how far a run is; only ``finished`` is told once its record is stored."""
    live = live_or_done(board, request.path_params["run_id"])
    return StrictJson({"id": request.path_params["run_id"], "finished": True} if live is None else live_fields(live))


def live_case(board: Board, request: Request) -> Response:
    """Return a case of a run in progress."""
    _, result = board.live.case(request.path_params["run_id"], *position(request))
    return StrictJson(case_fields(result))


ENDPOINTS: Final[dict[str, Endpoint]] = {
    "/api/runs": runs,
    "/api/runs/{run_id}": run,
    "/api/runs/{run_id}/cases": cases,
    "/api/runs/{run_id}/cases/{combo}/{number}": case,
    "/api/compare": compare,
    "/api/compare/case": compare_case,
    "/api/live": live_runs,
    "/api/live/{run_id}": live_run,
    "/api/live/{run_id}/cases/{combo}/{number}": live_case,
}
