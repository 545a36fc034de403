"""Which module may import which: the arrows of the house, and the one home that each library has.

Every import counts, at whatever depth and whether or not it is for type checkers alone. The tables below are the
architecture; a change of them is a decision and belongs into docs/design.
"""

from __future__ import annotations

import ast
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

FOUNDATION = {"errors", "_suggest", "_escape", "_paths", "_files", "_raised"}
"""Modules that import nothing of ours, so that everything of the host may import them."""

INNER = {"_config", "_engine", "_host", "_session", "_store", "api", "hookspecs", "records", "session", "text"}

ARROWS = {
    **{module: set() for module in FOUNDATION},
    "text": {"_escape"},
    "api": {"errors"},
    "hookspecs": {"api"},
    "records": {"api", *FOUNDATION},
    "_host": {"hookspecs", "api", *FOUNDATION},
    "_config": {"api", *FOUNDATION},
    "_engine": {"api", *FOUNDATION},
    "_store": {"api", "records", *FOUNDATION},
    "_session": {"_config", "_engine", "_host", "_store", "api", "hookspecs", "records", "text", *FOUNDATION},
    "comparison": {"_engine"},
    "session": {"__version__", "_session", *INNER, *FOUNDATION},
    "cli": {"__version__", "session", "records", "api", "text", *FOUNDATION},
    "testing": {"hookimpl", "session", "records", "api", "hookspecs", "text", *FOUNDATION},
    "__init__": {"api", "hookspecs", "session"},
    "__main__": {"cli"},
}
"""For each part of ``steelyard``, the other parts that it may import."""

EXCEPTIONS = {
    # The commands of plugins have to be known before a session is worth opening: for --help, and for dispatch.
    ("steelyard.cli.commands", "steelyard._host.commands"),
}

HOMES = {
    "pluggy": ("steelyard.hookspecs", "steelyard._host"),
    "yaml": ("steelyard._config",),
    "jinja2": ("steelyard._config.templates",),
    "platformdirs": ("steelyard._paths",),
    "click": ("steelyard.cli",),
    "pytest": ("steelyard.testing.fixtures",),
    "rich": ("steelyard.cli", "steelyard_builtins.reporters.terminal"),
    "aiohttp": ("steelyard_builtins.providers._http",),
    "certifi": ("steelyard_builtins.providers._http",),
    "httpx": ("steelyard_builtins.providers._http",),
    "jsonschema": ("steelyard_builtins.scorers._schema_validation",),
    "rapidfuzz": ("steelyard_builtins.scorers._similarity_measures",),
    "referencing": ("steelyard_builtins.scorers._schema_validation",),
    "regex": ("steelyard_builtins",),
    "msgspec": ("steelyard.records",),
    "watchfiles": ("steelyard.cli.watching",),
}
"""Each library, and the modules that may import it, by the beginning of their names."""

FOR_PLUGINS = {"api", "comparison", "errors", "records", "text"}
"""The modules of ``steelyard`` that a plugin may import, besides the names of the facade."""

LATE_IN_SRC = ("steelyard.cli",)
"""Where the host may import its own modules inside a function: a command is imported when it is called."""

DYNAMIC = {
    "steelyard": "the facade imports a public name from its home when it is touched",
    "steelyard._session": "a part of a session is imported when the session touches it",
    "steelyard.session": "a public name is imported from its home when a command touches it",
    "steelyard.cli.commands": "a command's module is imported by the command's name",
}
"""Modules that may import by a computed name, which no syntax tree can follow."""


@dataclass(frozen=True)
class Arrow:
    """One import."""

    importer: str
    imported: str
    line: int
    function: str
    """The function that it stands in; empty at the top of the module."""

    def __str__(self) -> str:
        late = f", in {self.function}()" if self.function else ""
        return f"{self.importer}:{self.line} imports {self.imported}{late}"


