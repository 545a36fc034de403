"""The door: the hooks that a plugin may implement.

A plugin is a module, named by an entry point in the group ``steelyard``. It implements any of these hooks with
``@steelyard.hookimpl``. They take no arguments and return frozen specs, so a plugin can be read, listed and blamed
without anything having run yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pluggy

from .api import CacheSpec, FormatSpec, ProviderSpec, ReporterSpec, ScorerSpec

PROJECT = "steelyard"
"""The name that pluggy's markers share, and the entry-point group of plugins."""

hookspec = pluggy.HookspecMarker(PROJECT)
"""Marks a function of this module as a hook."""

hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function of a plugin as the implementation of the hook of the same name."""


@hookspec
def steelyard_register_providers() -> Iterable[ProviderSpec[Any]]:
    """Offer ways to ask a model.

    Called once, when a session opens, before any benchmark is read. Importing your module must be cheap: import heavy
    libraries inside ``create``, which runs only if a benchmark uses the provider.

    Return: any number of specs. Order has no meaning. A name that another plugin offers too can be used by nobody until
    the user blocks one of the plugins.

    If it raises: your plugin is set aside whole, named with its distribution and version, and a benchmark that needs it
    is refused before any model is called.

    Stability: stable from 1.0 on. ``ProviderSpec`` may gain fields with defaults in a minor release.

    Example::

        @hookimpl
        def steelyard_register_providers():
            return [
                ProviderSpec(name="gateway", summary="Our gateway", settings=GatewaySettings, create=create)
            ]
    """
    return ()


@hookspec
def steelyard_register_scorers() -> Iterable[ScorerSpec[Any]]:
    """Offer ways to judge an output.

    Called once, when a session opens, before any benchmark is read. Importing your module must be cheap: import heavy
    libraries inside ``create``, which runs only if a benchmark uses the scorer.

    Return: any number of specs. Order has no meaning. A name that another plugin offers too can be used by nobody until
    the user blocks one of the plugins.

    If it raises: your plugin is set aside whole, named with its distribution and version, and a benchmark that needs it
    is refused before any model is called.

    Stability: stable from 1.0 on. ``ScorerSpec`` may gain fields with defaults in a minor release.

    Example::

        @hookimpl
        def steelyard_register_scorers():
            return [
                ScorerSpec(name="max_words", summary="Output is short enough", settings=MaxWordsSettings, create=create)
            ]
    """
    return ()


@hookspec
def steelyard_register_reporters() -> Iterable[ReporterSpec[Any]]:
    """Offer ways to show or write a run.

    Called once, when a session opens, before any benchmark is read. Importing your module must be cheap: import heavy
    libraries inside ``create``, which runs only if a benchmark uses the reporter.

    Return: any number of specs. Order has no meaning. A name that another plugin offers too can be used by nobody until
    the user blocks one of the plugins.

    If it raises: your plugin is set aside whole, named with its distribution and version, and a benchmark that needs it
    is refused before any model is called.

    Stability: stable from 1.0 on. ``ReporterSpec`` may gain fields with defaults in a minor release.

    Example::

        @hookimpl
        def steelyard_register_reporters():
            return [
                ReporterSpec(name="slack", summary="Posts the verdict", settings=SlackSettings, create=create)
            ]
    """
    return ()


@hookspec
def steelyard_register_caches() -> Iterable[CacheSpec[Any]]:
    """Offer places to keep replies.

    Called once, when a session opens, before any benchmark is read. Importing your module must be cheap: import heavy
    libraries inside ``create``, which runs only if a benchmark uses the cache.

    Return: any number of specs. Order has no meaning. A name that another plugin offers too can be used by nobody until
    the user blocks one of the plugins.

    If it raises: your plugin is set aside whole, named with its distribution and version, and a benchmark that needs it
    is refused before any model is called.

    Stability: stable from 1.0 on. ``CacheSpec`` may gain fields with defaults in a minor release.

    Example::

        @hookimpl
        def steelyard_register_caches():
            return [
                CacheSpec(name="shared", summary="Replies on the team's server", settings=SharedSettings, create=create)
            ]
    """
    return ()


@hookspec
def steelyard_register_formats() -> Iterable[FormatSpec]:
    """Offer readers for the suite files of other tools.

    Called once, when a session opens, before any benchmark is read. Importing your module must be cheap: import heavy
    libraries inside ``create``, which runs only if a benchmark uses the format.

    Return: any number of specs. Order has no meaning. A name that another plugin offers too can be used by nobody until
    the user blocks one of the plugins.

    If it raises: your plugin is set aside whole, named with its distribution and version, and a benchmark that needs it
    is refused before any model is called.

    Stability: stable from 1.0 on. ``FormatSpec`` may gain fields with defaults in a minor release.

    Example::

        @hookimpl
        def steelyard_register_formats():
            return [FormatSpec(name="acme", summary="Suites of the acme tool", create=create)]
    """
    return ()
