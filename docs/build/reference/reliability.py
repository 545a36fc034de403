"""The page about reliability: what is written by hand, and tables of what the tests inject, kill and make up.

The figures are read from the tests' own data, without running them: a row cannot say more than the tests hold.
"""

from __future__ import annotations

import ast
import json
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from .markup import heading, table

ROOT: Final = Path(__file__).parents[3]
TESTS: Final = ROOT / "tests"
PAGE: Final = "docs/explanation/reliability.md"
MARK: Final = "<!-- What follows is made by docs/build/generate.py from the tests' data. -->\n"
USUAL_EXAMPLES: Final = 100
"""How many inputs Hypothesis makes up for a property that does not say otherwise."""

_FAULTS: Final[Sequence[tuple[str, str, str, str]]] = (
    ("Runs killed with `kill -9`", "faults/test_kills.py", "KILLS", "the record is the one of a run never killed"),
    ("Runs asked to stop (SIGINT, SIGTERM)", "faults/test_kills.py", "GENTLE", "the same"),
    ("Answers of judges", "cases/test_model_output.py", "REPLIES", "the score that was meant, or an error"),
    ("Outputs with JSON in them", "cases/test_model_output.py", "WRITTEN", "found whole, or not at all"),
    ("Outputs with numbers", "cases/test_comparison.py", "NUMBERS", "read as people read them"),
    ("Labels in other scripts and cases", "cases/test_comparison.py", "LABELS", "alike in every language"),
    ("Patterns that never end", "cases/test_comparison.py", "SLOW", "an error of one case"),
    ("Hostile texts in data", "cases/test_templates.py", "HOSTILE", "sent byte for byte"),
    ("Hostile ids in every report", "cases/test_results.py", "IDS", "every file can be read"),
    ("Shares of passes at a gate", "cases/test_results.py", "SHARES", "decided by the counts"),
    ("Damaged entries of a cache", "cases/test_cache_and_stopping.py", "DAMAGE", "a miss, and replaced"),
    ("Quotas, credits and keys that are gone", "faults/test_spent_quotas.py", "SPENT", "one call, then none"),
    ("Records that are none", "cases/test_cache_and_stopping.py", "NO_RECORDS", "refused, and in nobody's way"),
    ("Odd replies of a server", "cases/test_api_replies.py", "BAD_BODIES", "an error of one case, or tried again"),
    ("Prices that are none", "cases/test_costs.py", "ODD", "unknown, not free"),
    ("Suites with a mistake that spends money elsewhere", "cases/test_traps.py", "REFUSED", "refused before any call"),
    ("Files that are no suite", "cases/test_traps.py", "FILES", "one error, no crash"),
    ("Command lines that make no sense", "cases/test_traps.py", "LINES", "refused before any call"),
    ("Names of runs", "cases/test_encodings_and_names.py", "NAMES", "inside the folder, none lost"),
)
"""What is counted, the file of tests, the name of its data there, and what holds for each."""

_ON_THE_MACHINE: Final = "faults/test_machine.py"
_ON_BUSY_DAYS: Final = ("faults/test_crowded_servers.py", "faults/test_hanging_scorers.py")


def reliability_page() -> str:
    """Return the page with its tables as the tests are now."""
    written = (ROOT / PAGE).read_text("utf-8").partition(MARK)[0].rstrip("\n")
    return "\n\n".join([written, MARK + "\n" + heading(2, "In figures"), _injected(), _fuzzed_part()]) + "\n"


def _injected() -> str:
    rows = [(what, str(count_in(file, name)), holds, f"`tests/{file}`") for what, file, name, holds in _FAULTS]
    rows += [
        ("Replies of servers, as their makers document them", str(_samples()), "text, counts, ending, retried or not",
         "`tests/builtins/providers`"),
        ("Crowded servers and hanging scorers", str(sum(map(_cases_of, _ON_BUSY_DAYS))), "the others go on as before",
         ", ".join(f"`tests/{name}`" for name in _ON_BUSY_DAYS)),
        ("Faults of the machine", str(_cases_of(_ON_THE_MACHINE)), "nothing that was paid for is lost",
         f"`tests/{_ON_THE_MACHINE}`"),
        ("Public bug reports of other tools", str(_reports()), "none of their faults", "`tests/cases/reports.toml`"),
    ]  # fmt: skip
    return table(["what is done", "times", "what holds for each", "where"], rows)


def _fuzzed_part() -> str:
    rows = [(f"`{name}`", str(len(found)), str(sum(found))) for name, found in _properties()]
    total = sum(int(row[2]) for row in rows)
    return (
        f"Inputs made up by Hypothesis in each run of the tests: {total:,}.\n\n"
        + table(["properties in", "count", "inputs"], rows)
    )  # fmt: skip


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def count_in(file: str, name: str) -> int:
    """Return how much a file of tests holds under a name: a number as it stands, or the size of a collection.

    Raises ``LookupError`` when there is no such name, so that a page never counts what is gone.
    """
    for target, value in _assigned(_tree(TESTS / file)):
        if isinstance(target, ast.Name) and target.id == name:
            return _size(value)
    raise LookupError(f"tests/{file}: there is no {name!r} to count")


def _assigned(module: ast.Module) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    for node in module.body:
        if isinstance(node, ast.Assign):
            yield node.targets[0], node.value
        elif isinstance(node, ast.AnnAssign):
            yield node.target, node.value


def _size(value: ast.expr | None) -> int:
    if isinstance(value, ast.Dict):
        return len(value.keys)
    if isinstance(value, ast.List | ast.Tuple | ast.Set):
        return len(value.elts)
    if isinstance(value, ast.Constant) and isinstance(value.value, int):
        return value.value
    raise LookupError(f"line {getattr(value, 'lineno', '?')}: is neither a number nor a collection")


def _cases_of(file: str) -> int:
    """Return how many tests there are in a file, each as often as its parameters say."""
    total = 0
    for node in _tree(TESTS / file).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            times = 1
            for call in _calls(node, "parametrize"):
                times *= _size(call.args[1])
            total += times
    return total


def _properties() -> Iterator[tuple[str, list[int]]]:
    """Go through the files with properties, and how many inputs each property is held against."""
    for path in sorted(TESTS.rglob("test_*.py")):
        found = [
            _examples(node)
            for node in ast.walk(_tree(path))
            if isinstance(node, ast.FunctionDef) and _calls(node, "given")
        ]
        if found:
            yield f"tests/{path.relative_to(TESTS).as_posix()}", found


def _examples(node: ast.FunctionDef) -> int:
    for call in _calls(node, "settings"):
        for keyword in call.keywords:
            if keyword.arg == "max_examples":
                return _size(keyword.value)
    return USUAL_EXAMPLES


def _calls(node: ast.FunctionDef, name: str) -> list[ast.Call]:
    """Return the decorators of a function that call something of this name."""
    calls = [one for one in node.decorator_list if isinstance(one, ast.Call)]
    return [one for one in calls if name in (getattr(one.func, "id", None), getattr(one.func, "attr", None))]


def _samples() -> int:
    return sum(len(json.loads(path.read_text("utf-8"))) for path in sorted((TESTS / "fixtures" / "api").glob("*.json")))


def _reports() -> int:
    return len(tomllib.loads((TESTS / "cases" / "reports.toml").read_text("utf-8")))
