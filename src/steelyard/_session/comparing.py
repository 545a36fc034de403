"""Which runs are compared combo by combo, and which by the one target that their suites have."""

from __future__ import annotations

from collections.abc import Callable

from .._engine.compare import Comparison, compare, compare_targets
from .._host.registry import Registry
from ..api import FormatSpec, RunRecord
from ..records import is_task_record


def compared(before: RunRecord, after: RunRecord, registry: Callable[[], Registry]) -> Comparison:
    """Compare two runs.

    Args:
        before: The baseline.
        after: The run that is held against it; the format of its suite decides.
        registry: Asked only where the combos do not match, since it takes the plugins.
    """
    comparison = compare(before, after)
    lonely = comparison.only_before or comparison.only_after
    if not lonely and all(combo.comparable for combo in comparison.combos):
        return comparison
    single = len(before.results) == len(after.results) == 1
    return compare_targets(before, after) if single and has_one_target(after, registry()) else comparison


def has_one_target(record: RunRecord, registry: Registry) -> bool:
    """Whether a run is of a suite with one target, whatever that is called."""
    return is_task_record(record) or any(spec.one_target for spec in _format_of(record, registry))


def gates_scores(record: RunRecord, registry: Registry) -> bool:
    """Whether a run is of a suite whose own tool holds mean scores to a baseline too."""
    return is_task_record(record) or any(spec.gates_scores for spec in _format_of(record, registry))


def _format_of(record: RunRecord, registry: Registry) -> list[FormatSpec]:
    """Return the format of the suite, if it is installed."""
    known = record.format in registry.names("format")
    return [registry.get("format", record.format).spec] if known else []
