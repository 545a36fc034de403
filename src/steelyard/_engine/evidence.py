"""What two runs of the same cases show about their difference: how large it is, how sure, and by which method.

One run of each case: the exact McNemar test, and Newcombe's interval. Several runs of a case, or cases in clusters: the
paired differences of the shares of passed runs with a t interval that is robust within clusters, so that neither the
repeats of a case nor the cases of a cluster count as independent. Scores that are more than pass and fail: the same of
the scores. Few cases: a bootstrap has to agree.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from .formulas.bootstrap import bca_interval
from .formulas.clusters import FEWEST, Group, clustered_variance, mean_estimate
from .paired import mcnemar_exact, paired_interval
from .statistics import wilson

FEW = 50
"""Up to so many independent units a t interval is checked by a bootstrap: the differences may be far from normal."""

_TOTAL, _COUNT = attrgetter("total"), attrgetter("count")

SEED = 20240101
"""Of the bootstrap: the same records give the same answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How sure a difference is; rates and differences from -1 to 1."""

    cases: int
    """Cases that both runs could score."""
    before: float | None = None
    """The mean of the first run in these cases: the share that passed, or the score."""
    effect: float = 0.0
    """The mean of what each case gained."""
    low: float | None = None
    high: float | None = None
    """The interval of the effect; ``None`` when there is nothing to tell it from."""
    p_value: float | None = None
    """Two-sided, for no difference."""
    method: str = "none"
    units: int = 0
    """What is independent: cases, or clusters of them."""
    variance: float | None = None
    """Of what one case gained, as if cases were independent: n times the squared standard error."""
    changed: int | None = None
    """What the exact test counts: cases (or clusters) that changed; ``None`` where another test was made."""
    bootstrap: tuple[float, float] | None = None
    """The interval by which a t interval of few units was checked."""

    @property
    def after(self) -> float | None:
        """The mean of the second run in these cases."""
        return None if self.before is None else self.before + self.effect

    @property
    def doubted(self) -> bool:
        """Whether the check by bootstrap does not confirm that there is a difference."""
        return self.bootstrap is not None and self.bootstrap[0] <= 0 <= self.bootstrap[1]

    def shows(self, p_value: float | None, confidence: float = 0.95) -> bool:
        """Whether there is a difference, by a p value that may have been corrected for several comparisons."""
        return p_value is not None and p_value < 1 - confidence and not self.doubted


class Differences:
    """What each case gained from one run to the other, taken in one by one."""

    __slots__ = (
        "_before",
        "_both_passed",
        "_clustered",
        "_clusters",
        "_gains",
        "cases",
        "graded",
        "lost",
        "repeated",
        "won",
    )

    def __init__(self, *, graded: bool = False) -> None:
        """Start with no case; ``graded`` where scores of any size are taken in, rather than verdicts or shares."""
        self.cases = self.lost = self.won = 0
        self._both_passed = 0
        self._before = 0.0
        self.graded = graded
        self.repeated = self._clustered = False
        self._gains = array("d")
        self._clusters: dict[str, Group] = {}

    def add(self, before: float, after: float, *, cluster: str | None = None, repeated: bool = False) -> None:
        """Take in a case.

        Args:
            before: The share of its runs that passed in the first run, or its score, from 0 to 1.
            after: The same in the second.
            cluster: What it shares with others; ``None`` when it stands for itself.
            repeated: Whether a share stands for several runs.
        """
        gain = after - before
        self.cases += 1
        self.lost += gain < 0
        self.won += gain > 0
        self._both_passed += before == after == 1
        self._before += before
        self.repeated |= repeated
        if cluster is None:
            self._gains.append(gain)
        else:
            self._clustered |= cluster in self._clusters
            self._clusters.setdefault(cluster, Group()).add(gain)

    def evidence(self, confidence: float = 0.95) -> Evidence:
        """Return what the cases show."""
        if not self.cases:
            return Evidence(cases=0)
        return replace(self._tested(confidence), before=self._before / self.cases)

    def _tested(self, confidence: float) -> Evidence:
        if self._clustered or self.repeated or self.graded:
            return self._from_shares(confidence)
        failed_both = self.cases - self._both_passed - self.lost - self.won
        low, high = paired_interval(self._both_passed, self.lost, self.won, failed_both, confidence)
        return Evidence(
            cases=self.cases,
            effect=(self.won - self.lost) / self.cases,
            low=low,
            high=high,
            p_value=mcnemar_exact(self.lost, self.won),
            method="exact McNemar",
            units=self.cases,
            variance=self._variance_of_verdicts(),
            changed=self.won + self.lost,
        )

    def _variance_of_verdicts(self) -> float | None:
        if self.cases < FEWEST:
            return None
        mean = (self.won - self.lost) / self.cases
        return (self.won + self.lost - self.cases * mean**2) / (self.cases - 1)

    def _from_shares(self, confidence: float) -> Evidence:
        groups = [Group(1, gain) for gain in self._gains] + list(self._clusters.values())
        effect = _mean(groups)
        method = self._method()
        estimate = mean_estimate(groups, confidence)
        variance = clustered_variance(groups)
        if estimate is None or variance is None:
            return Evidence(cases=self.cases, effect=effect, method=method, units=len(groups))
        if not variance:
            return self._without_spread(len(groups), effect, method, confidence)
        few = len(groups) <= FEW
        return Evidence(
            cases=self.cases,
            effect=effect,
            low=max(-1.0, estimate.low),
            high=min(1.0, estimate.high),
            p_value=estimate.p_value,
            method=method,
            units=len(groups),
            variance=self.cases * variance,
            bootstrap=_bootstrap(groups, confidence) if few else None,
        )

    def _method(self) -> str:
        if self._clustered:
            return "paired t, robust by cluster"
        return "paired t on scores" if self.graded else "paired t on shares of passed runs"

    def _without_spread(self, units: int, effect: float, method: str, confidence: float) -> Evidence:
        """Judge units that all gained the same: a t interval would be a point, and two cases proof.

        What speaks then is how many units there are: the sign test, and how large a share may differ otherwise unseen.
        """
        unseen = wilson(0, units, confidence)[1]
        return Evidence(
            cases=self.cases,
            effect=effect,
            low=max(-1.0, effect - unseen),
            high=min(1.0, effect + unseen),
            p_value=mcnemar_exact(0, units) if effect else 1.0,
            method=method,
            units=units,
            variance=0.0,
            changed=units if effect else 0,
        )


def _bootstrap(groups: Sequence[Group], confidence: float) -> tuple[float, float]:
    if all(group.count == 1 for group in groups):
        # The same, several times as fast.
        return bca_interval([group.total for group in groups], _plain_mean, seed=SEED, confidence=confidence)
    return bca_interval(groups, _mean, seed=SEED, confidence=confidence)


def _plain_mean(gains: Sequence[float]) -> float:
    return sum(gains) / len(gains)


def _mean(groups: Sequence[Group]) -> float:
    mean: float = sum(map(_TOTAL, groups)) / sum(map(_COUNT, groups))
    return mean
