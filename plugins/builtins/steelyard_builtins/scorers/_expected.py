"""What an output is compared with: the scorer's own ``value``, or else the case's ``expected_output``."""

from __future__ import annotations

from collections.abc import Iterator

from steelyard.api import Case, JsonValue, Problem, is_sequence, shown
from steelyard.errors import ScorerError

EXPECTED = "expected_output"


def wanted_text(value: str | None, case: Case) -> str:
    """Return the text to compare with. Raises ``ScorerError`` when there is none."""
    wanted = case.expected if value is None else value
    if not isinstance(wanted, str):
        raise ScorerError(_no_text(wanted))
    return wanted


def check_text(value: str | None, case: Case, scorer: str) -> Iterator[Problem]:
    """Report a case that gives the scorer no text to compare with."""
    if value is None and not isinstance(case.expected, str):
        yield Problem(message=f"{scorer}: {_no_text(case.expected)}", path=EXPECTED, hint=_hint(case.expected))


def wanted_texts(value: str | tuple[str, ...] | None, case: Case) -> tuple[str, ...]:
    """Return the texts to look for. Raises ``ScorerError`` when there is none, or an empty one."""
    wanted: JsonValue = case.expected if value is None else value
    texts = (wanted,) if isinstance(wanted, str) else tuple(wanted) if is_sequence(wanted) else ()
    found = tuple(text for text in texts if isinstance(text, str) and text)
    if not found or len(found) != len(texts):
        raise ScorerError(f"needs texts to look for, got {shown(list(wanted) if is_sequence(wanted) else wanted)}")
    return found


def check_texts(value: str | tuple[str, ...] | None, case: Case, scorer: str) -> Iterator[Problem]:
    """Report a case that gives the scorer nothing to look for."""
    try:
        wanted_texts(value, case)
    except ScorerError as error:
        hint = "give it a value, or the case an expected_output, that is text or a list of texts, none of them empty"
        yield Problem(message=f"{scorer}: {error}", path=EXPECTED if value is None else "value", hint=hint)


def _no_text(wanted: JsonValue) -> str:
    if wanted is None:
        return "needs expected_output"
    return f"needs expected_output as text, got {shown(wanted)}"


def _hint(wanted: JsonValue) -> str:
    if isinstance(wanted, (bool, int, float)):
        return "quote it: YAML reads unquoted yes, true and 3 as something else than text"
    return ""
