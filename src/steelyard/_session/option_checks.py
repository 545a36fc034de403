"""Whether the options that a component declares can ever be given to it.

Asked when a plugin is asked what it offers: an option that the host could not fill is the plugin's mistake, and must
cost the others nothing.
"""

from __future__ import annotations

from .._config.option_faults import type_fault
from .._host.kinds import Kind, Spec


def fault_of_options(_kind: Kind, spec: Spec) -> str | None:
    """Say what is wrong with the options of a spec, or return ``None``."""
    settings = getattr(spec, "settings", None)
    return None if settings is None else type_fault(settings)
