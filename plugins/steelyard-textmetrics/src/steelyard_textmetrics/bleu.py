"""BLEU of one output: how many of its words, pairs, triples and quadruples of words the references have too.

BLEU is made for a whole corpus, and the mean of the scores here is not its BLEU. For one text at a time it is computed
as is usual then: orders for which the output is too short do not count (effective order), and an order without a match
is smoothed instead of making the whole score 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from steelyard.api import JsonValue, PluginContext, Scorer, ScorerSpec, option
from steelyard.errors import UsageError

from .references import LOWERCASE_DOC, THRESHOLD_DOC, VALUE_DOC, Measured, ReferenceScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class BleuSettings:
    """The options of BLEU."""

    value: str | tuple[str, ...] | None = option(None, doc=VALUE_DOC)
    threshold: float = option(0.3, doc=THRESHOLD_DOC, minimum=0, maximum=1)
    lowercase: bool = option(default=False, doc=LOWERCASE_DOC)
    tokenizer: Literal["13a", "intl", "char", "zh", "none"] = option(
        "13a",
        doc="How words are told apart. 13a: as is usual for languages with spaces; intl: by Unicode's punctuation; "
        "char: each character; zh: Chinese characters each, the rest as 13a; none: by white space alone.",
    )
    max_order: int = option(4, doc="The longest run of words that is compared.", minimum=1, maximum=9)
    smoothing: Literal["exp", "floor", "add-k", "none"] = option(
        "exp", doc="What to do with an order of which nothing matches; none makes the score 0."
    )
    smoothing_value: float | None = option(
        None, doc="For floor (0.1 unless given) and add-k (1 unless given).", above=0, maximum=100
    )


def create(settings: BleuSettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` for a value that nothing uses."""
    del context
    if settings.smoothing_value is not None and settings.smoothing not in ("floor", "add-k"):
        raise UsageError("bleu: 'smoothing_value' is for smoothing: floor and smoothing: add-k; leave it out")
    from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - only when a benchmark uses it

    metric = BLEU(
        lowercase=settings.lowercase,
        tokenize=settings.tokenizer,
        smooth_method=settings.smoothing,
        smooth_value=settings.smoothing_value,
        max_ngram_order=settings.max_order,
        effective_order=True,
    )

    def measure(output: str, references: Sequence[str]) -> Measured:
        found = metric.sentence_score(output, list(references))
        details: dict[str, JsonValue] = {"words": int(found.sys_len), "reference_words": int(found.ref_len)}
        if settings.smoothing != "add-k":  # which adds to the counts themselves
            # Counts can be added up over cases, and the BLEU of a corpus computed from the sums.
            details |= {"matches": list(map(int, found.counts)), "totals": list(map(int, found.totals))}
        return Measured(value=float(found.score) / 100, details=details)

    return ReferenceScorer("BLEU", measure, value=settings.value, threshold=settings.threshold)


SPEC = ScorerSpec(
    name="bleu",
    summary="Output shares words and runs of words with the references (BLEU)",
    settings=BleuSettings,
    create=create,
)
