"""Weighted match: a JSON array of labels with their shares and their order, scored in three dimensions.

``use_case``: the F1 score of the labels. ``percent``: the share of expected entries whose percent is within the
tolerance. ``order``: the share whose order is the same. The score is their weighted sum. An answer that is no such
array has not done the task: it scores 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import Literal

from steelyard import hookimpl
from steelyard.api import Ask, Benchmark, Case, Output, PluginContext, Problem, Score, Scorer, ScorerSpec, option
from steelyard.errors import ScorerError, UsageError
from steelyard.text import one_line

from ._expected import EXPECTED
from ._json_answer import read_answer
from ._use_cases import f1, percent_within, read_items, same_order, share_matching, wrong_in_expected

NAME = "weighted_match"
DIMENSIONS = ("use_case", "percent", "order")
SUM_TOLERANCE = 1e-6
DIGITS = 12
"""Decimals of a score, so that 0.3 + 0.5 reaches a threshold of 0.8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One dimension and its part in the score."""

    name: Literal["use_case", "percent", "order"] = option(doc="use_case, percent or order.")
    weight: float = option(doc="Its share in the score; all three together make 1.", minimum=0, maximum=1)
    tolerance: float = option(0.0, doc="For percent: how far it may be from the expected one.", minimum=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class WeightedMatchSettings:
    """The options of weighted match."""

    variables: tuple[Dimension, ...] = option(doc="The three dimensions with their weights.")
    threshold: float | None = option(None, doc="The score from which on a case passes.", minimum=0, maximum=1)


class WeightedMatch:
    """Scores three dimensions of a list."""

    def __init__(self, settings: WeightedMatchSettings) -> None:
        self._threshold = settings.threshold
        self._weights: dict[str, float] = {dimension.name: dimension.weight for dimension in settings.variables}
        tolerances = {dimension.name: dimension.tolerance for dimension in settings.variables}
        self._percent_matches = percent_within(tolerances["percent"])

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the weighted sum reaches the threshold."""
        del ask
        for where, what in wrong_in_expected(case.expected):
            raise ScorerError(f"{EXPECTED}{where} {what}")
        expected = read_items(case.expected)
        try:
            found = read_items(read_answer(output.text, kind="array"))
        except ValueError as error:
            reason = one_line(f"no JSON array of use_case, percent and order: {error}", 300)
            return Score(value=0.0, passed=False, reason=reason)
        shares = {
            "use_case": f1(expected, found),
            "percent": share_matching(expected, found, self._percent_matches),
            "order": share_matching(expected, found, same_order),
        }
        total = fsum(self._weights[name] * share for name, share in shares.items())
        value = min(round(total, DIGITS), 1.0)
        passed = value >= (1.0 if self._threshold is None else self._threshold)
        reason = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
        return Score(value=value, passed=passed, reason=reason, details=shares)

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report a case without a threshold, or with an expected list that cannot be compared with."""
        del benchmark
        if self._threshold is None and all(use.threshold is None for use in case.scorers if use.type == NAME):
            message = "weighted_match: 'quality_threshold' is required, a number from 0 to 1"
            yield Problem(message=message, path="evaluation.quality_threshold")
        for where, what in wrong_in_expected(case.expected):
            yield Problem(message=f"weighted_match: {what}", path=f"{EXPECTED}{where}")


def create(settings: WeightedMatchSettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` when the dimensions are not the three with weights that make 1."""
    del context
    names = [dimension.name for dimension in settings.variables]
    missing = [name for name in DIMENSIONS if name not in names]
    if missing:
        raise UsageError(f"weighted_match: 'variables' must hold {', '.join(map(repr, missing))} too")
    if len(names) > len(DIMENSIONS):
        raise UsageError(f"weighted_match: 'variables' must hold each of {', '.join(DIMENSIONS)} once, got {names}")
    total = fsum(dimension.weight for dimension in settings.variables)
    if abs(total - 1) > SUM_TOLERANCE:
        raise UsageError(f"weighted_match: the weights of 'variables' make {total:g} together; they must make 1")
    return WeightedMatch(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[WeightedMatchSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name=NAME,
            summary="Output is a JSON array close enough to the expected labels, percents and order",
            settings=WeightedMatchSettings,
            create=create,
            inline=True,
        )
    ]
