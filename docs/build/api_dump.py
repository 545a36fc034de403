"""Write or check ``docs/reference/api.txt``: every public name with its signature, one a line, sorted.

Read from the syntax trees rather than from imported modules, so that the page is the same under every version of
Python, and shows annotations and defaults as they are written. Run without arguments to write the page, with
``--check`` to fail when it is out of date.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
PAGE = ROOT / "docs" / "reference" / "api.txt"

PUBLIC = (
    "steelyard",
    "steelyard.api",
    "steelyard.comparison",
    "steelyard.errors",
    "steelyard.hookspecs",
    "steelyard.records",
    "steelyard.testing",
    "steelyard.testing.fake_api",
    "steelyard.testing.fake_api_process",
    "steelyard.text",
)
"""The modules whose names are promised. Everything else is private."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Definition:
    """A name, the module that defines it, and the statement that does."""

    module: str
    name: str
    node: ast.stmt
    doc: str | None


class Sources:
    """The modules below a folder, parsed when they are first asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._trees: dict[str, ast.Module] = {}

    def exists(self, module: str) -> bool:
        """Whether there is such a module."""
        return self._file(module) is not None

    def tree(self, module: str) -> ast.Module:
        """Return the syntax tree of a module."""
        if module not in self._trees:
            file = self._file(module)
            if file is None:
                raise SystemExit(f"{module}: there is no such module; it is named in PUBLIC")
            self._trees[module] = ast.parse(file.read_text("utf-8"))
        return self._trees[module]

    def public_names(self, module: str) -> list[str]:
        """Return the public names of a module: ``__all__`` where there is one, else all without an underscore."""
        found: set[str] = set()
        for node in statements(self.tree(module)):
            if names_of(node) == ["__all__"] and isinstance(node, ast.Assign):
                return sorted(ast.literal_eval(node.value))
            found.update(names_of(node))
            found.update(self._re_exported(module, node))
        return sorted(name for name in found if not name.startswith("_") or name == "__version__")

    def find(self, module: str, name: str) -> Definition:
        """Return the definition of a name, wherever the module has it from."""
        body = statements(self.tree(module))
        for place, node in enumerate(body):
            if name in names_of(node):
                return Definition(module, name, node, docstring(node, body[place + 1 :]))
        for node in body:
            home = self._home(module, node, name)
            if home:
                return self.find(*home)
        raise SystemExit(f"{module}: the public name {name!r} is defined nowhere")

    def _home(self, module: str, node: ast.stmt, name: str) -> tuple[str, str] | None:
        if not isinstance(node, ast.ImportFrom):
            return None
        source = self.resolve(module, node)
        for alias in node.names:
            if (alias.asname or alias.name) == name and self.exists(source):
                return source, alias.name
            if alias.name == "*" and name in self.public_names(source):
                return source, name
        return None

    def _re_exported(self, module: str, node: ast.stmt) -> Iterator[str]:
        """Give the names of ``from x import *`` and ``from x import y as y``, which mean to make them public."""
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    yield from self.public_names(self.resolve(module, node))
                elif alias.name == alias.asname:
                    yield alias.name

    def resolve(self, module: str, node: ast.ImportFrom) -> str:
        """Return the absolute name of the module that is imported from."""
        if not node.level:
            return node.module or ""
        file = self._file(module)
        parts = module.split(".")
        keep = len(parts) - node.level + (1 if file is not None and file.name == "__init__.py" else 0)
        return ".".join([*parts[:keep], *filter(None, [node.module])])

    def _file(self, module: str) -> Path | None:
        path = self.folder.joinpath(*module.split("."))
        return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.is_file()), None)


def statements(tree: ast.Module) -> list[ast.stmt]:
    """Return the top-level statements, those for type checkers included."""
    found: list[ast.stmt] = []
    for node in tree.body:
        typing_only = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        found.extend(node.body if isinstance(node, ast.If) and typing_only else [node])
    return found


def names_of(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines; none for an import."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return []


def docstring(node: ast.stmt, after: list[ast.stmt]) -> str | None:
    """Return the docstring of a definition; that of an assignment is the text that follows it."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return ast.get_docstring(node)
    following = after[0] if after else None
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        return following.value.value if isinstance(following.value.value, str) else None
    return None


def lines(sources: Sources, modules: tuple[str, ...] = PUBLIC) -> list[str]:
    """Return the page, sorted."""
    return sorted({line for module in modules for line in lines_of(sources, module)})


def lines_of(sources: Sources, module: str) -> Iterator[str]:
    """Give the lines of one public module. A name that is public elsewhere too is described there."""
    for name in sources.public_names(module):
        found = sources.find(module, name)
        home = public_home(sources, found)
        # A part of a package that is public by itself offers names that the package does not.
        if home not in (None, module) and found.name in sources.public_names(str(home)):
            yield f"{module}.{name} = {home}.{found.name}"
        else:
            yield from described(f"{module}.{name}", found.node)


def public_home(sources: Sources, found: Definition) -> str | None:
    """Return the public module, other than the facade, that offers a definition."""
    for module in PUBLIC[1:]:
        if sources.exists(module) and (found.module == module or found.module.startswith(f"{module}.")):
            return module
    return None


def described(path: str, node: ast.stmt) -> Iterator[str]:
    """Give the lines of one definition, a class with its fields and methods."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield path + signature(node)
    elif isinstance(node, ast.ClassDef):
        yield from described_class(path, node)
    elif isinstance(node, ast.AnnAssign):
        yield f"{path}: {ast.unparse(node.annotation)}" + (f" = {ast.unparse(node.value)}" if node.value else "")
    elif isinstance(node, ast.Assign):
        yield f"{path} = {ast.unparse(node.value)}"


def described_class(path: str, node: ast.ClassDef) -> Iterator[str]:
    """Give the lines of a class."""
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    marks = "".join(f" @{ast.unparse(mark)}" for mark in node.decorator_list)
    yield f"{path}: class({bases}){marks}"
    for member in node.body:
        for name in names_of(member):
            if not name.startswith("_") or name == "__init__":
                yield from described(f"{path}.{name}", member)
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            yield from attributes(path, member)


def attributes(path: str, initialiser: ast.FunctionDef) -> Iterator[str]:
    """Give the public attributes that ``__init__`` sets."""
    for node in ast.walk(initialiser):
        for target in [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", ()):
            if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self" and target.attr[0] != "_":
                typed = f": {ast.unparse(node.annotation)}" if isinstance(node, ast.AnnAssign) else ""
                yield f"{path}.{target.attr}{typed}"


def signature(node: Function) -> str:
    """Return a signature as it is written, with the decorators that change how it is used."""
    marks = [ast.unparse(mark) for mark in node.decorator_list]
    shown = "".join(f" @{mark}" for mark in marks)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    kind = " async" if isinstance(node, ast.AsyncFunctionDef) else ""
    return f"({ast.unparse(node.args)}){returns}{kind}{shown}"


def main(arguments: list[str]) -> int:
    """Write the page, or say that it is out of date."""
    parser = argparse.ArgumentParser(description="Write docs/reference/api.txt.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when the page is out of date")
    options = parser.parse_args(arguments)
    text = "\n".join(lines(Sources(SOURCE))) + "\n"
    if not options.check:
        PAGE.write_text(text, "utf-8", newline="\n")
        return 0
    if PAGE.is_file() and PAGE.read_text("utf-8") == text:
        return 0
    sys.stderr.write(f"{PAGE.relative_to(ROOT)}: is out of date; run 'python docs/build/api_dump.py'\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
