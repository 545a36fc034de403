"""Axes: round numbers for the ticks, and where on the picture a value stands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_INTERVALS = 4
_LOWEST = 1e-300
"""Of what is smaller, a part is no number any more."""


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values from 0 to ``top`` onto picture coordinates."""

    top: float
    start: float
    """Where 0 stands."""
    end: float
    """Where ``top`` stands."""

    def at(self, value: float) -> float:
        """Return where a value stands, rounded to a tenth of a unit."""
        return round(self.start + (self.end - self.start) * min(max(value / self.top, 0.0), 1.0), 1)


def round_top(values: Sequence[float]) -> tuple[float, tuple[float, ...]]:
    """Return an end of the axis that holds all values, and the round numbers to label; from 0 on."""
    highest = max(values, default=0.0)
    if highest < _LOWEST:
        return 1.0, (0.0, 1.0)
    rough = highest / _INTERVALS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))
    intervals = math.ceil(highest / step - 1e-9)
    return step * intervals, tuple(step * i for i in range(intervals + 1))
