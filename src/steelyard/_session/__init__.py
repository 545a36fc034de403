"""Composition: the one place where host, configuration, engine and store meet. ``steelyard.session`` is its face.

Each module of this package is an attribute of it that is imported when it is first touched. So a check of a suite
imports nothing of what runs, compares or calibrates, and a comparison of two records loads no plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        analysis,
        binding,
        blocking,
        cache_handle,
        catalog,
        checking,
        comparing,
        components,
        estimating,
        files_read,
        folder_settings,
        formats,
        history,
        hosts,
        loading,
        other_models,
        output_files,
        planning,
        providers,
        reading,
        redaction,
        reporters,
        running,
        showing_again,
        trying,
    )

__all__ = [
    "analysis",
    "binding",
    "blocking",
    "cache_handle",
    "catalog",
    "checking",
    "comparing",
    "components",
    "estimating",
    "files_read",
    "folder_settings",
    "formats",
    "history",
    "hosts",
    "loading",
    "other_models",
    "output_files",
    "planning",
    "providers",
    "reading",
    "redaction",
    "reporters",
    "running",
    "showing_again",
    "trying",
]


def __getattr__(name: str) -> Any:
    """Import a part when it is first touched."""
    from importlib import import_module  # noqa: PLC0415 - as late as what it imports

    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module(f".{name}", __name__)
