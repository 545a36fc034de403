"""What the settings files of other tools say about the folder that one runs in.

A format may know such a file. What it says of results and keys holds for every command, not for its suites alone: who
runs a suite and then lists the results means one folder. It lies under what the project's own settings say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from .._config.settings import Settings, SettingsLayers
from .._config.settings_layers import Layer
from .._config.tools import Tools
from .._host.kinds import Offer
from .._host.registry import Registry
from ..api import NO_FOLDER_SETTINGS, FolderSettings, FormatSpec, Problem
from ..errors import BenchmarkError, NameConflictError
from .components import Made, guarded


class InForce(NamedTuple):
    """Everything that is settled before a benchmark is read."""

    settings: Settings
    environ: Mapping[str, str]
    default_providers: Mapping[str, str]
    """By format: who answers for its models that name nobody, where its tool's settings file says so."""


def in_force(
    layers: SettingsLayers, files: Mapping[str, Path], *, registry: Registry, warn: Callable[[str], None]
) -> InForce:
    """Lay the settings files that formats know under those of the project.

    Args:
        layers: What our own places say.
        files: What may be such files in the folder that one runs in, by their names.
        registry: Where the formats are found.
        warn: Hears what is wrong in such a file. It stops nothing here: only suites of its tool need it whole.
    """
    other = Layer()
    keys: dict[str, str] = {}
    providers: dict[str, str] = {}
    for offer in _knowing(files, registry, warn):
        path = files[offer.spec.settings_file or ""]
        said = _said(offer, path, Tools(layers.environ, warn), warn)
        keys.update(said.environ)
        if said.default_provider is not None:
            providers[offer.name] = said.default_provider
        if said.results_dir is not None:
            results = path.parent / Path(said.results_dir).expanduser()
            other = other.over(Layer(values={"results_dir": results}, sources={"results_dir": str(path)}))
    return InForce(
        settings=layers.with_other_tools(other).settings,
        environ=MappingProxyType({**keys, **layers.environ}),
        default_providers=MappingProxyType(providers),
    )


def _knowing(
    files: Mapping[str, Path], registry: Registry, warn: Callable[[str], None]
) -> tuple[Offer[FormatSpec], ...]:
    """Return the formats that know one of the files, with a warning for those whose names are contested."""
    for name, claimants in registry.contested("format").items():
        if any(getattr(offer.spec, "settings_file", None) in files for offer in claimants):
            try:
                registry.get("format", name)
            except NameConflictError as error:
                warn(str(error))
    return tuple(offer for offer in registry.specs("format") if offer.spec.settings_file in files)


def _said(offer: Offer[FormatSpec], path: Path, tools: Tools, warn: Callable[[str], None]) -> FolderSettings:
    problems: list[Problem] = []
    made = Made(component=None, settings=None, offer=offer)
    said = NO_FOLDER_SETTINGS
    try:
        document = tools.document(path, problems.append)
        suite: Any = guarded(made, "create", lambda: offer.spec.create(tools))
        said = guarded(made, "folder_settings", lambda: suite.folder_settings(document))
    except BenchmarkError as error:
        problems.extend(error.problems)
    for problem in problems:
        if problem.severity == "error":
            warn(str(problem))
    return said
