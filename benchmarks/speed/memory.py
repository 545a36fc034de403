"""Memory of long runs: rows stream, results go to the journal, the record is written and read as a stream.

A run over many rows whose answers have 2 kB each, by a model that answers from memory, so that what is seen is ours.
Shown are the peak, the memory as the run goes on, and the processor time per case, which must not grow with the size::

    python benchmarks/speed/memory.py              # up to 100,000 cases
    python benchmarks/speed/memory.py --full       # and 1,000,000, which takes a while
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from records_made import ANSWER
from suites import write_jsonl
from taken import STEELYARD, Sheet, options, take

SIZES = (1_000, 10_000, 100_000)
AIMS = {100_000: "< 300 MB", 1_000_000: "< 500 MB"}
POINTS = 8


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--full", action="store_true", help="a million cases too")
    parser.add_argument("--sizes", type=int, nargs="*", help="these numbers of cases instead")
    chosen = parser.parse_args()
    sheet = Sheet("memory", chosen.json)
    sizes = chosen.sizes or (*SIZES, 1_000_000) if chosen.full else chosen.sizes or SIZES
    before: tuple[int, float] | None = None
    for cases in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            suite = write_jsonl(folder / "suite.yaml", cases)
            text = suite.read_text(encoding="utf-8")
            head, rest = text.split("models:\n", 1)
            answer = ANSWER.replace("\n", " ").replace('"', "'")
            model = f'  - {{id: mock, provider: mock, model: m, default: "{answer}"}}\n'
            text = f"{head}models:\n{model}{rest.split(chr(10), 1)[1]}"
            suite.write_text(
                text.replace("evaluation: exact_match", "scorers: [{type: contains, value: [An]}]"), "utf-8"
            )
            taken = take([*STEELYARD, "run", "suite.yaml", "-j", "100", "--no-cache"], cwd=folder, watch_every_s=0.2)
        each = ""
        if before is not None:
            each = f"{1000 * (taken.cpu_s - before[1]) / (cases - before[0]):.3f} ms CPU each"
        before = (cases, taken.cpu_s)
        sheet.row(f"run {cases:,} cases with 2 kB answers", taken, figure=each, aim=AIMS.get(cases, ""))
        curve = taken.curve_mb
        if len(curve) > POINTS:
            shown = [f"{curve[len(curve) * point // POINTS]:.0f}" for point in range(1, POINTS)]
            sheet.row("   memory as it went on, MB", figure=" ".join(shown))
    sheet.close()


if __name__ == "__main__":
    main()
