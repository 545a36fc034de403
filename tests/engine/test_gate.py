from __future__ import annotations

from dataclasses import replace

import pytest

from steelyard._engine.gate import decide, percent_text
from steelyard.api import ComboResult, Gate


def combo(
    passed: int, total: int, errors: int = 0, *, model: str = "m", prompt: str = "v1", not_run: int = 0
) -> ComboResult:
    failed = total - passed - errors - not_run
    return ComboResult(
        model=model, prompt_id=prompt, total=total, passed=passed, failed=failed, errors=errors, not_run=not_run
    )


def message(gate: Gate, *combos: ComboResult) -> str:
    return decide(gate, combos).verdict.message


@pytest.mark.parametrize(
    ("passed", "total", "threshold", "passes"),
    [
        (8496, 10000, 85, False),
        (57, 100, 57, True),  # 57 / 100 * 100 is 56.99999999999999 in floating point
        (29, 50, 58, True),  # 29 / 50 * 100 is 57.99999999999999
        (1999, 2000, 100, False),
        (17, 20, 85, True),
        (849, 1000, 84.9, True),
        (8489, 10000, 84.9, False),
        (1, 3, 33.333333333333336, False),
        (0, 10, 0, True),
    ],
)
def test_the_gate_compares_exactly(passed: int, total: int, threshold: float, passes: bool) -> None:
    assert decide(Gate(quality_threshold=threshold), [combo(passed, total)]).verdict.passed is passes


def test_what_is_printed_never_contradicts_the_verdict() -> None:
    assert message(Gate(quality_threshold=85), combo(8496, 10000)) == (
        "FAIL: best score 84.96% is below quality_threshold (85)."
    )
    assert message(Gate(quality_threshold=100), combo(1999, 2000)) == (
        "FAIL: best score 99.95% is below quality_threshold (100)."
    )
    assert "99.999%" in message(Gate(quality_threshold=100), combo(99_999, 100_000))


def test_a_rate_is_printed_with_one_decimal_where_that_says_enough() -> None:
    assert percent_text(43, 49) == "87.8%"
    assert percent_text(1, 1) == "100.0%"
    assert percent_text(0, 5) == "0.0%"
    assert percent_text(1, 100_000) == "0.001%"
    assert percent_text(84, 100, 85) == "84.0%"
    # 84.96333…
    assert percent_text(25_489, 30_000, 85) == "84.96%"


def test_passing_says_which_threshold_was_met() -> None:
    assert message(Gate(quality_threshold=85.0), combo(48, 50)) == "PASS: best score meets quality_threshold (85)."


def test_one_good_combo_is_enough() -> None:
    assert decide(Gate(quality_threshold=85), [combo(1, 10), combo(9, 10, prompt="v2")]).verdict.passed


def test_every_combo_has_to_be_good_when_asked_for() -> None:
    gate = Gate(quality_threshold=85, every=True)
    assert message(gate, combo(9, 10), combo(8, 10, prompt="v2"), combo(1, 10, model="n")) == (
        "FAIL: n / v1 score 10.0% is below quality_threshold (85)."
    )
    assert message(gate, combo(9, 10), combo(10, 10, prompt="v2")) == "PASS: every score meets quality_threshold (85)."


def test_the_gate_can_look_at_one_combo_alone() -> None:
    gate = Gate(quality_threshold=80, model="openai/gpt-4o-mini", prompt="v2")
    combos = [combo(1, 10, model="openai/gpt-4o-mini"), combo(9, 10, model="openai/gpt-4o-mini", prompt="v2")]
    assert message(gate, *combos) == "PASS: openai/gpt-4o-mini / v2 score meets quality_threshold (80)."
    assert message(Gate(quality_threshold=80, prompt="v1"), *combos) == (
        "FAIL: v1 score 10.0% is below quality_threshold (80)."
    )


def test_a_gate_whose_combo_was_filtered_away_is_dropped_with_a_note() -> None:
    decision = decide(Gate(quality_threshold=80, model="gone", prompt="v2"), [combo(0, 10)])
    assert decision.verdict.passed
    assert decision.verdict.message == ""
    assert decision.note is not None
    assert "gone / v2" in decision.note


def test_cases_that_could_not_be_scored_count_as_failures() -> None:
    verdict = decide(Gate(quality_threshold=90), [combo(1, 10, errors=9)]).verdict
    assert not verdict.passed
    assert verdict.message == (
        "FAIL: best score 10.0% is below quality_threshold (90); "
        "9 of 10 case(s) could not be scored and count as failed."
    )


def test_one_timeout_in_a_strong_run_still_passes() -> None:
    assert decide(Gate(quality_threshold=85), [combo(49, 50, errors=1)]).verdict.passed


def test_cases_that_were_not_run_count_as_failures() -> None:
    assert not decide(Gate(quality_threshold=85), [combo(50, 100, not_run=50)]).verdict.passed


@pytest.mark.parametrize("gate", [Gate(), Gate(quality_threshold=0), Gate(quality_threshold=50, model="gone")])
def test_a_run_in_which_nothing_could_be_scored_fails_whatever_the_gate(gate: Gate) -> None:
    verdict = decide(gate, [combo(0, 10, errors=10)]).verdict
    assert not verdict.passed
    assert verdict.message == "FAIL: nothing could be scored."


def test_a_run_of_nothing_fails() -> None:
    assert not decide(Gate(), []).verdict.passed


def test_without_a_threshold_a_scored_run_passes_in_silence() -> None:
    verdict = decide(Gate(), [combo(0, 10)]).verdict
    assert verdict.passed
    assert verdict.message == ""


def test_with_a_confidence_the_lower_bound_has_to_reach_the_threshold() -> None:
    # 87 of 100: the 95 % Wilson interval begins at 79.02 % (statsmodels and the closed formula agree).
    assert decide(Gate(quality_threshold=79, confidence=0.95), [combo(87, 100)]).verdict.passed
    failing = decide(Gate(quality_threshold=80, confidence=0.95), [combo(87, 100)]).verdict
    assert not failing.passed
    assert "95%" in failing.message
    assert "79.0%" in failing.message


def test_with_clusters_the_lower_bound_is_that_of_as_many_effective_cases() -> None:
    gate = Gate(quality_threshold=70, confidence=0.95)
    alone = combo(80, 100)
    clustered = replace(alone, clusters=10, effective_cases=20.0)

    # Wilson of 80 / 100 is 71.1; of 0.8 in 20 with t = 2.262157 for 10 clusters it is 54.8.
    assert decide(gate, [alone]).verdict.passed
    assert message(gate, clustered).endswith("the lower bound is 54.8% (n = 100 in 10 clusters).")


def test_a_lower_bound_that_misses_is_never_rounded_to_the_threshold() -> None:
    # Wilson of 19 of 20 begins at 76.39 %.
    gate = Gate(quality_threshold=76.4, confidence=0.95)

    assert message(gate, combo(19, 20)).endswith("the lower bound is 76.39% (n = 20).")


def test_one_cluster_has_no_lower_bound_to_rely_on() -> None:
    gate = Gate(quality_threshold=10, confidence=0.95)

    assert not decide(gate, [replace(combo(10, 10), clusters=1)]).verdict.passed
    assert message(gate, replace(combo(10, 10), clusters=1)) == (
        "FAIL: best score 100.0% does not meet quality_threshold (10) with 95% confidence: "
        "one cluster cannot show how another would do (n = 10 in 1 cluster)."
    )
