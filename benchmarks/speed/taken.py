"""What a command takes: seconds, processor seconds, peak memory; and how such figures are shown and kept.

Each measurement runs as a process of its own, so that nothing is warm and memory is its own. On a busy machine the
processor seconds and the ratios say more than the clock.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

MB = 10**6
_KIB = 1 if sys.platform == "darwin" else 1024
STEELYARD = (sys.executable, "-m", "steelyard")


@dataclass(frozen=True, slots=True)
class Taken:
    """What one process took, the processes that it started included where the system counts them."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    code: int
    output: str
    """Standard output."""
    curve_mb: tuple[float, ...] = ()
    """Memory over time, if that was asked for."""


def take(
    command: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str] | None = None,
    watch_every_s: float | None = None,
    expect: Sequence[int] = (0,),
) -> Taken:
    """Run a command to its end.

    Args:
        command: What to run.
        cwd: The folder to be in.
        environ: Variables over those of this process.
        watch_every_s: Look at the memory so often, where the system tells.
        expect: The exit codes that are no failure; any other ends the measurement.
    """
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **(environ or {})}, stdout=said, stderr=complained
        )
        curve: list[float] = []
        if watch_every_s is not None:
            threading.Thread(target=_watch, args=(process.pid, watch_every_s, curve), daemon=True).start()
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        complained.seek(0)
        output = said.read().decode("utf-8", "replace")
        if process.returncode not in expect:
            problem = complained.read().decode("utf-8", "replace")
            raise SystemExit(
                f"{' '.join(command)}: ended with {process.returncode}:\n{output[-2000:]}{problem[-4000:]}"
            )
    cpu = usage.ru_utime + usage.ru_stime
    return Taken(wall, cpu, usage.ru_maxrss * _KIB / MB, process.returncode, output, tuple(curve))


def _watch(pid: int, every_s: float, curve: list[float]) -> None:
    page = os.sysconf("SC_PAGE_SIZE")
    while True:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
        except (OSError, ValueError, IndexError):
            return
        curve.append(pages * page / MB)
        time.sleep(every_s)


def median_of(runs: int, one: Callable[[], Taken]) -> Taken:
    """Return the medians of several runs; the peak is the highest."""
    every = [one() for _ in range(runs)]
    return Taken(
        statistics.median(taken.wall_s for taken in every),
        statistics.median(taken.cpu_s for taken in every),
        max(taken.peak_mb for taken in every),
        every[-1].code,
        every[-1].output,
    )


class Sheet:
    """The figures of one script: printed as they come, and kept for the table in the documentation."""

    def __init__(self, name: str, into: Path | None) -> None:
        self._name = name
        self._into = into
        self._rows: list[dict[str, Any]] = []

    def row(self, what: str, taken: Taken | None = None, *, figure: str = "", ratio: str = "", aim: str = "") -> None:
        """Add a line.

        Args:
            what: What was measured.
            taken: What it took.
            figure: The figure that the aim is about.
            ratio: How it compares with what was measured beside it.
            aim: What it is to reach.
        """
        line = {"what": what, "figure": figure, "ratio": ratio, "aim": aim}
        if taken is not None:
            used = {key: value for key, value in asdict(taken).items() if key in ("wall_s", "cpu_s", "peak_mb")}
            line |= {key: round(value, 3) for key, value in used.items()}
        self._rows.append(line)
        shown = f"{line['wall_s']:8.2f} s {line['cpu_s']:8.2f} s CPU {line['peak_mb']:6.0f} MB" if taken else " " * 35
        print(f"{what:46} {shown}  {figure:>30}  {ratio:>24}  {aim}".rstrip(), flush=True)

    def close(self) -> None:
        """Write the JSON, if it is wanted."""
        if self._into is not None:
            text = json.dumps({"script": self._name, "rows": self._rows}, indent=2, ensure_ascii=False)
            self._into.write_text(text + "\n", encoding="utf-8")


def options(description: str | None) -> argparse.ArgumentParser:
    """Return the parser with the options of every script."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="the median of so many")
    parser.add_argument("--json", type=Path, help="keep the figures in this file, for report.py")
    return parser
