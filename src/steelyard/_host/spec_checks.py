"""Whether a spec is one the host can work with.

Python checks no annotation, so a plugin may put anything into a spec. What is wrong is found here, when the plugin can
still be set aside, rather than as a crash of the host in the middle of a run.
"""

from __future__ import annotations

import dataclasses
import math
import re

from .._escape import one_line
from ..api.format import SETTINGS_FILE_NAME
from .kinds import Spec

NAME = re.compile(r"[a-z][a-z0-9_-]*")
"""What a component may be called."""

_LIMIT = 80
"""Characters of a wrong value that a message shows."""


def fault_of(spec: Spec) -> str | None:
    """Say what is wrong with a spec, or return ``None``."""
    if not isinstance(spec.name, str) or not NAME.fullmatch(spec.name):
        return "'name' must be lower case letters, digits, '_' and '-', starting with a letter"
    if not callable(spec.create):
        return "'create' must be callable"
    if hasattr(spec, "settings") and not _is_frozen_dataclass(spec.settings):
        return f"'settings' must be a frozen dataclass, got {_shown(spec.settings)}"
    if hasattr(spec, "extensions") and not _are_extensions(spec.extensions):
        return f"'extensions' must be a tuple of file endings such as '.xml', got {_shown(spec.extensions)}"
    if hasattr(spec, "settings_file") and not _may_be_settings_file(spec.settings_file):
        return f"'settings_file' must be a name like '.toolrc' or '.toolrc.json', got {_shown(spec.settings_file)}"
    return next(
        filter(None, (_plain_fault(field, getattr(spec, field.name)) for field in dataclasses.fields(spec))), None
    )


def _is_frozen_dataclass(value: object) -> bool:
    parameters = getattr(value, "__dataclass_params__", None)
    return isinstance(value, type) and getattr(parameters, "frozen", False) is True


def _are_extensions(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) and re.fullmatch(r"\.[^./\\]+", one) for one in value)


def _may_be_settings_file(value: object) -> bool:
    return value is None or (isinstance(value, str) and re.fullmatch(SETTINGS_FILE_NAME, value) is not None)


def _plain_fault(field: dataclasses.Field[object], value: object) -> str | None:
    """Check a field of a plain type by its annotation, which is text in every module of ``api``."""
    if field.type == "str" and not isinstance(value, str):
        return f"{field.name!r} must be text, got {_shown(value)}"
    if field.type == "bool" and not isinstance(value, bool):
        return f"{field.name!r} must be True or False, got {_shown(value)}"
    if field.type == "float" and not _is_positive(value):
        return f"{field.name!r} must be a number above 0, got {_shown(value)}"
    return None


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0


def _shown(value: object) -> str:
    return one_line(repr(value), _LIMIT)
