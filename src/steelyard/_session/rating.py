"""Which outputs of a run both a judge and a person scored, and which a person may still score."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from .._engine.calibration import Rated, on_human_scale
from ..api import Case, CaseResult, CaseRun, ComboResult, RunRecord, ScoreResult, Status
from ..errors import UsageError
from .labels import Label

_JUDGED = "judge_score"
"""The detail by which a scorer says that a judge scored."""

_CRITERIA = ("criteria", "rubric")
"""The options by which a scorer is told what to look for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which outputs of a run are meant; empty for all."""

    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    scorer: str | None = None
    """The label of the scorer that is measured; ``None`` for the judge, or what there is."""

    def takes(self, combo: ComboResult) -> bool:
        """Whether a combo is meant."""
        return (not self.models or combo.model in self.models) and (not self.prompts or combo.prompt_id in self.prompts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """What was found to compare."""

    rated: tuple[Rated, ...]
    others: tuple[tuple[str, bool], ...]
    """Outputs that a judge alone scored: the id of the case, and whether it passed."""
    combos: int
    """How many combos the outputs are of."""
    unnamed: bool
    """Whether some human scores do not say which combo's output they are of."""
    unmatched: tuple[str, ...]
    """Ids of labels that name no output that a judge scored."""
    repeated: int = 0
    """How many outputs several labels are about."""


def ratings(record: RunRecord, labels: Sequence[Label], choice: Choice) -> Ratings:
    """Put the scores of judge and people side by side.

    Args:
        record: The run. A ``human_score`` in it counts where no label names the output.
        labels: Scores from elsewhere; of several that say equally closely which output they are about, the mean.
        choice: Which outputs are meant.
    """
    by_id: dict[str, list[Label]] = {}
    for label in labels:
        by_id.setdefault(label.id.strip(), []).append(label)  # spreadsheets are full of blanks that nobody sees
    found: list[Rated] = []
    others: list[tuple[str, bool]] = []
    combos: set[tuple[str, str]] = set()
    unnamed, repeated = False, 0
    for case in _judged(record, choice):
        mine = _closest(by_id.get(case.id.strip(), ()), case)
        human = fmean(label.human_score for label in mine) if mine else case.human_score
        scores = list(_scores(case, choice.scorer))
        if not scores:
            continue
        if human is None:
            others.append((case.id, _passed(scores)))
            continue
        found.append(_rated(case, scores, human))
        combos.add((case.model, case.prompt_id))
        unnamed |= not mine or mine[-1].model is None
        repeated += len(mine) > 1
    known = {one.id.strip() for one in found}
    return Ratings(
        rated=tuple(found),
        others=tuple(others),
        combos=len(combos),
        unnamed=unnamed,
        unmatched=tuple(dict.fromkeys(label.id for label in labels if label.id.strip() not in known)),
        repeated=repeated,
    )


def _closest(labels: Sequence[Label], case: CaseResult) -> list[Label]:
    """Return the labels of an output: those that name its combo, if any do."""
    mine = [label for label in labels if label.names(case.model, case.prompt_id)]
    most = max((label.closeness for label in mine), default=0)
    return [label for label in mine if label.closeness == most]


def to_label(record: RunRecord, labels: Sequence[Label], choice: Choice, seed: int) -> list[CaseResult]:
    """Return the cases that a person has not scored yet, in an order that tells nothing about who answered."""
    done = {(label.id, label.model, label.prompt_id) for label in labels}
    cases = [
        case
        for case in _judged(record, choice)
        if any(_scores(case, choice.scorer)) and (case.id, case.model, case.prompt_id) not in done
    ]
    random.Random(seed).shuffle(cases)  # noqa: S311 - an order, not a secret
    return cases


def chosen(record: RunRecord, choice: Choice) -> list[ComboResult]:
    """Return the combos of a run that are meant. Raises ``UsageError`` when there are none."""
    combos = [combo for combo in record.results if choice.takes(combo)]
    if not combos:
        names = ", ".join(f"{combo.model} / {combo.prompt_id}" for combo in record.results) or "none"
        raise UsageError(f"{record.run_id}: no combo of those models and prompts; it has {names}")
    return combos


def _judged(record: RunRecord, choice: Choice) -> Iterator[CaseResult]:
    """Go through the scored cases: those that a judge scored, where there are any and nobody names another scorer."""
    combos = chosen(record, choice)
    by_judge = choice.scorer is None and any(_has_judge(case) for combo in combos for case in combo.cases)
    for combo in combos:
        for case in combo.cases:
            if case.status is Status.SCORED and (not by_judge or _has_judge(case)):
                yield case


def _has_judge(case: CaseResult) -> bool:
    return any(_JUDGED in score.details for run in case.runs for score in run.scores)


def _scores(case: CaseResult, scorer: str | None) -> Iterator[tuple[float, bool]]:
    """Give score (0 to 1) and verdict of each run that can be measured."""
    for run in case.runs:
        if run.status is not Status.SCORED:
            continue
        found = _score(run, scorer)
        if found is not None and found.score is not None and found.passed is not None:
            yield found.score, found.passed
        elif found is None and scorer is None and run.score is not None and len(run.scores) < 2:  # noqa: PLR2004
            # Records of old keep the score of the only scorer with the run itself.
            yield run.score, run.passed


def _score(run: CaseRun, scorer: str | None) -> ScoreResult | None:
    if scorer is not None:
        return next((score for score in run.scores if scorer in (score.name, score.scorer)), None)
    judged = next((score for score in run.scores if _JUDGED in score.details), None)
    return judged or (run.scores[0] if len(run.scores) == 1 else None)


def _rated(case: CaseResult, scores: Sequence[tuple[float, bool]], human: float) -> Rated:
    return Rated(
        id=case.id,
        model=case.model,
        prompt_id=case.prompt_id,
        judge=on_human_scale(sum(score for score, _ in scores) / len(scores)),
        human=human,
        passed=_passed(scores),
    )


def _passed(scores: Sequence[tuple[float, bool]]) -> bool:
    """Whether at least half of the runs passed."""
    return 2 * sum(passed for _, passed in scores) >= len(scores)


def criteria_of(case: Case) -> tuple[str, ...]:
    """Return what scorers are told to look for in the answer: the case's criteria, and those of a scorer alone."""
    told = [case.criteria, *(use.options.get(name) for use in case.scorers for name in _CRITERIA)]
    return tuple(dict.fromkeys(text for text in told if isinstance(text, str) and text))


def scorer_names(record: RunRecord) -> list[str]:
    """Return the labels of the scorers of a run, in order."""
    scores = (score for combo in record.results for case in combo.cases for run in case.runs for score in run.scores)
    return list(dict.fromkeys(score.name for score in scores))
