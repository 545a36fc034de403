"""steelyard: which prompt × model is best on your own data, what it costs, and whether the difference is real.

The facade: everything a plugin or a notebook needs, imported when it is first touched, so that a command that needs
none of it starts at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import *  # noqa: F403
    from .api import RunOptions as RunOptions
    from .hookspecs import hookimpl as hookimpl
    from .session import Session as Session
    from .session import open_session as open_session
    from .session import run as run

__version__ = "0.1.0"

_HOMES = {"hookimpl": "hookspecs", "Session": "session", "open_session": "session", "run": "session"}


def __getattr__(name: str) -> Any:
    """Import a public name from its home when it is first asked for."""
    from importlib import import_module  # noqa: PLC0415 - only when something is asked for

    api = import_module(".api", __name__)
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    elif name in api.__all__:
        value = getattr(api, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
