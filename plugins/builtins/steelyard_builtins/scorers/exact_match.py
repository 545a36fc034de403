"""Exact match: the trimmed output equals the expected label, ignoring case."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import Ask, Benchmark, Case, Output, PluginContext, Problem, Score, Scorer, ScorerSpec, option, shown

from ._caseless import caseless, composed
from ._expected import EXPECTED, check_text, wanted_text

LABEL_LENGTH = 100
"""Characters beyond which an expected output is hardly a label that a model repeats to the letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactMatchSettings:
    """The options of exact match."""

    value: str | None = option(None, doc="The wanted output; by default the case's expected_output.")
    ignore_case: bool = option(default=True, doc="Whether upper and lower case are the same.")
    strip: bool = option(default=True, doc="Whether white space around the output and the wanted output is left out.")


class ExactMatch:
    """Compares the whole output."""

    def __init__(self, settings: ExactMatchSettings) -> None:
        self._settings = settings

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the output is the wanted one."""
        del ask
        wanted = wanted_text(self._settings.value, case)
        expected, given = self._comparable(wanted), self._comparable(output.text)
        passed = expected == given
        reason = f"equals {shown(wanted)}" if passed else f"expected {shown(wanted)}, got {shown(output.text)}"
        if len(expected) > LABEL_LENGTH:
            return Score(value=float(passed), passed=passed, reason=reason)
        label = {"expected": expected, "output": given[:LABEL_LENGTH]}
        return Score(value=float(passed), passed=passed, reason=reason, details={"label": label})

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report what has no label to compare with, and labels that no model will repeat."""
        del benchmark
        yield from check_text(self._settings.value, case, "exact_match")
        if self._settings.value is None and isinstance(case.expected, str) and len(case.expected) > LABEL_LENGTH:
            yield Problem(
                severity="warning",
                message=f"exact_match: expected_output has {len(case.expected)} characters, long for a label",
                path=EXPECTED,
                hint="the output must equal it to the letter; llm_judge suits free text better",
            )

    def _comparable(self, text: str) -> str:
        stripped = text.strip() if self._settings.strip else text
        return caseless(stripped) if self._settings.ignore_case else composed(stripped)


def create(settings: ExactMatchSettings, context: PluginContext) -> Scorer:
    """Make the scorer."""
    del context
    return ExactMatch(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[ExactMatchSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="exact_match",
            summary="Output equals the expected label",
            settings=ExactMatchSettings,
            create=create,
            inline=True,
        )
    ]
