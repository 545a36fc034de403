"""Lists of ``{"use_case", "percent", "order"}``: reading them, and how much of one is in another."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from steelyard.api import JsonValue, finite, is_sequence, shown

from ._caseless import caseless


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list."""

    label: str
    """What labels are compared by: trimmed, without case."""
    percent: Decimal | None
    """``None`` when it is no number."""
    order: JsonValue


def read_items(value: JsonValue) -> list[Item]:
    """Return the entries of a model's list. Raises ``ValueError`` when it is no list of mappings with a label."""
    if not is_sequence(value):
        raise ValueError(f"got {shown(value)}")
    items = []
    for entry in value:
        label = _label(entry.get("use_case")) if isinstance(entry, Mapping) else None
        if not isinstance(entry, Mapping) or label is None:
            raise ValueError(f"it holds {shown(entry)}")
        items.append(Item(label, _decimal(entry.get("percent")), entry.get("order")))
    return items


def wrong_in_expected(expected: JsonValue) -> Iterator[tuple[str, str]]:
    """Go through what is wrong with an expected list: where (``[2].percent``, empty for the list), and what."""
    if not is_sequence(expected) or not expected:
        yield "", f"must be a list of mappings with use_case, percent and order, got {shown(expected)}"
        return
    for index, entry in enumerate(expected):
        if not isinstance(entry, Mapping):
            yield f"[{index}]", f"must be a mapping with use_case, percent and order, got {shown(entry)}"
            continue
        if _label(entry.get("use_case")) is None:
            yield f"[{index}].use_case", f"must be a label, got {shown(entry.get('use_case'))}"
        if _decimal(entry.get("percent")) is None:
            yield f"[{index}].percent", f"must be a number, got {shown(entry.get('percent'))}"
        if entry.get("order") is None:
            yield f"[{index}].order", "is required"


def f1(expected: Sequence[Item], found: Sequence[Item]) -> float:
    """Return the F1 score of the labels, each counted as often as it stands there."""
    matched = (Counter(item.label for item in expected) & Counter(item.label for item in found)).total()
    # 2pr/(p+r) with p = matched/found and r = matched/expected comes to this.
    return 2 * matched / (len(expected) + len(found)) if expected or found else 0.0


def share_matching(expected: Sequence[Item], found: Sequence[Item], match: Callable[[Item, Item], bool]) -> float:
    """Return the share of expected entries whose counterpart, the entry with the same label, matches."""
    by_label: dict[str, deque[Item]] = defaultdict(deque)
    for item in found:
        by_label[item.label].append(item)
    pairs = [(item, by_label[item.label].popleft()) for item in expected if by_label[item.label]]
    return sum(match(*pair) for pair in pairs) / len(expected)


def percent_within(tolerance: float) -> Callable[[Item, Item], bool]:
    """Return whether two percents are at most ``tolerance`` apart, in decimal: 0.9 is within 0.2 of 0.7."""
    limit = Decimal(repr(tolerance))

    def match(first: Item, second: Item) -> bool:
        if first.percent is None or second.percent is None:
            return False
        return (first.percent - second.percent).copy_abs() <= limit

    return match


def same_order(first: Item, second: Item) -> bool:
    """Whether two entries stand in the same place; true is not 1."""
    return isinstance(first.order, bool) == isinstance(second.order, bool) and first.order == second.order


def _label(value: JsonValue) -> str | None:
    if isinstance(value, str):
        return caseless(value.strip()) or None
    if isinstance(value, bool):
        return shown(value)
    if finite(value) is None:
        return None
    # 3 and 3.0 are one label, as they are one number.
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _decimal(value: JsonValue) -> Decimal | None:
    number = finite(value)
    return None if number is None else Decimal(repr(number))
