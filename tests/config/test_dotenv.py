"""What a ``.env`` file adds: no more and no less than what is written in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard._config.dotenv import nearest_dotenv, variables_of


@pytest.mark.parametrize(
    ("written", "wanted"),
    [
        ("KEY=value", "value"),
        ("KEY = value ", "value"),
        ("export KEY=value", "value"),
        ("  export\tKEY=value", "value"),
        ("KEY=", ""),
        ("KEY=a b  # comment", "a b"),
        ("KEY=# comment", "# comment"),
        ("KEY= # comment", ""),
        ("KEY=a#b", "a#b"),
        ("KEY=a=b==", "a=b=="),
        ("KEY='a # b \\n $HOME \"'", 'a # b \\n $HOME "'),
        ('KEY="a # b\\n\\t\\"\\\\ \\$x \\q"  # comment', 'a # b\n\t"\\ $x \\q'),
        ("KEY='first\nsecond'", "first\nsecond"),
        ('KEY="first\nsecond"', "first\nsecond"),
        ("KEY=${HOME}$PATH`id`$(id)", "${HOME}$PATH`id`$(id)"),
        ("KEY=it's", "it's"),
        ("KEY=é…", "é…"),
        ("KEY=first\nKEY=second", "second"),
        ("# KEY=other\n\n   # more\nKEY=value\n#end", "value"),
        ("KEY=value\r\n", "value"),
    ],
)
def test_a_value_is_what_stands_there(written: str, wanted: str) -> None:
    assert variables_of(written, ".env", pytest.fail) == {"KEY": wanted}


def test_lines_that_are_no_variables_are_named_and_never_quoted() -> None:
    warned: list[str] = []

    found = variables_of(
        'A=1\nsk-secret\nB="sk-open\nC=2\n2X=sk-digit\nD="sk-a"b\nE=\'x\0\'\nF=3', ".env", warned.append
    )

    assert found == {"A": "1", "C": "2", "F": "3"}
    assert [line.split(": ")[0] for line in warned] == [".env:2", ".env:3", ".env:5", ".env:6", ".env:7"]
    assert "sk-" not in "".join(warned)


def test_the_file_of_the_nearest_folder_that_has_one_is_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=far\nB=far", encoding="utf-8")
    near = tmp_path / "a" / "b"
    (near / "c" / ".env").mkdir(parents=True)
    (near / ".env").write_bytes(b"\xef\xbb\xbfA=near\r\n")

    assert nearest_dotenv(near / "c", pytest.fail) == (near / ".env", {"A": "near"})
    assert nearest_dotenv(tmp_path / "a", pytest.fail) == (tmp_path / ".env", {"A": "far", "B": "far"})


@pytest.mark.parametrize("content", ["A=caf\xe9".encode("latin-1"), "A=1".encode("utf-16")])
def test_a_file_in_another_encoding_is_ignored_with_a_warning(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".env").write_bytes(content)
    warned: list[str] = []

    assert nearest_dotenv(tmp_path, warned.append) is None
    assert warned == [f"{tmp_path / '.env'}: is not UTF-8, so it is ignored; save it as UTF-8"]
