"""The graders of a suite and of its tasks, as scorers with options.

A grader is read once; what depends on the task (placeholders, and the task's expected value) is filled in for each.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from steelyard.api import JsonMapping, JsonValue, Node, ScorerUse, is_sequence, shown
from steelyard.errors import TemplateError

from .keys import GRADER, OPTIONS
from .placeholders import Variables, as_json, filled, is_template, not_placeholders, resolved
from .prompt import warn_no_placeholder
from .targets import Judges

_SCORERS = {"exact": "exact_match"}
"""Scorers that have another name here."""
_TEMPLATES = {"exact": "value", "contains": "value", "numeric": "value", "regex": "pattern", "llm_judge": "rubric"}
"""The option of a grader that may hold placeholders."""
_BY_EXPECTED = frozenset({"exact", "contains", "numeric"})
"""Graders that compare with the task's expected value unless they have one of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grader:
    """A grader as the suite has it."""

    type: str
    node: Node
    use: ScorerUse
    """Everything that is the same for every task."""
    template: JsonValue = None
    """What is filled in for each task; ``None`` when that is nothing but the task's expected value."""
    varies: bool = False

    def for_task(self, variables: Variables, task: Node) -> ScorerUse | None:
        """Return the scorer for a task; ``None`` after reporting at the task what it lacks."""
        if not self.varies:
            return self.use
        key = _TEMPLATES[self.type]
        try:
            value = variables.case.expected if self.template is None else _resolved(self.template, variables, self.type)
        except TemplateError as error:
            task.error(f"grader {self.type}: {error}")
            return None
        if value is None and self.template is None:
            task.error(f"grader {self.type} needs a 'value', or the task an 'expected'")
            return None
        refused = _boolean_in(value) if self.type in ("exact", "contains") else None
        if refused is not None:
            task.error(f"grader {self.type} compares text, got {shown(refused)}", "quote it if it is a word")
            return None
        return replace(self.use, options={**self.use.options, key: _as_option(self.type, value)})


def read_graders(node: Node | None, judges: Judges) -> tuple[Grader, ...]:
    """Return the graders of a list, without those that are wrong."""
    if node is None or not node.is_list():
        return ()
    found = (_read_grader(entry, judges) for entry in node.entries())
    return tuple(grader for grader in found if grader is not None)


def _read_grader(node: Node, judges: Judges) -> Grader | None:
    if not node.is_mapping() or not isinstance(node.value, Mapping):
        return None
    kind = node.text("type", required=True)
    if kind is None:
        return None
    if kind not in OPTIONS:
        close = difflib.get_close_matches(kind, OPTIONS, n=1, cutoff=0.6)
        hint = f"did you mean {close[0]!r}?" if close else f"known graders: {', '.join(OPTIONS)}"
        node.error(f"unknown grader {kind!r}", hint, key="type")
        return None
    node.check_keys(GRADER | OPTIONS[kind])
    use = _use(node, node.value, kind)
    if kind == "llm_judge":
        return _judge(node, use, judges)
    template = node.value.get(_TEMPLATES.get(kind, ""))
    for braces in _braces(template):
        warn_no_placeholder(node.child(_TEMPLATES[kind]), braces)
    varies = kind in _BY_EXPECTED or (isinstance(template, str) and is_template(template))
    return Grader(type=kind, node=node, use=use, template=template, varies=varies)


def _judge(node: Node, use: ScorerUse, judges: Judges) -> Grader | None:
    rubric = node.text("rubric", required=True, allow_empty=False)
    scale = node.whole("scale", minimum=2, maximum=100) or 5
    least = node.number("min_score")
    own = node.get("provider")
    model = judges.default if own is None else judges.add(own)
    if model is None and own is None:
        node.error("llm_judge needs a 'provider', or the suite a 'judge'", at_key=True)
    if rubric is None or model is None:
        return None
    options: dict[str, JsonValue] = {"rubric": rubric, "scale": scale, "model": model}
    options["min_score"] = scale - 1 if least is None else least
    # How the judge answers is said where the judge is.
    options |= {"temperature": None, "max_tokens": None}
    return Grader(
        type="llm_judge",
        node=node,
        use=replace(use, options=options),
        template=rubric,
        varies=is_template(rubric),
    )


def _use(node: Node, value: JsonMapping, kind: str) -> ScorerUse:
    negate = bool(node.flag("negate", default=False))
    weight = node.number("weight", above=0)
    options = {key: option for key, option in value.items() if key in OPTIONS[kind] and option is not None}
    if kind == "exact":
        options.setdefault("ignore_case", False)
    elif kind == "json_schema":
        options["formats"] = False
    return ScorerUse(
        type=_SCORERS.get(kind, kind),
        options=options,
        name=node.text("name", allow_empty=False) or (f"not {kind}" if negate else kind),
        weight=1.0 if weight is None else weight,
        negate=negate,
        place=node.place,
    )


def _resolved(template: JsonValue, variables: Variables, kind: str) -> JsonValue:
    if is_sequence(template):
        return [_resolved(element, variables, kind) for element in template]
    if isinstance(template, Mapping):
        return {key: _resolved(value, variables, kind) for key, value in template.items()}
    if not isinstance(template, str):
        return template
    return filled(template, variables) if kind in ("regex", "llm_judge") else resolved(template, variables)


def _as_option(kind: str, value: JsonValue) -> JsonValue:
    if kind == "exact":
        return as_json(value)
    if kind == "contains":
        return [as_json(element) for element in value] if is_sequence(value) else [as_json(value)]
    return value


def _boolean_in(value: JsonValue) -> bool | None:
    if isinstance(value, bool):
        return value
    return next((element for element in value if isinstance(element, bool)), None) if is_sequence(value) else None


def _braces(template: JsonValue) -> list[str]:
    if is_sequence(template):
        return [braces for element in template for braces in _braces(element)]
    if isinstance(template, Mapping):
        return [braces for element in template.values() for braces in _braces(element)]
    return not_placeholders(template) if isinstance(template, str) else []
