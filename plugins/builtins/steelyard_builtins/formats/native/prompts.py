"""The prompts of a benchmark, as Jinja templates that are compiled once.

For a case with ``turns``, a prompt's ``system`` applies as ever; its ``template`` is the user's first turn, unless the
case begins with one of its own.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steelyard.api import Case, FormatTools, Message, Node, Template
from steelyard.errors import TemplateError

from .keys import PROMPT

_MARKUP = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
# Not after a letter, a backslash or a brace: ``\frac{a}{b}`` and ``${HOME}`` are no attempt at a placeholder.
_SINGLE_BRACE = re.compile(r"(?<![\w{}$\\])\{\s*([A-Za-z_]\w*)\s*\}(?!\})")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NativePrompt:
    """A prompt that renders itself for a case."""

    id: str
    template: Template | None
    """The user's message; ``None`` when every case brings its own."""
    system: Template | None = None

    def render(self, case: Case) -> Sequence[Message]:
        """Return the system message, if there is one, and the user's, unless the case begins with its own."""
        messages = []
        if self.system is not None:
            text = self._filled(self.system, case, "system")
            if text.strip():
                messages.append(Message(role="system", content=text))
        if starts_itself(case):
            return messages
        if self.template is None:
            raise TemplateError("the prompt has no 'template', and the case does not begin with the user's turn")
        messages.append(Message(role="user", content=self._filled(self.template, case, "template")))
        return messages

    @staticmethod
    def _filled(template: Template, case: Case, part: str) -> str:
        # Also a name in a branch that is not taken: it may be taken for the next model, prompt or case.
        unknown = template.needed - case.variables.keys()
        if unknown:
            raise TemplateError(f"{part}: " + "; ".join(lacking(name, case) for name in sorted(unknown)))
        try:
            return template.render(case.variables)
        except TemplateError as error:
            raise TemplateError(f"{part}: {error}") from error


def starts_itself(case: Case) -> bool:
    """Whether a case begins with a user's turn of its own, in the place of a prompt's template."""
    return bool(case.turns) and case.turns[0].role == "user"


def lacking(name: str, case: Case) -> str:
    """Say that a case does not give a variable, with the name that was probably meant."""
    close = difflib.get_close_matches(name, list(case.variables), n=1, cutoff=0.6)
    return f"unknown variable {name!r}" + (f"; did you mean {close[0]!r}?" if close else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPrompt:
    """A prompt as the file has it."""

    id: str
    node: Node
    prompt: NativePrompt | None
    """``None`` when a template of it cannot be compiled, which is reported."""


def read_prompts(document: Node, tools: FormatTools) -> dict[str, FoundPrompt]:
    """Return the prompts by id."""
    node = document.get("prompts")
    if node is None:
        document.error("'prompts' is required", "list at least one prompt with 'id' and 'template'", at_key=True)
        return {}
    found: dict[str, FoundPrompt] = {}
    if not node.is_list():
        return found
    for entry in node.entries():
        prompt = _read_prompt(entry, tools)
        if prompt is None:
            continue
        if prompt.id in found:
            entry.error(f"prompt id {prompt.id!r} is used twice", f"first at {found[prompt.id].node.place}", key="id")
        else:
            found[prompt.id] = prompt
    if not node.value:
        node.error("must hold at least one prompt")
    return found


def _read_prompt(entry: Node, tools: FormatTools) -> FoundPrompt | None:
    if not entry.is_mapping() or not isinstance(entry.value, Mapping):
        return None
    entry.check_keys(PROMPT, severity="warning")
    identity = entry.text("id", required=True, allow_empty=False)
    template, system = (_compiled(entry, key, tools) for key in ("template", "system"))
    if identity is None:
        return None
    is_whole = all(
        entry.get(key) is None or part is not None for key, part in (("template", template), ("system", system))
    )
    prompt = NativePrompt(id=identity, template=template, system=system) if is_whole else None
    return FoundPrompt(id=identity, node=entry, prompt=prompt)


def _compiled(entry: Node, key: str, tools: FormatTools) -> Template | None:
    text = entry.text(key, allow_empty=key == "system")
    if text is None:
        return None
    for name in dict.fromkeys(_SINGLE_BRACE.findall(_MARKUP.sub("", text))):
        entry.warning(f"{{{name}}} in single braces is sent as it stands", f"write {{{{ {name} }}}}", key=key)
    try:
        return tools.template(text)
    except TemplateError as error:
        entry.error(str(error), key=key)
        return None
