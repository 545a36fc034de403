"""Which plugins the user has switched off, and which name switches off one plugin and no other.

A plugin can be named by its own name, by its distribution, or by both (``DISTRIBUTION:PLUGIN``) where neither alone
says which one is meant. Names compare as package indexes compare them (PEP 503): case, ``-``, ``_`` and ``.`` alike.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ..errors import Origin


def normalised(name: str) -> str:
    """Return a name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def selectors(origin: Origin) -> tuple[str, ...]:
    """Return every name that selects a plugin, the shortest first."""
    return (origin.plugin, origin.distribution, f"{origin.distribution}:{origin.plugin}")


def selected_by(names: Iterable[str], origin: Origin) -> str | None:
    """Return the first of ``names`` that selects the plugin, or ``None``."""
    own = {normalised(selector) for selector in selectors(origin)}
    return next((name for name in names if normalised(name) in own), None)


def switch_for(origin: Origin, installed: Collection[Origin]) -> str:
    """Return the shortest name that selects this plugin and no other one that is installed."""
    others = [other for other in installed if other != origin]
    for selector in selectors(origin):
        if not any(selected_by([selector], other) for other in others):
            return selector
    return selectors(origin)[-1]
