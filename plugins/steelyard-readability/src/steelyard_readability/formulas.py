"""Flesch's measures of English prose.

Reading ease: Rudolf Flesch, "A new readability yardstick", Journal of Applied Psychology 32 (1948). Grade: J. P.
Kincaid and others, "Derivation of new readability formulas", Naval Technical Training Command (1975).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .counting import Counts


@dataclass(frozen=True, slots=True)
class Measure:
    """A formula, and how its values are spread."""

    name: str
    formula: Callable[[Counts], float]
    """For a text with at least one word."""
    span: float
    """How far outside the bounds a value must be to be as wrong as can be."""


def reading_ease(counts: Counts) -> float:
    """Return Flesch's reading ease: higher is easier."""
    return 206.835 - 1.015 * counts.words / counts.sentences - 84.6 * counts.syllables / counts.words


def grade(counts: Counts) -> float:
    """Return the Flesch-Kincaid grade: the US school year that the text asks for."""
    return 0.39 * counts.words / counts.sentences + 11.8 * counts.syllables / counts.words - 15.59


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {"ease": Measure("reading ease", reading_ease, 50.0), "grade": Measure("grade", grade, 10.0)}
)
"""By the name that a file gives as ``measure``."""
