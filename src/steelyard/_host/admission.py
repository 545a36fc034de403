"""Letting one plugin in: imported, looked at, registered whole or not at all.

pluggy would register a misspelt hook and never call it, call a hook with parameters and fail without naming anybody,
and skip a second plugin of the same name without a word. Each is an error here, blamed on the plugin.
"""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType, ModuleType

import pluggy

from .. import hookspecs
from .._suggest import closest
from ..errors import Origin
from .blame import UnfitError, plugin_error, said
from .entries import Entry, loaded

_PREFIX = "steelyard_register_"
_MARK = f"{hookspecs.PROJECT}_impl"
"""Where pluggy's marker puts what it knows of a function."""


class _Manager(pluggy.PluginManager):
    """Looks only at what may be marked: to look at all that a module has imported takes longer than to import it."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        """Return how a part of a plugin is marked as a hook, or ``None``."""
        if isinstance(plugin, ModuleType):
            part = vars(plugin).get(name)
            if not isinstance(part, (FunctionType, MethodType)) or not hasattr(part, _MARK):
                return None
        return super().parse_hookimpl_opts(plugin, name)


def new_manager() -> pluggy.PluginManager:
    """Return the plugin manager of one host, which knows the hooks and no plugin."""
    manager = _Manager(hookspecs.PROJECT)
    manager.add_hookspecs(hookspecs)
    return manager


def admit(manager: pluggy.PluginManager, entry: Entry) -> object:
    """Import a plugin and register it.

    Raises ``PluginError`` when it cannot be used; the manager is then as it was before.
    """
    plugin = loaded(entry)
    try:
        _look_at(manager, plugin)
        _register(manager, plugin, entry.origin)
    except UnfitError as exc:
        raise plugin_error(entry.origin, "loading", str(exc)) from exc.__cause__
    except Exception as exc:
        raise plugin_error(entry.origin, "loading", said(exc, entry.origin)) from exc
    return plugin


def _look_at(manager: pluggy.PluginManager, plugin: object) -> None:
    """Find what pluggy would not complain about, or would complain about in several lines."""
    marked = [name for name in dir(plugin) if manager.parse_hookimpl_opts(plugin, name) is not None]
    for name in marked:
        _check_implementation(name, getattr(plugin, name), manager.parse_hookimpl_opts(plugin, name) or {})
    forgotten = [name for name in dir(plugin) if name.startswith(_PREFIX) and name not in marked]
    forgotten = [name for name in forgotten if not _is_hookspec(getattr(plugin, name))]
    if forgotten:
        raise UnfitError(f"{forgotten[0]!r} is not marked as a hook; put @steelyard.hookimpl before it")
    if not marked:
        hooks = ", ".join(_known_hooks(manager))
        raise UnfitError(f"it implements no hook; mark at least one function with @steelyard.hookimpl: {hooks}")


def _is_hookspec(value: object) -> bool:
    return hasattr(value, f"{hookspecs.PROJECT}_spec") or not callable(value)


def _check_implementation(name: str, function: object, options: pluggy.HookimplOpts | dict[str, object]) -> None:
    assert callable(function)  # noqa: S101 - pluggy marks functions only
    parameters = ", ".join(map(repr, inspect.signature(function).parameters))
    if parameters:
        raise UnfitError(f"hook {name!r} must take no arguments, but has {parameters}")
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise UnfitError(
            f"hook {name!r} must be a plain function, not an async one; only what 'create' makes may be async"
        )
    if options.get("wrapper") or options.get("hookwrapper"):
        raise UnfitError(f"hook {name!r} must return specs of its own; wrapping the hooks of others is not supported")


def _register(manager: pluggy.PluginManager, plugin: object, origin: Origin) -> None:
    taken = manager.get_name(plugin)
    if taken is not None:
        what = plugin.__name__ if isinstance(plugin, ModuleType) else type(plugin).__name__
        raise UnfitError(f"{what!r} is already loaded as {taken}; one of the two entry points is too many")
    # Two distributions may claim one entry-point name: both are kept, so pluggy's name must tell them apart.
    if manager.has_plugin(str(origin)):
        raise UnfitError(f"its distribution has another plugin named {origin.plugin!r}; rename one")
    manager.register(plugin, name=str(origin))
    try:
        manager.check_pending()
    except pluggy.PluginValidationError as exc:
        unknown = [hook.name for hook in manager.get_hookcallers(plugin) or () if not hook.has_spec()]
        manager.unregister(plugin)
        raise UnfitError(_unknown_hook(unknown[0], _known_hooks(manager))) from exc


def _known_hooks(manager: pluggy.PluginManager) -> list[str]:
    return sorted(name for name, hook in vars(manager.hook).items() if hook.has_spec())


def _unknown_hook(name: str, known: list[str]) -> str:
    near = _meant(name, known)
    advice = f"did you mean {near!r}?" if near else f"it may need a newer steelyard; this one has {', '.join(known)}"
    return f"unknown hook {name!r}; {advice}"


def _meant(name: str, known: list[str]) -> str | None:
    """Return the hook that a misspelt one was meant to be.

    All hooks begin alike, so beginnings and last words are compared apart: a hook of a later version, such as
    ``steelyard_wrap_provider``, is not a slip of the pen.
    """
    verb, _, noun = name.rpartition("_")
    by_noun = {hook.rpartition("_")[2]: hook for hook in known if closest(verb, [hook.rpartition("_")[0]], cutoff=0.8)}
    near = closest(noun, by_noun, cutoff=0.7)
    return by_noun[near] if near else None
