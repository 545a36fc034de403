"""Reads an evalkit suite into a Benchmark."""

from __future__ import annotations

from pathlib import Path

from steelyard.api import Benchmark, FormatTools, JsonMapping, Node, shown

from .graders import read_graders
from .keys import TOP_LEVEL
from .prompt import read_prompt
from .running import read_settings
from .schema import schema
from .targets import TIMEOUT_S, Judges, read_target
from .task_sources import read_tasks
from .tasks import TaskReader


class EvalkitFormat:
    """The evalkit format."""

    def __init__(self, tools: FormatTools) -> None:
        self._tools = tools

    def recognises(self, document: JsonMapping) -> bool:
        """Whether there is a ``target`` or ``tasks``, and none of the native format's keys."""
        keys = document.keys()
        return not keys.isdisjoint({"target", "tasks"}) and keys.isdisjoint({"models", "test_cases", "cases"})

    def read(self, document: Node, path: Path) -> Benchmark | None:
        """Turn a suite into a Benchmark."""
        return self._read(document, path, None)

    def with_dataset(self, document: Node, path: Path, dataset: Path) -> Benchmark | None:
        """Read the tasks from ``dataset``."""
        return self._read(document, path, dataset)

    def schema(self) -> JsonMapping:
        """Return the JSON Schema of suites."""
        return schema()

    def _read(self, document: Node, path: Path, dataset: Path | None) -> Benchmark | None:
        if not document.is_mapping():
            return None
        document.check_keys(TOP_LEVEL)
        version = document.get("version")
        if version is not None and (isinstance(version.value, bool) or version.value != 1):
            version.error(f"the only version is 1, got {shown(version.value)}")
        name = document.text("name", required=True, allow_empty=False)
        judges = Judges(self._tools)
        target_node = document.get("target")
        if target_node is None:
            document.error("'target' is required", "name a provider and its model", at_key=True)
        target = None if target_node is None else read_target(target_node, self._tools)
        suite_judge = document.get("judge")
        judges.default = None if suite_judge is None else judges.add(suite_judge)
        prompt = read_prompt(document)
        reader = TaskReader(
            graders=read_graders(document.get("graders"), judges),
            judges=judges,
            needs_text=document.get("prompt") is None,
        )
        cases = read_tasks(document, path, reader, dataset, self._tools)
        description = document.text("description")
        run_keys = read_settings(document)
        if target is None or cases is None:
            return None
        return Benchmark(
            name=name or "",
            description=description or "",
            models=(target,),
            prompts=(prompt,),
            cases=cases,
            format="evalkit",
            path=path,
            base_dir=path.parent,
            judges=tuple(judges.uses),
            judge_model=judges.default,
            timeout_s=TIMEOUT_S,
            place=document.place,
            **run_keys,
        )
