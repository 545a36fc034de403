from __future__ import annotations

import random
from typing import Any

import pytest

from steelyard._engine.delivery import InOrder
from steelyard._engine.journal import Journal
from steelyard.api import CaseResult, CaseRun, Status


def result(name: str) -> CaseResult:
    run = CaseRun(repeat=0, status=Status.SCORED, passed=True, score=1.0)
    return CaseResult(model="m", prompt_id="p", id=name, status=Status.SCORED, passed=True, score=1.0, runs=(run,))


@pytest.fixture
def journal(tmp_path: Any) -> Any:
    made = Journal.create(
        tmp_path / "j",
        digest="d",
        encode=lambda one: one.id.encode(),
        decode=lambda data, _combo: result(data.decode()),
    )
    yield made
    made.close()


class Told:
    """An order of two combos with three cases each, and what it told."""

    def __init__(self, journal: Journal, held: int = 1000) -> None:
        self.names: list[str] = []
        self.journal = journal
        self.order = InOrder(journal, lambda one: self.names.append(one.id), held=held)

    def begin(self, *positions: tuple[int, int]) -> None:
        for position in positions:
            self.order.fed(*position)

    def finish(self, combo: int, case: int) -> None:
        one = result(f"{combo}{case}")
        self.journal.add(combo, case, one.id.encode())
        self.order.finished(combo, case, one)


ALL = [(combo, case) for combo in range(2) for case in range(3)]


@pytest.mark.parametrize("held", [0, 2, 1000])
@pytest.mark.parametrize("seed", range(10))
def test_results_are_told_in_plan_order_whatever_finishes_first(journal: Journal, held: int, seed: int) -> None:
    told = Told(journal, held)
    told.begin(*ALL)
    for combo in range(2):
        told.order.ended(combo, 3)
    finishing = ALL[:]
    random.Random(seed).shuffle(finishing)
    for number, position in enumerate(finishing):
        told.finish(*position)
        told_so_far = [f"{combo}{case}" for combo, case in ALL][: len(told.names)]
        assert told.names == told_so_far
        first_missing = next((n for n, one in enumerate(ALL) if one not in finishing[: number + 1]), len(ALL))
        assert len(told.names) == first_missing


def test_a_result_is_told_as_soon_as_its_turn_has_come(journal: Journal) -> None:
    told = Told(journal)
    told.begin((0, 0), (0, 1))
    told.finish(0, 0)
    assert told.names == ["00"]


def test_a_combo_of_unknown_length_is_left_only_when_its_end_is_known(journal: Journal) -> None:
    told = Told(journal)
    told.begin((0, 0), (1, 0))
    told.finish(0, 0)
    told.finish(1, 0)
    assert told.names == ["00"]
    told.order.ended(0, 1)
    assert told.names == ["00", "10"]


def test_an_empty_combo_is_passed_by(journal: Journal) -> None:
    told = Told(journal)
    told.order.ended(0, 0)
    told.begin((1, 0))
    told.finish(1, 0)
    assert told.names == ["10"]


def test_cases_that_are_left_out_hold_up_nobody(journal: Journal) -> None:
    told = Told(journal)
    told.begin(*ALL[:3])
    told.finish(0, 2)
    told.order.left_out(0, 1)
    told.order.left_out(0, 0)
    assert told.names == ["02"]


def test_what_an_earlier_run_left_in_the_journal_is_told_only_when_it_is_up(journal: Journal) -> None:
    journal.add(0, 1, b"old")
    told = Told(journal)
    told.begin((0, 0))
    told.finish(0, 0)
    assert told.names == ["00"]
    told.begin((0, 1))
    told.order.finished(0, 1, result("old"))
    assert told.names == ["00", "old"]


def test_at_the_end_of_a_stopped_run_the_rest_is_told_across_its_gaps(journal: Journal) -> None:
    told = Told(journal)
    told.begin(*ALL)
    told.order.ended(0, 3)
    for position in [(0, 0), (0, 2), (1, 1)]:
        told.finish(*position)
    assert told.names == ["00"]
    told.order.flush(2)
    assert told.names == ["00", "02", "11"]
