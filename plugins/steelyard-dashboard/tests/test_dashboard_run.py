"""A run and its cases: matrix, tags, filters, order, pages, and a case in full."""

from __future__ import annotations

import pytest

from steelyard.api import Message, ScoreResult, Status

RUN = "/runs/2026-06-10_143205_support"
API = f"/api{RUN}"


@pytest.fixture
def mixed(store, make_record, make_combo, make_case, make_run):
    """A run of two combos with cases of every kind."""
    repeats = (make_run(), make_run(passed=False, repeat=1))
    flaky = make_case("flaky-one", passed=False, flaky=True, score=0.5, runs=repeats, tags=("hard",))
    first = (
        make_case("b-passed", run={"latency_ms": 900.0, "cost_usd": 0.5}),
        make_case("a-failed", passed=False, run={"latency_ms": 100.0, "cost_usd": None, "response": "A Needle."}),
        flaky,
        make_case("broken", status=Status.API_ERROR, run={"error": "HTTP 503", "response": "", "cost_usd": None}),
    )
    judge = ScoreResult(scorer="llm_judge", name="tone", passed=True, score=0.75, reason="kind")
    second = (
        make_case("b-passed", model="claude", run={"scores": (judge,), "latency_ms": None}),
        make_case("judged", status=Status.JUDGE_ERROR, model="claude", run={"error": "no verdict", "scores": ()}),
    )
    store(make_record(make_combo(*first), make_combo(*second), judge_model="gemini"))


@pytest.fixture
def ids(dashboard):
    """The ids of the cases that a query leaves, in order."""
    return lambda query: [case["id"] for case in dashboard(f"{API}/cases?{query}").json["cases"]]


def test_the_matrix_shows_models_by_prompts(dashboard, store, make_record, make_combo, make_case, read):
    good = make_combo(*[make_case(f"c{number}", passed=number > 0) for number in range(29)])  # 96.55 %
    bad = make_combo(make_case(model="claude", passed=False))
    other = make_combo(make_case(prompt_id="v2"), score=None, score_low=None)
    store(make_record(good, other, bad))

    rows = read(dashboard(RUN)).tables["Per cent passed of each model with each prompt"]

    assert rows == [
        ["Model", "v1", "v2"],
        ["gpt", "96.6% 20.0–90.0 28 of 29", "– 1 of 1"],
        ["claude", "0.0% 20.0–90.0 0 of 1", "–"],
    ]


def test_the_heat_of_a_cell_follows_its_score(dashboard, store, make_record, make_combo, make_case):
    # 0, 19.9, 20, 99.5 and 100 per cent.
    scores = {"m0": (0, 1), "m1": (39, 196), "m2": (1, 5), "m3": (199, 200), "m4": (1, 1)}
    combos = (
        make_combo(*[make_case(f"c{number}", model=name, passed=number < passed) for number in range(count)])
        for name, (passed, count) in scores.items()
    )
    store(make_record(*combos))

    html = dashboard(RUN).text

    steps = [html.split(f"<bdi>{name}</bdi></th>")[1].split('<td class="')[1].split('"')[0] for name in scores]
    assert steps == ["heat-0", "heat-1", "heat-2", "heat-9", "heat-10"]


def test_quality_by_tag_is_shown_for_every_combo(dashboard, mixed, read):
    rows = read(dashboard(RUN)).tables["Per cent passed of the cases that carry each tag, under each combo"]

    assert rows == [
        ["Tag", "gpt / v1", "claude / v1"],
        ["billing", "50.0% 10.0–90.0 1 of 2, 1 error", "100.0% 10.0–90.0 1 of 1, 1 error"],
        ["hard", "0.0% 10.0–90.0 0 of 1", "–"],
    ]


def test_the_verdict_and_the_facts_stand_on_top(dashboard, mixed):
    html = dashboard(RUN).text

    assert "PASS: best score meets quality_threshold (85)." in html
    assert "<dt>Judge</dt><dd><bdi>gemini</bdi></dd>" in html
    assert "<dt>Errors</dt><dd>2</dd>" in html


