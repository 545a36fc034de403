"""What the environment says about the settings: ``STEELYARD_CONCURRENCY=8`` and so on, one variable for each key."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..errors import Problem
from .options import fill_mapping
from .settings_layers import BY_NAME, KEYS, PATHS, Layer, SettingsKeys
from .yaml_scalars import BOOLEANS, plain

PREFIX = "STEELYARD_"
USER_FILE = PREFIX + "SETTINGS"
"""The user's settings file, in place of the one in the usual folder; empty for none."""
VARIABLES = {PREFIX + key.upper(): key for key in KEYS if key not in BY_NAME}

_SURELY_MEANT = 0.85
_LISTS = ("no_plugins", "reporters")
_NUMBERS = ("concurrency", "retries", "retry_backoff", "timeout")
_SWITCHES = {**BOOLEANS, "0": False, "1": True, "none": False}


def environment_layer(
    environ: Mapping[str, str],
    report: Callable[[Problem], None],
    *,
    dotenv: Mapping[str, str],
    dotenv_path: Path | None,
) -> Layer:
    """Return what the environment says. An empty variable says nothing.

    ``environ`` already holds what ``.env`` adds; ``dotenv`` is only for saying where something came from.
    """
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}
    for name, key in VARIABLES.items():
        text = environ.get(name, "").strip()
        if not text:
            continue
        from_file = dotenv.get(name) == environ[name]
        source = f"{name} in {dotenv_path}" if from_file else f"environment variable {name}"
        filled = fill_mapping(SettingsKeys, {key: _typed(key, text)}, source, "", report)
        if filled is not None:
            values[key] = Path(getattr(filled, key)).expanduser() if key in PATHS else getattr(filled, key)
            sources[key] = source
    _report_misspelt(environ, report)
    return Layer(values=values, sources=sources)


def _typed(key: str, text: str) -> Any:
    if key in _LISTS:
        return [part.strip() for part in text.split(",") if part.strip()]
    if key in _NUMBERS:
        return plain(text)
    if key == "cache":
        return _SWITCHES.get(text, text)
    return text


def _report_misspelt(environ: Mapping[str, str], report: Callable[[Problem], None]) -> None:
    for name in environ:
        if name.startswith(PREFIX) and name not in VARIABLES and name != USER_FILE:
            known = [key.upper() for key in VARIABLES.values()]
            near = difflib.get_close_matches(name.removeprefix(PREFIX), known, 1, _SURELY_MEANT)
            if near:
                message = f"environment variable {name!r} is not known"
                report(Problem(severity="warning", message=message, hint=f"did you mean {PREFIX + near[0]!r}?"))
