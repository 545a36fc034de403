"""What telling a run takes: the same run quietly, as usual, and with ``-v``, which says a line for each case.

::

    python benchmarks/speed/terminal.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from suites import write_yaml
from taken import STEELYARD, Sheet, Taken, median_of, options, take

from steelyard.testing.fake_api_process import FakeAPIProcess

FORMS = {"quiet": ["-q"], "as usual": [], "-v": ["-v"]}


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    chosen = parser.parse_args()
    sheet = Sheet("terminal", chosen.json)
    with FakeAPIProcess() as api, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_yaml(folder / "suite.yaml", chosen.cases, api.base_url)
        command = [*STEELYARD, "run", "suite.yaml", "-j", "100", "--no-cache"]
        quiet: Taken | None = None
        for form, flags in FORMS.items():
            taken = median_of(chosen.runs, lambda flags=flags: take([*command, *flags], cwd=folder))  # type: ignore[misc]
            quiet = quiet or taken
            share = 100 * (taken.cpu_s - quiet.cpu_s) / taken.cpu_s
            figure = "" if taken is quiet else f"{share:.1f} % of the CPU"
            sheet.row(
                f"run {chosen.cases:,} cases, {form}", taken, figure=figure, aim="" if taken is quiet else "< 3 %"
            )
    sheet.close()


if __name__ == "__main__":
    main()
