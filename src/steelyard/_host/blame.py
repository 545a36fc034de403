"""How a failure of somebody else's code is said: in one line that names the plugin, its distribution and the stage.

Imports neither pluggy nor importlib.metadata: the commands of plugins are listed for ``--help``, which must be quick.
"""

from __future__ import annotations

import traceback

from .._escape import one_line
from ..errors import Origin, PluginError, Stage

_LIMIT = 400
"""Characters of a foreign message that are worth a user's attention on one line."""


class UnfitError(Exception):
    """A plugin is not as it must be; the message says how. Becomes a ``PluginError`` where the plugin is known."""


def plugin_error(origin: Origin, stage: Stage, what: str) -> PluginError:
    """Return the error for a plugin that cannot be used, to be raised ``from`` its cause."""
    return PluginError(f"{origin}: {stage}: {what}", origin=origin, stage=stage)


def why(error: PluginError) -> str:
    """Return the message of :func:`plugin_error` without the plugin, for a table that names it in another column."""
    return str(error).removeprefix(f"{error.origin}: ")


def said(exc: BaseException, origin: Origin) -> str:
    """Say an exception of a plugin in one line, with the line number when a local file raised it."""
    if isinstance(exc, SystemExit):
        text = f"called sys.exit({exc.code!r})"
    else:
        text = type(exc).__name__
        message = _message(exc)
        text = f"{text}: {message}" if message else text
    line = _line_in(exc, origin.distribution)
    return f"line {line}: {text}" if line else text


def _message(exc: BaseException) -> str:
    try:
        text = str(exc)
    except Exception:  # even the message is foreign code
        return "(its message cannot be shown)"
    return one_line(text, _LIMIT)


def _line_in(exc: BaseException, file: str) -> int | None:
    """Return the last line of ``file`` that the exception passed through; ``None`` for code of other files."""
    lines = [line for frame, line in traceback.walk_tb(exc.__traceback__) if frame.f_code.co_filename == file]
    return lines[-1] if lines else None
