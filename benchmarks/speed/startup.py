"""How long the command takes to start, what it imports, and how much memory it takes.

Run it with the interpreter that steelyard is installed for::

    python benchmarks/speed/startup.py

Each time is the median of a number of runs, taken in turns so that a busy machine slows all of them alike. The ratio to
``import click`` says more than the milliseconds: click is the part of the start that cannot be done without.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

STARTS = {
    "python -c pass": ["-c", "pass"],
    "python -c 'import click'": ["-c", "import click"],
    "steelyard --version": ["-m", "steelyard", "--version"],
    "steelyard --help": ["-m", "steelyard", "--help"],
    "steelyard run --help": ["-m", "steelyard", "run", "--help"],
    "steelyard plugins": ["-m", "steelyard", "plugins"],
}
BASE = "python -c 'import click'"

NOT_FOR_HELP = (
    "httpx",
    "jinja2",
    "rich",
    "yaml",
    "pluggy",
    "asyncio",
    "sqlite3",
    "steelyard_builtins",
    "steelyard.session",
)
"""Modules without which help and version have to do."""

ASK = """
import sys
from steelyard.cli import main
main(sys.argv[1:])
print("\\n".join(sorted(sys.modules)), file=sys.stderr)
"""

PEAK = """
import resource, runpy, sys
sys.argv = ["steelyard", *sys.argv[1:]]
try:
    runpy.run_module("steelyard", run_name="__main__")
except SystemExit:
    pass
unit = 1 if sys.platform == "darwin" else 1024
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit, file=sys.stderr)
"""


def main() -> int:
    """Measure and print; exit with 1 when help imports what it must not."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=15, help="how often each command is started (15)")
    runs = parser.parse_args().runs
    show_times({name: [] for name in STARTS}, runs)
    show_memory()
    return 1 if show_imports() else 0


def show_times(times: dict[str, list[float]], runs: int) -> None:
    """Start every command so many times and print the medians."""
    for _ in range(runs):
        for name, arguments in STARTS.items():
            times[name].append(seconds(arguments))
    base = statistics.median(times[BASE])
    print(f"{'start':28}{'median ms':>10}{'fastest':>9}{'to click':>10}")
    for name, taken in times.items():
        middle = statistics.median(taken)
        print(f"{name:28}{middle * 1000:10.0f}{min(taken) * 1000:9.0f}{middle / base:10.2f}")


def show_memory() -> None:
    """Print the most memory that help and version take, where the system tells."""
    print()
    for question in ("--version", "--help"):
        try:
            peak = int(output(["-c", PEAK, question]).split()[-1])
        except (ValueError, IndexError):
            print("peak memory: this system does not tell")
            return
        print(f"peak memory of steelyard {question}: {peak / 2**20:.1f} MiB")


def show_imports() -> bool:
    """Print what help and version import; return whether anything is among it that must not be."""
    print()
    wrong = False
    for question in ("--version", "--help"):
        modules = output(["-c", ASK, question]).split()
        found = [name for name in NOT_FOR_HELP if name in modules]
        wrong = wrong or bool(found)
        said = f"imports {', '.join(found)}" if found else f"imports none of {', '.join(NOT_FOR_HELP)}"
        print(f"steelyard {question}: {len(modules)} modules; {said}")
    return wrong


def seconds(arguments: Sequence[str]) -> float:
    """Start the interpreter with these arguments and return the seconds until it has ended."""
    started = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - started


def output(arguments: Sequence[str]) -> str:
    """Return what the interpreter writes to standard error with these arguments."""
    done = subprocess.run(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", check=False
    )
    return done.stderr


if __name__ == "__main__":
    sys.exit(main())
