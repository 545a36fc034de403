"""What the command does before it does anything: help, version, and what it leaves unread."""

from __future__ import annotations

import subprocess
import sys

import pytest

from steelyard import __version__

# Imports the command line, asks it for something, and prints what that has imported.
IMPORTED = """
import sys
from steelyard.cli import main
main(sys.argv[1:])
print("\\n".join(sys.modules), file=sys.stderr)
"""


def imported_by(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, *arguments], capture_output=True, encoding="utf-8", timeout=60, check=True
    )
    return set(done.stderr.split())


@pytest.mark.parametrize("question", ["--help", "--version"])
def test_help_and_version_import_no_command_no_plugin_and_no_slow_library(question):
    imported = imported_by(question)

    assert "click" in imported
    assert not imported & {"httpx", "jinja2", "rich", "yaml", "pluggy", "asyncio", "sqlite3"}
    assert not [name for name in imported if name.startswith("steelyard_")]
    commands = {f"steelyard.cli.{name}" for name in ("run", "validate", "plugins", "cache")}
    assert not imported & (commands | {"steelyard.session", "steelyard.api"})


def test_the_version_is_one_line_that_scripts_can_read(steelyard):
    done = steelyard("--version")

    assert (done.returncode, done.stdout, done.stderr) == (0, f"steelyard {__version__}\n", "")


def test_every_command_of_ours_is_listed_with_a_line_about_it_and_has_help(steelyard):
    listed = steelyard("-h")

    assert listed.returncode == 0
    section = listed.stdout.partition("Commands:\n")[2]
    lines = [line.split(maxsplit=1) for line in section.splitlines() if line.startswith("  ") and line[2] != " "]
    assert {"run", "validate", "cache", "plugins"} <= {line[0] for line in lines}
    assert all(len(line) > 1 for line in lines)


@pytest.mark.parametrize("command", ["run", "validate", "plugins", "cache", "cache clear", "cache prune"])
def test_the_short_help_option_works_everywhere(steelyard, command):
    done = steelyard(*command.split(), "-h")

    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: steelyard {command} ")


@pytest.mark.parametrize("group", [[], ["cache"]])
def test_no_command_at_all_is_wrong_usage_and_shows_the_help(steelyard, group):
    done = steelyard(*group)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Usage: steelyard")


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("rnu", "no such command 'rnu'; did you mean 'run'?"),
        ("qqqq", "no such command 'qqqq'"),
        ("my.yaml", "no such command 'my.yaml'; did you mean 'steelyard run my.yaml'?"),
    ],
)
def test_an_unknown_command_is_wrong_usage_and_gets_a_suggestion(steelyard, wrong, advice):
    done = steelyard(wrong)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines()[0] == f"error: {advice}"


def test_a_shell_can_ask_for_completions_of_commands_and_options(steelyard):
    def completions(words: str) -> list[str]:
        at = str(len(words.split(" ")) - 1)
        asked = {"_STEELYARD_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": at}
        done = steelyard(env=asked)
        assert done.returncode == 0
        return done.stdout.split()

    assert completions("steelyard va") == ["plain,validate"]
    assert "plain,--max-cost" in completions("steelyard run --max")
