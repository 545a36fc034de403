"""What gives way where a terminal is narrow. The terminal is a stand-in of a given width."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from steelyard.cli.tables import print_table

RUN = "2026-06-10_143205_customer-support"
HEADERS = ("Run", "When", "Best score", "Best combo")
ROW = (RUN, "2026-06-10 14:32:05", "96.0%", "anthropic/claude-sonnet-4.6 / v2")

_STYLE = re.compile("\x1b\\[[0-9;]*m")

Drawn = Callable[..., list[str]]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Drawn:
    def draw(width: int, give_way: Sequence[str] = ()) -> list[str]:
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        print_table(HEADERS, [ROW], give_way=give_way)
        return _STYLE.sub("", capsys.readouterr().out).splitlines()

    return draw


@pytest.mark.parametrize("width", [80, 100, 200])
def test_what_a_row_is_called_stays_in_one_piece_while_the_others_can_be_read(drawn: Drawn, width: int) -> None:
    lines = drawn(width)

    assert sum(RUN in line for line in lines) == 1
    assert all(len(line) <= width for line in lines)


def test_columns_that_may_go_are_left_out_one_by_one(drawn: Drawn) -> None:
    def headings(width: int) -> list[str]:
        lines = drawn(width, ("When", "Best combo"))
        assert sum(RUN in line for line in lines) == 1
        return [name for name in HEADERS if name.split()[-1] in " ".join(lines[:4])]

    # 34 + 10 + 10 + 10 and the lines between them take 77, without "When" 64, without "Best combo" as well 51.
    assert headings(77) == ["Run", "When", "Best score", "Best combo"]
    assert headings(76) == ["Run", "Best score", "Best combo"]
    assert headings(60) == ["Run", "Best score"]


def test_what_fits_nowhere_is_folded_and_not_cut(drawn: Drawn) -> None:
    cells = [line.split("│")[1].strip() for line in drawn(40, HEADERS[1:]) if "│" in line]

    assert "".join(cells) == RUN
