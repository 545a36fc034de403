"""The command line: one module per command. Each parses, calls the session and prints.

Nothing is imported here, so that an interrupt while the rest is still being read is a quiet end too.
"""

from __future__ import annotations

from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: what the ``steelyard`` script calls.

    Args:
        argv: The arguments after the program's name; those of the process when ``None``.
    """
    try:
        from .entry import run_command  # noqa: PLC0415 - inside the try, see above
    except KeyboardInterrupt:
        return 130
    return run_command(argv)
