"""Which known name was probably meant by one that nobody knows.

One rule for keys, names, flags and hooks, so that "did you mean" behaves alike wherever it is said.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

SLIP = 0.7
"""How near a name must be to be a slip of the pen: short words share more than half their letters with many others."""


def closest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name nearest to ``name``, or ``None`` when none is near enough to be worth saying.

    Case is ignored, and ``-`` counts as ``_``. Of equally near names the first in alphabetical order is returned.

    Args:
        name: What was written.
        known: What could have been meant.
        cutoff: How near is near enough: the share of characters that the two have in common, from 0 to 1.
    """
    best, best_ratio = None, 0.0
    matcher = SequenceMatcher(b=_plain(name), autojunk=False)
    for candidate in sorted(known):
        matcher.set_seq1(_plain(candidate))
        # The bound by length alone comes first: a name of a megabyte must not cost minutes.
        if matcher.real_quick_ratio() < cutoff:
            continue
        ratio = matcher.ratio()
        if ratio >= cutoff and ratio > best_ratio:
            best, best_ratio = candidate, ratio
    return best


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_")
