"""What comparing outputs two by two comes to: win rates, a ranking, and how far the judge favoured a position."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from .formulas.bootstrap import quantile
from .formulas.bradley_terry import expected_share, strengths
from .formulas.clusters import normal_quantile
from .formulas.figure import Figure
from .formulas.many_tests import holm
from .paired import mcnemar_exact
from .statistics import score_interval, wilson

SEED = 20240103
RESAMPLES = 400
_NO_SCATTER = 1e-9
_FEWEST_RANKED = 3
PRIOR = 0.5
"""Half a win both ways between any two that met: one that never lost is strong, not infinitely so."""

Winner = Literal["first", "second", "tie"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """Two outputs of one case that a judge compared."""

    case_id: str
    first: int
    """The number of a contestant."""
    second: int
    winner: Winner | None
    """``None`` when there was no verdict."""
    flipped: bool = False
    first_shown_wins: int = 0
    """How often whatever was shown first won, over both orders."""
    decided: int = 0
    """In how many orders there was a winner."""
    reason: str = ""
    error: str = ""

    @property
    def share(self) -> float:
        """What the first contestant gets of it: a win, half a win, or nothing."""
        return {"first": 1.0, "second": 0.0}.get(self.winner or "tie", 0.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResult:
    """Two contestants against each other."""

    first: int
    second: int
    wins: int
    """Of the first."""
    losses: int
    ties: int
    errors: int
    win_rate: Figure
    """The share of the first, ties counting half, from 0 to 1 with its 95 % interval (Wilson)."""
    p_value: float
    """Two-sided, for both being as good: the sign test over the cases that one of them won."""
    p_adjusted: float = 1.0
    """Corrected for the number of pairs (Holm)."""

    @property
    def judged(self) -> int:
        """Cases with a verdict."""
        return self.wins + self.losses + self.ties


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A contestant's place among several."""

    contestant: int
    share: Figure
    """The share of comparisons that it is expected to win against the others (Bradley-Terry), from 0 to 1."""
    strength: float
    """Its logarithmic strength, 0 on average."""
    judged: int
    """Comparisons with a verdict in which it took part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Duels:
    """Everything that came of the comparisons."""

    pairs: tuple[PairResult, ...]
    ranking: tuple[Standing, ...]
    """From the strongest; empty for two contestants, and where some were never compared, however indirectly."""
    apart: tuple[tuple[int, ...], ...]
    """The groups of contestants that no verdict joins, where there are several: they have no place in one ranking."""
    flip_rate: Figure
    """The share of comparisons in which the judge named another answer when they were swapped."""
    first_rate: Figure
    """The share of decided orders that went to whatever was shown first; without bias one half."""
    first_p_value: float
    """Two-sided, for no favour to a position."""
    judged: int
    errors: int
    duels: tuple[Duel, ...] = field(repr=False)


def judged_duels(duels: Sequence[Duel], contestants: int) -> Duels:
    """Count what comparisons came to.

    Args:
        duels: The comparisons.
        contestants: How many took part.
    """
    judged = [duel for duel in duels if duel.winner is not None]
    decided = sum(duel.decided for duel in judged)
    first_shown = sum(duel.first_shown_wins for duel in judged)
    flips = sum(duel.flipped for duel in judged)
    pairs = [(i, j) for i in range(contestants) for j in range(i + 1, contestants)]
    groups = _joined(judged, contestants)
    ranked = contestants >= _FEWEST_RANKED and len(groups) == 1
    return Duels(
        pairs=_adjusted([_pair(first, second, duels) for first, second in pairs]),
        ranking=_ranking(judged, contestants) if ranked else (),
        apart=groups if len(groups) > 1 else (),
        flip_rate=_share(flips, len(judged)),
        first_rate=_share(first_shown, decided),
        first_p_value=mcnemar_exact(first_shown, decided - first_shown),
        judged=len(judged),
        errors=len(duels) - len(judged),
        duels=tuple(duels),
    )


def _joined(judged: Sequence[Duel], contestants: int) -> tuple[tuple[int, ...], ...]:
    """Return the contestants in groups: those that were compared, directly or by way of others."""
    group = list(range(contestants))
    for duel in judged:
        one, other = sorted((group[duel.first], group[duel.second]))
        group = [one if number == other else number for number in group]
    return tuple(tuple(one for one in range(contestants) if group[one] == number) for number in dict.fromkeys(group))


def _adjusted(pairs: Sequence[PairResult]) -> tuple[PairResult, ...]:
    together = holm([pair.p_value for pair in pairs])
    return tuple(replace(pair, p_adjusted=p_value) for pair, p_value in zip(pairs, together, strict=True))


def _pair(first: int, second: int, duels: Sequence[Duel]) -> PairResult:
    mine = [duel for duel in duels if (duel.first, duel.second) == (first, second)]
    winners = [duel.winner for duel in mine]
    wins, losses, ties = (winners.count(winner) for winner in ("first", "second", "tie"))
    judged = wins + losses + ties
    rate = Figure()
    if judged:
        value = (wins + ties / 2) / judged
        rate = Figure(value, *score_interval(value, judged, normal_quantile(0.95)))
    return PairResult(
        first=first,
        second=second,
        wins=wins,
        losses=losses,
        ties=ties,
        errors=len(mine) - judged,
        win_rate=rate,
        p_value=mcnemar_exact(losses, wins),
    )


def _ranking(judged: Sequence[Duel], contestants: int) -> tuple[Standing, ...]:
    by_case: dict[str, list[Duel]] = {}
    for duel in judged:
        by_case.setdefault(duel.case_id, []).append(duel)
    cases = list(by_case.values())
    found = _strengths(cases, contestants)
    drawn = _resampled(cases, contestants) if len(cases) > 1 else []
    standings = []
    for one in range(contestants):
        shares = sorted(expected_share(strength, one) for strength in drawn)
        share = Figure(expected_share(found, one))
        if shares:
            share = _bounded(expected_share(found, one), shares, len(cases))
        met = sum(one in (duel.first, duel.second) for duel in judged)
        standings.append(Standing(contestant=one, share=share, strength=found[one], judged=met))
    return tuple(sorted(standings, key=lambda standing: -standing.strength))


def _bounded(share: float, drawn: Sequence[float], cases: int) -> Figure:
    low, high = quantile(drawn, 0.025), quantile(drawn, 0.975)
    if high - low < _NO_SCATTER:
        # Cases that all went alike cannot be told apart by drawing among them: then their number alone speaks.
        low, high = score_interval(share, cases, normal_quantile(0.95))
    return Figure(share, low, high)


def _resampled(cases: Sequence[Sequence[Duel]], contestants: int) -> list[list[float]]:
    """Draw as many cases again, each with all its comparisons, and again."""
    choose = random.Random(SEED).choices  # noqa: S311 - for chance that can be repeated, not for secrets
    return [_strengths(choose(cases, k=len(cases)), contestants) for _ in range(RESAMPLES)]


def _strengths(cases: Sequence[Sequence[Duel]], contestants: int) -> list[float]:
    wins = [[0.0] * contestants for _ in range(contestants)]
    for duels in cases:
        for duel in duels:
            wins[duel.first][duel.second] += duel.share
            wins[duel.second][duel.first] += 1 - duel.share
    return strengths(wins, prior=PRIOR)


def _share(part: int, whole: int) -> Figure:
    return Figure(part / whole, *wilson(part, whole)) if whole else Figure()
