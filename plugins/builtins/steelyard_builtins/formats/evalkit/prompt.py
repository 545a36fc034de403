"""The one prompt of an evalkit suite: its template, or each task's input as it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.api import Case, Message, Node

from .placeholders import Variables, filled, not_placeholders

PROMPT_ID = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalkitPrompt:
    """A prompt that renders itself for a task."""

    template: str | None
    system: str
    id: str = PROMPT_ID

    @property
    def template_text(self) -> str | None:
        """The text with its placeholders."""
        return self.template

    def render(self, case: Case) -> Sequence[Message]:
        """Return the system message, which is no template, and the user's."""
        messages = [Message(role="system", content=self.system)] if self.system else []
        return [*messages, Message(role="user", content=self._text(case))]

    def _text(self, case: Case) -> str:
        if self.template is None:
            return str(case.input)
        return filled(self.template, Variables(case))


def read_prompt(document: Node) -> EvalkitPrompt:
    """Read ``prompt`` and ``system``."""
    template = document.text("prompt")
    for braces in not_placeholders(template or ""):
        warn_no_placeholder(document.child("prompt"), braces)
    return EvalkitPrompt(template=template, system=document.text("system") or "")


def warn_no_placeholder(node: Node, braces: str) -> None:
    """Warn that something in double braces stays as it is."""
    node.warning(f"{braces} is no placeholder and stays as it is", "a placeholder is {{ name }} or {{ name.key }}")
