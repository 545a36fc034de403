"""Two or more runs side by side: per combo the figures, per case what became of it in each.

The sides are either runs, where each model and prompt is compared with itself, or combos, where all are compared with
one another. The first side is the baseline. A case that could not be scored is neither a regression nor an improvement.
Whether a difference is real is steelyard's own answer, corrected for all that stands on the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from steelyard.api import ComboResult, Difference
from steelyard.comparison import compare_combos

from .opened import OpenedRun
from .rows import Row

MOST_SIDES: Final = 12
CHANGES: Final = ("regressed", "improved", "new_error", "recovered", "disagree", "reworded", "missing")
"""What a line may show, in the order of interest; see :attr:`Line.changes`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of the things that are compared."""

    key: str
    """What an address calls it."""
    opened: OpenedRun
    combo: int | None = None
    """The combo that it is; ``None`` for a whole run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One combo on one side, and how it stands to the baseline; counts are of the cases that both have."""

    combo: ComboResult | None
    """``None`` where the side does not have it."""
    regressed: int = 0
    improved: int = 0
    new_errors: int = 0
    recovered: int = 0
    difference: Difference | None = None
    """Whether it differs from the baseline; ``None`` for the baseline, and where one of the two does not have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What is compared with itself: a combo under each side, or everything."""

    label: tuple[str, str] | None
    """Model and prompt; ``None`` when the sides are combos."""
    figures: tuple[Figures, ...]
    """One for each side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One case on every side."""

    group: int
    id: str
    rows: tuple[Row | None, ...]
    """One for each side; ``None`` where the side does not have the case."""
    changes: frozenset[str]
    """``regressed``, ``improved``, ``new_error``, ``recovered``: against the baseline, on any side. ``disagree``: not
    all verdicts are the same. ``reworded``: not all answers are. ``missing``: not every side has the case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Everything side by side."""

    by: str
    """``run`` or ``combo``."""
    sides: tuple[Side, ...]
    groups: tuple[Group, ...]
    lines: tuple[Line, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    """Combos that only one of the runs has."""

    @property
    def differences(self) -> list[Difference]:
        """All differences to baselines."""
        return [figures.difference for group in self.groups for figures in group.figures if figures.difference]

    @property
    def tested(self) -> int:
        """How many differences the answers hold for at once."""
        return sum(found.p_value is not None for found in self.differences)

    def count(self, change: str) -> int:
        """How many cases show this change."""
        return sum(change in line.changes for line in self.lines)


def compared(runs: Sequence[OpenedRun], by: str = "", base: str = "") -> Comparison:
    """Put runs side by side.

    Args:
        runs: At least one, at most ``MOST_SIDES``; one is compared combo by combo.
        by: ``run`` or ``combo``; when empty, or when the runs share no combo, what suits them.
        base: The key of the side that is the baseline; the first one when there is none of that key.
    """
    shared, single = _combo_keys(runs)
    if by != "combo" and len(runs) > 1 and shared:
        sides = _ordered([Side(key=opened.run.id, opened=opened) for opened in runs], base)
        places = [[_place(side.opened, key) for side in sides] for key in shared]
        return _comparison("run", sides, shared, places, left_out=tuple(single))
    every = [
        Side(key=f"{opened.run.id}:{combo}", opened=opened, combo=combo)
        for opened in runs
        for combo in range(len(opened.record.results))
    ]
    sides = _ordered(every[:MOST_SIDES], base)
    return _comparison("combo", sides, [None], [[side.combo for side in sides]], left_out=())


def _comparison(
    by: str,
    sides: tuple[Side, ...],
    labels: Sequence[tuple[str, str] | None],
    places: Sequence[Sequence[int | None]],
    left_out: tuple[tuple[str, str], ...],
) -> Comparison:
    indexes = [_by_combo(side.opened) for side in sides]
    groups: list[Group] = []
    lines: list[Line] = []
    for number, (label, combos) in enumerate(zip(labels, places, strict=True)):
        rows = [index.get(combo, {}) if combo is not None else {} for index, combo in zip(indexes, combos, strict=True)]
        results = [
            None if combo is None else side.opened.record.results[combo]
            for side, combo in zip(sides, combos, strict=True)
        ]
        groups.append(Group(label=label, figures=tuple(_figures(results, rows, side) for side in range(len(sides)))))
        keys = dict.fromkeys(key for of_side in rows for key in of_side)
        lines += [_line(number, key[0], tuple(of_side.get(key) for of_side in rows)) for key in keys]
    return Comparison(by=by, sides=sides, groups=_tested(groups), lines=tuple(lines), left_out=left_out)


def _tested(groups: Sequence[Group]) -> tuple[Group, ...]:
    """Ask of every figure whether it differs from its baseline, all in one question, so that chance is counted once."""
    pairs = [pair for group in groups for pair in _pairs(group) if pair is not None]
    found = iter(compare_combos(pairs))
    return tuple(
        replace(
            group,
            figures=tuple(
                figures if pair is None else replace(figures, difference=next(found))
                for figures, pair in zip(group.figures, _pairs(group), strict=True)
            ),
        )
        for group in groups
    )


def _pairs(group: Group) -> Iterable[tuple[ComboResult, ComboResult] | None]:
    """Yield for each side the two combos that are to be told apart; ``None`` where there are none."""
    for side, figures in enumerate(group.figures):
        base = group.figures[0].combo
        yield None if not side or base is None or figures.combo is None else (base, figures.combo)


def _combo_keys(runs: Sequence[OpenedRun]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return the combos that several runs have, in the order of the last run, and those that only one has."""
    count: dict[tuple[str, str], int] = {}
    for opened in reversed(runs):
        for key in dict.fromkeys((combo.model, combo.prompt_id) for combo in opened.record.results):
            count[key] = count.get(key, 0) + 1
    return [key for key, times in count.items() if times > 1], [key for key, times in count.items() if times == 1]


