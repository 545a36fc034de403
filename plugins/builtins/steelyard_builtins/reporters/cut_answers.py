"""How many answers the token limit ended. They are judged as they are, but whoever reads the score has to know."""

from __future__ import annotations

from steelyard.api import RunRecord


def cut_answers(record: RunRecord) -> str:
    """Return the closing warning about answers that were cut off; empty when none was."""
    count = sum(combo.truncated for combo in record.results)
    if not count:
        return ""
    return (
        f"{count} answer(s) were cut off by the token limit and judged as they are; raise max_tokens to see them whole."
    )
