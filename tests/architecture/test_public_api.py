"""The public surface is written down, and changes only when somebody means it to."""

from __future__ import annotations

import importlib
import inspect

import pytest

import steelyard
from steelyard import api


def test_the_page_of_public_names_equals_the_code(api_dump):
    wanted = "\n".join(api_dump.lines(api_dump.Sources(api_dump.SOURCE))) + "\n"

    assert api_dump.PAGE.read_text("utf-8") == wanted, "run 'python docs/build/api_dump.py' and read the difference"


def test_the_page_is_sorted_and_says_nothing_twice(api_dump):
    lines = api_dump.PAGE.read_text("utf-8").splitlines()

    assert lines == sorted(set(lines))


@pytest.mark.parametrize(
    "name",
    ["steelyard", "steelyard.api", "steelyard.errors", "steelyard.hookspecs", "steelyard.records", "steelyard.testing"],
)
def test_every_public_name_is_really_there(api_dump, name):
    module = importlib.import_module(name)

    for public in api_dump.Sources(api_dump.SOURCE).public_names(name):
        assert getattr(module, public) is not None, f"{name}.{public}"


def test_the_facade_has_every_name_of_the_api_and_the_very_same_objects():
    for name in api.__all__:
        assert getattr(steelyard, name) is getattr(api, name)


def test_the_facade_has_nothing_else_that_plugins_or_notebooks_could_come_to_rely_on():
    with pytest.raises(AttributeError, match="module 'steelyard' has no attribute 'Scorrer'"):
        _ = steelyard.Scorrer


def test_all_of_the_api_is_what_the_api_imports():
    imported = {name for name, value in vars(api).items() if not name.startswith("_") and not inspect.ismodule(value)}

    assert set(api.__all__) == imported - {"annotations"}


def test_what_crosses_the_boundary_is_frozen_and_named(api_dump):
    """Dataclasses of the api: frozen, with slots, by keyword only; so that fields can be added without breaking."""
    classes = [value for name, value in vars(api).items() if inspect.isclass(value) and name in api.__all__]
    data = [one for one in classes if hasattr(one, "__dataclass_fields__")]
    keyword_only = [one for one in data if one is not api.Node]

    assert data
    assert [one.__name__ for one in data if not one.__dataclass_params__.frozen] == []
    assert [one.__name__ for one in data if "__slots__" not in vars(one)] == []
    assert [one.__name__ for one in keyword_only if not all(f.kw_only for f in one.__dataclass_fields__.values())] == []


@pytest.fixture
def dumped(api_dump, tmp_path):
    """Dump a module of these lines."""

    def dump(source):
        (tmp_path / "thing.py").write_text(source, "utf-8")
        return api_dump.lines(api_dump.Sources(tmp_path), ("thing",))

    return dump


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def f(a: int, *, b: str = 'x') -> bool: ...", ["thing.f(a: int, *, b: str='x') -> bool"]),
        ("async def f(): ...", ["thing.f() async"]),
        ("def _private(): ...", []),
        ("import os\nfrom os import path", []),
        ("X: int = 3", ["thing.X: int = 3"]),
        ("X = 3", ["thing.X = 3"]),
        ("__all__ = ['b']\ndef a(): ...\ndef b(): ...", ["thing.b()"]),
        (
            "@dataclass(frozen=True)\nclass A(B):\n    x: int\n    y: str = 'z'\n    _z: int = 0\n    def m(self): ...",
            ["thing.A.m(self)", "thing.A.x: int", "thing.A.y: str = 'z'", "thing.A: class(B) @dataclass(frozen=True)"],
        ),
        (
            "class E(Exception):\n    def __init__(self, a):\n        self.a: int = a\n        self._b = self.c = 0",
            ["thing.E.__init__(self, a)", "thing.E.a: int", "thing.E.c", "thing.E: class(Exception)"],
        ),
        (
            "class P:\n    @property\n    def x(self) -> int: ...",
            ["thing.P.x(self) -> int @property", "thing.P: class()"],
        ),
    ],
)
def test_the_page_shows_what_a_caller_can_rely_on(dumped, source, lines):
    assert dumped(source) == lines


@pytest.mark.parametrize(
    "changed",
    [
        "def f(a: int, b: int = 0) -> int: ...",
        "def f(b: int) -> int: ...",
        "def f(a: str) -> int: ...",
        "def f(a: int) -> str: ...",
        "def f(a: int = 1) -> int: ...",
        "async def f(a: int) -> int: ...",
        "def g(a: int) -> int: ...",
    ],
)
def test_every_change_of_a_signature_changes_the_page(dumped, changed):
    assert dumped("def f(a: int) -> int: ...") != dumped(changed)


def test_check_fails_when_the_page_is_out_of_date_and_writes_nothing(api_dump, tmp_path, monkeypatch, capsys):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "thing.py").write_text("def f(): ...\n", "utf-8")
    page = tmp_path / "api.txt"
    monkeypatch.setattr(api_dump, "ROOT", tmp_path)
    monkeypatch.setattr(api_dump, "SOURCE", tmp_path / "src")
    monkeypatch.setattr(api_dump, "PAGE", page)
    monkeypatch.setattr(api_dump, "lines", lambda sources: ["thing.f()"])

    assert api_dump.main(["--check"]) == 1
    assert not page.exists()
    assert capsys.readouterr().err == "api.txt: is out of date; run 'python docs/build/api_dump.py'\n"
    assert api_dump.main([]) == 0
    assert page.read_bytes() == b"thing.f()\n"
    assert api_dump.main(["--check"]) == 0
