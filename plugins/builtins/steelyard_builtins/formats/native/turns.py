"""The turns of a conversation that a case prescribes.

A turn whose ``content`` is null is the model's to fill. A conversation that ends with the user's turn is answered by
the model as well, so that turn need not be written. What the model is told to be stands in a prompt's ``system``, so a
turn is ``user`` or ``assistant``. When the first turn is not the user's, a prompt's ``template`` takes that place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from steelyard.api import Node, Turn, shown
from steelyard.errors import TemplateError

from .keys import TURN

Render = Callable[[str], str]
"""Fills in the variables of a text; raises ``TemplateError``."""


def read_turns(node: Node, render: Render | None) -> tuple[Turn, ...]:
    """Return the turns with their texts rendered, once; ``None`` for texts that are data and stay as they are."""
    if not node.is_list():
        return ()
    turns = [turn for turn in (_read_turn(entry, render) for entry in node.entries()) if turn is not None]
    if not node.value:
        node.error("must hold at least one turn")
        return ()
    if turns and turns[-1].role == "user":
        turns.append(Turn(role="assistant", content=None))
    if turns and all(turn.content is not None for turn in turns):
        node.error("no turn is left for the model", "give an assistant turn 'content: null'")
    return tuple(turns)


def _read_turn(entry: Node, render: Render | None) -> Turn | None:
    if not entry.is_mapping() or not isinstance(entry.value, Mapping):
        return None
    entry.check_keys(TURN, severity="warning")
    role = entry.text("role", required=True)
    if role is None:
        return None
    if role not in ("user", "assistant"):
        hint = "put it into the 'system' of a prompt" if role == "system" else ""
        entry.error(f"must be 'user' or 'assistant', got {shown(role)}", hint, key="role")
        return None
    content = entry.text("content")
    if role == "user":
        if content is None and entry.get("content") is None:
            entry.error("a user's turn needs 'content'", "only an assistant's can be null")
        return Turn(role="user", content=_rendered(entry, content or "", render))
    return Turn(role="assistant", content=None if content is None else _rendered(entry, content, render))


def _rendered(entry: Node, text: str, render: Render | None) -> str:
    if render is None or "{" not in text:
        return text
    try:
        return render(text)
    except TemplateError as error:
        entry.error(str(error), key="content")
        return text
