"""Cases that are rows of a data file, made one at a time, so that a file of any length can be run.

Without a ``case:`` template a row is a test case, with the keys it would have inline. A row without ``variables`` may
also be flat, as a spreadsheet is: what a test case does not know is then a variable. Texts of a data file are data and
never templates. An id that is a number becomes its exact text; a row without an id is called by its number. Where a
spreadsheet can only hold text, ``tags`` are split at commas and ``human_score`` is read as a number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from steelyard.api import Case, JsonMapping, JsonValue, Node, Row, Rows, finite
from steelyard.errors import BenchmarkError, Problem

from .cases import CaseReader
from .filling import CaseTemplate
from .keys import CASE, is_private

MOST_PROBLEMS = 20
"""After the first bad row the others are read too, to say what else is wrong, until so many problems are found."""


@dataclass(slots=True, kw_only=True, eq=False)
class RowCases:
    """The cases of a benchmark, read from rows as they are needed."""

    rows: Rows
    reader: CaseReader
    template: CaseTemplate | None
    report: Callable[[Problem], None]
    """Where warnings go, each once."""
    _ids_are_unique: bool = field(default=False, init=False)
    _warned: set[str] = field(default_factory=set, init=False)

    def __iter__(self) -> Iterator[Case]:
        """Go through the cases from the start.

        Raises ``BenchmarkError`` at a row that is no case, at an id that was used before, and when there is no row.
        """
        seen: set[str] = set()
        rows = self._numbered()
        for number, row in rows:
            problems: list[Problem] = []
            case = self._read(row, number, problems)
            if case is None or problems:
                raise BenchmarkError(problems + self._further_problems(rows))
            if not self._ids_are_unique:
                if case.id in seen:
                    raise BenchmarkError([self._used_twice(case)])
                seen.add(case.id)
            yield case
        if not seen and not self._ids_are_unique:
            raise BenchmarkError([Problem(message="the data file holds no rows", path="test_cases")])
        self._ids_are_unique = True

    def _numbered(self) -> Iterator[tuple[int, Row]]:
        return ((row.number or count, row) for count, row in zip(itertools.count(1), self.rows, strict=False))

    def _read(self, row: Row, number: int, problems: list[Problem]) -> Case | None:
        node = Node(row.data, (), lambda _path, _at_key: row.place, self._sorted_into(problems))
        if self.template is None:
            value = _as_case(row.data)
        else:
            value = self.template.fill(
                row.data, self.reader.variables, lambda key, message: node.error(message, key=key)
            )
        value = _typed(value, number)
        return self.reader.read(Node(value, (), node.locate, node.report), value, is_data=True)

    def _sorted_into(self, problems: list[Problem]) -> Callable[[Problem], None]:
        def sort(problem: Problem) -> None:
            if problem.severity == "error":
                problems.append(problem)
            elif problem.message not in self._warned:
                self._warned.add(problem.message)
                self.report(problem)

        return sort

    def _further_problems(self, rows: Iterator[tuple[int, Row]]) -> list[Problem]:
        problems: list[Problem] = []
        try:
            for number, row in rows:
                self._read(row, number, problems)
                if len(problems) >= MOST_PROBLEMS:
                    break
        except BenchmarkError as error:
            problems.extend(error.problems)
        return problems

    def _used_twice(self, case: Case) -> Problem:
        # Only the ids are kept in memory, so the first place is looked up again.
        for number, row in self._numbered():
            first = self._read(row, number, [])
            if first is not None and first.id == case.id:
                break
        return Problem(
            message=f"test case id {case.id!r} is used twice", place=case.place, path="id", hint=f"first at {row.place}"
        )


def _as_case(data: JsonMapping) -> JsonMapping:
    if "variables" in data or data.keys() <= CASE:
        return data
    case: dict[str, JsonValue] = {key: value for key, value in data.items() if key in CASE}
    case["variables"] = {key: value for key, value in data.items() if key not in CASE and not is_private(key)}
    return case


def _typed(value: JsonMapping, number: int) -> JsonMapping:
    changed: dict[str, JsonValue] = {}
    identity, tags, score = value.get("id"), value.get("tags"), value.get("human_score")
    if identity is None:
        changed["id"] = str(number)
    elif isinstance(identity, (int, float)) and not isinstance(identity, bool):
        changed["id"] = str(identity)
    if isinstance(tags, str):
        changed["tags"] = [tag.strip() for tag in tags.split(",") if tag.strip()]
    if isinstance(score, str):
        changed["human_score"] = _number(score)
    return {**value, **changed} if changed else value


def _number(text: str) -> JsonValue:
    if not text.strip():
        return None
    try:
        return finite(float(text))
    except ValueError:
        return text
