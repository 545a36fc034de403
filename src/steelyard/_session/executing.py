"""Plans that are carried out for their outcome alone: nothing of them is stored."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .._engine.journal import Journal
from .._engine.plan import Plan
from .._engine.runner import Outcome, execute
from ..records import decode_case, encode_case


async def executed(plan: Plan, name: str, warn: Callable[[str], None]) -> Outcome:
    """Carry a plan out and return its outcome, its cases in memory.

    Args:
        plan: What to ask; every combo of it is called ``name``.
        name: What its cases are read back as.
        warn: Hears one-line warnings.

    Raises ``KeyboardInterrupt`` when it was cancelled.
    """
    with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
        journal = Journal.create(
            Path(folder) / "asked.journal.jsonl",
            digest="",
            encode=encode_case,
            decode=lambda line, _combo: decode_case(line, name, name),
        )
        try:
            outcome = await execute(plan, journal=journal, warn=warn)
            if outcome.interrupted:
                raise KeyboardInterrupt
            # The journal goes with its folder.
            combos = tuple(replace(combo, cases=tuple(combo.cases)) for combo in outcome.combos)
            return replace(outcome, combos=combos)
        finally:
            journal.close()
