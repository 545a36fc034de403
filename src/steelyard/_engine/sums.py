"""Sums of amounts of which some may be unknown.

They are exact to far more digits than are shown, so that the order in which cases finish leaves no trace.
"""

from __future__ import annotations

from decimal import Decimal


class Sum:
    """A sum of amounts of which some may be unknown."""

    __slots__ = ("_total", "_whole", "unknown")

    def __init__(self) -> None:
        self._total = Decimal(0)
        self._whole = 0
        self.unknown = 0

    def add(self, amount: float | None) -> None:
        """Add an amount; ``None`` is unknown."""
        if amount is None:
            self.unknown += 1
        elif amount.__class__ is int:
            self._whole += amount
        elif amount:
            self._total += Decimal(repr(amount))

    @property
    def known(self) -> float:
        """The sum of what is known."""
        return float(self._total + self._whole)

    @property
    def total(self) -> float | None:
        """The sum; ``None`` when a part is unknown."""
        return None if self.unknown else self.known

    @property
    def whole(self) -> int | None:
        """The sum of whole numbers; ``None`` when a part is unknown."""
        return None if self.unknown else int(self._total + self._whole)
