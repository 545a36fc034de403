"""Runs side by side: who is compared with whom, which cases changed, and where two answers differ."""

from __future__ import annotations

import time

import pytest
from steelyard_dashboard.pages.compare import verdict_of
from steelyard_dashboard.results.comparison import Comparison, Figures, Group
from steelyard_dashboard.results.differences import differences

from steelyard.api import Difference, Status

OLD, NEW = "2026-01-01_000000_s", "2026-01-02_000000_s"
BOTH = f"/compare?run={NEW}&run={OLD}"
FIGURES = "Score, difference to the baseline, cost and latency of each side"


@pytest.fixture
def keep(store, make_record):
    """Store a run of January 2026 by its day."""

    def keep_run(day, *combos, **changes):
        name = f"2026-01-{day:02}_000000_s"
        store(make_record(*combos, run_id=name, timestamp=f"2026-01-{day:02}T00:00:00+00:00", **changes))

    return keep_run


@pytest.fixture
def two_runs(keep, make_combo, make_case):
    """Two runs of one combo in which every kind of change occurs, and a combo that only the second has."""
    keep(
        1,
        make_combo(
            make_case("stays"),
            make_case("worse"),
            make_case("better", passed=False),
            make_case("breaks"),
            make_case("mends", status=Status.API_ERROR, run={"error": "HTTP 503"}),
            make_case("gone"),
            make_case("reworded", run={"response": "Thanks, all good."}),
        ),
    )
    keep(
        2,
        make_combo(
            make_case("stays"),
            make_case("worse", passed=False),
            make_case("better"),
            make_case("breaks", status=Status.JUDGE_ERROR, run={"error": "no verdict", "scores": ()}),
            make_case("mends"),
            make_case("reworded", run={"response": "Thanks, all is good."}),
            make_case("added"),
        ),
        make_combo(make_case("stays", model="claude")),
    )


@pytest.fixture
def shown(dashboard):
    """The ids of the cases that a tab of the comparison shows."""
    return lambda show, more="": [case["id"] for case in dashboard(f"/api{BOTH}&show={show}{more}").json["cases"]]


@pytest.mark.parametrize(
    ("show", "wanted"),
    [
        ("regressed", ["worse"]),
        ("improved", ["better"]),
        ("new_error", ["breaks"]),
        ("recovered", ["mends"]),
        ("disagree", ["worse", "better", "breaks", "mends"]),
        ("missing", ["gone", "added"]),
        ("reworded", ["worse", "better", "reworded"]),
        ("all", ["stays", "worse", "better", "breaks", "mends", "gone", "reworded", "added"]),
    ],
)
def test_each_kind_of_change_can_be_seen_by_itself(two_runs, shown, show, wanted):
    assert shown(show) == wanted


def test_disagreements_are_shown_first(two_runs, dashboard):
    assert dashboard(f"/api{BOTH}").json == dashboard(f"/api{BOTH}&show=disagree").json


def test_the_older_run_is_the_baseline_in_whatever_order_they_are_named(two_runs, dashboard):
    sides = dashboard(f"/api{BOTH}").json["sides"]

    assert [side["run"] for side in sides] == [OLD, NEW]


def test_of_runs_of_one_second_the_end_of_the_name_says_which_is_older(put, make_case, dashboard):
    for name in ("r-10", "r-9"):
        put(make_case(), run_id=name)

    assert [side["run"] for side in dashboard("/api/compare?run=r-10&run=r-9").json["sides"]] == ["r-9", "r-10"]


def test_another_run_can_be_made_the_baseline(two_runs, dashboard, shown):
    assert shown("regressed", f"&base={NEW}") == ["better"]
    assert dashboard(f"/api{BOTH}&base={NEW}").json["sides"][0]["run"] == NEW


def test_figures_count_what_changed_against_the_baseline(two_runs, dashboard):
    (group,) = dashboard(f"/api{BOTH}").json["groups"]
    base, other = group["sides"]

    assert (group["model"], group["prompt_id"]) == ("gpt", "v1")
    assert (base["score_delta"], base["delta"], base["p_value"], base["mean_score"]) == (None, None, None, None)
    counts = {key: other[key] for key in ("n_paired", "regressed", "improved", "new_errors", "recovered")}
    assert counts == {"n_paired": 4, "regressed": 1, "improved": 1, "new_errors": 1, "recovered": 1}
    # 5 of 6 scored passed before (83.3), 5 of 6 after.
    assert (other["score_delta"], other["delta"]) == (pytest.approx(0.0), pytest.approx(0.0))
    assert other["p_value"] == 1.0


def test_combos_of_one_run_only_are_named(two_runs, dashboard):
    assert dashboard(f"/api{BOTH}").json["left_out"] == [{"model": "claude", "prompt_id": "v1"}]
    assert "In one run only" in dashboard(BOTH).text


