"""How strong contestants are, from who beat whom.

Sources: Bradley & Terry, Biometrika 39 (1952) 324-345; Hunter, Annals of Statistics 32 (2004) 384-406, for the
iteration. Unlike ratings that are updated game by game, the result does not depend on the order of the games.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_MOST_STEPS = 10_000
_CLOSE = 1e-10


def strengths(wins: Sequence[Sequence[float]], *, prior: float = 0.0) -> list[float]:
    """Return the logarithm of each contestant's strength, 0 on average.

    One of two contestants wins with the probability 1 / (1 + exp(other - one)).

    Args:
        wins: For each contestant how often it beat each other one; a tie is half a win for both.
        prior: Wins that are added both ways between any two that met. Without any, one that never lost is infinitely
            strong: the iteration then stops somewhere.
    """
    size = range(len(wins))
    met = [[wins[i][j] + wins[j][i] > 0 for j in size] for i in size]
    games = [[wins[i][j] + wins[j][i] + 2 * prior * met[i][j] for j in size] for i in size]
    won = [sum(wins[i][j] + prior * met[i][j] for j in size if j != i) for i in size]
    strength = [1.0] * len(wins)
    for _ in range(_MOST_STEPS):
        before = strength
        strength = [_next(i, won[i], games[i], before) for i in size]
        scale = math.exp(math.fsum(math.log(one) for one in strength) / len(strength))
        strength = [one / scale for one in strength]
        if all(abs(new / old - 1) < _CLOSE for new, old in zip(strength, before, strict=True)):
            break
    return [math.log(one) for one in strength]


def _next(one: int, won: float, games: Sequence[float], strength: Sequence[float]) -> float:
    exposed = math.fsum(
        count / (strength[one] + strength[other]) for other, count in enumerate(games) if other != one and count
    )
    # One that never won or never met anybody would be gone for good at 0.
    return max(won / exposed, 1e-12) if exposed else strength[one]


def expected_share(strength: Sequence[float], one: int) -> float:
    """Return the share of games that a contestant is expected to win against the others, met equally often."""
    others = [strength[other] for other in range(len(strength)) if other != one]
    return math.fsum(1 / (1 + math.exp(other - strength[one])) for other in others) / len(others)
