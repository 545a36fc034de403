"""Where a value stands: found for every value of every file, and only when somebody asks."""

from __future__ import annotations

import time
from typing import Any

import pytest

from steelyard._config.places import Locator
from steelyard._config.yaml_source import YamlReader

YAML = """\
name: demo
variables: &v
  labels: "a, b"
test_cases:
  - id: c1
    tags: [x, y]
  - {id: c2, variables: *v}
  -
    id: c3
    <<: *v
"""

JSON = """{
  "name": "demo",
  "test_cases": [
    {"id": "c1", "tags": ["x", "y"]},
    { "id" : "c2" }
  ],
  "empty": {}, "text": "a\\"]}"
}"""


@pytest.mark.parametrize(
    ("path", "of_value", "of_key"),
    [
        ((), "1:1", "1:1"),
        (("name",), "1:7", "1:1"),
        (("variables", "labels"), "3:11", "3:3"),
        (("test_cases", 0), "5:5", "5:5"),
        (("test_cases", 0, "tags", 1), "6:15", "6:15"),
        (("test_cases", 1, "id"), "7:10", "7:6"),
        (("test_cases", 1, "variables"), "7:25", "7:14"),
        (("test_cases", 1, "variables", "labels"), "3:11", "3:3"),
        (("test_cases", 2, "labels"), "3:11", "3:3"),
        (("test_cases", 2), "9:5", "9:5"),
        (("test_cases", 0, "expected_output"), "5:5", "5:5"),
        (("test_cases", 9), "5:3", "4:1"),
    ],
)
def test_a_place_in_yaml_is_line_and_column(
    parser: Any, path: tuple[str | int, ...], of_value: str, of_key: str
) -> None:
    value, spots = YamlReader(YAML, "dir/f.yaml", parser).read()
    locate = Locator("dir/f.yaml", value, spots)

    assert [locate(path, at_key) for at_key in (False, True)] == [f"dir/f.yaml:{of_value}", f"dir/f.yaml:{of_key}"]


@pytest.mark.parametrize(
    ("path", "of_value", "of_key"),
    [
        ((), "1:1", "1:1"),
        (("name",), "2:11", "2:3"),
        (("test_cases", 0, "tags"), "4:26", "4:18"),
        (("test_cases", 0, "tags", 1), "4:32", "4:32"),
        (("test_cases", 1), "5:5", "5:5"),
        (("test_cases", 1, "id"), "5:14", "5:7"),
        (("empty", "x"), "7:12", "7:3"),
        (("text",), "7:24", "7:16"),
    ],
)
def test_a_place_in_json_is_line_and_column(
    document: Any, path: tuple[str | int, ...], of_value: str, of_key: str
) -> None:
    locate = document(JSON, "f.json").locate

    assert [locate(path, at_key) for at_key in (False, True)] == [f"f.json:{of_value}", f"f.json:{of_key}"]


def test_a_problem_is_reported_at_its_key_with_the_keys_that_lead_there(document: Any, problems: list[Any]) -> None:
    node = document("a:\n  - {colour: red}\n")

    node.child("a").child(0).check_keys({"color"})

    assert [str(problem) for problem in problems] == [
        "f.yaml:2:6: a[0].colour: unknown key 'colour'; did you mean 'color'?"
    ]


def test_a_column_beyond_the_first_65536_is_right(document: Any) -> None:
    node = document("{a: " + "x" * 70_000 + ", b: 1}")

    assert node.child("b").place == "f.yaml:1:70010"


@pytest.mark.parametrize("name", ["f.yaml", "f.json"])
def test_the_places_of_ten_thousand_cases_take_no_longer_than_reading_them(document: Any, name: str) -> None:
    case = '{"id": "c%d", "variables": {"q": "question"}, "tags": ["a", "b"]}'
    node = document('{"cases": [' + ",\n".join(case % number for number in range(10_000)) + "]}", name)
    started = time.process_time()

    places = [entry.child("tags").child(1).place for entry in node.child("cases").entries()]

    # A look-up that began at the top of the file each time would take minutes.
    assert time.process_time() - started < 5
    assert places[9_999].split(":")[1] == "10000"
