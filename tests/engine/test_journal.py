from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from steelyard._engine.journal import Journal
from steelyard.api import CaseResult, CaseRun, Status
from steelyard.errors import RecordError


def encode(result: CaseResult) -> bytes:
    return f'{{"id":"{result.id}"}}'.encode()


def decode(data: bytes, combo: int) -> CaseResult:
    if not data.startswith(b'{"id":"') or not data.endswith(b'"}'):
        raise ValueError(data)
    return result(data[7:-2].decode(), f"m{combo}")


def result(name: str, model: str = "m0") -> CaseResult:
    run = CaseRun(repeat=0, status=Status.SCORED, passed=True, score=1.0)
    return CaseResult(model=model, prompt_id="p", id=name, status=Status.SCORED, passed=True, score=1.0, runs=(run,))


KIND: dict[str, Any] = {"digest": "d", "encode": encode, "decode": decode}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.journal"


def add(journal: Journal, combo: int, case: int, name: str) -> None:
    journal.add(combo, case, journal.encoded(result(name)))


def written(path: Path, *names: str) -> None:
    journal = Journal.create(path, **KIND)
    for number, name in enumerate(names):
        add(journal, 0, number, name)
    journal.close()


def names(journal: Journal, combo: int = 0) -> list[str]:
    return [one.id for one in journal.cases(combo)]


def test_cases_are_read_in_their_order_whatever_order_they_finished_in(path: Path) -> None:
    journal = Journal.create(path, **KIND)
    for combo, case in [(1, 2), (0, 5), (1, 0), (0, 1)]:
        add(journal, combo, case, f"{combo}-{case}")
    assert names(journal, 0) == ["0-1", "0-5"]
    assert names(journal, 1) == ["1-0", "1-2"]
    assert names(journal, 2) == []
    assert [one.model for one in journal.cases(1)] == ["m1", "m1"]
    journal.close()


def test_cases_are_a_sequence(path: Path) -> None:
    journal = Journal.create(path, **KIND)
    for case in range(5):
        add(journal, 0, case, str(case))
    cases = journal.cases(0)
    assert len(cases) == 5
    assert cases[-1].id == "4"
    assert [one.id for one in cases[1:4:2]] == ["1", "3"]
    assert list(cases.raw()) == [f'{{"id":"{n}"}}'.encode() for n in range(5)]
    with pytest.raises(IndexError):
        cases[5]
    journal.close()


def test_each_line_is_on_disk_before_the_next_case(path: Path) -> None:
    journal = Journal.create(path, **KIND)
    add(journal, 0, 0, "a")
    assert path.read_bytes().endswith(b'{"combo":0,"case":0,"result":{"id":"a"}}\n')
    journal.close()


def test_a_run_goes_on_where_it_was_cut_off(path: Path) -> None:
    written(path, "a", "b")
    journal = Journal.reopen(path, **KIND)
    add(journal, 0, 2, "c")
    assert names(journal) == ["a", "b", "c"]
    journal.close()
    again = Journal.reopen(path, **KIND)
    assert names(again) == ["a", "b", "c"]
    again.close()


def test_wherever_the_file_breaks_off_every_whole_line_is_read(path: Path) -> None:
    written(path, "a", "b", "c")
    whole = path.read_bytes()
    ends = [index + 1 for index, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(ends[0], len(whole) + 1):
        path.write_bytes(whole[:cut])
        journal = Journal.reopen(path, **KIND)
        assert names(journal) == ["a", "b", "c"][: sum(end <= cut for end in ends) - 1]
        add(journal, 0, 3, "d")
        assert names(journal)[-1] == "d"
        journal.close()
        again = Journal.reopen(path, **KIND)
        assert names(again)[-1] == "d"
        again.close()


def test_a_damaged_line_costs_only_its_own_case(path: Path) -> None:
    written(path, "a", "b", "c")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1] + b"\x00\x00garbage\n" + lines[3])
    journal = Journal.reopen(path, **KIND)
    assert names(journal) == ["a", "c"]
    journal.close()


