"""Feed the targets with made-up bytes, guided by what of the code each of them reaches. Needs ``pip install atheris``.

    python tests/fuzz/run.py --seconds 60 [TARGET ...]

Each target runs in a process of its own; what is found is written to the standard error, with the bytes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
LONGEST_INPUT_BYTES = 2000


def main() -> int:
    """Run every target for so many seconds, and return how many of them were found wanting."""
    sys.path.insert(0, str(HERE))
    parser = argparse.ArgumentParser(description="Fuzz what reads the words and files of others.")
    parser.add_argument("--seconds", type=int, default=60, help="How long each target is run.")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    parser.add_argument("targets", nargs="*", help="Which; all unless given.")
    arguments = parser.parse_args()
    if arguments.only:
        _fuzz(arguments.only, arguments.seconds)
        return 0
    # Only now: what is imported before atheris can look at it is not guided.
    from targets import TARGETS

    failed = [name for name in arguments.targets or TARGETS if not _succeeded(name, arguments.seconds)]
    sys.stderr.write(f"found wanting: {', '.join(failed) or 'none'}\n")
    return len(failed)


def _succeeded(name: str, seconds: int) -> bool:
    command = [sys.executable, __file__, "--only", name, "--seconds", str(seconds)]
    return subprocess.run(command, check=False).returncode == 0


def _fuzz(name: str, seconds: int) -> None:
    import atheris  # type: ignore[import-not-found]

    with atheris.instrument_imports(include=["steelyard", "steelyard_builtins"]):
        from targets import SEEDS, TARGETS
    with tempfile.TemporaryDirectory() as corpus:
        for number, seed in enumerate(SEEDS):
            (Path(corpus) / str(number)).write_bytes(seed)
        limits = [f"-max_total_time={seconds}", f"-max_len={LONGEST_INPUT_BYTES}", "-timeout=30", "-rss_limit_mb=2048"]
        atheris.Setup([sys.argv[0], *limits, corpus], TARGETS[name])
        atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
