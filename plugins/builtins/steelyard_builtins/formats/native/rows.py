"""What a row of a data file means to a native file.

Without a ``case:`` template a row is a test case, with the keys it would have inline. A row without ``variables`` may
also be flat, as a spreadsheet is: what a test case does not know is then a variable. Texts of a data file are data and
never templates. An id that is a number becomes its exact text; a row without an id is called by its number. Where a
spreadsheet can only hold text, ``tags`` are split at commas and ``human_score`` is read as a number.
"""

from __future__ import annotations

from collections.abc import Mapping

from steelyard.api import Case, JsonMapping, JsonValue, Node, finite

from ..row_cases import ReadRow
from .cases import CaseReader
from .filling import CaseTemplate
from .keys import CASE, is_private


def row_reader(reader: CaseReader, template: CaseTemplate | None) -> ReadRow:
    """Return what makes a case of a row, by the ``case:`` template if there is one."""

    def read(node: Node, number: int) -> tuple[Case, ...]:
        if not isinstance(node.value, Mapping):
            node.is_mapping()
            return ()
        if template is None:
            value = _as_case(node.value)
        else:
            value = template.fill(node.value, reader.variables, lambda key, message: node.error(message, key=key))
        value = _typed(value, number)
        case = reader.read(Node(value, (), node.locate, node.report), value, is_data=True)
        return () if case is None else (case,)

    return read


def _as_case(data: JsonMapping) -> JsonMapping:
    if "variables" in data or data.keys() <= CASE:
        return data
    case: dict[str, JsonValue] = {key: value for key, value in data.items() if key in CASE}
    case["variables"] = {key: value for key, value in data.items() if key not in CASE and not is_private(key)}
    return case


def _typed(value: JsonMapping, number: int) -> JsonMapping:
    changed: dict[str, JsonValue] = {}
    identity, tags, score = value.get("id"), value.get("tags"), value.get("human_score")
    if identity is None:
        changed["id"] = str(number)
    elif isinstance(identity, (int, float)) and not isinstance(identity, bool):
        changed["id"] = str(identity)
    if isinstance(tags, str):
        changed["tags"] = [tag.strip() for tag in tags.split(",") if tag.strip()]
    if isinstance(score, str):
        changed["human_score"] = _number(score)
    return {**value, **changed} if changed else value


def _number(text: str) -> JsonValue:
    if not text.strip():
        return None
    try:
        return finite(float(text))
    except ValueError:
        return text
