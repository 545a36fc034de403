"""How far stated confidence can be taken at its word, as a table, or as JSON for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .output import print_line
from .tables import print_table

if TYPE_CHECKING:
    from ..session import Figure, StatedConfidence

_UNKNOWN: Final = "-"


def print_stated(found: StatedConfidence, *, color: bool | None) -> None:
    """Print the table of confidence and outcome, and what it comes to."""
    without = f"; {found.unstated} state none" if found.unstated else ""
    print_line(f"Stated confidence against outcome: {found.count} answer(s){without}")
    print_line("")
    heads = ("Says", "Mean", "Right", "Interval (95 %)", "n")
    rows = [
        (
            f"{100 * one.low:.0f} to {100 * one.high:.0f}%",
            f"{100 * one.stated:.1f}%",
            *_share(one.right),
            str(one.count),
        )
        for one in found.bins
    ]
    print_table(heads, rows, color=color, right=heads[1:])
    print_line("")
    right, interval = _share(found.right)
    stated = _UNKNOWN if found.stated is None else f"{100 * found.stated:.1f}%"
    print_line(f"In all: says {stated}, right {right} (95 % interval {interval}).")
    print_line(f"Brier score: {_number(found.brier.value)}{_bounds(found.brier)}; 0 is perfect, 0.25 a coin's.")
    print_line(f"Skill over always saying the overall rate: {_number(found.skill)}; 1 is perfect, below 0 worse.")
    print_line(f"Mean gap between what is said and what is right: {_number(found.gap)}.")


def stated_as_json(found: StatedConfidence) -> dict[str, Any]:
    """Return the same as programs get it; shares from 0 to 1."""
    return {
        "n": found.count,
        "unstated": found.unstated,
        "brier": found.brier.value,
        "brier_low": found.brier.low,
        "brier_high": found.brier.high,
        "skill": found.skill,
        "gap": found.gap,
        "stated": found.stated,
        "right": found.right.value,
        "right_low": found.right.low,
        "right_high": found.right.high,
        "bins": [
            {
                "low": one.low,
                "high": one.high,
                "n": one.count,
                "stated": one.stated,
                "right": one.right.value,
                "right_low": one.right.low,
                "right_high": one.right.high,
            }
            for one in found.bins
        ],
    }


def _share(figure: Figure) -> tuple[str, str]:
    if figure.value is None:
        return _UNKNOWN, _UNKNOWN
    value = f"{100 * figure.value:.1f}%"
    if figure.low is None or figure.high is None:
        return value, _UNKNOWN
    return value, f"{100 * figure.low:.1f}% to {100 * figure.high:.1f}%"


def _bounds(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f" (95 % interval {figure.low:.3f} to {figure.high:.3f})"


def _number(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.3f}"
