"""What the action's shell cannot do well: numbers with units, quoted words, and reading the record.

::

    values.py percent NAME VALUE       a pass rate as a share (0.85) or in per cent (85), printed in per cent
    values.py points NAME VALUE        a drop as a share (0.05) or in points (5), printed in points
    values.py words NAME VALUE         the words of a command line, one a line
    values.py outputs FILE STATUS      the action's outputs, as GitHub reads them

Standard library only, since any Python may run it.
"""

from __future__ import annotations

import json
import math
import shlex
import sys
from pathlib import Path

PER_CENT = 100


def main(arguments: list[str]) -> int:
    """Do what is asked, and print it. A bad value is an error of the workflow file: exit code 2."""
    what, name, value = arguments
    if what == "outputs":
        sys.stdout.write("".join(f"{key}={text}\n" for key, text in outputs(Path(name), value).items()))
        return 0
    try:
        answer = {"percent": percent, "points": points, "words": words}[what](value)
    except ValueError as error:
        sys.stderr.write(f"::error::input {name}: {error}\n")
        return 2
    sys.stdout.write(f"{answer}\n")
    return 0


def percent(value: str) -> str:
    """Return a pass rate in per cent. 1 is all of them: nobody asks for a hundredth."""
    number = _number(value, "a share from 0 to 1 or a number up to 100")
    return f"{number * PER_CENT if number <= 1 else number:.10g}"


def points(value: str) -> str:
    """Return a drop in points. 1 is one point: a drop of everything would switch the gate off by mistake."""
    number = _number(value, "a share below 1 or a number of points up to 100")
    return f"{number * PER_CENT if number < 1 else number:.10g}"


def words(value: str) -> str:
    """Return the words of a command line, one a line."""
    try:
        found = shlex.split(value)
    except ValueError as error:
        raise ValueError(f"{str(error).lower()} in {value!r}") from None
    if any("\n" in word for word in found):
        raise ValueError(f"an argument cannot hold a line end, got {value!r}")
    return "\n".join(found)


def outputs(record: Path, status: str) -> dict[str, str]:
    """Return the action's outputs; those of the best combo, or nothing but ``ok`` when there is no record."""
    try:
        document = json.loads(record.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {"passed": "", "total": "", "pass-rate": "", "ok": "false", "results-file": ""}
    best = document["insights"].get("best_quality") or {}
    combos = document["results"]
    chosen = [combo for combo in combos if all(combo[key] == best.get(key) for key in ("model", "prompt_id"))]
    combo = (chosen or combos or [{"success": 0, "total": 0}])[0]
    passed, total = combo["success"], combo["total"]
    return {
        "passed": str(passed),
        "total": str(total),
        "pass-rate": f"{passed / total if total else 0:.4g}",
        "ok": "true" if status == "0" else "false",
        "results-file": str(record),
    }


def _number(value: str, wanted: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not 0 <= number <= PER_CENT:
        raise ValueError(f"must be {wanted}, got {value!r}")
    return number


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
