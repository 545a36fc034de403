"""How figures are written, and where on a chart they stand."""

from __future__ import annotations

import threading

import pytest
from steelyard_dashboard import figures
from steelyard_dashboard.addresses import Here, address, case_address, run_address
from steelyard_dashboard.charts.lines import sparkline
from steelyard_dashboard.charts.scale import Scale, round_top
from steelyard_dashboard.charts.ticks import money_ticks, percent_ticks, time_ticks
from steelyard_dashboard.results.bounded import Bounded


@pytest.mark.parametrize(
    ("score", "written"),
    [
        (None, "–"),
        (0.0, "0.0%"),
        (0.01, "0.1%"),
        (87.5, "87.5%"),
        (99.96, "99.9%"),
        (100.0, "100.0%"),
        (float("nan"), "–"),
        (1e300, "1e+300%"),
        (10**400, "–"),
    ],
)
def test_rounding_never_makes_a_score_all_or_nothing(score, written):
    assert figures.percent(score) == written


@pytest.mark.parametrize(
    ("usd", "written"),
    [
        (None, "–"),
        (0.0, "$0"),
        (0.0000001, "<$0.000001"),
        (0.000437, "$0.000437"),
        (0.0356, "$0.0356"),
        (0.75, "$0.750"),
        (2.5, "$2.50"),
        (12345.678, "$12,345.68"),
        (float("inf"), "–"),
    ],
)
def test_money_has_as_many_digits_as_tell_something(usd, written):
    assert figures.money(usd) == written


@pytest.mark.parametrize(
    ("ms", "written"),
    [
        (None, "–"),
        (0.0, "0 ms"),
        (0.00001, "<0.001 ms"),
        (0.25, "0.25 ms"),
        (3.14, "3.1 ms"),
        (412.5, "412 ms"),
        (999.6, "1.0 s"),
        (59_999.0, "60.0 s"),
        (125_000.0, "2 min 5 s"),
    ],
)
def test_a_latency_is_written_in_the_unit_that_suits_it(ms, written):
    assert figures.milliseconds(ms) == written


@pytest.mark.parametrize(
    ("seconds", "written"),
    [(None, "–"), (-5.0, "0 s"), (15.0, "15 s"), (125.0, "2 min 5 s"), (3840.0, "1 h 4 min"), (180_000.0, "2 d 2 h")],
)
def test_a_length_of_time_is_written_in_two_units(seconds, written):
    assert figures.duration(seconds) == written


@pytest.mark.parametrize(
    ("value", "written"), [(None, "–"), (0, "0"), (999, "999"), (1234567, "1\u2009234\u2009567"), (10**20, "countless")]
)
def test_a_count_has_its_thousands_set_apart(value, written):
    assert figures.count(value) == written


@pytest.mark.parametrize(
    ("delta", "written"), [(None, "–"), (0.0, "±0.0"), (-0.04, "±0.0"), (8.64, "+8.6"), (-19.0, "−19.0")]
)
def test_a_difference_bears_its_sign(delta, written):
    assert figures.points(delta) == written


@pytest.mark.parametrize(
    ("timestamp", "written"),
    [
        ("2026-06-10T14:32:05+02:00", "2026-06-10 14:32"),
        ("2026-06-10T14:32:05", "2026-06-10 14:32"),
        ("yesterday", "yesterday"),
        ("", "–"),
        ("x" * 100, "x" * 39 + "…"),
    ],
)
def test_a_time_is_told_in_the_zone_that_it_names(timestamp, written):
    assert figures.moment(timestamp) == written


def test_a_value_that_is_nested_too_deeply_is_no_fault():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]

    assert figures.value(deep) == "a value that is nested too deeply to be shown"


@pytest.mark.parametrize(
    ("values", "top", "ticks"),
    [
        ([], 1.0, (0.0, 1.0)),
        ([0.0], 1.0, (0.0, 1.0)),
        ([4.0], 4.0, (0.0, 1.0, 2.0, 3.0, 4.0)),
        ([0.3], 0.3, (0.0, 0.1, 0.2, 0.3)),
        ([90.0], 100.0, (0.0, 25.0, 50.0, 75.0, 100.0)),
        ([1.1], 1.5, (0.0, 0.5, 1.0, 1.5)),
    ],
)
def test_an_axis_ends_with_a_round_number_that_holds_every_value(values, top, ticks):
    found = round_top(values)

    assert found[0] == pytest.approx(top)
    assert found[1] == pytest.approx(ticks)


@pytest.mark.parametrize("highest", [1e-12, 3.7e-6, 0.999, 1.0, 7.3, 99.99, 123456.0, 9.9e11])
def test_an_axis_of_any_size_has_three_to_six_labels(highest):
    top, ticks = round_top([highest])

    assert top >= highest * (1 - 1e-9)
    assert top <= highest * 2
    assert 3 <= len(ticks) <= 6


@pytest.mark.parametrize("highest", [5e-324, 1e-300])
def test_a_value_that_cannot_be_divided_has_an_axis_too(highest):
    assert len(round_top([highest])[1]) >= 2


