"""Whether the options that a component declares can ever be given to it.

Asked when a plugin is asked what it offers: an option that the host could not fill, or never hands on, is the plugin's
mistake, and must cost the others nothing.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from .._config.option_faults import default_faults, type_fault
from .._host.kinds import OFFERINGS, Kind, Spec
from .names import CALL_OPTIONS, REQUEST_OPTIONS

OWN: Mapping[Kind, frozenset[str]] = {
    "provider": frozenset({"id", "model", "provider"}) | REQUEST_OPTIONS | CALL_OPTIONS,
    "scorer": frozenset({"name", "negate", "turn", "type", "weight"}),
}
"""Keys that the host takes for itself wherever a component's options may stand.

``threshold`` is not among them: in an entry of ``scorers`` it is the host's, but beside ``evaluation`` and in the block
of that name it is an option of the scorer, which several have.
"""

_WHOSE: Mapping[Kind, str] = {"provider": "of every model", "scorer": "of every entry of 'scorers'"}


def fault_of_options(kind: Kind, spec: Spec) -> str | None:
    """Say what is wrong with the options of a spec, or return ``None``."""
    settings = getattr(spec, "settings", None)
    return None if settings is None else taken_fault(kind, settings) or type_fault(settings)


def option_faults(spec: Spec) -> tuple[str, ...]:
    """Say everything that is wrong with the options of a spec, defaults that are not allowed included."""
    kind = next(offering.kind for offering in OFFERINGS if isinstance(spec, offering.spec))
    fault = fault_of_options(kind, spec)
    settings = getattr(spec, "settings", None)
    if fault is not None or settings is None:
        return (fault,) if fault is not None else ()
    return tuple(default_faults(settings))


def taken_fault(kind: Kind, settings: type[Any]) -> str | None:
    """Say which option has a name that never reaches the component, or return ``None``."""
    for field in dataclasses.fields(settings):
        if field.init and field.name in OWN.get(kind, ()):
            return f"option {field.name!r} belongs to the host, which has one {_WHOSE[kind]}; give yours another name"
        if field.init and field.name.startswith("_"):
            return f"option {field.name!r}: keys that begin with '_' are the user's own; give it another name"
    return None
