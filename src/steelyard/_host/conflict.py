"""How a contested name is said: who claims it, and which switch settles it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import NameConflictError, Origin
from .blocking import switch_for


def conflict(kind: str, name: str, claimants: Sequence[Origin], installed: Collection[Origin]) -> NameConflictError:
    """Return the error for a name that several plugins offer, so that none of them has it.

    Args:
        kind: What the name stands for, such as ``scorer`` or ``command``.
        name: The contested name.
        claimants: Who offers it, in the order of their names.
        installed: Every plugin, so that no switch is advised that would block more than one.
    """
    parties = _listed([f"{one.plugin!r} ({f'{one.distribution} {one.version}'.strip()})" for one in claimants], "and")
    switches = _listed([f"--no-plugin {switch_for(one, installed)}" for one in claimants], "or")
    message = f"{len(claimants)} plugins offer the {kind} {name!r}: {parties}; block all but one: {switches}"
    return NameConflictError(message, kind=kind, name=name, claimants=claimants)


def _listed(words: list[str], last: str) -> str:
    return f" {last} ".join([", ".join(words[:-1]), words[-1]])
