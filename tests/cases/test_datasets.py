"""Kind 10: every row is one case, a sample is drawn from all of them, and many rows are no more than many rows."""

from __future__ import annotations

import json
import time
from typing import Any
from xml.etree import ElementTree

import pytest


def dataset(name: str | dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {
        "name": "rows",
        "models": [{"id": "echo", "provider": "mock"}],
        "prompts": [{"id": "p", "template": "{{ q }}"}],
        "test_cases": name,
        "case": {"id": "{{ id }}", "scorers": [{"type": "max_words", "value": 999}]},
        **keys,
    }


# H45

SAME = {
    "number-and-text": ['{"id": 1, "q": "a"}', '{"id": "1", "q": "b"}'],
    "number-and-float": ['{"id": 1, "q": "a"}', '{"id": 2, "q": "b"}', '{"id": 1, "q": "c"}'],
    "float-and-number": ['{"id": 1.0, "q": "a"}', '{"id": 1, "q": "b"}'],
    "row-number-and-text": ['{"id": null, "q": "a"}', '{"id": "1", "q": "b"}'],
    "twice": ['{"id": "x", "q": "a"}', '{"id": "y", "q": "b"}', '{"id": "x", "q": "c"}'],
}


@pytest.mark.parametrize("command", ["validate", "run"])
@pytest.mark.parametrize("kind", SAME)
def test_ids_that_are_the_same_as_text_stop_everything_and_are_named_with_their_lines(
    desk: Any, kind: str, command: str
) -> None:
    lines = SAME[kind]
    desk.write("rows.jsonl", "\n".join(lines))
    desk.write("b.json", dataset({"path": "rows.jsonl"}))
    done = desk(command, "b.json")
    assert (done.returncode, desk.records()) == (1, [])
    identity = "'x'" if kind == "twice" else "'1'"
    assert identity in done.said
    assert f"rows.jsonl:{len(lines)}" in done.said
    assert "rows.jsonl:1" in done.said or "line 1" in done.said, done.said


def test_ids_that_look_different_are_different_cases_and_none_stands_in_for_another(desk: Any) -> None:
    ids = ["A", "a", "01", "1", "1.0", "a b", "a_b", "None", "e\u0301", "\u00e9"]
    desk.write("rows.jsonl", "\n".join(json.dumps({"id": name, "q": name}) for name in ids))
    desk.write("b.json", dataset({"path": "rows.jsonl"}))
    done = desk("run", "b.json", "-o", "j.xml")
    assert done.returncode == 0, done.said
    assert list(desk.cases()) == ids
    assert all(case["response"] == name for name, case in desk.cases().items())
    root = ElementTree.parse(desk.folder / "j.xml").getroot()
    assert [case.get("name") for case in root.iter("testcase")] == ids


@pytest.mark.parametrize("row", ['{"id": true, "q": "a"}', '{"id": [1], "q": "a"}', '{"id": "", "q": "a"}'])
def test_an_id_that_is_no_text_and_no_number_is_refused(desk: Any, row: str) -> None:
    desk.write("rows.jsonl", row)
    desk.write("b.json", dataset({"path": "rows.jsonl"}))
    done = desk("run", "b.json")
    assert (done.returncode, desk.records()) == (1, [])
    assert "rows.jsonl:1" in done.said


def test_ids_keep_every_digit(desk: Any) -> None:
    desk.write(
        "rows.jsonl",
        '{"id": 12345678901234567890, "q": "d"}\n{"id": "007", "q": "e"}\n{"id": 7, "q": "f"}\n'
        '{"id": 1.50, "q": "g"}\n{"id": "Q-1", "q": "h"}\n',
    )
    desk.write("b.json", dataset({"path": "rows.jsonl"}))
    done = desk("run", "b.json")
    assert done.returncode == 0, done.said
    assert list(desk.cases())[:3] == ["12345678901234567890", "007", "7"]


@pytest.mark.parametrize(("first", "second"), [("007", "7"), ("7", '"7"'), ("1.0", '"1.0"'), ("yes", "true")])
def test_unquoted_ids_that_yaml_reads_as_one_are_not_merged(desk: Any, first: str, second: str) -> None:
    desk.write(
        "b.yaml",
        "name: b\nmodels: [{id: echo, provider: mock}]\nprompts: [{id: p, template: x}]\ntest_cases:\n"
        f"  - {{id: {first}, scorers: [{{type: max_words, value: 9}}]}}\n"
        f"  - {{id: {second}, scorers: [{{type: max_words, value: 9}}]}}\n",
    )
    done = desk("run", "b.yaml")
    if done.returncode == 0:
        assert len(desk.cases()) == 2
        assert desk.record()["results"][0]["total"] == 2
    else:
        assert "id" in done.said
        assert "b.yaml:" in done.said
        assert not desk.records()


# H46

ROWS = [{"id": f"q{n:03}", "q": "x", "category": n // 40} for n in range(200)]


def drawn(desk: Any, **choice: Any) -> list[str]:
    desk.write("b.json", dataset({"path": "rows.jsonl", **choice}))
    done = desk("run", "b.json", "-q")
    assert done.returncode == 0, done.said
    return list(desk.cases())


def test_a_sample_is_drawn_from_everything_can_be_drawn_again_and_is_recorded(desk: Any) -> None:
    desk.write("rows.jsonl", "\n".join(map(json.dumps, ROWS)))
    ids = [str(row["id"]) for row in ROWS]
    first = drawn(desk, sample=10, seed=0)
    assert first == drawn(desk, sample=10, seed=0)
    assert len(set(first)) == 10
    assert first != ids[:10]
    assert {int(name[1:]) // 100 for name in first} == {0, 1}
    assert first == sorted(first)  # in the order of the file
    assert set(first) != set(drawn(desk, sample=10, seed=1))
    capped = drawn(desk, limit=50, sample=10, seed=0)
    assert len(set(capped)) == 10
    assert set(capped) <= set(ids[:50])
    assert set(capped) != set(ids[:10])
    assert drawn(desk, sample=500, seed=0) == ids
    assert drawn(desk, limit=3) == ids[:3]
    desk.write("b.json", dataset({"path": "rows.jsonl", "sample": 500}))
    assert "500" in desk("run", "b.json").stderr
    # No seed is seed 0 or any other, but the same each time.
    assert drawn(desk, sample=10) == drawn(desk, sample=10)


def test_the_seed_of_a_run_draws_where_the_file_names_none_and_nought_is_a_seed(desk: Any) -> None:
    desk.write("rows.jsonl", "\n".join(map(json.dumps, ROWS)))

    def ids(*arguments: str, **choice: Any) -> list[str]:
        desk.write("b.json", dataset({"path": "rows.jsonl", "sample": 10, **choice}))
        done = desk("run", "b.json", "-q", *arguments)
        assert done.returncode == 0, done.said
        return list(desk.cases())

    by_seed = {seed: ids("--seed", str(seed)) for seed in (0, 1, 2)}
    assert by_seed[1] != by_seed[0] != by_seed[2] != by_seed[1]
    assert by_seed[1] == ids("--seed", "1") == ids(seed=1)
    assert by_seed[0] == ids(seed=0) == ids()
    # What the file says stands, and --limit takes the first of the sample.
    assert ids("--seed", "1", seed=0) == by_seed[0]
    assert ids("--seed", "1", "--limit", "3") == by_seed[1][:3]


def test_a_sample_is_drawn_from_all_files_of_a_pattern(desk: Any) -> None:
    for part in range(3):
        lines = [json.dumps({"id": f"f{part}-{n}", "q": "x"}) for n in range(50)]
        desk.write(f"part{part}.jsonl", "\n".join(lines))
    found = drawn_from(desk, {"path": "part*.jsonl", "sample": 12, "seed": 0})
    assert {name[:2] for name in found} == {"f0", "f1", "f2"}
    assert found == sorted(found, key=lambda name: (name[:2], int(name[3:])))
    capped = drawn_from(desk, {"path": "part*.jsonl", "limit": 60, "sample": 12, "seed": 0})
    assert {name[:2] for name in capped} <= {"f0", "f1"}


def drawn_from(desk: Any, choice: dict[str, Any]) -> list[str]:
    desk.write("b.json", dataset(choice))
    done = desk("run", "b.json", "-q")
    assert done.returncode == 0, done.said
    return list(desk.cases())


# H47


def test_a_few_of_very_many_rows_are_run_at_once_and_none_is_printed(desk: Any) -> None:
    padding = "x" * 900
    lines = [f'{{"id": {n}, "q": "{padding}"}}' for n in range(30_000)]
    desk.write("rows.jsonl", "\n".join(lines))
    desk.write("b.json", dataset({"path": "rows.jsonl"}))
    began = time.process_time()
    assert desk("validate", "b.json").returncode == 0
    everything = time.process_time() - began
    assert everything < 60
    desk.write("b.json", dataset({"path": "rows.jsonl", "limit": 5}))
    desk("run", "b.json")  # what is imported once
    began = time.process_time()
    done = desk("run", "b.json")
    # To read the rows at all takes far longer than to run five of them, on a machine of any speed.
    assert time.process_time() - began < everything / 2
    assert (done.returncode, len(desk.cases())) == (0, 5)


def test_two_thousand_rows_print_a_few_lines_and_stand_in_order(desk: Any) -> None:
    desk.write("rows.jsonl", "\n".join(f'{{"id": {n}, "q": "x"}}' for n in range(2000)))
    desk.write("b.json", dataset({"path": "rows.jsonl"}, cache=False))
    done = desk("run", "b.json", "-j", "16")
    assert done.returncode == 0
    assert list(desk.cases()) == [str(n) for n in range(2000)]
    assert len(done.said.splitlines()) < 100
