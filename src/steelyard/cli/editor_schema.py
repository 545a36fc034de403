"""The line by which editors know what a benchmark may hold, and the schema beside it that the line names.

The schema lies in the benchmark's own folder: it works without a network and on every machine that has a copy of the
project, and it knows the options of the plugins that are installed here, which no address could. Its name begins with a
dot, so that ``benchmarks/*`` does not take it for a benchmark.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..errors import SteelyardError
from ..records import write_file

if TYPE_CHECKING:
    from ..session import Session

SCHEMA_FILE: Final = ".steelyard.schema.json"
HINT: Final = f"# yaml-language-server: $schema={SCHEMA_FILE}\n"
"""The first line of a file. The name counts from the folder of the file."""


def schema_beside(session: Session, target: Path) -> Path | None:
    """Write the schema of benchmarks into the folder of one, and return its path.

    ``None``, and nothing written, when the format has no schema, or when a file of that name holds something else.
    """
    try:
        schema = session.formats.schema()
    except SteelyardError:
        return None
    path = target.parent / SCHEMA_FILE
    if path.exists() and not _is_a_former_one(path, schema.get("title")):
        return None
    write_file(path, [json.dumps(schema, ensure_ascii=False, separators=(",", ":")).encode("utf-8"), b"\n"])
    return path


def _is_a_former_one(path: Path, title: object) -> bool:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and found.get("title") == title
