"""Code execution: the program in the answer runs, passes the benchmark's tests, and prints what is expected.

The program is taken from the answer's fences (the whole answer where there are none). It is hostile until proven
otherwise: it runs without our environment, in a folder of its own, with limits on time, memory, processes, output and
files, and behind ``bwrap`` (bubblewrap) where that works, so that it reaches neither the network nor anybody's files.
Nothing is run by checking a benchmark.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import PluginContext, Scorer, ScorerSpec, option

_LONGEST_MS = 600_000
_GIVEN_UP_S = 3600.0
"""When the host gives up a verdict. Far beyond the longest run, because a run may have to wait for its turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeExecutionSettings:
    """The options of code_execution."""

    language: Literal["python", "javascript", "bash"] = option(doc="What the answer's program is written in.")
    test_code: str | None = option(
        None, doc="Code that follows the answer's in the same program. It fails by a non-zero exit code."
    )
    expected_output: str | None = option(
        None,
        doc="What the program must print, white space around it left out; by default the case's expected_output, and "
        "when that is absent anything.",
    )
    fence: Literal["all", "first", "last"] = option(
        "all", doc="Which of the answer's fitting code blocks make the program."
    )
    timeout_ms: float = option(10_000, doc="Milliseconds that the program may take.", above=0, maximum=_LONGEST_MS)
    memory_mb: int = option(512, doc="Megabytes of memory for the program and all it starts.", minimum=32)
    output_kb: int = option(1024, doc="Kilobytes that the program may print.", minimum=1, maximum=65536)
    disk_mb: int = option(64, doc="Megabytes of files that the program may write.", minimum=1, maximum=65536)
    isolation: Literal["auto", "required", "none"] = option(
        "auto",
        doc="auto: behind bwrap where it can be used, with limits alone elsewhere, but never as root. required: refuse "
        "to run without bwrap. none: never use it.",
    )


def create(settings: CodeExecutionSettings, context: PluginContext) -> Scorer:
    """Make the scorer. Raises ``UsageError`` for tests that cannot be read, and when a required sandbox is missing."""
    from ._code_judging import CodeExecution, check_tests  # noqa: PLC0415 - start-up must not pay

    check_tests(settings)
    scorer = CodeExecution(settings, context)
    if settings.isolation == "required":
        scorer.require_sandbox()
    elif settings.isolation == "auto":
        scorer.refuse_root()
    return scorer


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[CodeExecutionSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="code_execution",
            summary="The program in the output runs and passes its tests",
            settings=CodeExecutionSettings,
            create=create,
            timeout_s=_GIVEN_UP_S,
        )
    ]
