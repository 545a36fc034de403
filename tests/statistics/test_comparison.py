"""The comparison that is open to plugins: the same answers as ``steelyard compare`` gives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from steelyard._engine.compare import compare
from steelyard.api import CaseResult, CaseRun, ComboResult, RunRecord, Status
from steelyard.comparison import compare_combos


def combo(outcomes: str, *, model: str = "m", cluster: str | None = None) -> ComboResult:
    """A combo with a case for each letter: P passed, F failed, E could not be scored."""
    cases = []
    for number, letter in enumerate(outcomes):
        status = Status.API_ERROR if letter == "E" else Status.SCORED
        score = None if letter == "E" else float(letter == "P")
        run = CaseRun(repeat=0, status=status, passed=letter == "P", score=score)
        cases.append(
            CaseResult(
                model=model,
                prompt_id="p",
                id=f"c{number}",
                status=status,
                passed=letter == "P",
                score=score,
                runs=(run,),
                cluster=cluster,
            )
        )
    passed, failed, errors = (outcomes.count(letter) for letter in "PFE")
    return ComboResult(
        model=model,
        prompt_id="p",
        total=len(cases),
        passed=passed,
        failed=failed,
        errors=errors,
        score=100 * passed / (passed + failed) if passed + failed else None,
        cases=tuple(cases),
    )


LOST_1, WON_9 = combo("P" + "F" * 9 + "P" * 10), combo("F" + "P" * 9 + "P" * 10)


def test_two_combos_of_other_models_are_paired_by_case() -> None:
    (found,) = compare_combos([(combo("PPFFE"), combo("PFPEP", model="other"))])

    assert (found.regressed, found.improved) == (("c1",), ("c2",))
    assert (found.new_errors, found.recovered) == (("c3",), ("c4",))
    assert found.cases == 3
    # 2 of 4 before, 3 of 4 after.
    assert found.delta == pytest.approx(25.0)


def test_the_verdict_is_of_the_exact_test() -> None:
    (found,) = compare_combos([(LOST_1, WON_9)])

    # 2 (1 + 10) / 2^10, and 8 of 20 cases gained.
    assert found.p_value == found.p_adjusted == 0.021484375
    assert found.effect == pytest.approx(40.0)
    assert (found.method, found.verdict) == ("exact McNemar", "better")
    assert found.message.startswith("better (+40.0 points, 95 % interval ")
    assert found.message.endswith(", p = 0.021, n = 20)")


def test_an_interval_that_leaves_out_zero_beside_no_verdict_is_explained_by_the_test_that_decides() -> None:
    # 5 of 40 cases changed, all to one side: 2 / 2^5.
    (found,) = compare_combos([(combo("F" * 8 + "P" * 32), combo("P" * 5 + "F" * 3 + "P" * 32))])

    assert (found.verdict, found.p_value) == ("inconclusive", 0.0625)
    assert found.low is not None
    assert found.low > 0
    assert found.message.startswith("no difference that these 40 cases can show (+12.5 points, 95 % interval +")
    assert found.message.endswith(
        "but p = 0.062 by the exact test, which counts only the 5 cases that changed, n = 40)"
    )


def test_an_interval_that_holds_zero_needs_no_explanation() -> None:
    # 4 won and 1 lost: 2 (1 + 5) / 2^5.
    (found,) = compare_combos([(combo("F" * 4 + "P" * 16), combo("P" * 4 + "F" + "P" * 15))])

    assert found.low is not None
    assert found.low < 0
    assert found.message.endswith(", p = 0.375, n = 20)")


def test_clusters_that_all_gained_alike_are_what_the_exact_test_counts() -> None:
    def in_clusters(outcomes: str) -> ComboResult:
        whole = combo(outcomes)
        cases = (replace(case, cluster="abc"[number // 2]) for number, case in enumerate(whole.cases))
        return replace(whole, cases=tuple(cases))

    (found,) = compare_combos([(in_clusters("FFFFFF"), in_clusters("PPPPPP"))])

    # Three clusters, all to one side: 2 / 2^3.
    assert found.p_value == 0.25
    assert "but p = 0.250 by the exact test, which counts only the 3 clusters that changed" in found.message


def test_the_other_way_round_it_is_worse() -> None:
    (found,) = compare_combos([(WON_9, LOST_1)])

    assert (found.verdict, found.effect) == ("worse", pytest.approx(-40.0))


def test_answers_hold_for_all_pairs_together() -> None:
    equal = (combo("PF" * 10), combo("FP" * 10))

    first, *others = compare_combos([(LOST_1, WON_9), equal, equal])

    # Holm: the smallest of three p values counts three times, 3 x 0.0215 = 0.064.
    assert first.p_adjusted == pytest.approx(0.064453125)
    assert first.verdict == "inconclusive"
    assert "p = 0.064 corrected for 3 combos" in first.message
    assert [other.p_adjusted for other in others] == [1.0, 1.0]


def test_nothing_that_both_scored_is_no_difference_of_nothing() -> None:
    (found,) = compare_combos([(combo("EE"), combo("PP"))])

    assert (found.cases, found.delta, found.effect, found.p_value) == (0, None, None, None)
    assert (found.verdict, found.message) == ("inconclusive", "nothing was scored in the first run")


def test_one_cluster_shows_nothing() -> None:
    (found,) = compare_combos([(combo("PPPP", cluster="a"), combo("FFFF", cluster="a"))])

    assert (found.units, found.low, found.high, found.verdict) == (1, None, None, "inconclusive")


def test_scores_that_are_more_than_pass_and_fail_are_compared_too() -> None:
    def graded(*scores: float) -> ComboResult:
        cases = [replace(case, score=score) for case, score in zip(combo("PPPP").cases, scores, strict=True)]
        return replace(combo("PPPP"), cases=tuple(cases))

    (found,) = compare_combos([(graded(0.6, 0.7, 0.8, 0.9), graded(0.7, 0.8, 0.9, 0.9))])

    assert found.message == "no case changed (n = 4)"
    assert found.of_scores is not None
    # Three cases gained a tenth and one nothing: 7.5 points on average.
    assert found.of_scores.effect == pytest.approx(7.5)
    assert (found.of_scores.cases, found.of_scores.regressed) == (4, ())
    assert "mean score +7.5 points" in found.of_scores.message


def test_scores_of_pass_and_fail_are_not_compared_twice() -> None:
    (found,) = compare_combos([(combo("PF"), combo("FP"))])

    assert found.of_scores is None


def test_no_pair_is_no_difference() -> None:
    assert compare_combos([]) == ()


def test_it_says_what_compare_says_of_two_records() -> None:
    def record(*combos: ComboResult) -> RunRecord:
        return RunRecord(run_id="r", benchmark="b", timestamp="2026-01-01T00:00:00+00:00", results=combos)

    before = (LOST_1, combo("PF" * 10, model="n"))
    after = (WON_9, combo("FP" * 10, model="n"))
    changes = {change.model: change for change in compare(record(*before), record(*after)).combos}

    for found, model in zip(compare_combos(zip(before, after, strict=True)), ("m", "n"), strict=True):
        wanted = changes[model]
        assert (found.message, found.p_adjusted, found.low) == (wanted.message, wanted.p_adjusted, wanted.delta_low)