def test_a_line_with_an_absurd_number_does_not_fill_the_memory(path: Path) -> None:
    written(path, "a")
    with path.open("ab") as file:
        file.write(b'{"combo":0,"case":999999999,"result":{"id":"z"}}\n')
        file.write(b'{"combo":999999999,"case":0,"result":{"id":"z"}}\n')
    journal = Journal.reopen(path, **KIND)
    assert names(journal) == ["a"]
    journal.close()


def test_a_case_that_was_run_again_is_the_later_one(path: Path) -> None:
    written(path, "a", "b")
    journal = Journal.reopen(path, **KIND)
    journal.forget(0, 0)
    assert names(journal) == ["b"]
    add(journal, 0, 0, "a again")
    assert names(journal) == ["a again", "b"]
    journal.close()
    again = Journal.reopen(path, **KIND)
    assert names(again) == ["a again", "b"]
    again.close()


@pytest.mark.parametrize("content", [b"", b"\n", b"garbage\n", b"[]\n", b'{"steelyard_journal": 99, "digest": "d"}\n'])
def test_what_is_no_journal_is_not_gone_on_with(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(RecordError, match="no journal"):
        Journal.reopen(path, **KIND)


def test_a_changed_benchmark_is_not_gone_on_with(path: Path) -> None:
    written(path, "a")
    with pytest.raises(RecordError, match="has changed"):
        Journal.reopen(path, **{**KIND, "digest": "other"})


def test_a_result_that_cannot_be_read_back_is_named(path: Path) -> None:
    journal = Journal.create(path, **KIND)
    journal.add(0, 3, b'{"other":1}')
    with pytest.raises(RecordError, match="case number 3"):
        journal.read(0, 3)
    with pytest.raises(KeyError):
        journal.read(0, 0)
    journal.close()


def test_a_line_break_in_a_result_is_refused(path: Path) -> None:
    journal = Journal.create(path, **KIND)
    with pytest.raises(ValueError, match="line breaks"):
        journal.add(0, 0, b"{\n}")
    journal.close()


def test_what_a_full_disk_does_not_take_is_kept_in_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal.create(path, **KIND)
    add(journal, 0, 0, "a")
    writer = journal._writer

    class Full:
        def write(self, data: bytes) -> int:
            writer.write(data[:7])
            raise OSError(errno.ENOSPC, "No space left on device")

        def __getattr__(self, name: str) -> Any:
            return getattr(writer, name)

    journal._writer = Full()  # type: ignore[assignment]
    add(journal, 0, 1, "b")
    add(journal, 0, 2, "c")
    assert journal.failure is not None
    assert names(journal) == ["a", "b", "c"]
    journal.close()
    again = Journal.reopen(path, **KIND)
    assert names(again) == ["a"]
    again.close()


def test_an_interrupted_journal_is_taken_over_under_the_new_runs_name(path: Path, tmp_path: Path) -> None:
    written(path, "a")
    target = tmp_path / "new.journal"
    target.touch()
    journal = Journal.take_over(path, target, **KIND)
    assert journal is not None
    assert names(journal) == ["a"]
    assert not path.exists()
    add(journal, 0, 1, "b")
    journal.close()
    assert b'"b"' in target.read_bytes()


@pytest.mark.parametrize("content", [None, b"garbage\n", b'{"steelyard_journal": 1, "digest": "other"}\n'])
def test_what_cannot_be_taken_over_is_left_alone(path: Path, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        path.write_bytes(content)
    assert Journal.take_over(path, tmp_path / "new.journal", **KIND) is None
    assert (path.read_bytes() if path.exists() else None) == content
    assert not (tmp_path / "new.journal").exists()


HOLDING = """
import sys, time
from pathlib import Path
from steelyard._engine.journal import Journal
journal = Journal.create(Path(sys.argv[1]), digest="d", encode=repr, decode=repr)
journal.add(0, 0, b'{"id":"a"}')
print("ready", flush=True)
time.sleep(60)
"""


def test_a_run_that_still_goes_on_is_not_taken_over_until_it_is_killed(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "new.journal"
    with subprocess.Popen([sys.executable, "-c", HOLDING, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert Journal.take_over(path, target, **KIND) is None
        with pytest.raises(RecordError, match="still goes on"):
            Journal.reopen(path, **KIND)
        process.kill()
    journal = Journal.take_over(path, target, **KIND)
    assert journal is not None
    assert names(journal) == ["a"]
    journal.close()
