"""Which of two answers a judge finds better, read from its reply, and what two replies come to.

A judge is asked twice, with the answers swapped. An answer wins only if it wins both times: many judges favour whatever
comes first, or last (Zheng et al. 2023, arXiv:2306.05685, section 3.4).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from steelyard.api import JsonValue, shown

from ._judge_reply import NoVerdictError, decision, reasoning_of, value_of

Place = Literal["first", "second", "tie"]
"""Who wins, by the order in which the answers were shown."""

WINNER_KEY = "winner"

_NUMBERED = re.compile(r"(?:answer\s*)?([12])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """A judge's decision about two answers in one order."""

    place: Place
    reasoning: str


def read_pair_verdict(reply: str, *, candidates: tuple[str, str], cut_off: bool = False) -> PairVerdict:
    """Find the judge's decision in its reply.

    Args:
        reply: What the judge wrote.
        candidates: The answers: an object quoted from them is not the judge's word.
        cut_off: Whether the token limit ended the reply, so that more was to come.

    Raises ``NoVerdictError`` when there is no decision that needs no guess.
    """
    verdict = decision(reply, WINNER_KEY, candidate="\n".join(candidates), cut_off=cut_off)
    return PairVerdict(place=_place(value_of(verdict, WINNER_KEY)), reasoning=reasoning_of(verdict))


def _place(value: JsonValue) -> Place:
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str):
        word = value.strip()
        if word.casefold() in ("tie", "draw", "equal"):
            return "tie"
        numbered = _NUMBERED.fullmatch(word)
        if numbered is not None:
            return "first" if numbered[1] == "1" else "second"
    raise NoVerdictError(f"its winner is {shown(value)}, not '1', '2' or 'tie'")


Winner = Literal["output", "other", "tie"]


@dataclass(frozen=True, slots=True)
class BothOrders:
    """What the judge says in both orders together."""

    winner: Winner
    flipped: bool
    """Whether the judge named another answer when they were swapped."""
    first_wins: int
    """How often whatever was shown first won."""
    decided: int
    """How often there was a winner; 0 to 2."""


def both_orders(forward: Place, backward: Place) -> BothOrders:
    """Bring the two orders together.

    Args:
        forward: Who won with the output first.
        backward: Who won with the other answer first.
    """
    for_output = (forward == "first", backward == "second")
    for_other = (forward == "second", backward == "first")
    winner: Winner = "output" if all(for_output) else "other" if all(for_other) else "tie"
    return BothOrders(
        winner=winner,
        flipped="tie" not in (forward, backward) and winner == "tie",
        first_wins=(forward, backward).count("first"),
        decided=2 - (forward, backward).count("tie"),
    )
