"""From a request to a command line, its input and its environment, and from what the program did to an answer."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import signal
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from steelyard.api import Completion, JsonValue, PluginContext, Request
from steelyard.errors import ProviderError, UsageError
from steelyard.text import well_formed

from ._json import BadJsonError, write_json
from ._placeholders import filled_text, names_in, prompt_of, system_of, variables_of
from ._process import ERRORS_KEPT_BYTES, Finished, run
from ._secrets import presentable
from .command import CommandSettings

NAME = "command"
_SHELL = ("/bin/sh", "-c") if os.name == "posix" else ("cmd.exe", "/d", "/s", "/c")

LARGEST_SCRIPT_BYTES = 1_000_000
"""A larger file that a command names is hardly the script that somebody works on."""

LONGEST_STDERR_SHOWN = 300
"""Characters of the end of what a failed program wrote on standard error."""


class Command:
    """Runs a program for each request, in a process group of its own that ends with the call."""

    def __init__(self, settings: CommandSettings, context: PluginContext) -> None:
        self._settings = settings
        self._arguments = _arguments(settings)
        self._takes_prompt = "prompt" in names_in(self._arguments) and not settings.shell
        self._folder = _folder(settings, context)
        _check_environment(settings.env)
        self._environ = {**context.environ, **settings.env}

    async def complete(self, request: Request) -> Completion:
        """Run the program once."""
        arguments = self._filled(request)
        finished = await run(
            arguments,
            stdin=self._stdin(request).encode("utf-8", "replace"),
            folder=self._folder,
            environ={**self._environ, **_about(request)},
            timeout_s=request.timeout_s,
            where=NAME,
        )
        if finished.status != 0:
            raise ProviderError(f"{NAME}: {_how_it_ended(finished)}")
        text = finished.output.decode("utf-8", "replace").replace("\r\n", "\n")
        return Completion(text=well_formed(text.rstrip("\n")), model=request.model or None)

    def fingerprint(self, request: Request) -> str:
        """Return what decides the answer, as far as it is known: command line, input, folder and environment.

        The values of environment variables count, but are not shown. So does what the files hold that the command
        names, such as the script that was just changed.
        """
        environ = json.dumps(sorted(self._settings.env.items())).encode()
        parts = {
            "arguments": list(self._filled(request)),
            "stdin": self._stdin(request),
            "system": system_of(request),
            "folder": str(self._folder),
            "environ": hashlib.sha256(environ).hexdigest(),
            "files": [_digest_of(self._folder / word) for word in self._arguments if "{{" not in word],
        }
        return json.dumps(parts, sort_keys=True)

    def _filled(self, request: Request) -> Sequence[str]:
        if self._settings.shell:
            return self._arguments
        variables = variables_of(request)
        return [well_formed(filled_text(argument, variables, NAME)) for argument in self._arguments]

    def _stdin(self, request: Request) -> str:
        if self._takes_prompt:
            return ""
        if self._settings.stdin == "prompt":
            return prompt_of(request)
        variables = variables_of(request)
        asked: dict[str, JsonValue] = {key: variables[key] for key in ("messages", "model", "vars", "seed", "repeat")}
        try:
            return write_json(asked)
        except BadJsonError as problem:
            raise ProviderError(f"{NAME}: the request cannot be written as JSON: {problem}") from None


def _arguments(settings: CommandSettings) -> Sequence[str]:
    """Return the words of the command. Raises ``UsageError`` when there are none."""
    where = "providers.command: command"
    command = settings.command
    if settings.shell:
        if not isinstance(command, str):
            raise UsageError(f"{where}: must be one line with shell: true, got a list")
        words: Sequence[str] = [*_SHELL, command]
    elif isinstance(command, str):
        try:
            words = shlex.split(command, posix=os.name == "posix")
        except ValueError as error:
            raise UsageError(f"{where}: {str(error).lower()} in {command!r}") from None
    else:
        words = list(command)
    if not words or not words[0].strip() or command == "":
        raise UsageError(f"{where}: must name a program")
    if any("\0" in word for word in words):
        raise UsageError(f"{where}: holds a NUL character, which no program can be given")
    return words


def _folder(settings: CommandSettings, context: PluginContext) -> Path:
    """Return the folder to run in. Raises ``UsageError`` when there is none."""
    if not settings.cwd:
        return context.base_dir
    folder = context.base_dir / settings.cwd
    if "\0" in settings.cwd or not folder.is_dir():
        raise UsageError(f"providers.{NAME}: cwd: there is no folder {presentable(str(folder))!r}")
    return folder


def _check_environment(env: Mapping[str, str]) -> None:
    """Raise ``UsageError`` for what no system takes, without the values: they may be keys."""
    for name, value in env.items():
        if not name or "=" in name or "\0" in name:
            raise UsageError(f"providers.{NAME}: env: not a variable's name: {name!r}")
        if "\0" in value:
            raise UsageError(f"providers.{NAME}: env: the value of {name!r} holds a NUL character")


def _digest_of(path: Path) -> str | None:
    """Return a digest of a file that a command may run; ``None`` when the word names no file, or a very large one."""
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_SCRIPT_BYTES:
            return None
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (OSError, ValueError):
        return None


def _about(request: Request) -> Mapping[str, str]:
    """Return the variables that tell a program about the request, under our names and evalkit's."""
    told = {
        "SEED": str(request.parameters.seed or 0),
        "REPEAT": str(request.repeat),
        "SYSTEM": well_formed(system_of(request)).replace("\0", ""),
    }
    named = {f"{prefix}_{name}": value for prefix in ("STEELYARD", "EVALKIT") for name, value in told.items()}
    return {**named, "STEELYARD_MODEL": request.model}


def _how_it_ended(finished: Finished) -> str:
    said = presentable(finished.errors.decode("utf-8", "replace"), limit=ERRORS_KEPT_BYTES * 4)
    said = said if len(said) <= LONGEST_STDERR_SHOWN else f"…{said[-LONGEST_STDERR_SHOWN:]}"
    if finished.status < 0:
        try:
            name = signal.Signals(-finished.status).name
        except ValueError:
            name = "unknown"
        how = f"ended by signal {-finished.status} ({name})"
    else:
        how = f"exited with status {finished.status}"
    return f"{how}: {said}" if said else how
