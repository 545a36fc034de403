"""Break each built-in on purpose and see that the kit's checks of it turn red.

::

    python tests/mutation/run.py                # all of them; exit 1 when one survives
    python tests/mutation/run.py contains -v    # those of one built-in, and which check finds each

Each fault is put into a copy of the built-ins, and the checks that the built-in's own tests make with the kit run on
that copy in a process of their own. First each built-in has to pass its checks unbroken.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import steelyard_builtins
from contracts import BUILTINS
from mutations import MUTATIONS, Mutation

HERE = Path(__file__).parent
SOURCE = Path(steelyard_builtins.__file__).parent
LONGEST_S = 120.0
"""Checks that take longer are hanging, which is one way to be red."""


def main(arguments: Sequence[str]) -> int:
    """Try all mutations, or those of some built-ins, and return the exit code."""
    parser = argparse.ArgumentParser(description="Break each built-in and see that the kit finds it.")
    parser.add_argument("builtins", nargs="*", metavar="BUILTIN", help="Only these.")
    parser.add_argument("-v", "--verbose", action="store_true", help="Say which check finds each fault.")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="How many at once.")
    chosen = parser.parse_args(arguments)
    unknown = [name for name in chosen.builtins if name not in BUILTINS]
    if unknown:
        parser.error(f"no built-in is named {unknown[0]!r}; there are {', '.join(sorted(BUILTINS))}")
    started = time.perf_counter()
    names = chosen.builtins or BUILTINS
    mutations = [mutation for mutation in MUTATIONS if mutation.builtin in names]
    with ThreadPoolExecutor(chosen.jobs) as pool:
        unbroken = dict(zip(names, pool.map(red_unbroken, names), strict=True))
        broken = dict(zip(mutations, pool.map(red_with, mutations), strict=True))
    for mutation, red in broken.items():
        if chosen.verbose and red is not None:
            say(f"{mutation}\n    {red[:200]}")
    wrong = [f"{name}: red although nothing is broken: {red}" for name, red in unbroken.items() if red is not None]
    survivors = [f"survives: {mutation}" for mutation, red in broken.items() if red is None]
    for line in [*wrong, *survivors]:
        say(line)
    took = time.perf_counter() - started
    say(f"{len(mutations)} faults in {len(names)} built-ins, {len(survivors)} survive ({took:.0f} s)")
    return int(bool(wrong or survivors))


def red_unbroken(builtin: str) -> str | None:
    """Return what is red of a built-in as it is."""
    return first_red(builtin, SOURCE.parent)


def red_with(mutation: Mutation) -> str | None:
    """Return what is red of a built-in with a fault in it."""
    with tempfile.TemporaryDirectory(prefix="steelyard-mutation-", ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / SOURCE.name
        shutil.copytree(SOURCE, copy)
        file = copy / mutation.file
        file.write_text(mutated(file.read_text("utf-8"), mutation), encoding="utf-8")
        return first_red(mutation.builtin, copy.parent)


def mutated(source: str, mutation: Mutation) -> str:
    """Return a source with the fault in it. Raises ``SystemExit`` when its text is not there once."""
    count = source.count(mutation.was)
    if count != 1:
        raise SystemExit(f"{mutation.file}: {mutation.was!r} occurs {count} times; mend tests/mutation/mutations.py")
    return source.replace(mutation.was, mutation.becomes)


def first_red(builtin: str, where: Path) -> str | None:
    """Run the checks of a built-in from a folder in a process of its own; return the first that is red."""
    path = os.pathsep.join(filter(None, [str(where), os.environ.get("PYTHONPATH")]))
    try:
        done = subprocess.run(
            [sys.executable, str(HERE / "one.py"), builtin],
            env={**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it took more than {LONGEST_S:g} s"
    if done.returncode != 0:
        return f"the process ended with {done.returncode}: {done.stderr[-500:]}"
    red: str | None = json.loads(done.stdout.splitlines()[-1])
    return red


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
