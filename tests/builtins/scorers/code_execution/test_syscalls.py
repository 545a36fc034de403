"""The filter of system calls, gone through as the kernel does: for processors too that are not this one."""

from __future__ import annotations

import errno
import struct

import pytest
from steelyard_builtins.scorers._code_syscalls import syscall_filter

ALLOWED = 0x7FFF0000

# From the kernel: include/uapi/linux/audit.h, include/uapi/asm-generic/unistd.h, and for x86-64 syscall_64.tbl.
X86_64 = {"audit": 0xC000003E, "read": 0, "mmap": 9, "clone": 56, "execve": 59, "socket": 41, "unshare": 272}
X86_64 |= {"memfd_create": 319, "mount": 165, "shmget": 29, "keyctl": 250, "clone3": 435, "io_uring_setup": 425}
GENERIC = {"read": 63, "mmap": 222, "clone": 220, "execve": 221, "socket": 198, "unshare": 97}
GENERIC |= {"memfd_create": 279, "mount": 40, "shmget": 194, "keyctl": 219, "clone3": 435, "io_uring_setup": 425}
MACHINES = {
    "x86_64": X86_64,
    "aarch64": {**GENERIC, "audit": 0xC00000B7},
    "riscv64": {**GENERIC, "audit": 0xC00000F3},
}


def verdict(program: bytes, audit: int, number: int, argument: int = 0) -> int:
    """Run a filter on a call, by the rules of seccomp(2), and return 0 or the error that the caller gets."""
    seen = struct.pack("=IIQ6Q", number, audit, 0, argument, *[0] * 5)
    steps = [struct.unpack_from("=HBBI", program, at) for at in range(0, len(program), 8)]
    at = loaded = 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x20:
            (loaded,) = struct.unpack_from("=I", seen, value)
        elif code == 0x06:
            assert value == ALLOWED or value >> 16 == 5
            return 0 if value == ALLOWED else value & 0xFFFF
        else:
            holds = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[code]
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_ordinary_calls_pass_and_those_that_get_around_limits_do_not(machine):
    program, calls = syscall_filter(machine), MACHINES[machine]
    audit = calls["audit"]

    assert [verdict(program, audit, calls[name]) for name in ("read", "mmap", "execve")] == [0, 0, 0]
    refused = ("memfd_create", "mount", "shmget", "keyctl", "clone3", "io_uring_setup", "unshare")
    assert {verdict(program, audit, calls[name]) for name in refused} == {errno.ENOSYS}
    threads, process, user_namespace = 0x3D0F00, 0x01200011, 0x10000011
    clones = [verdict(program, audit, calls["clone"], flags) for flags in (threads, process, user_namespace)]
    assert clones == [0, 0, errno.EPERM]
    families = {family: verdict(program, audit, calls["socket"], family) for family in (1, 2, 10, 16, 17, 38, 40)}
    assert families == {
        1: 0,
        2: 0,
        10: 0,
        16: 0,
        17: errno.EAFNOSUPPORT,
        38: errno.EAFNOSUPPORT,
        40: errno.EAFNOSUPPORT,
    }


@pytest.mark.parametrize("machine", MACHINES)
def test_there_is_no_other_way_to_say_the_same(machine):
    program, calls = syscall_filter(machine), MACHINES[machine]

    # As a program of 32 bits would ask, and by the second table of x86-64.
    assert verdict(program, 0x40000003, 4) == errno.ENOSYS
    if machine == "x86_64":
        assert verdict(program, calls["audit"], 0x40000000 + calls["read"]) == errno.ENOSYS


def test_for_an_unknown_processor_there_is_no_filter():
    assert syscall_filter("pdp11") == b""
