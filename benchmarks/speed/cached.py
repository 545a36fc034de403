"""A run whose answers are all in the cache: cases per second after start-up, and processor time per case.

The cache is filled by a first run against a fake API, which is gone when the second one is measured::

    python benchmarks/speed/cached.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from calls import duration_of
from suites import write_yaml
from taken import STEELYARD, Sheet, Taken, median_of, options, take

from steelyard.testing.fake_api_process import FakeAPIProcess

AIM_PER_S = 12_000


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    chosen = parser.parse_args()
    cases = chosen.cases
    sheet = Sheet("cached", chosen.json)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with FakeAPIProcess() as api:
            write_yaml(folder / "suite.yaml", cases, api.base_url)
            take([*STEELYARD, "run", "suite.yaml", "-j", "100"], cwd=folder)
        start = median_of(chosen.runs, lambda: take([*STEELYARD, "validate", "suite.yaml"], cwd=folder))
        sheet.row(f"check {cases:,} cases, for comparison", start)
        seconds: list[float] = []

        def once() -> Taken:
            for path in (folder / "results").glob("*"):
                path.unlink()
            taken = take([*STEELYARD, "run", "suite.yaml", "-j", "100"], cwd=folder)
            seconds.append(duration_of(folder))
            return taken

        run = median_of(chosen.runs, once)
    middle = sorted(seconds)[len(seconds) // 2]
    cpu_ms = 1000 * (run.cpu_s - start.cpu_s) / cases
    sheet.row(
        f"run {cases:,} cached cases",
        run,
        figure=f"{cases / middle:,.0f} cases/s",
        ratio=f"{run.cpu_s / start.cpu_s:.1f} × check's CPU",
        aim=f"≥ {AIM_PER_S:,} cases/s",
    )
    sheet.row("   processor time per case, beyond the check", figure=f"{cpu_ms:.3f} ms")
    sheet.close()


if __name__ == "__main__":
    main()
