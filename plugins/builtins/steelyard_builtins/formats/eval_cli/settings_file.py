"""``.evalrc.json``: what the eval tool takes when a suite does not say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from steelyard.api import FolderSettings, FormatTools, Node
from steelyard.errors import BenchmarkError

from .keys import CONFIG

FILE = ".evalrc.json"
PROVIDER = "anthropic"
"""The tool's own default provider."""
KEYS = {
    "anthropic_api_key": "ANTHROPIC_API_KEY",
    "openai_api_key": "OPENAI_API_KEY",
    "gemini_api_key": "GEMINI_API_KEY",
}
"""The keys that the file may hold, and the variables that they stand in for."""
JUDGE_MODEL = "claude-opus-4-8"
"""The tool's own default judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalSettings:
    """The settings that have a meaning for a suite."""

    provider: str = PROVIDER
    model: str | None = None
    judge_model: str = JUDGE_MODEL
    cache: bool | None = None
    """False for none; ``None`` for the default."""
    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    """API keys, by the environment variables that win over them."""


def read_settings(document: Node, folders: tuple[Path, ...], tools: FormatTools) -> EvalSettings:
    """Read the file in the first folder that has it. What is wrong with it is reported."""
    path = next((folder / FILE for folder in folders if (folder / FILE).is_file()), None)
    if path is None:
        return EvalSettings()
    try:
        node = tools.document(path, document.report)
    except BenchmarkError as error:
        for problem in error.problems:
            document.report(problem)
        return EvalSettings()
    if not node.is_mapping() or not isinstance(node.value, Mapping):
        return EvalSettings()
    node.check_keys(CONFIG, severity="warning")
    said = folder_settings(node)
    if said.results_dir is not None and path.parent.resolve() != Path.cwd():
        hint = "runs and what lists them must agree where results are"
        node.warning("counts only in the folder that one runs in", hint, key="results_dir")
    return EvalSettings(
        provider=said.default_provider or PROVIDER,
        model=node.text("default_model", allow_empty=False),
        judge_model=node.text("judge_model", allow_empty=False) or JUDGE_MODEL,
        cache=None if node.flag("cache_enabled", default=True) else False,
        keys=said.environ,
    )


def folder_settings(node: Node) -> FolderSettings:
    """Return what the file says about more than one suite."""
    return FolderSettings(
        results_dir=node.text("results_dir", allow_empty=False),
        default_provider=node.text("default_provider", allow_empty=False),
        environ={variable: key for name, variable in KEYS.items() if (key := node.text(name, allow_empty=False))},
    )
