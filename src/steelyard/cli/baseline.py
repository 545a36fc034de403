"""``steelyard run --baseline``: a run held against a kept one, which is read before anything is paid for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from .._paths import same_file
from ..api import CaseResult, RunOptions, RunRecord
from .comparing import Wishes, show_comparison
from .exit_codes import PASSED
from .invocation import Invocation
from .output import print_line, print_note
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
        code = show_comparison(session, self.record, record, Wishes(rules=self.rules, brief=brief), invocation)
        if code == PASSED and not record.insights.passed:
            # The command fails all the same, and its last line must not say that all is well.
            (print_note if brief else print_line)(record.insights.verdict)
        return code


def read_baseline(
    session: Session,
    named: Path,
    *,
    threshold: Fraction | None,
    confidence: float | None,
    scores: bool,
    strict: bool,
    results_dir: Path | None,
    written: Sequence[Path],
) -> Baseline:
    """Read the kept run: a file, an id, or the unique beginning of one. Raises ``RecordError``.

    Without a threshold no drop is allowed (with a confidence: none that is real), unless only single cases are asked
    about. Where the run is to write this very file (``written``), what the comparison needs of it is read at once.
    """
    points = Fraction(0) if threshold is None and not strict else threshold
    kept = session.history(results_dir).run(str(named))
    replaced = any(same_file(kept.path, file) for file in written)
    record = _in_memory(kept.record) if replaced else kept.record
    return Baseline(record=record, rules=Rules(points=points, confidence=confidence, scores=scores, strict=strict))


def _in_memory(record: RunRecord) -> RunRecord:
    """Return a record whose cases do not stay in its file: without their texts, where they were there."""
    combos = []
    for combo in record.results:
        quick: Callable[[], Iterator[CaseResult]] | None = getattr(combo.cases, "outlines", None)
        combos.append(replace(combo, cases=tuple(combo.cases if quick is None else quick())))
    return replace(record, results=tuple(combos))


def _stdout_is_taken(session: Session, options: RunOptions) -> bool:
    """Whether a report for a program goes to standard output, where nothing else must stand then."""
    if any(output.rpartition(":")[2] == "-" for output in options.outputs):
        return True
    return any(session.registry.get("reporter", name).spec.prints for name in options.reporters)
