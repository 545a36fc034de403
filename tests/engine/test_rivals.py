"""How sure the best combo is of its place."""

from __future__ import annotations

import pytest

from steelyard._engine.evidence import Differences, Evidence
from steelyard._engine.insights import insights
from steelyard._engine.outcomes import Outcomes
from steelyard._engine.rivals import runner_up
from steelyard.api import CaseResult, CaseRun, ComboResult, RunnerUp, Status, Verdict


def case(letter: str, model: str = "m", cluster: str | None = None) -> CaseResult:
    runs = tuple(
        CaseRun(
            repeat=number,
            status=Status.API_ERROR if one == "E" else Status.SCORED,
            passed=one == "P",
            score=None if one == "E" else float(one == "P"),
        )
        for number, one in enumerate(letter)
    )
    passed = set(letter) == {"P"}
    status = Status.API_ERROR if set(letter) == {"E"} else Status.SCORED
    score = None if status is Status.API_ERROR else float(passed)
    return CaseResult(
        model=model, prompt_id="v1", id="c", status=status, passed=passed, score=score, runs=runs, cluster=cluster
    )


def combo(model: str, letters: str, cost: float = 1.0) -> ComboResult:
    passed, failed = letters.count("P"), letters.count("F")
    score = 100 * passed / (passed + failed) if passed + failed else None
    return ComboResult(
        model=model,
        prompt_id="v1",
        total=len(letters),
        passed=passed,
        failed=failed,
        errors=letters.count("E"),
        score=score,
        cost_usd=cost,
    )


def found(*runs: str) -> RunnerUp | None:
    """Return the runner-up of combos with these outcomes, which are called a, b, c."""
    outcomes = Outcomes(len(runs), repeated=False)
    for number, letters in enumerate(runs):
        for index, letter in enumerate(letters):
            outcomes.add(number, index, case(letter))
    combos = [combo("abc"[number], letters) for number, letters in enumerate(runs)]
    return insights(combos, Verdict(passed=True, message=""), paired=outcomes.differences).runner_up


def test_a_lead_that_is_chance_is_said_with_what_it_would_take() -> None:
    # b gains 6 and loses 3 of 60 against a: p = 2 · (1 + 9 + 36 + 84) / 512 = 0.507813.
    second = found("P" * 43 + "F" * 17, "F" * 3 + "P" * 40 + "P" * 6 + "F" * 11)

    assert second is not None
    assert (second.model, second.cases, second.lead) == ("a", 60, pytest.approx(5.0))
    assert second.p_value == pytest.approx(0.5078125)
    # Variance (9 - 60 · 0.0025) / 59 = 0.15; 7.848880 · 0.15 / 0.0025 = 470.93, so 411 more, said as 420.
    assert (second.told_apart, second.more_cases) == (False, 420)
    assert second.message.startswith(
        "b / v1 cannot be told apart from a / v1 on these 60 cases (difference +5.0 points, 95 % interval "
    )
    assert second.message.endswith("about 420 more cases would probably settle a difference of this size")


def test_a_lead_that_is_real_is_said_with_its_figures() -> None:
    # 10 lost and 30 won of 40: half of them more, exact p 0.002221434.
    second = found("P" * 10 + "F" * 30, "F" * 10 + "P" * 30)

    assert second is not None
    assert (second.told_apart, second.more_cases) == (True, None)
    assert second.p_value == pytest.approx(0.002221434)
    assert second.message.startswith(
        "b / v1 is really better than a / v1, the next best, on these 40 cases (difference +50.0 points, 95 % interval "
    )
    assert second.message.endswith(", p = 0.002)")


def test_a_best_score_that_other_cases_made_is_not_called_better() -> None:
    # On the 8 cases of both, b passes 6 more: 2 / 2⁶. The other 92 of a lift its score above b's.
    told = runner_up(combo("a", "P" * 94 + "F" * 6), combo("b", "PPPPPPFF"), table(won=0, lost=6, both=2))

    assert told is not None
    assert told.p_value == 0.03125
    assert told.message.startswith(
        "a / v1 has the higher score, but b / v1 is really better on these 8 cases that both were scored on "
        "(difference -75.0 points, "
    )


