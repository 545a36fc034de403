"""A ``case:`` template: what each row of a data file becomes.

Texts in it are templates over the row's keys and the benchmark's variables; all but ``variables`` may also use the
variables that the case gets. A text that is exactly one placeholder (``"{{ answer }}"``) keeps the type of the value.
What a row brings in is data and is never rendered again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from steelyard.api import FormatTools, JsonMapping, JsonValue, Node, is_sequence
from steelyard.errors import TemplateError

Fill = Callable[[JsonMapping], JsonValue]
"""Makes a value of a row; raises ``TemplateError``."""

_WHOLE = re.compile(r"\{\{-?\s*([A-Za-z_]\w*(?:\.\w+)*)\s*-?\}\}")
_MARKERS = ("{{", "{%", "{#")


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTemplate:
    """The compiled ``case:`` mapping."""

    variables: Fill | None
    others: Mapping[str, Fill]

    def fill(self, row: JsonMapping, shared: JsonMapping, report: Callable[[str, str], None]) -> JsonMapping:
        """Return the case that a row gives, its row's keys among its variables.

        ``report`` is told the key and the message of what cannot be filled in.
        """
        seen = {**shared, **row}
        own = self._filled("variables", self.variables, seen, report) if self.variables else None
        case: dict[str, JsonValue] = {"variables": {**row, **own} if isinstance(own, Mapping) else dict(row)}
        seen = {**seen, **own} if isinstance(own, Mapping) else seen
        for key, fill in self.others.items():
            case[key] = self._filled(key, fill, seen, report)
        return case

    @staticmethod
    def _filled(key: str, fill: Fill, seen: JsonMapping, report: Callable[[str, str], None]) -> JsonValue:
        try:
            return fill(seen)
        except TemplateError as error:
            report(key, str(error))
            return None


def compile_case(node: Node, tools: FormatTools) -> CaseTemplate | None:
    """Compile the ``case:`` mapping, reporting every text in it that is no template."""
    if not node.is_mapping() or not isinstance(node.value, Mapping):
        return None
    fills = {key: _compile(node.child(key), tools) for key in node.value if node.value[key] is not None}
    if node.has("variables"):
        node.mapping("variables")
    if isinstance(node.value.get("tags"), str) and not _is_template(str(node.value["tags"])):
        node.texts("tags")
    return CaseTemplate(variables=fills.pop("variables", None), others=fills)


def _compile(node: Node, tools: FormatTools) -> Fill:
    value = node.value
    if isinstance(value, str) and _is_template(value):
        return _compile_text(node, value, tools)
    if isinstance(value, Mapping):
        entries = {key: _compile(node.child(key), tools) for key in value}
        return lambda seen: {key: fill(seen) for key, fill in entries.items()}
    if is_sequence(value):
        elements = [_compile(entry, tools) for entry in node.entries()]
        return lambda seen: [fill(seen) for fill in elements]
    return lambda _seen: value


def _compile_text(node: Node, text: str, tools: FormatTools) -> Fill:
    try:
        template = tools.template(text)
    except TemplateError as error:
        node.error(str(error))
        return lambda _seen: text
    whole = _WHOLE.fullmatch(text)
    if whole is None:
        return template.render
    first, *rest = whole.group(1).split(".")

    def kept(seen: JsonMapping) -> JsonValue:
        found, value = _walk(seen, first, rest)
        return value if found else template.render(seen)

    return kept


def _walk(seen: JsonMapping, first: str, rest: list[str]) -> tuple[bool, JsonValue]:
    value: JsonValue = seen
    for part in (first, *rest):
        if isinstance(value, Mapping) and part in value:
            value = value[part]
        elif is_sequence(value) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return False, None
    return True, value


def _is_template(text: str) -> bool:
    return any(marker in text for marker in _MARKERS)
