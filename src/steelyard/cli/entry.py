"""From the arguments of the process to its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial

from . import interrupt, streams
from .boundary import guarded
from .exit_codes import FAILED, INTERRUPTED, PASSED
from .invocation import Invocation
from .output import print_error
from .root import root

PROGRAM = "steelyard"
_COMPLETE = "_STEELYARD_COMPLETE"
"""The variable by which a shell asks for completions; click's naming."""


def run_command(argv: Sequence[str] | None) -> int:
    """Run one command and return its exit code; after an interruption, end the process instead."""
    streams.prepare()
    interrupt.listen()
    invocation = Invocation(color=streams.color_wanted(os.environ))
    arguments = list(sys.argv[1:] if argv is None else argv)
    code = guarded(partial(_invoke, arguments, invocation), invocation)
    failure = streams.flush()
    if failure is not None:
        print_error(f"{failure.filename}: {failure.strerror}", color=invocation.color)
        code = code or FAILED
    if code == INTERRUPTED:
        # A worker thread that hangs in a plugin would hold up an orderly end.
        os._exit(code)
    return code


def _invoke(arguments: list[str], invocation: Invocation) -> int:
    instruction = os.environ.get(_COMPLETE)
    if instruction:
        return _complete(instruction)
    with root.make_context(PROGRAM, arguments, obj=invocation) as context:
        root.invoke(context)
    return PASSED


def _complete(instruction: str) -> int:
    from click.shell_completion import shell_complete  # noqa: PLC0415 - only when a shell asks

    return shell_complete(root, {}, PROGRAM, _COMPLETE, instruction)
