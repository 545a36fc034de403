"""Python: a function of the user's own judges the output.

The function gets the output and a dictionary about the case, and returns true or false, a score from 0 to 1 (0.5
passes), ``(passed, "reason")``, or a dictionary with ``pass``, ``score`` and ``reason``. It may be ``async def``. It
runs in a worker thread of this process, with all the rights of the user.
"""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard import hookimpl
from steelyard.api import (
    NOTHING,
    Ask,
    Case,
    JsonMapping,
    JsonValue,
    Output,
    PluginContext,
    Score,
    Scorer,
    ScorerSpec,
    is_sequence,
    option,
    shown,
)
from steelyard.errors import ScorerError
from steelyard.text import one_line

from ._user_function import UserFunction

PASSES_AT = 0.5
"""The score from which on a bare number passes."""

SLACK = 1e-9
"""How far beyond 0 or 1 a score may be: what sums of shares come to in binary numbers."""

REASON_LENGTH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonSettings:
    """The options of python."""

    function: str = option(doc="checks.py:name, relative to the benchmark, or package.module:name.")
    args: JsonMapping = option(default_factory=lambda: NOTHING, doc="Keyword arguments for the function.")


class Python:
    """Calls the user's function."""

    def __init__(self, settings: PythonSettings, function: UserFunction) -> None:
        self._settings = settings
        self._function = function

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the function says so."""
        del ask
        function = self._function.load()
        arguments = _thawed(self._settings.args)
        try:
            result = function(output.text, _context(case, output), **arguments)
            if inspect.isawaitable(result):
                result = asyncio.run(_wait_for(result))
        except ScorerError:
            raise
        except (Exception, SystemExit) as error:  # the user's code: the case is an error, whatever comes of it
            raise ScorerError(f"{self._settings.function!r} raised {type(error).__name__}: {error}") from error
        try:
            return _as_score(result)
        except ValueError as error:
            raise ScorerError(f"{self._settings.function!r} returned {error}") from error


def create(settings: PythonSettings, context: PluginContext) -> Scorer:
    """Find the function, without running anything. Raises ``UsageError`` when there is none."""
    return Python(settings, UserFunction(settings.function, context.base_dir, context.note_file))


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[PythonSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="python", summary="A Python function says that it passes", settings=PythonSettings, create=create
        )
    ]


async def _wait_for(awaitable: Any) -> Any:
    return await awaitable


def _context(case: Case, output: Output) -> dict[str, Any]:
    """Return what the function may know, as plain copies that it can change without doing harm.

    Variables and the keys of an input that is a mapping stand at the top as well, as evalkit has them; the names below
    win over both.
    """
    asked = [message.content for message in output.messages if message.role == "user"]
    return {
        **(_thawed(case.input) if isinstance(case.input, Mapping) else {}),
        **_thawed(case.variables),
        "id": case.id,
        "input": _thawed(case.input),
        "expected": _thawed(case.expected),
        "vars": _thawed(case.variables),
        "metadata": _thawed(case.metadata),
        "tags": list(case.tags),
        "criteria": case.criteria,
        "reference": case.reference,
        "output": output.text,
        "prompt": asked[-1] if asked else "",
        "messages": [{"role": message.role, "content": message.content} for message in output.messages],
        "model": output.model,
        "repeat": output.repeat,
        "seed": output.seed,
        "latency_ms": output.latency_ms,
        "cost_usd": output.cost_usd,
        "finish_reason": output.finish_reason,
    }


def _thawed(value: JsonValue) -> Any:
    if isinstance(value, Mapping):
        return {key: _thawed(inside) for key, inside in value.items()}
    if is_sequence(value):
        return [_thawed(inside) for inside in value]
    return value


def _as_score(result: Any) -> Score:
    """Return a score for one of the four shapes. Raises ``ValueError`` for anything else."""
    match result:
        case Score():
            return result
        case bool():
            return Score(value=float(result), passed=result, reason="true" if result else "false")
        case int() | float():
            value = _share(result)
            return Score(value=value, passed=value >= PASSES_AT, reason=f"score {value:g}")
        case (bool() | int() | float() as verdict, str() as reason):
            score = _as_score(verdict)
            return Score(value=score.value, passed=score.passed, reason=_line(reason) or score.reason)
        case Mapping():
            return _from_mapping(result)
    raise ValueError(f"{shown(result)}; return true or false, a score, (passed, reason) or a dictionary")


def _from_mapping(result: Mapping[str, Any]) -> Score:
    passed = result.get("pass", result.get("passed"))
    score = result.get("score")
    if passed is None and score is None:
        raise ValueError(f"{shown(dict(result))}, with neither 'pass' nor 'score'")
    # 1 and numpy's own true are what bool() would make of them; "false" and 0.3 are not.
    if passed is not None and passed not in (0, 1):
        raise ValueError(f"'pass': {shown(passed)}, not true or false")
    if passed is None:
        value = _share(score)
        verdict = value >= PASSES_AT
    else:
        verdict = bool(passed)
        # Beside a verdict, a score beyond the range changes nothing but the score.
        value = float(verdict) if score is None else _share(score, clamped=True)
    return Score(value=value, passed=verdict, reason=_line(result.get("reason") or "") or f"score {value:g}")


def _line(reason: object) -> str:
    return one_line(str(reason), REASON_LENGTH)


def _share(value: Any, *, clamped: bool = False) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"the score {shown(value)}, not a number from 0 to 1")
    share = min(1.0, max(0.0, value))
    if not clamped and abs(value - share) > SLACK:
        raise ValueError(f"the score {shown(value)}, not a number from 0 to 1")
    return share
