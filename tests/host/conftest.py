"""Real installed plugins, without an installer: what pip leaves in site-packages is a module and a dist-info folder."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from steelyard import hookimpl
from steelyard._host.host import Host, build_host
from steelyard._host.reports import PluginReport
from steelyard.api import Origin

PACKAGES = Path(__file__).parents[1] / "fixtures" / "plugins"

BUILT_INS = "steelyard"
"""The distribution of the built-in components. Blocked where a test is about strangers alone."""


class Site:
    """A folder on ``sys.path`` that packages are installed into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, package: str, *, version: str | None = None) -> Path:
        """Install a package of tests/fixtures/plugins and return its dist-info folder."""
        project = tomllib.loads((PACKAGES / package / "pyproject.toml").read_text("utf-8"))["project"]
        for module in (PACKAGES / package).glob("*.py"):
            shutil.copy(module, self.folder)
        return self.write_dist_info(package, version or project["version"], project["entry-points"])

    def write_dist_info(
        self, name: str, version: str, groups: dict[str, dict[str, str]], *, suffix: str = "dist-info"
    ) -> Path:
        """Write the metadata of a distribution, as an installer or (``egg-info``) an old build leaves it."""
        info = self.folder / f"{name.replace('-', '_')}-{version}.{suffix}"
        info.mkdir()
        header = "METADATA" if suffix == "dist-info" else "PKG-INFO"
        (info / header).write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nAbout it.\n", "utf-8")
        sections = (
            f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
            for group, entries in groups.items()
        )
        (info / "entry_points.txt").write_text("\n".join(sections), "utf-8")
        (info / "RECORD").write_text("", "utf-8")
        importlib.invalidate_caches()
        return info

    def write_module(self, name: str, source: str) -> None:
        """Put a module into the folder."""
        (self.folder / f"{name}.py").write_text(source, "utf-8")
        importlib.invalidate_caches()


@pytest.fixture
def make_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Site]]:
    """Make folders that come first on ``sys.path``, the latest before the others."""
    before = set(sys.modules)

    def make(name: str = "site") -> Site:
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.syspath_prepend(str(folder))
        return Site(folder)

    yield make
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def site(make_site: Callable[[str], Site]) -> Site:
    """A folder on ``sys.path`` that packages are installed into."""
    return make_site("site")


@pytest.fixture
def host_of_strangers() -> Callable[..., Host]:
    """Build a host whose built-ins are blocked."""

    def build(no_plugins: Collection[str] = (), **more: Any) -> Host:
        return build_host(no_plugins=[BUILT_INS, *no_plugins], **more)

    return build


@pytest.fixture
def host_of() -> Callable[..., Host]:
    """Build a host of objects alone, without anything that is installed: ``host_of(strict=plugin)``."""

    def build(**plugins: object) -> Host:
        extra = [(origin_of(name), plugin) for name, plugin in plugins.items()]
        return build_host(extra=extra, discover=False)

    return build


def origin_of(name: str, distribution: str = "", version: str = "1.0") -> Origin:
    return Origin(plugin=name, distribution=distribution or f"steelyard-{name}", version=version)


@pytest.fixture
def plugin_with() -> Callable[..., ModuleType]:
    """Make a plugin of functions: ``plugin_with(steelyard_register_scorers=lambda: [...])``."""

    def make(**hooks: Callable[..., object]) -> ModuleType:
        plugin = ModuleType("plugin")
        for name, function in hooks.items():
            setattr(plugin, name, hookimpl(function))
        return plugin

    return make


@pytest.fixture
def report_on() -> Callable[[Host, str], PluginReport]:
    """Find what a host says about the plugins of one distribution, of which there must be one."""

    def find(host: Host, distribution: str) -> PluginReport:
        (report,) = (one for one in host.plugins if one.distribution == distribution)
        return report

    return find


@pytest.fixture
def names_of() -> Callable[[Sequence[PluginReport]], list[tuple[str, str]]]:
    """List plugins as pairs of name and distribution, without the built-ins."""

    def listed(reports: Sequence[PluginReport]) -> list[tuple[str, str]]:
        return [(one.name, one.distribution) for one in reports if one.distribution != BUILT_INS]

    return listed


@pytest.fixture
def run_python() -> Callable[..., str]:
    """Run code in a process of its own and return what it prints; ``path`` comes first on its ``sys.path``."""

    def run(code: str, *arguments: str, path: Path | None = None) -> str:
        environ = {**os.environ, "PYTHONIOENCODING": "utf-8"}
        if path is not None:
            environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(path), environ.get("PYTHONPATH")]))
        command = [sys.executable, "-W", "error", "-c", code, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environ, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
