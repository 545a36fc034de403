"""The host knows no component by name: what is built in comes through the same door as a stranger's.

Names that are words of their own kind (``exact_match``) may not occur in the host at all, in comments neither. Names
that are ordinary words (``json``, ``files``) may not be a text that code compares or looks up.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "steelyard_builtins"

PLANNED = {"openai", "anthropic", "gemini", "ollama", "llm_judge", "json_schema", "json_path", "max_words", "evalkit"}
"""Names of components to come, so that the host does not learn them beforehand."""

ORDINARY = {
    "badge", "cache", "command", "contains", "csv", "eval", "files", "html", "http", "json", "junit", "markdown",
    "memory", "mock", "native", "numeric", "pairwise", "python", "regex", "rich", "similarity",
}  # fmt: skip
"""Components whose names are words that a host may need for something else."""

EXEMPT_FOLDERS = ("testing",)
"""The kit plays the part of servers and plugins, and names them."""

EXEMPT_TEXTS = {
    ("_engine/replies.py", "json"): "tells a fingerprint that is JSON from one that is text",
    ("_host/commands.py", "command"): "what a plugin's command is called in messages",
    ("cli/plugins.py", "command"): "what a plugin's command is called in the list",
    ("_session/manifest.py", "python"): "the language, whose version the manifest tells",
    ("cli/cache.py", "cache"): "the name of the command",
    ("cli/commands.py", "cache"): "the name of the command",
    ("cli/crash.py", "rich"): "the library, whose version a crash report tells",
    ("cli/files.py", "exact_match_classification.yaml"): "the example that is run when several lie together: a promise",
    ("cli/commands.py", "pairwise"): "the name of the command",
    ("cli/forms.py", "json"): "a form of a command's output",
    ("cli/forms.py", "markdown"): "a form of a command's output",
    ("cli/plugins.py", "json"): "a form of the command's output",
    ("cli/new_plugin.py", "cache"): "a kind of plugin",
    ("cli/new_plugin.py", "command"): "a kind of plugin",
    ("cli/pairwise.py", "pairwise"): "the name of the command",
    ("cli/run.py", "files"): "the name of the command's argument",
    ("cli/validate.py", "files"): "the name of the command's argument",
}
"""Texts that are the name of something else, by file."""

IN_DOCSTRINGS = ("api/", "hookspecs.py", "errors.py", "session.py")
"""Where docstrings may use built-in components as examples."""


def component_names(root: Path) -> set[str]:
    """Return the names of the built-in components: each is a plugin of its own, named alike."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return {*project["entry-points"]["steelyard"], *PLANNED}


def mentions(folder: Path, names: set[str]) -> list[str]:
    """Return every place in a package that mentions a component."""
    found = []
    for file in sorted(folder.rglob("*.py")):
        path = file.relative_to(folder).as_posix()
        if not path.startswith(EXEMPT_FOLDERS):
            source = file.read_text("utf-8")
            found += [f"{path}:{line}: {name}" for line, name in mentions_in(path, source, names)]
    return found


def mentions_in(path: str, source: str, names: set[str]) -> Iterator[tuple[int, str]]:
    """Give line and name of each mention in one module."""
    tree = ast.parse(source)
    docstrings = set(docstring_lines(tree)) if path.startswith(IN_DOCSTRINGS) else set()
    own_words = re.compile(rf"(?<![a-z0-9])({'|'.join(sorted({*(names - ORDINARY), PACKAGE}))})(?![a-z0-9])", re.I)
    exempt = [text for (file, text) in EXEMPT_TEXTS if file == path and text not in ORDINARY]
    for number, line in enumerate(source.splitlines(), 1):
        if number not in docstrings and not any(text in line for text in exempt):
            yield from ((number, match.group().lower()) for match in own_words.finditer(line))
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        if text in names & ORDINARY and (path, text) not in EXEMPT_TEXTS:
            yield node.lineno, text


def docstring_lines(tree: ast.Module) -> Iterator[int]:
    """Give the lines of texts that stand by themselves: docstrings, and those of attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def test_the_host_mentions_no_built_in_component(root):
    assert mentions(root / "src" / "steelyard", component_names(root)) == []


def test_every_exemption_is_still_needed(root):
    for path, text in EXEMPT_TEXTS:
        tree = ast.parse((root / "src" / "steelyard" / path).read_text("utf-8"))
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert text in texts, f"{path} does not say {text!r} any more"


def test_every_built_in_plugin_lives_outside_the_host(root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]

    assert {value.partition(".")[0] for value in project["entry-points"]["steelyard"].values()} == {PACKAGE}


def test_each_built_in_component_is_a_plugin_of_its_own_with_its_own_module(root):
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    modules = list(project["entry-points"]["steelyard"].values())

    assert len(set(modules)) == len(modules)
    for module in modules:
        path = root / "plugins" / "builtins" / Path(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__init__.py").is_file(), module


@pytest.mark.parametrize(
    ("path", "source", "line"),
    [
        ("_engine/run.py", "x = 1\nDEFAULT = 'exact_match'\n", 2),
        ("_engine/run.py", "# unlike Exact_Match\n", 1),
        ("_engine/run.py", "def exact_match(): ...\n", 1),
        ("_engine/run.py", "import steelyard_builtins.scorers\n", 1),
        ("_engine/run.py", "hint = 'is steelyard_builtins installed?'\n", 1),
        ("_engine/run.py", "def f():\n    '''Like sqlite.'''\n", 2),
        ("_engine/run.py", "if name == 'mock': pass\n", 1),
        ("_engine/run.py", "caches['memory']\n", 1),
        ("cli/run.py", "kind = f'{x}' or 'json'\n", 1),
        ("api/case.py", "DEFAULT = 'exact_match'\n", 1),
        ("api/case.py", "def f():\n    '''Like exact_match.'''\n    return 'exact_match'\n", 3),
    ],
)
def test_a_planted_mention_is_caught(path, source, line):
    names = {"exact_match", "sqlite", "mock", "memory", "json"}

    assert [found for found, _ in mentions_in(path, source, names)] == [line]


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("_engine/run.py", "import json\nmemory = json.loads('{}')\n"),
        ("_engine/run.py", "say('kept in memory')\n"),
        ("_engine/run.py", "inexact_matches = 1\n"),
        ("api/case.py", "def f():\n    '''Like exact_match.'''\n"),
        ("api/case.py", "x: str\n'''Like ``exact_match``,\nor sqlite.'''\n"),
        ("cli/plugins.py", "form = 'json'\n"),
    ],
)
def test_an_innocent_word_is_let_through(path, source):
    assert list(mentions_in(path, source, {"exact_match", "sqlite", "mock", "memory", "json"})) == []
