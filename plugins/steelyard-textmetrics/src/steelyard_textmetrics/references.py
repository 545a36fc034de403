"""What all metrics have in common: one or several references, a value from 0 to 1, a threshold."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from steelyard.api import Ask, Benchmark, Case, JsonMapping, JsonValue, Output, Problem, Score, is_sequence, shown
from steelyard.errors import ScorerError

EXPECTED = "expected_output"
VALUE_DOC = "The reference, or a list of references; by default the case's expected_output."
THRESHOLD_DOC = "The score from which on it passes."
LOWERCASE_DOC = "Whether upper and lower case are the same."

_ROUNDING = 1e-9
"""How far floating point alone may put a value below a threshold that it reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a metric says about an output."""

    value: float
    """From 0 to 1."""
    closest: int | None = None
    """The place of the reference that it is closest to; ``None`` where all references count together."""
    details: JsonMapping = field(default_factory=dict)


Measure = Callable[[str, Sequence[str]], Measured]
"""Compares an output with one or several references, none of them empty."""


class ReferenceScorer:
    """Compares outputs with references by a measure."""

    def __init__(
        self,
        title: str,
        measure: Measure,
        *,
        value: str | Sequence[str] | None,
        threshold: float,
        unfit: Callable[[str], str | None] = lambda _reference: None,
    ) -> None:
        """Remember how to compare.

        Args:
            title: What the metric is called in reasons.
            measure: What compares.
            value: The references; ``None`` for those of each case.
            threshold: The value from which on an output passes.
            unfit: Says what is wrong with a reference that the metric can make nothing of.
        """
        self._title = title
        self._measure = measure
        self._value = value
        self._threshold = threshold
        self._unfit = unfit

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the value reaches the threshold."""
        del ask
        references = self._references(case)
        measured = self._measure(comparable(output.text), references)
        value = min(max(measured.value, 0.0), 1.0)
        return Score(
            value=value,
            passed=value + _ROUNDING >= self._threshold,
            reason=f"{self._title} {value:.3f} to {_which(references, measured.closest)}",
            details=measured.details,
        )

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report a case without a reference that the metric can use."""
        del benchmark
        try:
            self._references(case)
        except ScorerError as error:
            yield Problem(message=f"{self._title}: {error}", path=EXPECTED if self._value is None else "")

    def _references(self, case: Case) -> tuple[str, ...]:
        """Return the references. Raises ``ScorerError`` when there is none, or one that cannot be used."""
        wanted: JsonValue = case.expected if self._value is None else self._value
        texts = (wanted,) if isinstance(wanted, str) else tuple(wanted) if is_sequence(wanted) else ()
        references = tuple([comparable(text) for text in texts if isinstance(text, str)])
        if not references or len(references) != len(texts) or not all(references):
            what = f"got {shown(wanted)}" if wanted is not None else "there is none"
            raise ScorerError(f"needs a reference, text or a list of texts, none of them empty; {what}")
        for reference in references:
            if wrong := self._unfit(reference):
                raise ScorerError(f"{wrong}, got {shown(reference)}")
        return references


def comparable(text: str) -> str:
    """Return a text without white space around it, its accents composed: how they are encoded is nobody's choice."""
    return unicodedata.normalize("NFC", text.strip())


def best(output: str, references: Sequence[str], compare: Callable[[str, str], Measured]) -> Measured:
    """Compare with each reference by itself and return what the closest one gives; the first of equals."""
    each = [compare(output, reference) for reference in references]
    closest = max(range(len(each)), key=lambda at: each[at].value)
    return Measured(value=each[closest].value, closest=closest, details=each[closest].details)


def _which(references: Sequence[str], closest: int | None) -> str:
    if len(references) == 1:
        return shown(references[0])
    if closest is None:
        return f"{len(references)} references"
    return f"{shown(references[closest])}, the closest of {len(references)} references"
