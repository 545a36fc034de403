"""chrF: how many runs of characters the output and a reference share. Kinder than BLEU to endings and short texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.api import PluginContext, Scorer, ScorerSpec, option

from .references import LOWERCASE_DOC, THRESHOLD_DOC, VALUE_DOC, Measured, ReferenceScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class ChrfSettings:
    """The options of chrF."""

    value: str | tuple[str, ...] | None = option(None, doc=VALUE_DOC)
    threshold: float = option(0.5, doc=THRESHOLD_DOC, minimum=0, maximum=1)
    lowercase: bool = option(default=False, doc=LOWERCASE_DOC)
    char_order: int = option(6, doc="The longest run of characters that is compared.", minimum=1, maximum=20)
    word_order: int = option(
        0, doc="The longest run of words that counts too: 2 makes it chrF++, 0 leaves words out.", minimum=0, maximum=9
    )
    beta: int = option(2, doc="How many times as much recall counts as precision.", minimum=1, maximum=10)
    whitespace: bool = option(default=False, doc="Whether white space counts as characters.")
    eps_smoothing: bool = option(
        default=False,
        doc="Whether orders for which a text is too short count as 0, as in NLTK and chrF++.py, or not at all.",
    )


def create(settings: ChrfSettings, context: PluginContext) -> Scorer:
    """Make the scorer."""
    del context
    from sacrebleu.metrics.chrf import CHRF  # noqa: PLC0415 - only when a benchmark uses it

    metric = CHRF(
        char_order=settings.char_order,
        word_order=settings.word_order,
        beta=settings.beta,
        lowercase=settings.lowercase,
        whitespace=settings.whitespace,
        eps_smoothing=settings.eps_smoothing,
    )

    def measure(output: str, references: Sequence[str]) -> Measured:
        return Measured(value=float(metric.sentence_score(output, list(references)).score) / 100)

    title = f"chrF{settings.beta}{'+' * settings.word_order}"
    return ReferenceScorer(title, measure, value=settings.value, threshold=settings.threshold)


SPEC = ScorerSpec(
    name="chrf",
    summary="Output shares runs of characters with a reference (chrF)",
    settings=ChrfSettings,
    create=create,
)
