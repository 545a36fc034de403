"""Where a model's thinking ends and what it says begins, for models that think aloud in their answer.

What stands before the closing tag is scratch work, also where a chat template has eaten the opening tag. Thinking that
is never closed means that the token limit ended it: then the model has said nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

# <think>, <think effort="high">, <seed:think>, [THINK], ◁think▷, <scratchpad>; also as a page would show them.
_NAMES = r"think|thinking|thought|thoughts|reasoning|reflection|analysis|scratchpad|deliberation"
_TAG = rf"(?:\w+:)?(?:{_NAMES})(?:\s[^<>\[\]\n]{{0,200}})?(?:[>\]▷]|&gt;)"
_OPENS, _CLOSES = r"(?:[<\[◁]|&lt;)", r"(?:[<\[◁]|&lt;)/"
# The channels of the harmony format, and the special tokens of other families, where a server leaves them in.
_STARTS = re.compile(
    rf"^\s*(?:{_OPENS}{_TAG}|<\|begin_of_thought\|>|(?:<\|start\|>assistant)?<\|channel\|>(?:analysis|commentary)\b)",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS = re.compile(rf"{_CLOSES}{_TAG}|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>", re.IGNORECASE)

Span = tuple[int, int]
"""Where something starts, and the position after it."""


class StillThinkingError(ValueError):
    """The text ends before the thinking does."""


def end_of_thinking(text: str, inside: Sequence[Span] = ()) -> int:
    """Return where the answer proper starts: after the last closing tag, or at 0 when there is none.

    Args:
        text: What the model wrote.
        inside: Parts of it, from left to right, whose tags are meant literally, such as the strings of a JSON answer.

    Raises ``StillThinkingError`` when a block of thinking is open at the end.
    """
    end = max(_outside(_ENDS, text, inside), default=0)
    # One that begins behind all the ends: on a line of its own, or where the one before ended.
    if _STARTS.match(text[end:]) or max(_outside(_STARTS, text, inside), default=0) > end:
        raise StillThinkingError("it ends while the model is still thinking")
    return end


def after_thinking(text: str) -> str:
    """Return the answer proper; nothing when the text ends before the thinking does."""
    try:
        return text[end_of_thinking(text) :]
    except StillThinkingError:
        return ""


def _outside(pattern: re.Pattern[str], text: str, inside: Sequence[Span]) -> list[int]:
    """Return where tags end that stand in none of these parts, which follow each other."""
    starts = [start for start, _stop in inside]
    ends = [tag.end() for tag in pattern.finditer(text)]
    return [end for end in ends if not (before := bisect_left(starts, end)) or inside[before - 1][1] < end]
