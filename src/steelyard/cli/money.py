"""How commands write sums of dollars: to the millionth, and never so that two different sums look alike."""

from __future__ import annotations

from decimal import Decimal

_DIGITS = 6
_MOST_DIGITS = 12


def dollars(usd: Decimal, *, unlike: Decimal | None = None) -> str:
    """Return a sum in USD: ``$0.010830``.

    Args:
        usd: The sum.
        unlike: Another sum that it is printed beside: where the two differ, so much is shown that one sees it.
    """
    digits = _DIGITS
    if unlike is not None and usd != unlike:
        while digits < _MOST_DIGITS and f"{usd:.{digits}f}" == f"{unlike:.{digits}f}":
            digits += 1
    return f"${usd:.{digits}f}"
