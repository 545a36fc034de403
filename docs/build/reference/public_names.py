"""``api.md``, ``errors.md``, ``hooks.md`` and ``testing.md``: every public name, with what its docstring says."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator

from api_dump import PUBLIC, SOURCE, Sources, names_of, public_home

from .definitions import definition_parts, module_parts, signature
from .markup import block, code, heading, page, table
from .prose import one_line, prose

_ERRORS, _HOOKS, _TESTING, _API = "steelyard.errors", "steelyard.hookspecs", "steelyard.testing", "steelyard.api"
_SERVERS = (f"{_TESTING}.fake_api", f"{_TESTING}.fake_api_process")
"""Modules of the kit that are imported by themselves."""
_ELSEWHERE = (_ERRORS, _HOOKS, _TESTING, *_SERVERS)
_TYPE = re.compile(r"[A-Z][a-z]+[A-Za-z]*")
_EXIT_CODES = "steelyard.cli.exit_codes"


def api_page() -> str:
    """Return the page of ``steelyard``, ``steelyard.api`` and what else is public and has no page of its own."""
    sources = Sources(SOURCE)
    modules = [module for module in PUBLIC if module not in _ELSEWHERE]
    parts = [part for module in modules for part in _module_section(sources, module)]
    links = "Errors, hooks and the kit for tests have pages of their own: [errors](errors.md), [hooks](hooks.md), "
    links += "[testing](testing.md). Every name with its signature, one a line, is in [api.txt](api.txt)."
    return page("The Python API", "the docstrings of src/steelyard", links, *parts)


def errors_page() -> str:
    """Return the page of errors and exit codes."""
    sources = Sources(SOURCE)
    names = sources.public_names(_ERRORS)
    codes = [
        (code(ast.unparse(node.value)), code(node.target.id), one_line(_text_after(sources, _EXIT_CODES, node)))
        for node in sources.tree(_EXIT_CODES).body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
    ]
    return page(
        "Errors and exit codes",
        "the docstrings of src/steelyard/errors.py",
        prose(ast.get_docstring(sources.tree(_ERRORS))),
        heading(2, "Exit codes"),
        table(("code", "name", "meaning"), codes),
        "What goes to which stream, and what an interruption leaves, is in [exit codes and streams](exit-codes.md).",
        heading(2, "Classes"),
        *module_parts(sources, _ERRORS, names, 3),
    )


def hooks_page() -> str:
    """Return the page of hooks."""
    sources = Sources(SOURCE)
    found = [sources.find(_HOOKS, name) for name in sources.public_names(_HOOKS)]
    found.sort(key=lambda one: one.node.lineno)
    hooks = [one for one in found if isinstance(one.node, ast.FunctionDef)]
    shared = _shared_paragraphs([one.doc or "" for one in hooks])
    return page(
        "Hooks",
        "the docstrings of src/steelyard/hookspecs.py",
        prose(ast.get_docstring(sources.tree(_HOOKS))),
        heading(2, "What holds for every hook"),
        prose("\n\n".join(shared)),
        *(
            part
            for hook in hooks
            if isinstance(hook.node, ast.FunctionDef)
            for part in (
                heading(2, code(hook.name)),
                block("python", signature(hook.node)),
                prose("\n\n".join(one for one in _paragraphs(hook.doc or "") if _of_any_kind(one) not in shared)),
            )
        ),
        heading(2, "Names"),
        *(part for one in found if one not in hooks for part in definition_parts(one, 3)),
    )


def _paragraphs(doc: str) -> list[str]:
    return inspect.cleandoc(doc).split("\n\n")


def _of_any_kind(paragraph: str) -> str:
    """Return what a hook says of its own kind of component as it holds for every kind."""
    return re.sub(r"uses the \w+", "uses the component", paragraph)


def _shared_paragraphs(docs: list[str]) -> list[str]:
    """Return the paragraphs that every hook has, which a page need not repeat for each."""
    first, *others = [[_of_any_kind(one) for one in _paragraphs(doc)] for doc in docs]
    return [one for one in first if all(one in other for other in others) and one != "Example::"]


def testing_page() -> str:
    """Return the page of the kit for tests."""
    sources = Sources(SOURCE)
    return page(
        "The kit for tests",
        "the docstrings of src/steelyard/testing",
        prose(ast.get_docstring(sources.tree(_TESTING))),
        *_by_module(sources, _TESTING, sources.public_names(_TESTING), *_SERVERS),
        heading(2, "Fixtures of pytest"),
        prose(ast.get_docstring(sources.tree(f"{_TESTING}.fixtures"))),
        table(("fixture", "what it gives"), _fixtures(sources)),
    )


def _module_section(sources: Sources, module: str) -> Iterator[str]:
    names = [name for name in sources.public_names(module) if name != "__version__"]
    own = [name for name in names if public_home(sources, sources.find(module, name)) in (None, module)]
    yield heading(2, code(module))
    yield prose(ast.get_docstring(sources.tree(module)))
    if module == _API:
        yield from _by_module(sources, module, own)
    else:
        yield from module_parts(sources, module, own, 3)


def _by_module(sources: Sources, package: str, names: list[str], *more: str) -> Iterator[str]:
    """Give the names of a package under the modules that hold them, each with what it is about.

    Args:
        sources: Where they are defined.
        package: The package.
        names: Its public names, or some of them.
        more: Modules all of whose public names are given too.
    """
    found = [sources.find(package, name) for name in names]
    found += [sources.find(module, name) for module in more for name in sources.public_names(module)]
    for home in sorted({one.module for one in found}):
        yield heading(2 if package == _TESTING else 3, _title(sources, home))
        yield prose("\n".join((ast.get_docstring(sources.tree(home)) or "").splitlines()[1:]))
        inside = {one.name for one in found if one.module == home}
        if package == _TESTING:
            inside.update(_named_types(sources, home))
        yield from module_parts(sources, home, sorted(inside), 3 if package == _TESTING else 4)


def _named_types(sources: Sources, module: str) -> Iterator[str]:
    """Give the types that a module names for its signatures, and says something about."""
    for node in sources.tree(module).body:
        for name in names_of(node) if isinstance(node, ast.Assign) else ():
            if _TYPE.fullmatch(name) and sources.find(module, name).doc:
                yield name


def _title(sources: Sources, module: str) -> str:
    first = (ast.get_docstring(sources.tree(module)) or module).splitlines()[0]
    return one_line(first).rstrip(".")


def _fixtures(sources: Sources) -> Iterator[tuple[str, str]]:
    for node in sources.tree(f"{_TESTING}.fixtures").body:
        marks = [ast.unparse(mark) for mark in getattr(node, "decorator_list", [])]
        if isinstance(node, ast.FunctionDef) and any(mark.startswith("pytest.fixture") for mark in marks):
            yield code(node.name), one_line(ast.get_docstring(node))


def _text_after(sources: Sources, module: str, node: ast.stmt) -> str:
    body = sources.tree(module).body
    following = body[body.index(node) + 1 :][:1]
    if following and isinstance(following[0], ast.Expr) and isinstance(following[0].value, ast.Constant):
        return str(following[0].value.value)
    return ""
