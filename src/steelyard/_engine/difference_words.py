"""Whether a difference is real, as a sentence: in words first, then in figures."""

from __future__ import annotations

from typing import Literal

from .evidence import Differences, Evidence

Verdict = Literal["better", "worse", "inconclusive"]

CONFIDENCE = 0.95
"""How sure a difference has to be to be called one: equals are called different in at most 5 % of comparisons."""

_SMALLEST_P = 0.001


def verdict_of(found: Evidence, p_adjusted: float | None) -> Verdict:
    """Return whether the second of two is better or worse, or the cases cannot show it."""
    if not found.shows(p_adjusted, CONFIDENCE):
        return "inconclusive"
    return "better" if found.effect > 0 else "worse"


def in_words(
    found: Evidence, gains: Differences, p_adjusted: float | None, compared: int, *, everywhere: bool = True
) -> str:
    """Say whether a difference is real, and how one knows.

    Args:
        found: What the cases show.
        gains: What each case gained.
        p_adjusted: The p value, corrected for all that was compared at once.
        compared: How many comparisons the answer has to hold for at once.
        everywhere: Whether no case was scored by one run alone.
    """
    if not found.cases:
        return "nothing was scored in both runs"
    if not gains.won and not gains.lost:
        what = "score" if gains.graded else "case" if everywhere else "case that both runs scored"
        return f"no {what} changed ({_size(found)})"
    if found.p_value is None or found.low is None or found.high is None:
        if found.cases == 1:
            return "one case alone shows nothing about others (n = 1)"
        return f"all {found.cases} cases belong to one cluster, which shows nothing about others ({_size(found)})"
    verdict = verdict_of(found, p_adjusted)
    word = f"no difference that {these_cases(found.cases)} can show" if verdict == "inconclusive" else verdict
    figures = [
        f"{_subject(gains)}{100 * found.effect:+.1f} points",
        f"95 % interval {100 * found.low:+.1f} to {100 * found.high:+.1f}",
        probability(found),
    ]
    if compared > 1 and p_adjusted is not None:
        figures.append(f"{_written(p_adjusted)} corrected for {compared} combos")
    if found.doubted and (p_adjusted or 0.0) < 1 - CONFIDENCE:
        figures.append("which a bootstrap does not confirm")
    return f"{word} ({', '.join((*figures, _size(found)))})"


def unscored(cases: int, errors_before: int, errors_after: int) -> str:
    """Say of cases of which none was scored in both runs, where none was."""
    if not cases or cases not in (errors_before, errors_after):
        return "nothing was scored in both runs"
    where = (
        "either run"
        if errors_before == errors_after
        else "the second run"
        if errors_after == cases
        else "the first run"
    )
    return f"nothing was scored in {where}"


def now_breaking(count: int) -> str:
    """Say how many cases passed in the first run and could not be scored in the second; nothing of none."""
    if not count:
        return ""
    return "; 1 case that passed now breaks" if count == 1 else f"; {count} cases that passed now break"


def these_cases(count: int) -> str:
    """Return ``these 20 cases``, or of one ``this case``."""
    return "this case" if count == 1 else f"these {count} cases"


def _subject(gains: Differences) -> str:
    """Say what is compared, where it is not whether cases passed."""
    return "mean score " if gains.graded else "passed runs " if gains.repeated else ""


def probability(found: Evidence) -> str:
    """Return the p value, and where the interval beside it leaves out 0 all the same, why it goes by the p value.

    The interval is of all cases, the exact test of those alone that changed; with few of these it is the stricter.
    """
    if found.p_value is None:
        return ""
    said = _written(found.p_value)
    if found.changed is None or found.p_value < 1 - CONFIDENCE or _holds_zero(found):
        return said
    one, many = ("cluster", "clusters") if found.units < found.cases else ("case", "cases")
    counted = f"the one {one}" if found.changed == 1 else f"the {found.changed} {many}"
    return f"but {said} by the exact test, which counts only {counted} that changed"


def _holds_zero(found: Evidence) -> bool:
    return found.low is None or found.high is None or found.low <= 0 <= found.high


def _written(p_value: float) -> str:
    return f"p < {_SMALLEST_P}" if p_value < _SMALLEST_P else f"p = {p_value:.3f}"


def _size(found: Evidence) -> str:
    clusters = f" in {found.units} cluster{'' if found.units == 1 else 's'}" if found.units < found.cases else ""
    return f"n = {found.cases}{clusters}"
