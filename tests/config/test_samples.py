"""A limit caps what is read; a sample is drawn from all of that, the same one for the same seed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from steelyard._config.tools import Tools


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with 200 rows, q000 to q199."""
    lines = (f'{{"id": "q{number:03}"}}\n' for number in range(200))
    (tmp_path / "f.jsonl").write_text("".join(lines), encoding="utf-8")
    return tmp_path


def ids(folder: Path, **choices: Any) -> list[str]:
    return [str(row.data["id"]) for row in Tools({}).rows("f.jsonl", base_dir=folder, **choices)]


def test_a_limit_takes_the_first_rows(folder: Path) -> None:
    assert ids(folder, limit=3) == ["q000", "q001", "q002"]
    assert len(ids(folder, limit=500)) == 200


def test_a_seed_draws_the_same_sample_each_time_and_zero_is_a_seed(folder: Path) -> None:
    drawn = ids(folder, sample=10, seed=0)

    assert drawn == ids(folder, sample=10, seed=0)
    assert drawn == ids(folder, sample=10)
    assert drawn != ids(folder, sample=10, seed=1)
    assert drawn != [f"q{number:03}" for number in range(10)]


def test_a_sample_has_no_row_twice_and_keeps_the_order_of_the_file(folder: Path) -> None:
    drawn = ids(folder, sample=50, seed=3)

    assert drawn == sorted(set(drawn))
    assert len(drawn) == 50


def test_a_sample_is_the_same_on_every_machine(folder: Path) -> None:
    # random.Random(0).random() begins 0.8444218515250481, 0.7579544029403025: with two places, row 3 would take
    # place int(0.844 × 3) = 2 and row 4 place int(0.758 × 4) = 3, so neither is kept.
    assert ids(folder, limit=4, sample=2, seed=0) == ["q000", "q001"]
    # random.Random(1).random() begins 0.13436424411240122, 0.8474337369372327: row 3 takes place int(0.134 × 3) = 0
    # from row 1, row 4 would take place int(0.847 × 4) = 3.
    assert ids(folder, limit=4, sample=2, seed=1) == ["q001", "q002"]


def test_the_limit_comes_before_the_sample(folder: Path) -> None:
    drawn = ids(folder, limit=50, sample=10, seed=0)

    assert len(drawn) == 10
    assert max(drawn) < "q050"
    assert drawn != [f"q{number:03}" for number in range(10)]


def test_a_sample_larger_than_the_file_is_all_of_it_with_a_note(folder: Path) -> None:
    notes: list[str] = []
    data = Tools({}, warn=notes.append).rows("f.jsonl", base_dir=folder, sample=500)

    assert len(list(data)) == len(list(data)) == 200
    assert notes == ["f.jsonl: a sample of 500 is asked for, but there are 200 rows; all are used"]


def test_a_sample_is_drawn_again_alike_when_the_rows_are_gone_through_again(folder: Path) -> None:
    data = Tools({}).rows("f.jsonl", base_dir=folder, sample=7, seed=5)
    first = [(row.number, row.place, row.data) for row in data]

    assert [(row.number, row.place, row.data) for row in data] == first
    assert all(row.data["id"] == f"q{row.number - 1:03}" for row in data)


def test_every_row_has_the_same_chance(folder: Path) -> None:
    counts = Counter(name for seed in range(2000) for name in ids(folder, limit=10, sample=3, seed=seed))

    # Each of the 10 rows is drawn with chance 0.3: 600 of 2000, with a standard deviation of 20.5.
    assert len(counts) == 10
    assert all(abs(count - 600) < 5 * 20.5 for count in counts.values())
