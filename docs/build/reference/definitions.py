"""Public names as Markdown: functions with their signatures, classes with their fields and methods.

Read from the syntax trees, as ``api.txt`` is: the same under every version of Python, with annotations as written.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from api_dump import Definition, Function, Sources, attributes, docstring, names_of

from .markup import block, code, heading, table
from .prose import one_line, prose

_WIDTH = 100
_DATA = "dataclass"
_MADE_BY_OTHERS = frozenset({"Session"})
"""Classes whose objects a function returns; how they are made is nobody's business."""


def module_parts(sources: Sources, module: str, names: Iterable[str], level: int) -> Iterator[str]:
    """Give the sections of some names of a module, in the order of the source."""
    found = [sources.find(module, name) for name in names]
    for definition in sorted(found, key=lambda one: (one.module, one.node.lineno)):
        yield from definition_parts(definition, level)


def definition_parts(found: Definition, level: int) -> Iterator[str]:
    """Give the section of one name."""
    yield heading(level, code(found.name))
    if isinstance(found.node, ast.ClassDef):
        yield from _class_parts(found.node)
    elif isinstance(found.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield block("python", signature(found.node))
        yield prose(found.doc)
    else:
        yield block("python", ast.unparse(found.node))
        yield prose(found.doc)


def signature(node: Function) -> str:
    """Return a signature, on several lines when it is long."""
    kind = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    marks = [f"@{ast.unparse(mark)}\n" for mark in node.decorator_list if ast.unparse(mark) != "hookspec"]
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return "".join([*marks, _call(f"{kind} {node.name}", list(_parameters(node.args)), returns)])


def _call(name: str, parameters: list[str], returns: str) -> str:
    short = f"{name}({', '.join(parameters)}){returns}"
    if len(short) <= _WIDTH:
        return short
    inside = "".join(f"    {parameter},\n" for parameter in parameters)
    return f"{name}(\n{inside}){returns}"


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    """Give the parameters one by one, as they are written."""
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    for argument, default in zip(positional, [*missing, *arguments.defaults], strict=True):
        yield _parameter(argument, default)
    if arguments.vararg:
        yield f"*{ast.unparse(arguments.vararg)}"
    elif arguments.kwonlyargs:
        yield "*"
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, default)
    if arguments.kwarg:
        yield f"**{ast.unparse(arguments.kwarg)}"


def _parameter(argument: ast.arg, default: ast.expr | None) -> str:
    typed = ast.unparse(argument)
    if default is None:
        return typed
    return f"{typed} = {ast.unparse(default)}" if argument.annotation else f"{typed}={ast.unparse(default)}"


def _class_parts(node: ast.ClassDef) -> Iterator[str]:
    initialiser = next((member for member in node.body if names_of(member) == ["__init__"]), None)
    yield _nature(node)
    yield prose(ast.get_docstring(node))
    if isinstance(initialiser, ast.FunctionDef) and node.name not in _MADE_BY_OTHERS:
        yield block("python", _call(node.name, list(_parameters(initialiser.args))[1:], ""))
    yield table(("field", "type", "default", "meaning"), _fields(node, initialiser))
    for member in node.body:
        if isinstance(member, (ast.FunctionDef, ast.AsyncFunctionDef)) and not member.name.startswith("_"):
            yield f"**{code(f'{node.name}.{member.name}')}**"
            yield block("python", signature(member))
            yield prose(ast.get_docstring(member))


def _nature(node: ast.ClassDef) -> str:
    """Say what kind of class it is, where that is not to be seen below."""
    bases = [ast.unparse(base) for base in node.bases]
    plain = [base.partition("[")[0] for base in bases]
    if "Protocol" in plain:
        return "*Protocol: any object with these methods will do.*"
    if any(ast.unparse(mark).startswith(_DATA) for mark in node.decorator_list):
        frozen = any("frozen=True" in ast.unparse(mark) for mark in node.decorator_list)
        return f"*{'Frozen dataclass' if frozen else 'Dataclass'}.*"
    known = [base for base in bases if not base.startswith("Generic")]
    return f"*Subclass of {', '.join(map(code, known))}.*" if known else ""


def _fields(node: ast.ClassDef, initialiser: ast.stmt | None) -> Iterator[tuple[str, str, str, str]]:
    """Give name, type, default and meaning of what an object has."""
    yield from _declared(node.body)
    if isinstance(initialiser, ast.FunctionDef):
        documented = {name: (typed, doc) for name, typed, doc in _set_in(initialiser)}
        for line in attributes("", initialiser):
            name = line.removeprefix(".").partition(":")[0]
            typed, doc = documented.get(name, ("", ""))
            yield code(name), typed or _typed_by_parameter(initialiser, name), "", doc


def _declared(body: list[ast.stmt]) -> Iterator[tuple[str, str, str, str]]:
    for place, member in enumerate(body):
        if not isinstance(member, (ast.AnnAssign, ast.Assign)):
            continue
        doc = one_line(docstring(member, body[place + 1 :]))
        for name in names_of(member):
            if name.startswith("_"):
                continue
            typed = code(ast.unparse(member.annotation)) if isinstance(member, ast.AnnAssign) else ""
            default = code(_default(member.value)) if member.value is not None else ""
            yield code(name), typed, default, doc


def _default(value: ast.expr) -> str:
    """Return a default as a reader thinks of it: what a factory makes, rather than the factory."""
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "field":
        keywords = {keyword.arg: keyword.value for keyword in value.keywords}
        if "default" in keywords:
            return ast.unparse(keywords["default"])
        factory = keywords.get("default_factory")
        if isinstance(factory, ast.Lambda):
            return ast.unparse(factory.body)
        return f"{ast.unparse(factory)}()" if factory is not None else ""
    return ast.unparse(value)


def _set_in(initialiser: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
    for place, node in enumerate(initialiser.body):
        target = node.target if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [None])[0]
        if isinstance(target, ast.Attribute):
            following = initialiser.body[place + 1 : place + 2]
            said = following[0].value if following and isinstance(following[0], ast.Expr) else None
            doc = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else None
            typed = code(ast.unparse(node.annotation)) if isinstance(node, ast.AnnAssign) else ""
            yield target.attr, typed, one_line(doc)


def _typed_by_parameter(initialiser: ast.FunctionDef, name: str) -> str:
    """Return the type of an attribute that has the name of a parameter."""
    every = [*initialiser.args.args, *initialiser.args.kwonlyargs]
    found = next((argument.annotation for argument in every if argument.arg == name), None)
    return code(ast.unparse(found)) if found is not None else ""
