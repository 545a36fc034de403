"""Every built-in reporter against the kit that strangers use."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser

import pytest
from steelyard_builtins.reporters import badge, csv_file, html, json_file, junit, markdown, terminal

from steelyard.testing import reporter_checks


def strict_json(path):
    json.loads(path.read_text("utf-8"), parse_constant=pytest.fail)


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file, strict=True))


def cases_of(record):
    return [case for combo in record.results for case in combo.cases]


def look_at_json(record, text):
    combos = json.loads(text)["results"]
    assert [combo["success"] for combo in combos] == [combo.passed for combo in record.results]
    found = [case["match_result"] for combo in combos for case in combo["test_cases"]]
    assert found == [case.passed for case in cases_of(record)]


def look_at_badge(record, text):
    combo = max(record.results, key=lambda combo: combo.passed, default=None)
    shown = json.loads(text)
    passed, total = (combo.passed, combo.total) if combo else (0, 0)
    assert shown["message"] == f"{passed}/{total} passed"
    # The colours of evalkit's badges: all is bright green, nothing of something is red.
    if total:
        assert (shown["color"] == "brightgreen") is (passed == total)
        assert (shown["color"] == "red") is (100 * passed < 50 * total)


def look_at_csv(record, text):
    head, *lines = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    found = [dict(zip(head, line, strict=True)) for line in lines]
    assert [row["match_result"] for row in found] == [str(case.passed) for case in cases_of(record)]
    for row, case in zip(found, cases_of(record), strict=True):
        assert row["id"].strip()
        assert len(row["id"]) >= len(case.id) - 1
        # A spreadsheet takes what begins so for a formula (OWASP, CSV injection).
        assert not any(cell.startswith(("=", "+", "@", "-m")) for cell in row.values())


def look_at_junit(record, text):
    suites = list(ET.fromstring(text).iter("testsuite"))
    assert [suite.get("failures") for suite in suites] == [str(combo.failed) for combo in record.results]
    assert [suite.get("errors") for suite in suites] == [str(combo.errors) for combo in record.results]
    for suite, combo in zip(suites, record.results, strict=True):
        cases = suite.findall("testcase")
        assert len(cases) == combo.total
        assert sum(case.find("failure") is not None for case in cases) == combo.failed
        assert sum(case.find("error") is not None for case in cases) == combo.errors


def look_at_markdown(record, text):
    for combo in record.results:
        assert f"| {combo.passed}/{combo.scored} |" in text
    assert text.count("| True |") == sum(case.passed for case in cases_of(record))
    assert text.count("| False |") == sum(combo.failed for combo in record.results)
    assert "<script" not in text
    widths = {line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("| ")}
    assert all(width > 4 for width in widths), "a text has broken its row in two"


class Tags(HTMLParser):
    """Counts the elements of a page, and the words that say how a case went."""

    def __init__(self, text):
        super().__init__()
        self.count = Counter()
        self.kinds = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.count[tag] += 1
        if tag == "details" and "data-status" in dict(attrs):
            self.kinds.append(dict(attrs)["data-status"])


def look_at_html(record, text):
    page = Tags(text)
    assert (page.count["script"], page.count["img"], page.count["b"]) == (1, 0, 0), "a text acts as part of the page"
    assert len(page.kinds) == len(cases_of(record))
    assert page.kinds.count("passed") == sum(case.passed for case in cases_of(record))


def look_at_terminal(record, text):
    assert record.insights.verdict in text
    for combo in record.results:
        assert f"{combo.passed}/{combo.scored}" in text


REPORTERS = {
    "json": (json_file, {"file": "out.json", "read": strict_json, "look": look_at_json}),
    "markdown": (markdown, {"file": "out.md", "look": look_at_markdown}),
    "junit": (junit, {"file": "out.xml", "read": ET.parse, "look": look_at_junit}),
    "csv": (csv_file, {"file": "out.csv", "read": rows, "look": look_at_csv}),
    "badge": (badge, {"file": "badge.json", "read": strict_json, "look": look_at_badge, "lists_cases": False}),
    "html": (html, {"file": "out.html", "look": look_at_html}),
    "rich": (terminal, {"look": look_at_terminal, "lists_cases": False}),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}: {check}")
        for name, (plugin, options) in REPORTERS.items()
        for check in reporter_checks(plugin.steelyard_register_reporters()[0], **options)
    ],
)
def test_the_reporter_keeps_the_contract(check):
    check()
