"""Running a program that nobody has read, to its end or to ours, and leaving nothing of it behind.

What it prints goes to files without a name, so that nothing has to keep up with it; how much it prints, how long it
takes, and what it and its children use together is looked at many times a second. Its process group is killed in every
case, then whatever left the group.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from steelyard.errors import ScorerError

from ._code_isolation import INSIDE, Start, Way, prepare
from ._code_limits import MEBIBYTE, PROCESSES, Limits
from ._code_processes import end_stragglers, use_of
from ._code_programs import Program

_SHORTEST_PAUSE_S, _LONGEST_PAUSE_S = 0.002, 0.05
_FOLDER_EVERY_S = 0.25
_FILES = 10_000
"""More files than a program may make."""
_SANDBOX_PROCESSES = 8
"""Ours in the same tree. The system refuses the program's own at its limit; this is the net where it does not."""
_SIGN = "STEELYARD_CODE"
_OWN_GROUP_ON_WINDOWS: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
_KEPT_ON_WINDOWS = ("SYSTEMROOT", "COMSPEC", "PATHEXT")
"""Without these Windows starts nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a program did."""

    exit_code: int
    """Negative for the signal that ended it."""
    stopped: str
    """Which limit it was stopped at, in words; empty when it ended by itself."""
    output: str
    errors: str


async def run(
    program: Program, interpreter: Path, *, way: Way, limits: Limits, hidden: Sequence[Path], path: str
) -> Ended:
    """Run a program once. ``path`` is its own ``PATH``. Raises ``ScorerError`` when it cannot be started."""
    # The program's folder lies in one of ours, so that a program with another user cannot put a link in its place.
    outer = Path(tempfile.mkdtemp(prefix="steelyard-code-"))
    outer.chmod(0o711)
    folder = outer / "work"
    try:
        folder.mkdir(mode=0o700)
        for name, text in program.files.items():
            (folder / name).write_text(text, encoding="utf-8", errors="replace", newline="\n")
        command = [str(interpreter), *program.arguments]
        start = prepare(way, command, folder, files=tuple(program.files), limits=limits, hidden=hidden)
        _hand_over(folder, start.uid)
        return await _run(start, way, folder, limits, path)
    finally:
        await asyncio.to_thread(_remove, outer, folder)


async def _run(start: Start, way: Way, folder: Path, limits: Limits, path: str) -> Ended:
    sign = f"{_SIGN}={secrets.token_hex(16)}"
    home = INSIDE if way.kind == "bwrap" else str(folder)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = _started(start, environment(home, path, sign), output, errors)
        try:
            stopped = await _until_over(process, _Watch(process.pid, way, folder, limits, output, errors))
        finally:
            _end(process)
            if way.kind == "limits":
                end_stragglers(uid=start.owner, sign=sign)
        shown = [_text(file, limits.output_bytes).replace(f"{home}{os.sep}", "") for file in (output, errors)]
        return Ended(exit_code=process.returncode, stopped=stopped, output=shown[0], errors=shown[1])


def environment(home: str, path: str, sign: str) -> Mapping[str, str]:
    """Return everything that a program finds in its environment: nothing of ours, and the same on every machine."""
    kept = {name: os.environ[name] for name in _KEPT_ON_WINDOWS if sys.platform == "win32" and name in os.environ}
    name, _, value = sign.partition("=")
    return {
        **kept,
        "PATH": path,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "PYTHONHASHSEED": "0",  # a verdict must not hang on the order of a set
        "PYTHONDONTWRITEBYTECODE": "1",
        name: value,
    }


