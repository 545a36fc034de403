"""A comparison in words: the cells of its table, whether a difference is real, and the sentence at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..api import JsonValue
    from ..session import ComboChange, Comparison

COLUMNS: Final = ("Model", "Prompt", "Quality", "Quality Δ", "Cost Δ", "Notes")
FIGURES: Final = ("Quality", "Quality Δ", "Cost Δ")

_VERDICTS: Final = {"better": "better", "worse": "worse", "inconclusive": "undecided"}
_SHOWN_COMBOS: Final = 3
_UNKNOWN: Final = "-"
_STABLE: Final = "stable"
_STABLE_POINTS: Final = 0.05
_STABLE_USD: Final = 0.00005


def title(comparison: Comparison) -> str:
    """Return what is compared: ``DELTA: run a → run b``."""
    return f"DELTA: {comparison.before.run_id} → {comparison.after.run_id}"


def row(change: ComboChange) -> tuple[str, ...]:
    """Return the cells of one combo, one for each of ``COLUMNS``."""
    quality = f"{_percent(change.score_before)} → {_percent(change.score_after)}"
    if not change.comparable:
        return change.model, change.prompt_id, quality, _UNKNOWN, _UNKNOWN, f"not compared: {missing(change)}"
    return change.model, change.prompt_id, quality, _delta(change), _cost(change), _notes(change)


def evidence(comparison: Comparison) -> Iterator[str]:
    """Yield for each combo that was compared whether its difference is real, and how one knows."""
    for change in comparison.combos:
        if change.comparable:
            yield f"{label(change)}: {change.message}"
            if change.score_message:
                yield f"{label(change)}: {change.score_message}"


def verdict(comparison: Comparison) -> str:
    """Return the sentence that sums up: on how many of the shared combos the second run is better."""
    improved = sum(combo.improved for combo in comparison.combos)
    said = f"Verdict: Run B improves quality on {improved}/{len(comparison.combos)} shared combo(s)."
    other_cases = sum(not combo.pairs.same_cases for combo in comparison.left_out)
    reasons = (
        (other_cases, "the runs have different test cases"),
        (len(comparison.left_out) - other_cases, "cases broke with errors in one of the runs"),
    )
    return " ".join([said, *(f"{count} combo(s) left out: {why}." for count, why in reasons if count)])


def shown(comparison: Comparison) -> str:
    """Return what the tests make of all shared combos: how many are better or worse beyond chance, and the rest."""
    compared = [change for change in comparison.combos if change.comparable]
    moved = [change for change in compared if not _unmoved(change)]
    counts: Counter[str] = Counter(change.verdict for change in moved)
    said = [f"{counts[verdict]} {word}" for verdict, word in _VERDICTS.items()]
    others = ((len(compared) - len(moved), "unchanged"), (len(comparison.combos) - len(compared), "not compared"))
    said += [f"{count} {word}" for count, word in others if count]
    scores: Counter[str] = Counter(change.score_verdict for change in moved if change.score_verdict)
    if scores:
        said[-1] += "; by mean score " + ", ".join(f"{scores[verdict]} {word}" for verdict, word in _VERDICTS.items())
    broken = sum(len(change.pairs.lost_to_errors) for change in compared)
    if broken:
        said[-1] += f"; {broken} case(s) that passed now break"
    return f"Beyond chance: {', '.join(said)}."


def _unmoved(change: ComboChange) -> bool:
    """Whether no case of a combo came out otherwise, neither in its score nor by an error."""
    pairs = change.pairs
    gains = (pairs.all_differences, pairs.scored_differences, pairs.score_differences)
    return change.same_scored_cases and pairs.scored > 0 and not any(gain.won or gain.lost for gain in gains)


def nothing_in_common(comparison: Comparison) -> str:
    """Say that there is nothing to compare, and what the runs have instead; empty where they share a combo."""
    if comparison.combos:
        return ""
    has = (_names(comparison.only_before), _names(comparison.only_after))
    return f"no combo in common (A has {has[0]}; B has {has[1]})"


def _names(combos: Sequence[tuple[str, str]]) -> str:
    named = [f"{model} / {prompt_id}" for model, prompt_id in combos[:_SHOWN_COMBOS]]
    more = f" and {len(combos) - _SHOWN_COMBOS} more" if len(combos) > _SHOWN_COMBOS else ""
    return (", ".join(named) or "none") + more


def lonely(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each combo that only one of the runs has."""
    for label, combos in (("A", comparison.only_before), ("B", comparison.only_after)):
        for model, prompt_id in combos:
            yield f"{model} / {prompt_id}: only in run {label}, not compared"


