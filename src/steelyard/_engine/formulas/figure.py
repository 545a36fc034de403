"""A figure with its interval: what every formula for one returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure and the bounds of its 95 % interval; ``None`` where the data do not tell."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
