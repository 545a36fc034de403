"""What share of outputs is really good, when the judge that says so is wrong at rates that people have measured.

Source: Rogan & Gladen, American Journal of Epidemiology 107 (1978) 71-76. There the rates of error come from other
outputs; here people label some of those that are judged, so one chance moves both, and the error is that of the delta
method over all outputs (each in one of six cells). It is taken with half an output more in each labelled cell: a judge
that made no mistake in ten outputs is not known to make none.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .clusters import normal_quantile
from .figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """Outputs that a judge passed or failed, some of which people labelled."""

    both_pass: float
    false_pass: float
    """The judge passed what people failed."""
    false_fail: float
    both_fail: float
    other_pass: int = 0
    """The judge passed it, and nobody labelled it."""
    other_fail: int = 0

    def true_share(self, *, likeness: float = 1.0, confidence: float = 0.95) -> Figure:
        """Return the share that is really good, from 0 to 1.

        Unknown when people saw nothing good or nothing bad, or the judge passes what is bad as often as what is good.

        Args:
            likeness: How many outputs tell as much as one that stands for itself, where some go together.
            confidence: Above 0 and below 1.
        """
        share = self._share()
        if share is None:
            return Figure()
        smoothed = Judged(
            both_pass=self.both_pass + 0.5,
            false_pass=self.false_pass + 0.5,
            false_fail=self.false_fail + 0.5,
            both_fail=self.both_fail + 0.5,
            other_pass=self.other_pass,
            other_fail=self.other_fail,
        )
        error = smoothed._error()
        if error is None:
            return Figure(share)
        half = normal_quantile(confidence) * error * math.sqrt(likeness)
        return Figure(share, max(0.0, share - half), min(1.0, share + half))

    @property
    def _count(self) -> float:
        return self._passed + self.false_fail + self.both_fail + self.other_fail

    @property
    def _passed(self) -> float:
        return self.both_pass + self.false_pass + self.other_pass

    def _rates(self) -> tuple[float, float, float] | None:
        """Return how often the judge passes anything, passes what is good, and fails what is bad."""
        good, bad = self.both_pass + self.false_fail, self.both_fail + self.false_pass
        if not good or not bad:
            return None
        return self._passed / self._count, self.both_pass / good, self.both_fail / bad

    def _share(self) -> float | None:
        rates = self._rates()
        if rates is None or rates[1] + rates[2] <= 1:
            return None
        rate, sensitivity, specificity = rates
        return min(1.0, max(0.0, (rate + specificity - 1) / (sensitivity + specificity - 1)))

    def _error(self) -> float | None:
        rates, share = self._rates(), self._share()
        if rates is None or share is None:
            return None
        rate, sensitivity, specificity = rates
        count = self._count
        # How much one output of each kind counts in the rates of good and of bad outputs.
        of_good = share * count / (self.both_pass + self.false_fail)
        of_bad = (1 - share) * count / (self.both_fail + self.false_pass)
        moves = (
            (self.both_pass, 1 - rate - of_good * (1 - sensitivity)),
            (self.false_fail, -rate + of_good * sensitivity),
            (self.false_pass, 1 - rate - of_bad * specificity),
            (self.both_fail, -rate + of_bad * (1 - specificity)),
            (self.other_pass, 1 - rate),
            (self.other_fail, -rate),
        )
        variance = math.fsum(outputs * move**2 for outputs, move in moves) / count**2
        return math.sqrt(variance) / (sensitivity + specificity - 1)
