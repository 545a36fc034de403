"""Contract checks for commands: run as users run them, by name and in a process of their own.

::

    GOOD = {"a stored run": (["run.json"], "1 of 2 passed")}
    BAD = {"a file that is not there": (["none.json"], "none.json")}

    @pytest.mark.parametrize("check", command_checks("passed", GOOD, BAD, prepare=write_a_record))
    def test_the_command_keeps_the_contract(check):
        check()

The package must be installed (``pip install -e .`` will do): what is checked is what its entry point offers.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .checks import Check, named, require

HEAVY: Sequence[str] = (
    "aiohttp",
    "httpx",
    "jinja2",
    "matplotlib",
    "numpy",
    "pandas",
    "requests",
    "rich",
    "sklearn",
    "steelyard.session",
    "torch",
    "transformers",
)
"""Modules that take long to import, so that the help of a command should be shown without them."""

FAILED, WRONG_USAGE = 1, 2
NO_OPTION = "--no-such-option-of-yours"
WAIT_S = 120.0

_NAME = re.compile(r"[a-z][a-z0-9_-]*")
_OBEYED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_TRACEBACK = "Traceback (most recent call last)"
_CRASHED = ("a fault of steelyard itself", "report it to its author")
"""How ``steelyard`` says that something was raised which no user can help."""

Invocations = Mapping[str, tuple[Sequence[str], str]]
"""Arguments of the command, and a part of what must be printed, by what is special about them."""


def command_checks(
    name: str,
    good: Invocations,
    bad: Invocations,
    *,
    prepare: Callable[[Path], object] | None = None,
    late: Iterable[str] = HEAVY,
) -> list[Check]:
    """Make the checks of a command.

    Args:
        name: What the command is called by: the name of the entry point in the group ``steelyard.commands``.
        good: Arguments with which it succeeds, each with a part of what must then be on standard output; at least one.
        bad: Arguments with which it cannot do its work, each with a part of what must then be on standard error.
        prepare: Puts the files that the arguments name into the folder that the command is run in.
        late: Modules that must not be imported to show the help.
    """
    promises = _Promises(name, good, prepare, late)
    succeeds = [Check(f"it succeeds with {what}", promises.succeeds(*wanted)) for what, wanted in good.items()]
    refuses = [Check(f"it refuses {what}", promises.refuses(*wanted)) for what, wanted in bad.items()]
    return [*named(promises.all()), *succeeds, *refuses]


@dataclass(frozen=True, slots=True)
class Done:
    """What an invocation left behind."""

    code: int
    out: str
    err: str


class _Promises:
    """Every promise, each with a new folder."""

    def __init__(
        self,
        name: str,
        good: Invocations,
        prepare: Callable[[Path], object] | None,
        late: Iterable[str],
    ) -> None:
        self._name = name
        self._good = good
        self._prepare = prepare
        self._late = tuple(late)

    def all(self) -> list[Callable[[], None]]:
        return [
            self.the_name_can_be_typed,
            self.the_name_is_its_own,
            self.the_help_says_what_it_does,
            self.the_help_waits_for_nothing_heavy,
            self.an_unknown_option_is_wrong_usage,
            self.an_example_shows_that_it_works,
        ]

    def the_name_can_be_typed(self) -> None:
        require(_NAME.fullmatch(self._name), f"{self._name!r}: use lower case letters, digits, '_' and '-'")

    def the_name_is_its_own(self) -> None:
        with self._folder() as folder:
            done = _run(folder, "plugins", "--format", "json")
        require(done.code == 0, f"'steelyard plugins' failed: {done.err}")
        listed: list[dict[str, Any]] = json.loads(done.out)
        offered = {"kind": "command", "name": self._name}
        faults = [one["why"] for one in listed if one["name"] == self._name and one["state"] != "ok"]
        require(not faults, f"{self._name!r} cannot be called: {''.join(faults[:1])}")
        require(
            any(offered in one["adds"] for one in listed),
            f"no installed package offers {self._name!r} in the group 'steelyard.commands'; is yours installed?",
        )

    def the_help_says_what_it_does(self) -> None:
        done = self._call("--help")
        require(done.code == 0, f"--help exits {done.code}: {done.err}")
        # Between the line of usage and the list of options stands what the author wrote.
        text = re.sub(r"\A.*?\n\s*\n", "", done.out, count=1, flags=re.DOTALL)
        said = text.partition("Options:")[0]
        require("Usage:" in done.out and said.strip(), f"--help does not say what the command does: {done.out!r}")

    def the_help_waits_for_nothing_heavy(self) -> None:
        with self._folder() as folder:
            done = _run(folder, self._name, "--help", python=("-X", "importtime"))
        imported = set(re.findall(r"^import time:.*\| *([\w.]+)$", done.err, flags=re.MULTILINE))
        require("steelyard" in imported, f"the imports could not be seen: {done.err[-500:]}")
        heavy = sorted(imported.intersection(self._late))
        require(not heavy, f"--help imports {', '.join(heavy)}; import it inside the function of the command")

    def an_unknown_option_is_wrong_usage(self) -> None:
        done = self._call(NO_OPTION)
        require(done.code == WRONG_USAGE, f"{NO_OPTION} exits {done.code}, wanted {WRONG_USAGE}")
        self._is_decent(done)
        require(NO_OPTION in done.err, f"the message does not name {NO_OPTION}: {done.err!r}")

    def an_example_shows_that_it_works(self) -> None:
        require(self._good, "give at least one invocation that succeeds")

    def succeeds(self, arguments: Sequence[str], part: str) -> Callable[[], None]:
        def check() -> None:
            done = self._call(*arguments)
            require(done.code == 0, f"{list(arguments)} exits {done.code}: {done.err}")
            self._is_decent(done)
            require(part in done.out, f"wanted {part!r} on standard output, got {done.out!r}")
            obeyed = _OBEYED.search(done.out)
            require(obeyed is None, f"no terminal is there, but {obeyed and obeyed[0]!r} was printed")

        return check

    def refuses(self, arguments: Sequence[str], part: str) -> Callable[[], None]:
        def check() -> None:
            done = self._call(*arguments)
            self._is_decent(done)
            require(
                done.code in (FAILED, WRONG_USAGE),
                f"{list(arguments)} exits {done.code}; wanted {FAILED}, or {WRONG_USAGE} for wrong usage",
            )
            require("error:" in done.err, f"standard error names no error: {done.err!r}")
            require(part in done.err, f"wanted {part!r} on standard error, got {done.err!r}")

        return check

    @staticmethod
    def _is_decent(done: Done) -> None:
        """Raise ``AssertionError`` when a fault of the command reached its user."""
        require(_TRACEBACK not in done.err + done.out, f"a traceback reached the user: {done.err}")
        crashed = any(sign in done.err for sign in _CRASHED)
        require(not crashed, f"raise UsageError, not this: {done.err}")

    def _call(self, *arguments: str) -> Done:
        with self._folder() as folder:
            return _run(folder, self._name, *arguments)

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="steelyard-command-", ignore_cleanup_errors=True) as name:
            if self._prepare is not None:
                self._prepare(Path(name))
            yield Path(name)


def _run(folder: Path, *arguments: str, python: Sequence[str] = ()) -> Done:
    """Run ``steelyard`` in a process of its own, with no key and no setting of the machine."""
    hidden = ("_API_KEY", "_BASE_URL")
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.endswith(hidden) and not name.startswith("STEELYARD_") and name != "FORCE_COLOR"
    }
    places = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "XDG_CONFIG_HOME": str(folder / ".config")}
    done = subprocess.run(  # noqa: S603 - this Python, and the name of a command
        [sys.executable, *python, "-m", "steelyard", *arguments],
        cwd=folder,
        env={**kept, **places, "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=WAIT_S,
        check=False,
    )
    out, err = (stream.decode("utf-8", "replace").replace("\r\n", "\n") for stream in (done.stdout, done.stderr))
    return Done(done.returncode, out, err)
