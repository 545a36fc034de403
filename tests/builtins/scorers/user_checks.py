"""Functions that a user could write for the ``python`` scorer, good ones and bad ones."""

from __future__ import annotations

import asyncio
import sys


def is_short(output, context):
    return len(output) < 100


def share(output, context, of):
    return len(output) / of


def pair(output, context):
    return False, "not wanted"


def within_length(output, context, max_words=40):
    words = len(output.split())
    return {
        "pass": words <= max_words,
        "score": min(1.0, max_words / max(words, 1)),
        "reason": f"{words} words (max {max_words})",
    }


def knows_the_case(output, context):
    assert context["vars"] == {"a": [1]}
    context["vars"]["a"].append(2)  # a copy: nobody else may see this
    context["metadata"].clear()
    return output == context["expected"] and context["prompt"] == "a question" and context["id"] == "case-1"


async def later(output, context):
    await asyncio.sleep(0)
    return True


def not_a_number(output, context):
    return float("nan")


def too_much(output, context):
    return 1.5


def in_words(output, context):
    return {"pass": True, "score": "high"}


def nothing(output, context):
    return None


def leaves(output, context):
    sys.exit(0)


def fails(output, context):
    return 1 / 0


def recurses(output, context):
    return recurses(output, context)


async def fails_later(output, context):
    await asyncio.sleep(0)
    raise KeyError("x")


def misspelt(output, context):
    return {"passes": True}
