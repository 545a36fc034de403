from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from steelyard.api import Message, ScoreResult, Status
from steelyard.records import write_record

Make = Callable[..., Any]

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "record.md"
USERS_OWN = {"manifest", "filters", "metadata", "expected", "details"}


def names(value: object) -> Iterator[str]:
    """Yield every field name in a document, apart from those that are the user's."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in USERS_OWN:
                yield from names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from names(inner)


def test_the_reference_names_every_field_and_no_other(
    tmp_path: Path, make_record: Make, make_case: Make, make_run: Make
) -> None:
    error = ScoreResult(
        scorer="s", name="s", passed=None, score=None, weight=2.0, status=Status.JUDGE_ERROR, details={"x": 1}
    )
    run = make_run(scores=(error,), transcript=(Message(role="user", content="Hi"),))
    case = make_case(runs=(run, make_run(repeat=1)), flaky=True, metadata={"x": 1}, human_score=3.0, cluster="c")
    write_record(tmp_path / "run.json", make_record(case))

    page = PAGE.read_text("utf-8")
    documented = {name for row in re.findall(r"^\| (`.*)$", page, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}

    written = set(names(json.loads((tmp_path / "run.json").read_text("utf-8"))))
    values = {status.value for status in Status} | {"false", "null"}
    parts_of_filters = {"models", "prompts", "text", "limit"}
    assert written - documented == set()
    assert documented - written - values - parts_of_filters == set()
