"""What the end of a program means: a pass, or a failure with the reason that a person needs."""

from __future__ import annotations

import re
import signal

from steelyard.api import JsonMapping, Score
from steelyard.text import one_line, shorten, well_formed

from ._code_programs import Program
from ._code_running import Ended

_ERROR = re.compile(r"^[\w.]*(?:Error|Exception|Interrupt)\b", re.MULTILINE)
"""Begins the line of a traceback that says what went wrong."""
_PLACE = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')

_SHOWN = 300
"""Characters of standard error, and of either side of a comparison, that a reason quotes."""
_KEPT = 4000
"""Characters of each stream that the record keeps."""


def verdict(program: Program, ended: Ended, expected: str | None, isolation: str) -> Score:
    """Pass when the program ended well, its tests were all run, and it printed what is expected."""
    errors = _without_marks(program, ended.errors)
    passed, reason = _judged(program, ended, errors, expected)
    details: JsonMapping = {
        "exit_code": ended.exit_code,
        "output": shorten(well_formed(ended.output), _KEPT),
        "errors": well_formed(_end_of(errors, _KEPT)),
        "isolation": isolation,
    }
    return Score(value=float(passed), passed=passed, reason=reason, details=details)


def _judged(program: Program, ended: Ended, errors: str, expected: str | None) -> tuple[bool, str]:
    if ended.stopped:
        return False, f"stopped: the program {ended.stopped}"
    if ended.exit_code != 0:
        said = _complaint(errors)
        return False, f"{_how(ended.exit_code)}: {said}" if said else _how(ended.exit_code)
    if program.mark and program.mark not in ended.errors:
        return False, "exit code 0, but the program ended before all of its tests had run"
    if expected is not None and _trimmed(ended.output) != _trimmed(expected):
        return False, f"printed {_quoted(ended.output)}, expected {_quoted(expected)}"
    done = ["the tests passed"] if program.mark else []
    done += [f"printed {_quoted(ended.output)}"] if expected is not None else []
    return True, f"exit code 0; {' and '.join(done)}" if done else "exit code 0"


def _how(exit_code: int) -> str:
    if exit_code > 0:
        # A shell reports a signal so; what runs under one is reported by it.
        known = exit_code - 128
        return f"exit code {exit_code}{f' ({_signal(known)})' if _signal(known) else ''}"
    return f"ended by {_signal(-exit_code) or f'signal {-exit_code}'}"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""


def _without_marks(program: Program, errors: str) -> str:
    for mark in program.marks:
        errors = errors.replace(mark, "")
    return errors


def _trimmed(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _quoted(text: str) -> str:
    return repr(shorten(well_formed(_trimmed(text)), _SHOWN))


def _complaint(errors: str) -> str:
    """Return what standard error comes to in a line: the last error with its place, or else the end."""
    found = list(_ERROR.finditer(errors))
    if not found:
        return one_line(_end_of(errors, _SHOWN))
    places = list(_PLACE.finditer(errors, 0, found[-1].start()))
    place = f"{places[-1]['file']}, line {places[-1]['line']}: " if places else ""
    return one_line(place + errors[found[-1].start() :], _SHOWN)


def _end_of(text: str, limit: int) -> str:
    """Return the end of a text: an error message stands in its last line."""
    text = text.strip()
    return text if len(text) <= limit else f"…{text[-limit:]}"
