"""The settings in force, from all the places that may say something about them.

From the strongest to the weakest: flags, environment, benchmark file, project file, user's file, defaults.

The benchmark file stands in the middle and is read later, so what lies above it and what lies below it are kept apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from .._paths import CACHE_DIR, RESULTS_DIR, SETTINGS_FILE, user_config_dir
from ..api import NOTHING, JsonMapping, Node
from ..api.format import SETTINGS_FILE_NAME
from ..errors import BenchmarkError, Problem
from .dotenv import nearest_dotenv
from .settings_environment import USER_FILE, environment_layer
from .settings_files import layer_of, project_layer, user_layer
from .settings_layers import KEYS, Layer

DEFAULT = "default"
"""The source of what nobody says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How steelyard runs where a benchmark does not say otherwise."""

    default_provider: str | None = None
    """The provider of a model that names none; ``None`` leaves it to the benchmark's format."""
    concurrency: int = 5
    """The most calls in flight at once, 1 to 100."""
    retries: int = 3
    """Attempts after the first."""
    retry_backoff_s: float = 1.0
    """The first wait before another attempt; it doubles."""
    timeout_s: float = 120.0
    """For one attempt."""
    cache: str | bool | None = None
    """A cache's name, ``False`` for none, ``None`` for the cache that says that it is the default."""
    cache_dir: Path = Path(CACHE_DIR)
    """Relative to the folder one runs in, or absolute."""
    results_dir: Path = Path(RESULTS_DIR)
    """Relative to the folder one runs in, or absolute."""
    no_plugins: tuple[str, ...] = ()
    """Plugins or distributions to leave out."""
    reporters: tuple[str, ...] = ()
    """Reporters that take part in every run."""
    providers: Mapping[str, JsonMapping] = field(default_factory=lambda: MappingProxyType({}))
    """Options of providers, by their names."""
    caches: Mapping[str, JsonMapping] = field(default_factory=lambda: MappingProxyType({}))
    """Options of caches, by their names."""
    sources: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """Where each of them was said: ``file:line:column``, an environment variable, ``flag`` or ``default``."""
    above_file: frozenset[str] = frozenset()
    """The names of those that were said by flags or the environment, and so win over the benchmark file."""

    def chosen(self, name: str, in_file: Any) -> Any:
        """Return the setting ``name`` when it wins over what the benchmark file says, else what that says."""
        return getattr(self, name) if in_file is None or name in self.above_file else in_file

    def concurrency_for(self, in_file: int | None) -> int:
        """Return the most calls in flight, given what the benchmark file says."""
        wanted: int = self.chosen("concurrency", in_file)
        return wanted

    def cache_for(self, in_file: str | bool | None) -> str | bool | None:
        """Return the cache to use, given what the benchmark file says; ``None`` for the default, ``False`` for none."""
        wanted: str | bool | None = self.chosen("cache", in_file)
        return None if wanted is True else wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsLayers:
    """What was said, by whom."""

    above_file: Layer
    """Flags over the environment."""
    project: Layer
    """The project's file."""
    other_tools: Layer = field(default_factory=Layer)
    """Files of other tools, which say the same in their own way."""
    user: Layer
    """The user's own file."""
    environ: Mapping[str, str]
    """The environment, with what ``.env`` adds under it."""

    @property
    def settings(self) -> Settings:
        """The settings in force where no benchmark file says anything."""
        return self.with_file(Layer())

    def with_other_tools(self, said: Layer) -> SettingsLayers:
        """Return the layers with what the files of other tools say."""
        return replace(self, other_tools=said)

    def with_file(self, in_file: Layer) -> Settings:
        """Return the settings in force when a benchmark file says something too."""
        below_file = self.project.over(self.other_tools).over(self.user)
        layer = self.above_file.over(in_file).over(below_file)
        named = {_FIELDS.get(key, key): value for key, value in layer.values.items()}
        sources = {_FIELDS.get(key, key): layer.sources.get(key, DEFAULT) for key in KEYS}
        above = frozenset(_FIELDS.get(key, key) for key in self.above_file.values)
        return Settings(**named, sources=MappingProxyType(sources), above_file=above)


_FIELDS = {"retry_backoff": "retry_backoff_s", "timeout": "timeout_s"}
"""Keys of files whose values have a unit."""


def load_settings(
    cwd: Path,
    environ: Mapping[str, str],
    *,
    flags: Mapping[str, Any] = NOTHING,
    warn: Callable[[str], None] = lambda _line: None,
) -> SettingsLayers:
    """Read everything that says something about the settings, starting from the folder one runs in.

    Args:
        cwd: The folder one runs in, absolute. ``.env`` and the project's file are looked for there and in its parents.
        environ: The environment of the process; ``STEELYARD_SETTINGS`` in it names the user's file.
        flags: What the command line says, by the keys of a settings file.
        warn: Hears, in one line each, what does not stop a run.

    Raises ``BenchmarkError``, with every problem, when a file or a variable is wrong.
    """
    found = nearest_dotenv(cwd, warn)
    dotenv_path, dotenv = found if found is not None else (None, {})
    merged = MappingProxyType({**dotenv, **environ})
    problems: list[Problem] = []
    layers = [
        _layer(problems, lambda report: layer_of(Node(dict(flags), (), lambda _p, _k: "flag", report), base=None)),
        _layer(problems, lambda r: environment_layer(merged, r, dotenv=dotenv, dotenv_path=dotenv_path)),
        _layer(problems, lambda report: project_layer(cwd, report)),
        _layer(problems, lambda report: user_layer(_user_file(merged), report)),
    ]
    for problem in problems:
        if problem.severity == "warning":
            warn(str(problem))
    if any(problem.severity == "error" for problem in problems):
        raise BenchmarkError(problems)
    flag, environment, project, user = layers
    return SettingsLayers(above_file=flag.over(environment), project=project, user=user, environ=merged)


def other_tools_files(folder: Path) -> Mapping[str, Path]:
    """Return what may be settings files of other tools in a folder, by their names."""
    found = (path for path in folder.glob(".*rc*") if re.fullmatch(SETTINGS_FILE_NAME, path.name))
    return {path.name: path for path in found if path.is_file()}


def _layer(problems: list[Problem], read: Callable[[Callable[[Problem], None]], Layer]) -> Layer:
    try:
        return read(problems.append)
    except BenchmarkError as error:
        problems.extend(error.problems)
        return Layer()


def _user_file(environ: Mapping[str, str]) -> Path | None:
    named = environ.get(USER_FILE)
    if named is None:
        return user_config_dir() / SETTINGS_FILE
    if not named:
        return None
    path = Path(named).expanduser()
    if not path.is_file():
        raise BenchmarkError([Problem(message=f"{USER_FILE}: no such file {named!r}", hint="set it empty for none")])
    return path
