"""What stands between a program and the machine: which ways there are, and which of them works here.

- **bwrap**: namespaces of its own for processes, network, users and files. It sees the system's programs read-only, and
  nothing else: no home, no project, no keys, no network. What it writes is in memory, bounded, and gone with it.
- **limits**: an ordinary process with an empty environment, a folder of its own, and limits.

Under root the program becomes another user, one that exists for this run alone: the limit on processes does not hold
root, and what belongs to the user is what the program started.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ._code_limits import MEBIBYTE, PROCESSES, Limits, limited
from ._code_processes import tasks_of
from ._code_syscalls import syscall_filter

Kind = Literal["bwrap", "limits"]
Drop = Literal["", "setpriv", "start"]
"""How root's rights are laid down: by a program inside the sandbox, at the start of the process, or not at all."""

INSIDE = "/tmp/work"  # noqa: S108 - a path in the sandbox, whose /tmp is its own
"""The folder that a program runs in, as it sees it."""

_UIDS = range(61184, 65520)
"""Users that no machine gives to anybody for good: systemd keeps them for services that run now."""
_PROBE_S = 20
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store", "/gnu/store", "/run/current-system")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime")
_COUNTS_BY_NAMESPACE = (5, 14)
"""The first Linux that counts the processes of a user in each namespace by itself."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to run a program."""

    kind: Kind
    drop: Drop = ""
    bwrap: str = ""
    """The path of the program ``bwrap``."""


