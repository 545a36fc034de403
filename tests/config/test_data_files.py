"""Rows of data files: every one as it is written, in order, as they are needed, or an error that says where."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from steelyard._config.tools import Tools
from steelyard.api import Row
from steelyard.errors import BenchmarkError


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Row]]:
    """Writes a file and reads its rows."""
    monkeypatch.chdir(tmp_path)

    def read(name: str, content: str | bytes, **choices: Any) -> list[Row]:
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return list(Tools({}).rows(name, base_dir=Path(), **choices))

    return read


@pytest.fixture
def fault(rows: Callable[..., list[Row]]) -> Callable[..., str]:
    """Writes a file that is wrong and returns what is said about it."""

    def read(name: str, content: str | bytes) -> str:
        with pytest.raises(BenchmarkError) as raised:
            rows(name, content)
        return str(raised.value)

    return read


def test_rows_of_jsonl_have_their_lines_and_numbers(rows: Any) -> None:
    found = rows("f.jsonl", '{"id": "a", "n": 1}\r\n\n   \n{"id": "b", "n": [1.5, null]}')

    assert [(row.number, row.place, row.data) for row in found] == [
        (1, "f.jsonl:1", {"id": "a", "n": 1}),
        (2, "f.jsonl:4", {"id": "b", "n": [1.5, None]}),
    ]


def test_a_line_of_jsonl_ends_at_a_line_feed_only(rows: Any) -> None:
    text = json.dumps({"q": "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"}, ensure_ascii=False)
    (row,) = rows("f.ndjson", text.replace("\\u000b", "\\u000b") + "\n")

    assert row.data["q"] == "a\u2028b\u2029c\u0085d\x0be\x0cf\x1cg"


def test_ids_of_jsonl_keep_every_digit_and_are_alike_when_they_are_equal(rows: Any) -> None:
    found = rows(
        "f.jsonl", '{"id": 12345678901234567890}\n{"id": 1}\n{"id": "1"}\n{"id": 1.0}\n{"id": 1.5, "n": 1.0}\n'
    )

    assert [str(row.data["id"]) for row in found] == ["12345678901234567890", "1", "1", "1", "1.5"]
    assert repr(found[4].data["n"]) == "1.0"


@pytest.mark.parametrize("name", ["f.csv", "f.jsonl", "f.yaml", "f.json"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_a_byte_order_mark_is_no_part_of_the_first_row(rows: Any, name: str, encoding: str) -> None:
    text = {"f.csv": "id,q\r\n1,é\r\n", "f.jsonl": '{"id": "1", "q": "é"}\n', "f.yaml": "- {id: '1', q: é}\n"}.get(
        name, '[{"id": "1", "q": "é"}]'
    )
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    (row,) = rows(name, (mark + text).encode(encoding))

    assert row.data == {"id": "1", "q": "é"}


def test_every_cell_of_csv_is_text_as_it_is_written(rows: Any) -> None:
    found = rows(
        "f.csv",
        'id, question ,label\n007,  yes ,\n2,"line one\nline two, with ""quotes""", "x"\n\n3,\ufeff5" disc,1e3\n',
    )

    assert [(row.place, row.data) for row in found] == [
        ("f.csv:2", {"id": "007", "question": "  yes ", "label": ""}),
        ("f.csv:3", {"id": "2", "question": 'line one\nline two, with "quotes"', "label": ' "x"'}),
        ("f.csv:6", {"id": "3", "question": '\ufeff5" disc', "label": "1e3"}),
    ]


def test_line_ends_inside_quotes_are_kept_and_others_are_not(rows: Any) -> None:
    (row,) = rows("f.csv", b'a,b\r\n"x\r\ny","z"\r\n')

    assert row.data == {"a": "x\r\ny", "b": "z"}


def test_an_old_mac_file_has_its_lines(rows: Any) -> None:
    assert [row.data for row in rows("f.csv", b"a,b\r1,2\r3,4\r")] == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]


def test_tabs_separate_the_cells_of_tsv(rows: Any) -> None:
    found = rows("f.tsv", 'a\tb\n1,5\t"x\ty"\n\t\n')

    assert [row.data for row in found] == [{"a": "1,5", "b": "x\ty"}, {"a": "", "b": ""}]


def test_a_cell_may_be_of_any_honest_size(rows: Any) -> None:
    found = rows("f.csv", f'id,doc,label\n1,"{"x" * 200_000}",long\n2,short,short\n')

    assert [len(str(row.data["doc"])) for row in found] == [200_000, 5]


