"""How far any number of raters agree, with values missing or not.

Sources: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), University of Pennsylvania; Hayes &
Krippendorff, Communication Methods and Measures 1 (2007) 77-89. From 0.800 on ratings are called reliable, from 0.667
on tentative conclusions may be drawn (Krippendorff, Content Analysis, 2004).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import permutations

RELIABLE = 0.8
TENTATIVE = 0.667

Units = Iterable[Sequence[float]]
"""For each thing that was rated the values that it got, those that are missing left out."""

Coincidences = dict[tuple[float, float], float]
Distance = Callable[[Coincidences], Callable[[float, float], float]]
"""Makes, of all values that occur, a measure of how far two of them are apart, squared."""


def alpha(units: Units, distance: Distance) -> float | None:
    """Return Krippendorff's alpha: 1 for full agreement, 0 for what chance gives.

    ``None`` when nothing was rated twice, or all values are the same.
    """
    pairs = coincidences(units)
    totals = _totals(pairs)
    count = math.fsum(totals.values())
    if not pairs:
        return None
    apart = distance(pairs)
    observed = math.fsum(weight * apart(one, other) for (one, other), weight in pairs.items())
    expected = math.fsum(
        totals[one] * totals[other] * apart(one, other) for one in totals for other in totals if one != other
    )
    return 1 - (count - 1) * observed / expected if expected else None


def coincidences(units: Units) -> Coincidences:
    """Return how often two values were given to the same thing, each thing counting by how many values it got."""
    pairs: Coincidences = {}
    for values in units:
        for pair in permutations(values, 2):
            pairs[pair] = pairs.get(pair, 0.0) + 1 / (len(values) - 1)
    return pairs


def nominal(_pairs: Coincidences) -> Callable[[float, float], float]:
    """Any two values are as far apart as any others."""
    return lambda one, other: float(one != other)


def interval(_pairs: Coincidences) -> Callable[[float, float], float]:
    """Values are apart by their difference."""
    return lambda one, other: (one - other) ** 2


def ratio(_pairs: Coincidences) -> Callable[[float, float], float]:
    """Values are apart by their difference in relation to their sum."""
    return lambda one, other: ((one - other) / (one + other)) ** 2 if one != other else 0.0


def ordinal(pairs: Coincidences) -> Callable[[float, float], float]:
    """Values are apart by how many were given between them."""
    totals = _totals(pairs)
    ordered = sorted(totals)

    def apart(one: float, other: float) -> float:
        low, high = sorted((one, other))
        between = math.fsum(totals[value] for value in ordered if low <= value <= high)
        return (between - (totals[low] + totals[high]) / 2) ** 2

    return apart


def _totals(pairs: Coincidences) -> dict[float, float]:
    totals: dict[float, float] = {}
    for (one, _), weight in pairs.items():
        totals[one] = totals.get(one, 0.0) + weight
    return totals
