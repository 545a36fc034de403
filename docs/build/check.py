"""Check that every page made from code is what the code says; exit 1 and name those that are not."""

from __future__ import annotations

import sys

from generate import main

if __name__ == "__main__":
    sys.exit(main(["--check"]))
