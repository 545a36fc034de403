from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

import pytest

from steelyard.errors import RecordError, SteelyardError
from steelyard.records import encode_case, read_record, write_file, write_record


class Make(Protocol):
    def __call__(self, *args: Any, **changes: Any) -> Any: ...


def strict(path: Path) -> Any:
    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    return json.loads(path.read_text("utf-8"), parse_constant=refuse)


def test_a_record_comes_back_equal(tmp_path: Path, make_record: Make, make_case: Make) -> None:
    record = make_record(make_case("a"), make_case("b", expected={"a": [1.5, None]}))
    path = tmp_path / "run.json"

    write_record(path, record)

    assert read_record(path) == record


def test_a_record_without_results_or_cases_comes_back_equal(tmp_path: Path, make_record: Make) -> None:
    for index, record in enumerate((make_record(), replace(make_record(), results=()))):
        write_record(tmp_path / f"{index}.json", record)
        assert read_record(tmp_path / f"{index}.json") == record


def test_the_file_has_the_shape_that_scripts_rely_on(tmp_path: Path, make_record: Make, make_case: Make) -> None:
    write_record(tmp_path / "run.json", make_record(make_case()))

    document = strict(tmp_path / "run.json")

    assert list(document)[:4] == ["schema_version", "run_id", "benchmark", "timestamp"]
    assert set(document) >= {
        "steelyard_version", "format", "judge_model", "temperature", "max_tokens", "quality_threshold", "concurrency",
        "repeat", "filters", "seed", "plugins", "results", "insights",
    }  # fmt: skip
    assert set(document["results"][0]) >= {
        "model", "prompt_id", "success", "total", "scored", "errors", "score", "score_low", "score_high",
        "total_prompt_tokens", "total_completion_tokens", "total_cost", "latency_p50_ms", "latency_p95_ms",
        "test_cases",
    }  # fmt: skip
    assert set(document["insights"]) >= {
        "passed", "best_quality", "best_value", "tags", "warnings", "errors", "total",
    }  # fmt: skip
    assert list(document)[-1] == "insights"
    assert document["results"][0]["test_cases"][0]["id"] == "conv_001"
    assert document["plugins"] == [{"name": "label", "distribution": "steelyard-label", "version": "0.3"}]


def test_each_case_stands_on_a_line_of_its_own_and_equals_its_journal_line(
    tmp_path: Path, make_record: Make, make_case: Make
) -> None:
    cases = [make_case("a"), make_case("b")]
    write_record(tmp_path / "run.json", make_record(*cases))

    lines = [line.strip().rstrip(b",") for line in (tmp_path / "run.json").read_bytes().split(b"\n")]

    assert [line for line in lines if line.startswith(b'{"id"')] == [encode_case(case) for case in cases]


def test_lines_that_are_encoded_already_are_taken_as_they_are(
    tmp_path: Path, make_record: Make, make_case: Make
) -> None:
    record = make_record(make_case("a"), make_case("b"))
    asked = []

    def lines(index: int) -> Iterator[bytes]:
        asked.append(index)
        return (encode_case(case) for case in record.results[index].cases)

    write_record(tmp_path / "direct.json", record)
    write_record(tmp_path / "lines.json", replace(record, results=(replace(record.results[0], cases=()),)), lines)

    assert (tmp_path / "lines.json").read_bytes() == (tmp_path / "direct.json").read_bytes()
    assert asked == [0]


def test_a_record_that_was_read_is_written_again_byte_for_byte(
    tmp_path: Path, make_record: Make, make_case: Make
) -> None:
    write_record(tmp_path / "a.json", make_record(make_case("a"), make_case("b")))

    write_record(tmp_path / "b.json", read_record(tmp_path / "a.json"))

    assert (tmp_path / "b.json").read_bytes() == (tmp_path / "a.json").read_bytes()


def test_a_record_may_be_written_over_itself(tmp_path: Path, make_record: Make, make_case: Make) -> None:
    path = tmp_path / "run.json"
    write_record(path, make_record(make_case("a"), make_case("b")))
    before = path.read_bytes()

    write_record(path, read_record(path))

    assert path.read_bytes() == before


@pytest.mark.parametrize("indent", [None, 2, 4])
def test_a_record_that_somebody_laid_out_anew_is_read_all_the_same(
    tmp_path: Path, make_record: Make, make_case: Make, indent: int | None
) -> None:
    record = make_record(make_case("a"), make_case("b"))
    write_record(tmp_path / "run.json", record)
    (tmp_path / "new.json").write_text(json.dumps(strict(tmp_path / "run.json"), indent=indent), "utf-8")

    assert read_record(tmp_path / "new.json") == record


def test_windows_line_ends_and_a_byte_order_mark_do_not_matter(
    tmp_path: Path, make_record: Make, make_case: Make
) -> None:
    record = make_record(make_case("a"), make_case("b"))
    write_record(tmp_path / "run.json", record)
    data = (tmp_path / "run.json").read_bytes()
    (tmp_path / "new.json").write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))

    assert read_record(tmp_path / "new.json") == record


