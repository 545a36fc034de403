"""How one answer is judged: its program found, run in the best way that works here, and its end understood."""

from __future__ import annotations

import ast
import asyncio
import functools
import os
import secrets
import threading
from collections.abc import Iterable
from pathlib import Path

from steelyard.api import Ask, Benchmark, Case, Output, PluginContext, Problem, Score, shown
from steelyard.errors import ScorerError, UsageError
from steelyard.text import well_formed

from ._code_fences import program_in
from ._code_isolation import Found, find_way
from ._code_limits import MEBIBYTE, Limits
from ._code_programs import Language, Program, find_interpreter, make_program
from ._code_running import Ended, run
from ._code_verdict import verdict
from .code_execution import CodeExecutionSettings

_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin")) if os.name == "posix" else os.defpath
_LOOK_EVERY_S = 0.01


class CodeExecution:
    """Runs programs, each in the way that the machine allows."""

    def __init__(self, settings: CodeExecutionSettings, context: PluginContext) -> None:
        self._settings = settings
        self._path = context.environ.get("PATH") or os.environ.get("PATH") or _PATH
        self._interpreter = find_interpreter(settings.language, self._path)
        self._hidden = (Path.home(), context.work_dir, context.base_dir)
        self._warn, self._note = context.warn, context.note
        self._limits = Limits(
            timeout_s=settings.timeout_ms / 1000,
            memory_bytes=settings.memory_mb * MEBIBYTE,
            output_bytes=settings.output_kb * 1024,
            disk_bytes=settings.disk_mb * MEBIBYTE,
        )

    async def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Run the program of one answer."""
        del ask
        settings = self._settings
        if self._interpreter is None:
            raise ScorerError(_no_interpreter(settings.language))
        code = program_in(output.text, settings.language, settings.fence)
        if code is None:
            return Score(value=0.0, passed=False, reason=f"none of the answer's code blocks is {settings.language}")
        if not code.strip():
            return Score(value=0.0, passed=False, reason="the answer is empty")
        program = make_program(settings.language, well_formed(code), settings.test_code, secrets.token_hex(8))
        found = await asyncio.to_thread(self._way_for, self._interpreter)
        (self._note if found.way.kind == "bwrap" else self._warn)(_in_force(found))
        ended = await self._in_turn(program, self._interpreter, found)
        return verdict(program, ended, self._expected(case), found.way.kind)

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report what is worth knowing before the first call. Runs nothing."""
        del benchmark
        name, tests = "code_execution", self._settings.test_code or ""
        if self._interpreter is None:
            yield Problem(severity="warning", message=f"{name}: {_no_interpreter(self._settings.language)}")
        if self._settings.language == "javascript" and "console.assert" in tests:
            message = f"{name}: console.assert only prints and never fails; use require('node:assert')"
            yield Problem(severity="warning", message=message)
        if self._settings.expected_output is None and case.expected is not None and not isinstance(case.expected, str):
            hint = "quote it" if isinstance(case.expected, (bool, int, float)) else "give the scorer an expected_output"
            message = f"{name}: needs expected_output as text, got {shown(case.expected)}"
            yield Problem(message=message, path="expected_output", hint=hint)

    def require_sandbox(self) -> None:
        """Make sure that there is a sandbox. Raises ``UsageError``."""
        found = self._way_for(self._interpreter or Path("/bin/sh"))
        if found.way.kind != "bwrap":
            raise UsageError(
                f"code_execution: isolation is required, but {found.obstacle}; install bubblewrap where user "
                "namespaces are allowed, or set isolation: auto"
            )

    def refuse_root(self) -> None:
        """Make sure that no program of a model is root. Raises ``UsageError``."""
        if self._interpreter is None:
            return  # which is told by itself, and nothing is run
        found = self._way_for(self._interpreter)
        if found.is_root:
            raise UsageError(
                f"code_execution: the programs that models write would run as root: {found.obstacle}, and another user "
                f"cannot run {str(self._interpreter)!r}; install bubblewrap, be another user than root, or set "
                "isolation: none"
            )

    def _way_for(self, interpreter: Path) -> Found:
        # Takes a moment when it is first asked for.
        return find_way(interpreter, self._path, self._hidden, sandbox=self._settings.isolation != "none")

    async def _in_turn(self, program: Program, interpreter: Path, found: Found) -> Ended:
        """Run a program when a processor is free: how much else runs at once must not decide who takes too long."""
        turns = _turns()
        while not turns.acquire(blocking=False):
            await asyncio.sleep(_LOOK_EVERY_S)
        try:
            path = os.pathsep.join((str(interpreter.parent), _PATH))
            return await run(program, interpreter, way=found.way, limits=self._limits, hidden=self._hidden, path=path)
        finally:
            turns.release()

    def _expected(self, case: Case) -> str | None:
        wanted = self._settings.expected_output
        return case.expected if wanted is None and isinstance(case.expected, str) else wanted


def check_tests(settings: CodeExecutionSettings) -> None:
    """Make sure that the benchmark's own code can be read. Raises ``UsageError``. Runs nothing."""
    if settings.language != "python" or not settings.test_code:
        return
    try:
        ast.parse(settings.test_code)
    except (SyntaxError, ValueError, RecursionError) as error:
        line = f"line {error.lineno}: " if isinstance(error, SyntaxError) else ""
        raise UsageError(f"code_execution: 'test_code' is no Python: {line}{error.args[0]}") from error


@functools.cache
def _turns() -> threading.Semaphore:
    """Return the one counter of runs: there are only so many processors, however many scorers there are."""
    return threading.BoundedSemaphore(max(2, os.cpu_count() or 1))


def _no_interpreter(language: Language) -> str:
    names = {"python": "python3", "javascript": "node", "bash": "bash"}
    return f"{names[language]!r} is not on the PATH, so {language} cannot be run; install it"


def _in_force(found: Found) -> str:
    if found.way.kind == "bwrap":
        return (
            "code_execution: the programs that models write run behind bwrap: no network, none of your files, and "
            "limits on time, memory, processes, output and files"
        )
    rights = "the rights of a user without any" if found.way.drop else "your rights"
    return (
        f"code_execution: the programs that models write run without a sandbox ({found.obstacle}): with limits and an "
        f"empty environment, but with the network and {rights}; isolation: required refuses that"
    )
