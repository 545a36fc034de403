"""Whatever stands in a record is shown as text, and breaks nothing."""

from __future__ import annotations

import json
import random
import re

import pytest

from steelyard.api import Insights, Message, ScoreResult, Status

RUN = "2026-06-10_143205_support"
PAGES = (
    "/",
    f"/runs/{RUN}",
    f"/runs/{RUN}/cases/0/0",
    f"/runs/{RUN}/cases/0/1",
    f"/runs/{RUN}?text=script&sort=id",
    "/compare",
    f"/compare?run={RUN}&run=other&show=all",
    f"/compare?run={RUN}&by=combo&show=all",
    f"/compare/case?run={RUN}&run=other&show=all&line=0",
    "/live",
    f"/live/{RUN}-2",
    f"/live/{RUN}-2/cases/0/0",
)


def without_attributes(html):
    """Return what a reader sees: the values of forms and links are as they were, so that they find what they name."""
    return re.sub(r'="[^"]*"', "", html)


@pytest.fixture
def hostile_results(store, make_record, make_combo, make_case, make_run, hostile, results):
    """Two records and a journal with hostile text wherever there may be text."""
    from steelyard.records import encode_case

    score = ScoreResult(
        scorer=hostile, name=hostile, passed=False, score=0.1, reason=hostile, details={hostile: [hostile]}
    )
    run = {
        "messages": (Message(role="system", content=hostile), Message(role="user", content=hostile)),
        "transcript": (Message(role="user", content=hostile), Message(role="assistant", content=hostile)),
        "response": hostile,
        "reasoning": hostile,
        "finish_reason": hostile,
        "scores": (score,),
    }
    shared = {
        "model": hostile,
        "prompt_id": hostile,
        "tags": (hostile,),
        "evaluation": hostile,
        "expected": {hostile: [hostile]},
    }
    failed = make_case(hostile, passed=False, run=run, metadata={hostile: hostile}, **shared)
    broken = make_case(hostile + "2", status=Status.API_ERROR, run={**run, "error": hostile, "scores": ()}, **shared)
    changes = {
        "benchmark": hostile,
        "judge_model": hostile,
        "filters": {hostile: [hostile], "tags": hostile},
        "insights": Insights(passed=False, verdict=hostile, warnings=(hostile,)),
    }
    store(make_record(make_combo(failed, broken), **changes))
    store(make_record(make_combo(failed, broken), run_id="other", **changes | {"timestamp": hostile}))
    head = {
        "steelyard_journal": 1,
        "benchmark": hostile,
        "started": hostile,
        "combos": [[hostile, hostile]],
        "cases": 2,
    }
    line = b'{"combo":0,"case":0,"result":%b}\n' % encode_case(failed)
    (results / f"{RUN}-2.journal.jsonl").write_bytes(json.dumps(head).encode() + b"\n" + line)
    (results / "<img src=x onerror=alert(1)>.json").write_text("{", "utf-8")


@pytest.mark.parametrize("path", PAGES)
def test_hostile_text_is_only_ever_text(dashboard, hostile_results, path):
    reply = dashboard(path)

    assert reply.status == 200
    html = reply.text
    for tag in ("<script>", "<img src=x", "</pre></td>", "<b>"):
        assert tag not in html
    assert html.count("<script") == html.count('<script src="/static/live.js" defer></script>')
    # Control characters, direction overrides and lone surrogates are written out, not passed on.
    assert not any(character in without_attributes(html) for character in "\x00\x07\x1b\u202e\u202c\u2028")
    if path != "/compare":  # whose choices are cut short
        assert "{{ 7*7 }}" in html


@pytest.mark.parametrize("path", PAGES)
def test_no_page_has_a_script_or_a_style_within_it(dashboard, hostile_results, path):
    html = dashboard(path).text.lower()

    assert " style=" not in html.replace("&#34; style=", "")
    assert "<style" not in html
    for handler in (" onclick=", " onload=", " onerror=&", " onchange=", 'javascript:alert(1)"'):
        assert f'{handler}"' not in html


@pytest.mark.parametrize("path", [f"/api{path}" for path in PAGES[1:4]] + [f"/api/runs/{RUN}/cases", "/api/runs"])
def test_json_holds_the_hostile_text_as_it_was(dashboard, hostile_results, hostile, path):
    reply = dashboard(path)

    assert reply.status == 200
    assert reply.headers["Content-Type"] == "application/json"
    assert json.dumps(hostile.replace("\ud800", "?"), ensure_ascii=False)[1:-1] in reply.text


def test_hostile_queries_are_only_ever_text(dashboard, hostile_results):
    from urllib.parse import quote

    attack = quote('"><script>alert(1)</script>\x00\u202e')
    for path in (
        f"/?benchmark={attack}&model={attack}&prompt={attack}",
        f"/runs/{RUN}?text={attack}&tag={attack}&scorer={attack}&sort={attack}&verdict={attack}&combo={attack}",
        f"/runs/{attack}",
        f"/compare?run={RUN}&run=other&show={attack}&base={attack}&by={attack}&text={attack}&group={attack}",
        f"/live/{attack}",
        f"/{attack}",
    ):
        reply = dashboard(path)
        assert reply.status in {200, 404}
        assert "<script>" not in reply.text
        assert "\x00" not in without_attributes(reply.text)


def spoilt(rng, value):
    """Return a document in which some values are replaced by values of another kind."""
    if rng.random() < 0.06:
        return rng.choice([None, True, -1, 10**400, 1e308, -0.0, "", "x", [], {}, [[]], {"id": 1}, [{"id": "a"}]])
    if isinstance(value, dict):
        return {key: spoilt(rng, entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [spoilt(rng, entry) for entry in value]
    return value


@pytest.mark.parametrize("seed", range(12))
def test_a_record_that_is_spoilt_anywhere_is_shown_or_refused_and_never_a_fault(
    dashboard, results, put, make_case, seed
):
    rng = random.Random(seed)
    path = put(make_case("a"), make_case("b", passed=False), make_case("c", status=Status.API_ERROR))
    document = json.loads(path.read_bytes())
    put(make_case("a"), make_case("b"), run_id="other")

    for _ in range(15):
        path.write_text(json.dumps(spoilt(rng, document)), "utf-8")
        for page in PAGES[:9]:
            assert dashboard(page).status in {200, 404, 422}, (page, path.read_text("utf-8"))
        for page in ("/api/runs", f"/api/runs/{RUN}", f"/api/runs/{RUN}/cases", f"/api/compare?run={RUN}&run=other"):
            assert dashboard(page).status in {200, 422}, (page, path.read_text("utf-8"))
