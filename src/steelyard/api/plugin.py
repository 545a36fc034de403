"""What every component has in common: a name, typed settings, and what the host tells it when it is created."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ..errors import UsageError
from .values import JsonValue

S = TypeVar("S")
"""The settings dataclass of a component."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSettings:
    """The settings of a component that has none."""


def option(
    default: Any = dataclasses.MISSING,
    *,
    doc: str,
    default_factory: Callable[[], Any] | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    above: float | None = None,
    secret: bool = False,
    deprecated: str = "",
) -> Any:
    """Declare one option of a settings dataclass, with what the host needs to check and document it.

    The result is a :func:`dataclasses.field`; ``Any`` is what lets it stand on the right of a typed attribute.

    An option may be of the type ``str``, ``int``, ``float`` or ``bool``, a ``Literal``, ``tuple[T, ...]`` for a list,
    ``Mapping[str, T]``, another frozen dataclass, ``JsonValue`` for anything, or a union of these and ``None``. What
    else a component works with (a path, a date, a set), it makes of them in ``create``. A plugin that has an option of
    another type is broken, and so is one with an option whose name is the host's (see ``ProviderSpec.settings`` and
    ``ScorerSpec.settings``) or begins with ``_``, as keys do that are the user's own.

    Args:
        default: The value when the file does not give one. An option without a default is required.
        doc: One line for the reference page, the JSON Schema and the editor.
        default_factory: For a default that is not a constant.
        minimum: The smallest number allowed.
        maximum: The largest number allowed.
        above: Numbers must be larger than this one.
        secret: The value is redacted wherever it would be shown, and left out of the cache key and the record. Of a
            mapping, such as headers, only what stands under a name like ``token`` or ``X-Api-Key`` is redacted.
        deprecated: For an option that is to go: what to use instead, and the version in which it goes, as in ``use
            min_score; goes in 2.0``. Whoever sets it is warned, with the place and the plugin.
    """
    metadata = {
        "doc": doc,
        "minimum": minimum,
        "maximum": maximum,
        "above": above,
        "secret": secret,
        "deprecated": deprecated,
    }
    if default_factory is not None:
        return field(default_factory=default_factory, metadata=metadata)
    if default is dataclasses.MISSING:
        return field(metadata=metadata)
    return field(default=default, metadata=metadata)


def _json_only(path: Path) -> JsonValue:
    try:
        value: JsonValue = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as exc:
        raise UsageError(f"{path}: cannot be read as JSON: {exc}") from exc
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginContext:
    """What a component may know of the world when it is created."""

    base_dir: Path
    """The folder of the benchmark file: relative paths in settings start here."""
    work_dir: Path
    """The folder that the user runs in."""
    cache_dir: Path
    """Where this project keeps what it can fetch or ask for again. May not exist yet."""
    environ: Mapping[str, str]
    """The environment, with what ``.env`` adds. Read keys from here, not from ``os.environ``."""
    concurrency: int = 1
    """How many calls may be in flight at once: the size for a connection pool."""
    output: Path | None = None
    """For a reporter: the file that the user asked for with ``-o``; ``None`` otherwise."""
    load: Callable[[Path], JsonValue] = field(default=_json_only)
    """Read a YAML or JSON file that settings name, with the host's limits and its checks for duplicate keys. Raises
    ``UsageError`` when it cannot be read. A context made by hand reads JSON alone."""
    note_file: Callable[[Path], None] = field(default=lambda _path: None)
    """Say that a file is about to be read on which a run depends, such as a module of the user's, so that ``--watch``
    runs again when it is saved. What ``load`` reads is noted by itself."""
    warn: Callable[[str], None] = field(default=lambda _message: None)
    """Tell the user something that does not stop the run. One line; the same line is shown once."""
    note: Callable[[str], None] = field(default=lambda _message: None)
    """Tell the user something that is as it should be and good to know. One line; shown once, and not with ``-q``."""
    hide: Callable[[str], None] = field(default=lambda _secret: None)
    """Keep a secret that was only learnt after the start, such as a token that was fetched, out of everything that
    leaves the host from now on: records, reports, messages. A key that is known from the start belongs in
    ``Credentials.secrets``."""


class SupportsClose(Protocol):
    """A component that holds something to give back."""

    def close(self) -> None:
        """Give back connections and files. Called once, after the run, also after a failed one; may be ``async``."""