@pytest.mark.parametrize(
    ("highest", "written"),
    [
        (0.0003, ["0 ms", "0.0001 ms", "0.0002 ms", "0.0003 ms"]),
        (0.3, ["0 ms", "0.1 ms", "0.2 ms", "0.3 ms"]),
        (7.0, ["0 ms", "2 ms", "4 ms", "6 ms", "8 ms"]),
        (900.0, ["0 s", "0.25 s", "0.50 s", "0.75 s", "1.00 s"]),
        (1500.0, ["0 s", "0.5 s", "1.0 s", "1.5 s"]),
        (5e6, ["0 s", "2,000 s", "4,000 s", "6,000 s"]),
    ],
)
def test_an_axis_of_latencies_is_labelled_in_one_unit(highest, written):
    assert time_ticks(round_top([highest])[1]) == written


@pytest.mark.parametrize(
    ("highest", "written"),
    [
        (0.0000009, ["$0", "$2.5e-07", "$5e-07", "$7.5e-07", "$1e-06"]),
        (0.3, ["$0", "$0.10", "$0.20", "$0.30"]),
        (12.0, ["$0", "$5", "$10", "$15"]),
        (1234.0, ["$0", "$500", "$1,000", "$1,500"]),
    ],
)
def test_an_axis_of_costs_is_labelled_alike(highest, written):
    assert money_ticks(round_top([highest])[1]) == written


@pytest.mark.parametrize("labels", [time_ticks, money_ticks, percent_ticks])
@pytest.mark.parametrize("highest", [5e-324, 1e-12, 3.7e-6, 0.004, 0.999, 1.0, 7.3, 99.99, 123456.0, 9.9e11])
def test_no_two_labels_of_an_axis_are_the_same(labels, highest):
    written = labels(round_top([highest])[1])

    assert len(set(written)) == len(written)


@pytest.mark.parametrize(
    ("part", "whole", "share"), [(1, 4, 25.0), (0, 3, 0.0), (1, 0, None), (10**400, 1, None), (10**400, 10**400, 100.0)]
)
def test_a_share_of_any_counts_is_a_number_or_unknown(part, whole, share):
    assert figures.share_of(part, whole) == share


def test_a_scale_keeps_to_its_ends():
    scale = Scale(10.0, 100.0, 0.0)

    assert [scale.at(value) for value in (-5.0, 0.0, 5.0, 10.0, 50.0)] == [100.0, 100.0, 50.0, 0.0, 0.0]


def test_a_small_line_passes_over_what_is_unknown():
    assert sparkline([0.0, None, 100.0]) == "M2.0 20.0L94.0 2.0"
    assert sparkline([50.0]) == ""
    assert sparkline([None, None]) == ""


def test_an_address_holds_any_id_and_any_choice():
    assert run_address("a/../b?c#d%") == "/runs/a%2F..%2Fb%3Fc%23d%25"
    assert case_address("r", 1, 2, {"text": "a&b=c", "tag": ""}) == "/runs/r/cases/1/2?text=a%26b%3Dc"
    assert address("/compare", {"run": ("a", "b"), "by": None}) == "/compare?run=a&run=b"


def test_another_choice_starts_at_the_first_page_and_keeps_the_others():
    here = Here("/runs/r", {"tag": "x", "page": 3})

    assert here.but(sort="id") == "/runs/r?tag=x&sort=id"
    assert here.but(tag=None) == "/runs/r"
    assert here.but(page=4) == "/runs/r?tag=x&page=4"


def test_what_was_used_last_is_kept_within_the_limit():
    kept: Bounded[str, str] = Bounded(6, len)
    made = []

    def make(text):
        return lambda: made.append(text) or text

    for text in ("aa", "bbb", "aa", "cc", "bbb"):
        kept.get(text, make(text))

    # With cc there are 7, so bbb, which was used least recently, had to go and was made anew.
    assert made == ["aa", "bbb", "cc", "bbb"]
    assert len(kept) == 2


def test_one_value_is_kept_even_when_it_is_beyond_the_limit():
    kept: Bounded[str, str] = Bounded(1, len)

    assert kept.get("x", lambda: "too long") == "too long"
    assert len(kept) == 1


def test_what_several_ask_for_at_once_is_made_once():
    kept: Bounded[str, int] = Bounded(10)
    started, go_on, made = threading.Event(), threading.Event(), []

    def make():
        started.set()
        go_on.wait(10)
        made.append(1)
        return 1

    threads = [threading.Thread(target=kept.get, args=("key", make)) for _ in range(5)]
    threads[0].start()
    started.wait(10)
    for thread in threads[1:]:
        thread.start()
    go_on.set()
    for thread in threads:
        thread.join(10)

    assert made == [1]


def test_what_could_not_be_made_is_tried_again():
    kept: Bounded[str, int] = Bounded(10)
    with pytest.raises(ZeroDivisionError):
        kept.get("key", lambda: 1 // 0)

    assert kept.get("key", lambda: 2) == 2
