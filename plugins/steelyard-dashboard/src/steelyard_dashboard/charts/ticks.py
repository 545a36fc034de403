"""Labels of an axis: one unit and one number of decimals for all of its ticks, so that no two read the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

Labels = Callable[[Sequence[float]], list[str]]

_MOST_DECIMALS = 6
_LARGE = 1_000_000.0
_SECOND_MS = 1000.0


def percent_ticks(ticks: Sequence[float]) -> list[str]:
    """Label per cent from 0 on: ``0%``, ``25%``."""
    return [f"{text}%" for text in _alike(ticks)]


def money_ticks(ticks: Sequence[float]) -> list[str]:
    """Label dollars from 0 on: ``$0``, ``$0.25``; ``$0``, ``$0.000002``."""
    return [f"${text}" for text in _alike(ticks, tenths=2)]


def time_ticks(ticks: Sequence[float]) -> list[str]:
    """Label milliseconds from 0 on: ``0 ms``, ``0.25 ms``; from a second on in seconds: ``0 s``, ``2.5 s``."""
    size, unit = (_SECOND_MS, "s") if ticks[-1] >= _SECOND_MS else (1.0, "ms")
    return [f"{text} {unit}" for text in _alike([tick / size for tick in ticks])]


def _alike(ticks: Sequence[float], tenths: int = 1) -> list[str]:
    """Write numbers with as many decimals as the step between them takes; ``tenths`` where it takes one."""
    step = Decimal(f"{ticks[1] - ticks[0]:.2e}").normalize()
    exponent = step.as_tuple().exponent
    decimals = max(-exponent, 0) if isinstance(exponent, int) else 0
    if decimals > _MOST_DECIMALS or ticks[-1] >= _LARGE:
        return ["0" if not tick else f"{float(f'{tick:.2e}'):g}" for tick in ticks]
    return ["0" if not tick else f"{tick:,.{tenths if decimals == 1 else decimals}f}" for tick in ticks]