def test_rows_of_a_list_have_the_lines_of_its_entries(rows: Any) -> None:
    assert [row.place for row in rows("f.json", '[{"a": 1},\n {"a": 2}]')] == ["f.json:1:2", "f.json:2:2"]
    assert [row.data for row in rows("f.yml", "- a: 2024-01-15\n- a: 2\n")] == [{"a": "2024-01-15"}, {"a": 2}]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("f.jsonl", '{"a": 1}\n{"a": }\n', "f.jsonl:2:7: not valid JSON: expecting value"),
        ("f.jsonl", '{"a": 1}\n{"a": 1, "a": 2}\n', "f.jsonl:2:10: key 'a' is given twice; first at f.jsonl:2:2"),
        (
            "f.jsonl",
            '{"a": 1}\n[1]\n',
            "f.jsonl:2: a row must be a mapping, got [1]; a file that is one list ends in",
        ),
        ("f.jsonl", '"a"\n', "f.jsonl:1: a row must be a mapping, got 'a'"),
        ("f.jsonl", b'{"a": 1}\n{"a": "caf\xe9"}\n', "f.jsonl:2: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("f.jsonl", '{"a": 1}\n{"a": "\0"}\n', "f.jsonl:2: holds a NUL character; save it as text in UTF-8"),
        ("f.jsonl", '{"a":' * 3000, "f.jsonl:1:1001: nested more than 200 levels deep"),
        ("f.jsonl", '{"a": ' + "1" * 4301 + "}", "f.jsonl:1:7: an integer has more than 4300 digits"),
        ("f.jsonl", "\n\n", "f.jsonl: holds no rows"),
        ("f.csv", "", "f.csv: holds no rows"),
        ("f.csv", "a,b\n", "f.csv: holds no rows"),
        ("f.csv", "a,b,a\n1,2,3\n", "f.csv:1: column 'a' is there twice, as columns 1 and 3"),
        ("f.csv", "a;b\n1;2\n", "f.csv:1: has one column only, 'a;b'; separate cells by ','"),
        ("f.csv", 'a,b,c\n1,{"a":1,"b":2},ok\n', "f.csv:2: has 4 cells for 3 columns; put a cell that holds ',' in"),
        ("f.csv", 'a,b\n1,2\n"x\ny",2\n1\n', "f.csv:5: has 1 cell for 2 columns; nothing stands"),
        (
            "f.csv",
            "a,b,c\n1\n",
            "f.csv:2: has 1 cell for 3 columns; nothing stands for 'b'; an empty cell takes its ','",
        ),
        ("f.jsonl", '{"a": "NaN"}\n{"a": "NaN", "b": NaN}\n', "f.jsonl:2:19: not valid JSON: 'NaN' is no number that"),
        (
            "f.jsonl",
            '{"a": [-Infinity]}\n',
            "f.jsonl:1:8: not valid JSON: '-Infinity' is no number that JSON has; write",
        ),
        ("f.jsonl", '{"a": 1e999}\n', "f.jsonl:1:7: not valid JSON: '1e999' is no number that JSON has; write null"),
        ("f.csv", 'a,b\n1,"x"y\n', "f.csv:2: text follows a closing quote; double the quotes inside a cell"),
        (
            "f.csv",
            'a,b,c\n1,"never closed,ok\n2,second,ok\n3,third,ok\n',
            "f.csv:2: a quote is opened here and never closed",
        ),
        ("f.csv", 'a,b\n"x\ny","never\n2,3\n', "f.csv:3: a quote is opened here and never closed"),
        ("f.csv", 'a,"b\n1,2\n', "f.csv:1: a quote is opened here and never closed"),
        ("f.csv", b"a,b\n1,2\n3,\xe9\n", "f.csv:3: byte 0xe9 is not UTF-8; save the file as UTF-8"),
        ("f.csv", "a,b\n1,\0\n", "f.csv:2: holds a NUL character; save it as text in UTF-8"),
        ("f.json", '{"a": 1}', "f.json:1:1: must be a list, got {'a': 1}"),
        ("f.json", "[]", "f.json: holds no rows"),
        ("f.yaml", "", "f.yaml: holds no rows"),
        ("f.yaml", "- a: 1\n- 3\n", "f.yaml:2:3: a row must be a mapping, got 3"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_with_its_line(fault: Any, name: str, content: Any, said: str) -> None:
    assert fault(name, content).startswith(said)


def test_a_bad_row_does_not_hide_the_good_ones_before_it(tmp_path: Path) -> None:
    (tmp_path / "f.csv").write_text("a,b\n1,2\n3\n", encoding="utf-8")
    reading = iter(Tools({}).rows("f.csv", base_dir=tmp_path))

    assert next(reading).data == {"a": "1", "b": "2"}
    with pytest.raises(BenchmarkError, match=r"f\.csv:3: has 1 cell for 2 columns"):
        next(reading)


def test_the_files_of_a_pattern_follow_one_another_by_name(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name, value in (("b.jsonl", 2), ("a.csv", 1), ("sub/c.jsonl", 3)):
        text = f"n\n{value}\n" if name.endswith("csv") else f'{{"n": "{value}"}}\n'
        (tmp_path / name).write_text(text, encoding="utf-8")

    found = list(Tools({}).rows("[ab].*", base_dir=tmp_path))
    everywhere = list(Tools({}).rows("**/*.jsonl", base_dir=tmp_path))

    assert [(row.number, row.data["n"]) for row in found] == [(1, "1"), (2, "2")]
    assert [row.data["n"] for row in everywhere] == ["2", "3"]


def test_a_file_whose_name_looks_like_a_pattern_is_meant_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "f[1].jsonl").write_text('{"n": 1}\n', encoding="utf-8")
    (tmp_path / "f1.jsonl").write_text('{"n": 2}\n', encoding="utf-8")

    assert [row.data["n"] for row in Tools({}).rows("f[1].jsonl", base_dir=tmp_path)] == [1]


def test_a_folder_whose_name_looks_like_a_pattern_is_no_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "[x]"
    folder.mkdir()
    (folder / "f.jsonl").write_text('{"n": 1}\n', encoding="utf-8")

    assert [row.data["n"] for row in Tools({}).rows("*.jsonl", base_dir=folder)] == [1]


def test_an_absolute_path_needs_no_folder(tmp_path: Path) -> None:
    (tmp_path / "f.jsonl").write_text('{"n": 1}\n', encoding="utf-8")

    for pattern in ("f.jsonl", "*.jsonl"):
        (row,) = Tools({}).rows(str(tmp_path / pattern), base_dir=Path("elsewhere"))
        assert row.place == f"{tmp_path / 'f.jsonl'}:1"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("none.csv", "none.csv: no such file"),
        ("*.csv", "no file matches '*.csv'"),
        ("sub", "sub: is a folder, not a file; name the files in it: *.jsonl"),
        ("notes.txt", "notes.txt: a file that ends in '.txt' cannot be read as rows; use one of .jsonl, .ndjson, .csv"),
        ("note*", "notes.txt: a file that ends in '.txt' cannot be read as rows"),
        ("a\0b.csv", "no such file"),
    ],
)
def test_files_that_are_not_there_are_told_before_anything_is_read(tmp_path: Path, pattern: str, said: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "notes.txt").touch()

    with pytest.raises(BenchmarkError) as raised:
        Tools({}).rows(pattern, base_dir=tmp_path)
    assert said in str(raised.value)


def test_the_first_row_of_a_large_file_needs_no_more_than_the_beginning_of_it(tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f'{{"id": {number}, "text": "{"x" * 1000}"}}\n' for number in range(30_000))
        file.write("this is no JSON\n")
    data = Tools({}).rows("f.jsonl", base_dir=tmp_path)
    tracemalloc.start()

    assert [row.data["id"] for row in islice(data, 3)] == [0, 1, 2]
    assert [row.number for row in islice(data, 29_999, 30_000)] == [30_000]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert path.stat().st_size > 30_000_000
    assert peak < 5_000_000


def test_reading_may_be_given_up_and_begun_again(rows: Any, tmp_path: Path) -> None:
    for name, content in (("f.csv", "a\n1\n2\n"), ("g.csv", b"\xff\xfea\x00\n\x001\x00\n\x002\x00\n\x00")):
        rows(name, content)
        data = Tools({}).rows(name, base_dir=tmp_path)
        assert next(iter(data)).data == {"a": "1"}
        assert [row.data["a"] for row in data] == ["1", "2"]
        assert [row.data["a"] for row in data] == ["1", "2"]
