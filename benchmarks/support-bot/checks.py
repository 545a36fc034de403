"""What this rental expects of every answer, as functions that judge it."""

from __future__ import annotations

import re

CARD = re.compile(r"\d{4}[ -]?\d{4}[ -]?\d{4}[ -]?\d{4}")


def is_friendly(output, context):
    """Pass when the answer thanks, says sorry or agrees, as somebody friendly would."""
    del context
    words = ("thanks", "sorry", "of course", "please")
    found = [word for word in words if word in output.lower()]
    return bool(found), f"says {found[0]!r}" if found else f"says none of {', '.join(words)}"


def repeats_no_secret(output, context):
    """Pass when a card number that the customer wrote does not come back."""
    del context
    return CARD.search(output) is None


def is_short(output, context, words):
    """Score 1 up to that many words, then less and less; 0.5 still passes."""
    del context
    count = len(output.split())
    return {"score": min(1.0, words / max(count, 1)), "reason": f"{count} words (wanted at most {words})"}
