"""Large files: checking them, how soon a run over many rows makes its first call, comparing and reporting records.

::

    python benchmarks/speed/files.py
    python benchmarks/speed/files.py --rows 100000 --only compare
"""

from __future__ import annotations

import itertools
import subprocess
import tempfile
import time
from pathlib import Path

from records_made import write_run
from suites import write_jsonl, write_yaml
from taken import STEELYARD, Sheet, Taken, median_of, options, take

from steelyard.testing.fake_api import FakeAPI


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows before the first call")
    parser.add_argument("--only", default="", help="only what contains this word")
    chosen = parser.parse_args()
    sheet = Sheet("files", chosen.json)
    runs = chosen.runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = median_of(runs, lambda: take([*STEELYARD, "plugins"], cwd=folder))
        sheet.row("start of a session", start)
        if chosen.only in "validate yaml":
            write_yaml(folder / "y.yaml", 10_000)
            checked(sheet, "validate 10,000 cases in YAML", folder, "y.yaml", start, runs, "< 1.5 s")
        if chosen.only in "validate jsonl":
            write_jsonl(folder / "j.yaml", 100_000)
            checked(sheet, "validate 100,000 rows of JSONL", folder, "j.yaml", start, runs, "< 3 s")
        if chosen.only in "first call":
            first_call(sheet, folder, chosen.rows, runs)
        if chosen.only in "compare report":
            for cases in (10_000, 100_000):
                compared(sheet, folder, cases, start, runs)
    sheet.close()


def checked(sheet: Sheet, what: str, folder: Path, file: str, start: Taken, runs: int, aim: str) -> None:
    """Measure one validation."""
    taken = median_of(runs, lambda: take([*STEELYARD, "validate", file], cwd=folder))
    row(sheet, what, taken, start, aim)


def row(sheet: Sheet, what: str, taken: Taken, start: Taken, aim: str) -> None:
    """Add a line with the processor's seconds as the figure."""
    sheet.row(what, taken, figure=f"{taken.cpu_s:.2f} s CPU", ratio=f"{taken.cpu_s / start.cpu_s:.1f} × start", aim=aim)


def first_call(sheet: Sheet, folder: Path, rows: int, runs: int) -> None:
    """Measure when the first request of a run arrives, from the moment in which the command is started."""
    seconds = []
    for _ in range(runs):
        with FakeAPI(keep_requests=False) as api:
            write_jsonl(folder / "many.yaml", rows, api.base_url)
            api.hold()
            started = time.perf_counter()
            process = subprocess.Popen(
                [*STEELYARD, "run", "many.yaml", "--no-cache"],
                cwd=folder,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            came = api.wait_for(lambda one: one.count > 0, 120)
            seconds.append(time.perf_counter() - started)
            process.kill()
            process.wait()
            if not came:
                raise SystemExit("no request came")
    middle = sorted(seconds)[len(seconds) // 2]
    sheet.row(f"first call of a run over {rows:,} rows", figure=f"{middle:.2f} s", aim="< 1 s")


def compared(sheet: Sheet, folder: Path, cases: int, start: Taken, runs: int) -> None:
    """Measure a comparison of two records, and the report of one."""
    small = cases <= 10_000  # noqa: PLR2004
    for name, seed in zip("ab", itertools.count(1), strict=False):
        write_run(folder / "results" / f"{name}{cases}.json", cases, seed)
    names = [f"results/{name}{cases}.json" for name in "ab"]
    taken = median_of(runs, lambda: take([*STEELYARD, "compare", *names], cwd=folder))
    row(sheet, f"compare two records of {cases:,} cases", taken, start, "< 0.4 s" if small else "< 5 s, < 500 MB")
    taken = median_of(runs, lambda: take([*STEELYARD, "report", names[0]], cwd=folder))
    row(sheet, f"report of {cases:,} cases", taken, start, "" if small else "< 5 s, < 500 MB")


if __name__ == "__main__":
    main()
