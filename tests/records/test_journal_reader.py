from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from steelyard._engine.journal import Journal
from steelyard.errors import RecordError
from steelyard.records import JournalReader, decode_case, encode_case

ABOUT = {
    "benchmark": "Support",
    "started": "2026-06-10T14:32:05+02:00",
    "combos": (("gpt", "v1"), ("gpt", "v2")),
    "cases": 3,
    "repeat": 2,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.journal.jsonl"


@pytest.fixture
def started(path: Path):
    """A journal as the engine writes it, open for adding."""

    def start(**changes: Any) -> Journal:
        about = {**ABOUT, **changes}
        labels = about["combos"]
        return Journal.create(
            path,
            digest="d",
            encode=encode_case,
            decode=lambda line, combo: decode_case(line, *labels[combo]),
            about=about,
        )

    return start


def add(journal: Journal, combo: int, case: int, result: Any) -> None:
    journal.add(combo, case, journal.encoded(result))


def seen(reader: JournalReader) -> list[tuple[int, int, str]]:
    return [(entry.combo, entry.case, entry.result.id) for entry in reader.entries()]


def test_a_journal_says_what_is_being_run(path, started):
    started().close()

    head = JournalReader(path).head

    assert (head.benchmark, head.started) == ("Support", "2026-06-10T14:32:05+02:00")
    assert head.combos == (("gpt", "v1"), ("gpt", "v2"))
    assert (head.cases, head.repeat) == (3, 2)


def test_uncounted_cases_are_unknown(path, started):
    started(cases=None).close()

    assert JournalReader(path).head.cases is None


def test_finished_cases_come_in_the_order_in_which_they_finished(path, started, make_case):
    journal = started()
    add(journal, 1, 2, make_case("c"))
    add(journal, 0, 0, make_case("a"))
    journal.close()

    assert seen(JournalReader(path)) == [(1, 2, "c"), (0, 0, "a")]


def test_a_case_is_whole_and_bears_the_labels_of_its_combo(path, started, make_case):
    wanted = make_case("a", model="gpt", prompt_id="v2")
    journal = started()
    add(journal, 1, 0, wanted)
    journal.close()

    (entry,) = JournalReader(path).entries()

    assert entry.result == wanted


def test_reading_again_gives_only_what_was_added_since(path, started, make_case):
    journal = started()
    reader = JournalReader(path)
    add(journal, 0, 0, make_case("a"))
    assert seen(reader) == [(0, 0, "a")]
    assert seen(reader) == []

    add(journal, 0, 1, make_case("b"))
    journal.close()

    assert seen(reader) == [(0, 1, "b")]
    assert reader.position == path.stat().st_size


def test_a_line_that_is_still_being_written_is_left_for_the_next_reading(path, started, make_case):
    journal = started()
    add(journal, 0, 0, make_case("a"))
    add(journal, 0, 1, make_case("b"))
    journal.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    reader = JournalReader(path)
    assert seen(reader) == [(0, 0, "a")]

    path.write_bytes(whole)

    assert seen(reader) == [(0, 1, "b")]


def test_a_damaged_line_costs_no_other_case(path, started, make_case):
    journal = started()
    add(journal, 0, 0, make_case("a"))
    journal.close()
    with path.open("ab") as file:
        file.write(b'\x00\x00\x00\n{"combo":0,"case":1,"result":{"id"}\n{"combo":0,"case":7}\n')
        file.write(b'{"combo":0,"case":2,"result":{"id":"c"}}\n')
    reader = JournalReader(path)

    assert seen(reader) == [(0, 0, "a"), (0, 2, "c")]
    assert reader.damaged == 3


def test_an_entry_can_be_read_again_by_its_offset(path, started, make_case):
    journal = started()
    add(journal, 0, 0, make_case("a"))
    add(journal, 0, 1, make_case("b"))
    journal.close()
    reader = JournalReader(path)
    second = list(reader.entries())[1]

    assert reader.at(second.offset) == second


def test_an_offset_where_no_case_starts_is_refused(path, started, make_case):
    journal = started()
    add(journal, 0, 0, make_case("a"))
    journal.close()

    with pytest.raises(RecordError, match=r"no finished case at byte 3$"):
        JournalReader(path).at(3)


def test_a_journal_that_does_not_name_its_combos_numbers_them(path, make_case):
    line = b'{"combo":1,"case":0,"result":%b}\n' % encode_case(make_case("a"))
    path.write_bytes(b'{"steelyard_journal": 1, "digest": "d"}\n' + line)
    reader = JournalReader(path)

    (entry,) = reader.entries()

    assert (entry.result.model, entry.result.prompt_id) == ("combo 2", "")
    assert (reader.head.benchmark, reader.head.cases, reader.head.repeat) == ("", None, 1)


@pytest.mark.parametrize("combos", [None, "v1", [["m"]], [["m", 1]], [{"m": "v1"}], [["m", "v1", "x"]]])
def test_combos_of_another_shape_are_not_believed(path, combos):
    path.write_text(json.dumps({"steelyard_journal": 1, "combos": combos, "cases": "3", "repeat": 0}) + "\n", "utf-8")

    head = JournalReader(path).head

    assert (head.combos, head.cases, head.repeat) == ((), None, 1)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"steelyard_journal": 1}', id="torn"),
        pytest.param(b'{"steelyard_journal": 2}\n', id="newer"),
        pytest.param(b"[1]\n", id="list"),
        pytest.param(b"\xff\n", id="bytes"),
        pytest.param(b"[" * 100_000 + b"\n", id="deep"),
    ],
)
def test_what_is_no_journal_is_refused_with_its_path(path, content):
    path.write_bytes(content)

    with pytest.raises(RecordError) as refused:
        JournalReader(path)

    assert str(refused.value) == f"{path}: not a journal of this version"


def test_a_missing_journal_is_one_line(path):
    with pytest.raises(RecordError) as refused:
        JournalReader(path)

    assert str(refused.value) == f"{path}: cannot be read: No such file or directory"


def test_a_journal_that_is_gone_is_one_line_at_the_next_reading(path, started):
    started().close()
    reader = JournalReader(path)
    path.unlink()

    with pytest.raises(RecordError, match="cannot be read"):
        list(reader.entries())


def test_reading_takes_nothing_away_from_the_run_that_writes(path, started, make_case):
    journal = started()
    reader = JournalReader(path)
    entries = reader.entries()
    add(journal, 0, 0, make_case("a"))
    next(entries)

    with pytest.raises(RecordError, match="still goes on"):
        Journal.reopen(path, digest="d", encode=encode_case, decode=decode_case)
    add(journal, 0, 1, make_case("b"))
    entries.close()
    journal.close()

    again = Journal.reopen(path, digest="d", encode=encode_case, decode=decode_case)
    again.close()
    assert again.has(0, 1)
