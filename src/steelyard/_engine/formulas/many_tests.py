"""What is left of single findings when many were looked for: of twenty true equals, one looks different by chance.

Source: Holm, Scandinavian Journal of Statistics 6 (1979) 65-70.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p values that hold for all of them together, in the same order.

    Calling different what stays below 0.05 then errs in at most 5 % of comparisons as a whole.
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = largest
    return adjusted