def table(*, won: int, lost: int, both: int) -> Evidence:
    found = Differences()
    for before, after, count in ((0, 1, won), (1, 0, lost), (1, 1, both)):
        for _ in range(count):
            found.add(before, after)
    return found.evidence()


def test_a_lead_whose_interval_leaves_out_zero_is_no_contradiction_to_the_test() -> None:
    # 5 of 40 cases changed, all to one side: 2 / 2⁵. Six are the fewest that count, at one case in eight 48: 8 more.
    second = found("F" * 8 + "P" * 32, "P" * 5 + "F" * 3 + "P" * 32)

    assert second is not None
    assert (second.told_apart, second.p_value) == (False, 0.0625)
    assert second.lead_low is not None
    assert second.lead_low > 0
    assert ", but p = 0.062 by the exact test, which counts only the 5 cases that changed); about" in second.message


def test_a_lead_that_a_bootstrap_does_not_confirm_says_so_beside_its_interval() -> None:
    doubted = Evidence(cases=9, effect=0.2, low=0.01, high=0.39, p_value=0.04, bootstrap=(-0.01, 0.3), variance=0.06)
    best, other = combo("a", "PPP"), combo("b", "PPF")

    told = runner_up(best, other, doubted)

    assert told is not None
    assert "(difference +20.0 points, 95 % interval +1.0 to +39.0, which a bootstrap does not confirm)" in told.message


def test_equals_are_told_what_would_not_show() -> None:
    second = found("PPFFPPFFPP", "FFPPPPFFPP")

    assert second is not None
    assert (second.lead, second.more_cases) == (0.0, None)
    # Variance 4 / 9; 2.801585 · sqrt(4 / 90) is 59.06 points.
    assert second.message == (
        "a / v1 cannot be told apart from b / v1 on these 10 cases: they passed equally often, "
        "and a difference of less than 59 points would not show"
    )


def test_two_cases_of_two_are_not_settled_by_so_few() -> None:
    # 2 of 2 won: without spread the formula asks for nothing; the exact test needs six changed cases.
    second = found("FF", "PP")

    assert second is not None
    assert (second.told_apart, second.more_cases) == (False, 4)


def test_the_runner_up_is_the_best_of_the_others() -> None:
    second = found("PFFF", "PPPP", "PPFF")

    assert second is not None
    assert (second.model, second.score) == ("c", 50.0)


def test_cases_that_one_of_them_could_not_be_scored_on_are_left_out() -> None:
    second = found("PPPE", "EPPF")

    assert second is not None
    assert second.cases == 2


@pytest.mark.parametrize("runs", [("PPF",), ("PP", "EE"), ("PE", "EP")])
def test_without_a_rival_on_the_same_cases_there_is_none(runs: tuple[str, ...]) -> None:
    assert found(*runs) is None


def test_repeats_and_clusters_of_the_cases_are_kept() -> None:
    outcomes = Outcomes(2, repeated=True)
    for number in range(12):
        outcomes.add(0, number, case("PFF", cluster=f"t{number % 3}"))
        outcomes.add(1, number, case("PPF", cluster=f"t{number % 3}"))

    evidence = outcomes.differences(0, 1).evidence()

    assert (evidence.cases, evidence.units, evidence.effect) == (12, 3, pytest.approx(1 / 3))
    # Three clusters that gained alike: the sign test says 2 / 2³.
    assert evidence.p_value == 0.25


def test_nothing_side_by_side_says_nothing() -> None:
    combos = [combo("a", "P"), combo("b", "F")]

    assert insights(combos, Verdict(passed=True, message="")).runner_up is None
    assert insights(combos, Verdict(passed=True, message=""), paired=lambda _a, _b: Differences()).runner_up is None
