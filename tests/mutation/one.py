"""Run the kit's checks of one built-in in this process, until one is red; say which as JSON, or ``null``.

The built-ins are taken from where ``PYTHONPATH`` says, so that a broken copy of them can be tried.
"""

from __future__ import annotations

import json
import sys

from contracts import checks_of


def first_red(builtin: str) -> str | None:
    """Return the name of the first check that is red and what it says, or ``None`` when all are green."""
    for name, check in checks_of(builtin):
        try:
            check()
        except Exception as error:
            return f"{name}: {type(error).__name__}: {error}"
    return None


if __name__ == "__main__":
    try:
        red = first_red(sys.argv[1])
    except Exception as error:  # the checks cannot even be made: a red that says little
        red = f"(before any check): {type(error).__name__}: {error}"
    sys.stdout.write("\n" + json.dumps(red) + "\n")
