"""Commands that plugins add: listed by name, imported when called, and harmless to everything else."""

from __future__ import annotations

import pytest


def test_a_plugin_command_is_listed_by_name_without_being_imported(with_commands):
    done = with_commands("--help")

    assert done.returncode == 0
    assert "act" in done.stdout.partition("Plugin commands:")[2]
    assert "steelyard-acts 0.3" in done.stdout
    assert "were imported" not in done.stderr


def test_a_plugin_command_runs_as_one_of_ours(with_commands):
    done = with_commands("act", "nothing")

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(("env", "printed"), [({}, "red\n"), ({"FORCE_COLOR": "1"}, "\x1b[31mred\x1b[0m\n")])
def test_a_plugin_command_is_coloured_like_ours(with_commands, env, printed):
    assert with_commands("act", "colour", env=env).stdout == printed


def test_a_broken_plugin_command_is_one_line_when_called_and_nothing_otherwise(with_commands):
    called = with_commands("broken")
    listed = with_commands("--help")

    assert called.returncode == 1
    assert called.stderr.splitlines()[0].startswith("error: plugin 'broken' (steelyard-acts 0.3): loading: ")
    assert "no_such_library" in called.stderr
    assert len(called.stderr.splitlines()) == 1
    assert (listed.returncode, listed.stderr) == (0, "")


def test_what_a_plugin_offers_as_a_command_must_be_one(with_commands):
    done = with_commands("text")

    assert done.returncode == 1
    assert "the command 'text' must be a click.Command, got str" in done.stderr


def test_a_plugin_cannot_take_the_name_of_a_command_of_ours(with_commands):
    listed = with_commands("--help").stdout
    helped = with_commands("run", "-h")

    assert "run" not in listed.partition("Plugin commands:")[2]
    assert "every model with every prompt" in helped.stdout


def test_a_blocked_plugin_has_no_command(with_commands):
    by_flag = with_commands("--no-plugin", "steelyard-acts", "act", "nothing")
    by_variable = with_commands("act", "nothing", env={"STEELYARD_NO_PLUGINS": "other, act"})

    for done in (by_flag, by_variable):
        assert done.returncode == 2
        assert done.stderr.startswith("error: no such command 'act'")


def test_completion_offers_plugin_commands_without_importing_them(with_commands):
    asked = {"_STEELYARD_COMPLETE": "bash_complete", "COMP_WORDS": "steelyard ", "COMP_CWORD": "1"}
    done = with_commands(env=asked)

    assert "plain,act" in done.stdout.split()
    assert "were imported" not in done.stderr


def test_a_plugin_command_is_told_the_results_folder_of_the_settings(with_commands):
    (with_commands.folder / "steelyard.yaml").write_text("results_dir: kept\n", "utf-8")

    by_project = with_commands("act", "results")
    by_variable = with_commands("act", "results", env={"STEELYARD_RESULTS_DIR": "elsewhere"})

    folder = with_commands.folder.resolve()
    assert (by_project.returncode, by_project.stdout) == (0, f"{folder / 'kept'}\n")
    assert by_variable.stdout == f"{folder / 'elsewhere'}\n"


def test_wrong_settings_are_one_line_to_a_plugin_command_that_asks_and_nothing_to_another(with_commands):
    (with_commands.folder / "steelyard.yaml").write_text("results_dir: [1]\n", "utf-8")

    asking, other = with_commands("act", "results"), with_commands("act", "nothing")

    assert (asking.returncode, other.returncode) == (1, 0)
    assert "results_dir" in asking.stderr
    assert "Traceback" not in asking.stderr
