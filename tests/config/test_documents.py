"""Files as they lie on a disk: missing, unreadable, in another encoding, in JSON."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Any

import pytest

from steelyard._config.document import read_document
from steelyard.errors import BenchmarkError


def said(path: Path) -> str:
    with pytest.raises(BenchmarkError) as raised:
        read_document(path, pytest.fail)
    return str(raised.value)


def test_a_file_is_named_as_the_user_named_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "f.yaml").write_text("a: 1\nb: 2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    node = read_document(Path("dir/f.yaml"), pytest.fail)

    assert node.child("b").place == f"dir{os.sep}f.yaml:2:4"


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    assert said(tmp_path / "none.yaml") == f"{tmp_path / 'none.yaml'}: no such file"
    assert said(tmp_path) == f"{tmp_path}: is a folder, not a file"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_file_without_permission_is_a_problem(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.touch(mode=0)

    assert said(path) == f"{path}: cannot be read: Permission denied"


def test_a_name_that_no_system_has_is_a_problem() -> None:
    assert "a\0b" in said(Path("a\0b"))


@pytest.mark.parametrize("name", ["f.yaml", "f.json"])
def test_latin_1_is_an_error_that_says_what_to_do(failing: Any, name: str) -> None:
    assert failing(b'{"a":\n"caf\xe9"}', name) == [f"{name}:2:5: byte 0xe9 is not UTF-8; save the file as UTF-8"]


def test_a_broken_utf_16_file_is_an_error(failing: Any) -> None:
    assert failing(b"\xff\xfea\x00:\x00\x00") == [
        "f.yaml:1:3: is not the UTF-16-LE that its byte-order mark announces; save the file as UTF-8"
    ]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_json_with_a_byte_order_mark_is_read(document: Any, encoding: str) -> None:
    assert document('{"é": 1}'.encode(encoding), "f.json").value == {"é": 1}


def test_a_json_file_keeps_what_json_says(document: Any) -> None:
    found = document('{"a": [1, 1.5, true, null, "yes"], "b": 12345678901234567890, "c": "\\ud800"}', "f.JSON").value

    assert found == {"a": [1, 1.5, True, None, "yes"], "b": 12345678901234567890, "c": "\ud800"}


def test_numbers_that_are_none_are_read_so_that_a_format_can_complain(document: Any) -> None:
    found = document("[NaN, Infinity, -Infinity, 1e999]", "f.json").value

    assert math.isnan(found[0])
    assert found[1:] == [math.inf, -math.inf, math.inf]


def test_an_empty_json_file_has_no_value(document: Any) -> None:
    assert document("  \n", "f.json").value is None


def test_every_key_that_json_gives_twice_is_named_with_both_places(failing: Any) -> None:
    text = '{"a": 1,\n "b": {"c": 1, "c": {"c": 2}},\n "a": "\\"a\\": 3", "\\u0061": 4}'

    assert failing(text, "f.json") == [
        "f.json:2:16: key 'c' is given twice; first at f.json:2:8; keep one of them",
        "f.json:3:2: key 'a' is given twice; first at f.json:1:2; keep one of them",
        "f.json:3:19: key 'a' is given twice; first at f.json:1:2; keep one of them",
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('{"a": 1,\n "b" 2}', "f.json:2:6: not valid JSON: expecting ':' delimiter"),
        ('{"a": 1}\n{"b": 2}', "f.json:2:1: not valid JSON: extra data"),
        ('{"a": "x\ty"}', "f.json:1:9: not valid JSON: invalid control character at"),
        ("[" * 3000, "f.json:1:201: nested more than 200 levels deep"),
        ("[" * 201 + "]" * 201, "f.json:1:201: nested more than 200 levels deep"),
        ('{"a": -' + "1" * 4301 + "}", "f.json:1:7: an integer has more than 4300 digits; quote it if it is text"),
    ],
)
def test_json_that_cannot_be_used_is_told_with_line_and_column(failing: Any, text: str, wanted: str) -> None:
    assert failing(text, "f.json") == [wanted]


@pytest.mark.parametrize(
    "rest",
    [
        '}"q": [0]}',  # found by fuzzing, as the next: the brackets behind the object need not match
        "}]}",
        ', "b": }',
        ', "\\x": 1, "a": 3}',
        '}, "c": [',
        "",
    ],
)
def test_a_key_given_twice_is_named_whatever_stands_behind_its_object(failing: Any, rest: str) -> None:
    first, *_more = failing('{"x": {"a": 1,\n"a": 2}' + rest, "f.json")
    assert first == "f.json:2:1: key 'a' is given twice; first at f.json:1:8; keep one of them"


def test_brackets_in_texts_are_no_nesting(document: Any) -> None:
    assert document('["' + "[" * 500 + '"]', "f.json").value == ["[" * 500]


def test_ten_thousand_cases_are_read_in_seconds_at_the_worst(document: Any) -> None:
    case = "- id: c%d\n  variables: {q: 'How long does delivery take?', lang: en}\n  tags: [a, b]\n  expected: x\n"
    started = time.process_time()

    node = document("".join(case % number for number in range(10_000)))

    assert len(node.value) == 10_000
    assert time.process_time() - started < 10  # a third of a second where this was written
