"""The scorers that a case uses: entries of a ``scorers`` list, and the short form ``evaluation: NAME``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from steelyard.api import JsonMapping, Node, ScorerUse

from .judging import Judging
from .keys import SCORER, is_private


def read_scorers(node: Node, judging: Judging) -> tuple[ScorerUse, ...]:
    """Return the scorers of a list, without the entries that are wrong."""
    if not node.is_list():
        return ()
    uses = (_read_scorer(entry, judging) for entry in node.entries())
    return tuple(use for use in uses if use is not None)


def label_of(uses: Iterable[ScorerUse]) -> str:
    """Return how a case is judged, in short: ``contains + llm_judge``."""
    return " + ".join(use.name or use.type for use in uses)


def _read_scorer(entry: Node, judging: Judging) -> ScorerUse | None:
    if isinstance(entry.value, str):
        if entry.value.strip():
            return ScorerUse(type=entry.value, options=judging.options_of(entry.value), place=entry.place)
        entry.error("must not be empty")
        return None
    if not isinstance(entry.value, Mapping):
        entry.error("must be a scorer's name or a mapping with 'type'")
        return None
    scorer = entry.text("type", required=True, allow_empty=False)
    weight = entry.number("weight", above=0)
    use = ScorerUse(
        type=scorer or "",
        options=_options(entry.value, judging, scorer or ""),
        name=entry.text("name", allow_empty=False) or "",
        weight=1.0 if weight is None else weight,
        negate=bool(entry.flag("negate", default=False)),
        threshold=entry.number("threshold", minimum=0, maximum=1),
        turn=entry.whole("turn", minimum=0),
        place=entry.place,
    )
    return use if scorer else None


def _options(value: JsonMapping, judging: Judging, scorer: str) -> JsonMapping:
    own = {key: option for key, option in value.items() if key not in SCORER and not is_private(key)}
    return over_block(judging.options_of(scorer), own, decided="threshold" in value)


def over_block(block: JsonMapping, own: JsonMapping, *, decided: bool = False) -> JsonMapping:
    """Return the options of the ``evaluation`` block with a use's own on top.

    A use that says itself from where on it passes (``decided`` when that is not among its options) is not to be held
    to the block's threshold as well.
    """
    decided = decided or "min_score" in own
    return {**{key: option for key, option in block.items() if not (decided and key == "threshold")}, **own}
