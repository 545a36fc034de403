"""The first page: what it lists, what it draws, what it links to."""

from __future__ import annotations

import pytest
from steelyard_dashboard.pages.overview import charts_of
from steelyard_dashboard.results.folder import ResultsFolder
from steelyard_dashboard.results.runs import Runs
from steelyard_dashboard.results.trends import MOST_COMBOS, MOST_RUNS, cost_of_thousand, trends_of

RUNS = "Runs, the newest first"


@pytest.fixture
def history(store, make_record, make_combo, make_case):
    """Store runs of a benchmark: one for each list of (model, prompt, passed, failed)."""

    def keep(*runs, benchmark="Support", month=1):
        for number, combos in enumerate(runs, 1):
            made = [
                make_combo(
                    *(
                        make_case(f"c{i}", passed=i < passed, model=model, prompt_id=prompt)
                        for i in range(passed + failed)
                    )
                )
                for model, prompt, passed, failed in combos
            ]
            name = f"2026-{month:02}-{number:02}_120000_{benchmark.lower()}"
            store(
                make_record(
                    *made,
                    run_id=name,
                    benchmark=benchmark,
                    timestamp=f"2026-{month:02}-{number:02}T12:00:00+00:00",
                )
            )

    return keep


def test_an_empty_folder_says_what_to_do(dashboard):
    assert "steelyard run benchmarks/quickstart.yaml" in dashboard("/").text


def test_runs_are_listed_the_newest_first_with_their_figures(dashboard, history, read):
    history([("gpt", "v1", 3, 1)], [("gpt", "v1", 1, 1), ("claude", "v1", 2, 0)])

    page = read(dashboard("/"))

    heading, newest, oldest = page.tables[RUNS]
    assert heading[1:6] == ["Started", "Benchmark", "Verdict", "Best score", "Best combo"]
    assert newest[1:10] == [
        "2026-01-02 12:00", "Support", "passed", "100.0% 20.0–90.0 2 of 2", "claude / v1", "2", "4", "0", "$0.00800",
    ]  # fmt: skip
    assert oldest[1:10] == [
        "2026-01-01 12:00", "Support", "passed", "75.0% 20.0–90.0 3 of 4", "gpt / v1", "1", "4", "0", "$0.00800",
    ]  # fmt: skip
    assert page.links["2026-01-02 12:00"] == "/runs/2026-01-02_120000_support"


def test_runs_are_sorted_by_when_they_started_wherever_on_earth(dashboard, put, make_case):
    put(make_case(), run_id="a", timestamp="2026-01-01T23:00:00-08:00")
    put(make_case(), run_id="b", timestamp="2026-01-02T01:00:00+09:00")

    assert [run["id"] for run in dashboard("/api/runs").json["runs"]] == ["a", "b"]


def test_runs_of_one_second_are_sorted_by_the_end_of_their_names(dashboard, put, make_case):
    for name in ("r-9", "r-10", "r"):
        put(make_case(), run_id=name)

    assert [run["id"] for run in dashboard("/api/runs").json["runs"]] == ["r-10", "r-9", "r"]


def test_a_cost_that_is_unknown_in_part_is_unknown_and_not_a_smaller_one(
    dashboard, store, make_record, make_combo, make_case, read
):
    store(make_record(make_combo(make_case()), make_combo(make_case(model="local"), cost_usd=None)))

    assert read(dashboard("/")).tables[RUNS][1][9] == "–"
    assert dashboard("/api/runs").json["runs"][0]["total_cost"] is None


def test_a_run_that_was_filtered_or_cut_off_is_marked(dashboard, put, make_case, read):
    put(make_case(), run_id="whole", timestamp="2026-01-03T00:00:00+00:00")
    put(make_case(), run_id="part", timestamp="2026-01-02T00:00:00+00:00", filters={"limit": 3})
    put(make_case(), run_id="cut", timestamp="2026-01-01T00:00:00+00:00", interrupted=True)

    benchmarks = [row[2] for row in read(dashboard("/")).tables[RUNS][1:]]

    assert benchmarks == ["Support", "Support part", "Support interrupted"]


