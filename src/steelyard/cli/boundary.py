"""What becomes of an error: which lines the user reads, and which exit code a script gets.

The one place where the command line catches everything. No traceback gets past it unless ``--debug`` asks for one.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable
from typing import Final

import click

from .. import __version__
from ..errors import BenchmarkError, Problem, SteelyardError
from . import interrupt
from .exit_codes import FAILED, INTERRUPTED, OWN_FAULT, WRONG_USAGE
from .invocation import Invocation
from .output import print_error, print_labelled_at, print_note
from .tracebacks import show_traceback

_MACHINE_IS_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE)
"""Faults that the user can do something about although no file is named."""


def guarded(work: Callable[[], int], invocation: Invocation) -> int:
    """Do the work and return its exit code; say what is wrong if it fails."""
    try:
        return work()
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (KeyboardInterrupt, click.Abort):
        interrupt.end_at_the_next()
        _say_interrupted(invocation)
        return INTERRUPTED
    except Exception as error:
        return _explained(error, invocation)


def _explained(error: Exception, invocation: Invocation) -> int:
    if isinstance(error, click.UsageError):
        _say_wrong_usage(error, invocation)
        return WRONG_USAGE
    if isinstance(error, click.ClickException):
        print_error(error.format_message(), color=invocation.color)
        return FAILED
    if isinstance(error, SteelyardError) or (isinstance(error, OSError) and _user_can_help(error)):
        report(error, invocation)
        return FAILED
    return _fault(error, invocation)


def _user_can_help(error: OSError) -> bool:
    return error.filename is not None or error.errno in _MACHINE_IS_FULL


def report(error: SteelyardError | OSError, invocation: Invocation, *, about: str = "") -> None:
    """Print what the user got wrong, or what their machine refused; every problem of a benchmark on its own line.

    Args:
        error: What was raised.
        invocation: Whether to show the traceback, and to colour.
        about: The file that is concerned, for the line that counts its problems.
    """
    if invocation.debug:
        show_traceback(error)
    if isinstance(error, BenchmarkError):
        print_problems(error.problems, invocation)
        count = counted(error.problems)
        print_error(f"{about}: {count}" if about else count, color=invocation.color)
    elif isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename is not None else ""
        print_error(f"{where}{error.strerror or error}", color=invocation.color)
    else:
        print_error(str(error), color=invocation.color)


def print_problems(problems: Iterable[Problem], invocation: Invocation) -> None:
    """Print problems in the form ``file:line:column: error: keys: message; hint``, one on a line."""
    for problem in problems:
        said = f"{problem.message}; {problem.hint}" if problem.hint else problem.message
        text = f"{problem.path}: {said}" if problem.path else said
        print_labelled_at(problem.place, problem.severity, text, color=invocation.color)


def counted(problems: Iterable[Problem]) -> str:
    """Say how many problems there are: ``2 errors, 1 warning``; warnings only where there are any."""
    severities = [problem.severity for problem in problems]
    errors, warnings = severities.count("error"), severities.count("warning")
    parts = [_plural(errors, "error")] if errors or not warnings else []
    parts += [_plural(warnings, "warning")] if warnings else []
    return ", ".join(parts)


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _say_interrupted(invocation: Invocation) -> None:
    if sys.stderr.isatty():
        print_note("")  # the terminal has echoed ^C on the line
    print_note(invocation.on_interrupt)


def _say_wrong_usage(error: click.UsageError, invocation: Invocation) -> None:
    print_error(error.format_message(), color=invocation.color)
    if error.ctx is not None:
        print_note(f"Try '{error.ctx.command_path} --help'.")


def _fault(error: Exception, invocation: Invocation) -> int:
    """Say that our own code is at fault, or that of the plugin whose command this is."""
    from . import crash  # noqa: PLC0415 - slow to import, and hardly ever needed

    author = invocation.author
    what = author or "a fault of steelyard itself"
    said = crash.without_secrets(f"{type(error).__name__}: {error}".rstrip(": "), os.environ)
    code = FAILED if author else OWN_FAULT
    if invocation.debug:
        show_traceback(error)
        print_error(f"{what}: {said}", color=invocation.color)
        return code
    path = crash.write_report(error, author or f"steelyard {__version__}")
    if author:
        sent = f"report it to its author with {path}" if path else "report it to its author"
        advice = f"{sent}, or see where with 'steelyard --debug' before the command"
    else:
        advice = f"please report it with {path}" if path else "run it again with --debug to see where"
    print_error(f"{what}: {said}; {advice}", color=invocation.color)
    return code
