"""Numeric: the last (or first) number of the output is the wanted one, within a tolerance.

Compared as decimal numbers, so that no digit is lost and 0.1 is 0.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from steelyard import hookimpl
from steelyard.api import (
    Ask,
    Benchmark,
    Case,
    JsonValue,
    Output,
    PluginContext,
    Problem,
    Score,
    Scorer,
    ScorerSpec,
    option,
    shown,
)
from steelyard.errors import ScorerError, UsageError

from ._expected import EXPECTED
from ._numbers import ARITHMETIC, Mark, numbers, only_number
from ._thinking import after_thinking


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericSettings:
    """The options of numeric."""

    value: int | float | str | None = option(None, doc="The wanted number; by default the case's expected_output.")
    abs_tol: float = option(0.0, doc="How far from the wanted number the output's may be.", minimum=0)
    rel_tol: float = option(
        0.0, doc="The same, as a share of the wanted number; the larger tolerance counts.", minimum=0
    )
    pick: Literal["last", "first"] = option("last", doc="Which number of the output is compared.")
    decimal_mark: Literal[".", ","] = option(".", doc="What separates the decimals in the output: '.' or ','.")


class Numeric:
    """Compares one number of the output."""

    def __init__(self, settings: NumericSettings) -> None:
        self._settings = settings

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the picked number is within tolerance."""
        del ask
        wanted = self._wanted(case)
        if wanted is None:
            raise ScorerError(_no_number(self._value(case)))
        found = list(numbers(after_thinking(output.text), self._settings.decimal_mark))
        if not found:
            return Score(value=0.0, passed=False, reason=f"expected {wanted}, found no number")
        read = found[-1 if self._settings.pick == "last" else 0]
        passed = self._close(read.value, wanted)
        reason = f"read {read.text!r}, expected {wanted}{self._tolerance()}"
        return Score(value=float(passed), passed=passed, reason=reason)

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report a case without a number to compare with."""
        del benchmark
        if self._wanted(case) is None:
            yield Problem(message=f"numeric: {_no_number(self._value(case))}", path=EXPECTED)

    def _value(self, case: Case) -> JsonValue:
        return case.expected if self._settings.value is None else self._settings.value

    def _wanted(self, case: Case) -> Decimal | None:
        return _decimal(self._value(case), self._settings.decimal_mark)

    def _close(self, found: Decimal, wanted: Decimal) -> bool:
        if found == wanted:
            return True
        absolute = Decimal(repr(self._settings.abs_tol))
        relative = ARITHMETIC.multiply(Decimal(repr(self._settings.rel_tol)), wanted.copy_abs())
        return ARITHMETIC.abs(ARITHMETIC.subtract(found, wanted)) <= max(absolute, relative)

    def _tolerance(self) -> str:
        tolerances = {"abs_tol": self._settings.abs_tol, "rel_tol": self._settings.rel_tol}
        given = [f"{name} {value:g}" for name, value in tolerances.items() if value]
        return f" ({', '.join(given)})" if given else ""


def create(settings: NumericSettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` when the wanted value is no number."""
    del context
    if settings.value is not None and _decimal(settings.value, settings.decimal_mark) is None:
        raise UsageError(f"numeric: 'value' {_no_number(settings.value)}")
    return Numeric(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[NumericSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="numeric",
            summary="A number in the output is the wanted one within tolerance",
            settings=NumericSettings,
            create=create,
            inline=True,
        )
    ]


def _decimal(value: JsonValue, mark: Mark) -> Decimal | None:
    if isinstance(value, str):
        return only_number(value, mark)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    number = Decimal(value) if isinstance(value, int) else Decimal(repr(value))
    return number if number.is_finite() else None


def _no_number(value: JsonValue) -> str:
    return f"needs a number to compare with, got {shown(value)}"