def _ordered(sides: Sequence[Side], base: str) -> tuple[Side, ...]:
    return tuple(sorted(sides, key=lambda side: side.key != base))


def _place(opened: OpenedRun, key: tuple[str, str]) -> int | None:
    places = (i for i, combo in enumerate(opened.record.results) if (combo.model, combo.prompt_id) == key)
    return next(places, None)


_Key = tuple[str, int]
"""A case's id, and how many cases of that id came before it: files of other tools do have the same one twice."""


def _by_combo(opened: OpenedRun) -> dict[int, dict[_Key, Row]]:
    found: dict[int, dict[_Key, Row]] = {}
    seen: dict[tuple[int, str], int] = {}
    for row in opened.rows:
        before = seen.get((row.combo, row.id), 0)
        seen[row.combo, row.id] = before + 1
        found.setdefault(row.combo, {})[row.id, before] = row
    return found


def _figures(results: Sequence[ComboResult | None], rows: Sequence[dict[_Key, Row]], side: int) -> Figures:
    base, mine = results[0], results[side]
    if side == 0 or base is None or mine is None:
        return Figures(combo=mine)
    changes = [_change(rows[0][key], row) for key, row in rows[side].items() if key in rows[0]]
    return Figures(
        combo=mine,
        regressed=changes.count("regressed"),
        improved=changes.count("improved"),
        new_errors=changes.count("new_error"),
        recovered=changes.count("recovered"),
    )


def _change(before: Row, after: Row) -> str:
    """Return what became of a case that both sides have; empty when nothing did."""
    if not before.scored:
        return "recovered" if after.scored else ""
    if not after.scored:
        return "new_error"
    if before.passed == after.passed:
        return ""
    return "regressed" if before.passed else "improved"


def _line(group: int, case_id: str, rows: tuple[Row | None, ...]) -> Line:
    present = [row for row in rows if row is not None]
    base, others = rows[0], [row for row in rows[1:] if row is not None]
    changes = set(_changes(base, others))
    if len(present) < len(rows):
        changes.add("missing")
    if len({row.verdict for row in present}) > 1:
        changes.add("disagree")
    if len({row.answer for row in present}) > 1:
        changes.add("reworded")
    return Line(group=group, id=case_id, rows=rows, changes=frozenset(changes - {""}))


def _changes(base: Row | None, others: Iterable[Row]) -> Iterable[str]:
    return [] if base is None else [_change(base, other) for other in others]
