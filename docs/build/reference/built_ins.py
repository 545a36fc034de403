"""Which components and commands this distribution brings, read from its own ``pyproject.toml``.

Not from what is installed: the pages are the same whatever other plugins a machine has.
"""

from __future__ import annotations

import inspect
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from api_dump import ROOT

HOOKS = {
    "provider": "steelyard_register_providers",
    "scorer": "steelyard_register_scorers",
    "reporter": "steelyard_register_reporters",
    "cache": "steelyard_register_caches",
    "format": "steelyard_register_formats",
}
"""The hook of each kind of component."""


@dataclass(frozen=True, kw_only=True)
class BuiltIn:
    """A component of ours."""

    plugin: str
    """The name of its entry point."""
    spec: Any

    @property
    def module_doc(self) -> str:
        """The docstring of the module that creates it."""
        return inspect.getdoc(sys.modules[self.spec.create.__module__]) or ""

    def class_doc(self, method: str) -> str:
        """Return the docstring of the class of the same module that has a method; empty when it is elsewhere."""
        module = sys.modules[self.spec.create.__module__]
        classes = [one for one in vars(module).values() if inspect.isclass(one) and one.__module__ == module.__name__]
        return next((inspect.getdoc(one) or "" for one in classes if hasattr(one, method)), "")


def built_ins(kind: str) -> list[BuiltIn]:
    """Return our components of a kind, sorted by name."""
    found = [
        BuiltIn(plugin=plugin, spec=spec)
        for plugin, module in entry_points("steelyard").items()
        for spec in getattr(import_module(module), HOOKS[kind], tuple)()
    ]
    return sorted(found, key=lambda one: str(one.spec.name))


def entry_points(group: str) -> Mapping[str, str]:
    """Return the entry points of a group that this distribution declares."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    points: Mapping[str, str] = project["entry-points"].get(group, {})
    return points


def loaded_entry_points(group: str) -> Iterator[tuple[str, Any]]:
    """Give name and object of the entry points of a group."""
    for name, value in entry_points(group).items():
        module, _, attribute = value.partition(":")
        yield name, getattr(import_module(module), attribute) if attribute else import_module(module)
