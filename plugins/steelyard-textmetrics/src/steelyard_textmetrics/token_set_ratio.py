"""Token-set ratio: the output has the words of a reference, in any order and however often.

A text whose words are a part of the other's scores 1: the measure finds what is said differently, not what is left out
or added.
"""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.api import PluginContext, Scorer, ScorerSpec, option

from .references import LOWERCASE_DOC, THRESHOLD_DOC, VALUE_DOC, Measured, ReferenceScorer, best


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSetRatioSettings:
    """The options of the token-set ratio."""

    value: str | tuple[str, ...] | None = option(None, doc=VALUE_DOC)
    threshold: float = option(0.8, doc=THRESHOLD_DOC, minimum=0, maximum=1)
    lowercase: bool = option(default=False, doc=LOWERCASE_DOC)
    punctuation: bool = option(default=True, doc="Whether punctuation counts; else it stands for white space.")


def create(settings: TokenSetRatioSettings, context: PluginContext) -> Scorer:
    """Make the scorer."""
    del context
    from rapidfuzz.fuzz import token_set_ratio  # noqa: PLC0415 - only when a benchmark uses it

    def words(text: str) -> str:
        folded = text.lower() if settings.lowercase else text
        if settings.punctuation:
            return folded
        return "".join(character if character.isalnum() else " " for character in folded)

    def compare(output: str, reference: str) -> Measured:
        return Measured(value=float(token_set_ratio(words(output), words(reference))) / 100)

    def unfit(reference: str) -> str | None:
        return None if words(reference).strip() else "needs words to compare"

    return ReferenceScorer(
        "token-set ratio",
        lambda output, references: best(output, references, compare),
        value=settings.value,
        threshold=settings.threshold,
        unfit=unfit,
    )


SPEC = ScorerSpec(
    name="token_set_ratio",
    summary="Output has the words of a reference, in any order (token-set ratio)",
    settings=TokenSetRatioSettings,
    create=create,
)