def test_the_page_shows_both_verdicts_of_a_case(two_runs, dashboard, read):
    rows = read(dashboard(BOTH)).tables["Cases 1 to 4 of 4"]

    assert rows == [
        ["Case", "Change", "Combo", "2026-01-01 00:00 baseline", "2026-01-02 00:00"],
        ["worse", "regressed", "gpt / v1", "passed 1.00", "failed 0.00"],
        ["better", "improved", "gpt / v1", "failed 0.00", "passed 1.00"],
        ["breaks", "new error", "gpt / v1", "passed 1.00", "judge error –"],
        ["mends", "recovered", "gpt / v1", "API error –", "passed 1.00"],
    ]


def test_the_tabs_count_their_cases(two_runs, dashboard, read):
    links = read(dashboard(BOTH)).links

    assert {"Disagreements 4", "Regressions 1", "Improvements 1", "New errors 1", "Not everywhere 2", "All 8"} <= set(
        links
    )


def test_cases_can_be_filtered_by_id_and_combo(two_runs, shown):
    assert shown("all", "&text=WOR") == ["worse", "reworded"]
    assert shown("all", "&group=0&text=stays") == ["stays"]
    assert shown("all", "&group=7") == []


def test_one_run_is_compared_combo_by_combo(keep, make_combo, make_case, dashboard):
    keep(
        1,
        make_combo(make_case("both"), make_case("gpt-only")),
        make_combo(make_case("both", model="claude"), make_case("gpt-only", model="claude", passed=False)),
    )

    found = dashboard(f"/api/compare?run={OLD}").json

    assert found["by"] == "combo"
    assert [(side["model"], side["key"]) for side in found["sides"]] == [("gpt", f"{OLD}:0"), ("claude", f"{OLD}:1")]
    assert [case["id"] for case in found["cases"]] == ["gpt-only"]


def test_runs_that_share_no_combo_are_compared_combo_by_combo(keep, make_combo, make_case, dashboard):
    keep(1, make_combo(make_case("a")))
    keep(2, make_combo(make_case("a", model="claude", passed=False)))

    found = dashboard(f"/api{BOTH}").json

    assert found["by"] == "combo"
    assert [case["changes"] for case in found["cases"]] == [["disagree", "regressed", "reworded"]]


def test_runs_that_share_combos_can_be_compared_across_them(two_runs, dashboard):
    found = dashboard(f"/api{BOTH}&by=combo&show=all").json

    assert [(side["run"], side["model"]) for side in found["sides"]] == [(OLD, "gpt"), (NEW, "gpt"), (NEW, "claude")]
    assert next(case for case in found["cases"] if case["id"] == "stays")["changes"] == []


def test_three_runs_stand_side_by_side(keep, make_combo, make_case, dashboard, read):
    for day, passed in ((1, True), (2, True), (3, False)):
        keep(day, make_combo(make_case("a", passed=passed)))

    page = read(dashboard(f"{BOTH}&run=2026-01-03_000000_s"))

    assert page.tables["Cases 1 to 1 of 1"][1] == [
        "a",
        "regressed",
        "gpt / v1",
        "passed 1.00",
        "passed 1.00",
        "failed 0.00",
    ]
    assert len(page.tables[FIGURES]) == 4


def test_at_most_six_runs_are_compared_and_the_page_says_so(keep, make_combo, make_case, dashboard):
    for day in range(1, 9):
        keep(day, make_combo(make_case()))
    query = "&".join(f"run=2026-01-{day:02}_000000_s" for day in range(1, 9))

    assert "Only the first six runs are compared." in dashboard(f"/compare?{query}").text
    assert len(dashboard(f"/api/compare?{query}").json["sides"]) == 6


def test_an_id_that_occurs_twice_is_paired_in_order(keep, make_combo, make_case, shown):
    keep(1, make_combo(make_case("twin"), make_case("twin", passed=False)))
    keep(2, make_combo(make_case("twin"), make_case("twin")))

    assert shown("all") == ["twin", "twin"]
    assert shown("improved") == ["twin"]


def test_a_run_named_twice_counts_once(two_runs, dashboard):
    assert dashboard(f"/api/compare?run={OLD}&run={OLD}").json["by"] == "combo"


def test_without_a_run_the_page_offers_the_latest_two(two_runs, dashboard):
    html = dashboard("/compare").text

    assert html.count(f'<option value="{NEW}" selected>') == 1
    assert html.count(f'<option value="{OLD}" selected>') == 1
    assert dashboard("/api/compare").status == 404


def test_the_page_offers_two_runs_of_one_benchmark_where_there_are_two(keep, make_combo, make_case, dashboard):
    for day, benchmark in ((1, "Mine"), (2, "Other"), (3, "Mine")):
        keep(day, make_combo(make_case()), benchmark=benchmark)

    html = dashboard("/compare").text

    assert '<option value="2026-01-01_000000_s" selected>' in html
    assert '<option value="2026-01-03_000000_s" selected>' in html


