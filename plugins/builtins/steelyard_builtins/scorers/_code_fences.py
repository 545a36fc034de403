"""Which part of an answer is the program.

An answer may be code and nothing else, or prose with code in Markdown fences. Fences that name the language count;
where none does, those that name nothing count; a fence that names another language (the shell command to install
something) never does. Without any fence the whole answer is the program.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Which = Literal["all", "first", "last"]

NAMES = {
    "python": frozenset({"python", "py", "python3", "py3"}),
    "javascript": frozenset({"javascript", "js", "node", "nodejs", "mjs", "cjs", "ecmascript"}),
    "bash": frozenset({"bash", "sh", "shell", "zsh"}),
}
"""What fences call each language."""

_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^\r\n]*)")
_NAME = re.compile(r"[\w+#-]+")
_TRANSCRIPT = ">>> "
"""Begins a line that was typed at Python's prompt: such a block shows a session and is no program."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block."""

    language: str
    """What the block says that it is, in lower case; empty when it says nothing."""
    code: str


def program_in(answer: str, language: str, which: Which = "all") -> str | None:
    """Return the program of an answer; ``None`` when there are fences and none of them fits.

    Several fitting fences make one program, in their order: a function in one block and its use in the next belong
    together, and a later version of a function replaces an earlier one. ``which`` takes one of them only.
    """
    found = list(fences(answer))
    if not found:
        return answer
    named = [fence.code for fence in found if fence.language in NAMES[language] and _is_program(fence.code)]
    fitting = named or [fence.code for fence in found if not fence.language and _is_program(fence.code)]
    if not fitting:
        return None
    return {"all": "\n".join(fitting), "first": fitting[0], "last": fitting[-1]}[which]


def fences(text: str) -> Iterator[Fence]:
    """Go through the fenced blocks of a text. The last one may lack its end: an answer can be cut off."""
    opening: re.Match[str] | None = None
    lines: list[str] = []
    for line in text.replace("\r\n", "\n").split("\n"):
        if opening is None:
            opening, lines = _opening(line), []
        elif _closes(line, opening["fence"]):
            yield _fence(opening, lines)
            opening = None
        else:
            lines.append(line)
    if opening is not None:
        yield _fence(opening, lines)


def _opening(line: str) -> re.Match[str] | None:
    found = _OPENING.fullmatch(line)
    # Code between back quotes within a line (```x```) opens nothing.
    return None if found is None or (found["fence"][0] == "`" and "`" in found["info"]) else found


def _closes(line: str, fence: str) -> bool:
    bare = line.strip()
    return len(bare) >= len(fence) and set(bare) == {fence[0]}


def _fence(opening: re.Match[str], lines: list[str]) -> Fence:
    indent = opening["indent"]
    name = _NAME.search(opening["info"])
    code = "".join(f"{line.removeprefix(indent)}\n" for line in lines)
    return Fence(language=name[0].lower() if name else "", code=code)


def _is_program(code: str) -> bool:
    return bool(code.strip()) and not code.lstrip().startswith(_TRANSCRIPT)
