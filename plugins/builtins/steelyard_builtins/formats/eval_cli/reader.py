"""Reads a suite of the eval tool into a Benchmark."""

from __future__ import annotations

from pathlib import Path

from steelyard.api import (
    NOTHING,
    Benchmark,
    Case,
    CaseSource,
    FolderSettings,
    FormatTools,
    Gate,
    JsonMapping,
    ModelUse,
    Node,
    Parameters,
    Rows,
)
from steelyard.errors import BenchmarkError

from ..other_files import report_unusable
from ..row_cases import MOST_ROWS, RowCases
from .cases import CaseReader, DatasetReader
from .criteria import Judges, note_judges
from .keys import PRICING, TOP_LEVEL
from .models import label, prefixed
from .prompt import EvalPrompt
from .schema import schema
from .settings_file import PROVIDER, EvalSettings, folder_settings, read_settings
from .unfilled import warn_of_unfilled

MAX_TOKENS = 1024
"""The tool's own output limit."""
MODEL = "claude-haiku-4-5"
"""The tool's own default model."""


class EvalFormat:
    """The eval format."""

    def __init__(self, tools: FormatTools) -> None:
        self._tools = tools

    def recognises(self, document: JsonMapping) -> bool:
        """Whether there are ``cases``, and none of the native format's or evalkit's keys."""
        return "cases" in document and document.keys().isdisjoint({"models", "test_cases", "target", "tasks", "tests"})

    def read(self, document: Node, path: Path) -> Benchmark | None:
        """Turn a suite into a Benchmark."""
        return self._read(document, path, None)

    def with_dataset(self, document: Node, path: Path, dataset: Path) -> Benchmark | None:
        """Fill the cases in by the rows of ``dataset``; the suite's limit and sample apply to it."""
        return self._read(document, path, dataset)

    def named_model(self, name: str, *, provider: str | None, default: str | None) -> ModelUse:
        """Return the model of ``provider/model``, or else of the provider that the suite names."""
        known, model = prefixed(name, provider or default or PROVIDER)
        return ModelUse(id=label(known, model), model=model, provider=known)

    def folder_settings(self, document: Node) -> FolderSettings:
        """Return what the tool's settings file says for every command."""
        return folder_settings(document) if document.is_mapping() else FolderSettings()

    def schema(self) -> JsonMapping:
        """Return the JSON Schema of suites."""
        return schema()

    def _read(self, document: Node, path: Path, dataset: Path | None) -> Benchmark | None:
        if not document.is_mapping():
            return None
        document.check_keys(TOP_LEVEL, severity="warning")
        settings = read_settings(document, (Path(), path.parent), self._tools)
        name = document.text("name", required=True, allow_empty=False)
        model = _model(document, settings)
        judges = Judges(settings.judge_model, settings.provider if model is None else model.provider or "")
        cases = self._cases(document, path, CaseReader(judges=judges), dataset)
        inference = Parameters(
            temperature=document.number("temperature", minimum=0, maximum=2),
            max_tokens=document.whole("max_tokens", minimum=1) or MAX_TOKENS,
        )
        prompt = EvalPrompt(system=document.text("system_prompt") or "")
        description = document.text("description")
        for problem in judges.told():
            document.report(problem)
        if model is None or cases is None:
            return None
        return Benchmark(
            name=name or "",
            description=description or "",
            models=(model,),
            prompts=(prompt,),
            cases=cases,
            format="eval",
            path=path,
            base_dir=path.parent,
            default_provider=str(document.child("provider").value or settings.provider),
            judges=tuple(judges.uses.values()),
            judge_model=next(iter(judges.uses), None),
            inference=inference,
            gate=Gate(quality_threshold=100.0),
            cache=settings.cache,
            environ=settings.keys,
            place=document.place,
        )

    def _cases(self, document: Node, path: Path, reader: CaseReader, dataset: Path | None) -> CaseSource | None:
        node = document.get("cases")
        limit = document.whole("dataset_limit", minimum=1, maximum=MOST_ROWS)
        sample = document.whole("dataset_sample", minimum=1, maximum=MOST_ROWS)
        named = document.text("dataset", allow_empty=False)
        if node is None:
            document.error("'cases' is required", "list at least one case", at_key=True)
            return None
        if not node.is_list():
            return None
        if not node.value:
            node.error("must hold at least one case")
        inline = dataset is None and document.get("dataset") is None
        warn_of_unfilled(document, node.entries(), has_rows=not inline)
        if inline:
            return _inline(node, reader)
        if dataset is None and named is None:
            return None
        rows = self._rows(document, dataset, path, str(named), limit=limit, sample=sample)
        templates = tuple(node.entries())
        note_judges(templates, reader.judges)
        read = DatasetReader(cases=templates, reader=reader).read_row
        return None if rows is None else RowCases(rows=rows, read=read, warn=document.report)

    def _rows(
        self, document: Node, dataset: Path | None, path: Path, named: str, *, limit: int | None, sample: int | None
    ) -> Rows | None:
        pattern = named if dataset is None else str(dataset)
        folder = next((folder for folder in (Path(), path.parent) if (folder / pattern).exists()), path.parent)
        try:
            return self._tools.rows(pattern, base_dir=folder, limit=limit, sample=sample)
        except BenchmarkError as error:
            report_unusable(document.child("dataset"), error, dataset)
            return None


def _inline(node: Node, reader: CaseReader) -> tuple[Case, ...]:
    found: dict[str, Case] = {}
    for number, entry in enumerate(node.entries(), 1):
        case = reader.read(entry, number)
        if case is None:
            continue
        if case.id in found:
            entry.error(f"id {case.id!r} is used twice", f"first at {found[case.id].place}", key="id")
        else:
            found[case.id] = case
    return tuple(found.values())


def _model(document: Node, settings: EvalSettings) -> ModelUse | None:
    named = document.text("provider", allow_empty=False)
    provider = named or settings.provider
    model = document.text("model", allow_empty=False) or settings.model
    if document.get("model") is not None and document.text("model") is None:
        return None
    if model is None and provider == PROVIDER:
        model = MODEL
    if model is None:
        document.error(f"'model' is required for provider {provider!r}", at_key=True)
        return None
    node = document.get("model") or document
    if named is None:  # where the suite names a provider, its model's name is that provider's own
        provider, model = prefixed(model, provider)
    return ModelUse(
        id=label(provider, model), model=model, provider=provider, options=_pricing(document), place=node.place
    )


def _pricing(document: Node) -> JsonMapping:
    """Return the prices of the suite's own model, as an option of it; another model has others."""
    node = document.get("pricing")
    if node is None or not node.is_mapping():
        return NOTHING
    node.check_keys(PRICING)
    prices = {key: node.number(key, minimum=0) for key in sorted(PRICING)}
    return {"pricing": {key: price for key, price in prices.items() if price is not None}}
