"""What a program in a sandbox may not ask of the kernel: a seccomp filter, as bytes that ``bwrap --seccomp`` takes.

Namespaces leave gaps. Memory that no file system and no process accounts for (anonymous files, System V segments,
message queues) fills the machine past every limit; a program that makes a user namespace of its own may mount file
systems of any size in it; sockets to the machine around a virtual one belong to no network; and the user's key ring is
the same inside. None of that is needed by ordinary programs.

The filter is a list of instructions of the classic Berkeley Packet Filter, see seccomp(2).
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_LOAD, _IF_EQUAL, _IF_FROM, _IF_BITS, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Where these stand in what the filter sees of a call."""
_ALLOW, _FAIL = 0x7FFF0000, 0x00050000

_NAMESPACES = 0x7E020000
"""The flags of clone(2) that make a namespace."""
_FAMILIES = (1, 2, 10, 16)
"""Sockets that may be made: Unix, IPv4, IPv6 and netlink, all of them inside the sandbox's own network."""

_EVERYWHERE = {
    "clone3": 435,  # takes its flags from memory, where no filter can look; the C library then falls back to clone
    "fsmount": 432,
    "fsopen": 430,
    "io_uring_setup": 425,
    "memfd_secret": 447,
    "mount_setattr": 442,
    "move_mount": 429,
    "open_tree": 428,
}
_GENERIC = {
    **_EVERYWHERE,
    "add_key": 217,
    "bpf": 280,
    "keyctl": 219,
    "memfd_create": 279,
    "mount": 40,
    "mq_open": 180,
    "msgget": 186,
    "perf_event_open": 241,
    "pivot_root": 41,
    "request_key": 218,
    "setns": 268,
    "shmget": 194,
    "umount2": 39,
    "unshare": 97,
    "userfaultfd": 282,
}
"""The numbers of newer architectures, which they share."""
_X86 = {
    **_EVERYWHERE,
    "add_key": 248,
    "bpf": 321,
    "keyctl": 250,
    "memfd_create": 319,
    "mount": 165,
    "mq_open": 240,
    "msgget": 68,
    "perf_event_open": 298,
    "pivot_root": 155,
    "request_key": 249,
    "setns": 308,
    "shmget": 29,
    "umount2": 166,
    "unshare": 272,
    "userfaultfd": 323,
}


@dataclass(frozen=True, slots=True)
class _Architecture:
    """How a processor's kernel numbers what is asked of it."""

    audit: int
    refused: Mapping[str, int]
    clone: int
    socket: int
    second_table: int | None = None
    """From which number on the same calls are there again."""


_X86_64 = _Architecture(0xC000003E, _X86, clone=56, socket=41, second_table=0x40000000)
_ARM_64 = _Architecture(0xC00000B7, _GENERIC, clone=220, socket=198)
_RISCV_64 = _Architecture(0xC00000F3, _GENERIC, clone=220, socket=198)
_ARCHITECTURES = {
    "x86_64": _X86_64,
    "amd64": _X86_64,
    "aarch64": _ARM_64,
    "arm64": _ARM_64,
    "riscv64": _RISCV_64,
}


def syscall_filter(machine: str | None = None) -> bytes:
    """Return the filter for a kind of processor, by default this one; nothing for one that is not known."""
    known = _ARCHITECTURES.get((machine or platform.machine()).lower())
    if known is None or struct.calcsize("P") != 8:  # noqa: PLR2004 - bytes: an interpreter of 32 bits asks otherwise
        return b""
    return b"".join(_instructions(known))


def _instructions(machine: _Architecture) -> Iterator[bytes]:
    yield _step(_LOAD, _ARCHITECTURE)
    yield from _unless(_IF_EQUAL, machine.audit, [_fail(errno.ENOSYS)])
    yield _step(_LOAD, _NUMBER)
    if machine.second_table is not None:
        yield from _when(_IF_FROM, machine.second_table, [_fail(errno.ENOSYS)])
    for number in sorted(machine.refused.values()):
        yield from _when(_IF_EQUAL, number, [_fail(errno.ENOSYS)])
    namespaces = [_step(_LOAD, _FIRST_ARGUMENT), *_when(_IF_BITS, _NAMESPACES, [_fail(errno.EPERM)]), _allow()]
    yield from _when(_IF_EQUAL, machine.clone, namespaces)
    families = (step for family in _FAMILIES for step in _when(_IF_EQUAL, family, [_allow()]))
    yield from _when(_IF_EQUAL, machine.socket, [_step(_LOAD, _FIRST_ARGUMENT), *families, _fail(errno.EAFNOSUPPORT)])
    yield _allow()


def _step(code: int, value: int, *, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _when(test: int, value: int, steps: Iterable[bytes]) -> list[bytes]:
    """Go through steps only when a test holds."""
    inside = list(steps)
    return [_step(test, value, if_false=len(inside)), *inside]


def _unless(test: int, value: int, steps: Iterable[bytes]) -> list[bytes]:
    inside = list(steps)
    return [_step(test, value, if_true=len(inside)), *inside]


def _allow() -> bytes:
    return _step(_RETURN, _ALLOW)


def _fail(number: int) -> bytes:
    return _step(_RETURN, _FAIL | number)
