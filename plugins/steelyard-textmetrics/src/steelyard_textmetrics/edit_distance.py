"""Edit distance: how few characters or words must be put in, left out or replaced to make a reference of the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from steelyard.api import PluginContext, Scorer, ScorerSpec, option

from .references import LOWERCASE_DOC, THRESHOLD_DOC, VALUE_DOC, Measured, ReferenceScorer, best


@dataclass(frozen=True, slots=True, kw_only=True)
class EditDistanceSettings:
    """The options of edit distance."""

    value: str | tuple[str, ...] | None = option(None, doc=VALUE_DOC)
    threshold: float = option(0.8, doc=THRESHOLD_DOC, minimum=0, maximum=1)
    lowercase: bool = option(default=False, doc=LOWERCASE_DOC)
    unit: Literal["characters", "words"] = option("characters", doc="What is counted; words end at white space.")
    transpositions: bool = option(default=False, doc="Whether two neighbours that changed places are one edit.")


def create(settings: EditDistanceSettings, context: PluginContext) -> Scorer:
    """Make the scorer."""
    del context
    from rapidfuzz.distance import OSA, Levenshtein  # noqa: PLC0415 - only when a benchmark uses it

    distance = OSA.distance if settings.transpositions else Levenshtein.distance

    def parts(text: str) -> Sequence[str]:
        folded = text.lower() if settings.lowercase else text
        return folded.split() if settings.unit == "words" else folded

    def compare(output: str, reference: str) -> Measured:
        given, wanted = parts(output), parts(reference)
        edits = int(distance(given, wanted))
        return Measured(value=1 - edits / max(len(given), len(wanted)), details={"edits": edits})

    return ReferenceScorer(
        "edit similarity",
        lambda output, references: best(output, references, compare),
        value=settings.value,
        threshold=settings.threshold,
    )


SPEC = ScorerSpec(
    name="edit_distance",
    summary="Output is few edits away from a reference (Levenshtein)",
    settings=EditDistanceSettings,
    create=create,
)
