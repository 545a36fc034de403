"""A badge for a README: the file that shields.io draws it from, for the best combo."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from steelyard import hookimpl
from steelyard.api import ComboResult, NoSettings, PluginContext, Reporter, ReporterSpec, RunRecord
from steelyard.errors import UsageError

from .outputs import FileReporter, checked_output

_COLORS = ((100, "brightgreen"), (90, "green"), (75, "yellow"), (50, "orange"), (0, "red"))
"""From how many per cent of the planned cases on; the colours of evalkit's badges."""

_IMAGES = frozenset({".gif", ".jpeg", ".jpg", ".pdf", ".png", ".svg", ".webp"})


def badge_chunks(record: RunRecord) -> Iterator[bytes]:
    """Yield the badge's file."""
    combo = _shown_combo(record)
    passed, total = (0, 0) if combo is None else (combo.passed, combo.total)
    color = next((color for least, color in _COLORS if total and 100 * passed >= least * total), "lightgrey")
    badge = {"schemaVersion": 1, "label": "evals", "message": f"{passed}/{total} passed", "color": color}
    yield json.dumps(badge, indent=2).encode() + b"\n"


def _shown_combo(record: RunRecord) -> ComboResult | None:
    best = record.insights.best_quality
    if best is not None:
        for combo in record.results:
            if (combo.model, combo.prompt_id) == (best.model, best.prompt_id):
                return combo
    return max(record.results, key=lambda combo: combo.passed, default=None)


def create(settings: NoSettings, context: PluginContext) -> Reporter:
    """Make the reporter. Raises ``UsageError`` without a file: beside the record it would pass for a record."""
    del settings
    path = checked_output(context)
    if path is None:
        raise UsageError("reporter 'badge': needs a file; write -o badge:FILE")
    if path.suffix.lower() in _IMAGES:
        hint = f"write -o badge:{path.with_suffix('.json').name}, and give shields.io its address"
        raise UsageError(f"reporter 'badge': writes what shields.io draws a badge from, no {path.suffix} image; {hint}")
    return FileReporter(path, ".badge.json", badge_chunks)


@hookimpl
def steelyard_register_reporters() -> Iterable[ReporterSpec[NoSettings]]:
    """Offer the reporter. It claims no ending: a ``.json`` file is the record."""
    return [
        ReporterSpec(name="badge", summary="A shields.io badge", settings=NoSettings, create=create, hears_cases=False)
    ]
