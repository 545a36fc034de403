"""The measures of likeness that the ``rapidfuzz`` package brings, from 0 to 1. Only ``create`` imports this."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rapidfuzz import distance, fuzz

Measure = Callable[[str, str], float]


def _share(in_per_cent: Measure) -> Measure:
    return lambda first, second: in_per_cent(first, second) / 100


MEASURES: Mapping[str, Measure] = MappingProxyType(
    {
        "ratio": _share(fuzz.ratio),
        "partial": _share(fuzz.partial_ratio),
        "token_sort": _share(fuzz.token_sort_ratio),
        "token_set": _share(fuzz.token_set_ratio),
        "levenshtein": distance.Levenshtein.normalized_similarity,
        "jaro_winkler": distance.JaroWinkler.similarity,
    }
)
"""By the name that a file gives as ``metric``."""
