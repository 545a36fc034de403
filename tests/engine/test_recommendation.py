from __future__ import annotations

from steelyard._engine.insights import best_quality, best_value
from steelyard.api import ComboResult


def combo(name: str, passed: int, failed: int, *, not_run: int = 0, cost: float | None = 1.0) -> ComboResult:
    return ComboResult(
        model=name,
        prompt_id="p",
        total=passed + failed + not_run,
        passed=passed,
        failed=failed,
        errors=0,
        not_run=not_run,
        score=100 * passed / (passed + failed),
        cost_usd=cost,
    )


def test_a_combo_that_was_cut_short_is_not_called_the_best() -> None:
    half = combo("half", 4, 0, not_run=4)
    whole = combo("whole", 7, 1)
    assert best_quality([half, whole]) is whole
    assert best_value([half, whole]) is whole


def test_where_every_combo_was_cut_short_the_best_of_them_is_named() -> None:
    good = combo("good", 4, 0, not_run=4)
    poor = combo("poor", 1, 3, not_run=4)
    assert best_quality([poor, good]) is good
