"""The composition root and the Python API: opens a host, checks benchmarks, runs them.

::

    import steelyard

    record = steelyard.run("benchmarks/support.yaml")
    print(record.insights.verdict)

Nothing is built at import: :func:`open_session` builds everything, and two sessions know nothing of each other.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import __version__, _session
from ._config.settings import SettingsLayers, load_settings, other_tools_files
from .api import Benchmark, JsonValue, PluginContext, RunOptions, RunRecord
from .errors import Origin, PluginError

if TYPE_CHECKING:
    from ._engine.calibration import Calibration
    from ._engine.compare import ComboChange, Comparison
    from ._engine.estimate import ComboEstimate
    from ._engine.formulas.figure import Figure
    from ._engine.stated import StatedConfidence
    from ._engine.suggesting.hypotheses import Diagnosis, Hypothesis
    from ._host.host import Host
    from ._host.registry import Registry
    from ._host.reports import PluginReport
    from ._session.analysis import Analysis
    from ._session.binding import ModelBinder
    from ._session.cache_handle import CacheHandle
    from ._session.catalog import Catalog
    from ._session.checking import Checked
    from ._session.duelling import DuelReport
    from ._session.estimating import Estimate
    from ._session.formats import Formats, Starter
    from ._session.history import History
    from ._session.labels import Label
    from ._session.loading import load_data
    from ._session.option_checks import option_faults
    from ._session.pairings import Contestant, DuelWish
    from ._session.parts import Parts
    from ._session.providers import ProviderKey, ProviderModels, Providers
    from ._session.rating import Choice
    from ._session.reading import Reading
    from ._session.sizing import Sizing, Wish
    from ._store import Store, StoredRun

__all__ = [
    "Analysis",
    "Calibration",
    "Checked",
    "Choice",
    "ComboChange",
    "ComboEstimate",
    "Comparison",
    "Contestant",
    "Diagnosis",
    "DuelReport",
    "DuelWish",
    "Estimate",
    "Figure",
    "History",
    "Hypothesis",
    "Label",
    "ProviderKey",
    "ProviderModels",
    "Session",
    "Sizing",
    "Starter",
    "StatedConfidence",
    "StoredRun",
    "Wish",
    "load_data",
    "open_session",
    "option_faults",
    "run",
]

_HOMES = {
    "_engine.calibration": ("Calibration",),
    "_engine.compare": ("ComboChange", "Comparison"),
    "_engine.estimate": ("ComboEstimate",),
    "_engine.formulas.figure": ("Figure",),
    "_engine.stated": ("StatedConfidence",),
    "_engine.suggesting.hypotheses": ("Diagnosis", "Hypothesis"),
    "_session.analysis": ("Analysis",),
    "_session.checking": ("Checked",),
    "_session.duelling": ("DuelReport",),
    "_session.estimating": ("Estimate",),
    "_session.formats": ("Starter",),
    "_session.history": ("History",),
    "_session.labels": ("Label",),
    "_session.loading": ("load_data",),
    "_session.option_checks": ("option_faults",),
    "_session.pairings": ("Contestant", "DuelWish"),
    "_session.providers": ("ProviderKey", "ProviderModels"),
    "_session.rating": ("Choice",),
    "_session.sizing": ("Sizing", "Wish"),
    "_store": ("StoredRun",),
}
"""Where the public names come from that commands touch only when they need them."""

_NO_OPTIONS = RunOptions()


def _nobody(_line: str) -> None:
    """Hear nothing."""


def __getattr__(name: str) -> Any:
    """Import a public name from its home when it is first asked for."""
    from importlib import import_module  # noqa: PLC0415 - as late as what it imports

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f".{home}", __package__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class Session:
    """An open host: knows the plugins and the settings, and can check and run benchmarks.

    Use :func:`open_session` to make one. It may run any number of benchmarks, one after the other.
    """

    def __init__(
        self,
        *,
        build_host: Callable[[Sequence[Path]], Host],
        layers: SettingsLayers,
        cwd: Path,
        warn: Callable[[str], None],
        note: Callable[[str], None] = _nobody,
    ) -> None:
        self._hosts: list[Host] = []
        self._build_host = self._remembering(build_host)
        self.settings = layers.settings
        """The settings in force, from all their places."""
        self._cwd = cwd
        self._environ = layers.environ
        self._default_providers: Mapping[str, str] = {}
        self._said: set[str] = set()
        self._warn = warn
        self._note = note
        self._redactor = _session.redaction.Redactor()
        self.files_read = _session.files_read.FilesRead()
        """The files that benchmarks have named and that were read."""
        others = other_tools_files(cwd)
        if others:
            here = _session.folder_settings.in_force(layers, others, registry=self.registry, warn=self._say)
            self.settings, self._environ, self._default_providers = here

    @cached_property
    def _host(self) -> Host:
        # Not before somebody asks: to compare records or list runs takes no plugin.
        return self._build_host(())

    @cached_property
    def _reading(self) -> Reading:
        return _session.reading.reading_for(
            host=self._host,
            build_host=self._build_host,
            settings=self.settings,
            environ=self._environ,
            cwd=self._cwd,
            context=self._context,
            say=self._say,
            note=self.files_read.note,
        )

    @property
    def registry(self) -> Registry:
        """Every component that can be used, by kind and name."""
        return self._host.registry

    @property
    def plugins(self) -> tuple[PluginReport, ...]:
        """Every plugin that was found, and what became of it."""
        return self._host.plugins

    @property
    def broken_plugins(self) -> Mapping[Origin, PluginError]:
        """What broke each plugin that was met so far, those beside suites included; loads none."""
        plugins = [plugin for host in self._hosts for plugin in host.plugins]
        return {plugin.origin: plugin.error for plugin in plugins if plugin.error is not None}

    def _remembering(self, build_host: Callable[[Sequence[Path]], Host]) -> Callable[[Sequence[Path]], Host]:
        def built(files: Sequence[Path]) -> Host:
            host = build_host(files)
            self._hosts.append(host)
            return host

        return built

    @property
    def providers(self) -> Providers:
        """The installed providers: the models that they list, and where their keys come from."""
        return _session.providers.Providers(
            reading=self._reading,
            binder=self._binder,
            say=self._say,
            hide=self._redactor,
            defaults=self._default_providers,
        )

    @property
    def formats(self) -> Formats:
        """The installed formats: the first files that they write, and the schemas of their files."""
        return _session.formats.Formats(self._reading)

    @_session.redaction.no_secrets_in_errors
    def with_models(
        self, path: Path, names: Sequence[str], *, provider: str | None = None, options: RunOptions = _NO_OPTIONS
    ) -> Benchmark:
        """Read a benchmark and put other models in the place of those of its file. Raises as :meth:`run` does."""
        checked, parts = self._reading.checked(path, options)
        benchmark = checked.benchmark_or_raise()
        return _session.other_models.with_models(
            benchmark, names, provider, registry=parts.registry, tools=self._reading.tools, say=self._say
        )

    @_session.redaction.no_secrets_in_errors
    def check(self, source: Path | str | Benchmark, options: RunOptions = _NO_OPTIONS) -> Checked:
        """Find everything that is wrong with a benchmark, without calling a model.

        Args:
            source: A file, or a benchmark that is made already.
            options: Of these, ``format``, ``dataset`` and ``local_plugins`` have a say.

        Returns the benchmark, if there is one, and all problems; a bad file raises nothing.
        """
        checked, parts = self._reading.checked(source, options)
        problems = _session.trying.problems_of_providers(checked, parts, self._say)
        return replace(checked, problems=self._redactor.problems((*checked.problems, *problems)))

    def run(self, source: Path | str | Benchmark, options: RunOptions = _NO_OPTIONS) -> RunRecord:
        """Run a benchmark and return its record. Blocks until it is done, also where an event loop is running.

        Raises ``BenchmarkError`` or ``UsageError`` before any call when something is wrong, ``SteelyardError`` when the
        run was done but a reporter failed, and ``KeyboardInterrupt`` when it was interrupted: what was answered by then
        is in the cache and the journal.
        """
        record: RunRecord = _session.blocking.blocking(lambda: self.run_async(source, options))
        return record

    @_session.redaction.no_secrets_in_errors
    async def run_async(self, source: Path | str | Benchmark, options: RunOptions = _NO_OPTIONS) -> RunRecord:
        """Do the same as :meth:`run` on the running event loop. Cancel the task to interrupt the run."""
        checked, parts = self._reading.checked(source, options, _session.checking.ROWS_BEFORE_A_RUN)
        benchmark = checked.benchmark_or_raise()
        for problem in checked.problems:
            self._say(str(problem))
        binder, _ = self._binder(benchmark, parts)
        planned = _session.planning.Planner(checked=checked, options=options, parts=parts, binder=binder).plan()
        outputs = _session.reporters.chosen_outputs(options.outputs, parts.registry, self._cwd)
        read = (*self.files_read.paths, *([benchmark.path] if benchmark.path else []))
        _session.output_files.must_spare([output.path for output in outputs], [self._cwd / path for path in read])
        reporters = _session.reporters.chosen_reporters(
            names=(*self.settings.reporters, *options.reporters),
            outputs=outputs,
            registry=parts.registry,
            automatic=options.automatic_reporters,
            context=self._context(benchmark, planned.plan.concurrency),
        )
        stdout_taken = _session.reporters.takes_stdout(reporters, outputs)
        reporting = _session.reporters.Reporting(reporters, stdout_taken=stdout_taken)
        with self._results(options, benchmark) as store:
            run = _session.running.Run(
                planned=planned,
                options=options,
                store=store,
                reporting=reporting,
                redactor=self._redactor,
                warn=self._say,
                components=lambda: parts.workshop.made,
                threads=parts.threads,
                version=__version__,
            )
            return await _session.running.carry_out(run, datetime.now().astimezone())

    @_session.redaction.no_secrets_in_errors
    def estimate(self, source: Path | str | Benchmark, options: RunOptions = _NO_OPTIONS) -> Estimate:
        """Estimate what a run would cost at most. Fetches model catalogs; asks for no completion and needs no key.

        Raises ``BenchmarkError`` or ``UsageError`` when the benchmark cannot be run.
        """
        checked, parts = self._reading.checked(source, options)
        benchmark = checked.benchmark_or_raise()
        for problem in checked.problems:
            self._say(str(problem))

        binder, catalog = self._binder(benchmark, parts)
        estimator = _session.estimating.Estimator(
            checked=checked, options=options, parts=parts, binder=binder, catalog=catalog
        )
        estimate: Estimate = _session.blocking.blocking(lambda: estimator.estimate_and_close(self._say))
        return estimate

    def _binder(self, benchmark: Benchmark, parts: Parts) -> tuple[ModelBinder, Catalog]:
        catalog = _session.catalog.Catalog(self._cwd / self.settings.cache_dir, threads=parts.threads, warn=self._say)
        return _session.binding.ModelBinder(
            parts=parts, benchmark=benchmark, catalog=catalog, redactor=self._redactor
        ), catalog

    @contextmanager
    def _results(self, options: RunOptions, benchmark: Benchmark) -> Iterator[Store]:
        """Give the results folder, or for a run that stores nothing one that is gone afterwards."""
        if options.store:
            folder = options.results_dir or self.settings.chosen("results_dir", benchmark.results_dir)
            yield _session.history.open_store(self._cwd / folder)
            return
        with tempfile.TemporaryDirectory(prefix="steelyard-") as folder:
            yield _session.history.open_store(Path(folder))

    def check_outputs(self, outputs: Sequence[str]) -> tuple[Path, ...]:
        """Find the reporter for each ``FILE`` or ``REPORTER:FILE``, write nothing, and return the files.

        Raises ``UnknownNameError`` when there is none, and ``UsageError`` for a folder or a file that is named twice.
        """
        chosen = _session.reporters.chosen_outputs(outputs, self.registry, self._cwd)
        return tuple(output.path for output in chosen)

    def store(self, options: RunOptions = _NO_OPTIONS) -> Store:
        """Return the results folder: the one of the options, or of the settings."""
        return _session.history.open_store(self._cwd / (options.results_dir or self.settings.results_dir))

    def history(self, results_dir: Path | None = None) -> History:
        """Return the past runs in the results folder."""
        return _session.history.History(self.store(RunOptions(results_dir=results_dir)), self._say)

    @_session.redaction.no_secrets_in_errors
    def report(self, run: StoredRun, *, reporters: Sequence[str] = (), outputs: Sequence[str] = ()) -> tuple[Path, ...]:
        """Write the reports of a stored run anew, or others, and return the files that were written.

        Args:
            run: A run of :meth:`history`.
            reporters: Reporters by name; their files go beside the record.
            outputs: Files to write, as ``-o`` takes them.
        """
        context = self._context(None, 1)
        return _session.showing_again.show_again(
            run, names=reporters, outputs=outputs, registry=self.registry, context=context
        )

    def compare(self, before: RunRecord, after: RunRecord) -> Comparison:
        """Compare two runs, combo by combo and case by case.

        Two runs of one combo each are compared whatever it is called, and on the cases that both have, where the format
        of the suite says that it has one target.
        """
        return _session.comparing.compared(before, after, lambda: self.registry)

    def gates_scores(self, record: RunRecord) -> bool:
        """Whether a run is of a suite whose own tool holds mean scores to a baseline too."""
        return _session.comparing.gates_scores(record, self.registry)

    @property
    def analysis(self) -> Analysis:
        """What can be worked out about suites and past runs."""
        return _session.analysis.Analysis(
            check=self.check, estimate=self.estimate, reading=self._reading, binder=self._binder, warn=self._say
        )

    @_session.redaction.no_secrets_in_errors
    def cache(self, name: str | None = None) -> CacheHandle | None:
        """Return a cache by name, or the one that runs use; ``None`` when runs use none."""
        workshop = _session.components.Workshop(self._context(None, 1))
        wanted = name or self.settings.cache_for(None)
        made = _session.planning.make_cache(wanted, self.settings, self.registry, workshop)
        return _session.cache_handle.CacheHandle(made) if made else None

    def hiding_secrets(self) -> AbstractContextManager[None]:
        """Let no error out of a ``with`` block that has a secret of this session in its words."""
        return self._redactor.in_errors()

    def close(self) -> None:
        """End the session. Nothing is left running."""

    def _context(self, benchmark: Benchmark | None, concurrency: int) -> PluginContext:
        return PluginContext(
            base_dir=benchmark.base_dir if benchmark else self._cwd,
            work_dir=self._cwd,
            cache_dir=self._cwd / self.settings.cache_dir,
            environ={**benchmark.environ, **self._environ} if benchmark else self._environ,
            concurrency=concurrency,
            load=_session.loading.noting(self.files_read.note),
            note_file=self.files_read.note,
            warn=self._say,
            note=lambda line: self._say(line, self._note),
            hide=lambda secret: self._redactor.add((secret,)),
        )

    def _say(self, line: str, to: Callable[[str], None] | None = None) -> None:
        """Tell the user something, once, without secrets."""
        line = self._redactor(line)
        if line not in self._said:
            self._said.add(line)
            (to or self._warn)(line)


def open_session(
    *,
    cwd: Path | None = None,
    environ: Mapping[str, str] | None = None,
    no_plugins: Iterable[str] = (),
    plugins: Sequence[object] = (),
    discover: bool = True,
    settings: Mapping[str, JsonValue] | None = None,
    warn: Callable[[str], None] | None = None,
    note: Callable[[str], None] = _nobody,
) -> Session:
    """Find the plugins, read the settings, and return a session.

    Args:
        cwd: The folder to be in; where ``.env``, project settings, cache and results are looked for.
        environ: The environment; that of the process when ``None``. What ``.env`` adds is laid under it.
        no_plugins: Plugins or distributions to leave out, besides those that the settings leave out.
        plugins: Plugins that are objects already (a module, or anything with hook implementations).
        discover: Whether to use the plugins that are installed.
        settings: Settings that win over all others, as flags do.
        warn: Hears one-line warnings; by default they go to :mod:`warnings`.
        note: Hears what is good to know and wrong with nothing, a line each; by default nobody does.

    Raises ``UsageError`` when the settings are wrong. A broken plugin raises nothing: see ``Session.plugins``.
    """
    folder = (cwd or Path.cwd()).resolve()
    tell = warn or partial(warnings.warn, stacklevel=2)
    loaded = load_settings(folder, os.environ if environ is None else environ, flags=settings or {}, warn=tell)
    blocked = dict.fromkeys(loaded.settings.no_plugins, loaded.settings.sources.get("no_plugins", ""))
    blocked |= dict.fromkeys(no_plugins, "--no-plugin")
    build = _session.hosts.host_builder(blocked, plugins, discover=discover)
    return Session(build_host=build, layers=loaded, cwd=folder, warn=tell, note=note)


def run(
    source: Path | str | Benchmark, options: RunOptions | None = None, *, session: Session | None = None, **choices: Any
) -> RunRecord:
    """Run a benchmark and return its record; the whole tool in one call, for scripts and notebooks.

    Args:
        source: A benchmark file, or a benchmark made in Python.
        options: What to run and how; or give the fields of :class:`~steelyard.api.RunOptions` as keyword arguments:
            ``steelyard.run("b.yaml", models=("mock:a",), limit=5)``.
        session: An open session; a new one is opened when there is none.
        choices: Fields of ``RunOptions``.

    Raises what :meth:`Session.run` raises.
    """
    chosen = replace(options or _NO_OPTIONS, **choices)
    return (session or open_session()).run(source, chosen)
