"""Prompt templates: compiled once, rendered often, with values that are never taken for templates.

The only home of Jinja.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import jinja2
from jinja2 import UndefinedError, nodes

from ..._escape import well_formed
from ..._suggest import closest
from ...errors import TemplateError
from .limits import MAX_CHARACTERS, Budget, RefusedError
from .sandbox import PromptEnvironment
from .syntax import Counting, Facts, facts_of

# What code that only computes can raise. Not Exception: a fault of ours must not be blamed on the template.
_COMPUTING = (ArithmeticError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
_COMPILING = (SyntaxError, RecursionError, MemoryError, ValueError, OverflowError)
_UNKNOWN = re.compile(r"No (filter|test) named '(.*)'\.")
_FILE = "<template>"


class CompiledTemplate:
    """A template that can be rendered, from several threads at once."""

    def __init__(self, template: jinja2.Template, facts: Facts) -> None:
        self._template = template
        self._facts = facts

    @property
    def variables(self) -> frozenset[str]:
        """The names that the template reads and does not set itself."""
        return self._facts.variables

    @property
    def needed(self) -> frozenset[str]:
        """Those of them that must be given: neither with a default nor asked whether they are defined."""
        return self._facts.needed

    def render(self, variables: Mapping[str, object]) -> str:
        """Fill in values. Raises ``TemplateError`` for whatever goes wrong.

        Half surrogate pairs become ``?``: no request could be encoded with them.
        """
        context: Any = self._template.new_context(
            _copied(variables) if self._facts.mutates else variables  # type: ignore[arg-type] # any mapping will do
        )
        context.budget = Budget()
        left = MAX_CHARACTERS
        pieces = []
        try:
            for piece in self._template.root_render_func(context):
                left -= len(piece)
                if left < 0:
                    raise RefusedError(f"gives more than {MAX_CHARACTERS} characters of text")
                pieces.append(piece)
        except (jinja2.TemplateError, RefusedError, *_COMPUTING) as error:
            raise TemplateError(self._said(error, variables)) from error
        return well_formed("".join(pieces))

    def _said(self, error: Exception, variables: Mapping[str, object]) -> str:
        unknown = sorted(self._facts.needed - variables.keys())
        if isinstance(error, UndefinedError) and unknown:
            return _unknown_variables(unknown, variables)
        said = str(error).rstrip(".") or "failed"
        if isinstance(error, RecursionError):
            said = "calls itself too often"
        elif not isinstance(error, (jinja2.TemplateError, RefusedError)):
            said = f"{type(error).__name__}: {said}"
        line = self._line(error)
        return f"line {line}: {said}" if line else said

    def _line(self, error: Exception) -> int | None:
        line, trace = None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == _FILE:
                line = self._template.get_corresponding_lineno(trace.tb_lineno)
            trace = trace.tb_next
        return line


class Templates:
    """Compiles templates."""

    @cached_property
    def _reading(self) -> PromptEnvironment:
        return PromptEnvironment(may_mutate=False)

    @cached_property
    def _mutating(self) -> PromptEnvironment:
        return PromptEnvironment(may_mutate=True)

    def compile(self, source: str) -> CompiledTemplate:
        """Compile a template, whose text comes out as it is, line ends included.

        Raises ``TemplateError`` with the line of the fault.
        """
        stand_in = _stand_in(source)
        try:
            tree = self._reading.parse(source.replace("\r", stand_in))
            _restore(tree, stand_in)
            facts = facts_of(tree)
            environment = self._mutating if facts.mutates else self._reading
            code = environment.compile(Counting().visit(tree), filename=_FILE)
        except jinja2.TemplateSyntaxError as error:
            raise TemplateError(f"line {error.lineno}: {self._explained(error)}") from error
        except _COMPILING as error:
            raise TemplateError(f"cannot be compiled, nested too deeply: {type(error).__name__}") from error
        template = jinja2.Template.from_code(environment, code, environment.globals)
        return CompiledTemplate(template, facts)

    def _explained(self, error: jinja2.TemplateSyntaxError) -> str:
        said = error.message or "not a template"
        unknown = _UNKNOWN.fullmatch(said)
        if unknown is None:
            return said.rstrip(".")
        kind, name = unknown.groups()
        near = closest(name, self._reading.filters if kind == "filter" else self._reading.tests)
        return f"unknown {kind} {name!r}" + (f"; did you mean {near!r}?" if near else "")


def _unknown_variables(names: list[str], variables: Mapping[str, object]) -> str:
    near = {name: closest(name, variables) for name in names}
    if len(names) == 1:
        hint = f"; did you mean {near[names[0]]!r}?" if near[names[0]] else ""
        return f"unknown variable {names[0]!r}{hint}"
    said = (f"{name!r} (did you mean {near[name]!r}?)" if near[name] else repr(name) for name in names)
    return f"unknown variables {', '.join(said)}"


# Jinja makes every line end a line feed before it reads a template. A carriage return gets through as another
# character that counts as white space, and is put back into the texts of the syntax tree.
def _stand_in(source: str) -> str:
    if "\r" not in source:
        return "\r"
    written = source.lower()
    unused = (c for c in "\x1c\x1d\x1e\x1f\x0b\x0c" if c not in source and f"\\x{ord(c):02x}" not in written)
    return next(unused, "\r")


def _restore(tree: nodes.Template, stand_in: str) -> None:
    if stand_in == "\r":
        return
    for text in tree.find_all(nodes.TemplateData):
        text.data = text.data.replace(stand_in, "\r")
    for constant in tree.find_all(nodes.Const):
        if isinstance(constant.value, str):
            constant.value = constant.value.replace(stand_in, "\r")


def _copied(value: Any) -> Any:
    """Return data that a template may change without changing it for the next one."""
    if isinstance(value, Mapping):
        return {key: _copied(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_copied(entry) for entry in value]
    return value
