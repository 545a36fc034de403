"""A calibration in words: what each figure is called, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..session import Calibration

UNKNOWN: Final = "-"
GOOD_KAPPA: Final = 0.6
AMBIGUOUS: Final = 0.4

_VERDICTS: Final = {
    "good": "good: the judge scores much as people do (Pearson at least 0.7, kappa at least 0.6)",
    "fair": "fair: the judge follows people, but not closely enough to stand for them (good is Pearson 0.7, kappa 0.6)",
    "ambiguous": "ambiguous: below 0.4 judge and people read the rubric differently; say in it what each score takes",
    "unknown": "unknown: there is too little to compare; label outputs of every kind, good ones and bad ones",
}


def figures(calibration: Calibration) -> Iterator[tuple[str, str, str, str]]:
    """Yield each figure with its name, value, interval, and how many outputs it is of."""
    confusion = calibration.confusion
    failed, passed = confusion.false_pass + confusion.both_fail, confusion.false_fail + confusion.both_pass
    count = calibration.count
    rows = (
        ("Pearson", calibration.pearson, count, False),
        ("Spearman", calibration.spearman, count, False),
        ("Kappa (pass/fail)", calibration.kappa, count, False),
        ("Kappa (1-5, quadratic)", calibration.kappa_quadratic, count, False),
        ("Agreement (pass/fail)", calibration.agreement, count, True),
        ("Bias (judge - people)", calibration.bias, count, False),
        ("False pass, of people's fails", calibration.false_pass, failed, True),
        ("False fail, of people's passes", calibration.false_fail, passed, True),
        ("Pass rate by the judge, of all", calibration.pass_rate, calibration.judged, True),
        ("Pass rate by people, estimated", calibration.pass_rate_corrected, calibration.judged, True),
    )
    for name, figure, of, is_share in rows:
        low_high = (
            UNKNOWN
            if figure.low is None or figure.high is None
            else f"{_written(figure.low, is_share=is_share)} to {_written(figure.high, is_share=is_share)}"
        )
        yield name, UNKNOWN if figure.value is None else _written(figure.value, is_share=is_share), low_high, str(of)


def subject(calibration: Calibration, judge: str | None) -> str:
    """Say what was measured."""
    named = f"Judge {judge!r}" if judge else "The scorer"
    return f"{named} against people: {calibration.count} output(s); people pass from {calibration.human_pass:g} on"


def verdict(calibration: Calibration) -> str:
    """Say what it comes to."""
    if calibration.verdict == "ambiguous" and calibration.only_score is not None:
        given = f"{calibration.only_score:.1f}".removesuffix(".0")
        return f"ambiguous: the judge gives every output the same score, {given}: it tells good from bad nowhere"
    said = _VERDICTS[calibration.verdict]
    low, high = calibration.kappa.low, calibration.kappa.high
    if low is None or high is None:
        return said
    few = f"{said}; {calibration.count} outputs are too few to be sure: kappa may be as"
    if calibration.verdict == "good" and low < GOOD_KAPPA:
        return f"{few} low as {_short_of(low, GOOD_KAPPA)}"
    if calibration.verdict == "ambiguous" and high >= AMBIGUOUS:
        return f"{few} high as {high:.2f}"
    return said


def _short_of(value: float, limit: float) -> str:
    """Write a figure with as many decimals as it takes to show that it is below the limit."""
    return next((text for digits in range(2, 9) if float(text := f"{value:.{digits}f}") < limit), repr(value))


def _written(value: float, *, is_share: bool) -> str:
    return f"{100 * value:.1f}%" if is_share else f"{value:+.2f}"
