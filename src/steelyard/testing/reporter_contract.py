"""Contract checks for reporters: any record can be shown, whatever text is in it, and nothing is lost on the way.

::

    @pytest.mark.parametrize("check", reporter_checks(SPEC, file="out.xml", read=xml.etree.ElementTree.parse))
    def test_the_reporter_keeps_the_contract(check):
        check()
"""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..api import Progress, ReporterSpec, RunRecord
from .builders import make_context
from .calling import Calls, close
from .checks import Check, named, require, spec_checks
from .hostile_records import HOSTILE_TEXTS, hostile_record, records
from .run_builders import make_case_result, make_plan, make_record

OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What drives a terminal, turns text round or cannot be encoded: it must be written out, replaced or dropped."""

Read = Callable[[Path], object]
"""Reads a file with a parser of its kind and raises when it is malformed."""

Look = Callable[[RunRecord, str], object]
"""Gets a record and all that came of it, and raises ``AssertionError`` when something in it is not as it should be."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a reporter brought forth."""

    file: bytes | None
    """The file's bytes; ``None`` when there is none."""
    screen: str
    """What went to standard output and standard error."""
    sent: str = ""
    """What went elsewhere."""

    @property
    def here(self) -> str:
        """What is on this machine."""
        return self.screen + (self.file or b"").decode("utf-8")

    @property
    def text(self) -> str:
        """All of it."""
        return self.here + self.sent


def reporter_checks(
    spec: ReporterSpec[Any],
    *,
    settings: Any = None,
    file: str | None = None,
    read: Read | None = None,
    look: Look | None = None,
    sent: Callable[[], str] | None = None,
    lists_cases: bool = True,
) -> list[Check]:
    """Make the checks of a reporter.

    Args:
        spec: What the plugin registers.
        settings: The reporter's settings; the defaults when ``None``.
        file: The name of the file that it is told to write; ``None`` for one that writes to the screen or elsewhere.
        read: For a file that is made for machines: reads it and raises when it is malformed.
        look: Gets each record with what came of it (the file's text, and what went to the screen) and raises
            ``AssertionError`` when that is wrong: what a report must say only its author knows.
        sent: For one that sends its report elsewhere: returns what has arrived there since it was last called, as text.
        lists_cases: Whether it shows each case. False for one that sums them up.
    """
    promises = _Promises(spec, settings, file, read, look, sent)
    each = [Check(f"it reports {what}", promises.reports(record)) for what, record in records().items()]
    return [*spec_checks(spec), *each, *named(promises.all(lists_cases=lists_cases))]