def test_a_response_that_looks_like_the_layout_confuses_nobody(
    tmp_path: Path, make_record: Make, make_case: Make, make_run: Make
) -> None:
    evil = '\n      ]\n    },\n  ],\n        {"id":"x"},\n  "results": [\n      "test_cases": [\n'
    record = make_record(make_case(evil, runs=(make_run(response=evil),)), benchmark=evil)
    write_record(tmp_path / "run.json", record)

    assert read_record(tmp_path / "run.json") == record


def test_cases_can_be_counted_sliced_and_gone_through_twice(tmp_path: Path, make_record: Make, make_case: Make) -> None:
    write_record(tmp_path / "run.json", make_record(*(make_case(str(number)) for number in range(5))))

    cases = read_record(tmp_path / "run.json").results[0].cases

    assert len(cases) == 5
    assert [case.id for case in cases] == [case.id for case in cases] == ["0", "1", "2", "3", "4"]
    assert (cases[2].id, cases[-1].id) == ("2", "4")
    assert [case.id for case in cases[1:4:2]] == ["1", "3"]
    with pytest.raises(IndexError):
        cases[5]


def test_cases_stay_on_disk_until_they_are_asked_for(tmp_path: Path, make_record: Make, make_case: Make) -> None:
    path = tmp_path / "run.json"
    write_record(path, make_record(make_case("a"), make_case("b")))
    record = read_record(path)
    path.write_bytes(path.read_bytes().replace(b'"id":"b"', b'"id":"c"'))

    assert [case.id for case in record.results[0].cases] == ["a", "c"]


def test_a_record_that_vanishes_while_it_is_read_is_a_record_error(
    tmp_path: Path, make_record: Make, make_case: Make
) -> None:
    path = tmp_path / "run.json"
    write_record(path, make_record(make_case("a")))
    record = read_record(path)
    path.unlink()

    with pytest.raises(RecordError, match=r"run\.json: cannot be read"):
        record.results[0].cases[0]


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9, 0.999])
def test_a_record_that_was_cut_off_is_refused(tmp_path: Path, make_record: Make, make_case: Make, share: float) -> None:
    path = tmp_path / "run.json"
    write_record(path, make_record(*(make_case(str(number)) for number in range(5))))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])

    with pytest.raises(RecordError, match="not JSON"):
        read_record(path)


def test_a_case_that_was_spoilt_by_hand_is_a_record_error_that_names_the_file(
    tmp_path: Path, make_record: Make, make_case: Make
) -> None:
    path = tmp_path / "run.json"
    write_record(path, make_record(make_case("a")))
    path.write_bytes(path.read_bytes().replace(b'"attempts":1', b'"attempts":'))

    with pytest.raises(RecordError, match=r"run\.json: a stored case is not JSON"):
        list(read_record(path).results[0].cases)


def test_lone_surrogates_anywhere_leave_a_file_that_a_strict_reader_takes(
    tmp_path: Path, make_record: Make, make_case: Make
) -> None:
    write_record(
        tmp_path / "run.json", make_record(make_case("\ud800"), benchmark="n \udfff", manifest={"\ud800": "\ud800"})
    )

    assert strict(tmp_path / "run.json")["benchmark"] == "n ?"
    assert read_record(tmp_path / "run.json").benchmark == "n ?"


def test_a_file_that_cannot_be_finished_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("old", "utf-8")

    def chunks() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("out of cases")

    with pytest.raises(RuntimeError):
        write_file(path, chunks())

    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="an open file cannot be replaced there")
def test_who_reads_the_old_file_goes_on_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("old", "utf-8")

    with path.open(encoding="utf-8") as reader:
        write_file(path, [b"new"])
        assert reader.read() == "old"

    assert path.read_text("utf-8") == "new"


def test_missing_folders_are_made(tmp_path: Path) -> None:
    write_file(tmp_path / "a" / "b" / "c.txt", [b"x"])

    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == b"x"


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")

    for path in (tmp_path, tmp_path / "file" / "run.json"):
        with pytest.raises(SteelyardError) as caught:
            write_file(path, [b"x"])
        assert str(caught.value).startswith(f"{path}: cannot be written: ")
        assert "\n" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")

    write_file(tmp_path / "link", [b"x"])

    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"x"


@pytest.mark.skipif(sys.platform == "win32", reason="no such devices there")
def test_a_device_is_written_to_and_not_replaced() -> None:
    write_file(Path("/dev/null"), [b"x"])

    assert not Path("/dev/null").is_file()


def test_a_name_as_long_as_names_can_be_is_written(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250 + ".json")

    write_file(path, [b"x"])

    assert path.read_bytes() == b"x"


def test_what_a_killed_writer_left_is_swept_by_a_later_one_and_what_another_is_writing_is_not(tmp_path: Path) -> None:
    abandoned, under_way = tmp_path / ".steelyard-00.tmp", tmp_path / ".steelyard-11.tmp"
    for path in (abandoned, under_way):
        path.write_text("{", "utf-8")
    two_hours_ago = time.time() - 7200
    os.utime(abandoned, (two_hours_ago, two_hours_ago))

    write_file(tmp_path / "report.md", [b"whole"])

    assert {path.name for path in tmp_path.iterdir()} == {".steelyard-11.tmp", "report.md"}
