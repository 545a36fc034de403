"""A comparison as a table, as Markdown for a pull request, or as JSON for a program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..text import markdown_cell, one_line
from .comparison_words import (
    COLUMNS,
    FIGURES,
    evidence,
    label,
    lonely,
    nothing_in_common,
    row,
    shown,
    tally,
    title,
    transitions,
    verdict,
)
from .output import print_line
from .tables import print_table

if TYPE_CHECKING:
    from ..session import ComboChange, Comparison


def print_as_text(comparison: Comparison, *, detailed: bool, color: bool | None) -> None:
    """Print the table, the cases that changed if they are wanted, and the sentences that sum up."""
    nothing = nothing_in_common(comparison)
    if nothing:
        print_line(one_line(title(comparison)))
        print_line(one_line(f"Nothing to compare: {nothing}"))
        return
    rows = [row(change) for change in comparison.combos]
    uncertain = {index for index, change in enumerate(comparison.combos) if not change.same_scored_cases}
    print_table(COLUMNS, rows, color=color, title=title(comparison), right=FIGURES, marked=uncertain)
    for line in lonely(comparison):
        print_line(one_line(line))
    print_line("")
    for line in evidence(comparison):
        print_line(one_line(line))
    if detailed:
        for line in _details(comparison):
            print_line(one_line(line) if line else "")
    print_line("")
    print_line(verdict(comparison))
    print_line(shown(comparison))


def _details(comparison: Comparison) -> Iterator[str]:
    for change in comparison.combos:
        kinds = list(transitions(change))
        if kinds:
            yield ""
            yield label(change)
        for kind, ids in kinds:
            for case_id in ids:
                yield f"- {kind}: {case_id}"
    yield ""
    yield tally(comparison)


def print_as_markdown(comparison: Comparison, *, detailed: bool) -> None:
    """Print the same in GitHub's Markdown."""
    print_line(f"### {markdown_cell(title(comparison))}\n")
    nothing = nothing_in_common(comparison)
    if nothing:
        print_line(f"**Nothing to compare: {markdown_cell(nothing)}**\n")
        return
    print_line("| " + " | ".join(COLUMNS) + " |")
    print_line("| " + " | ".join("---:" if name in FIGURES else "---" for name in COLUMNS) + " |")
    for change in comparison.combos:
        print_line("| " + " | ".join(markdown_cell(cell) for cell in row(change)) + " |")
    more = [f"- {line}" for line in (*lonely(comparison), *evidence(comparison))]
    print_line("")
    for line in [*more, *(_details(comparison) if detailed else ())]:
        print_line(f"- {markdown_cell(line[2:])}" if line.startswith("- ") else markdown_cell(line))
    print_line(f"\n**{markdown_cell(verdict(comparison))}**\n")
    print_line(f"**{markdown_cell(shown(comparison))}**\n")


def as_json(comparison: Comparison) -> dict[str, Any]:
    """Return the comparison as programs get it; scores, differences and bounds are points from 0 to 100."""
    return {
        "a": comparison.before.run_id,
        "b": comparison.after.run_id,
        "comparable": comparison.comparable,
        "combos": [_combo(change) for change in comparison.combos],
    }


def _mean_score(change: ComboChange) -> dict[str, Any] | None:
    """Return how the scores differ; ``None`` where they say no more than pass and fail."""
    found = change.score_evidence
    if found is None:
        return None
    return {
        "n_paired": found.cases,
        "score_a": _points(found.before),
        "score_b": _points(found.after),
        "delta": _points(found.effect),
        "delta_low": _points(found.low),
        "delta_high": _points(found.high),
        "n_independent": found.units,
        "p_value": found.p_value,
        "p_adjusted": change.score_p_adjusted,
        "method": found.method,
        "verdict": change.score_verdict,
    }


def _points(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _combo(change: ComboChange) -> dict[str, Any]:
    return {
        "model": change.model,
        "prompt_id": change.prompt_id,
        "n_paired": change.pairs.scored,
        "score_a": change.score_before,
        "score_b": change.score_after,
        "score_delta": change.delta,
        # From here on of the cases that both could score, and by the share of passed runs where cases were repeated:
        # delta is rate_b - rate_a, and bounds, p and verdict are about that.
        "measure": "runs" if change.repeated else "cases",
        "rate_a": _points(change.evidence.before),
        "rate_b": _points(change.evidence.after),
        "delta": change.effect,
        "delta_low": change.delta_low,
        "delta_high": change.delta_high,
        "n_independent": change.evidence.units,
        "p_value": change.p_value,
        "p_adjusted": change.p_adjusted,
        "method": change.method,
        "verdict": change.verdict,
        "mean_score": _mean_score(change),
        "regressed": change.pairs.regressed,
        "improved": change.pairs.improved,
        "new_errors": change.pairs.new_errors,
        "recovered": change.pairs.recovered,
    }
