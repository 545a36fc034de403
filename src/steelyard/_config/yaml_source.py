"""The value that a YAML text stands for, and where each part of it stands.

Built in one pass over the parser's events, without recursion: the same loop reads what libyaml and what the pure Python
parser deliver, so both give the same answers, and neither nesting nor aliases can exhaust anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from ..api import JsonValue, shown
from ..errors import BenchmarkError, Problem
from .yaml_containers import OpenList, OpenMapping
from .yaml_faults import explained
from .yaml_parsers import Parser, escapes_surrogates, fastest_parser, forbidden_character, paired
from .yaml_scalars import (
    MAX_DIGITS,
    MAYBE_NOT_TEXT,
    PREFIX,
    NotOfTypeError,
    TooLongError,
    UnknownTagError,
    plain,
    tagged,
)
from .yaml_spots import YamlSpots, packed, packed_at, unpacked

MAX_DEPTH = 200
"""Levels of nesting; far below where the code behind this, which may be recursive, would fail."""
MAX_ALIASED = 2_000_000
"""Values that aliases may stand for, all together: a few lines of them can otherwise stand for billions."""

MAX_PROBLEMS = 100
"""Nobody reads more of them."""

_TOO_DEEP = f"nested more than {MAX_DEPTH} levels deep"


@dataclass(frozen=True, slots=True)
class _Anchored:
    value: JsonValue
    size: int


_OPEN = _Anchored(None, 0)
"""An anchor whose value is still being read: an alias to it would hold itself."""


class YamlReader:
    """Reads one YAML text."""

    def __init__(self, text: str, name: str, parser: Parser = fastest_parser) -> None:
        self._text = text
        self._name = name
        self._parser = parser
        self._problems: list[Problem] = []
        self._anchors: dict[str, _Anchored] = {}
        self._seen = 0
        self._aliased = 0
        self._spots = YamlSpots(text)
        self._has_surrogates = escapes_surrogates(text)

    def read(self) -> tuple[JsonValue, YamlSpots]:
        """Return the value and its places; ``None`` for a text without any. Raises ``BenchmarkError``."""
        if forbidden := forbidden_character(self._text):
            line, column, message, hint = forbidden
            self._fail(message, packed_at(line, column), hint)
        try:
            value = self._document(self._parser(self._text))
        except yaml.YAMLError as error:
            self._not_yaml(error)
        except (ValueError, OverflowError) as error:  # the pure parser's answer to \UFFFFFFFF
            self._fail(f"not valid YAML: {error}", 0)
        if self._problems:
            raise BenchmarkError(self._problems)
        return value, self._spots

    def _document(self, next_event: Callable[[], Any]) -> JsonValue:
        value: JsonValue = None
        documents = 0
        while not isinstance(event := next_event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._fail("a second document starts here", packed(event.start_mark), "keep one in each file")
                value = self._content(next_event)
        return value

    def _content(self, next_event: Callable[[], Any]) -> JsonValue:
        """Read one document's value: the loop that the time goes into."""
        above: list[OpenList | OpenMapping] = []
        inside: OpenList | OpenMapping | None = None
        while True:
            event = next_event()
            kind = event.__class__
            if kind is yaml.ScalarEvent:
                start = packed(event.start_mark)
                self._seen += 1
                if isinstance(inside, OpenMapping) and inside.expects_key:
                    self._key(inside, event, start)
                    continue
                value = self._scalar(event, start)
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                if inside is not None:
                    above.append(inside)
                inside = self._opened(event, len(above))
                continue
            elif inside is not None and kind is not yaml.AliasEvent:
                value, start = self._closed(inside), inside.start
                inside = above.pop() if above else None
            else:
                start = packed(event.start_mark)
                value = self._alias(event.anchor, start)
            if inside is None:
                self._spots.note_top(start)
                return value
            if isinstance(inside, OpenMapping):
                inside.add_value(value, start)
            else:
                inside.value.append(value)
                inside.starts.append(start)

    def _opened(self, event: Any, depth: int) -> OpenList | OpenMapping:
        start = packed(event.start_mark)
        if depth >= MAX_DEPTH:
            self._fail(_TOO_DEEP, start)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", PREFIX + ("map" if is_mapping else "seq")):
            self._unknown_tag(event.tag, start)
        if event.anchor is not None:
            self._anchors[event.anchor] = _OPEN
        self._seen += 1
        if is_mapping:
            return OpenMapping(start, event.anchor, self._seen - 1, self._problem)
        return OpenList(start, event.anchor, self._seen - 1)

    def _closed(self, inside: OpenList | OpenMapping) -> JsonValue:
        inside.close(self._spots)
        if inside.anchor is not None:
            self._anchors[inside.anchor] = _Anchored(inside.value, self._seen - inside.seen)
        return inside.value

    def _key(self, inside: OpenMapping, event: Any, start: int) -> None:
        key = event.value
        if event.tag is None and event.implicit[0] and key == "<<":
            inside.add_merge_key(start)
            return
        is_text = not event.implicit[0] or (key and key[0] not in MAYBE_NOT_TEXT)
        if is_text and event.tag is None and event.anchor is None and not self._has_surrogates:
            inside.add_key(key, start)  # by far the most
            return
        value = self._scalar(event, start)
        if isinstance(value, str):
            inside.add_key(value, start)
        else:
            self._problem(f"key {shown(key)} must be text, got {shown(value)}", start, f'quote it: "{key}"')
            inside.skip_key()

    def _scalar(self, event: Any, start: int) -> JsonValue:
        text: str = event.value
        value: JsonValue = text
        try:
            if event.tag is not None:
                value = tagged(event.tag, text)
            elif event.implicit[0]:
                value = plain(text)
        except TooLongError:
            self._problem(f"an integer has more than {MAX_DIGITS} digits", start, "quote it if it is text")
        except UnknownTagError:
            self._unknown_tag(event.tag, start)
        except NotOfTypeError:
            self._problem(f"{shown(text)} is no value of the type {_short(event.tag)!r}", start)
        if self._has_surrogates and isinstance(value, str):
            value = paired(value)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, 1)
        return value

    def _alias(self, anchor: str, start: int) -> JsonValue:
        found = self._anchors.get(anchor)
        if found is None:
            self._fail(f"alias '*{anchor}' has no anchor '&{anchor}' before it", start)
        if found is _OPEN:
            self._fail(f"alias '*{anchor}' stands inside the value that it refers to", start)
        self._aliased += found.size
        self._seen += found.size
        if self._aliased > MAX_ALIASED:
            self._fail(f"aliases stand for more than {MAX_ALIASED} values", start, "use fewer aliases of aliases")
        return found.value

    def _unknown_tag(self, tag: str, start: int) -> None:
        hint = "remove it, or quote the text that begins with '!'"
        self._problem(f"tag {shown(_short(tag))} is not supported", start, hint)

    def _not_yaml(self, error: yaml.YAMLError) -> NoReturn:
        said, hint, mark = explained(error, self._text)
        start = packed(mark) if mark else 0
        if "nesting depth" in said:  # libyaml's own bound, met when it looks ahead
            self._fail(_TOO_DEEP, start)
        self._fail(f"not valid YAML: {said}", start, hint)

    def _problem(self, message: str, start: int, hint: str = "") -> None:
        line, column = unpacked(start)
        self._problems.append(Problem(message=message, hint=hint, place=f"{self._name}:{line}:{column}"))
        if len(self._problems) >= MAX_PROBLEMS:
            raise BenchmarkError(self._problems)

    def _fail(self, message: str, start: int, hint: str = "") -> NoReturn:
        self._problem(message, start, hint)
        raise BenchmarkError(self._problems)


def _short(tag: str) -> str:
    return f"!!{tag.removeprefix(PREFIX)}" if tag.startswith(PREFIX) else tag
