"""Whatever people and models wrote, each report keeps its shape: real parsers find the parts of a tame one in it."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from steelyard_builtins.reporters.csv_file import csv_chunks
from steelyard_builtins.reporters.html_page import html_chunks
from steelyard_builtins.reporters.junit_xml import junit_chunks
from steelyard_builtins.reporters.markdown_text import markdown_chunks

from steelyard.api import Insights, Message, RunRecord, ScoreResult, Status, TagResult
from steelyard.testing.run_builders import make_case_result, make_combo, make_record

PIECES = (
    *(
        "<",
        ">",
        "&",
        '"',
        "'",
        "&#27;",
        "&amp;",
        "]]>",
        "<![CDATA[",
        "<!--",
        "-->",
        "<script>alert(1)</script>",
        "</td>",
    ),
    *("</script", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "<?xml?>", "<!DOCTYPE x>", "</textarea>"),
    *(
        "|",
        "\\",
        "\\|",
        "`",
        "``",
        "```\n",
        "~~~",
        "**",
        "__",
        "*",
        "_",
        "#",
        "# ",
        "- ",
        "1. ",
        "> ",
        "---",
        "===",
        "~~",
    ),
    *(
        "[x](javascript:1)",
        "![x](http://x.y/z)",
        "<http://x.y>",
        "http://x.y",
        "www.x.y",
        "[^1]",
        "[x]: y",
        "@all",
        "#1",
    ),
    *("\n", "\r", "\r\n", "\n\n", "\t", "    ", " ", "\u2028", "\u0085", "\x0b", "\x0c", "\ufeff", "\u200b", "\u00a0"),
    *(
        "\x00",
        "\x01",
        "\x1b[2J",
        "\x1b]0;t\x07",
        "\x7f",
        "\x9b",
        "\ufffe",
        "\uffff",
        "\ud83d",
        "\udc97",
        "\u202e",
        "\u2066",
    ),
    *("=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", ",", ";", '""', "\U0001f680", "e\u0301", "\u0130", "z"),
)
"""What means something to one of the readers, or is forbidden there."""

TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join),
    st.text(st.characters(), min_size=1, max_size=12),
).map(lambda text: text + "z")
TEN = st.lists(TEXTS, min_size=10, max_size=10)
TAME = [f"tame{number}" for number in range(10)]


def record_of(texts: Sequence[str]) -> RunRecord:
    """Make a record that has a text of others wherever one can be: a case that failed, and one with an error."""
    model, prompt, name, tag, answer, reason, error, asked, first, second = texts
    verdict = ScoreResult(scorer="exact_match", name=name, passed=False, score=0.0, reason=reason)
    common: dict[str, Any] = {"model": model, "prompt_id": prompt, "tags": (tag,), "messages": (_said(asked),)}
    failed = make_case_result(first, passed=False, response=answer, scores=(verdict,), expected=reason, **common)
    broken = make_case_result(f"{second}2", status=Status.API_ERROR, error=error, **common)
    combo = make_combo([failed, broken], tags=(TagResult(tag=tag, total=2, passed=0, failed=1, errors=1, score=0.0),))
    insights = Insights(passed=False, verdict=f"FAIL: {reason}", warnings=(error,), errors=1, total=2)
    return make_record([combo], benchmark=name, insights=insights)


def _said(text: str) -> Message:
    return Message(role="user", content=text)


def text_of(chunks: Iterator[bytes]) -> str:
    return b"".join(chunks).decode("utf-8")


def xml_shape(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.tag, tuple(one.attrib)) for one in ET.fromstring(text.encode("utf-8")).iter()]


class Shape(HTMLParser):
    """The tags of a page, each with the names of its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.shown: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, tuple(name for name, _value in attrs)))

    def handle_endtag(self, tag: str) -> None:
        self.found.append((f"/{tag}", ()))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", ()))

    def handle_pi(self, data: str) -> None:
        self.found.append(("instruction", ()))

    def unknown_decl(self, data: str) -> None:
        self.found.append(("declaration", ()))

    def handle_data(self, data: str) -> None:
        self.shown.append(data)


def markdown_shape(text: str) -> list[str]:
    """Return what a reader of GitHub's Markdown makes of a report, apart from the words themselves."""
    return list(_types(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)))


def _types(tokens: Sequence[Token]) -> Iterator[str]:
    for token in tokens:
        # An empty comment is what parts the sign of a mention from its name.
        if token.type not in ("text", "text_special") and token.content != "<!-- -->":
            yield token.type
        yield from _types(token.children or ())


@given(TEN)
@settings(max_examples=200, deadline=None)
def test_junit_is_xml_of_the_same_elements_whatever_is_written_in_it(texts: list[str]) -> None:
    text = text_of(junit_chunks(record_of(texts)))
    assert xml_shape(text) == xml_shape(text_of(junit_chunks(record_of(TAME))))
    names = [one.get("name") or "" for one in ET.fromstring(text.encode("utf-8")).iter("testcase")]
    # What a person can read of an id is there.
    for name, written in zip(names, (texts[8], f"{texts[9]}2"), strict=True):
        assert [character for character in written if character in "<>&\"'|z"] == [
            character for character in name if character in "<>&\"'|z"
        ]


@given(TEN)
@settings(max_examples=200, deadline=None)
def test_the_page_has_the_same_tags_and_attributes_whatever_is_written_in_it(texts: list[str]) -> None:
    found = Shape(text_of(html_chunks(record_of(texts))))
    assert found.found == Shape(text_of(html_chunks(record_of(TAME)))).found
    assert "z" in "".join(found.shown)


@given(TEN)
@settings(max_examples=200, deadline=None)
def test_the_markdown_report_has_the_same_parts_whatever_is_written_in_it(texts: list[str]) -> None:
    text = text_of(markdown_chunks(record_of(texts)))
    assert markdown_shape(text) == markdown_shape(text_of(markdown_chunks(record_of(TAME))))
    assert not any(character in text for character in "\x00\x1b\x9b\u202e\u2066")


@given(TEN)
@settings(max_examples=200, deadline=None)
def test_the_csv_file_has_the_same_cells_and_no_formula_whatever_is_written_in_it(texts: list[str]) -> None:
    rows = list(csv.reader(io.StringIO(text_of(csv_chunks(record_of(texts))), newline=""), strict=True))
    tame = list(csv.reader(io.StringIO(text_of(csv_chunks(record_of(TAME))), newline=""), strict=True))
    assert [len(row) for row in rows] == [len(row) for row in tame]
    for row, other in zip(rows, tame, strict=True):
        for cell, expected in zip(row, other, strict=True):
            if cell != expected:
                assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r")), cell
