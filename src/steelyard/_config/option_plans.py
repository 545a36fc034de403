"""How the options of a settings dataclass are checked: a reader for each field, made once per class.

A field may be text, a number, a boolean, any JSON value, a tuple, a mapping from text, a ``Literal``, another frozen
dataclass, or a union of these. Checking says every fault, each with the keys that lead to it.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from .._suggest import closest
from ..api import shown
from ..errors import UsageError
from .option_kinds import (
    ANYTHING,
    FLAG,
    NO_LIMITS,
    NULL,
    TEXT,
    WRONG,
    Fault,
    Kind,
    Limits,
    Path,
    listing,
    literal,
    mapping,
    must_be,
    number,
    union,
)
from .option_types import OptionTypeError, unsupported

_SIMPLE = {str: TEXT, bool: FLAG, types.NoneType: NULL, Any: ANYTHING}
JSON_VALUE = frozenset((bool, int, float, str, Sequence[Any], Mapping[str, Any], types.NoneType))
"""What ``api.JsonValue`` resolves to."""


@dataclass(frozen=True, slots=True)
class Option:
    """One field of a settings dataclass."""

    name: str
    kind: Kind
    required: bool
    nullable: bool
    secret: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """How a settings dataclass is filled."""

    settings_type: type[Any]
    options: Mapping[str, Option]


_FROM_ENVIRONMENT = "_env"
"""How options end that name an environment variable: ``api_key_env``."""


def secret_hint(key: str, known: Collection[str]) -> str:
    """Return where an unknown option belongs that would be a secret in a file; empty for any other."""
    name = f"{key}{_FROM_ENVIRONMENT}"
    return f"it comes from the environment, not from a file; {name} names the variable" if name in known else ""


def plan_of(settings_type: type[Any]) -> Plan:
    """Return how a settings dataclass is filled. Raises ``TypeError`` for a field whose type is not supported."""
    return _plan_of(settings_type)  # type: ignore[arg-type] # a class is hashable


@functools.lru_cache(maxsize=1024)
def _plan_of(settings_type: type[Any]) -> Plan:
    options = {field.name: _option(field, hint) for field, hint in fields_of(settings_type)}
    return Plan(settings_type, types.MappingProxyType(options))


def _option(field: dataclasses.Field[Any], hint: Any) -> Option:
    try:
        kind = kind_of(hint, limits_of(field))
    except OptionTypeError as error:
        raise OptionTypeError(f"option {field.name!r}: {error}") from error
    return Option(
        field.name,
        kind,
        required=field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        nullable=is_nullable(hint),
        secret=bool(field.metadata.get("secret")),
    )


def fields_of(settings_type: type[Any]) -> list[tuple[dataclasses.Field[Any], Any]]:
    """Return the fields that can be set, each with its type."""
    # The alias for JSON values names itself; inside it anything may stand, and there is no end to resolving it.
    hints = typing.get_type_hints(settings_type, localns={"JsonValue": Any})
    return [(field, hints[field.name]) for field in dataclasses.fields(settings_type) if field.init]


def limits_of(field: dataclasses.Field[Any]) -> Limits:
    """Return the bounds that a field declares."""
    return Limits(*(field.metadata.get(name) for name in Limits._fields))


def fill(plan: Plan, given: Mapping[str, Any], ignore: Sequence[str], path: Path, faults: list[Fault]) -> Any:
    """Make settings of a mapping, or add to the faults and return ``WRONG``."""
    before = len(faults)
    values: dict[str, Any] = {}
    options = plan.options
    for key, value in given.items():
        option = options.get(key)
        if option is None:
            if key not in ignore and not key.startswith(("_", "x-")):
                faults.append(_unknown(key, plan, (*path, key)))
        elif value is not None or option.nullable:
            found: list[Fault] = []
            values[key] = option.kind.read(value, (*path, key), found)
            if found:
                faults.extend([Fault((*path, key), f"must be {option.kind.noun}")] if option.secret else found)
    for option in options.values():
        if option.required and option.name not in values:
            faults.append(Fault(path, f"{option.name!r} is required", at_key=True))
    if len(faults) > before:
        return WRONG
    try:
        return plan.settings_type(**values)
    except (ValueError, UsageError) as error:  # what the class itself checks, in __post_init__
        faults.append(Fault(path, str(error)))
        return WRONG


def is_nullable(hint: Any) -> bool:
    """Whether null is a value of a type, rather than the absence of one."""
    return hint is Any or hint is types.NoneType or types.NoneType in typing.get_args(hint)


def kind_of(hint: Any, limits: Limits = NO_LIMITS) -> Kind:
    """Return how a type is read. Raises ``TypeError`` when it is not supported."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    kind = None
    if origin is None:
        kind = _plain_kind(hint, limits)
    elif origin is Literal:
        kind = literal(arguments)
    elif origin in (Union, types.UnionType):
        is_json = frozenset(arguments) == JSON_VALUE
        kind = ANYTHING if is_json else union([kind_of(argument, limits) for argument in arguments])
    elif origin is Mapping and arguments[:1] == (str,):
        kind = mapping(kind_of(arguments[1], limits))
    elif origin in (tuple, Sequence) and arguments and arguments[1:] in ((), (...,)):
        kind = listing(kind_of(arguments[0], limits))
    if kind is None:
        raise unsupported(hint, _is_supported)
    return kind


def _is_supported(hint: Any) -> bool:
    try:
        kind_of(hint)
    except TypeError:
        return False
    return True


def _plain_kind(hint: Any, limits: Limits) -> Kind | None:
    if hint in (int, float):
        return number(limits, whole=hint is int)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _nested(hint) if vars(hint)["__dataclass_params__"].frozen else None
    return _SIMPLE.get(hint)


def _unknown(key: str, plan: Plan, path: Path) -> Fault:
    near = closest(key, plan.options)
    known = ", ".join(sorted(plan.options)) or "none"
    hint = f"did you mean {near!r}?" if near else f"known keys: {known}"
    return Fault(path, f"unknown key {shown(key)}", secret_hint(key, plan.options) or hint, at_key=True)


def _nested(settings_type: type[Any]) -> Kind:
    plan = plan_of(settings_type)

    def read(value: Any, path: Path, faults: list[Fault]) -> Any:
        if isinstance(value, Mapping):
            return fill(plan, value, (), path, faults)
        faults.append(must_be("a mapping", value, path))
        return WRONG

    return Kind(read, "a mapping", lambda value: isinstance(value, Mapping))