def test_many_runs_are_paged(dashboard, put, make_case, read):
    for number in range(51):
        put(make_case(), run_id=f"run-{number:02}", timestamp=f"2026-01-01T00:{number:02}:00+00:00")

    first, last = read(dashboard("/")), read(dashboard("/?page=2"))

    assert len(first.tables[RUNS]) == 51
    assert first.links["Next →"] == "/?page=2"
    assert [row[1] for row in last.tables[RUNS][1:]] == ["2026-01-01 00:00"]


def test_benchmarks_are_listed_the_one_that_was_run_last_first(dashboard, history, read):
    history([("gpt", "v1", 1, 1)], benchmark="Old", month=1)
    history([("gpt", "v1", 2, 0)], [("gpt", "v1", 3, 1)], benchmark="New", month=2)

    rows = read(dashboard("/")).tables["Benchmarks, the one that was run last first"]

    assert [row[:5] for row in rows[1:]] == [
        ["New", "2", "2026-02-02 12:00", "75.0% 20.0–90.0 3 of 4", "gpt / v1"],
        ["Old", "1", "2026-01-01 12:00", "50.0% 20.0–90.0 1 of 2", "gpt / v1"],
    ]


def test_a_benchmark_can_be_chosen_with_its_runs_and_charts(dashboard, history, read):
    history([("gpt", "v1", 1, 1)], benchmark="Old", month=1)
    history([("gpt", "v1", 2, 0)], benchmark="New", month=2)

    page = read(dashboard("/?benchmark=Old"))

    assert "Old over time" in page.headings
    assert [row[2] for row in page.tables[RUNS][1:]] == ["Old"]


def test_a_model_and_a_prompt_can_be_chosen(dashboard, history, read):
    history([("gpt", "v1", 1, 1), ("gpt", "v2", 1, 1), ("claude", "v1", 2, 0)], [("claude", "v1", 2, 0)])

    page = read(dashboard("/?model=gpt&prompt=v2"))

    figures = page.tables["Score, cost of 1,000 cases and median latency of each combo in each run"]
    assert [row[1] for row in figures[1:]] == ["gpt / v2"]
    assert len(page.tables[RUNS]) == 2


@pytest.mark.parametrize(
    "query", ["?benchmark=none", "?model=none", "?page=99", "?page=-1", "?page=x", "?page=", "?x=1"]
)
def test_a_choice_that_nothing_suits_is_no_fault(dashboard, history, query):
    history([("gpt", "v1", 1, 1)])

    assert dashboard(f"/{query}").status == 200


def test_figures_over_time_are_there_as_a_table_too(dashboard, history, read):
    history([("gpt", "v1", 3, 1)], [("gpt", "v1", 1, 1)])

    rows = read(dashboard("/")).tables["Score, cost of 1,000 cases and median latency of each combo in each run"]

    assert rows[1:] == [
        ["2026-01-02 12:00", "gpt / v1", "50.0% 20.0–90.0 1 of 2", "$2.00", "400 ms"],
        ["2026-01-01 12:00", "gpt / v1", "75.0% 20.0–90.0 3 of 4", "$2.00", "400 ms"],
    ]


@pytest.fixture
def listed(results):
    """Read the folder's runs, the newest first."""
    return lambda: Runs(ResultsFolder(results)).listing().runs


def test_each_combo_has_a_line_with_a_mark_for_each_run_it_took_part_in(history, listed):
    history([("gpt", "v1", 3, 1)], [("gpt", "v1", 1, 1), ("claude", "v1", 2, 0)], [("gpt", "v1", 4, 0)])

    trends = trends_of(listed(), "Support")
    quality = charts_of(trends)[0]

    assert [(trend.model, trend.prompt_id) for trend in trends.trends] == [("gpt", "v1"), ("claude", "v1")]
    assert [len(line.marks) for line in quality.lines] == [3, 1]
    assert quality.lines[0].marks[0].note == "gpt / v1: 75.0%, 95 % interval 20.0–90.0, 3 of 4, on 2026-01-01 12:00"
    # The interval is that of the score, and of nothing else.
    assert charts_of(trends)[2].lines[0].marks[0].note == "gpt / v1: 400 ms, 4 cases, on 2026-01-01 12:00"
    assert charts_of(trends)[2].lines[0].marks[0].low_y is None