@pytest.mark.parametrize("days", [0, 1])
def test_the_page_offers_what_there_is(keep, make_combo, make_case, dashboard, days):
    for day in range(days):
        keep(day + 1, make_combo(make_case()))

    assert dashboard("/compare").text.count(" selected>") == 2 * days


def test_a_case_is_opened_with_the_answers_side_by_side(two_runs, dashboard, read):
    page = read(dashboard(f"{BOTH.replace('/compare', '/compare/case')}&show=reworded&line=6"))

    assert page.headings[0] == "reworded gpt / v1"
    assert page.blocks == ["Thanks", "Thanks, all good.", "Thanks, all is good."]
    assert page.links["← better"].endswith("show=reworded&line=2")


def test_what_differs_is_marked_in_both_answers(two_runs, dashboard):
    html = dashboard(f"{BOTH.replace('/compare', '/compare/case')}&show=all&line=6").text

    assert "Thanks, all <ins>is </ins>good.</pre>" in html
    assert "<del>" not in html


def test_a_case_that_a_side_does_not_have_is_no_fault(two_runs, dashboard):
    for line in (5, 7):
        reply = dashboard(f"{BOTH.replace('/compare', '/compare/case')}&show=all&line={line}")
        assert reply.status == 200
        assert "This side does not have the case." in reply.text


@pytest.mark.parametrize("line", ["", "99", "-1", "x"])
def test_a_line_that_is_not_there_is_not_found(two_runs, dashboard, line):
    assert dashboard(f"{BOTH.replace('/compare', '/compare/case')}&line={line}").status == 404


@pytest.fixture
def lost_one_won_nine(keep, make_combo, make_case):
    """Two runs of twenty cases, of which one got worse and nine got better."""
    keep(1, make_combo(*[make_case(f"c{number}", passed=not 0 < number < 10) for number in range(20)]))
    keep(2, make_combo(*[make_case(f"c{number}", passed=number > 0) for number in range(20)]))


def test_a_difference_is_given_with_its_test_its_interval_and_a_verdict(lost_one_won_nine, dashboard):
    (group,) = dashboard(f"/api{BOTH}").json["groups"]
    found = group["sides"][1]

    # McNemar's exact test, two-sided: 2 (1 + 10) / 2^10.
    assert (found["p_value"], found["p_adjusted"], found["method"]) == (0.021484375, 0.021484375, "exact McNemar")
    assert (found["verdict"], found["n_paired"], found["n_independent"]) == ("better", 20, 20)
    assert found["delta"] == pytest.approx(40.0)
    assert 0 < found["delta_low"] < 40 < found["delta_high"] < 100


def test_the_page_says_in_words_whether_a_difference_is_real(lost_one_won_nine, dashboard, read):
    headings, base, other = read(dashboard(BOTH)).tables[FIGURES]
    row = dict(zip(headings[1:], other, strict=True))

    assert "Really better than the baseline." in dashboard(BOTH).text
    assert row["Is it real?"].startswith("better +40.0 points, 95 % interval +")
    assert row["Is it real?"].endswith(", p = 0.021, n = 20")
    # 19 of 20, and the interval of the record.
    assert row["Score"] == "95.0% 20.0–90.0 19 of 20"
    assert base[3] == "baseline"


def test_a_verdict_holds_for_all_differences_of_the_page(keep, make_combo, make_case, dashboard):
    for day, passed in ((1, lambda n: not 0 < n < 10), (2, lambda n: n > 0), (3, lambda n: not 0 < n < 10)):
        keep(day, make_combo(*[make_case(f"c{number}", passed=passed(number)) for number in range(20)]))

    reply = dashboard(f"/api{BOTH}&run=2026-01-03_000000_s")
    _, better, same = reply.json["groups"][0]["sides"]

    # Holm: the smaller of two p values counts twice.
    assert (better["p_adjusted"], better["verdict"]) == (0.04296875, "better")
    assert (same["p_value"], same["message"]) == (1.0, "no case changed (n = 20)")
    assert "corrected for the 2 differences of this page (Holm)" in dashboard(f"{BOTH}&run=2026-01-03_000000_s").text


def test_mean_scores_are_compared_where_they_say_more(keep, make_combo, make_case, dashboard):
    for day, score in ((1, 0.6), (2, 0.8)):
        keep(day, make_combo(*[make_case(f"c{number}", score=score - number / 100) for number in range(4)]))

    found = dashboard(f"/api{BOTH}").json["groups"][0]["sides"][1]

    assert found["message"] == "no case changed (n = 4)"
    assert found["mean_score"]["delta"] == pytest.approx(20.0)
    assert "mean score +20.0 points" in dashboard(BOTH).text


