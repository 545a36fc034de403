from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from steelyard._engine.filters import Filtered
from steelyard.api import Case

CASES = (
    Case(id="Billing_1", tags=("easy", "billing")),
    Case(id="order_1", tags=("easy",)),
    Case(id="billing_2", tags=("hard", "billing")),
    Case(id="order_2"),
)


@pytest.mark.parametrize(
    ("filters", "wanted"),
    [
        ({}, "Billing_1 order_1 billing_2 order_2"),
        ({"tags": {"easy"}}, "Billing_1 order_1"),
        ({"tags": {"easy", "hard"}}, "Billing_1 order_1 billing_2"),
        ({"tags": {"none"}}, ""),
        ({"text": "billing"}, "Billing_1 billing_2"),
        ({"ids": {"order_2", "order_1"}}, "order_1 order_2"),
        ({"ids": {"order"}}, ""),
        ({"limit": 2}, "Billing_1 order_1"),
        ({"text": "billing", "limit": 1}, "Billing_1"),
        ({"text": "order", "tags": {"easy"}}, "order_1"),
        ({"tags": {"hard"}, "limit": 5}, "billing_2"),
    ],
)
def test_only_cases_that_pass_every_filter_are_run(filters: dict[str, Any], wanted: str) -> None:
    assert [case.id for case in Filtered(source=CASES, **filters)] == wanted.split()


def test_a_filtered_source_can_be_gone_through_again() -> None:
    source = Filtered(source=CASES, limit=1)
    assert [case.id for case in source] == [case.id for case in source] == ["Billing_1"]


def test_no_more_rows_are_read_than_the_limit_needs() -> None:
    read: list[int] = []

    class Rows:
        def __iter__(self) -> Iterator[Case]:
            for number in range(1_000_000):
                read.append(number)
                yield Case(id=str(number))

    assert len(list(Filtered(source=Rows(), limit=3))) == 3
    assert len(read) == 3