@pytest.mark.parametrize(
    ("query", "wanted"),
    [
        ("", ["b-passed", "a-failed", "flaky-one", "broken", "b-passed", "judged"]),
        ("combo=1", ["b-passed", "judged"]),
        ("verdict=passed", ["b-passed", "b-passed"]),
        ("verdict=failed", ["a-failed", "flaky-one"]),
        ("verdict=flaky", ["flaky-one"]),
        ("verdict=errors", ["broken", "judged"]),
        ("verdict=api_error", ["broken"]),
        ("verdict=judge_error", ["judged"]),
        ("tag=hard", ["flaky-one"]),
        ("scorer=judged:tone", ["b-passed"]),
        ("scorer=failed:greets", ["a-failed", "flaky-one"]),
        ("scorer=failed:tone", []),
        ("text=needle", ["a-failed"]),
        ("text=HTTP+503", ["broken"]),
        ("text=kind", ["b-passed"]),
        ("text=where+is+my+order", ["b-passed", "a-failed", "flaky-one", "broken", "b-passed", "judged"]),
        ("text=nowhere", []),
        ("text=needle&verdict=passed", []),
        ("combo=0&verdict=passed", ["b-passed"]),
        ("combo=9", []),
        (
            "combo=x&verdict=x&sort=x&page=x&size=x",
            ["b-passed", "a-failed", "flaky-one", "broken", "b-passed", "judged"],
        ),
    ],
)
def test_cases_can_be_filtered(mixed, ids, query, wanted):
    assert ids(query) == wanted


@pytest.mark.parametrize(
    ("sort", "wanted"),
    [
        ("id", ["a-failed", "b-passed", "broken", "flaky-one"]),
        ("-id", ["flaky-one", "broken", "b-passed", "a-failed"]),
        ("score", ["a-failed", "flaky-one", "b-passed", "broken"]),
        ("-score", ["b-passed", "flaky-one", "a-failed", "broken"]),
        ("latency", ["a-failed", "flaky-one", "broken", "b-passed"]),
        ("-cost", ["b-passed", "flaky-one", "a-failed", "broken"]),
    ],
)
def test_cases_can_be_sorted_with_what_is_unknown_at_the_end(mixed, ids, sort, wanted):
    assert ids(f"combo=0&sort={sort}") == wanted


def test_the_page_shows_what_the_filters_leave(dashboard, mixed, read):
    page = read(dashboard(f"{RUN}?verdict=failed"))

    (rows,) = [rows for caption, rows in page.tables.items() if caption.startswith("Cases 1 to")]
    assert [row[:3] for row in rows[1:]] == [
        ["a-failed", "failed", "gpt / v1"],
        ["flaky-one", "failed flaky", "gpt / v1"],
    ]
    assert rows[1][6] == "greets: 'Thanks' is missing"


def test_a_case_that_could_not_be_judged_shows_its_error(dashboard, mixed, read):
    (rows,) = [
        rows for caption, rows in read(dashboard(f"{RUN}?verdict=api_error")).tables.items() if "Cases" in caption
    ]

    assert rows[1] == ["broken", "API error", "gpt / v1", "–", "–", "400 ms", "HTTP 503"]


def test_headings_sort_and_say_how_it_is_sorted(dashboard, mixed, read):
    plain, up, down = (read(dashboard(f"{RUN}{query}")) for query in ("", "?sort=score", "?sort=-score"))

    assert plain.links["Score"] == f"{RUN}?sort=score#cases"
    assert up.links["Score ↑"] == f"{RUN}?sort=-score#cases"
    assert down.links["Score ↓"] == f"{RUN}#cases"
    assert 'aria-sort="ascending"' in dashboard(f"{RUN}?sort=score").text


def test_pages_keep_the_filters(dashboard, put, make_case, read):
    put(*(make_case(f"case-{number:03}", passed=number % 2 == 0) for number in range(240)))

    page = read(dashboard(f"{RUN}?verdict=passed&page=2"))

    (rows,) = [rows for caption, rows in page.tables.items() if caption == "Cases 51 to 100 of 120"]
    assert (rows[1][0], rows[-1][0]) == ("case-100", "case-198")
    assert page.links["Next →"] == f"{RUN}?verdict=passed&page=3"
    assert page.links["← Previous"] == f"{RUN}?verdict=passed&page=1"


def test_a_page_beyond_the_last_is_the_last(dashboard, put, make_case):
    put(*(make_case(f"case-{number:03}") for number in range(60)))

    found = dashboard(f"{API}/cases?page=7").json

    assert (found["page"], found["pages"], found["total"], len(found["cases"])) == (2, 2, 60, 10)


@pytest.mark.parametrize(("size", "given"), [("2", 2), ("100000", 500), ("0", 50), ("-3", 50), ("x", 50)])
def test_the_size_of_a_page_is_bounded(dashboard, put, make_case, size, given):
    put(*(make_case(f"case-{number:03}") for number in range(510)))

    assert len(dashboard(f"{API}/cases?size={size}").json["cases"]) == given