@dataclass(frozen=True)
class Package:
    """Modules that have been read."""

    name: str
    trees: dict[str, ast.Module]
    folders: frozenset[str]
    """The modules that are packages, from where relative imports start one level lower."""

    @property
    def arrows(self) -> list[Arrow]:
        return [arrow for module in self.trees for arrow in self._arrows_of(module)]

    def _arrows_of(self, module: str) -> Iterator[Arrow]:
        for node, function in with_function(self.trees[module]):
            for imported in self._imported(module, node):
                yield Arrow(module, imported, node.lineno, function)

    def _imported(self, module: str, node: ast.AST) -> list[str]:
        if isinstance(node, ast.Import):
            return [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            parts = module.split(".") if module in self.folders else module.split(".")[:-1]
            base = parts[: len(parts) - node.level + 1] if node.level else []
            base += filter(None, [node.module])
            return [".".join([*base, alias.name]) for alias in node.names]
        return []


def with_function(tree: ast.AST, function: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Go through a tree, telling for each node the outermost function that it stands in."""
    for node in ast.iter_child_nodes(tree):
        yield node, function
        inside = node.name if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) else ""
        yield from with_function(node, function or inside)


def read(folder: Path) -> Package:
    """Parse a package."""
    trees, folders = {}, set()
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder.parent).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
            folders.add(".".join(parts))
        trees[".".join(parts)] = ast.parse(file.read_text("utf-8"), str(file))
    return Package(folder.name, trees, frozenset(folders))


def part(module: str) -> str:
    """Return the part of steelyard that a module belongs to; ``__init__`` for the facade."""
    return [*module.split("."), "__init__"][1]


def is_within(module: str, homes: tuple[str, ...]) -> bool:
    """Whether a module is one of these, below one, or continues one (``terminal_tables`` is part of ``terminal``)."""
    return any(module == home or module.startswith((f"{home}.", f"{home}_")) for home in homes)


def faults_of_src(package: Package) -> list[str]:
    """Return what breaks the architecture inside the host."""
    faults = []
    for arrow in package.arrows:
        library = arrow.imported.partition(".")[0]
        if library == "steelyard":
            faults += fault_between_parts(arrow)
        elif library not in sys.stdlib_module_names and not is_within(arrow.importer, HOMES.get(library, ())):
            faults.append(f"{arrow}, which has its home in {HOMES.get(library, 'no module')}")
    return faults + dynamic_imports(package)


def fault_between_parts(arrow: Arrow) -> list[str]:
    importer, imported = part(arrow.importer), part(arrow.imported)
    faults = []
    exempt = any(arrow.importer == source and is_within(arrow.imported, (target,)) for source, target in EXCEPTIONS)
    if importer != imported and imported not in ARROWS.get(importer, set()) and not exempt:
        faults.append(f"{arrow}, which {importer} may not")
    if arrow.function and not is_within(arrow.importer, LATE_IN_SRC):
        faults.append(f"{arrow}, but imports belong at the top")
    return faults


PYTHON_API = ("Session", "open_session", "run")
"""What a caller of steelyard uses. A plugin is called by it, and gets what it may use handed over."""


def calls_the_host(folder: Path) -> bool:
    """Whether a package offers the host nothing and calls it instead, as a script does: a plugin of another tool."""
    project = folder.parents[1] / "pyproject.toml"
    if not project.is_file():
        return False
    groups = tomllib.loads(project.read_text("utf-8"))["project"].get("entry-points", {})
    return bool(groups) and not any(group.split(".")[0] == "steelyard" for group in groups)


def faults_of_plugin(package: Package, facade: set[str], *, caller: bool = False) -> list[str]:
    """Return what breaks the architecture in a plugin: it may see what any stranger may see.

    A ``caller`` of the host may open a session, and import late in the hooks of the tool that it is a plugin of.
    """
    faults = []
    facade = facade | {*PYTHON_API} if caller else facade
    late = ("create", "pytest_") if caller else ("create",)
    for arrow in package.arrows:
        library, *rest = arrow.imported.split(".")
        ours = library in ("steelyard", package.name)
        if library == "steelyard" and not is_open_to_plugins(rest, facade):
            faults.append(f"{arrow}, which is not for plugins")
        slow = ours or library not in sys.stdlib_module_names
        if arrow.function and not arrow.function.startswith(late) and slow:
            faults.append(f"{arrow}, but only create() may import late")
    for module, tree in package.trees.items():
        faults += [f"{module}:{node.lineno} reaches into steelyard.{node.attr}" for node in reaches(tree)]
    return faults


def is_open_to_plugins(path: list[str], facade: set[str]) -> bool:
    """Whether ``steelyard.<path>`` is public: the facade and its names, or a name of a public module, no deeper."""
    if not path or path[0] in facade:
        return len(path) <= 1
    return path[0] in FOR_PLUGINS and len(path) <= 2 and not any(name.startswith("_") for name in path)


def reaches(tree: ast.Module) -> list[ast.Attribute]:
    """Return uses of ``steelyard._something`` and ``steelyard.session``, which need no import of their own."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "steelyard"
        and (node.attr.startswith("_") or node.attr in ("session", "cli", "testing"))
        and node.attr != "__version__"
    ]


def faults_of_homes(package: Package) -> list[str]:
    """Return libraries of the built-ins that are imported outside their home."""
    return [
        f"{arrow}, which has its home in {HOMES.get(library, 'no module')}"
        for arrow in package.arrows
        if (library := arrow.imported.partition(".")[0]) not in {"steelyard", package.name, *sys.stdlib_module_names}
        and not is_within(arrow.importer, HOMES.get(library, ()))
    ]


def dynamic_imports(package: Package) -> list[str]:
    """Return imports by a computed name."""
    return [
        f"{module}:{node.lineno} imports by a computed name"
        for module, tree in package.trees.items()
        if module not in DYNAMIC
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("import_module", "__import__")
    ]


def cycles(package: Package) -> list[set[str]]:
    """Return groups of modules that import each other, late imports included.

    The facade does not count, nor what ``create`` imports: an implementation may name the settings of its plugin.
    """
    edges: dict[str, set[str]] = {module: set() for module in package.trees if module != package.name}
    for arrow in package.arrows:
        target = arrow.imported if arrow.imported in package.trees else arrow.imported.rpartition(".")[0]
        if target != arrow.importer and {arrow.importer, target} <= edges.keys() and arrow.function != "create":
            edges[arrow.importer].add(target)
    reachable = {module: reach(module, edges) for module in edges}
    groups = {frozenset(other for other in reachable[module] if module in reachable[other]) for module in edges}
    return [set(group) for group in groups if len(group) > 1]


def reach(start: str, edges: dict[str, set[str]]) -> set[str]:
    """Return every module that one leads to by one import or more."""
    seen: set[str] = set()
    todo = list(edges[start])
    while todo:
        module = todo.pop()
        if module not in seen:
            seen.add(module)
            todo.extend(edges[module])
    return seen


def plugin_folders(root: Path) -> list[Path]:
    """Return the import packages of the built-ins and of every distribution below ``plugins``."""
    inits = [*root.glob("plugins/builtins/*/__init__.py")]
    inits += [*root.glob("plugins/steelyard-*/steelyard_*/__init__.py")]
    inits += [*root.glob("plugins/steelyard-*/src/*/__init__.py")]
    return sorted(init.parent for init in inits)


@pytest.fixture(scope="module")
def src(root):
    return read(root / "src" / "steelyard")


@pytest.fixture(scope="module")
def facade(api_dump):
    """The names of the facade that a plugin may use: those of the api, and the marker."""
    return {*api_dump.Sources(api_dump.SOURCE).public_names("steelyard.api"), "hookimpl", "__version__"}


def test_the_host_keeps_its_arrows(src):
    assert faults_of_src(src) == []


def test_no_modules_of_the_host_import_each_other_in_a_circle(src):
    assert cycles(src) == []


def test_every_part_of_the_host_has_its_arrows_written_down(src):
    assert {part(module) for module in src.trees} <= set(ARROWS)


def test_built_ins_and_other_plugins_import_only_what_a_stranger_may(root, facade):
    folders = plugin_folders(root)

    assert "steelyard_builtins" in [folder.name for folder in folders]
    faults = [faults_of_plugin(read(folder), facade, caller=calls_the_host(folder)) for folder in folders]
    assert [fault for some in faults for fault in some] == []


@pytest.mark.parametrize(
    ("source", "fine"),
    [
        ("from steelyard import Session, open_session, run", True),
        ("def pytest_configure():\n    from . import other", True),
        ("def late():\n    from . import other", False),
        ("import steelyard.session", False),
        ("from steelyard._engine import retry", False),
    ],
)
def test_a_caller_of_the_host_uses_its_python_api_and_nothing_deeper(planted, facade, source, fine):
    assert (faults_of_plugin(planted("steelyard_x.plugin", source), facade, caller=True) == []) is fine


def test_only_plugins_of_other_tools_call_the_host(root):
    assert [folder.name for folder in plugin_folders(root) if calls_the_host(folder)] == ["steelyard_pytest"]


def test_each_library_has_one_home_among_the_built_ins(root):
    assert faults_of_homes(read(root / "plugins" / "builtins" / "steelyard_builtins")) == []


def test_no_built_ins_import_each_other_in_a_circle(root):
    assert cycles(read(root / "plugins" / "builtins" / "steelyard_builtins")) == []


def test_a_plugin_s_own_tests_use_no_private_part_of_the_host(root):
    folders = [folder for folder in root.glob("plugins/steelyard-*/tests") if folder.is_dir()]

    private = [
        str(arrow)
        for folder in folders
        for arrow in read(folder).arrows
        if arrow.imported.startswith("steelyard.") and arrow.imported.split(".")[1].startswith("_")
    ]

    assert private == []


@pytest.fixture
def planted(tmp_path):
    """Write a package with one module in it and read it."""

    def plant(module: str, source: str) -> Package:
        *folders, name = module.split(".")
        folder = tmp_path
        for one in folders:
            folder = folder / one
            folder.mkdir()
            (folder / "__init__.py").write_text("", "utf-8")
        (folder / f"{name}.py").write_text(source, "utf-8")
        return read(tmp_path / folders[0])

    return plant


@pytest.mark.parametrize(
    ("module", "source", "said"),
    [
        ("api.case", "from .._host import registry", "_host.registry, which api may not"),
        ("api.case", "from .. import hookspecs", "hookspecs, which api may not"),
        ("_engine.run", "import steelyard._host", "_host, which _engine may not"),
        ("_engine.run", "from steelyard import session", "session, which _engine may not"),
        ("_engine.run", "from steelyard._config import text", "_config.text, which _engine may not"),
        ("_config.text", "from .._engine.plan import Plan", "_engine.plan.Plan, which _config may not"),
        ("_host.host", "from ..cli import run", "cli.run, which _host may not"),
        ("session", "from .cli import run", "cli.run, which session may not"),
        ("cli.run", "from .._host.host import build_host", "_host.host.build_host, which cli may not"),
        ("cli.other", "from .._host.commands import x", "_host.commands.x, which cli may not"),
        ("records.read", "from .._store import x", "_store.x, which records may not"),
        ("errors", "from .api import Case", "api.Case, which errors may not"),
        ("brand_new", "from . import api", "api, which brand_new may not"),
        (
            "_engine.run",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .._host.host import Host",
            "_host.host.Host, which _engine may not",
        ),
        ("_engine.run", "def late():\n    from .._config import x", "_config.x, in late(), which _engine may not"),
        (
            "_engine.run",
            "def late():\n    from ..api import Case",
            "api.Case, in late(), but imports belong at the top",
        ),
        (
            "_engine.run",
            "class A:\n    async def f(self):\n        import pluggy",
            "pluggy, in f(), which has its home in",
        ),
        ("_engine.run", "try:\n    import httpx\nexcept ImportError:\n    pass", "httpx, which has its home in"),
        ("_engine.run", "import importlib\nimportlib.import_module('x')", ":2 imports by a computed name"),
        (
            "_config.text",
            "import jinja2.sandbox",
            "jinja2.sandbox, which has its home in ('steelyard._config.templates',)",
        ),
        ("api.case", "import pydantic", "pydantic, which has its home in no module"),
        ("api.case", "import steelyard_builtins.x", "steelyard_builtins.x, which has its home in no module"),
        ("session", "import click", "click, which has its home in ('steelyard.cli',)"),
    ],
)
def test_a_planted_arrow_of_the_host_is_caught(planted, module, source, said):
    assert said in "\n".join(faults_of_src(planted(f"steelyard.{module}", source)))


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "steelyard._host.host",
            "import pluggy\nfrom .. import hookspecs\nfrom ..api import Case\nfrom . import other",
        ),
        ("steelyard._config.templates.render", "import jinja2"),
        ("steelyard.cli.run", "def run():\n    from ..session import open_session\n    import rich"),
        ("steelyard.cli.commands", "from .._host.commands import find_commands"),
        ("steelyard._engine.run", "def late():\n    import sqlite3"),
    ],
)
def test_an_allowed_arrow_of_the_host_is_let_through(planted, module, source):
    assert faults_of_src(planted(module, source)) == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("from steelyard._engine import retry", "imports steelyard._engine.retry, which is not for plugins"),
        ("import steelyard.session", "imports steelyard.session, which is not for plugins"),
        ("from steelyard import session", "imports steelyard.session, which is not for plugins"),
        ("from steelyard import open_session", "imports steelyard.open_session, which is not for plugins"),
        ("from steelyard import _escape", "imports steelyard._escape, which is not for plugins"),
        ("from steelyard.cli import run", "imports steelyard.cli.run, which is not for plugins"),
        ("from steelyard.testing import Fake", "imports steelyard.testing.Fake, which is not for plugins"),
        ("from steelyard.hookspecs import hookspec", "imports steelyard.hookspecs.hookspec, which is not for plugins"),
        ("from steelyard.api.scorer import Score", "imports steelyard.api.scorer.Score, which is not for plugins"),
        ("from steelyard.api import _private", "imports steelyard.api._private, which is not for plugins"),
        ("def f():\n    from steelyard._host import x", "imports steelyard._host.x, in f(), which is not for plugins"),
        ("def f():\n    import httpx", "imports httpx, in f(), but only create() may import late"),
        ("def f():\n    from . import other", "imports steelyard_x.other, in f(), but only create() may import late"),
        ("import steelyard\nsteelyard._host.host", "steelyard_x.plugin:2 reaches into steelyard._host"),
        ("import steelyard\nsteelyard.session.run()", "steelyard_x.plugin:2 reaches into steelyard.session"),
    ],
)
def test_a_planted_arrow_of_a_plugin_is_caught(planted, facade, source, said):
    assert said in "\n".join(faults_of_plugin(planted("steelyard_x.plugin", source), facade))


