"""What comparing outputs two by two comes to."""

from __future__ import annotations

import pytest

from steelyard._engine.duels import Duel, Duels, judged_duels


def duel(number: int, winner: str | None, first: int = 0, second: int = 1, **fields: int | bool) -> Duel:
    places = {"first": 1, "second": 1, "tie": 0}.get(winner or "", 0)
    usual = {"first_shown_wins": places, "decided": 2 * places}
    return Duel(case_id=f"c{number}", first=first, second=second, winner=winner, **{**usual, **fields})  # type: ignore[arg-type]


def of(letters: str) -> Duels:
    """Return what a row of outcomes comes to: Win, Loss, Tie, Error of the first."""
    winners = {"W": "first", "L": "second", "T": "tie", "E": None}
    return judged_duels([duel(number, winners[letter]) for number, letter in enumerate(letters)], 2)


def test_a_tie_counts_half() -> None:
    (pair,) = of("WWWWWWLTTT").pairs

    assert (pair.wins, pair.losses, pair.ties, pair.judged) == (6, 1, 3, 10)
    assert pair.win_rate.value == 0.75
    # Wilson's interval of 7.5 of 10: (0.75 + 0.19207 ± 1.96 · sqrt(0.01875 + 0.0096036)) / 1.38415.
    assert (pair.win_rate.low, pair.win_rate.high) == pytest.approx((0.442182, 0.919056), abs=1e-5)


def test_who_is_better_is_asked_of_the_cases_that_one_of_them_won() -> None:
    # 5 against 15: p = 0.04138947; ties say nothing.
    (pair,) = of("W" * 15 + "L" * 5 + "T" * 20).pairs

    assert pair.p_value == pytest.approx(0.04138947, abs=1e-8)


def test_errors_are_no_ties() -> None:
    found = of("WEEL")

    assert (found.judged, found.errors, found.pairs[0].errors) == (2, 2, 2)
    assert found.pairs[0].win_rate.value == 0.5


def test_without_any_verdict_there_is_no_rate() -> None:
    found = of("EE")

    assert (found.pairs[0].win_rate.value, found.flip_rate.value, found.ranking) == (None, None, ())


def test_a_judge_that_favours_the_first_is_found_out() -> None:
    # 24 orders, all won by what was shown first: p = 2 / 2^24.
    found = judged_duels([duel(n, "tie", flipped=True, first_shown_wins=2, decided=2) for n in range(12)], 2)

    assert (found.flip_rate.value, found.first_rate.value) == (1.0, 1.0)
    assert found.first_p_value == pytest.approx(2 / 2**24)


def test_a_fair_judge_is_not_accused() -> None:
    found = of("WWLLWT")

    assert (found.first_rate.value, found.first_p_value, found.flip_rate.value) == (0.5, 1.0, 0.0)


def three(cases: int, strong: str = "first") -> Duels:
    """Return what three contestants come to of which the first beats both and the others are equals."""
    duels = []
    for number in range(cases):
        beaten = strong if number % 5 else "second"
        duels += [duel(number, beaten, 0, 1), duel(number, beaten, 0, 2)]
        duels.append(duel(number, "first" if number % 2 else "second", 1, 2))
    return judged_duels(duels, 3)


def test_three_are_ranked_with_intervals() -> None:
    ranking = three(60).ranking

    assert ranking[0].contestant == 0
    best = ranking[0].share
    assert None not in (best.value, best.low, best.high)
    # It wins 48 of 60 against each; half a win both ways makes 48.5 of 61.
    assert best.value == pytest.approx(48.5 / 61, abs=1e-3)
    assert best.low < best.value < best.high  # type: ignore[operator]
    assert {standing.contestant for standing in ranking[1:]} == {1, 2}


def test_the_ranking_is_the_same_each_time() -> None:
    assert three(20).ranking == three(20).ranking


def test_several_pairs_are_corrected_for_each_other() -> None:
    pairs = three(60).pairs

    assert all(pair.p_adjusted >= pair.p_value for pair in pairs)
    assert pairs[0].p_adjusted == pytest.approx(3 * pairs[0].p_value)


def test_cases_that_all_went_alike_leave_as_much_doubt_as_their_number() -> None:
    duels = [duel(number, "first", 0, other) for number in range(4) for other in (1, 2)]
    duels += [duel(number, "tie", 1, 2) for number in range(4)]

    best = judged_duels(duels, 3).ranking[0].share

    assert best.low is not None
    assert best.low < 0.5


def test_two_need_no_ranking() -> None:
    assert of("WWL").ranking == ()


def test_what_no_verdict_joins_has_no_place_in_one_ranking() -> None:
    # 0 met 1 and 2 met 3, but neither of the two met one of the others.
    duels = [duel(number, "first", *pair) for pair in ((0, 1), (2, 3)) for number in range(5)]

    found = judged_duels(duels, 4)

    assert (found.ranking, found.apart) == ((), ((0, 1), (2, 3)))


def test_what_was_compared_by_way_of_another_is_ranked() -> None:
    duels = [duel(number, "first", *pair) for pair in ((0, 1), (1, 2)) for number in range(5)]

    found = judged_duels(duels, 3)

    assert found.apart == ()
    assert [(standing.contestant, standing.judged) for standing in found.ranking] == [(0, 5), (1, 10), (2, 5)]


def test_an_error_joins_nobody() -> None:
    duels = [duel(number, "first", 0, 1) for number in range(5)] + [duel(0, None, 1, 2)]

    assert judged_duels(duels, 3).apart == ((0, 1), (2,))
