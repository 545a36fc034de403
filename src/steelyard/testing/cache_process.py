"""Another process that uses the same cache, for the contract checks.

It is told what to do by a pickled order on its standard input, and says what came of it as JSON on its output.
"""

from __future__ import annotations

import hashlib
import json
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..api import CacheSpec
from .builders import make_context
from .calling import Calls, close

WRITING = "writing"
"""What a process says once its first round of entries is written."""

_START = "import sys; sys.path[:] = sys.argv[1:]; from steelyard.testing.cache_process import carry_out; carry_out()"

Action = Literal["read", "write", "write for ever"]


@dataclass(frozen=True)
class Order:
    """What the other process is to do."""

    create: Callable[..., Any]
    settings: Any
    folder: Path
    action: Action
    keys: Sequence[str]


def value_for(key: str) -> bytes:
    """Return a value that belongs to its key alone, so that a mix-up or a torn entry shows."""
    return f"{key}:{hashlib.sha256(key.encode()).hexdigest() * 40}".encode()


def spawned(
    spec: CacheSpec[Any], settings: Any, folder: Path, action: Action, keys: Sequence[str]
) -> subprocess.Popen[bytes]:
    """Start the other process and give it its order."""
    process = subprocess.Popen(  # noqa: S603 - this Python, and a text of our own
        [sys.executable, "-c", _START, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    order = pickle.dumps(Order(spec.create, settings, folder, action, list(keys)))
    if process.stdin is not None:
        process.stdin.write(order)
        process.stdin.close()
        process.stdin = None
    return process


def other_process(spec: CacheSpec[Any], settings: Any, folder: Path, action: Action, keys: Sequence[str]) -> list[bool]:
    """Let another process carry out an order, and return for each key whether it was found whole."""
    process = spawned(spec, settings, folder, action, keys)
    output, errors = process.communicate(timeout=60)
    if process.returncode != 0:
        raise AssertionError(f"another process cannot use the cache: {errors.decode(errors='replace')}")
    found: list[bool] = json.loads(output)
    return found


def carry_out() -> None:
    """Do what the order on standard input says."""
    order: Order = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - it comes from the process that started this one
    cache = order.create(order.settings, make_context(order.folder))
    with Calls() as calls:
        try:
            sys.stdout.write(json.dumps(_done(cache, calls, order)))
        finally:
            close(cache, calls)


def _done(cache: Any, calls: Calls, order: Order) -> list[bool]:
    if order.action == "read":
        return [calls(cache.get, key) == value_for(key) for key in order.keys]
    for key in order.keys:
        calls(cache.put, key, value_for(key))
    if order.action == "write for ever":
        sys.stdout.write(f"{WRITING}\n")
        sys.stdout.flush()
        while True:
            for key in order.keys:
                calls(cache.put, key, value_for(key))
    return [True for _key in order.keys]