@dataclass(frozen=True, slots=True)
class Start:
    """How to start a program in one way."""

    arguments: Sequence[str]
    folder: str
    uid: int | None = None
    """The user that the process itself is to be started as."""
    owner: int | None = None
    """The user that everything belongs to which the program starts, when there is one for it alone."""
    calls: bytes = b""
    """What filters the program's system calls."""

    @contextlib.contextmanager
    def handed_over(self) -> Iterator[tuple[Sequence[str], tuple[int, ...]]]:
        """Give the arguments and the open files that go with them, for as long as it takes to start the process."""
        if not self.calls:
            yield self.arguments, ()
            return
        reading, writing = os.pipe()
        try:
            os.write(writing, self.calls)  # far less than a pipe holds
            os.close(writing)
            yield [word.replace(_CALLS, str(reading)) for word in self.arguments], (reading,)
        finally:
            os.close(reading)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The best way that works here, and why a better one does not."""

    way: Way
    obstacle: str = ""
    """Why there is no sandbox; empty when there is one."""

    @property
    def is_root(self) -> bool:
        """Whether the program would be root outside any sandbox: then nothing holds it at all."""
        return self.way.kind == "limits" and not self.way.drop and _is_root()


def find_way(interpreter: Path, path: str | None, hidden: Sequence[Path], *, sandbox: bool) -> Found:
    """Try the ways that there are, best first, with an interpreter that says its version.

    Args:
        interpreter: What is going to run.
        path: Where to look for ``bwrap``; ``None`` for the process's own ``PATH``.
        hidden: Folders that a program must not see into.
        sandbox: Whether to look for a sandbox at all.
    """
    obstacle = "it is switched off"
    bwrap = shutil.which("bwrap", path=path)
    if sandbox and bwrap is None:
        obstacle = "bwrap is not installed"
    elif sandbox and bwrap is not None:
        for way in (Way("bwrap", "setpriv", bwrap), Way("bwrap", "", bwrap)):
            if way.drop and not (_is_root() and shutil.which("setpriv")):
                continue
            obstacle = _obstacle(way, interpreter, tuple(hidden))
            if not obstacle:
                return Found(way=way)
        obstacle = f"bwrap cannot be used: {obstacle}"
    dropping = Way("limits", "start")
    way = dropping if _is_root() and not _obstacle(dropping, interpreter, ()) else Way("limits")
    return Found(way=way, obstacle=obstacle)


def prepare(
    way: Way, command: Sequence[str], folder: Path, *, files: Sequence[str], limits: Limits, hidden: Sequence[Path]
) -> Start:
    """Return how to run a command in a folder that holds ``files``, which the program finds in its own folder."""
    if sys.platform == "win32":
        return Start(command, str(folder))
    uid = secrets.choice(_UIDS) if way.drop else None
    inner = limited(_laid_down(command) if way.drop == "setpriv" else command, limits, processes=_processes(way, uid))
    if way.kind == "limits":
        return Start(inner, str(folder), uid=uid, owner=uid)
    inner = [word.replace(_UID, str(uid)) for word in inner]
    calls = syscall_filter()
    seccomp = ["--seccomp", _CALLS] if calls else []
    outer = [*_bwrap(way, Path(command[0]), folder, files, limits, hidden), *seccomp]
    return Start([*outer, "--", *inner], "/", owner=uid, calls=calls)


_UID, _CALLS = "{uid}", "{calls}"
"""Stand in a command line for what is known later."""


def _laid_down(command: Sequence[str]) -> list[str]:
    return [
        *("setpriv", f"--reuid={_UID}", f"--regid={_UID}", "--clear-groups"),
        *("--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"),
        *command,
    ]


def _processes(way: Way, uid: int | None) -> int:
    """Return the limit to set on processes: where it counts all that the user has, those come on top."""
    if uid is not None or (way.kind == "bwrap" and _linux() >= _COUNTS_BY_NAMESPACE):
        return PROCESSES
    return PROCESSES + tasks_of(os.getuid())


def _linux() -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", os.uname().release)[:2])


def _bwrap(
    way: Way, interpreter: Path, folder: Path, files: Sequence[str], limits: Limits, hidden: Sequence[Path]
) -> Iterator[str]:
    yield way.bwrap
    yield from ("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try")
    yield from ("--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop", "ALL")
    if way.drop == "setpriv":
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"):
            yield from ("--cap-add", capability)
    else:
        yield from ("--unshare-user", "--uid", "65534", "--gid", "65534")
    for shown in map(Path, (*_SYSTEM, *_SETTINGS)):
        # Folders that bwrap makes by itself on the way could not be entered by another user.
        yield from (
            word for parent in reversed(shown.parents[:-1]) for word in ("--perms", "0755", "--dir", str(parent))
        )
        yield from ("--ro-bind-try", str(shown), str(shown))
    size = str(limits.disk_bytes)
    yield from ("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", size, "--tmpfs", "/dev/shm")  # noqa: S108
    yield from ("--perms", "1777", "--size", size, "--tmpfs", "/tmp", "--perms", "0777", "--dir", INSIDE)  # noqa: S108
    covered = _covered(hidden)
    for place in covered:
        yield from ("--tmpfs", str(place))
    yield from _interpreter(interpreter, covered)
    for name in files:
        yield from ("--ro-bind", str(folder / name), f"{INSIDE}/{name}")
    for written in ("/dev", *map(str, covered), "/"):
        yield from ("--remount-ro", written)
    yield from ("--chdir", INSIDE)


def _covered(hidden: Sequence[Path]) -> list[Path]:
    """Return what has to be covered: what lies in a system folder, as a project in ``/usr/src/app`` does."""
    places = {folder.resolve() for folder in hidden}
    return sorted(place for place in places if place.is_dir() and _is_shown(place) and str(place) not in _SYSTEM)


def _is_shown(place: Path) -> bool:
    return any(place.is_relative_to(system) for system in _SYSTEM)


def _interpreter(interpreter: Path, covered: Sequence[Path]) -> Iterator[str]:
    """Bind an interpreter that lies elsewhere (pyenv, nvm, conda), with its libraries and nothing that lies beside."""
    homes = {interpreter.resolve().parent.parent}
    environment = interpreter.parent.parent
    if (environment / "pyvenv.cfg").is_file():
        homes.add(environment)
    for home in sorted(homes):
        if home == Path("/") or (_is_shown(home) and not any(home.is_relative_to(place) for place in covered)):
            continue
        for parent in (*reversed(home.parents[:-1]), home):
            yield from ("--perms", "0755", "--dir", str(parent))
        for part in ("bin", "lib", "lib64", "pyvenv.cfg"):
            yield from ("--ro-bind-try", str(home / part), str(home / part))


@functools.lru_cache(maxsize=64)
def _obstacle(way: Way, interpreter: Path, hidden: tuple[Path, ...]) -> str:
    """Return why a way does not work; empty when it does.

    Kept for the life of the process, since it is a fact about the machine and takes a while to find out, and since each
    case may have a scorer of its own.
    """
    limits = Limits(timeout_s=_PROBE_S, memory_bytes=512 * MEBIBYTE, output_bytes=MEBIBYTE, disk_bytes=MEBIBYTE)
    start = prepare(way, [str(interpreter), "--version"], Path("/"), files=(), limits=limits, hidden=hidden)
    try:
        with start.handed_over() as (arguments, files):
            done = subprocess.run(  # noqa: S603 - our own command line, without a shell's reading of it
                arguments,
                cwd=start.folder,
                env={},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_PROBE_S,
                check=False,
                user=start.uid,
                group=start.uid,
                extra_groups=None if start.uid is None else [],
                pass_fds=files,
            )
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return str(error)
    if done.returncode == 0:
        return ""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0
