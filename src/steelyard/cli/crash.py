"""The report file about a fault of steelyard, or of a plugin's command: enough to find the fault, and no secrets."""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from datetime import datetime
from importlib import metadata
from pathlib import Path
from typing import Final

from .. import __version__

_CACHE_DIR: Final = ".steelyard_cache"
_LIBRARIES: Final = ("click", "httpx", "jinja2", "platformdirs", "pluggy", "pyyaml", "rich")
_GROUPS: Final = ("steelyard", "steelyard.commands")
_REDACTED: Final = "[redacted]"

_SECRET_NAME: Final = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)
_SHORTEST_SECRET: Final = 6
"""Shorter values are settings (``AUTH=yes``) rather than secrets; hiding them would make the text unreadable."""

_LOOKS_SECRET: Final = (
    re.compile(r"(\bBearer\s+)[^\s'\"]+"),
    re.compile(r"(://[^/\s:@]*:)[^/\s@]+(?=@)"),
    re.compile(r"()\b(?:sk|pk|rk|gh[pousr]|xox[abp])[-_][\w-]{8,}"),
    re.compile(r"()\bAIza[\w-]{20,}"),
)
"""Each keeps its first group: a header's scheme, the user in an address."""


def write_report(error: BaseException, who: str) -> Path | None:
    """Write the report and return its path; ``None`` when no folder takes it. ``who`` is at fault."""
    text = without_secrets("\n".join(_lines(error, who)), os.environ)
    for folder in (Path(_CACHE_DIR), Path(tempfile.gettempdir())):
        if not folder.is_dir():
            continue
        try:
            descriptor, name = tempfile.mkstemp(prefix="steelyard-crash-", suffix=".txt", dir=folder)
            with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError:
            continue
        return Path(name).absolute()
    return None


def without_secrets(text: str, environ: Mapping[str, str]) -> str:
    """Return text without the values of variables that are named like secrets, and without what looks like a key."""
    values = {*_secret_values(environ), *_secret_values(_dotenv())}
    # The longest first: one secret may be part of another.
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value, _REDACTED)
    for pattern in _LOOKS_SECRET:
        text = pattern.sub(rf"\1{_REDACTED}", text)
    return text


def _secret_values(variables: Mapping[str, str]) -> Iterator[str]:
    for name, value in variables.items():
        if _SECRET_NAME.search(name) and len(value.strip()) >= _SHORTEST_SECRET:
            yield value.strip()


def _dotenv() -> dict[str, str]:
    """Read what could be a secret from the ``.env`` that applies here; roughly, since it is only to be hidden."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        try:
            lines = (folder / ".env").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        pairs = (line.removeprefix("export ").split("=", 1) for line in lines if "=" in line)
        return {name.strip(): value.strip().strip("'\"") for name, value in pairs}
    return {}


def _lines(error: BaseException, who: str) -> Iterator[str]:
    yield f"{who} stopped through a fault of its own"
    yield ""
    yield f"version:  steelyard {__version__}"
    yield f"time:     {datetime.now().astimezone().isoformat(timespec='seconds')}"
    yield f"command:  {shlex.join(['steelyard', *sys.argv[1:]])}"
    yield f"python:   {platform.python_version()} ({platform.python_implementation()}), {platform.platform()}"
    yield f"with:     {', '.join(f'{name} {_version(name)}' for name in _LIBRARIES)}"
    yield f"plugins:  {', '.join(sorted(_plugins())) or 'none'}"
    yield ""
    yield "".join(traceback.format_exception(error))


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _plugins() -> set[str]:
    """Return the distributions that add components or commands, with their versions."""
    found = [entry for group in _GROUPS for entry in metadata.entry_points(group=group)]
    return {f"{entry.dist.name} {entry.dist.version}" for entry in found if entry.dist is not None}
