"""Which line of a plugin is named for what it raised."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from steelyard._raised import where_raised
from steelyard.text import one_line

PACKAGE = {
    "__init__.py": "from .parts import inner\n\ndef score(call):\n    return inner(call)\n",
    "parts.py": "def inner(call):\n    return call()\n",
}


@pytest.fixture
def score(tmp_path, monkeypatch):
    folder = tmp_path / "plugin_that_raises"
    folder.mkdir()
    for name, source in PACKAGE.items():
        (folder / name).write_text(source, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    import plugin_that_raises

    yield plugin_that_raises.score
    for name in ("plugin_that_raises", "plugin_that_raises.parts"):
        sys.modules.pop(name, None)


def raised_by(call):
    try:
        call()
    except Exception as error:
        return error.with_traceback(error.__traceback__.tb_next)  # without the line of this test
    raise AssertionError


def test_the_innermost_line_of_the_package_is_named_with_its_folder(score):
    error = raised_by(lambda: score(lambda: {}["b"]))
    own = Path(__file__).name

    # The lambdas are this file's: seen from the package they are foreign, from here they are where it began.
    assert where_raised(error) == f" (engine/{own}:{_line('lambda: score(lambda: {}')})"
    assert where_raised(error.with_traceback(error.__traceback__.tb_next)) == " (plugin_that_raises/parts.py:2)"


def test_what_a_library_raises_further_in_is_named_where_the_plugin_called_it(score):
    error = raised_by(lambda: score(lambda: None) or json.loads("{"))

    assert where_raised(error) == f" (engine/{Path(__file__).name}:{_line('json.loads(' + chr(34))})"


def test_where_none_of_the_plugins_code_took_part_nothing_is_named():
    error = raised_by(lambda: one_line(None))

    assert where_raised(error.with_traceback(error.__traceback__.tb_next)) == ""
    assert where_raised(KeyError("b")) == ""


def _line(part):
    lines = Path(__file__).read_text("utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if part in line)
