"""What is held against any bytes: each target takes bytes and lets nothing out but what it documents.

Run by :mod:`run` under coverage guidance, and by ``test_targets.py`` over the texts that stand here, so that no target
goes stale. What is ever found is written down as a fixed example in the tests of what it was found in.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

from steelyard_builtins.scorers._json_answer import read_answer
from steelyard_builtins.scorers._numbers import numbers
from steelyard_builtins.scorers._verdict import NoVerdictError, read_verdict

from steelyard._config.data_files import rows_of
from steelyard._config.document import read_document
from steelyard._config.templates import Templates
from steelyard.errors import BenchmarkError, RecordError, TemplateError
from steelyard.records import read_record
from steelyard.text import csv_cell, markdown_cell, one_line, well_formed

_FOLDER = Path(tempfile.mkdtemp(prefix="steelyard-fuzz-"))


def _file(name: str, data: bytes) -> Path:
    path = _FOLDER / name
    path.write_bytes(data)
    return path


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass" if b"\xed" in data else "replace") if _decodes(data) else repr(data)


def _decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def suites(data: bytes) -> None:
    """Any bytes are a tree or problems with a place."""
    for name in ("f.yaml", "f.json"):
        found: list[object] = []
        with contextlib.suppress(BenchmarkError):
            read_document(_file(name, data), found.append)


def rows(data: bytes) -> None:
    """Any bytes are rows or a problem with a place."""
    for name in ("f.jsonl", "f.csv", "f.tsv"):
        with contextlib.suppress(BenchmarkError):
            for place, row in rows_of(_file(name, data))():
                assert place
                assert isinstance(row, dict)


def verdicts(data: bytes) -> None:
    """Any reply is a score on the scale, or none."""
    with contextlib.suppress(NoVerdictError):
        assert 1 <= read_verdict(_text(data), scale=5, candidate='{"score": 5}').score <= 5


def answers(data: bytes) -> None:
    """Any output holds JSON that can be written again, or none."""
    for kind in (None, "object", "array"):
        found = None
        with contextlib.suppress(ValueError):
            found = read_answer(_text(data), kind=kind)  # type: ignore[arg-type]
        json.dumps(found, allow_nan=False)


def figures(data: bytes) -> None:
    """Any output holds finite numbers, each written in it."""
    text = _text(data)
    for mark in (".", ","):
        for number in numbers(text, mark):  # type: ignore[arg-type]
            assert number.value.is_finite()
            assert number.text in text


def templates(data: bytes) -> None:
    """Any template renders, or is an error of the template; its data are never one."""
    text = _text(data)
    with contextlib.suppress(TemplateError):
        Templates().compile(text).render({"x": "{{ 7 * 7 }}", "items": [1, "a"]})
    assert Templates().compile("{{ x }}").render({"x": text}) == well_formed(text)


def records(data: bytes) -> None:
    """Any file is a record, or refused."""
    with contextlib.suppress(RecordError):
        read_record(_file("r.json", data))


def cells(data: bytes) -> None:
    """Any text is one cell of a table, and no formula."""
    text = _text(data)
    assert "\n" not in markdown_cell(text)
    assert "\n" not in one_line(text)
    written = io.StringIO(newline="")
    csv.writer(written).writerow([csv_cell(text), "end"])
    assert next(csv.reader(io.StringIO(written.getvalue(), newline=""), strict=True))[1] == "end"
    assert not csv_cell(text).lstrip(" ").startswith(("=", "@"))


TARGETS: dict[str, Callable[[bytes], None]] = {
    one.__name__: one for one in (suites, rows, verdicts, answers, figures, templates, records, cells)
}

SEEDS: tuple[bytes, ...] = (
    b"",
    b"name: x\nmodels: [m]\n<<: &a {b: *a}\n? [x]\n: !!set {y}\n",
    b'{"id": "a", "q": [1e999, NaN, "\\ud83d"]}\n{"id": 2}\n',
    b'id,q\r\n1,"a\nb ""c"""\n2,\xff\n',
    b'<think>{"score": 1}</think> so {"reasoning": "a } b", "score": "4/5",}',
    b'```json\n[1, {"a": "b"}]\n``` 1,234.5e-3 10^{5} \\frac{1}{2} -$5 12,34,567',
    b"{% for i in items %}{{ i | upper }}{% endfor %}{{ x.__class__ }}{% set y = x ~ x %}",
    b'{"schema_version": 2, "run_id": "a", "results": [{"model": "m", "test_cases": [{}]}]}',
    "=1+1|`<b>\x1b[2J\u202e@all \ud83d".encode("utf-8", "surrogatepass"),
    b"\xef\xbb\xbf\x00\xed\xa0\xbd" + b"[" * 200,
)
