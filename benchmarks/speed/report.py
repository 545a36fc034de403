"""Write the table of docs/explanation/performance.md from the figures that the other scripts kept.

::

    python benchmarks/speed/calls.py --json /tmp/speed/calls.json     # and so on
    python benchmarks/speed/report.py /tmp/speed/*.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "performance.md"
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"


def main() -> None:
    """Read the figures and renew the page."""
    lines = ["", "| what | wall s | CPU s | peak MB | figure | ratio | aim |", "|---|--:|--:|--:|---|---|---|"]
    for name in sys.argv[1:]:
        for row in json.loads(Path(name).read_text(encoding="utf-8"))["rows"]:
            numbers = [f"{row[key]:.2f}" if key in row else "" for key in ("wall_s", "cpu_s")]
            peak = f"{row['peak_mb']:.0f}" if "peak_mb" in row else ""
            cells = [row["what"].strip(), *numbers, peak, row["figure"], row["ratio"], row["aim"]]
            lines.append("| " + " | ".join(cells) + " |")
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(before + BEGIN + "\n".join(lines) + "\n\n" + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
