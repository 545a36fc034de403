"""Which files a run may write: none that it reads itself, and none twice.

Reports are written when everything is done, so what they destroyed would be found out too late.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from .._paths import same_file
from ..errors import UsageError


def must_spare(outputs: Iterable[Path], read: Collection[Path]) -> None:
    """Raise ``UsageError`` for an output that is one of the files that were read."""
    for output in outputs:
        if any(same_file(output, path) for path in read):
            raise UsageError(f"-o {output}: the run reads this file itself; name another one")


def must_differ(outputs: Sequence[Path]) -> None:
    """Raise ``UsageError`` for a file that is to be written twice."""
    for number, output in enumerate(outputs):
        # To write to a device or a pipe several times loses nothing.
        if (output.is_file() or not output.exists()) and any(same_file(output, other) for other in outputs[:number]):
            raise UsageError(f"-o {output}: two reports cannot be written to one file; name another one")
