"""What a combo comes to beyond its score, as tables that every report can show: labels, panels of judges, repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from steelyard.api import ComboResult, JudgeResult, LabelsResult, PanelResult

from .figures import UNKNOWN, interval, money, percent

MOST_ACROSS = 12
"""Labels that a confusion table has room for; of more, the most frequent confusions are listed."""

_RELIABLE, _TENTATIVE = 0.8, 0.667


@dataclass(frozen=True, slots=True)
class Measure:
    """A table with its title, and a line below it."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Figures in all columns but the first."""
    note: str = ""


def measures(combo: ComboResult) -> Iterator[Measure]:
    """Yield the tables of a combo; most have none."""
    if combo.run_score is not None:
        of = combo.runs if combo.scored_runs is None else combo.scored_runs
        row = (percent(combo.run_score), interval(combo.run_score_low, combo.run_score_high), str(of))
        yield Measure("Runs passed", ("", "Share", "95 % interval", "Runs"), (("all cases", *row),))
    if combo.pass_at:
        yield _pass_at(combo)
    if combo.clusters is not None:
        effective = UNKNOWN if combo.effective_cases is None else f"{combo.effective_cases:.1f}"
        row = (str(combo.scored), str(combo.clusters), effective)
        note = "The interval of the score is that of as many unrelated cases." if combo.effective_cases else ""
        if combo.clusters == 1:
            note = "One cluster cannot show how another would do: the score has no interval."
        yield Measure("Clusters", ("", "Scored", "Clusters", "Worth unrelated"), (("cases", *row),), note)
    if combo.labels is not None:
        yield _labels(combo.labels)
        yield _confusion(combo.labels)
    if combo.panel is not None:
        yield _panel(combo.panel)


def _pass_at(combo: ComboResult) -> Measure:
    rows = tuple(
        (
            str(one.k),
            str(one.cases),
            _share(one.some, one.some_low, one.some_high),
            _share(one.every, one.every_low, one.every_high),
        )
        for one in combo.pass_at
    )
    note = "On average over cases, with 95 % intervals: what is elsewhere called pass-at-k, and pass-hat-k."
    return Measure("Of several runs of a case", ("Runs", "Cases", "At least one passes", "All pass"), rows, note)


def _labels(found: LabelsResult) -> Measure:
    rows: list[tuple[str, ...]] = [
        (
            label.label,
            str(label.expected),
            str(label.predicted),
            _share(label.precision, label.precision_low, label.precision_high),
            _share(label.recall, label.recall_low, label.recall_high),
            _share(label.f1, label.f1_low, label.f1_high),
        )
        for label in found.labels
    ]
    total, given = str(found.answers), str(found.answers - sum(found.other))
    macro = (
        _share(found.macro_precision, found.macro_precision_low, found.macro_precision_high),
        _share(found.macro_recall, found.macro_recall_low, found.macro_recall_high),
        _share(found.macro_f1, found.macro_f1_low, found.macro_f1_high),
    )
    weighted = (
        _share(found.weighted_precision, found.weighted_precision_low, found.weighted_precision_high),
        _share(found.weighted_recall, found.weighted_recall_low, found.weighted_recall_high),
        _share(found.weighted_f1, found.weighted_f1_low, found.weighted_f1_high),
    )
    rows += [("macro average", total, given, *macro), ("weighted average", total, given, *weighted)]
    headings = ("Label", "Expected", "Given", "Precision", "Recall", "F1")
    return Measure("Labels", headings, tuple(rows), "Counted over scored answers, with 95 % intervals.")


def _confusion(found: LabelsResult) -> Measure:
    names = [label.label for label in found.labels]
    if len(names) > MOST_ACROSS:
        return _confusions(found, names)
    rows = tuple(
        (name, *map(str, counts), str(other))
        for name, counts, other in zip(names, found.confusion, found.other, strict=True)
    )
    return Measure("Which label was given where which was expected", ("Expected", *names, "(none of them)"), rows)


def _confusions(found: LabelsResult, names: Sequence[str]) -> Measure:
    pairs = [
        (count, wanted, given)
        for wanted, counts, other in zip(names, found.confusion, found.other, strict=True)
        for given, count in zip((*names, "(none of them)"), (*counts, other), strict=True)
        if count and wanted != given
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1:]))
    rows = tuple((wanted, given, str(count)) for count, wanted, given in pairs[:MOST_ACROSS])
    return Measure("Most frequent confusions", ("Expected", "Given", "Answers"), rows)


def _panel(found: PanelResult) -> Measure:
    rows = tuple(
        (
            judge.model,
            str(judge.scored),
            _mean(judge),
            _share(judge.passed / judge.scored if judge.scored else None, judge.passed_low, judge.passed_high),
            money(judge.cost_usd),
        )
        for judge in found.judges
    )
    return Measure("Judges", ("Judge", "Answers", "Mean score", "Passed", "Cost"), rows, _agreement(found))


def _agreement(found: PanelResult) -> str:
    of = f"over {found.outputs} answer(s)"
    if found.alpha is None:
        return f"Their scores never differ {of}, so nothing can be said of their agreement."
    bounds = "" if found.alpha_low is None else f" (95 % interval {found.alpha_low:.2f} to {found.alpha_high:.2f})"
    word = "reliable" if found.alpha >= _RELIABLE else "tentative" if found.alpha >= _TENTATIVE else "unreliable"
    return f"Agreement: Krippendorff's alpha {found.alpha:.2f}{bounds} {of}: {word}."


def _mean(judge: JudgeResult) -> str:
    if judge.mean_score_low is None or judge.mean_score_high is None:
        return f"{judge.mean_score:.2f}"
    return f"{judge.mean_score:.2f} ({judge.mean_score_low:.2f}–{judge.mean_score_high:.2f})"


def _share(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return UNKNOWN
    if low is None or high is None:
        return _percent(value)
    return f"{_percent(value)} ({interval(100 * low, 100 * high)})"


def _percent(value: float) -> str:
    return percent(100 * value)
