"""What users and scripts see when something goes wrong, whatever it is."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from steelyard import __version__
from steelyard.cli.boundary import guarded
from steelyard.cli.invocation import Invocation

posix = pytest.mark.skipif(os.name == "nt", reason="signals and closed pipes are the system's own on Windows")


def test_a_fault_of_our_own_is_one_line_with_a_report_file_that_holds_the_traceback(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["steelyard", "run", "x.yaml"])
    (tmp_path / ".steelyard_cache").mkdir()

    code = guarded(_failing, Invocation())

    said = capsys.readouterr()
    assert (code, said.out) == (70, "")
    assert said.err.startswith("error: a fault of steelyard itself: KeyError: 'oops'; please report it with ")
    assert len(said.err.splitlines()) == 1
    (report,) = (tmp_path / ".steelyard_cache").glob("steelyard-crash-*.txt")
    assert said.err.rstrip().endswith(str(report))
    text = report.read_text(encoding="utf-8")
    assert text.startswith(f"steelyard {__version__} stopped through a fault of its own\n")
    assert "Traceback (most recent call last)" in text
    assert "steelyard run x.yaml" in text


def _failing():
    raise KeyError("oops")


def test_a_plugin_s_command_that_crashes_is_blamed_on_its_distribution_in_the_line_and_in_the_report(with_commands):
    (with_commands.folder / ".steelyard_cache").mkdir()

    done = with_commands("act", "lost")

    assert (done.returncode, done.stdout) == (1, "")
    said = done.stderr.splitlines()[-1]
    blamed = "command 'act' of plugin 'act' (steelyard-acts 0.3)"
    assert said.startswith(f"error: {blamed}: OSError: the line went dead; report it to its author with ")
    assert said.endswith("or see where with 'steelyard --debug' before the command")
    assert "fault of steelyard" not in done.stderr
    (report,) = (with_commands.folder / ".steelyard_cache").glob("steelyard-crash-*.txt")
    text = report.read_text(encoding="utf-8")
    assert text.startswith(f"{blamed} stopped through a fault of its own\n")
    assert "steelyard act lost" in text
    (plugins,) = (line for line in text.splitlines() if line.startswith("plugins:"))
    assert "steelyard-acts 0.3" in plugins  # a distribution that adds nothing but commands


def test_neither_the_line_nor_the_report_of_a_fault_shows_a_key(with_commands):
    (with_commands.folder / ".steelyard_cache").mkdir()
    done = with_commands("act", "fail")
    shown = with_commands("--debug", "act", "fail")

    reports = list((with_commands.folder / ".steelyard_cache").glob("steelyard-crash-*.txt"))
    assert len(reports) == 1
    for text in (done.stderr, shown.stderr, reports[0].read_text(encoding="utf-8")):
        assert "a-key-of-ours-42" not in text
        assert "0123456789abcdef" not in text
        assert "[redacted]" in text


def test_debug_shows_the_traceback_and_keeps_the_exit_code(with_commands):
    fault = with_commands("--debug", "act", "fail")
    mistake = with_commands("--debug", "broken")

    assert (fault.returncode, mistake.returncode) == (1, 1)
    assert "Traceback (most recent call last)" in fault.stderr
    assert "ModuleNotFoundError" in mistake.stderr
    assert mistake.stderr.splitlines()[-1].startswith("error: plugin 'broken'")


def test_a_file_that_the_system_refuses_is_the_users_matter_and_named(with_commands):
    done = with_commands("act", "open")

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "error: no/such/file.yaml: No such file or directory"


def test_a_full_disk_is_the_users_matter_and_any_other_failure_of_the_system_is_ours(tmp_path, monkeypatch, capsys):
    def failing(error):
        raise error

    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    full = guarded(lambda: failing(OSError(errno.ENOSPC, "No space left on device")), Invocation())
    said_of_full = capsys.readouterr().err
    lost = guarded(lambda: failing(OSError("the line went dead")), Invocation())

    assert (full, said_of_full) == (1, "error: No space left on device\n")
    assert lost == 70
    assert "OSError: the line went dead" in capsys.readouterr().err


def test_a_declined_question_counts_as_an_interruption(with_commands):
    done = with_commands("act", "abort")

    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "Interrupted."


@posix
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("how", ["wait", "wait-for-thread"])
def test_a_signal_ends_the_command_at_once_with_one_line(with_commands, stop, how):
    process = with_commands.start("act", how)
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(stop)
    stdout, stderr = process.communicate(timeout=120)

    assert process.returncode == 130
    assert stdout == ""
    assert stderr.splitlines()[1:] == ["Interrupted."]


@posix
def test_a_second_interrupt_ends_the_goodbye_without_a_word(with_commands):
    process = with_commands.start("act", "wait-stubbornly")
    assert process.stdout is not None
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopping\n"
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=120)

    assert process.returncode == 130
    assert "Traceback" not in stderr


@posix
def test_a_reader_that_leaves_early_ends_nothing_and_hears_nothing(with_commands):
    process = with_commands.start("act", "chat")
    assert process.stdout is not None
    assert process.stdout.readline() == "0\n"
    process.stdout.close()
    assert process.stderr is not None
    stderr = process.stderr.read()
    process.stderr.close()

    assert process.wait(timeout=120) == 0
    assert stderr.splitlines()[1:] == ["said it all"]


@posix
def test_output_that_cannot_be_written_is_an_error(with_commands):
    if not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    with Path("/dev/full").open("w") as full:
        process = with_commands.start("--version", stdout=full.fileno())
        _, stderr = process.communicate(timeout=120)

    assert process.returncode == 1
    assert stderr == "error: standard output: No space left on device\n"


@posix
def test_closed_standard_streams_are_no_fault(with_commands):
    line = f"{sys.executable} -m steelyard --version >&- 2>&-"
    done = subprocess.run(["sh", "-c", line], check=False, env=with_commands.environ, timeout=60)

    assert done.returncode == 0


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_that_lacks_a_character_shows_a_replacement(with_commands, encoding):
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
    process = subprocess.run(
        with_commands.command("act", "symbols"),
        check=False,
        env={**with_commands.environ, **env},
        cwd=with_commands.folder,
        capture_output=True,
        timeout=60,
    )

    assert process.returncode == 0
    for output in (process.stdout, process.stderr.splitlines()[-1]):
        assert output.decode(encoding).strip() == "??-1 done ? ? ? ?"


def test_wrong_usage_is_an_error_line_and_a_pointer_to_the_help(steelyard):
    done = steelyard("cache", "prune", "--older-than", "30")

    assert (done.returncode, done.stdout) == (2, "")
    wrong = "must be a number with a unit (s, m, h, d or w) such as 30d, got '30'"
    assert done.stderr.splitlines() == [
        f"error: Invalid value for '--older-than': {wrong}",
        "Try 'steelyard cache prune --help'.",
    ]
