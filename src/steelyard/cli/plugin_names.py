"""What a new plugin and its parts are called, all of it from one name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

LONGEST: Final = 40
"""Characters. Lines of the templates that hold a name fit into 120 characters with one of this length."""
PREFIX: Final = "steelyard-"

_PEP_508: Final = re.compile(r"[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]")
_BETWEEN: Final = re.compile(r"[-_.]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of one plugin."""

    distribution: str
    """What pip installs, as the user wrote it."""
    module: str
    """What is imported. Begins with ``steelyard_``, so that it hides no other module."""
    component: str
    """What a benchmark file writes; also the plugin's name."""

    @property
    def command(self) -> str:
        """What a command is called by."""
        return self.component.replace("_", "-")

    @property
    def in_classes(self) -> str:
        """The beginning of the classes' names."""
        return "".join(word[:1].upper() + word[1:] for word in self.component.split("_"))

    @property
    def in_variables(self) -> str:
        """The beginning of the names of environment variables."""
        return self.component.upper()


def names_of(name: str) -> Names:
    """Return the names that follow from the distribution's.

    Raises ``ValueError``, with a line that says what to do, when no distribution or component can be called so.
    """
    if not _PEP_508.fullmatch(name):
        rule = "must be ASCII letters, digits, '-', '_' and '.', with a letter or digit at both ends"
        raise ValueError(f"{name!r} is no name for a package: it {rule}{_advice(name)}")
    if len(name) > LONGEST:
        raise ValueError(f"{name!r} has {len(name)} characters; choose a name of at most {LONGEST}")
    plain = _BETWEEN.sub("_", name.lower())
    component = plain.removeprefix("steelyard_")
    if component == "steelyard":
        raise ValueError(f"{name!r} is steelyard's own name; add what the plugin is for: {PREFIX}...")
    if not component[0].isalpha():
        raise ValueError(f"{name!r} makes a component called {component!r}, which must start with a letter")
    return Names(distribution=name, module=f"steelyard_{component}", component=component)


def _advice(name: str) -> str:
    """Return the nearest name that is one, if anything is left of it."""
    near = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-_.")
    return f"; did you mean {near!r}?" if near else ""
