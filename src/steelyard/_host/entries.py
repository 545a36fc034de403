"""Which plugins are installed, before any of them is imported.

Entry points are read distribution by distribution rather than through ``importlib.metadata.entry_points``: there, one
distribution with unreadable metadata hides all others, and a left-over ``egg-info`` can hide the real thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..errors import Origin
from .blame import plugin_error, said
from .blocking import normalised

if TYPE_CHECKING:
    from importlib.metadata import Distribution


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A plugin that could be imported."""

    origin: Origin
    value: str
    """Where it is: ``module`` or ``module:attribute``, or the path of a file."""
    load: Callable[[], object] = field(compare=False, repr=False)
    """Imports it. Raises whatever the foreign module raises; see :func:`loaded`."""


def loaded(entry: Entry) -> object:
    """Import a plugin.

    Raises ``PluginError`` for whatever goes wrong, ``sys.exit`` included; only Ctrl-C is let through.
    """
    try:
        return entry.load()
    except KeyboardInterrupt:
        raise
    except BaseException as exc:
        what = said(exc, entry.origin) + _advice(exc, entry.origin)
        raise plugin_error(entry.origin, "loading", what) from exc


def sort_key(entry: Entry) -> tuple[str, str, str]:
    """Order by plugin, then distribution: importlib.metadata follows the file system, which differs by machine."""
    return entry.origin.plugin, normalised(entry.origin.distribution), entry.value


def installed_entries(group: str) -> tuple[Entry, ...]:
    """Return the entry points of ``group``, sorted, each distribution counted once however often it is listed."""
    first: dict[str, Distribution] = {}
    for distribution in _mentioning(group):
        first.setdefault(normalised(_header(distribution, "Name")), distribution)
    found = {entry: None for distribution in first.values() for entry in _entries_of(distribution, group)}
    return tuple(sorted(found, key=sort_key))


def _mentioning(group: str) -> list[Distribution]:
    """Return the distributions whose entry points mention ``group``, the listing to believe first.

    A dist-info comes before an egg-info, which is what old installations leave behind; then the order of ``sys.path``
    counts, as it does for imports; in one folder the higher version, so that the file system does not decide.
    """
    # Late: the import takes as long as that of click, and most commands get by without (see commands.py).
    from importlib import metadata  # noqa: PLC0415

    found = [one for one in metadata.distributions() if f"[{group}]" in _text(one, "entry_points.txt")]
    folders = list(dict.fromkeys(str(one.locate_file("")) for one in found))
    found.sort(key=lambda one: _header(one, "Version"), reverse=True)
    found.sort(key=lambda one: (not _text(one, "METADATA"), folders.index(str(one.locate_file("")))))
    return found


def _text(distribution: Distribution, file: str) -> str:
    """Return a file of the metadata; empty when it is absent or unreadable, and so declares nothing."""
    try:
        return distribution.read_text(file) or ""
    except (OSError, ValueError):
        return ""


def _header(distribution: Distribution, key: str) -> str:
    """Return one header of the metadata; far quicker than parsing them as an e-mail, and never an error."""
    for line in (_text(distribution, "METADATA") or _text(distribution, "PKG-INFO")).splitlines():
        if not line:
            break
        name, _, value = line.partition(":")
        if name.lower() == key.lower():
            return value.strip()
    return ""


def _entries_of(distribution: Distribution, group: str) -> Iterator[Entry]:
    name = _header(distribution, "Name") or "a distribution without a name"
    version = _header(distribution, "Version")
    try:
        points = [point for point in distribution.entry_points if point.group == group]
    except Exception as exc:  # which one depends on the version of Python
        yield _unreadable(Origin(plugin=name, distribution=name, version=version), exc)
        return
    for point in points:
        origin = Origin(plugin=point.name, distribution=name, version=version)
        yield Entry(origin=origin, value=point.value, load=point.load)


def _unreadable(origin: Origin, cause: Exception) -> Entry:
    """Stand in for plugins that cannot even be listed, so that they are reported like any that cannot be imported."""

    def load() -> object:
        raise ValueError(f"its entry_points.txt cannot be read: {cause}")

    return Entry(origin=origin, value="entry_points.txt", load=load)


def _advice(exc: BaseException, origin: Origin) -> str:
    """Say what to do about a failed import, where anything can be said."""
    if not isinstance(exc, ImportError) or not origin.version:
        return ""
    if (exc.name or "").partition(".")[0] == "steelyard":
        return f"; {origin.distribution} may be made for another version of steelyard: upgrade both"
    if isinstance(exc, ModuleNotFoundError):
        return f"; reinstall it with what it needs: pip install --force-reinstall {origin.distribution}"
    return ""