def test_few_cases_show_no_difference_and_the_page_says_how_few(two_runs, dashboard):
    (group,) = dashboard(f"/api{BOTH}").json["groups"]

    assert group["sides"][1]["verdict"] == "inconclusive"
    assert "no difference that these 4 cases can show" in dashboard(BOTH).text


def verdicts(better, worse, inconclusive, cases=5):
    """A comparison with so many differences of each kind."""
    names = ["better"] * better + ["worse"] * worse + ["inconclusive"] * inconclusive
    figures = tuple(
        Figures(
            combo=None,
            difference=Difference(
                verdict=name,
                message="",
                cases=cases,
                units=cases,
                delta=0.0,
                effect=0.0,
                low=0.0,
                high=0.0,
                p_value=1.0,
                p_adjusted=1.0,
                method="",
            ),
        )
        for name in names
    )
    return Comparison(by="run", sides=(), groups=(Group(label=None, figures=figures),), lines=())


@pytest.mark.parametrize(
    ("comparison", "said"),
    [
        (verdicts(0, 0, 0), ""),
        (verdicts(0, 0, 2, cases=0), "No case was scored on both sides, so nothing can be said."),
        (verdicts(0, 0, 1), "These cases show no difference to the baseline that could not be chance."),
        (verdicts(1, 0, 0), "Really better than the baseline."),
        (verdicts(0, 1, 0), "Really worse than the baseline."),
        (
            verdicts(0, 0, 3),
            "These cases show no difference to the baseline that could not be chance, in any of 3 comparisons.",
        ),
        (verdicts(0, 2, 1), "Of 3 comparisons with the baseline: 2 really worse, 1 undecided."),
        (verdicts(1, 2, 3), "Of 6 comparisons with the baseline: 1 really better, 2 really worse, 3 undecided."),
    ],
)
def test_the_page_begins_with_how_many_differences_are_real(comparison, said):
    assert verdict_of(comparison) == said


def test_combos_of_one_run_are_tested_against_one_another(keep, make_combo, make_case, dashboard):
    keep(
        1,
        make_combo(*[make_case(f"c{number}", passed=False) for number in range(6)]),
        make_combo(*[make_case(f"c{number}", model="claude") for number in range(6)]),
    )

    (group,) = dashboard(f"/api/compare?run={OLD}").json["groups"]

    # 2 / 2^6
    assert (group["sides"][1]["p_value"], group["sides"][1]["verdict"]) == (0.03125, "better")


def kinds(before, after):
    cut = differences(before, after)
    return None if cut is None else tuple([(piece.kind, piece.text) for piece in side] for side in cut)


def test_equal_texts_are_one_piece():
    assert kinds("one two", "one two") == ([("same", "one two")], [("same", "one two")])


def test_a_changed_word_is_told_in_both_texts():
    assert kinds("the red car", "the blue car") == (
        [("same", "the "), ("changed", "red "), ("same", "car")],
        [("same", "the "), ("changed", "blue "), ("same", "car")],
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "all new"),
        ("all gone", ""),
        ("a\nb\nc", "a\nc"),
        ("  leading", "leading  "),
        ("a a a a", "a a"),
        ("x", "y"),
        ("\n\n", "\n"),
        ("שלום a", "שלום b"),
    ],
)
def test_the_pieces_of_a_text_are_the_text(before, after):
    old, new = differences(before, after)

    assert "".join(piece.text for piece in old) == before
    assert "".join(piece.text for piece in new) == after


def test_long_texts_are_compared_line_by_line():
    before = "\n".join(f"line {number} of the text" for number in range(3000))
    after = before.replace("line 1500 of", "line 1500 in")

    assert [text for kind, text in kinds(before, after)[1] if kind == "changed"] == ["in "]


def test_texts_that_would_take_long_are_not_compared():
    assert differences("a\nb\n" * 50_000, "b\na\nc\n" * 50_000) is None


@pytest.mark.parametrize("repeated", ["{0} again", "{0} w{1}", "again"])
def test_texts_that_repeat_themselves_are_compared_in_bounded_time(repeated):
    before, after = (
        " ".join(repeated.format(f"{side}{number}", number // 2 % 120) for number in range(990)) for side in "xy"
    )

    began = time.process_time()
    old, new = differences(before, after)

    assert time.process_time() - began < 5
    assert "".join(piece.text for piece in old) == before
    assert "".join(piece.text for piece in new) == after


def test_every_common_word_of_a_short_text_is_found():
    before, _ = kinds("yes no " * 60, "no yes " * 60)

    # Without its first word, one is the other without its last: 119 of 120 words.
    assert sorted((kind, len(text.split())) for kind, text in before) == [("changed", 1), ("same", 119)]
