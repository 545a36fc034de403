"""From a scorer as a case names it to a scorer that can judge."""

from __future__ import annotations

import json
from typing import Any

from .._engine.plan import BoundScorer
from .._engine.threads import Threads, is_plain, settle
from .._host.registry import Registry
from ..api import Case, ScorerUse
from .components import Made, Workshop, filled

MOST_KEPT = 10_000
"""Distinct scorers that are kept for further cases."""


class Scorers:
    """Creates and binds the scorers of one benchmark, each distinct one once."""

    def __init__(self, *, registry: Registry, workshop: Workshop, threads: Threads) -> None:
        self._registry = registry
        self._workshop = workshop
        self._threads = threads
        self._by_use: dict[str, Made] = {}
        self._judges: dict[int, Any] = {}
        self._bound: dict[str, BoundScorer] = {}

    def made(self, use: ScorerUse, where: str) -> Made:
        """Return the scorer of a use, created when it is first met.

        Raises ``UnknownNameError``, ``NameConflictError``, ``BenchmarkError`` (its options) or ``PluginError``.
        """
        key = _options_key(use)
        found = self._by_use.get(key)
        if found is None:
            offer = self._registry.get("scorer", use.type)
            shop, path = self._workshop, f"{where}: {use.type}"
            settings = filled(offer, use.options, place=use.place, path=path, hide=shop.hide, warn=shop.warn)
            found = self._by_use[key] = self._workshop.get(offer, settings)
        return found

    def of(self, case: Case) -> tuple[BoundScorer, ...]:
        """Return the scorers of a case, in the order in which it names them."""
        return tuple([self._bind(use, case) for use in case.scorers])

    def _bind(self, use: ScorerUse, case: Case) -> BoundScorer:
        key = f"{_options_key(use)}|{use.name}|{use.weight}|{use.negate}|{use.threshold}|{use.turn}"
        bound = self._bound.get(key)
        if bound is not None:
            return bound
        made = self.made(use, f"case {case.id!r}")
        spec = made.offer.spec
        score = made.component.score
        now = score if spec.inline and is_plain(score) else None
        judge = self._judges.get(id(made))
        if judge is None:
            judge = self._judges[id(made)] = settle(score, inline=spec.inline, threads=self._threads)
        if len(self._bound) >= MOST_KEPT:
            # Rows that fill in options make a scorer each; the memory of a run must not grow with them.
            self._bound.clear()
            self._by_use.clear()
            self._judges.clear()
            self._workshop.forget()
        bound = self._bound[key] = BoundScorer(
            type=use.type,
            name=use.name or use.type,
            judge=judge,
            weight=use.weight,
            negate=use.negate,
            threshold=use.threshold,
            turn=use.turn,
            timeout_s=spec.timeout_s,
            blame=made.blame,
            judge_now=now,
        )
        return bound


def _options_key(use: ScorerUse) -> str:
    # Most uses have no options; the short way matters with a hundred thousand cases.
    if not use.options:
        return use.type
    return f"{use.type} {json.dumps(use.options, sort_keys=True, default=str)}"