class _Promises:
    """Every promise, each with a new folder."""

    def __init__(
        self,
        spec: ReporterSpec[Any],
        settings: Any,
        file: str | None,
        read: Read | None,
        look: Look | None,
        sent: Callable[[], str] | None,
    ) -> None:
        self._spec = spec
        self._settings = spec.settings() if settings is None else settings
        self._file = file
        self._read = read
        self._look = look
        self._sent = sent or (lambda: "")

    def all(self, *, lists_cases: bool) -> list[Callable[[], None]]:
        promises: list[Callable[[], None]] = [
            self.creating_it_writes_nothing,
            self.hostile_text_is_shown_and_not_obeyed,
            self.a_failure_looks_other_than_a_pass,
            self.the_record_stays_as_it_was,
            self.two_reporters_do_not_disturb_each_other,
        ]
        promises += [self.every_case_is_shown] if lists_cases else []
        return [*promises, self.a_file_that_cannot_be_written_is_an_error] if self._file else promises

    def reports(self, record: RunRecord) -> Callable[[], None]:
        def check() -> None:
            shown = self._show(record)
            require(not self._file or shown.file, f"it was told to write {self._file}, and there is no such file")
            if self._look is not None:
                self._look(record, shown.text)

        return check

    def creating_it_writes_nothing(self) -> None:
        with self._folder() as folder, _screen() as screen:
            reporter = self._create(folder)
            left = [path.name for path in folder.rglob("*")]
            close(reporter)
            require(not left, f"nothing was reported, but there is {left}")
            require(not screen(), f"nothing was reported, but it wrote {screen()!r}")

    def hostile_text_is_shown_and_not_obeyed(self) -> None:
        shown = self._show(hostile_record())
        # A file for machines, which has a parser, may hold anything that the parser gets along with.
        found = OBEYED.search(shown.screen if self._read else shown.here)
        require(found is None, f"the character {found[0] if found else ''!r} of a text reached the output")

    def a_failure_looks_other_than_a_pass(self) -> None:
        # The verdict alone differs: neither the answer nor the score tells it.
        reports = []
        for passed in (True, False):
            case = replace(make_case_result("a case", score=0.5), passed=passed)
            reports.append(self._show(make_record([case])).text)
        require(reports[0] != reports[1], "a run that passed and one that failed have the same report")

    def every_case_is_shown(self) -> None:
        text = self._show(hostile_record()).text
        missing = [mark for number in range(len(HOSTILE_TEXTS)) if (mark := f"mark{number}") not in text]
        require(not missing, f"cases with {missing} in their id are not shown")

    def the_record_stays_as_it_was(self) -> None:
        record = hostile_record()
        before = repr(record)
        self._show(record)
        require(repr(record) == before, "the reporter changed the record, which others have yet to read")

    def two_reporters_do_not_disturb_each_other(self) -> None:
        first, second = list(records().values())[:2]
        alone = [self._show(record).file for record in (first, second)]
        with self._folder() as one, self._folder() as two, _screen(), Calls() as calls:
            lives = [self._life(record, folder, calls) for record, folder in ((first, one), (second, two))]
            for _step in zip(*lives, strict=False):
                pass
            for life in lives:
                list(life)
            together = [self._written(folder) for folder in (one, two)]
        require(together == alone, "two reporters at once write something else than each alone")

    def a_file_that_cannot_be_written_is_an_error(self) -> None:
        with self._folder() as folder, _screen(), Calls() as calls:
            (folder / "taken").write_text("a file where a folder should be", encoding="utf-8")
            try:
                list(self._life(hostile_record(), folder, calls, output=folder / "taken" / str(self._file)))
            except Exception:
                return
        raise AssertionError("the file could not be written, and nobody heard of it: raise")

    def _show(self, record: RunRecord) -> Shown:
        with self._folder() as folder, _screen() as screen, Calls() as calls:
            list(self._life(record, folder, calls))
            written = self._written(folder)
            if self._read is not None and written is not None:
                self._read(folder / str(self._file))
            return Shown(file=written, screen=screen(), sent=self._sent())

    def _life(self, record: RunRecord, folder: Path, calls: Calls, output: Path | None = None) -> Iterator[None]:
        """Let a reporter go through a run, in steps."""
        reporter = self._create(folder, output)
        try:
            calls(reporter.run_started, make_plan(record, folder))
            yield
            done = 0
            for combo in record.results:
                for case in combo.cases:
                    calls(reporter.case_finished, case)
                    done += 1
                    yield
            if hasattr(reporter, "progress"):
                calls(reporter.progress, _progress(record, done))
            calls(reporter.run_finished, record)
            yield
        finally:
            close(reporter, calls)

    def _create(self, folder: Path, output: Path | None = None) -> Any:
        named_file = folder / self._file if self._file else None
        return self._spec.create(self._settings, make_context(folder, output=output or named_file))

    def _written(self, folder: Path) -> bytes | None:
        path = folder / self._file if self._file else None
        return path.read_bytes() if path is not None and path.is_file() else None

    @staticmethod
    @contextmanager
    def _folder() -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="steelyard-reporter-") as folder:
            yield Path(folder)


@contextmanager
def _screen() -> Iterator[Callable[[], str]]:
    """Catch what is written to standard output and standard error, neither of them a terminal."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _name in ("out", "err")]

    def written() -> str:
        text = ""
        for stream in streams:
            stream.flush()
            text += stream.buffer.getvalue().decode("utf-8")
        return text

    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        yield written


def _progress(record: RunRecord, done: int) -> Progress:
    return Progress(
        done=done,
        total=None,
        passed=sum(combo.passed for combo in record.results),
        failed=sum(combo.failed for combo in record.results),
        errors=sum(combo.errors for combo in record.results),
        spent_usd=0.0,
        cost_unknown=True,
        elapsed_s=1.0,
        by_combo=tuple([(combo.total, combo.passed, combo.errors) for combo in record.results]),
    )
