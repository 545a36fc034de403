"""Running one program to its end, and ending it with everything it started when its time is over.

A program can hang, never stop writing, or leave others running that hold its output open. So it gets a process group of
its own, which is killed at the deadline, when its output is too long, when the caller gives up, and in any case when it
is over.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import ProviderError

from ._secrets import presentable

LARGEST_OUTPUT_BYTES = 16 * 1024 * 1024
"""A program that writes more is ended: no answer is so long."""

ERRORS_KEPT_BYTES = 8 * 1024
"""How much of the end of standard error is kept."""

GRACE_S = 0.5
"""How long output may still come after the program itself is over."""

_CHUNK_BYTES = 64 * 1024
_OWN_GROUP_ON_WINDOWS: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
_LOOK_EVERY_S = 0.1


@dataclass(frozen=True, slots=True)
class Finished:
    """What a program did."""

    status: int
    """The exit status; negative for the signal that ended it."""
    output: bytes
    errors: bytes
    """The end of standard error."""


async def run(
    arguments: Sequence[str],
    *,
    stdin: bytes,
    folder: Path,
    environ: Mapping[str, str],
    timeout_s: float,
    where: str,
    largest_output_bytes: int = LARGEST_OUTPUT_BYTES,
) -> Finished:
    """Run a program and return what it did, whatever its exit status.

    Raises ``ProviderError``: retryable when time is over, not when it cannot be started or writes too much.
    """
    process = await _started(arguments, folder, environ, where)
    output, errors = bytearray(), bytearray()
    stdin_pipe, stdout_pipe, stderr_pipe = _pipes(process)
    tasks = [
        asyncio.create_task(_feed(stdin_pipe, stdin)),
        asyncio.create_task(_take(stdout_pipe, output, largest_output_bytes, where)),
        asyncio.create_task(_take_end(stderr_pipe, errors)),
    ]
    try:
        async with asyncio.timeout(timeout_s):
            await _until_over(process, tasks)
    except TimeoutError:
        raise ProviderError(
            f"{where}: timed out after {timeout_s:g} s; the program was ended", retryable=True
        ) from None
    finally:
        await _ended(process, tasks)
    return Finished(process.returncode or 0, bytes(output), bytes(errors))


async def _started(
    arguments: Sequence[str], folder: Path, environ: Mapping[str, str], where: str
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *arguments,
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            creationflags=_OWN_GROUP_ON_WINDOWS,
        )
    except (OSError, ValueError) as error:
        if not folder.is_dir():
            raise ProviderError(f"{where}: there is no folder {str(folder)!r} to run in") from error
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        program = presentable(arguments[0], limit=100)
        raise ProviderError(f"{where}: cannot start {program!r}: {presentable(reason)}") from error


def _pipes(
    process: asyncio.subprocess.Process,
) -> tuple[asyncio.StreamWriter, asyncio.StreamReader, asyncio.StreamReader]:
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise RuntimeError("a program was started without pipes")
    return process.stdin, process.stdout, process.stderr


async def _until_over(process: asyncio.subprocess.Process, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Wait for the program to end and its output to close, or for anything to fail.

    The exit status is looked at now and then, besides waiting for the pipes: a program that was left behind may hold
    them open for ever.
    """
    waiting: set[asyncio.Task[None]] = set(tasks)
    grace_s = GRACE_S
    while waiting or process.returncode is None:
        if process.returncode is not None and (grace_s := grace_s - _LOOK_EVERY_S) < 0:
            return
        if not waiting:
            await process.wait()
            return
        done, waiting = await asyncio.wait(waiting, timeout=_LOOK_EVERY_S, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()


async def _feed(writer: asyncio.StreamWriter, data: bytes) -> None:
    # A program need not read its input; then the pipe breaks, which is no fault.
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        writer.write(data)
        await writer.drain()
        writer.close()
        await writer.wait_closed()


async def _take(reader: asyncio.StreamReader, into: bytearray, largest: int, where: str) -> None:
    while chunk := await reader.read(_CHUNK_BYTES):
        into += chunk
        if len(into) > largest:
            raise ProviderError(f"{where}: the program wrote more than {largest / 1024**2:.3g} MB and was ended")


async def _take_end(reader: asyncio.StreamReader, into: bytearray) -> None:
    while chunk := await reader.read(_CHUNK_BYTES):
        into += chunk
        del into[:-ERRORS_KEPT_BYTES]


async def _ended(process: asyncio.subprocess.Process, tasks: Sequence[asyncio.Task[None]]) -> None:
    """Kill the group, whether its leader still lives or not, and see its pipes closed."""
    if sys.platform == "win32":
        if process.returncode is None:
            subprocess.run(  # noqa: S603 - the only way to reach the children of a process there
                ["taskkill", "/F", "/T", "/PID", str(process.pid)],  # noqa: S607
                capture_output=True,
                check=False,
            )
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    _, stdout_pipe, stderr_pipe = _pipes(process)
    with contextlib.suppress(TimeoutError):
        # A child that left the group may still hold a pipe; it is not waited for.
        async with asyncio.timeout(GRACE_S):
            await asyncio.gather(_drained(stdout_pipe), _drained(stderr_pipe), process.wait())
    # No public way lets go of a pipe whose other end stays open, and the event loop may end before that child does.
    vars(process)["_transport"].close()


async def _drained(reader: asyncio.StreamReader) -> None:
    while await reader.read(_CHUNK_BYTES):
        pass
