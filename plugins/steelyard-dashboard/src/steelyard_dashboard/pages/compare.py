"""Two or more runs side by side, and one case of theirs with its answers laid next to each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response

from steelyard.api import CaseResult

from ..addresses import Here
from ..board import Board
from ..figures import block
from ..results.comparison import CHANGES, Comparison, Line, Side
from ..results.differences import Piece, differences
from ..results.rows import Row, shown_run
from ..results.runs import NotFoundError, Run
from ..results.selection import page_number, page_of, whole

MOST_RUNS = 6
_NOTHING_SHOWN = "These cases show no difference to the baseline that could not be chance."
_CHOICES = 200
"""Runs that the form offers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is to be compared, and which of it is to be seen."""

    run_ids: tuple[str, ...]
    by: str = ""
    base: str = ""
    show: str = "disagree"
    group: int | None = None
    text: str = ""
    page: int = 1

    @classmethod
    def of(cls, query: QueryParams) -> Choice:
        """Read it from the query of an address; what is not understood is left out."""
        show, by = query.get("show", ""), query.get("by", "")
        return cls(
            run_ids=tuple(dict.fromkeys(run_id for run_id in query.getlist("run") if run_id))[:MOST_RUNS],
            by=by if by in ("run", "combo") else "",
            base=query.get("base", ""),
            show=show if show in (*CHANGES, "all") else "disagree",
            group=whole(query.get("group", "")),
            text=query.get("text", "").strip(),
            page=page_number(query),
        )

    def here(self, path: str) -> Here:
        """Return the address with these choices."""
        return Here(
            path,
            {
                "run": self.run_ids,
                "by": self.by,
                "base": self.base,
                "show": self.show,
                "group": self.group,
                "text": self.text,
            },
        )

    def lines_of(self, comparison: Comparison) -> list[tuple[int, Line]]:
        """Return the lines that are to be seen, each with its number."""
        text = self.text.casefold()
        return [
            (number, line)
            for number, line in enumerate(comparison.lines)
            if (self.show == "all" or self.show in line.changes)
            and (self.group is None or line.group == self.group)
            and (not text or text in line.id.casefold())
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one side answered to a case."""

    side: Side
    row: Row | None
    case: CaseResult | None
    """``None`` where the side does not have the case."""
    pieces: tuple[Piece, ...] | None = None
    """The answer cut into what it shares with the baseline's and what differs, the baseline's against the other of two;
    ``None`` where it is not compared."""


def compare(board: Board, request: Request) -> Response:
    """Show runs side by side. Raises ``NotFoundError`` or ``RecordError``."""
    choice = Choice.of(request.query_params)
    offered = board.runs.listing().runs[:_CHOICES]
    if not choice.run_ids:
        return board.render.page("compare_choose.html", offered=offered, chosen=_latest_two(offered))
    comparison = board.compare(choice.run_ids, choice.by, choice.base)
    lines = choice.lines_of(comparison)
    return board.render.page(
        "compare.html",
        here=choice.here("/compare"),
        case_here=choice.here("/compare/case"),
        choice=choice,
        comparison=comparison,
        verdict=verdict_of(comparison),
        counts=counts_of(comparison),
        page=page_of(lines, choice.page),
        too_many=len(set(request.query_params.getlist("run"))) > MOST_RUNS,
        offered=[run for run in offered if run.id not in choice.run_ids],
    )


def _latest_two(offered: Sequence[Run]) -> tuple[str, str]:
    """Return the ids of the latest run and of the one before it: of the same benchmark, where there is one."""
    latest, *others = [run.id for run in offered[:2]] or [""]
    alike = [run.id for run in offered[1:] if run.record.benchmark == offered[0].record.benchmark]
    return next(iter([*alike, *others]), latest), latest


def compare_case(board: Board, request: Request) -> Response:
    """Show one case on all sides. Raises ``NotFoundError`` or ``RecordError``."""
    choice = Choice.of(request.query_params)
    comparison = board.compare(choice.run_ids, choice.by, choice.base)
    number, line = line_of(comparison, request.query_params)
    numbers = [position for position, _ in choice.lines_of(comparison)]
    before = max((position for position in numbers if position < number), default=None)
    after = min((position for position in numbers if position > number), default=None)
    return board.render.page(
        "compare_case.html",
        here=choice.here("/compare/case"),
        back=choice.here("/compare").but(),
        comparison=comparison,
        group=comparison.groups[line.group],
        number=number,
        line=line,
        answers=answers_of(comparison, line),
        before=before,
        after=after,
    )


def verdict_of(comparison: Comparison) -> str:
    """Say in a sentence how many differences are real; empty where nothing is compared with anything."""
    found = comparison.differences
    if not any(one.cases for one in found):
        return "No case was scored on both sides, so nothing can be said." if found else ""
    better, worse = (sum(one.verdict == verdict for one in found) for verdict in ("better", "worse"))
    if len(found) == 1:
        return f"Really {found[0].verdict} than the baseline." if better or worse else _NOTHING_SHOWN
    if not better and not worse:
        return f"{_NOTHING_SHOWN[:-1]}, in any of {len(found)} comparisons."
    kinds = ((better, "really better"), (worse, "really worse"), (len(found) - better - worse, "undecided"))
    said = ", ".join(f"{count} {kind}" for count, kind in kinds if count)
    return f"Of {len(found)} comparisons with the baseline: {said}."


def counts_of(comparison: Comparison) -> Mapping[str, int]:
    """Return how many cases show each change."""
    return {change: comparison.count(change) for change in CHANGES}


def line_of(comparison: Comparison, query: QueryParams) -> tuple[int, Line]:
    """Return the line that an address names, with its number. Raises ``NotFoundError``."""
    number = whole(query.get("line", ""))
    if number is None or number >= len(comparison.lines):
        raise NotFoundError("no such case in this comparison")
    return number, comparison.lines[number]


def answers_of(comparison: Comparison, line: Line) -> list[Answer]:
    """Return what each side answered, and where it differs from the baseline. Raises ``RecordError``."""
    cases = [
        None if row is None else side.opened.case_of(row) for side, row in zip(comparison.sides, line.rows, strict=True)
    ]
    cut = [_cut(cases[0], case) if side else None for side, case in enumerate(cases)]
    pieces = [one[1] if one else None for one in cut]
    if len(cut) == 2 and cut[1]:  # noqa: PLR2004 - of several others, none is the one to cut the baseline's against
        pieces[0] = cut[1][0]
    return [
        Answer(side=side, row=row, case=case, pieces=piece)
        for side, row, case, piece in zip(comparison.sides, line.rows, cases, pieces, strict=True)
    ]


def _cut(base: CaseResult | None, case: CaseResult | None) -> tuple[tuple[Piece, ...], tuple[Piece, ...]] | None:
    if base is None or case is None:
        return None
    return differences(block(shown_run(base).response), block(shown_run(case).response))
