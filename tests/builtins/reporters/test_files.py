from __future__ import annotations

import csv
import json
import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from steelyard_builtins.reporters import badge, csv_file, html, json_file, junit, markdown

from steelyard.api import Best, CaseRun, Insights, Message, NoSettings, RunRecord, ScoreResult, Status, TagResult
from steelyard.errors import UsageError

Make = Callable[..., Any]

OUTPUT = "\x1b[31mred\x1b[0m \x00 \ufffe \ud83d ]]> 🚀"
CASE_ID = 'a\x01<&"b'


# json


def test_the_json_file_is_the_stored_record_byte_for_byte(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    record = make_record(make_combo(make_case("a", response="\ud800 ✓"), make_case("b", error="down")))

    show(json_file, record, output=tmp_path / "x.json")

    assert (tmp_path / "x.json").read_bytes() == (tmp_path / "results" / f"{record.run_id}.json").read_bytes()


def test_json_without_a_file_goes_to_standard_output(
    show: Make, sample: RunRecord, capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    show(json_file, sample)

    assert json.loads(capsysbinary.readouterr().out)["benchmark"] == "Customer Support Classification"
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


# junit


def suite(root: ET.Element) -> ET.Element:
    return root if root.tag == "testsuite" else root[0]


def test_a_run_of_one_combo_is_one_suite(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    cases = (make_case("right"), make_case("wrong", passed=False), make_case("broken", error="timed out"))
    record = make_record(make_combo(*cases, not_run=2), duration_s=12.5, seed=7)

    show(junit, record, output=tmp_path / "x.xml")

    root = ET.parse(tmp_path / "x.xml").getroot()
    assert root.tag == "testsuite"
    assert {key: root.get(key) for key in ("name", "tests", "failures", "errors", "skipped", "time", "timestamp")} == {
        "name": "Support", "tests": "5", "failures": "1", "errors": "1", "skipped": "2", "time": "12.500",
        "timestamp": "2026-06-10T14:32:05+02:00",
    }  # fmt: skip
    properties = {one.get("name"): one.get("value") for one in root.iter("property")}
    assert properties == {
        "target": "openai/gpt-4o-mini", "prompt": "v1", "repeat": "1", "seed": "7", "planned": "5", "not_run": "2",
    }  # fmt: skip
    right, wrong, broken, *left_out = root.findall("testcase")
    assert (right.attrib, list(right)) == ({"classname": "Support", "name": "right", "time": "0.512"}, [])
    assert wrong[0].tag == "failure"
    assert wrong[0].attrib == {"message": "label: expected 'billing', got 'other'", "type": "fail"}
    assert wrong[0].text == "label: fail expected 'billing', got 'other'\noutput: billing"
    assert broken[0].tag == "error"
    assert broken[0].attrib == {"message": "timed out", "type": "api_error"}
    assert [(one.get("name"), one[0].tag) for one in left_out] == [("not run 1", "skipped"), ("not run 2", "skipped")]


def test_a_case_that_was_not_run_is_skipped_under_the_name_that_another_combo_knows(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    first = make_combo(make_case("a"), make_case("b", passed=False))
    second = make_combo(make_case("a", prompt_id="v2"), prompt_id="v2", not_run=1)

    show(junit, make_record(first, second, duration_s=9.0, interrupted=True), output=tmp_path / "x.xml")

    root = ET.parse(tmp_path / "x.xml").getroot()
    skipped = [one for one in root[1].findall("testcase") if one.find("skipped") is not None]
    assert [(one.get("name"), one[0].get("message")) for one in skipped] == [("b", "interrupted")]
    assert (root.get("tests"), root.get("skipped"), root[1].get("tests"), root[1].get("skipped")) == (
        "4",
        "1",
        "2",
        "1",
    )


def test_the_time_of_one_suite_among_several_is_that_of_its_cases(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    first = make_combo(make_case("a"), make_case("b"))
    second = make_combo(make_case("a", prompt_id="v2"), prompt_id="v2")

    show(junit, make_record(first, second, duration_s=0.7), output=tmp_path / "x.xml")

    root = ET.parse(tmp_path / "x.xml").getroot()
    assert [root.get("time"), *(one.get("time") for one in root)] == ["0.700", "1.024", "0.512"]


def test_runs_are_numbered_from_one_where_there_are_several(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    runs = [CaseRun(repeat=index, status=Status.SCORED, passed=False, score=0.0, response="x") for index in range(2)]

    show(junit, make_record(make_combo(make_case("a", passed=False, runs=runs)), repeat=2), output=tmp_path / "x.xml")

    (case,) = ET.parse(tmp_path / "x.xml").getroot().findall("testcase")
    assert case[0].text == "run 1: fail\n  output: x\nrun 2: fail\n  output: x"


def test_several_combos_are_suites_whose_numbers_add_up(show: Make, sample: RunRecord, tmp_path: Path) -> None:
    show(junit, sample, output=tmp_path / "x.xml")

    root = ET.parse(tmp_path / "x.xml").getroot()
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "300", "29", "3")
    assert [one.get("name") for one in root][:2] == [
        "Customer Support Classification: openai/gpt-4o-mini / v1",
        "Customer Support Classification: openai/gpt-4o-mini / v2",
    ]


def test_a_flaky_case_that_passes_is_no_failure_and_one_that_does_not_says_so(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    runs = [CaseRun(repeat=index, status=Status.SCORED, passed=index > 0, score=float(index > 0)) for index in range(3)]
    cases = (make_case("passes", runs=runs, flaky=True), make_case("fails", passed=False, runs=runs, flaky=True))

    show(junit, make_record(make_combo(*cases), repeat=3), output=tmp_path / "x.xml")

    root = ET.parse(tmp_path / "x.xml").getroot()
    passes, fails = root.findall("testcase")
    assert (root.get("failures"), len(passes), fails[0].get("type")) == ("1", 0, "flaky")


def test_text_that_xml_forbids_leaves_a_file_that_parses(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    failed = make_case(CASE_ID, passed=False, response=OUTPUT)
    errored = make_case("e", error=OUTPUT, model=OUTPUT)
    record = make_record(make_combo(failed, errored, model=OUTPUT, prompt_id=CASE_ID), benchmark=OUTPUT)

    show(junit, record, output=tmp_path / "x.xml")

    first, second = ET.parse(tmp_path / "x.xml").getroot().findall("testcase")
    assert first.get("name") == 'a\ufffd<&"b'
    body = first[0].text or ""
    assert ("red" in body, "]]>" in body, "🚀" in body) == (True, True, True)
    assert "red" in (second[0].get("message") or "")


def test_long_outputs_are_cut(show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path) -> None:
    case = make_case("a", passed=False, response="x" * 100_000)

    show(junit, make_record(make_combo(case)), output=tmp_path / "x.xml")

    assert (tmp_path / "x.xml").stat().st_size < 4000


# badge


@pytest.mark.parametrize(
    ("passed", "total", "color"),
    [(8, 8, "brightgreen"), (7, 8, "yellow"), (19, 20, "green"), (9, 10, "green"), (8, 10, "yellow"), (3, 4, "yellow"),
     (74, 100, "orange"), (5, 10, "orange"), (4, 10, "red"), (0, 10, "red"), (19_999, 20_000, "green")],
)  # fmt: skip
def test_a_badge_has_evalkits_words_and_colours(
    show: Make, make_record: Make, make_combo: Make, tmp_path: Path, passed: int, total: int, color: str
) -> None:
    show(badge, make_record(make_combo(passed=passed, failed=total - passed)), output=tmp_path / "b.json")

    assert json.loads((tmp_path / "b.json").read_text("utf-8")) == {
        "schemaVersion": 1,
        "label": "evals",
        "message": f"{passed}/{total} passed",
        "color": color,
    }


def test_a_badge_shows_the_best_combo_and_counts_errors_as_not_passed(
    show: Make, make_record: Make, make_combo: Make, tmp_path: Path
) -> None:
    combos = (make_combo(passed=9, failed=1), make_combo(prompt_id="v2", passed=4, errors=1))
    best = Best(model="openai/gpt-4o-mini", prompt_id="v2", score=100.0)

    show(badge, make_record(*combos, insights=Insights(passed=True, best_quality=best)), output=tmp_path / "b.json")

    assert json.loads((tmp_path / "b.json").read_text("utf-8"))["message"] == "4/5 passed"


def test_a_badge_needs_a_file(make_context: Make) -> None:
    with pytest.raises(UsageError, match="needs a file; write -o badge:FILE"):
        badge.create(NoSettings(), make_context())


@pytest.mark.parametrize("name", ["x.svg", "x.PNG"])
def test_a_badge_that_is_to_be_an_image_is_refused_with_what_to_write(
    make_context: Make, tmp_path: Path, name: str
) -> None:
    with pytest.raises(UsageError, match=r"writes what shields\.io draws a badge from, .* write -o badge:x\.json"):
        badge.create(NoSettings(), make_context(output=tmp_path / name))


# csv


def test_the_csv_file_has_a_row_for_each_case_of_each_combo(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    first = make_combo(
        make_case("a", response='two\nlines, "quoted"'), make_case("b", error="timed out", cost_usd=None)
    )
    second = make_combo(make_case("a", prompt_id="v2", passed=False, expected={"x": [1]}), prompt_id="v2")

    show(csv_file, make_record(first, second), output=tmp_path / "x.csv")

    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["prompt_id"], row["id"], row["status"], row["match_result"]) for row in rows] == [
        ("v1", "a", "scored", "True"),
        ("v1", "b", "api_error", "False"),
        ("v2", "a", "scored", "False"),
    ]
    assert rows[0]["response"] == 'two\nlines, "quoted"'
    assert (rows[1]["match_score"], rows[1]["total_cost"], rows[1]["reason"]) == ("", "", "timed out")
    assert rows[2]["expected"] == '{"x": [1]}'


@pytest.mark.parametrize(
    ("usd", "cell"), [(7e-06, "0.000007"), (0.1 + 0.2, "0.3"), (0.0, "0"), (12.5, "12.5"), (None, "")]
)
def test_a_cost_is_written_in_plain_decimals(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path, usd: float | None, cell: str
) -> None:
    show(csv_file, make_record(make_combo(make_case("a", cost_usd=usd))), output=tmp_path / "x.csv")

    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        assert next(csv.DictReader(file))["total_cost"] == cell


def test_a_response_that_is_a_formula_stays_text(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    case = make_case("=1+1", response='=HYPERLINK("http://evil")', tags=("@x",))

    show(csv_file, make_record(make_combo(case)), output=tmp_path / "x.csv")

    with (tmp_path / "x.csv").open(newline="", encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    assert (row["id"], row["response"], row["tags"]) == ("'=1+1", '\'=HYPERLINK("http://evil")', "'@x")


# html


class Page(HTMLParser):
    """What a browser would make of a page: its tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def page(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def test_the_page_holds_every_case_with_prompt_output_and_reason(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    cases = (
        make_case("right"),
        make_case("wrong", passed=False, response="not this"),
        make_case("down", error="timed out"),
    )

    show(html, make_record(make_combo(*cases)), output=tmp_path / "x.html")

    found = page(tmp_path / "x.html")
    entries = [attributes for tag, attributes in found.tags if tag == "details" and attributes.get("data-status")]
    assert [entry["data-status"] for entry in entries] == ["failed", "API error", "passed"]
    for text in (
        "right",
        "not this",
        "expected 'billing', got 'other'",
        "timed out",
        "3 = 1 passed + 1 failed + 1 errors",
    ):
        assert text in found.text


def test_the_matrix_of_the_page_has_ten_columns_which_a_window_of_1100_pixels_holds(
    show: Make, sample: RunRecord, tmp_path: Path
) -> None:
    show(html, sample, output=tmp_path / "x.html")

    head, _, rest = (tmp_path / "x.html").read_text("utf-8").partition("</tr></thead>")
    assert head.count("<th ") == 10
    assert "4018 / 294" in rest.partition("</tbody>")[0]


def test_the_page_asks_for_nothing_and_runs_nothing_of_others(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    evil = '</pre></script><script>alert(1)</script><img src=http://evil onerror=alert(1)>" onmouseover="x'
    score = ScoreResult(scorer="s", name=evil, passed=False, score=0.0, reason=evil)
    run = CaseRun(
        repeat=0, status=Status.SCORED, passed=False, score=0.0, response=evil, reasoning=evil, scores=(score,)
    )
    case = make_case(evil, passed=False, runs=(run,), model=evil, prompt_id=evil, tags=(evil,), expected=evil)
    record = make_record(make_combo(case, model=evil, prompt_id=evil), benchmark=evil)

    show(html, record, output=tmp_path / "x.html")

    found = page(tmp_path / "x.html")
    names = [tag for tag, _attributes in found.tags]
    assert names.count("script") == 1
    assert not {"img", "link", "iframe", "object", "base"} & set(names)
    attributes = {name for _tag, each in found.tags for name in each}
    assert not {name for name in attributes if name.startswith("on") or name in ("src", "href")}
    policy = next(each["content"] for tag, each in found.tags if each.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'")


def test_the_policy_allows_exactly_the_script_of_the_page(show: Make, sample: RunRecord, tmp_path: Path) -> None:
    import base64
    import hashlib

    show(html, sample, output=tmp_path / "x.html")

    text = (tmp_path / "x.html").read_text("utf-8")
    script = text.partition("<script>")[2].partition("</script>")[0]
    assert f"script-src 'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in text


def test_text_keeps_its_line_ends_and_loses_its_escape_sequences(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    case = make_case("a", response="\none\n two\x1b[2J \u202e\ud800")

    show(html, make_record(make_combo(case)), output=tmp_path / "x.html")

    assert "<pre>\n\none\n two\\x1b[2J \\u202e?</pre>" in (tmp_path / "x.html").read_text("utf-8")


def test_the_page_shows_intervals_and_what_each_tag_comes_to(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    hard = TagResult(tag="hard", total=2, passed=1, failed=1, errors=0, score=50.0, score_low=9.5, score_high=90.5)
    combo = make_combo(make_case("a"), score_low=20.7, score_high=100.0, tags=(hard,))

    show(html, make_record(combo), output=tmp_path / "x.html")

    text = page(tmp_path / "x.html").text
    assert "20.7–100.0%" in text
    assert "hard" in text
    assert "9.5–90.5%" in text


def test_a_conversation_is_told_once_and_its_last_turn_is_the_output(
    show: Make, make_record: Make, make_combo: Make, make_case: Make, tmp_path: Path
) -> None:
    said = (("user", "one"), ("assistant", "uno"), ("user", "two"), ("assistant", "dos"))
    transcript = tuple(Message(role=role, content=content) for role, content in said)
    run = CaseRun(repeat=0, status=Status.SCORED, passed=True, score=1.0, response="dos", transcript=transcript)

    show(html, make_record(make_combo(make_case("talk", runs=(run,)))), output=tmp_path / "x.html")

    text = (tmp_path / "x.html").read_text("utf-8")
    told = re.findall(r"<h3>(\w+)</h3><pre>\n(\w+)</pre>", text)  # after what is expected
    assert told[1:] == [("User", "one"), ("Assistant", "uno"), ("User", "two"), ("Output", "dos")]


# where files go


@pytest.mark.parametrize(
    ("module", "suffix"), [(markdown, ".md"), (junit, ".xml"), (csv_file, ".csv"), (html, ".html")], ids=str
)
def test_a_report_without_a_file_stands_beside_the_record(
    show: Make, sample: RunRecord, module: Any, suffix: str
) -> None:
    show(module, sample)

    assert Path("results", f"{sample.run_id}{suffix}").stat().st_size > 0


@pytest.mark.parametrize(
    "module", [json_file, markdown, junit, csv_file, html, badge], ids=lambda module: module.__name__
)
def test_a_file_that_cannot_be_written_is_refused_before_the_first_call(
    make_context: Make, tmp_path: Path, module: Any
) -> None:
    (tmp_path / "file").write_text("", "utf-8")

    for output, said in (
        (tmp_path, "is a folder; name a file in it"),
        (tmp_path / "file" / "x.out", "is a file, not a folder; name another file"),
    ):
        with pytest.raises(UsageError, match=said):
            module.create(NoSettings(), make_context(output=output))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for this user")
def test_a_read_only_folder_is_refused_before_the_first_call(make_context: Make, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir(mode=0o500)

    with pytest.raises(UsageError, match="may not be written to"):
        json_file.create(NoSettings(), make_context(output=tmp_path / "folder" / "x.json"))


def test_making_a_reporter_writes_nothing(make_context: Make, tmp_path: Path) -> None:
    for module in (json_file, markdown, junit, csv_file, html, badge):
        module.create(NoSettings(), make_context(output=tmp_path / "deep" / "x.out"))

    assert list(tmp_path.iterdir()) == []
