"""Searching the texts of a run: every case that holds the text is found, and few others are decoded."""

from __future__ import annotations

import pytest
from steelyard_dashboard.results.searching import positions_holding

from steelyard.api import Message
from steelyard.records import decode_case, read_record

TEXTS = (
    "plain words",
    'says "quoted" things',
    "back\\slash and a/slash",
    "first line\nsecond line\tafter a tab",
    "Straße in Istanbul, İstanbul, KELVIN \u212a, long \u017f, \ufb01ne",
    "שלום עולם, مرحبا, 👩‍👩‍👧",
    "control \u0000\u0007 and \u2028 and \ud800 half",
    "a literal \\u0041 and %s {braces}",
    "",
)
WANTED = (
    "plain", "PLAIN WORDS", "nowhere at all", '"quoted"', "quoted", "back\\slash", "\\slash", "a/slash", "/", '"', "\\",
    "line\nsecond", "\t", "straße", "STRASSE", "istanbul", "kelvin k", "long s,", "fine", "שלום", "👩", "\u0007",
    "\u2028", "\\u0041", "a, b", '"a": 1', '["x, y", {', "7.5", "first line", "%s {",
)  # fmt: skip


@pytest.fixture
def stored(put, make_case):
    """The cases of a record on the disk, each with one of the texts in one of its places."""
    places = (
        lambda text: {"run": {"response": text}},
        lambda text: {"run": {"messages": (Message(role="user", content=text),)}},
        lambda text: {"run": {"reasoning": text}},
        lambda text: {"expected": text},
        lambda text: {"expected": ["x, y", {"a": 1, "b": 7.5, "text": text}]},
    )
    cases = [
        make_case(f"{number}-{place}", **change(text))
        for number, text in enumerate(TEXTS)
        for place, change in enumerate(places)
    ]
    return read_record(put(*cases)).results[0].cases


@pytest.mark.parametrize("wanted", WANTED, ids=ascii)
def test_a_search_on_the_disk_finds_what_a_search_in_memory_finds(stored, wanted):
    wanted = wanted.casefold()

    assert list(positions_holding(stored, wanted)) == list(positions_holding(tuple(stored), wanted))


@pytest.mark.parametrize("wanted", ["plain words", "strasse", 'says "quoted"', "istanbul", '"a": 1'])
def test_what_is_there_is_found(stored, wanted):
    assert list(positions_holding(stored, wanted))


def test_a_file_whose_characters_are_escaped_by_number_is_searched_too(put, make_case):
    path = put(make_case("a", run={"response": "Grüße"}), make_case("b"))
    path.write_bytes(path.read_bytes().replace("Grüße".encode(), rb"Gr\u00fc\u00dfe"))

    assert list(positions_holding(read_record(path).results[0].cases, "grüsse")) == [0]


def test_only_cases_that_may_hold_the_text_are_decoded(put, make_case, monkeypatch):
    cases = [make_case(f"c-{number}", run={"response": f"answer {number}"}) for number in range(50)]
    stored = read_record(put(*cases)).results[0].cases
    decoded = []

    def counted(*arguments):
        decoded.append(arguments)
        return decode_case(*arguments)

    monkeypatch.setattr("steelyard.records.layout.decode_case", counted)

    assert list(positions_holding(stored, "answer 17")) == [17]
    assert len(decoded) == 1


def test_a_search_is_done_over_every_combo(dashboard, store, make_record, make_combo, make_case):
    combos = [
        make_combo(make_case("a", model=model), make_case("b", model=model, run={"response": "The Parcel."}))
        for model in ("gpt", "claude")
    ]
    store(make_record(*combos))

    found = dashboard("/api/runs/2026-06-10_143205_support/cases?text=PARCEL").json["cases"]

    assert [(case["model"], case["id"]) for case in found] == [("gpt", "b"), ("claude", "b")]
