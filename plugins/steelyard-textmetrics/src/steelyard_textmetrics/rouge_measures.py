"""Words, and what two lists of words have in common, as ``rouge-score`` has it. Only ``create`` imports this."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from rapidfuzz.distance import LCSseq
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.scoring import Score, fmeasure
from rouge_score.tokenizers import DefaultTokenizer

Tokenize = Callable[[str], list[str]]
Compare = Callable[[Sequence[str], Sequence[str]], dict[str, float]]
"""Compares the words of a reference with those of an output."""

_UNICODE_WORD = re.compile(r"\w+")


def ascii_words(*, stem: bool) -> Tokenize:
    """Return what finds the words of a text: of letters a to z and digits, perhaps without their endings."""
    tokenizer = DefaultTokenizer(stem)

    def tokenize(text: str) -> list[str]:
        return [str(token) for token in tokenizer.tokenize(text)]

    return tokenize


def unicode_words(text: str) -> list[str]:
    """Return the words of a text in any script."""
    return _UNICODE_WORD.findall(text.lower())


class _Ready:
    """The tokenizer of a scorer that is given words."""

    def tokenize(self, words: Sequence[str]) -> Sequence[str]:
        return words


def _runs(variant: str) -> Compare:
    scorer = RougeScorer([variant], tokenizer=_Ready())

    def compare(reference: Sequence[str], output: Sequence[str]) -> dict[str, float]:
        return _shares(scorer.score(reference, output)[variant])

    return compare


def _longest_common_sequence(reference: Sequence[str], output: Sequence[str]) -> dict[str, float]:
    """Compare as ``rouge-score`` does, whose own table takes memory by the product of the lengths."""
    length = LCSseq.similarity(reference, output)
    precision = length / len(output) if output else 0.0
    recall = length / len(reference) if reference else 0.0
    return _shares(Score(precision=precision, recall=recall, fmeasure=fmeasure(precision, recall)))


def _shares(score: Any) -> dict[str, float]:
    return {name: float(getattr(score, name)) for name in ("precision", "recall", "fmeasure")}


VARIANTS: Mapping[str, Compare] = MappingProxyType(
    {"rouge1": _runs("rouge1"), "rouge2": _runs("rouge2"), "rougeL": _longest_common_sequence}
)
"""By the name that a file gives as ``variant``."""
