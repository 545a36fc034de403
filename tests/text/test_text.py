from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from steelyard.text import csv_cell, markdown_cell, one_line, printable, shorten, well_formed, xml_text

HOSTILE = [
    "a | b",
    "a || b |",
    "`code`",
    "`` ` | ``",
    "*a* and **b**",
    "_a_ and __b__ and a_b_c",
    "~~gone~~",
    "[link](http://evil)",
    "![image](http://evil/x.png)",
    "[ref][1]",
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<!-- hidden -->",
    "<http://evil>",
    "&lt;b&gt; &amp; &#64;",
    "\\| \\` \\",
    "one\ntwo\r\nthree",
    "[bold]x[/bold] [/INST] a[/] :smile:",
    "测试-1 ✓ 🎯 Δ",
]

special = st.text(st.sampled_from("*_`|[]()<>!~\\@&;#ab1 \n-=+:.\"'/$"), max_size=30)
any_text = st.text(st.characters(exclude_categories=()), max_size=40)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2Jgone", r"\x1b[2Jgone"),
        ("\x1b]0;title\x07", r"\x1b]0;title\x07"),
        ("\x9b31mred", r"\x9b31mred"),
        ("back\x08\x7f", r"back\x08\x7f"),
        ("safe\u202eexe.txt", r"safe\u202eexe.txt"),
        ("\u2066isolate\u2069", r"\u2066isolate\u2069"),
        ("hid\u200bden\ufeff", r"hid\u200bden\ufeff"),
        ("line\u2028end", r"line\u2028end"),
        ("a\nb\tc", r"a\nb\tc"),
    ],
)
def test_what_would_drive_a_terminal_is_written_out(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", ["[bold]x", "[/INST]", "a[/]", ":smile:", "测试-1", "done ✓ 🎯 Δ", "👩‍💻 naïve", ""])
def test_ordinary_text_of_any_language_is_shown_as_it_is(text: str) -> None:
    assert printable(text) == text


def test_a_block_keeps_its_line_ends_and_tabs_and_nothing_else() -> None:
    assert printable("a\n\tb\rc\x1b", newlines=True) == "a\n\tb\\rc\\x1b"


@given(any_text)
@settings(derandomize=True)
def test_no_text_reaches_a_terminal_with_a_control_character_or_fails_to_encode(text: str) -> None:
    shown = printable(text)

    shown.encode()
    assert not any(ord(char) < 0x20 or 0x7F <= ord(char) < 0xA0 for char in shown)


def test_each_lone_surrogate_becomes_a_question_mark() -> None:
    assert well_formed("math \ud835 sign \udc97") == "math ? sign ?"


def test_one_line_is_one_line_whatever_separates_the_lines() -> None:
    assert one_line("  a\r\n\tb\u2028c\x0bd\n\n") == "a b c d"


def test_a_cut_line_says_so_and_keeps_its_limit() -> None:
    assert one_line("abcdef ghi", 6) == "abcde…"
    assert one_line("abcdef", 6) == "abcdef"
    assert shorten("abc", 1) == "…"


def cells_of(markdown: str) -> list[list[Token]]:
    """Return the inline tokens of each cell of the only row of a table."""
    table = f"| a | b |\n| --- | --- |\n| {markdown} | after |"
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(table)
    body = next(index for index, token in enumerate(tokens) if token.type == "tbody_open")
    return [token.children or [] for token in tokens[body:] if token.type == "inline"]


def plain(tokens: list[Token]) -> str:
    return "".join(token.content for token in tokens if token.type in ("text", "text_special"))


def assert_shown_literally(text: str) -> None:
    cells = cells_of(markdown_cell(text))

    assert len(cells) == 2, "the cell was split, or swallowed the next one"
    acting = [token for token in cells[0] if token.type not in ("text", "text_special")]
    assert [token.content for token in acting if token.content != "<!-- -->"] == []
    assert plain(cells[0]) == one_line(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_markdown_cell_shows_its_text_and_nothing_happens(text: str) -> None:
    assert_shown_literally(text)


@given(any_text | special)
@settings(derandomize=True, deadline=None, max_examples=1000)
def test_no_text_at_all_acts_in_a_markdown_cell(text: str) -> None:
    assert_shown_literally(text)


def test_a_mention_notifies_nobody_and_reads_the_same() -> None:
    cell = markdown_cell("thanks @octocat and a@b")

    assert "@octocat" not in cell
    assert plain(cells_of(cell)[0]) == "thanks @octocat and a@b"


def test_ids_with_underscores_stay_searchable_in_the_source() -> None:
    assert markdown_cell("conv_001_a") == "conv_001_a"


@given(any_text)
@settings(derandomize=True)
def test_any_text_parses_as_xml_and_keeps_what_xml_allows(text: str) -> None:
    parsed = ET.fromstring(f"<a>{escape(xml_text(text))}</a>").text or ""

    assert parsed == xml_text(text).replace("\r\n", "\n").replace("\r", "\n")


def test_characters_that_xml_forbids_are_replaced_and_their_neighbours_stay() -> None:
    assert (
        xml_text("\x1b[31mred\x1b[0m \x00 \ufffe \ud83d ]]> 🚀\t\n")
        == "\ufffd[31mred\ufffd[0m \ufffd \ufffd \ufffd ]]> 🚀\t\n"
    )


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\r=1", "  =1", "\uff1d1+1", '=HYPERLINK("http://evil")'],
)
def test_a_formula_is_shown_and_not_calculated(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "+3.25", "-1e-9", "text", "a=b", "1-2", ""])
def test_numbers_and_ordinary_text_are_left_alone(text: str) -> None:
    assert csv_cell(text) == text


@given(any_text)
@settings(derandomize=True)
def test_any_text_comes_through_a_csv_file_as_one_cell(text: str) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerow([csv_cell(text), "after"])
    file.getvalue().encode()

    assert next(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [csv_cell(text), "after"]
