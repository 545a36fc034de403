"""The files that an answer and its tests become, for each language, and what runs them.

Tests follow the code in one process, so that they see everything that it defines. An exit code of 0 says little by
itself: code that ends the process early (``sys.exit(0)`` at its end, or in the very function under test) would pass
tests that never ran. So two marks that nobody knows beforehand go to standard error, one before the tests and one after
them. Tests that end the process themselves (``exit 0``) only have to be reached.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Language = Literal["python", "javascript", "bash"]

_ENDS_ITSELF = {
    "python": re.compile(r"\b_exit\b"),
    "javascript": re.compile(r"\bexit\b"),
    "bash": re.compile(r"\bexit\b"),
}
"""Tests in which this is found may end the process themselves, so the mark after them may never come."""
_IS_MODULE = re.compile(r"^(?:import\b(?!\s*\()|export\b|await\b)", re.MULTILINE)
"""JavaScript that only runs as an ES module."""

_PYTHON_DRIVER = """\
import os, sys
sys.modules["answer"] = sys.modules[__name__]
def __steelyard_source__(name):
    with open(name, encoding="utf-8") as file:
        return compile(file.read(), name, "exec", dont_inherit=True)
def __steelyard_tests__(run=exec, write=os.write, source=__steelyard_source__("tests.py"), names=globals(),
                        ending=SystemExit):
    write(2, b"{reached}")
    names["__name__"] = "__main__"
    try:
        run(source, names)
    except ending as error:
        last = error.__traceback__
        while last.tb_next is not None:
            last = last.tb_next
        if error.code not in (None, 0) or last.tb_frame.f_code.co_filename == "answer.py":
            raise
    write(2, b"{passed}")
__name__ = "answer"
exec(__steelyard_source__("answer.py"))
__steelyard_tests__()
"""
"""Keeps hold of what it needs, since code under test may define an ``exec`` or an ``open`` of its own. While the answer
is loaded it is a module like any other, so that what stands under ``if __name__ == "__main__"`` does not run. Tests may
end with ``sys.exit()``, as ``unittest.main()`` does; the answer may not."""

_JAVASCRIPT = """\
{code}
;globalThis.process.stderr.write("{reached}");
{tests}
;globalThis.process.stderr.write("{passed}");
"""

_BASH = """\
{code}
printf %s {reached} >&2
{tests}
__steelyard=$?
[ "$__steelyard" -eq 0 ] && printf %s {passed} >&2
exit "$__steelyard"
"""


@dataclass(frozen=True, slots=True)
class Program:
    """Files to lay into an empty folder, and what to run there."""

    files: Mapping[str, str]
    arguments: tuple[str, ...]
    """What follows the interpreter."""
    mark: str = ""
    """What standard error must hold for the tests to have passed; empty when there are none."""
    marks: tuple[str, ...] = ()
    """What has to be taken out of standard error before it is shown."""


def make_program(language: Language, code: str, tests: str | None, secret: str) -> Program:
    """Return the program of an answer and its tests; ``secret`` is text that nobody can guess."""
    if not tests:
        return _alone(language, code)
    reached, passed = f"[steelyard {secret} reached]", f"[steelyard {secret} passed]"
    if language == "python":
        driver = _PYTHON_DRIVER.format(reached=reached, passed=passed)
        files = {"main.py": driver, "answer.py": code, "tests.py": tests}
        arguments: tuple[str, ...] = ("-s", "main.py")
    elif language == "javascript":
        is_module = _IS_MODULE.search(code) or _IS_MODULE.search(tests)
        # A block keeps a `const assert` of the tests apart from one of the answer.
        inner = tests if is_module else f"{{\n{tests}\n}}"
        name = "main.mjs" if is_module else "main.cjs"
        files = {name: _JAVASCRIPT.format(code=code, tests=inner, reached=reached, passed=passed)}
        arguments = (name,)
    else:
        quoted = {"reached": f"'{reached}'", "passed": f"'{passed}'"}
        files = {"main.sh": _BASH.format(code=code, tests=tests, **quoted)}
        arguments = ("main.sh",)
    mark = reached if _ENDS_ITSELF[language].search(tests) else passed
    return Program(files=files, arguments=arguments, mark=mark, marks=(reached, passed))


def _alone(language: Language, code: str) -> Program:
    if language == "python":
        return Program(files={"answer.py": code}, arguments=("-s", "answer.py"))
    if language == "javascript":
        name = "answer.mjs" if _IS_MODULE.search(code) else "answer.cjs"
        return Program(files={name: code}, arguments=(name,))
    return Program(files={"answer.sh": code}, arguments=("answer.sh",))


def find_interpreter(language: Language, path: str | None) -> Path | None:
    """Return what runs a language: this very Python, or what is found along ``path``; ``None`` for nothing."""
    # A program in one file (PyInstaller) is no Python that could run anything else.
    if language == "python" and sys.executable and not getattr(sys, "frozen", False):
        return Path(sys.executable)
    names = {"python": ("python3", "python"), "javascript": ("node", "nodejs"), "bash": ("bash",)}[language]
    found = (shutil.which(name, path=path) for name in names)
    return next((Path(name).absolute() for name in found if name), None)