def test_a_case_is_opened_with_the_cases_of_its_list_before_and_after_it(dashboard, mixed, read):
    page = read(dashboard(f"{RUN}/cases/0/2?verdict=failed"))

    assert page.links["← a-failed"] == f"{RUN}/cases/0/1?verdict=failed"
    assert "flaky-one" in page.headings[0]
    assert page.links["Support, 2026-06-10 14:32"] == f"{RUN}?verdict=failed#cases"


def test_a_case_shows_prompt_output_scores_and_what_it_took(dashboard, put, make_case, read):
    judge = ScoreResult(
        scorer="llm_judge",
        name="tone",
        passed=False,
        score=0.25,
        reason="curt\nand cold",
        weight=2.0,
        details={"score": 2},
    )
    put(
        make_case(
            run={
                "scores": (judge,),
                "reasoning": "The answer is curt.",
                "judge_cost_usd": 0.0125,
                "judge_prompt_tokens": 1200,
                "judge_completion_tokens": 33,
                "prompt_tokens": 12345,
            },
            metadata={"source": "zendesk"},
            human_score=4.0,
        )
    )

    reply = dashboard(f"{RUN}/cases/0/0")
    page = read(reply)

    assert page.blocks == [
        "Thanks",
        '{\n  "source": "zendesk"\n}',
        "Be brief.",
        "Where is my order?",
        "Thanks, it is on its way.",
        "The answer is curt.",
        '{\n  "score": 2\n}',
    ]
    assert page.tables["What each scorer said"][1][:4] == ["tone llm_judge", "failed", "0.25", "2.00"]
    assert "curt\nand cold" in reply.text
    for fact in ("12\u2009345", "1\u2009200 + 33", "$0.0125", "400 ms", "1 call", "A person gave the output 4.0 of 5."):
        assert fact in reply.text


def test_every_repeat_of_a_case_is_shown(dashboard, mixed, read):
    page = read(dashboard(f"{RUN}/cases/0/2"))

    assert page.headings.count("Run 1 of 2") == 1
    assert [text for text in page.blocks if "on its way" in text] == ["Thanks, it is on its way.", "It is on its way."]


def test_a_conversation_is_shown_whole(dashboard, put, make_case, read):
    talk = (
        Message(role="user", content="I am Ada."),
        Message(role="assistant", content="Hello Ada."),
        Message(role="user", content="Who am I?"),
        Message(role="assistant", content="Ada."),
    )
    put(make_case(run={"transcript": talk, "response": "Ada."}))

    page = read(dashboard(f"{RUN}/cases/0/0"))

    assert "Conversation" in page.headings
    assert page.blocks[1:5] == ["I am Ada.", "Hello Ada.", "Who am I?", "Ada."]


def test_the_same_case_under_other_combos_is_one_step_away(dashboard, mixed, read):
    page = read(dashboard(f"{RUN}/cases/0/0"))

    assert page.links["claude / v1"] == f"{RUN}/cases/1/0"


def test_an_error_is_shown_in_place_of_scores(dashboard, mixed, read):
    page = read(dashboard(f"{RUN}/cases/0/3"))

    assert "HTTP 503" in page.blocks
    assert "The output is empty." in dashboard(f"{RUN}/cases/0/3").text
    assert page.tables == {}


@pytest.mark.parametrize("place", ["0/99", "9/0", "x/0", "0/x", "-1/0", "0/-1", "0/1e3", "٣/0", "9999999999/0"])
def test_a_case_that_is_not_there_is_not_found(dashboard, mixed, place):
    from urllib.parse import quote

    assert dashboard(f"{RUN}/cases/{quote(place)}").status == 404
    assert dashboard(f"{API}/cases/{quote(place)}").status == 404


def test_a_very_long_output_is_cut_on_the_page_and_whole_in_json(dashboard, put, make_case, read):
    put(make_case(run={"response": "x" * 250_000}))

    reply = dashboard(f"{RUN}/cases/0/0")

    assert "150\u2009000 more characters are not shown" in reply.text
    assert max(len(text) for text in read(reply).blocks) == 100_000
    assert len(dashboard(f"{API}/cases/0/0").json["response"]) == 250_000


def test_a_run_without_a_case_is_shown(dashboard, store, make_record, make_combo):
    store(make_record(make_combo(score=None)))

    reply = dashboard(RUN)

    assert reply.status == 200
    assert "No case suits this choice." in reply.text


def test_a_run_without_a_combo_is_shown(dashboard, store, make_record):
    store(make_record())

    assert dashboard(RUN).status == 200
    assert dashboard("/").status == 200
    assert dashboard("/compare?run=2026-06-10_143205_support").status == 200
