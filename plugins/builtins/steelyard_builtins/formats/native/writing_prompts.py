"""Prompts of another format as native ones.

A text with placeholders is kept where it renders alike for every case in this format's language; where it does not, a
prompt is a single variable, and each case holds the rendered text.
"""

from __future__ import annotations

from collections.abc import Sequence

from steelyard.api import Case, FormatTools, JsonMapping, JsonValue, Prompt
from steelyard.errors import TemplateError, UsageError

_MARKERS = ("{{", "{%", "{#")
_INPUT = "input"


class PromptWriter:
    """Writes prompts, and remembers which variables they need."""

    def __init__(self, cases: Sequence[Case], tools: FormatTools) -> None:
        self._cases = cases
        self._tools = tools
        self._added: list[dict[str, JsonValue]] = [dict(case.variables) for case in cases]
        self._by_id = {case.id: added for case, added in zip(cases, self._added, strict=True)}
        self.shared: dict[str, JsonValue] = {}
        """Variables of all cases."""

    def variables(self, case: Case) -> JsonMapping:
        """Return the variables of a case, with what the prompts written so far need."""
        return self._by_id[case.id]

    def added(self) -> Sequence[str]:
        """Return the names of the variables that some case did not have before."""
        new = {name for case in self._cases for name in self._by_id[case.id].keys() - case.variables.keys()}
        return sorted(new | self.shared.keys())

    def write(self, prompt: Prompt) -> JsonValue:
        """Return a prompt as the file has it. Raises ``UsageError`` for a conversation that no prompt can open."""
        rendered = [self._parts(prompt, case) for case in self._cases]
        written: dict[str, JsonValue] = {"id": prompt.id}
        systems = [system for system, _ in rendered]
        if any(systems):
            written["system"] = self._literal("system", systems)
        users = [user for _, user in rendered]
        if any(user is not None for user in users):
            written["template"] = self._template(prompt, users)
        elif "system" not in written:
            # Where every case begins with a turn of its own, a prompt says nothing to the user, but may not be empty.
            written["template"] = "-"
        return written

    def _parts(self, prompt: Prompt, case: Case) -> tuple[str, str | None]:
        messages = list(prompt.render(case))
        system = messages.pop(0).content if messages and messages[0].role == "system" else ""
        user = messages.pop(0).content if messages and messages[0].role == "user" else None
        if messages:
            raise UsageError(f"prompt {prompt.id!r}: opens with more than a system message and one of the user's")
        return system, user

    def _template(self, prompt: Prompt, users: Sequence[str | None]) -> str:
        text = getattr(prompt, "template_text", None)
        if isinstance(text, str) and self._keeps(text, users):
            return text
        if all(user is None or user == case.input for user, case in zip(users, self._cases, strict=True)):
            return self._variable(_INPUT, users)
        return self._literal("prompt", users)

    def _keeps(self, text: str, users: Sequence[str | None]) -> bool:
        """Try a text as a template of ours: whether it says the same to the user in every case."""
        try:
            template = self._tools.template(text)
            tried = []
            for case, added in zip(self._cases, self._added, strict=True):
                tried.append({**added, **_reached(case, template.variables - added.keys())})
            alike = all(
                user is None or template.render(variables) == user for user, variables in zip(users, tried, strict=True)
            )
        except TemplateError:
            return False
        if alike:
            for added, variables in zip(self._added, tried, strict=True):
                added.update(variables)
        return alike

    def _literal(self, name: str, texts: Sequence[str | None]) -> str:
        """Return a template that gives these texts, one for each case."""
        first = texts[0]
        if first is None or any(text != first for text in texts):
            return self._variable(name, texts)
        if not any(mark in first for mark in _MARKERS):
            return first
        name = self._unused(name)
        self.shared[name] = first
        return f"{{{{ {name} }}}}"

    def _unused(self, name: str) -> str:
        while name in self.shared or any(name in added for added in self._added):
            name += "_"
        return name

    def _variable(self, name: str, texts: Sequence[str | None]) -> str:
        name = self._unused(name)
        for added, text in zip(self._added, texts, strict=True):
            added[name] = text or ""
        return f"{{{{ {name} }}}}"


def _reached(case: Case, names: frozenset[str]) -> dict[str, JsonValue]:
    """Return what names of another format's placeholders stand for, as far as they are parts of a case."""
    parts: dict[str, JsonValue] = {"id": case.id, "input": case.input, "expected": case.expected}
    parts |= {"metadata": case.metadata, "vars": case.variables}
    inputs = case.input if isinstance(case.input, dict) else {}
    return {name: parts[name] if name in parts else inputs[name] for name in names if name in parts or name in inputs}
