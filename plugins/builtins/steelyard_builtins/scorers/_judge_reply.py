"""What a judge decided, found in its reply.

A decision is an object with a certain key. The judge may think aloud, fence it, or write around it, and what it writes
around it may quote what it judges, which may hold a decision of its own making. So the last complete object with the
key is the judge's, unless it is the candidate's; whatever would take a guess is no decision.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from steelyard.api import JsonMapping, JsonValue, is_sequence

from ._json_text import Found, find, parse_forgiving
from ._thinking import StillThinkingError, end_of_thinking

REASON_KEYS = ("reasoning", "reason", "explanation")

_FENCED = re.compile(r"\s*```[^\n`]*\n(.*)\n\s*```\s*", re.DOTALL)
_OBJECT_STARTS = re.compile(r'\{\s*"')
_INSIDE_SOMETHING = re.compile(r"[}\],]")
_A_PART_OF_SOMETHING = re.compile(r'(?:"\s*:|[\[,])\s*\Z')


class NoVerdictError(ValueError):
    """The reply decides nothing; the message says why."""


def decision(reply: str, key: str, *, candidate: str = "", cut_off: bool = False) -> JsonMapping:
    """Return the object in which the judge decides.

    Args:
        reply: What the judge wrote.
        key: What the object must have, in lower case.
        candidate: What is judged: an object quoted from it is not the judge's word.
        cut_off: Whether the token limit ended the reply, so that more was to come.

    Raises ``NoVerdictError`` when there is no decision that needs no guess.
    """
    if not reply.strip().removeprefix("\ufeff"):
        raise NoVerdictError("the reply is empty")
    return _whole(reply, key) or _last(reply, key, candidate, cut_off=cut_off)


def value_of(verdict: JsonMapping, key: str) -> JsonValue:
    """Return what stands under the key, however it is written. Raises ``NoVerdictError`` when it is there twice."""
    keys = _keys(verdict, (key,))
    if len(keys) > 1:
        raise NoVerdictError(f"it holds several {key}s: {', '.join(map(repr, keys))}")
    return verdict[keys[0]]


def reasoning_of(verdict: JsonMapping) -> str:
    """Return the judge's reasoning as it wrote it; empty when it gave none."""
    keys = _keys(verdict, REASON_KEYS)
    value = verdict[keys[0]] if keys else ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, allow_nan=False)


def _whole(reply: str, key: str) -> JsonMapping | None:
    """Return the verdict when the reply is nothing else. What is JSON already is never rewritten."""
    fenced = _FENCED.fullmatch(reply)
    for text in (reply, fenced[1] if fenced else ""):
        try:
            return _with_key(parse_forgiving(text), key)
        except ValueError:
            continue
    return None


def _last(reply: str, key: str, candidate: str, *, cut_off: bool) -> JsonMapping:
    """Return the last verdict that stands somewhere in the reply, after any thinking."""
    found = list(find(reply, parse_forgiving))
    start = _end_of_thinking(reply, found)
    spoken = [(item, verdict) for item in found if item.start >= start and (verdict := _with_key(item.value, key))]
    if not spoken:
        raise NoVerdictError(_why_nothing(reply, key))
    last, verdict = spoken[-1]
    more = _around(reply[last.end :], found[found.index(last) + 1 :], last.end).strip("` \n")
    is_part = last.doubtful and _A_PART_OF_SOMETHING.search(reply, 0, last.start) is not None
    if is_part or _OBJECT_STARTS.search(more) or _INSIDE_SOMETHING.match(more) or (cut_off and more):
        raise NoVerdictError("its last object is broken or cut off")
    if _is_quoted(reply[last.start : last.end], last.value, verdict, candidate):
        raise NoVerdictError(f"the last object with a {key!r} is quoted from the answer under judgement")
    return verdict


def _around(text: str, found: Sequence[Found], offset: int) -> str:
    """Return a text without the objects that were found in it: other objects may follow a verdict, broken ones not."""
    parts, position = [], 0
    for item in found:
        parts.append(text[position : item.start - offset])
        position = item.end - offset
    return "".join([*parts, text[position:]])


def _why_nothing(reply: str, key: str) -> str:
    if reply.lstrip().startswith("{"):
        try:
            parse_forgiving(reply)
        except ValueError as error:
            return f"its JSON cannot be read: {error}"
    return f"there is no object with a {key!r} in it"


def _end_of_thinking(reply: str, found: Sequence[Found]) -> int:
    """Return where the reply proper starts. A tag inside an object is a part of what the judge says."""
    try:
        return end_of_thinking(reply, [(item.start, item.end) for item in found])
    except StillThinkingError:
        raise NoVerdictError("the reply ends while the judge is still thinking") from None


def _with_key(value: JsonValue, key: str) -> JsonMapping | None:
    """Return the object that has the key: the value, or the only thing that the value wraps."""
    while not isinstance(value, Mapping) or not _keys(value, (key,)):
        inside = list(value.values()) if isinstance(value, Mapping) else list(value) if is_sequence(value) else []
        if len(inside) != 1:
            return None
        value = inside[0]
    return value


def _keys(verdict: JsonMapping, names: Sequence[str]) -> list[str]:
    return [key for key in verdict if key.strip().lower() in names]


def _is_quoted(text: str, value: JsonValue, verdict: JsonMapping, candidate: str) -> bool:
    """Whether an object stands in the answer under judgement too: in the same words, or with the same meaning.

    The words are looked for as well, for the candidate may have hidden them where no JSON is found.
    """
    if "".join(text.split()) in "".join(candidate.split()):
        return True
    planted = {one for item in find(candidate, parse_forgiving) for one in _objects(item.value)}
    return not planted.isdisjoint((_canonical(value), _canonical(verdict)))


def _objects(value: JsonValue) -> Iterator[str]:
    """Go through a value and all that it holds, each in one form."""
    if isinstance(value, Mapping):
        yield _canonical(value)
    inside = value.values() if isinstance(value, Mapping) else value if is_sequence(value) else ()
    for one in inside:
        yield from _objects(one)


def _canonical(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)
