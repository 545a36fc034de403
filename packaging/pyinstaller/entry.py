"""Where the standalone executable begins."""

from __future__ import annotations

import os
import sys

_SEARCH_PATHS = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LIBPATH")


def give_back_environment() -> None:
    """Take the executable's own libraries out of what children inherit: a program under test brings its own."""
    for name in _SEARCH_PATHS:
        before = os.environ.pop(f"{name}_ORIG", None)
        if before is not None:
            os.environ[name] = before
        elif getattr(sys, "frozen", False):
            os.environ.pop(name, None)


if __name__ == "__main__":
    give_back_environment()
    from steelyard.cli import main

    sys.exit(main())
