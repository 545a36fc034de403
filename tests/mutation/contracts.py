"""Where the kit's checks of each built-in are: the tests that hold it to the contract, from which they are taken."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

BUILTINS_TESTS = Path(__file__).parents[1] / "builtins"

_SCORERS = "scorers/test_contracts.py"
_APIS = "contracts/test_providers.py"
_ANSWERING = "contracts/test_answering.py"
_CACHES = "caches/test_contract.py"
_REPORTERS = "contracts/test_reporters.py"
_FORMATS = "contracts/test_formats.py"

_FILES = {
    **dict.fromkeys(
        ("contains", "exact_match", "json_path", "json_schema", "llm_judge", "max_words", "numeric", "pairwise"),
        _SCORERS,
    ),
    **dict.fromkeys(("python", "regex", "similarity", "weighted_match"), _SCORERS),
    "code_execution": "scorers/code_execution/test_verdicts.py",
    **dict.fromkeys(("anthropic", "gemini", "ollama", "openai", "openrouter"), _APIS),
    **dict.fromkeys(("command", "http", "mock"), _ANSWERING),
    **dict.fromkeys(("files", "memory", "sqlite"), _CACHES),
    **dict.fromkeys(("badge", "csv", "html", "json", "junit", "markdown", "rich"), _REPORTERS),
    "evalkit_results": "reporters/test_evalkit_results.py",
    **dict.fromkeys(("eval", "evalkit", "native"), _FORMATS),
}

BUILTINS = tuple(_FILES)
"""Every built-in, by the name of its entry point."""


def checks_of(builtin: str) -> list[tuple[str, Callable[[], None]]]:
    """Return the checks of a built-in with their names, as its tests make them."""
    module = _imported(BUILTINS_TESTS / _FILES[builtin])
    found = list(_checks(module))
    # A file for several names the built-in in the id of each check, or in the function that they are handed to.
    own = [
        (name, check)
        for function, name, check in found
        if name.startswith(f"{builtin}: ") or f"_the_{builtin}_" in function
    ]
    return own or [(name, check) for _function, name, check in found]


def _imported(file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"contract_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _checks(module: ModuleType) -> Iterator[tuple[str, str, Callable[[], None]]]:
    """Go through what is handed to test functions as ``check``: the function's name, the check's, and itself."""
    for function, test in vars(module).items():
        for mark in getattr(test, "pytestmark", ()):
            if mark.name == "parametrize" and mark.args[0] == "check":
                for value in mark.args[1]:
                    check: Any = value.values[0] if hasattr(value, "values") else value
                    yield function, getattr(value, "id", None) or str(check), check
