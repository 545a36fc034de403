"""The tasks of an evalkit suite, as cases."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from steelyard.api import NOTHING, Case, JsonMapping, Node, shown

from .graders import Grader, read_graders
from .keys import TASK
from .placeholders import Variables, as_json
from .targets import Judges


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskReader:
    """Reads tasks with what the suite says about all of them."""

    graders: tuple[Grader, ...]
    """The graders of every task, before its own."""
    judges: Judges
    needs_text: bool
    """Whether a task's input is sent as it is, so that it must be text."""

    def read(self, node: Node, number: int) -> Case | None:
        """Return the task as a case; ``number``, from 1, names it when it has no id. What is wrong is reported."""
        value = node.value
        if not isinstance(value, Mapping):
            node.is_mapping()
            return None
        if not value.keys() <= TASK:
            node.check_keys(TASK)
        identity = value.get("id")
        name = f"task-{number}" if identity is None else node.text("id", allow_empty=False)
        if name is None:
            return None
        if self.needs_text and not isinstance(value.get("input"), str):
            _say_text_is_wanted(node)
        case = Case(
            id=name,
            variables=_mapping(node, value, "vars"),
            input=value.get("input"),
            expected=value.get("expected"),
            tags=node.texts("tags") if value.get("tags") is not None else (),
            metadata=_mapping(node, value, "metadata"),
            place=node.place,
        )
        return self._judged(node, case)

    def read_row(self, node: Node, number: int) -> tuple[Case, ...]:
        """Read a task of a data file: there, an id may be a number."""
        value = node.value
        if isinstance(value, Mapping) and type(value.get("id")) in (int, float):
            node = Node({**value, "id": str(value["id"])}, node.path, node.locate, node.report)
        case = self.read(node, number)
        return () if case is None else (case,)

    def _judged(self, node: Node, case: Case) -> Case:
        own = read_graders(node.get("graders"), self.judges)
        if not self.graders and not own and not node.child("graders").value:
            node.error("the task has no graders", "give it some, or the suite")
        variables = Variables(case)
        uses = [grader.for_task(variables, node) for grader in self.graders]
        uses += [grader.for_task(variables, grader.node) for grader in own]
        found = tuple(use for use in uses if use is not None)
        asked = any(use.type == "llm_judge" for use in found)
        return dataclasses.replace(
            case,
            scorers=found,
            evaluation=" + ".join(use.name for use in found),
            reference=as_json(case.expected) if asked and case.expected is not None else None,
        )


def _say_text_is_wanted(node: Node) -> None:
    value = node.child("input").value
    if value is None:
        node.text("input", required=True)
    else:
        node.error(f"must be text, got {shown(value)}", "give the suite a 'prompt' that says what is sent", key="input")


def _mapping(node: Node, value: JsonMapping, key: str) -> JsonMapping:
    found = value.get(key)
    if found is None:
        return NOTHING
    return found if isinstance(found, Mapping) else node.mapping(key)
