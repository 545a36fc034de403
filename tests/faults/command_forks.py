"""Runs commands in processes of their own that are there at once: forked from one in which everything is imported.

Reads one request a line from standard input, as JSON, and answers each with a line. A fork is a process like any other:
it can be killed, limited and run by another user, and what it leaves behind is only what is on disk.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import resource
import struct
import sys
import traceback
from typing import Any

MODULES = (
    "aiohttp",
    "jinja2",
    "regex",
    "rich.console",
    "rich.table",
    "sqlite3",
    "yaml",
    "steelyard.cli.entry",
    "steelyard.cli.run",
    "steelyard.cli.interruptible",
    "steelyard.session",
    "steelyard_builtins.providers._openrouter",
    "steelyard_builtins.providers._mock",
)


CAPABILITIES_VERSION = 0x20080522


def main() -> None:
    for name in MODULES:
        importlib.import_module(name)
    say({"ready": os.getpid()})
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            _pid, status, used = os.wait4(request["wait"], 0)
            say({"code": os.waitstatus_to_exitcode(status), "peak_kib": used.ru_maxrss})
        else:
            say({"pid": started(request)})


def say(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def started(request: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    try:
        become(request)
        from steelyard.cli import main as steelyard

        code = steelyard(request["arguments"])
        sys.stdout.flush()
        sys.stderr.flush()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        code = 99
    os._exit(code)


def become(request: dict[str, Any]) -> None:
    os.setsid()
    for stream, target, flags in (
        (0, os.devnull, os.O_RDONLY),
        (1, request["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (2, request["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        opened = os.open(target, flags, 0o666)
        os.dup2(opened, stream)
        os.close(opened)
    # The streams of Python still point at the descriptors, but with a name and a buffer of their own.
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
    os.environ.clear()
    os.environ.update(request["environ"])
    if request.get("files"):
        resource.setrlimit(resource.RLIMIT_NOFILE, (request["files"], request["files"]))
    if request.get("file_size"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["file_size"], request["file_size"]))
    if request.get("humble"):
        give_up_rights()
    os.chdir(request["folder"])


def give_up_rights() -> None:
    """Obey the rights of files as everybody has to, root too; only Linux has rights that root can give up."""
    header = struct.pack("=Ii", CAPABILITIES_VERSION, 0)
    if ctypes.CDLL(None, use_errno=True).capset(header, struct.pack("=6I", 0, 0, 0, 0, 0, 0)):
        raise OSError(ctypes.get_errno(), "capset")


if __name__ == "__main__":
    main()
