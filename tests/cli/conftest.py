from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

COMMANDS = """
import os
import sys
import time

import click

print("the commands of a plugin were imported", file=sys.stderr)


@click.command(help="Does what it is told.")
@click.argument("what")
def act(what):
    if what == "fail":
        raise KeyError("sk-live-0123456789abcdef and " + os.environ["OUR_API_KEY"])
    if what == "wait":
        print("waiting", flush=True)
        time.sleep(60)
    if what == "wait-for-thread":
        import threading
        threading.Thread(target=time.sleep, args=(60,)).start()
        print("waiting", flush=True)
        time.sleep(60)
    if what == "wait-stubbornly":
        from steelyard.cli.interrupt import end_at_the_next
        try:
            print("waiting", flush=True)
            time.sleep(60)
        finally:
            end_at_the_next()
            print("stopping", flush=True)
            time.sleep(60)
    if what == "chat":
        for number in range(100_000):
            print(number)
        print("said it all", file=sys.stderr)
    if what == "open":
        open("no/such/file.yaml")
    if what == "results":
        print(click.get_current_context().meta["steelyard.results_dir"]())
    if what == "full":
        raise OSError(28, "No space left on device")
    if what == "lost":
        raise OSError("the line went dead")
    if what == "colour":
        click.echo(click.style("red", fg="red"))
    if what == "abort":
        raise click.Abort
    if what == "symbols":
        print("测试-1 done ✓ 🎯 Δ \\ud800")
        print("测试-1 done ✓ 🎯 Δ \\ud800", file=sys.stderr)


not_a_command = "a text"
"""

ENTRY_POINTS = """
[steelyard.commands]
act = fixture_commands:act
broken = fixture_broken:command
text = fixture_commands:not_a_command
run = fixture_commands:act
"""


@dataclass(frozen=True)
class Steelyard:
    """Runs the command as users do: in a process of its own, with nothing but what the test gives it."""

    folder: Path
    environ: Mapping[str, str]

    def __call__(self, *arguments: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            check=False,
            cwd=self.folder,
            env={**self.environ, **(env or {})},
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=60,
        )

    def start(self, *arguments: str, stdout: int | None = subprocess.PIPE) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.folder,
            env=self.environ,
            stdout=stdout,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
        )

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "steelyard", *arguments]


def bare_environ() -> dict[str, str]:
    kept = (
        "PATH",
        "PYTHONPATH",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "TMPDIR",
        "HOME",
        "USERPROFILE",
        "COVERAGE_PROCESS_START",
    )
    return {name: os.environ[name] for name in kept if name in os.environ} | {"PYTHONUTF8": "1"}


@pytest.fixture
def steelyard(tmp_path: Path) -> Steelyard:
    home = tmp_path / "home"
    home.mkdir()
    folder = tmp_path / "project"
    folder.mkdir()
    return Steelyard(folder, bare_environ() | {"HOME": str(home), "XDG_CONFIG_HOME": str(home)})


@pytest.fixture(scope="session")
def commands_distribution(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds an installed distribution with commands, some of which cannot be used."""
    site = tmp_path_factory.mktemp("site")
    (site / "fixture_commands.py").write_text(COMMANDS, encoding="utf-8")
    (site / "fixture_broken.py").write_text("import no_such_library\n", encoding="utf-8")
    info = site / "steelyard_acts-0.3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: steelyard-acts\nVersion: 0.3\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(ENTRY_POINTS, encoding="utf-8")
    return site


@pytest.fixture
def with_commands(steelyard: Steelyard, commands_distribution: Path) -> Steelyard:
    path = os.pathsep.join(filter(None, [str(commands_distribution), steelyard.environ.get("PYTHONPATH", "")]))
    return Steelyard(steelyard.folder, {**steelyard.environ, "PYTHONPATH": path, "OUR_API_KEY": "a-key-of-ours-42"})


@pytest.fixture
def write(steelyard: Steelyard) -> Callable[[str, str], Path]:
    """Write a file of the project."""

    def write_file(name: str, text: str) -> Path:
        path = steelyard.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return write_file
