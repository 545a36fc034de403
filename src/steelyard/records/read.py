"""A record from its file: ours, older ones, evalblink's, newer ones as far as understood, and other tools' results."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..api import CaseResult, RunRecord
from ..errors import RecordError
from .cases import case_of
from .combos import SCHEMA_VERSION, combo_of, record_of
from .doubts import Look, contradicts, doubts, doubts_of_tasks, looked_at, looked_at_entries, settled
from .layout import StoredCases, find_cases
from .strict_json import Fields, text_of
from .task_results import is_task_results, record_of_tasks
from .verdict_lists import is_verdict_list, record_of_verdicts


def read_record(path: Path, warn: Callable[[str], None] | None = None) -> RunRecord:
    """Read a run's record.

    The cases of a file that we wrote stay on the disk until they are asked for; the file must not be changed meanwhile.
    What an older record does not say is unknown. A newer schema never stops the reading, nor do totals that contradict
    the cases (these count), ids that are there twice, and numbers that cannot be (they are unknown); ``warn`` hears of
    it in a line each.

    Raises ``RecordError`` with one line when the file is missing, unreadable, not JSON, or not shaped like a record.
    """
    try:
        found = find_cases(path)
        if found is not None:
            document, spans = found
            combos = _combos(path, document)
            stored = [StoredCases(path, span, *_labels(combo)) for combo, span in zip(combos, spans, strict=True)]
            looks = [looked_at(one.lines()) for one in stored]
            cases: list[Sequence[CaseResult]] = [*stored]
        else:
            document = _document(path)
            foreign = _foreign(path, document)
            if foreign is not None:
                if warn is not None and is_task_results(document):
                    for line in doubts_of_tasks(path, document):
                        warn(line)
                return foreign
            combos = _combos(path, document)
            cases = [_cases(path, index, combo) for index, combo in enumerate(combos)]
            looks = [looked_at_entries(combo["test_cases"]) for combo in combos]
    except OSError as error:
        raise RecordError(f"{path}: cannot be read: {error.strerror or error}") from error
    record = record_of(document, tuple(map(combo_of, map(settled, combos, looks), cases)), run_id=path.stem)
    if any(map(contradicts, combos, looks)):
        # What the run itself made of totals that are not those of its cases is worth no more than they are.
        record = replace(record, insights=replace(record.insights, verdict="", runner_up=None))
    if warn is not None:
        _say_doubts(path, record, combos, looks, warn)
    return record


def _say_doubts(
    path: Path, record: RunRecord, combos: Sequence[Fields], looks: Sequence[Look], warn: Callable[[str], None]
) -> None:
    if record.schema_version > SCHEMA_VERSION:
        warn(f"{path}: schema_version {record.schema_version} is newer than {SCHEMA_VERSION}; what is new is left out")
    for line in doubts(path, combos, looks):
        warn(line)


def _document(path: Path) -> dict[str, Any]:
    """Return the whole file as one object."""
    try:
        document = json.loads(path.read_bytes(), parse_constant=lambda _name: None)
    except RecursionError as error:
        raise RecordError(f"{path}: not JSON that can be read: nested too deeply") from error
    except ValueError as error:
        raise RecordError(f"{path}: not JSON: {error}") from error
    if not isinstance(document, dict):
        raise RecordError(f"{path}: not a run record: must be a JSON object, got a {type(document).__name__}")
    return document


def _foreign(path: Path, document: Mapping[str, Any]) -> RunRecord | None:
    """Return the record that another tool's results come to; ``None`` for a record of ours or evalblink's."""
    if is_task_results(document):
        return record_of_tasks(document, path)
    return record_of_verdicts(document, path) if is_verdict_list(document) else None


def _combos(path: Path, document: Mapping[str, Any]) -> list[dict[str, Any]]:
    for key in ("benchmark", "timestamp"):
        if not isinstance(document.get(key), str):
            raise RecordError(f"{path}: not a run record: {key!r} must be text")
    results = document.get("results")
    if not isinstance(results, list):
        raise RecordError(f"{path}: not a run record: 'results' must be a list")
    for index, combo in enumerate(results):
        if not isinstance(combo, dict):
            raise RecordError(f"{path}: not a run record: results[{index}] must be an object")
        for key in ("model", "prompt_id"):
            if not isinstance(combo.get(key), str):
                raise RecordError(f"{path}: not a run record: results[{index}].{key} must be text")
    return results


def _cases(path: Path, index: int, combo: Mapping[str, Any]) -> tuple[CaseResult, ...]:
    entries = combo.get("test_cases")
    if not isinstance(entries, list):
        raise RecordError(f"{path}: not a run record: results[{index}].test_cases must be a list")
    for position, entry in enumerate(entries):
        if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
            place = f"results[{index}].test_cases[{position}]"
            raise RecordError(f"{path}: not a run record: {place} must be an object with a text 'id'")
    return tuple(case_of(entry, *_labels(combo)) for entry in entries)


def _labels(combo: Mapping[str, Any]) -> tuple[str, str]:
    return text_of(combo, "model"), text_of(combo, "prompt_id")
