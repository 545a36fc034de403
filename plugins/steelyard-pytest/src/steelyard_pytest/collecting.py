"""A benchmark file as a collector, and each of its cases, with each model and prompt, as a test."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steelyard import Session, open_session
from steelyard.api import Benchmark, CaseResult, RunOptions, RunRecord, Status
from steelyard.errors import MissingKeyError, SteelyardError
from steelyard.text import one_line

from . import SteelyardWarning
from .batches import Asked, Outcomes, may_be_asked_together
from .totals import properties
from .wording import described

_SESSION = pytest.StashKey[Session]()
_SAID = pytest.StashKey[list[str]]()
_PLACE = re.compile(r"(.+?):(\d+)(?::\d+)?")


class BenchmarkFile(pytest.File):
    """A benchmark file."""

    def __init__(self, *, skip_without_key: bool, **of_pytest: Any) -> None:
        super().__init__(**of_pytest)
        self.skip_without_key = skip_without_key
        self.shown_path = self.path
        """The path as messages show it: from the folder that pytest was started in, where that can be."""
        self._outcomes: Outcomes | None = None

    def collect(self) -> Iterable[CaseItem]:
        """Read and check the file, and make its tests. Calls no model and needs no key."""
        here = Path.cwd()
        if self.path.is_relative_to(here):
            self.shown_path = self.path.relative_to(here)
        try:
            checked = _session(self.config).check(self.shown_path)
        except SteelyardError as error:
            raise self.CollectError(str(error)) from error
        self.tell(str(problem) for problem in checked.problems if problem.severity == "warning")
        if not checked.ok or checked.benchmark is None:
            errors = [str(problem) for problem in checked.problems if problem.severity == "error"]
            raise self.CollectError("\n".join(errors))
        self._outcomes = Outcomes(checked.benchmark, self._run)
        return list(self._items(checked.benchmark))

    def outcome_of(self, item: CaseItem) -> CaseResult | SteelyardError:
        """Return what became of a test's case, asking if it must."""
        assert self._outcomes is not None  # noqa: S101 - an item exists only after collect
        try:
            return self._outcomes.of(item.asked, lambda: self._along_with(item))
        finally:
            self.tell(())

    def tell(self, lines: Iterable[str]) -> None:
        """Hand lines, and what the session has said meanwhile, to pytest as warnings."""
        said = self.config.stash.setdefault(_SAID, [])
        found = dict.fromkeys([*lines, *said])
        said.clear()
        for line in found:
            self.warn(SteelyardWarning(line))

    def _items(self, benchmark: Benchmark) -> Iterator[CaseItem]:
        cases = tuple(benchmark.cases)
        for model in benchmark.models:
            for prompt in benchmark.prompts:
                for case in cases:
                    asked = Asked(model=model, prompt=prompt, case=case)
                    item: CaseItem = CaseItem.from_parent(self, name=one_line("×".join(asked.key)), asked=asked)
                    yield item

    def _along_with(self, item: CaseItem) -> Iterator[Asked]:
        """Yield the cases to ask together with one: those of this file that were selected and nothing skips."""
        if not may_be_asked_together(self.config):
            return
        for other in item.session.items:
            if isinstance(other, CaseItem) and other.parent is self and not other.may_be_skipped:
                yield other.asked

    def _run(self, benchmark: Benchmark) -> RunRecord:
        options = RunOptions(
            store=False,
            quiet=True,
            automatic_reporters=False,
            cache=not self.config.getoption("steelyard_no_cache"),
        )
        return _session(self.config).run(benchmark, options)


class CaseItem(pytest.Item):
    """A case of a benchmark with one model and one prompt."""

    def __init__(self, *, asked: Asked, **of_pytest: Any) -> None:
        super().__init__(**of_pytest)
        self.asked = asked
        self._result: CaseResult | None = None
        self.add_marker("steelyard")
        self.extra_keyword_matches.update((*asked.key, *asked.case.tags))

    @property
    def may_be_skipped(self) -> bool:
        """Whether a mark might skip it: its case is then asked only when its turn has come."""
        return any(self.get_closest_marker(name) for name in ("skip", "skipif"))

    def setup(self) -> None:
        """Ask, and judge. What cannot be judged ends here: pytest calls that an error, not a failure."""
        file = self._file
        outcome = file.outcome_of(self)
        if isinstance(outcome, MissingKeyError) and file.skip_without_key:
            pytest.skip(one_line(str(outcome)))
        if isinstance(outcome, SteelyardError):
            advice = "; steelyard_missing_key = skip skips such cases" if isinstance(outcome, MissingKeyError) else ""
            pytest.fail(f"{outcome}{advice}", pytrace=False)
        self.user_properties.extend(properties(outcome))
        if outcome.status is not Status.SCORED:
            pytest.fail(self._described(outcome), pytrace=False)
        self._result = outcome

    def runtest(self) -> None:
        """Fail when the case did."""
        if self._result is not None and not self._result.passed:
            pytest.fail(self._described(self._result), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where the case stands, its line counted from 0."""
        place = _PLACE.fullmatch(self.asked.case.place)
        line = int(place[2]) - 1 if place is not None and Path(place[1]).name == self.path.name else None
        return self.path, line, self.name

    @property
    def _file(self) -> BenchmarkFile:
        assert isinstance(self.parent, BenchmarkFile)  # noqa: S101 - made by one alone
        return self.parent

    def _described(self, result: CaseResult) -> str:
        place = self.asked.case.place or str(self._file.shown_path)
        return described(result, place, whole=self.config.get_verbosity() > 1)


def _session(config: pytest.Config) -> Session:
    """Return the session of this test run, opened when the first benchmark is found. Its folder is pytest's root."""
    if _SESSION not in config.stash:
        said = config.stash.setdefault(_SAID, [])
        session = open_session(cwd=config.rootpath, warn=said.append)
        config.stash[_SESSION] = session
        config.add_cleanup(session.close)
    return config.stash[_SESSION]
