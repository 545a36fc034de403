"""What the exit code says to a script; promised in docs/reference/exit-codes.md."""

from __future__ import annotations

from typing import Final

PASSED: Final = 0
"""The gate is met, or there is none and something could be scored."""
FAILED: Final = 1
"""A gate missed, a regression, an invalid file, nothing could be scored, over budget."""
WRONG_USAGE: Final = 2
"""The command line itself is wrong."""
OWN_FAULT: Final = 70
"""A fault of steelyard; a report file says more."""
INTERRUPTED: Final = 130
"""Ended by Ctrl-C or by a request to terminate."""