class _Watch:
    """Looks whether a program keeps its limits."""

    def __init__(self, pid: int, way: Way, folder: Path, limits: Limits, output: IO[bytes], errors: IO[bytes]) -> None:
        self._pid = pid
        self._in_memory = way.kind == "bwrap"
        self._folder = folder
        self._limits = limits
        self._files = (output, errors)
        self._until = time.monotonic() + limits.timeout_s
        self._look_into_folder = 0.0

    def exceeded(self) -> str:
        """Return which limit is passed, in words; empty when none is."""
        limits, now = self._limits, time.monotonic()
        if now >= self._until:
            return f"took longer than {limits.timeout_s:g} s"
        if sum(os.fstat(file.fileno()).st_size for file in self._files) > limits.output_bytes:
            return f"printed more than {limits.output_bytes // 1024} KB"
        use = use_of(self._pid)
        if use.memory_bytes > limits.memory_bytes:
            return f"used more than {limits.memory_bytes // MEBIBYTE} MB of memory"
        if use.processes > PROCESSES + _SANDBOX_PROCESSES:
            return f"ran more than {PROCESSES} processes"
        if now >= self._look_into_folder:
            self._look_into_folder = now + _FOLDER_EVERY_S
            return self._disk(f"/proc/{use.newest}/root/tmp")
        return ""

    def _disk(self, inside: str) -> str:
        limit = self._limits.disk_bytes
        # A sandbox's own file system takes no more bytes than it has room for.
        files, size = (_files_in_memory(inside, limit), 0) if self._in_memory else _files_in(self._folder, limit)
        if files > _FILES:
            return f"made more than {_FILES} files"
        return f"wrote more than {limit // MEBIBYTE} MB" if size > limit else ""


async def _until_over(process: subprocess.Popen[bytes], watch: _Watch) -> str:
    pause = _SHORTEST_PAUSE_S
    while process.poll() is None:
        stopped = watch.exceeded()
        if stopped:
            return stopped
        await asyncio.sleep(pause)
        pause = min(1.3 * pause, _LONGEST_PAUSE_S)
    return ""


def _started(start: Start, environ: Mapping[str, str], output: IO[bytes], errors: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        with start.handed_over() as (arguments, files):
            return subprocess.Popen(  # noqa: S603 - running it is what the user asked for, behind the best wall there is
                arguments,
                cwd=start.folder,
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
                creationflags=_OWN_GROUP_ON_WINDOWS,
                user=start.uid,
                group=start.uid,
                extra_groups=None if start.uid is None else [],
                pass_fds=files,
            )
    except (OSError, ValueError) as error:
        raise ScorerError(f"the program cannot be started: {error}") from error


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group, whether its leader still lives or not."""
    if sys.platform == "win32":
        if process.poll() is None:
            command = ["taskkill", "/F", "/T", "/PID", str(process.pid)]
            subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - the only way to its children there
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _text(file: IO[bytes], limit: int) -> str:
    file.seek(0)
    return file.read(limit).decode("utf-8", "replace").replace("\r\n", "\n")


def _hand_over(folder: Path, uid: int | None) -> None:
    if uid is not None and sys.platform != "win32":
        for path in (folder, *folder.iterdir()):
            os.chown(path, uid, uid)


def _files_in_memory(folder: str, size: int) -> int:
    """Count the files that a sandbox of that size holds in memory; 0 while it is not set up yet."""
    with contextlib.suppress(OSError, AttributeError):
        room = os.statvfs(folder)
        if abs(room.f_blocks * room.f_frsize - size) <= room.f_frsize:
            return room.f_files - room.f_ffree
    return 0


def _files_in(folder: Path, limit: int) -> tuple[int, int]:
    """Count files and their bytes, until there are too many."""
    count, size = 0, 0
    waiting = [str(folder)]
    while waiting and count <= _FILES and size <= limit:
        with contextlib.suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                count += 1
                size += entry.stat(follow_symlinks=False).st_size
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
    return count, size


def _remove(outer: Path, folder: Path) -> None:
    """Remove a program's folder, however deep it is and whatever its owner has forbidden; follow no link in it."""
    if sys.platform == "win32":
        shutil.rmtree(outer, ignore_errors=True)
        return
    with contextlib.suppress(OSError):
        _empty(folder)
        folder.rmdir()
        outer.rmdir()
        return
    # The program has left folders behind, which may be nested by the thousand: a work for programs made for it.
    for command in (["rm", "-rf"], ["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        if outer.is_dir() and not outer.is_symlink():
            subprocess.run([*command, str(outer)], capture_output=True, check=False)  # noqa: S603 - our own folder


def _empty(folder: Path) -> None:
    """Remove the files of a folder. Raises ``OSError`` when it is a link by now, or holds other folders."""
    itself = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        for name in os.listdir(itself):  # noqa: PTH208 - of an open folder, which no link can take the place of
            os.unlink(name, dir_fd=itself)
    finally:
        os.close(itself)