def test_a_picture_is_told_in_words(history, listed):
    history([("gpt", "v1", 3, 1)], [("gpt", "v1", 1, 1)])

    quality, cost, latency = charts_of(trends_of(listed(), "Support"))

    assert quality.summary == "Over 2 runs: gpt / v1 from 75.0% to 50.0%. The table below has every figure."
    assert cost.summary == "Over 2 runs: gpt / v1 from $2.00 to $2.00. The table below has every figure."
    assert latency.summary == "Over 2 runs: gpt / v1 from 400 ms to 400 ms. The table below has every figure."


def test_marks_stand_where_their_values_are(history, listed):
    history([("gpt", "v1", 0, 4)], [("gpt", "v1", 4, 0)], [("gpt", "v1", 2, 2)])

    chart = charts_of(trends_of(listed(), "Support"))[0]
    none, all_of_them, half = chart.lines[0].marks

    assert (none.y, all_of_them.y) == (chart.bottom, chart.top)
    assert half.y == pytest.approx((chart.bottom + chart.top) / 2)
    assert none.x < all_of_them.x < half.x


def test_runs_of_a_part_of_the_benchmark_have_hollow_marks(put, make_case, listed):
    put(make_case(), run_id="a", timestamp="2026-01-01T00:00:00+00:00", filters={"limit": 1})
    put(make_case(), run_id="b", timestamp="2026-01-02T00:00:00+00:00")

    marks = charts_of(trends_of(listed(), "Support"))[0].lines[0].marks

    assert [mark.hollow for mark in marks] == [True, False]
    assert marks[0].note.endswith(", a part of the benchmark")


def test_an_unknown_cost_is_no_mark_and_not_a_free_run(store, make_record, make_combo, make_case, listed):
    store(make_record(make_combo(make_case(), cost_usd=None)))

    quality, cost, _ = charts_of(trends_of(listed(), "Support"))

    assert not quality.empty
    assert cost.empty


def test_figures_of_a_damaged_record_bend_no_chart(store, make_record, make_combo, make_case, listed, dashboard):
    odd = make_combo(make_case(), score=-5.0, cost_usd=1e300, latency_p50_ms=-1.0)
    store(make_record(odd, run_id="odd"))
    store(make_record(make_combo(make_case()), run_id="right"))

    charts = charts_of(trends_of(listed(), "Support"))

    # The score is worked out from the case again; what it cost and how long it took is unknown.
    assert [len(chart.lines[0].marks) for chart in charts] == [2, 1, 1]
    assert dashboard("/").status == 200


def test_only_so_many_lines_and_runs_are_drawn_and_the_rest_is_counted(history, listed):
    history(*([("gpt", "v1", 1, 1)] for _ in range(28)), month=1)
    history(*([("gpt", "v1", 1, 1)] for _ in range(28)), month=2)
    history(*([(f"m{i}", "v1", 1, 1) for i in range(12)] for _ in range(6)), month=3)

    trends = trends_of(listed(), "Support")

    assert (len(trends.runs), trends.left_out_runs) == (MOST_RUNS, 2)
    assert (len(trends.trends), trends.left_out_combos) == (MOST_COMBOS, 5)


def test_the_cost_of_a_thousand_cases_makes_runs_of_different_length_comparable(make_combo, make_case):
    short = make_combo(make_case(), make_case("b"), cost_usd=0.01)

    assert cost_of_thousand(short) == pytest.approx(5.0)


def test_a_combo_that_has_done_nothing_has_no_cost_of_a_thousand(make_combo):
    assert cost_of_thousand(make_combo(cost_usd=0.0)) is None


def test_chosen_runs_go_to_the_comparison(dashboard, history):
    history([("gpt", "v1", 1, 1)], [("gpt", "v1", 2, 0)])

    html = dashboard("/").text

    assert '<form method="get" action="/compare">' in html
    assert html.count('type="checkbox" name="run" value="2026-01-0') == 2
