"""Regex: a pattern matches in the output, within a time limit.

Matched by the ``regex`` package, which can stop: the standard library's engine holds the interpreter for as long as a
pattern goes back and forth, so no thread and no Ctrl-C gets through. A pattern that runs out of time is a fault of the
suite, so it is an error and not a failed case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from steelyard import hookimpl
from steelyard.api import Ask, Case, Output, PluginContext, Score, Scorer, ScorerSpec, option, shown
from steelyard.errors import ScorerError, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class RegexSettings:
    """The options of regex."""

    pattern: str = option(doc="A regular expression, as in Python's re module.")
    ignore_case: bool = option(default=False, doc="Whether upper and lower case are the same.")
    fullmatch: bool = option(default=False, doc="Whether the whole output, white space around it left out, must match.")
    timeout: float = option(2.0, doc="Seconds that one match may take.", above=0, maximum=60)


class Regex:
    """Matches a compiled pattern."""

    def __init__(self, settings: RegexSettings, pattern: Any) -> None:
        self._settings = settings
        self._pattern = pattern

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the pattern matches."""
        del case, ask
        pattern, limit = self._settings.pattern, self._settings.timeout
        try:
            if self._settings.fullmatch:
                found = self._pattern.fullmatch(output.text.strip(), timeout=limit)
            else:
                found = self._pattern.search(output.text, timeout=limit)
        except TimeoutError as error:
            raise ScorerError(
                f"pattern {shown(pattern)} took longer than its time limit of {limit:g} s; avoid nested repetition"
            ) from error
        reason = f"{shown(pattern)} matches {shown(found[0])}" if found else f"{shown(pattern)} does not match"
        return Score(value=float(bool(found)), passed=bool(found), reason=reason)


def create(settings: RegexSettings, context: PluginContext) -> Scorer:
    """Compile the pattern. Raises ``UsageError`` when it is none."""
    del context
    if not settings.pattern:
        raise UsageError("regex: 'pattern' must not be empty: it would match every output")
    import regex  # noqa: PLC0415 - takes time to import, and only runs that use it should pay

    try:
        compiled = regex.compile(settings.pattern, regex.IGNORECASE if settings.ignore_case else 0)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        raise UsageError(f"regex: 'pattern' {shown(settings.pattern)} is no regular expression: {error}") from error
    return Regex(settings, compiled)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[RegexSettings]]:
    """Offer the scorer."""
    return [ScorerSpec(name="regex", summary="A pattern matches in the output", settings=RegexSettings, create=create)]