def renamed(comparison: Comparison) -> Iterator[str]:
    """Yield a line for each combo that is compared with one of another name."""
    for change in comparison.combos:
        if change.called_before:
            yield f"{label(change)}: was {change.called_before} in run A; the only one of each is compared"


def transitions(change: ComboChange) -> Iterator[tuple[str, list[str]]]:
    """Yield what became of cases, each kind with the ids of its cases; kinds without cases are left out."""
    pairs = change.pairs
    kinds = (
        ("regressed", pairs.regressed),
        ("improved", pairs.improved),
        ("new error", pairs.new_errors),
        ("recovered", pairs.recovered),
    )
    return ((kind, ids) for kind, ids in kinds if ids)


def tally(comparison: Comparison) -> str:
    """Return the counts over all combos of what became of their cases."""
    counts = {"regressed": 0, "improved": 0, "new error": 0, "recovered": 0}
    for change in comparison.combos:
        for kind, ids in transitions(change):
            counts[kind] += len(ids)
    total = sum(change.pairs.total for change in comparison.combos)
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    return f"All shared combos: {said}, {total - sum(counts.values())} unchanged."


def label(change: ComboChange) -> str:
    """Return the name of a combo: ``model / prompt``."""
    return f"{change.model} / {change.prompt_id}"


def missing(change: ComboChange) -> str:
    """Say how the cases of a combo differ between the runs; empty when they are the same."""
    pairs = change.pairs
    sides = ((pairs.only_before, "A"), (pairs.only_after, "B"))
    said = ", ".join(f"{count} only in {side}" for count, side in sides if count)
    return f"different test cases ({said})" if said else "" if pairs.total else "no test cases"


def filters_text(filters: Mapping[str, JsonValue]) -> str:
    """Say which part of a benchmark a run was of: ``limit 2``, ``tags smoke``, ``everything``."""
    said = []
    for name, value in filters.items():
        listed = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        said.append(f"{name} {listed}")
    return ", ".join(said) or "everything"


def points_text(value: Fraction, beyond: Fraction) -> str:
    """Return points with one decimal, or as many as it takes to show that they are more than ``beyond``."""
    for digits in range(1, 16):
        text = f"{float(value):.{digits}f}"
        if Fraction(text) > beyond:
            return text
    return repr(float(value))


def _percent(score: float | None) -> str:
    return _UNKNOWN if score is None else f"{score:.1f}%"


def _delta(change: ComboChange) -> str:
    delta = change.delta
    if delta is None:
        return _UNKNOWN
    if abs(delta) <= _STABLE_POINTS:
        return _STABLE
    return f"{delta:+.1f}% {'↑' if delta > 0 else '↓'}"


def _cost(change: ComboChange) -> str:
    delta = change.cost_delta
    if delta is None:
        return _UNKNOWN
    if abs(delta) < _STABLE_USD:
        return _STABLE
    return f"{delta:+.4f} {'↑' if delta > 0 else '↓'}"


def _notes(change: ComboChange) -> str:
    notes = [missing(change)] if missing(change) else []
    if change.errors_before != change.errors_after:
        notes.append(f"pipeline errors {change.errors_before} → {change.errors_after}")
    elif change.pairs.new_errors:
        notes.append(f"pipeline errors {change.errors_before} → {change.errors_after}, in other cases")
    return "; ".join(notes)
