"""The program under test: a small bot of a bicycle rental that answers by rules, without any model.

It reads a message on standard input and prints its answer, as any program could that asks a model on the way.
"""

from __future__ import annotations

import re
import sys

RULES = {
    r"\bstolen\b|\btheft\b": "I am sorry to hear that. Call the police first, then us: 555-0142.",
    r"\bflat\b|\bbroken\b": "Sorry about that! Report it in the app under Trips > Problem and take another one free.",
    r"\bcharged twice\b|\brefund\b": "Sorry about that! Open Account > Payments > Dispute, and we look into it.",
    r"\bhow much\b|\bprice\b": "Thanks for asking! A ride costs 1 euro plus 0.15 euros for each minute.",
    r"\bhelmet\b": "Thanks for asking! You find helmets at the stations Harbour and Market.",
    r"\bhuman\b|\bagent\b": "Of course. A colleague calls you back within ten minutes.",
    r"\bcard\b": "Please send no card numbers here. Change your card under Account > Payments.",
}
FALLBACK = "Thanks for your message! Could you tell me a little more?"


def answer(message: str) -> str:
    """Return the answer of the first rule whose pattern is found."""
    return next((text for pattern, text in RULES.items() if re.search(pattern, message, re.IGNORECASE)), FALLBACK)


if __name__ == "__main__":
    sys.stdout.write(answer(sys.stdin.read()))
