"""What is public says what it means, in a form that a plugin author can count on."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator

import pytest

from steelyard import hookspecs

HOOKS = sorted(name for name in vars(hookspecs) if hasattr(getattr(hookspecs, name), "steelyard_spec"))


def test_there_is_a_hook_for_every_kind_of_component():
    assert HOOKS == [
        "steelyard_register_caches",
        "steelyard_register_formats",
        "steelyard_register_providers",
        "steelyard_register_reporters",
        "steelyard_register_scorers",
    ]


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    "heading", ["Called once, when ", "Return: ", "If it raises: ", "Stability: stable from ", "Example::"]
)
def test_every_hook_says_when_it_is_called_what_it_returns_and_what_is_promised(hook, heading):
    paragraphs = inspect.getdoc(getattr(hookspecs, hook)).split("\n\n")

    assert any(paragraph.startswith(heading) for paragraph in paragraphs)


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_takes_nothing_and_returns_specs(hook):
    signature = inspect.signature(getattr(hookspecs, hook))

    assert list(signature.parameters) == []
    assert re.fullmatch(r"Iterable\[\w+Spec(\[Any\])?\]", str(signature.return_annotation))


@pytest.mark.parametrize("hook", HOOKS)
def test_the_example_of_every_hook_is_code_that_implements_it(hook):
    example = textwrap.dedent(inspect.getdoc(getattr(hookspecs, hook)).partition("Example::\n")[2])

    (function,) = ast.parse(example).body
    assert isinstance(function, ast.FunctionDef)
    assert function.name == hook
    assert [ast.unparse(mark) for mark in function.decorator_list] == ["hookimpl"]


def undocumented(sources, module) -> Iterator[str]:
    """Give the public names of a module that have no docstring, methods included."""
    for name in sources.public_names(module):
        found = sources.find(module, name)
        if not found.doc and name != "__version__":
            yield f"{found.module}.{name}"
        if isinstance(found.node, ast.ClassDef):
            for member in found.node.body:
                is_method = isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef))
                if is_method and not member.name.startswith("_") and not ast.get_docstring(member):
                    yield f"{found.module}.{name}.{member.name}"


@pytest.mark.parametrize(
    "module",
    [
        "steelyard",
        "steelyard.api",
        "steelyard.comparison",
        "steelyard.errors",
        "steelyard.hookspecs",
        "steelyard.records",
        "steelyard.testing",
        "steelyard.text",
    ],
)
def test_every_public_name_is_documented(api_dump, module):
    assert list(undocumented(api_dump.Sources(api_dump.SOURCE), module)) == []


def test_a_public_name_without_a_docstring_is_caught(api_dump, tmp_path):
    source = "X = 1\n'''An X.'''\nY = 2\ndef f(): ...\nclass A:\n    '''An A.'''\n    def m(self): ...\n"
    source += "    def _private(self): ...\n"
    (tmp_path / "thing.py").write_text(source, "utf-8")

    assert list(undocumented(api_dump.Sources(tmp_path), "thing")) == ["thing.A.m", "thing.Y", "thing.f"]


def test_every_module_says_what_it_answers(root):
    folders = [root / "src" / "steelyard", root / "plugins" / "builtins" / "steelyard_builtins"]
    files = [file for folder in folders for file in sorted(folder.rglob("*.py"))]

    silent = [
        str(file.relative_to(root)) for file in files if not ast.get_docstring(ast.parse(file.read_text("utf-8")))
    ]

    assert files
    assert silent == []
