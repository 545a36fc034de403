"""Reads a native file into a Benchmark, and says everything that is wrong with it in one go."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from steelyard.api import (
    Benchmark,
    Case,
    FormatTools,
    JsonMapping,
    Node,
    Parameters,
    StarterAnswers,
    StarterChoices,
    Written,
)

from .case_sources import read_cases
from .cases import CaseReader
from .checks import check_budget, check_case_values, check_values, check_variables, names_written, renderable
from .extending import read_source
from .judging import read_judging
from .keys import DEFAULT_PROVIDER, TOP_LEVEL
from .models import read_judges, read_models, read_providers
from .prompts import FoundPrompt, read_prompts
from .running import read_gate, read_inference, read_run_keys
from .schema import schema
from .scorers import read_scorers
from .starter import CHOICES, starter
from .writing import write

_OTHERS = frozenset({"cases", "target", "tasks", "tests"})
"""Keys of other tools; a file that has ``models`` or ``test_cases`` as well is ours and has a mistake in it."""


class NativeFormat:
    """The native format."""

    def __init__(self, tools: FormatTools) -> None:
        self._tools = tools

    def recognises(self, document: JsonMapping) -> bool:
        """Whether there is ``models`` or ``test_cases``, or ``extends`` and no key of another tool."""
        keys = document.keys()
        if keys.isdisjoint({"models", "test_cases"}):
            return "extends" in keys and keys.isdisjoint(_OTHERS)
        return True

    def read(self, document: Node, path: Path) -> Benchmark | None:
        """Turn a native file into a Benchmark."""
        return self._read(document, path, None)

    def with_dataset(self, document: Node, path: Path, dataset: Path) -> Benchmark | None:
        """Read the cases from ``dataset``; ``case`` and the ``limit`` and ``sample`` of the file apply to its rows."""
        return self._read(document, path, dataset)

    def schema(self) -> JsonMapping:
        """Return the JSON Schema of native files."""
        return schema()

    def write(self, benchmark: Benchmark, cases: Sequence[Case]) -> Written:
        """Write down a benchmark that came from another format."""
        return write(benchmark, cases, self._tools)

    def starter_choices(self) -> StarterChoices:
        """Say what a first file may be about."""
        return CHOICES

    def starter(self, answers: StarterAnswers) -> str:
        """Return the text of a first file."""
        return starter(answers)

    def _read(self, document: Node, path: Path, dataset: Path | None) -> Benchmark | None:
        source = read_source(document, path, self._tools) if document.is_mapping() else None
        if source is None:
            return None
        top = source.node
        top.check_keys(TOP_LEVEL)
        name = top.text("name", required=True, allow_empty=False)
        models = read_models(top, self._tools)
        judges = read_judges(top, self._tools)
        providers = read_providers(top, self._tools)
        inference = read_inference(top)
        judging = read_judging(top)
        prompts = read_prompts(top, self._tools)
        scorers = top.get("scorers")
        reader = CaseReader(
            tools=self._tools,
            variables=top.mapping("variables"),
            scorers=() if scorers is None else read_scorers(scorers, judging),
            judging=judging,
            cluster=top.text("cluster", allow_empty=False),
        )
        cases = read_cases(source, reader, dataset)
        gate = read_gate(top, [model.id for model in models], list(prompts))
        run_keys = read_run_keys(top)
        inline = cases.inline if cases else ()
        usable = renderable(prompts.values(), inline)
        _check(top, reader, inference, prompts.values(), inline)
        if cases is None:
            return None
        # Also without a model or a prompt that is right, which has been said: cases have mistakes of their own to tell.
        return Benchmark(
            name=name or "",
            models=models,
            judges=judges,
            prompts=usable,
            cases=cases.source,
            format="native",
            path=path,
            base_dir=path.parent,
            default_provider=DEFAULT_PROVIDER,
            providers=providers,
            inference=inference,
            judge_model=judging.judge_model,
            gate=gate,
            place=top.place,
            **run_keys,
        )


def _check(
    top: Node,
    reader: CaseReader,
    inference: Parameters,
    prompts: Collection[FoundPrompt],
    cases: tuple[Case, ...] | None,
) -> None:
    """Check what only shows in the whole; ``cases`` is ``None`` when they are rows of a data file."""
    used = None if cases is None else {use.type for case in cases for use in case.scorers}
    reader.judging.report(top, used)
    check_budget(top.get("inference"), inference.max_tokens, used)
    written = names_written(prompts)
    check_values(top.child("variables"), written)
    if cases is None:
        return
    if top.get("variables") is None or isinstance(top.child("variables").value, Mapping):
        read = [case for case in cases if case.id not in reader.misread] if reader.misread else cases
        check_variables(prompts, read, reader.variables)
    check_case_values(top.child("test_cases"), written)
    if reader.cluster is not None and cases and all(case.cluster is None for case in cases):
        hint = "name one that they have, or leave it out"
        top.error(f"no case has a variable or metadata key {reader.cluster!r}", hint, key="cluster")
