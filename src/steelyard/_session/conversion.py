"""A suite of one format as a file of another: written, read back, and held against the original.

A conversion that would send another request or judge otherwise is refused: the new file is read like any other, and
every model, prompt, case and scorer of it must be that of the old one.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..api import Benchmark, Case, ModelUse, RunOptions, Written, shown
from ..errors import BenchmarkError, SteelyardError, UsageError
from ..records import write_file
from ..text import one_line
from .checking import Checked, judge_use
from .components import Made, guarded
from .models import ModelPlan
from .parts import Parts
from .reading import Reading

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}")
_LONGEST_PATH = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """A suite as a file of another format."""

    text: str
    lost: tuple[str, ...] = ()
    """What has no counterpart there, in a line each."""


def convert(reading: Reading, writer: Made, source: Path, target: Path, options: RunOptions) -> Converted:
    """Return a suite as a file of the writer's format.

    Args:
        reading: How files are read.
        writer: A format that can write.
        source: The suite.
        target: Where the file is going to be: what relative paths in it start from. Nothing is left there.
        options: Of these, ``format`` (of the suite) and ``local_plugins`` have a say.

    Raises ``BenchmarkError`` for a suite that could not be run, ``UsageError`` for one that cannot be converted.
    """
    checked, parts = reading.checked(source, options)
    benchmark = checked.benchmark_or_raise()
    name = writer.offer.name
    if benchmark.format == name:
        raise UsageError(f"{source}: is of the format {name!r} already")
    cases = tuple(benchmark.cases)
    # Read once more, with references to the environment left as they are: what they stand for may be a secret.
    raw = reading.unexpanded(source, options, parts.host, _References(source))
    unexpanded = replace(
        raw, models=_labelled(raw.models, benchmark.models), judges=_labelled(raw.judges, benchmark.judges)
    )
    written: Written = guarded(writer, "write", lambda: writer.component.write(unexpanded, cases))
    text = f"# Made from {one_line(source.name)} (format {benchmark.format}) with: steelyard convert\n\n{written.text}"
    again, parts_again = _read_back(reading, text, target, replace(options, format=name))
    difference = next(_differences(checked, parts, cases, again, parts_again), None)
    if difference is not None:
        raise UsageError(f"{source}: cannot be converted without change: {difference}")
    lost = (*written.lost, *_frozen(benchmark, cases), *_displaced(benchmark, cases, target))
    return Converted(text=text, lost=lost)


def _labelled(uses: Sequence[ModelUse], labels: Sequence[ModelUse]) -> tuple[ModelUse, ...]:
    """Return models under the labels that they have in this environment: cases name them by those."""
    if len(uses) != len(labels):
        return tuple(uses)
    return tuple(replace(use, id=label.id) for use, label in zip(uses, labels, strict=True))


class _References(Mapping[str, str]):
    """An environment in which every variable is the reference to it, as the file has it."""

    def __init__(self, source: Path) -> None:
        text = source.read_text(encoding="utf-8", errors="replace")
        self._references: dict[str, str] = {}
        for found in _REFERENCE.finditer(text):
            self._references.setdefault(found.group(1), found.group(0))

    def __getitem__(self, name: str) -> str:
        return self._references[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._references)

    def __len__(self) -> int:
        return len(self._references)


def _read_back(reading: Reading, text: str, target: Path, options: RunOptions) -> tuple[Checked, Parts]:
    draft = target.with_name(f".{secrets.token_hex(8)}{target.suffix or '.yaml'}")
    try:
        write_file(draft, [text.encode("utf-8", "replace")])
    except SteelyardError as error:
        raise UsageError(str(error).replace(str(draft), str(target))) from error
    try:
        checked, parts = reading.checked(draft, options)
        cases = tuple(checked.benchmark.cases) if checked.benchmark is not None else ()
    finally:
        draft.unlink(missing_ok=True)
    if not checked.ok or checked.benchmark is None:
        raise BenchmarkError(
            [replace(one, place=one.place.replace(str(draft), str(target))) for one in checked.problems]
        )
    return replace(checked, benchmark=replace(checked.benchmark, cases=cases)), parts


def _frozen(benchmark: Benchmark, cases: Sequence[Case]) -> Iterator[str]:
    """Say that rows are no longer read from where they are."""
    if not isinstance(benchmark.cases, tuple):
        yield (
            f"its data file: the {len(cases)} case(s) that limit and sample leave of it now are written out, and later "
            "changes to it have no effect"
        )


def _displaced(benchmark: Benchmark, cases: Sequence[Case], target: Path) -> Iterator[str]:
    """Say that paths start elsewhere, where there are any that lead somewhere."""
    if target.parent.resolve() == benchmark.base_dir.resolve():
        return
    options = [use.options for use in (*benchmark.models, *benchmark.judges)]
    options += [use.options for case in cases for use in case.scorers]
    found = (text for text in _texts([*options, benchmark.providers]) if _leads_somewhere(text, benchmark.base_dir))
    if (path := next(found, None)) is not None:
        yield (
            f"relative paths ({shown(path)} …) started at {benchmark.base_dir or Path()} and now start at "
            f"{target.parent}"
        )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for entry in value.values() for text in _texts(entry))
    elif isinstance(value, Sequence):
        yield from (text for entry in value for text in _texts(entry))


def _leads_somewhere(text: str, folder: Path) -> bool:
    """Whether a text names a file by a relative path, alone or before a colon, as in ``graders.py:polite``."""
    if not text or len(text) > _LONGEST_PATH or "\n" in text:
        return False
    names = (text, text.partition(":")[0])
    try:
        return any(name.strip("./") and not Path(name).is_absolute() and (folder / name).exists() for name in names)
    except (OSError, ValueError):
        return False


def _differences(
    before: Checked, parts: Parts, cases: tuple[Case, ...], after: Checked, parts_after: Parts
) -> Iterator[str]:
    """Say, in a line each, in what the new file differs from the old one."""
    old, new = before.benchmark_or_raise(), after.benchmark_or_raise()
    if [*map(_asked, before.models)] != [*map(_asked, after.models)]:
        yield "its models would be asked otherwise"
    if _judges(before, parts) != _judges(after, parts_after):
        yield "its judges would be asked otherwise"
    for field in ("inference", "gate", "repeat", "case_pass_rate", "retries", "retry_backoff_s", "timeout_s", "cache"):
        if getattr(old, field) != getattr(new, field):
            yield f"{field} would be {getattr(new, field)!r} instead of {getattr(old, field)!r}"
    others = tuple(new.cases)
    if [case.id for case in cases] != [case.id for case in others]:
        yield "its cases would be others"
        return
    for case, other in zip(cases, others, strict=True):
        yield from (f"case {case.id!r}: {what}" for what in _case_differences(old, case, new, other))
        if _judging(parts, case) != _judging(parts_after, other):
            yield f"case {case.id!r}: would be judged otherwise"


def _case_differences(old: Benchmark, case: Case, new: Benchmark, other: Case) -> Iterator[str]:
    for field in ("expected", "criteria", "reference", "turns", "tags", "input", "human_score", "metadata"):
        if getattr(case, field) != getattr(other, field):
            yield f"its {field} would be {getattr(other, field)!r}"
    for name, value in case.variables.items():
        if name not in other.variables or other.variables[name] != value:
            yield f"its variable {name!r} would be another"
    for prompt, same in zip(old.prompts, new.prompts, strict=True):
        if list(prompt.render(case)) != list(same.render(other)):
            yield f"prompt {prompt.id!r} would say something else"


def _asked(plan: ModelPlan) -> object:
    return plan.use.id, plan.offer.name, plan.use.model, plan.settings, plan.request, plan.call


def _judges(checked: Checked, parts: Parts) -> list[object]:
    benchmark = checked.benchmark_or_raise()
    return [_asked(parts.models.plan(judge_use(benchmark, name), "judge")) for name in checked.judges]


def _judging(parts: Parts, case: Case) -> list[object]:
    return [
        (
            use.type,
            parts.scorers.made(use, f"case {case.id!r}").settings,
            use.name or use.type,
            use.weight,
            use.negate,
            use.threshold,
            use.turn,
        )
        for use in case.scorers
    ]
