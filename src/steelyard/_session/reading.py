"""From a benchmark's file to a checked benchmark, with everything that it is checked and run with."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._config.document import read_document
from .._config.settings import Settings
from .._config.tools import Tools
from .._engine.threads import Threads
from .._host.host import Host
from .._suggest import SLIP, closest
from ..api import Benchmark, PluginContext, Problem, RunOptions
from ..errors import BenchmarkError
from .checking import Check, Checked
from .components import Workshop
from .findings import Findings
from .local_plugins import local_files
from .models import Models
from .other_models import names_models, with_models
from .parts import Parts
from .scorers import Scorers
from .suite_files import read_benchmark

Source = Path | str | Benchmark
"""A benchmark's file, or a benchmark that is made already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Reads and checks benchmarks for one session."""

    host: Host
    """The session's own host."""
    build_host: Callable[[Sequence[Path]], Host]
    """Builds one with local plugins too."""
    settings: Settings
    tools: Tools
    cwd: Path
    context: Callable[[Benchmark | None, int], PluginContext]
    """What components of a benchmark may know; the number is how many calls may be in flight."""
    say: Callable[[str], None]

    def checked(self, source: Source, options: RunOptions, most_rows: int | None = None) -> tuple[Checked, Parts]:
        """Find everything that is wrong with a benchmark, or with so many rows of it; a bad file raises nothing."""
        host = self._host_for(source, options)
        for name in host.unmatched:
            near = closest(name, {own for one in host.plugins for own in (one.name, one.distribution)}, cutoff=SLIP)
            meant = f"; did you mean {near!r}?" if near else ""
            self.say(f"no plugin {name!r} is installed, so it cannot be switched off{meant}")
        benchmark, findings = self._read(source, options, host)
        chosen = benchmark and names_models(benchmark, host.registry, self.tools) and options.models
        if benchmark is not None and chosen:
            benchmark = with_models(
                benchmark, options.models, None, registry=host.registry, tools=self.tools, say=self.say
            )
        parts = self._parts(benchmark or Benchmark(name="", models=(), prompts=(), cases=()), host)
        if benchmark is None:
            return Checked(benchmark=None, problems=findings.all()), parts
        for name in dict.fromkeys(benchmark.require_plugins):
            place = findings.places and findings.places.of_entry("require_plugins", name)
            with findings.collecting(place=place or benchmark.place or str(benchmark.path or "")):
                host.require([name])
        check = Check(benchmark, models=parts.models, scorers=parts.scorers, findings=findings)
        return replace(check.run(most_rows), models_chosen=bool(chosen)), parts

    def parts_without_benchmark(self) -> Parts:
        """Return what models are made with where there is no benchmark."""
        return self._parts(Benchmark(name="", models=(), prompts=(), cases=()), self.host)

    def unexpanded(self, source: Path, options: RunOptions, host: Host, environ: Mapping[str, str]) -> Benchmark:
        """Read a file again with another environment, without checking it. Raises ``BenchmarkError``."""
        tools = Tools(environ, self.say)
        benchmark, findings = read_benchmark(source, options, host=host, tools=tools, read=_document)
        if benchmark is None:
            raise BenchmarkError(findings.all())
        return benchmark

    def _host_for(self, source: Source, options: RunOptions) -> Host:
        """Return the host to read a suite with: one that has its local plugins too, if it has any."""
        path = source.path if isinstance(source, Benchmark) else Path(source)
        if path is None:
            return self.host
        files = local_files(path, work_dir=self.cwd, allowed=options.local_plugins, warn=self.say)
        if not files:
            return self.host
        host = self.build_host(files)
        for plugin in host.plugins:
            if plugin.state == "broken" and plugin.origin.distribution in map(str, files):
                self.say(str(plugin))
        return host

    def _parts(self, benchmark: Benchmark, host: Host) -> Parts:
        threads = Threads()
        workshop = Workshop(self.context(benchmark, self.settings.concurrency_for(benchmark.concurrency)))
        return Parts(
            host=host,
            settings=self.settings,
            models=Models(
                benchmark=benchmark, registry=host.registry, settings=self.settings, warn=self.say, hide=workshop.hide
            ),
            scorers=Scorers(registry=host.registry, workshop=workshop, threads=threads),
            workshop=workshop,
            threads=threads,
        )

    def _read(self, source: Source, options: RunOptions, host: Host) -> tuple[Benchmark | None, Findings]:
        if isinstance(source, Benchmark):
            return source, Findings()
        path = Path(source)
        benchmark, findings = read_benchmark(
            path, options, host=host, tools=self.tools.seeded(options.seed), read=_document
        )
        if benchmark is None:
            return None, findings
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        return replace(benchmark, digest=digest), findings


def reading_for(
    *,
    host: Host,
    build_host: Callable[[Sequence[Path]], Host],
    settings: Settings,
    environ: Mapping[str, str],
    cwd: Path,
    context: Callable[[Benchmark | None, int], PluginContext],
    say: Callable[[str], None],
    note: Callable[[Path], None],
) -> Reading:
    """Return what reads benchmarks in this environment; the rest is as :class:`Reading` keeps it."""
    return Reading(
        host=host,
        build_host=build_host,
        settings=settings,
        tools=Tools(environ, say, note),
        cwd=cwd,
        context=context,
        say=say,
    )


def _document(path: Path, report: Callable[[Problem], None]) -> Any:
    return read_document(path, report)
