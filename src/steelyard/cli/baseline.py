"""``steelyard run --baseline``: a run held against a kept one, which is read before anything is paid for."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ..api import RunOptions, RunRecord
from .comparing import Wishes, show_comparison
from .invocation import Invocation
from .regression import Rules

if TYPE_CHECKING:
    from ..session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A kept run, and how much worse a new one may be."""

    record: RunRecord
    rules: Rules

    def held_against(self, session: Session, record: RunRecord, options: RunOptions, invocation: Invocation) -> int:
        """Show how a run compares with the kept one, and return the exit code."""
        brief = options.quiet or _stdout_is_taken(session, options)
        return show_comparison(session, self.record, record, Wishes(rules=self.rules, brief=brief), invocation)


def read_baseline(
    session: Session,
    named: Path,
    *,
    threshold: Fraction | None,
    confidence: float | None,
    scores: bool,
    strict: bool,
    results_dir: Path | None,
) -> Baseline:
    """Read the kept run: a file, an id, or the unique beginning of one. Raises ``RecordError``.

    Without a threshold no drop is allowed (with a confidence: none that is real), unless only single cases are asked
    about.
    """
    points = Fraction(0) if threshold is None and not strict else threshold
    record = session.history(results_dir).run(str(named)).record
    return Baseline(record=record, rules=Rules(points=points, confidence=confidence, scores=scores, strict=strict))


def _stdout_is_taken(session: Session, options: RunOptions) -> bool:
    """Whether a report for a program goes to standard output, where nothing else must stand then."""
    if any(output.rpartition(":")[2] == "-" for output in options.outputs):
        return True
    return any(session.registry.get("reporter", name).spec.prints for name in options.reporters)
