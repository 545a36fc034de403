"""Which reporters take part in a run, and what happens when one of them fails.

A failing reporter costs nobody else anything: it is left out from then on and reported after the others have finished.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .._host.blame import said
from .._host.kinds import Offer
from .._host.registry import Registry
from ..api import CaseResult, PluginContext, Progress, ReporterSpec, RunPlan, RunRecord
from ..errors import PluginError, SteelyardError, UnknownNameError, UsageError
from .components import Made, create, filled
from .output_files import must_differ

_STDOUT = frozenset({"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"})
"""What standard output is called as a file."""
_REPORTER_NAME = re.compile(r"[a-z][a-z0-9_-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A file that is to be written, and who writes it."""

    offer: Offer[ReporterSpec[Any]]
    path: Path


class ReportingError(SteelyardError):
    """The run is done and its record stored, but a reporter failed."""

    def __init__(self, failures: Sequence[SteelyardError], record: RunRecord) -> None:
        super().__init__("; ".join(str(failure) for failure in failures))
        self.record = record


def chosen_outputs(outputs: Sequence[str], registry: Registry, work_dir: Path) -> tuple[Output, ...]:
    """Find the reporter for each ``FILE`` or ``REPORTER:FILE``.

    Raises ``UnknownNameError`` when there is none, ``NameConflictError`` when it is contested, and ``UsageError`` for a
    folder, for no name at all, and for a file that is named twice.
    """
    chosen = []
    for text in outputs:
        head, colon, rest = text.partition(":")
        # One letter is a drive; what looks like a name but is none is a slip.
        named = bool(colon) and (head in registry.names("reporter") or _REPORTER_NAME.fullmatch(head) is not None)
        offer = registry.get("reporter", head) if named else _by_ending(text, registry)
        file = rest if named else text
        if not file.strip():
            raise UsageError(f"-o {text!r}: names no file")
        path = work_dir / file
        if path.is_dir():
            raise UsageError(f"-o {text}: {path} is a folder; name a file in it")
        chosen.append(Output(offer=offer, path=path))
    must_differ([output.path for output in chosen])
    return tuple(chosen)


def _by_ending(text: str, registry: Registry) -> Offer[ReporterSpec[Any]]:
    ending = Path(text).suffix.lower()
    offers = registry.wanted("reporter", lambda offer: bool(ending) and ending in offer.spec.extensions)
    if len(offers) == 1:
        return offers[0]
    names = [offer.name for offer in offers or registry.specs("reporter")]
    problem = f"several reporters write {ending!r} files" if offers else f"no reporter writes {ending!r} files"
    message = f"-o {text}: {problem}; write REPORTER:{text} (reporters: {', '.join(names)})"
    raise UnknownNameError(message, kind="reporter", name=ending, known=names)


def chosen_reporters(
    *,
    names: Sequence[str],
    outputs: Sequence[Output],
    registry: Registry,
    context: PluginContext,
    automatic: bool = True,
) -> list[Made]:
    """Create the reporters of a run: the automatic ones if wanted, those asked for by name, and one for each output.

    Raises ``UnknownNameError``, ``BenchmarkError`` or ``PluginError``, also for a contested name among the automatic
    ones: before any call.
    """
    offers = list(registry.wanted("reporter", lambda offer: automatic and offer.spec.automatic))
    for name in names:
        offer = registry.get("reporter", name)
        if offer not in offers:
            offers.append(offer)
    return made_reporters(offers, outputs, context)


def made_reporters(
    offers: Sequence[Offer[ReporterSpec[Any]]], outputs: Sequence[Output], context: PluginContext
) -> list[Made]:
    """Create reporters, and one for each output."""
    made = [_create(offer, context) for offer in offers]
    made += [_create(output.offer, replace(context, output=output.path)) for output in outputs]
    return made


def takes_stdout(reporters: Sequence[Made], outputs: Sequence[Output]) -> bool:
    """Whether a report goes to standard output: one that was named without a file, or with the file ``-``."""
    files = {output.offer.name for output in outputs}
    printed = any(made.offer.spec.prints and made.offer.name not in files for made in reporters)
    return printed or any(output.path.name == "-" or output.path.as_posix() in _STDOUT for output in outputs)


def _create(offer: Offer[ReporterSpec[Any]], context: PluginContext) -> Made:
    return create(offer, filled(offer, {}, place="", path=offer.name, hide=context.hide, warn=context.warn), context)


class Reporting:
    """Tells the reporters of one run what happens, and remembers which of them failed."""

    def __init__(self, reporters: Sequence[Made], *, stdout_taken: bool = False) -> None:
        # Stable: apart from those that come last, the order is that in which they were chosen.
        self._reporters = sorted(reporters, key=lambda made: made.offer.spec.closing)
        self.stdout_taken = stdout_taken
        self.failures: list[SteelyardError] = []
        """One for each reporter that failed."""

    @property
    def hears_cases(self) -> bool:
        """Whether any reporter wants to be told each result."""
        return any(made.offer.spec.hears_cases for made in self._reporters)

    def started(self, plan: RunPlan) -> None:
        """Tell every reporter what is about to be run."""
        self._tell(lambda reporter: reporter.run_started(plan))

    def case(self, result: CaseResult) -> None:
        """Tell one result to every reporter that hears cases."""
        if self.hears_cases:
            self._tell(lambda reporter: reporter.case_finished(result), lambda made: made.offer.spec.hears_cases)

    def progress(self, progress: Progress) -> None:
        """Tell those who want to know how far the run is."""
        self._tell(lambda reporter: reporter.progress(progress) if hasattr(reporter, "progress") else None)

    def finished(self, record: RunRecord) -> None:
        """Tell every reporter the end."""
        self._tell(lambda reporter: reporter.run_finished(record))

    def close(self) -> None:
        """Let reporters give back what they hold, those that failed included."""
        self._tell(lambda reporter: reporter.close() if hasattr(reporter, "close") else None)

    def _tell(self, what: Callable[[Any], object], whom: Callable[[Made], bool] = lambda _made: True) -> None:
        for made in tuple(self._reporters):
            if not whom(made):
                continue
            try:
                what(made.component)
            except KeyboardInterrupt:
                raise
            except BaseException as exc:
                self._reporters.remove(made)
                self.failures.append(_failure(made, exc))


def _failure(made: Made, exc: BaseException) -> SteelyardError:
    if isinstance(exc, SteelyardError):
        return SteelyardError(f"reporter {made.offer.name!r}: {exc}")
    origin = made.offer.origin
    error = PluginError(f"{made.blame}: {said(exc, origin)}", origin=origin, stage="calling")
    error.__cause__ = exc
    return error
