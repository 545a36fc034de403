"""Results as JSON on standard output: strict, and readable for whatever encoding the console has."""

from __future__ import annotations

import json
import sys

from .output import print_line


def print_json(value: object) -> None:
    """Print a value as indented JSON. A lone surrogate becomes ``?``; infinity and NaN have no place in it."""
    utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace").decode()
    print_line(text if utf8 else json.dumps(json.loads(text), indent=2))
