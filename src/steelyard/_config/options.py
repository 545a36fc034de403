"""From the options that a file gives to the settings dataclass of a component, and back.

Every fault is reported, with its place, before anything is created; right options become a frozen value that a
component can rely on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ..api import JsonMapping, JsonValue, Node, is_sequence
from ..errors import Problem
from .option_kinds import WRONG, Fault
from .option_plans import fields_of, plan_of
from .option_plans import fill as fill_plan

S = TypeVar("S")
_EXACT = 2**53
"""Up to here a float holds every integer."""


def fill(settings_type: type[S], node: Node, *, ignore: Sequence[str] = ()) -> S | None:
    """Make settings of the mapping at ``node``; null counts as an empty one.

    Reports everything that is wrong through the node, and returns ``None`` then. Keys in ``ignore`` are somebody
    else's; keys that start with ``_`` or ``x-`` are the user's. Raises ``TypeError`` when the dataclass has a field of
    a type that no option can have.
    """
    if node.value is not None and not node.is_mapping():
        return None
    faults: list[Fault] = []
    given = node.value if isinstance(node.value, Mapping) else {}
    settings = fill_plan(plan_of(settings_type), given, ignore, (), faults)
    for fault in faults:
        at = node
        for part in fault.path:
            at = at.child(part)
        at.error(fault.message, fault.hint, at_key=fault.at_key)
    return None if settings is WRONG else settings


def fill_mapping(
    settings_type: type[S],
    options: JsonMapping,
    place: str,
    path: str,
    report: Callable[[Problem], None],
    *,
    ignore: Sequence[str] = (),
) -> S | None:
    """Make settings of a mapping of which only the place is known. Reports and raises as :func:`fill`."""
    faults: list[Fault] = []
    settings = fill_plan(plan_of(settings_type), options, ignore, (), faults)
    for fault in faults:
        keys = Node(None, (*((path,) if path else ()), *fault.path), _nowhere, report).keys
        report(Problem(message=fault.message, hint=fault.hint, place=place, path=keys))
    return None if settings is WRONG else settings


def canonical(settings: Any, *, secrets: bool = False) -> JsonValue:
    """Return settings as plain JSON values, for a cache key or a record.

    Equal settings give equal values, whether the file wrote ``1`` or ``1.0``. Secret options are left out unless
    ``secrets``.
    """
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        return {
            field.name: canonical(getattr(settings, field.name), secrets=secrets)
            for field, _ in fields_of(type(settings))
            if secrets or not field.metadata.get("secret")
        }
    if isinstance(settings, Mapping):
        return {str(key): canonical(settings[key], secrets=secrets) for key in sorted(settings)}
    if is_sequence(settings):
        return [canonical(entry, secrets=secrets) for entry in settings]
    if isinstance(settings, float) and settings.is_integer() and abs(settings) < _EXACT:
        return int(settings)
    return settings if isinstance(settings, (str, int, float)) or settings is None else str(settings)


def _nowhere(_path: tuple[str | int, ...], _at_key: bool) -> str:
    return ""
