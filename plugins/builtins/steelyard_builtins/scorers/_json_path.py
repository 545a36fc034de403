"""A path into a JSON value: ``$.items[0].name``, ``items.0.name``, ``$["odd key"][-1]``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from steelyard.api import JsonValue, is_sequence, shown

Path = tuple[str | int, ...]

_STEP = re.compile(
    r"""\.?(?P<name>[^.\[\]"'\s*]+) | \[(?P<index>-?[0-9]+)\] | \["(?P<double>[^"]*)"\] | \['(?P<single>[^']*)'\]""",
    re.VERBOSE,
)


def read_path(text: str) -> Path:
    """Return the steps of a path. Raises ``ValueError`` for what is none, wildcards and filters included."""
    rest = text.strip().removeprefix("$")
    steps: list[str | int] = []
    position = 0
    while position < len(rest):
        step = _STEP.match(rest, position)
        if step is None:
            raise ValueError(f"{shown(text)} is no path at {shown(rest[position:])}; write $.name[0].name")
        steps.append(int(step["index"]) if step["index"] else next(part for part in step.groups() if part is not None))
        position = step.end()
    return tuple(steps)


def follow(value: JsonValue, path: Path) -> JsonValue:
    """Return what stands at the end of a path. Raises ``LookupError`` naming the step that leads nowhere."""
    for step in path:
        if isinstance(value, Mapping) and str(step) in value:
            value = value[str(step)]
        elif is_sequence(value) and (index := _index(step)) is not None and -len(value) <= index < len(value):
            value = value[index]
        else:
            raise LookupError(f"there is no {step!r} in {shown(value)}")
    return value


def _index(step: str | int) -> int | None:
    if isinstance(step, int):
        return step
    return int(step) if re.fullmatch("[0-9]{1,9}", step) else None
