"""Build the standalone executable for the machine that this runs on, and prove that it works.

::

    python packaging/pyinstaller/build.py --output dist

It is built in a virtual environment of its own, from this tree, and then has to run where there is no Python to help
it: all plugins found, the quickstart run offline, a suite with a Python scorer, and a program under test.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PYINSTALLER = "pyinstaller>=6.10,<7"
IS_WINDOWS = os.name == "nt"
LARGEST_MB = 80
"""More means that something went in which nobody meant."""


def main() -> None:
    """Build, prove, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", default="steelyard.exe" if IS_WINDOWS else "steelyard", help="The file's name.")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="The folder that it goes to.")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="steelyard-build-") as scratch:
        built = build(Path(scratch), chosen.name)
        prove(built, Path(scratch) / "try")
        chosen.output.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built, chosen.output / chosen.name)
    size = (chosen.output / chosen.name).stat().st_size / 1e6
    sys.stdout.write(f"{chosen.output / chosen.name}: {size:.1f} MB\n")
    if size > LARGEST_MB:
        raise SystemExit(f"larger than {LARGEST_MB} MB; look for what has come in")


def build(scratch: Path, name: str) -> Path:
    """Return the executable, built in ``scratch``."""
    venv.create(scratch / "venv", with_pip=True)
    python = scratch / "venv" / ("Scripts" if IS_WINDOWS else "bin") / ("python.exe" if IS_WINDOWS else "python")
    run([python, "-m", "pip", "install", "--quiet", PYINSTALLER, "packaging", ROOT])
    folders = ["--distpath", scratch / "dist", "--workpath", scratch / "work"]
    spec = HERE / "steelyard.spec"
    environ = {**os.environ, "STEELYARD_EXECUTABLE_NAME": Path(name).stem if IS_WINDOWS else name}
    run([python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", *folders, spec], environ=environ)
    return scratch / "dist" / name


def prove(executable: Path, folder: Path) -> None:
    """Run it as a user would, in a folder that holds the examples and nothing else. Raises ``SystemExit``."""
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks", ignore=shutil.ignore_patterns("speed", "__pycache__"))
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STEELYARD", "VIRTUAL"))
    }
    environ["PYTHON"] = sys.executable
    listed = run([executable, "plugins"], folder=folder, environ=environ)
    expected = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["steelyard"]
    missing = [name for name in expected if f"{name} " not in listed]
    if missing or "failed" in listed:
        raise SystemExit(f"plugins are missing or broken: {', '.join(missing)}\n{listed}")
    for example, passed in (("quickstart.yaml", 6), ("scorers.yaml", 10), ("support-bot/support-bot.yaml", 7)):
        run([executable, "run", f"benchmarks/{example}", "-o", "record.json"], folder=folder, environ=environ)
        record = json.loads((folder / "record.json").read_text("utf-8"))
        best = max(combo["success"] for combo in record["results"])
        if best != passed:
            raise SystemExit(f"{example}: {best} cases passed, wanted {passed}")


def run(command: Sequence[str | Path], *, folder: Path = ROOT, environ: Mapping[str, str] | None = None) -> str:
    """Run a command and return what it prints. Raises ``SystemExit`` when it fails."""
    done = subprocess.run(  # noqa: S603 - our own command lines
        [str(word) for word in command],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    main()
