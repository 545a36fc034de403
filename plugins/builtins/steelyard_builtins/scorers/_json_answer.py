"""The JSON that a model gave as its answer, alone or with words and fences around it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from steelyard.api import JsonValue, is_sequence

from ._json_text import find, parse
from ._thinking import end_of_thinking

Kind = Literal["object", "array"]

_FENCE = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```", re.DOTALL | re.MULTILINE)


def read_answer(text: str, *, extract: bool = True, kind: Kind | None = None) -> JsonValue:
    """Return the JSON of an answer.

    The whole text if it is JSON. Otherwise, with ``extract``, the last code fence that holds JSON and nothing else, or
    the last object or list that stands between the words; where both occur and ``kind`` does not choose, the object,
    since ``[1]`` may be a footnote. What a model thought before it answered is no answer.

    Raises ``ValueError`` with the reason when there is none.
    """
    try:
        return parse(text)
    except ValueError as error:
        if not extract:
            raise ValueError(f"the whole output is not JSON: {error}") from error
        reason = str(error)
    everything = list(find(text))
    start = end_of_thinking(text, [(item.start, item.end) for item in everything])
    fenced = [value for value in map(_fenced, _FENCE.findall(text, start)) if value is not None and _is(value, kind)]
    if fenced:
        return fenced[-1]
    found = [item.value for item in everything if not item.doubtful and item.start >= start]
    for wanted in [kind] if kind else ["object", "array"]:
        fitting = [value for value in found if _is(value, wanted)]
        if fitting:
            return fitting[-1]
    raise ValueError(f"there is no readable JSON {kind or 'object or list'} in the output ({reason})")


def _fenced(text: str) -> JsonValue:
    try:
        return parse(text)
    except ValueError:
        return None


def _is(value: JsonValue, kind: str | None) -> bool:
    if kind is None:
        return True
    return isinstance(value, Mapping) if kind == "object" else is_sequence(value)
