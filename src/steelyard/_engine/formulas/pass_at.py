"""How likely some, or all, of k runs of a case pass, from more runs than k.

Source: Chen et al., "Evaluating Large Language Models Trained on Code" (2021), arXiv:2107.03374, equation 1, for at
least one (pass@k): the share of the ways to choose k of the runs among which there is a pass. For all of them it is the
share of the ways to choose passes alone. Neither is biased, as the rate of single runs to the power of k would be.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb


def some_of(runs: int, passed: int, k: int) -> float:
    """Return the estimate for at least one pass in k runs; k is at most the number of runs."""
    return float(1 - Fraction(comb(runs - passed, k), comb(runs, k)))


def all_of(runs: int, passed: int, k: int) -> float:
    """Return the estimate for nothing but passes in k runs."""
    return float(Fraction(comb(passed, k), comb(runs, k)))
