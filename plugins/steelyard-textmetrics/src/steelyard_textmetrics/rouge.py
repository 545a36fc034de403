"""ROUGE: how much of a reference the output has: its words (rouge1), pairs of words (rouge2), or sequence (rougeL)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from steelyard.api import PluginContext, Scorer, ScorerSpec, option
from steelyard.errors import UsageError

from .references import THRESHOLD_DOC, VALUE_DOC, Measured, ReferenceScorer, best

Tokenize = Callable[[str], list[str]]

_TITLES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}
_UNICODE_WORD = re.compile(r"\w+")


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
    tokenize = _unicode_words if settings.tokenizer == "unicode" else _ascii_words(stem=settings.stem)
    compare = _longest_common_sequence if settings.variant == "rougeL" else _runs(settings.variant)

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


def _ascii_words(*, stem: bool) -> Tokenize:
    from rouge_score.tokenizers import DefaultTokenizer  # noqa: PLC0415 - only when a benchmark uses it

    tokenizer = DefaultTokenizer(stem)

    def tokenize(text: str) -> list[str]:
        return [str(token) for token in tokenizer.tokenize(text)]

    return tokenize


def _unicode_words(text: str) -> list[str]:
    return _UNICODE_WORD.findall(text.lower())


def _runs(variant: str) -> Callable[[Sequence[str], Sequence[str]], dict[str, float]]:
    from rouge_score.rouge_scorer import RougeScorer  # noqa: PLC0415

    scorer = RougeScorer([variant], tokenizer=_Ready())

    def compare(reference: Sequence[str], output: Sequence[str]) -> dict[str, float]:
        return _shares(scorer.score(reference, output)[variant])

    return compare


class _Ready:
    """The tokenizer of a scorer that is given tokens."""

    def tokenize(self, tokens: Sequence[str]) -> Sequence[str]:
        return tokens


def _longest_common_sequence(reference: Sequence[str], output: Sequence[str]) -> dict[str, float]:
    """Compare as rouge-score does, whose own table takes memory by the product of the lengths."""
    from rapidfuzz.distance import LCSseq  # noqa: PLC0415
    from rouge_score.scoring import Score, fmeasure  # noqa: PLC0415

    length = LCSseq.similarity(reference, output)
    precision = length / len(output) if output else 0.0
    recall = length / len(reference) if reference else 0.0
    return _shares(Score(precision=precision, recall=recall, fmeasure=fmeasure(precision, recall)))


def _shares(score: Any) -> dict[str, float]:
    return {name: float(getattr(score, name)) for name in ("precision", "recall", "fmeasure")}
