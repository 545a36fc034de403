"""What people gave outputs: read from a file by the id of the case, and kept beside a record as a person scores it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..api import JsonMapping, JsonValue, Row, shown
from ..errors import BenchmarkError, Problem, SteelyardError

SUFFIX: Final = ".labels.jsonl"
"""What the file beside a record is called, in place of the record's own ending."""

_IDS: Final = ("id", "case_id", "case")
_SCORES: Final = ("human_score", "score")
_LOWEST, _HIGHEST = 1, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A person's score of an output."""

    id: str
    """Of the case."""
    human_score: float
    """From 1 to 5."""
    model: str | None = None
    """Of the combo; ``None`` for any."""
    prompt_id: str | None = None

    def names(self, model: str, prompt_id: str) -> bool:
        """Whether it is about an output of this combo."""
        return self.model in (None, model) and self.prompt_id in (None, prompt_id)

    @property
    def closeness(self) -> int:
        """How closely it says which output it is about: one that names the combo goes before one for any."""
        return (self.model is not None) + (self.prompt_id is not None)


def labels_path(record: Path) -> Path:
    """Return where the labels of a record are kept."""
    return record.with_name(record.name.removesuffix(".json") + SUFFIX)


def read_labels(rows: Iterable[Row]) -> list[Label]:
    """Return the labels of a data file. Raises ``BenchmarkError`` with every row that is none."""
    labels, problems = [], []
    first, any_score = None, False
    for row in rows:
        first = first or row
        any_score |= any(name in _plainly_named(row.data) for name in _SCORES)
        found = _label(row)
        if isinstance(found, Problem):
            problems.append(found)
        elif found is not None:
            labels.append(found)
    if first is not None and not any_score and not problems:
        keys = ", ".join(map(repr, first.data)) or "nothing"
        problems.append(Problem(message=f"no row has a human_score; the first has {keys}", place=first.place))
    if problems:
        raise BenchmarkError(problems)
    return labels


def add_label(path: Path, label: Label) -> None:
    """Append a label to a file of labels. Raises ``SteelyardError`` when it cannot be written."""
    fields = {"id": label.id, "model": label.model, "prompt_id": label.prompt_id, "human_score": label.human_score}
    line = json.dumps(fields, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
    try:
        with path.open("ab+") as file:
            if file.tell():
                file.seek(-1, 2)
                # A last line that was torn stays a line of its own, to be seen and mended.
                line = line if file.read(1) == b"\n" else b"\n" + line
            file.write(line + b"\n")
    except OSError as error:
        raise SteelyardError(f"{path}: cannot be written: {error.strerror or error}") from error


def _label(row: Row) -> Label | Problem | None:
    data = _plainly_named(row.data)
    identity = _first(data, _IDS)
    if identity is None or isinstance(identity, list | dict):
        return Problem(message="a label needs the 'id' of a case", place=row.place)
    written = _first(data, _SCORES)
    if written is None or (isinstance(written, str) and not written.strip()):
        return None  # a row that nobody has scored yet
    score = _number(written)
    if score is None or not _LOWEST <= score <= _HIGHEST:
        message = f"human_score must be a number from {_LOWEST} to {_HIGHEST}, got {shown(written)}"
        return Problem(message=message, place=row.place)
    return Label(id=str(identity), human_score=score, model=_text(data, "model"), prompt_id=_text(data, "prompt_id"))


def _plainly_named(data: JsonMapping) -> dict[str, JsonValue]:
    """Return a row by the names that are meant: spreadsheets write ``Human Score`` and ``ID``."""
    named = {"_".join(name.casefold().split()): value for name, value in data.items()}
    return {**named, **data}


def _first(data: JsonMapping, names: Iterable[str]) -> JsonValue:
    return next((data[name] for name in names if data.get(name) not in (None, "")), None)


def _text(data: JsonMapping, name: str) -> str | None:
    value = data.get(name)
    return value.strip() if isinstance(value, str) and value.strip() else None


def _number(value: JsonValue) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
