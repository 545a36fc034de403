"""ROUGE: how much of a reference the output has: its words (rouge1), pairs of words (rouge2), or sequence (rougeL)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from steelyard.api import PluginContext, Scorer, ScorerSpec, option
from steelyard.errors import UsageError

from .references import THRESHOLD_DOC, VALUE_DOC, Measured, ReferenceScorer, best

_TITLES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RougeSettings:
    """The options of ROUGE."""

    value: str | tuple[str, ...] | None = option(None, doc=VALUE_DOC)
    threshold: float = option(0.5, doc=THRESHOLD_DOC, minimum=0, maximum=1)
    variant: Literal["rouge1", "rouge2", "rougeL"] = option(
        "rougeL", doc="rouge1: words; rouge2: pairs of words; rougeL: the longest common sequence of words."
    )
    measure: Literal["fmeasure", "precision", "recall"] = option(
        "fmeasure", doc="recall: the share of the reference; precision: of the output; fmeasure: both in balance."
    )
    stem: bool = option(default=False, doc="Whether English words are compared without their endings (Porter).")
    tokenizer: Literal["ascii", "unicode"] = option(
        "ascii", doc="ascii: letters a to z and digits make words, as in the papers; unicode: those of every script."
    )


def create(settings: RougeSettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` for options that cannot go together."""
    del context
    if settings.stem and settings.tokenizer != "ascii":
        raise UsageError("rouge: 'stem' knows English endings alone; it goes with tokenizer: ascii")
    from .rouge_measures import VARIANTS, ascii_words, unicode_words  # noqa: PLC0415 - imports rouge_score

    tokenize = unicode_words if settings.tokenizer == "unicode" else ascii_words(stem=settings.stem)
    compare = VARIANTS[settings.variant]

    def compare_texts(output: str, reference: str) -> Measured:
        found = compare(tokenize(reference), tokenize(output))
        return Measured(value=found[settings.measure], details=found)

    def unfit(reference: str) -> str | None:
        needed = 2 if settings.variant == "rouge2" else 1
        if len(tokenize(reference)) >= needed:
            return None
        hint = "; tokenizer: unicode knows other scripts" if settings.tokenizer == "ascii" else ""
        return f"needs a reference of at least {needed} words{hint}" if needed > 1 else f"needs words to compare{hint}"

    return ReferenceScorer(
        _TITLES[settings.variant],
        lambda output, references: best(output, references, compare_texts),
        value=settings.value,
        threshold=settings.threshold,
        unfit=unfit,
    )


SPEC = ScorerSpec(
    name="rouge",
    summary="Output has the words of a reference (ROUGE-1, ROUGE-2, ROUGE-L)",
    settings=RougeSettings,
    create=create,
)
