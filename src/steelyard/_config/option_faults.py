"""What is wrong with the options that a component declares, before any file gives them a value."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator, Mapping
from typing import Any

from ..api import is_sequence
from .option_kinds import Fault
from .option_plans import Option, fields_of, plan_of
from .option_types import OptionTypeError


def type_fault(settings_type: type[Any]) -> str | None:
    """Say which option of a settings dataclass has a type that none can have, and what to use; else ``None``."""
    try:
        plan_of(settings_type)
    except OptionTypeError as exc:
        return str(exc)
    except NameError as exc:
        advice = "import it at the top of the module, not under TYPE_CHECKING"
        return f"the types of its options cannot be read: {exc}; {advice}"
    except RecursionError:
        return "an option may not be of the type of the settings that it stands in"
    except Exception as exc:  # annotations are foreign code
        return f"the types of its options cannot be read: {type(exc).__name__}: {exc}"
    return None


def default_faults(settings_type: type[Any]) -> Iterator[str]:
    """Say which defaults could not be given in a file, by the types and bounds of their own options.

    Raises ``TypeError`` for a field whose type no option can have.
    """
    options = plan_of(settings_type).options
    for field, hint in fields_of(settings_type):
        for nested in _dataclasses_in(hint):
            yield from (f"{field.name}: {fault}" for fault in default_faults(nested))
        yield from _faults_of(field, options[field.name])


def _faults_of(field: dataclasses.Field[Any], option: Option) -> Iterator[str]:
    try:
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
    except Exception as exc:  # foreign code
        yield f"option {field.name!r}: its default_factory fails: {type(exc).__name__}: {exc}"
        return
    if default is dataclasses.MISSING:
        return
    faults: list[Fault] = []
    option.kind.read(_as_given(default), (), faults)
    for fault in faults:
        what = f"must be {option.kind.noun}" if option.secret else fault.message
        inside = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in fault.path)
        yield f"option {field.name!r}: its default{inside} {what}"


def _as_given(value: Any) -> Any:
    """Return a value as a file would give it: nested settings as mappings, all else as it is."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _as_given(getattr(value, field.name)) for field, _ in fields_of(type(value))}
    if isinstance(value, Mapping):
        return {key: _as_given(entry) for key, entry in value.items()}
    return [_as_given(entry) for entry in value] if is_sequence(value) else value


def _dataclasses_in(hint: Any) -> Iterator[type[Any]]:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        yield hint
    for argument in typing.get_args(hint):
        yield from _dataclasses_in(argument)
