"""The one prompt of a suite of the eval tool: its system prompt, and each case's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.api import Case, Message

PROMPT_ID = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPrompt:
    """A prompt that renders itself for a case."""

    system: str
    id: str = PROMPT_ID

    def render(self, case: Case) -> Sequence[Message]:
        """Return the system message, if there is one, and the case's prompt, unless it has turns."""
        messages = [Message(role="system", content=self.system)] if self.system else []
        return messages if case.turns else [*messages, Message(role="user", content=str(case.input))]
