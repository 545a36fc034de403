"""Contract checks for formats: good documents become benchmarks, bad ones problems, and none of them a crash.

::

    GOOD = {"the least": {"suite": "s", "tests": [...]}}
    BAD = {"no tests": ({"suite": "s", "tests": []}, "tests")}

    @pytest.mark.parametrize("check", format_checks(SPEC, GOOD, BAD, needs=[my_plugin]))
    def test_the_format_keeps_the_contract(check):
        check()

Documents are given as values; they are written as JSON, which is YAML too. Besides the bad documents of the author,
each part of each good one is replaced by what does not belong there. That the right things are read only the author can
say: ``looks`` are functions that get the benchmark.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..api import Benchmark, FormatSpec, JsonMapping, JsonValue, Problem, RunOptions, is_sequence
from .checks import Check, named, require, spec_checks
from .scorer_trial import plain
from .sessions import session_with

FOREIGN: Sequence[JsonMapping] = ({}, {"": None}, {"unrelated": 1}, {"scripts": {}, "dependencies": {}})
"""Documents of nobody that a format must not take for its own."""

MISFITS: Sequence[JsonValue] = (
    None,
    True,
    -1,
    1e308,
    "",
    "text",
    "{{ x }} {{",
    [],
    [[]],
    {},
    {"": {}},
    [{"a": [None]}],
)
"""Values that are put in the place of others, to see that a wrong one is a problem and not a crash."""

STRAY = "unknwon_key_of_nobody"
"""A key that no format has, to see that a misspelt one is reported."""

SUITE = "suite.json"

Look = Callable[[Benchmark], object]


def format_checks(
    spec: FormatSpec,
    good: Mapping[str, JsonMapping],
    bad: Mapping[str, tuple[JsonMapping, str]],
    *,
    needs: Iterable[object] = (),
    files: Mapping[str, str] | None = None,
    looks: Mapping[str, Look] | None = None,
) -> list[Check]:
    """Make the checks of a format.

    Args:
        spec: What the plugin registers.
        good: Documents that can be run, by what is special about them; at least one.
        bad: Documents that cannot, each with a part of a problem that must be reported.
        needs: The components that the documents use: specs, components or plugins.
        files: Further files beside the document, by name, such as data that it names.
        looks: For some of the good documents, by the same names: a function that gets the benchmark that was read, and
            raises ``AssertionError`` when something in it is not as the document has it.
    """
    promises = _Promises(spec, good, list(needs), files or {})
    closer = looks or {}
    unknown = closer.keys() - good.keys()
    if unknown:
        raise ValueError(f"looks: no good document is called {sorted(unknown)[0]!r}")
    reads = [Check(f"it reads {what}", promises.reads(document, closer.get(what))) for what, document in good.items()]
    refuses = [Check(f"it refuses {what}", promises.refuses(*wrong)) for what, wrong in bad.items()]
    return [*spec_checks(spec), *reads, *refuses, *named(promises.all())]


class _Promises:
    """Every promise, each with a new session."""

    def __init__(
        self, spec: FormatSpec, good: Mapping[str, JsonMapping], needs: list[object], files: Mapping[str, str]
    ) -> None:
        self._spec = spec
        self._good = good
        self._needs = needs
        self._files = files

    def all(self) -> list[Callable[[], None]]:
        return [
            self.it_recognises_its_own_documents_and_no_others,
            self.an_unknown_key_at_the_top_is_reported,
            self.a_misfit_is_a_problem_with_a_place_and_no_crash,
        ]

    def reads(self, document: JsonMapping, closer: Look | None) -> Callable[[], None]:
        def look(benchmark: Benchmark) -> None:
            self._look_at(benchmark)
            if closer is not None:
                closer(benchmark)

        def check() -> None:
            benchmark, problems = self._read(document, look=look)
            errors = [str(problem) for problem in problems if problem.severity == "error"]
            require(not errors, f"it can be run, but there is a problem: {''.join(errors[:1])}")
            require(benchmark is not None, "it can be run, but read() returned None")

        return check

    def refuses(self, document: JsonMapping, part: str) -> Callable[[], None]:
        def check() -> None:
            _benchmark, problems = self._read(document)
            errors = [str(problem) for problem in problems if problem.severity == "error"]
            require(errors, "it cannot be run, but no problem is an error")
            require(any(part in error for error in errors), f"no problem mentions {part!r}: {errors}")

        return check

    def it_recognises_its_own_documents_and_no_others(self) -> None:
        with tempfile.TemporaryDirectory(prefix="steelyard-format-") as folder:
            registry = session_with(self._spec, cwd=Path(folder)).registry
            require(self._spec.name in registry.names("format"), "the host does not take the spec in")
        for what, document in self._good.items():
            problems = self._read(document, by_name=False)[1]
            require(not any("recognise" in problem.message for problem in problems), f"{what}: it is not recognised")
        for document in FOREIGN:
            problems = self._read(document, by_name=False)[1]
            require(any("recognise" in problem.message for problem in problems), f"{document} is taken for its own")

    def an_unknown_key_at_the_top_is_reported(self) -> None:
        for what, document in self._good.items():
            problems = self._read({**document, STRAY: 1})[1]
            told = any(STRAY in str(problem) for problem in problems)
            require(told, f"{what}: nothing is said about the key {STRAY!r}: a misspelt key would be passed over")

    def a_misfit_is_a_problem_with_a_place_and_no_crash(self) -> None:
        for document in self._spoilt():
            try:
                problems = self._read(document)[1]
            except Exception as error:
                raise AssertionError(f"{json.dumps(document)[:500]} raised {error!r}") from error
            for problem in problems:
                require(problem.place, f"nobody can find the place of {problem}")
                require("\n" not in str(problem), f"a problem is one line: {str(problem)!r}")

    def _read(
        self,
        document: JsonMapping,
        *,
        by_name: bool = True,
        look: Callable[[Benchmark], None] = lambda _benchmark: None,
    ) -> tuple[Benchmark | None, tuple[Problem, ...]]:
        """Let a session read a document, as the format under test or as whatever recognises it."""
        with tempfile.TemporaryDirectory(prefix="steelyard-format-") as name:
            folder = Path(name)
            for other, text in self._files.items():
                (folder / other).parent.mkdir(parents=True, exist_ok=True)
                (folder / other).write_text(text, encoding="utf-8")
            path = folder / SUITE
            path.write_text(json.dumps(plain(document)), encoding="utf-8")
            session = session_with(self._spec, *self._needs, cwd=folder)
            checked = session.check(path, RunOptions(format=self._spec.name if by_name else None))
            if checked.benchmark is not None:
                look(checked.benchmark)
            return checked.benchmark, checked.problems

    @staticmethod
    def _look_at(benchmark: Benchmark) -> None:
        require(benchmark.name.strip(), "the benchmark has no name")
        for kind, found in (("model", benchmark.models), ("prompt", benchmark.prompts)):
            ids = [one.id for one in found]
            require(ids, f"the benchmark has no {kind}")
            require(len(set(ids)) == len(ids), f"two {kind}s have the same id: {ids}")
        cases = list(benchmark.cases)
        require(cases, "the benchmark has no case")
        require(list(benchmark.cases) == cases, "going through the cases again gives others: they must start anew")
        for prompt in benchmark.prompts:
            for case in cases:
                messages = list(prompt.render(case)) if not case.turns else []
                require(messages or case.turns, f"prompt {prompt.id!r} has no message for case {case.id!r}")
                require(case.turns or list(prompt.render(case)) == messages, "the same case gives other messages")

    def _spoilt(self) -> Iterator[JsonMapping]:
        for document in self._good.values():
            whole = plain(document)
            for path in _paths(whole):
                for misfit in MISFITS:
                    spoilt = _with(whole, path, misfit)
                    if isinstance(spoilt, Mapping):
                        yield spoilt


def _paths(value: Any) -> Iterator[tuple[str | int, ...]]:
    """Go through the paths of all values inside a value."""
    inside: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, Mapping):
        inside = value.items()
    elif is_sequence(value):
        inside = enumerate(value)
    for key, one in inside:
        yield (key,)
        yield from ((key, *rest) for rest in _paths(one))


def _with(value: Any, path: Sequence[str | int], replacement: JsonValue) -> Any:
    """Return a copy of a value with something else at a path."""
    if not path:
        return replacement
    key, *rest = path
    if isinstance(value, Mapping):
        return {name: _with(one, rest, replacement) if name == key else one for name, one in value.items()}
    return [_with(one, rest, replacement) if at == key else one for at, one in enumerate(value)]
