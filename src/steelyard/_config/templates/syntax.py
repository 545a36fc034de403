"""What a template's syntax tree tells, and what is put into it so that its work can be counted.

Loops, lists and mappings, slices and ``~`` become calls of filters with names that no template can write.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jinja2 import TemplateSyntaxError, meta, nodes
from jinja2.visitor import NodeTransformer

ROUNDS, BUILT, TOGETHER = "rounds of a loop", "built value", "values put together"
"""The names of the filters."""

_MUTATORS = frozenset(
    ("append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault", "sort", "update")
)
_VARIABLE = (nodes.Name, nodes.Filter, nodes.Call)


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a template without rendering it."""

    variables: frozenset[str]
    """The names that it reads and does not set itself."""
    needed: frozenset[str]
    """Those that are nowhere asked whether they are defined, nor given a default."""
    mutates: bool
    """Whether it may change a list or mapping in place."""


def facts_of(tree: nodes.Template) -> Facts:
    """Read a syntax tree."""
    variables = frozenset(meta.find_undeclared_variables(tree))
    optional = {
        asked.node.name
        for asked in tree.find_all((nodes.Filter, nodes.Test))
        if asked.name in ("default", "d", "defined", "undefined") and isinstance(asked.node, nodes.Name)
    }
    attributes = {found.attr for found in tree.find_all(nodes.Getattr)}
    texts = {found.value for found in tree.find_all(nodes.Const) if isinstance(found.value, str)}
    return Facts(variables, variables - optional, bool(_MUTATORS & (attributes | texts)))


class Counting(NodeTransformer):
    """Puts the counting into a syntax tree, and refuses what needs other files."""

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802 - named by the visitor
        """Count the rounds."""
        self.generic_visit(node)
        node.iter = _filtered(node.iter, ROUNDS)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:  # noqa: N802
        """Look at the size of ``a ~ b``."""
        self.generic_visit(node)
        values = nodes.Tuple(list(node.nodes), "load", lineno=node.lineno, environment=node.environment)
        return _filtered(values, TOGETHER)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802
        """Account for the copy that a slice is."""
        self.generic_visit(node)
        return _filtered(node, BUILT) if isinstance(node.arg, nodes.Slice) else node

    def visit_literal(self, node: nodes.Expr) -> nodes.Expr:
        """Look at the size of a list or mapping, unless all of it is written out."""
        self.generic_visit(node)
        if getattr(node, "ctx", "load") != "load" or not any(
            node.find(kind) for kind in (nodes.Name, nodes.Filter, nodes.Call)
        ):
            return node
        return _filtered(node, BUILT)

    visit_List = visit_Dict = visit_Tuple = visit_literal  # noqa: N815

    def visit_other_file(self, node: nodes.Node) -> Any:
        """Refuse: a template has no other files to use."""
        name = type(node).__name__.lower().replace("fromimport", "from")
        raise TemplateSyntaxError(f"'{{% {name} %}}' is not supported: a template stands alone", node.lineno)

    visit_Include = visit_Import = visit_FromImport = visit_Extends = visit_other_file  # noqa: N815


def _filtered(node: Any, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno, environment=node.environment)