@pytest.mark.parametrize(
    "source",
    [
        "import steelyard\nfrom steelyard import hookimpl, Score\nprint(steelyard.__version__, steelyard.hookimpl)",
        "import steelyard.api\nfrom steelyard.api import Score\nfrom steelyard.errors import ScorerError",
        "from steelyard.records import read_record\nfrom steelyard.text import printable",
        "import redis\nfrom . import other\nfrom .other import thing",
        "def create(settings, context):\n    import httpx\n    from .client import Client",
        "def f():\n    import sqlite3",
    ],
)
def test_an_allowed_arrow_of_a_plugin_is_let_through(planted, facade, source):
    assert faults_of_plugin(planted("steelyard_x.plugin", source), facade) == []


def test_a_library_away_from_home_is_caught_among_the_built_ins(planted):
    (fault,) = faults_of_homes(planted("steelyard_builtins.scorers.odd", "import httpx"))

    assert fault.startswith("steelyard_builtins.scorers.odd:1 imports httpx, which has its home in")


def test_a_circle_is_caught_even_through_functions(tmp_path):
    folder = tmp_path / "steelyard"
    folder.mkdir()
    (folder / "__init__.py").write_text("", "utf-8")
    (folder / "a.py").write_text("from . import b", "utf-8")
    (folder / "b.py").write_text("from .c import thing", "utf-8")
    (folder / "c.py").write_text("def f():\n    import steelyard.a", "utf-8")
    (folder / "d.py").write_text("from . import a", "utf-8")

    assert cycles(read(folder)) == [{"steelyard.a", "steelyard.b", "steelyard.c"}]
