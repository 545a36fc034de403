"""The cases of a suite: as they stand, or filled in by the rows of a dataset."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from steelyard.api import NOTHING, Case, JsonMapping, JsonValue, Node, Turn, is_sequence, shown
from steelyard.errors import TemplateError

from .criteria import Judges, read_criteria
from .keys import CASE, CRITERIA, TURN
from .placeholders import filled, has_placeholder, number_filled, text_filled, typed_filled

_NUMBERS = {"max_words": "value", "llm_judge": "pass_threshold", "code_execution": "timeout_ms"}
"""What a row fills in as a number; the rest of a criterion is text, but for those of the user's own graders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReader:
    """Reads cases."""

    judges: Judges

    def read(self, node: Node, number: int, row: JsonMapping = NOTHING) -> Case | None:
        """Return a case; ``number``, from 1, names it when it has no id. What is wrong is reported."""
        if not node.is_mapping():
            return None
        node.check_keys(CASE, severity="warning")
        identity = f"case-{number}" if node.get("id") is None else node.text("id", allow_empty=False)
        turns = _turns(node)
        prompt = node.text("prompt")
        if prompt is None and node.get("prompt") is None and node.get("turns") is None:
            node.error("'prompt' is required", "or 'turns', for a conversation", at_key=True)
        if prompt is not None and turns:
            node.error("a case has either 'prompt' or 'turns'", at_key=True)
        criteria = node.get("criteria")
        if criteria is None:
            node.error("'criteria' is required", "nothing says how the case is judged", at_key=True)
        uses = () if criteria is None else read_criteria(criteria, self.judges)
        if identity is None:
            return None
        return Case(
            id=identity,
            variables=row,
            input=prompt,
            turns=turns,
            scorers=uses,
            evaluation=" + ".join(use.type for use in uses),
            place=node.place,
        )


def _turns(node: Node) -> tuple[Turn, ...]:
    found = node.get("turns")
    if found is None or not found.is_list():
        return ()
    turns = [turn for turn in (_turn(entry) for entry in found.entries()) if turn is not None]
    if not found.value:
        found.error("must hold at least one turn")
    _warn_of_order(found, turns)
    if turns and turns[-1].role == "user" and all(turn.content is not None for turn in turns):
        turns.append(Turn(role="assistant", content=None))
    if turns and all(turn.content is not None for turn in turns):
        found.error("no turn is left for the model", "give an assistant turn 'content: null'")
    return tuple(turns)


def _warn_of_order(node: Node, turns: Sequence[Turn]) -> None:
    """Warn of what most models' services refuse or read otherwise than it was meant."""
    roles = [turn.role for turn in turns]
    if roles and roles[0] == "assistant":
        node.warning("the first turn is the assistant's", "most models want the user's first")
    for number, pair in enumerate(itertools.pairwise(roles), 1):
        if pair[0] == pair[1]:
            node.child(number).warning(f"two turns of the {pair[0]} in a row", "most models want them in turn")
            return


def _turn(node: Node) -> Turn | None:
    if not node.is_mapping():
        return None
    node.check_keys(TURN, severity="warning")
    role, content = node.text("role", required=True), node.text("content")
    if role is None:
        return None
    if role not in ("user", "assistant"):
        node.error(f"must be 'user' or 'assistant', got {shown(role)}", key="role")
        return None
    if role == "user" and content is None and node.get("content") is None:
        node.error("a user's turn needs 'content'", "only an assistant's can be null")
    return Turn(role="user", content=content or "") if role == "user" else Turn(role="assistant", content=content)


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetReader:
    """Fills the cases of a suite in by rows."""

    cases: tuple[Node, ...]
    reader: CaseReader

    def read_row(self, row: Node, number: int) -> tuple[Case, ...]:
        """Return the cases that a row gives, one for each of the suite's."""
        if not row.is_mapping() or not isinstance(row.value, Mapping):
            return ()
        found = (self._case(node, position, row, row.value, number) for position, node in enumerate(self.cases, 1))
        return tuple(case for case in found if case is not None)

    def _case(self, node: Node, position: int, row: Node, data: JsonMapping, number: int) -> Case | None:
        value = node.value
        if not isinstance(value, Mapping):
            return None
        try:
            made = _filled_case(value, data, position, number)
        except TemplateError as error:
            row.error(f"{node.keys}: {error}")
            return None
        case = self.reader.read(Node(made, node.path, row.locate, row.report), position, data)
        return None if case is None else replace(case, place=row.place)


def _filled_case(value: JsonMapping, data: JsonMapping, position: int, number: int) -> JsonMapping:
    made = {key: filled(entry, data) for key, entry in value.items() if key not in ("criteria", "id")}
    criteria = value.get("criteria")
    if criteria is not None:
        made["criteria"] = [_criterion(entry, data) for entry in criteria] if is_sequence(criteria) else criteria
    identity = value.get("id")
    template = f"case-{position}" if identity is None else identity
    if isinstance(template, str):
        made["id"] = text_filled(template, data) if has_placeholder(template) else f"{template}-{number}"
    else:
        made["id"] = template
    return made


def _criterion(value: JsonValue, data: JsonMapping) -> JsonValue:
    if not isinstance(value, Mapping):
        return value
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in CRITERIA:
        return {key: typed_filled(entry, data) for key, entry in value.items()}
    number = _NUMBERS.get(kind)
    return {key: (number_filled if key == number else filled)(entry, data) for key, entry in value.items()}
