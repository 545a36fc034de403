"""The kit finds what is wrong with a command: for each fault a command that has it, and the check that says so."""

from __future__ import annotations

import textwrap

import pytest

from steelyard.testing import command_checks

RIGHT = '''
import click

@click.command()
@click.argument("name")
def command(name):
    """Greet somebody."""
    from steelyard.errors import UsageError
    if name == "nobody":
        raise UsageError("nobody: is not there; name somebody")
    click.echo(f"hello {name}")
'''
GOOD = {"a name": (["Ada"], "hello Ada")}
BAD = {"nobody": (["nobody"], "is not there")}


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Install a command and return the names of the promises that it breaks."""

    def install(source, *, name="greet", good=GOOD, bad=BAD, offered=True, **options):
        (tmp_path / "kit_greets.py").write_text(textwrap.dedent(source), encoding="utf-8")
        info = tmp_path / "kit_greets-0.3.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kit-greets\nVersion: 0.3\n", encoding="utf-8")
        entries = f"[steelyard.commands]\n{name} = kit_greets:command\n" if offered else ""
        (info / "entry_points.txt").write_text(entries, encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        found = []
        for check in command_checks(name, good, bad, **options):
            try:
                check()
            except AssertionError as error:
                found.append(f"{check}: {error}")
        return found

    return install


def names(found):
    return [line.partition(":")[0] for line in found]


def test_a_right_command_breaks_no_promise(broken):
    assert broken(RIGHT) == []


def test_what_the_arguments_name_can_be_prepared(broken):
    source = RIGHT.replace('f"hello {name}"', "open(name, encoding='utf-8').read()")

    assert (
        broken(source, good={"a file": (["a.txt"], "hello")}, prepare=lambda d: (d / "a.txt").write_text("hello")) == []
    )


def test_a_command_that_nobody_offers_is_found(broken):
    (line, *_) = [line for line in broken(RIGHT, offered=False) if line.startswith("the name is its own")]

    assert "no installed package offers 'greet' in the group 'steelyard.commands'; is yours installed?" in line


def test_a_name_of_steelyard_s_own_is_found(broken):
    (line, *_) = [line for line in broken(RIGHT, name="run") if line.startswith("the name is its own")]

    assert "the command 'run' belongs to steelyard; rename the entry point" in line


def test_a_name_that_nobody_can_type_is_found(broken):
    assert {"the name can be typed", "the name is its own"} <= set(names(broken(RIGHT, name="Greet")))


FAULTS = {
    "no help": (RIGHT.replace('"""Greet somebody."""', ""), "the help says what it does"),
    "heavy at the top": (f"import steelyard.session\n{RIGHT}", "the help waits for nothing heavy"),
    "options that are swallowed": (
        RIGHT.replace("click.command()", "click.command(context_settings={'ignore_unknown_options': True})"),
        "an unknown option is wrong usage",
    ),
    "another answer": (RIGHT.replace("hello", "goodbye"), "it succeeds with a name"),
    "colour without a terminal": (
        RIGHT.replace('click.echo(f"hello {name}")', 'print(f"hello {name}\\x1b[0m")'),
        "it succeeds with a name",
    ),
    "an exit code that says failure": (f"{RIGHT}    raise SystemExit(3)\n", "it succeeds with a name"),
    "a fault that is passed over": (
        RIGHT.replace('raise UsageError("nobody: is not there; name somebody")', "return"),
        "it refuses nobody",
    ),
    "a fault without a word": (
        RIGHT.replace('raise UsageError("nobody: is not there; name somebody")', "raise SystemExit(1)"),
        "it refuses nobody",
    ),
    "a bare exception": (
        RIGHT.replace('raise UsageError("nobody: is not there; name somebody")', 'raise KeyError("is not there")'),
        "it refuses nobody",
    ),
    "a traceback": (
        RIGHT.replace(
            'raise UsageError("nobody: is not there; name somebody")',
            'import sys, traceback; sys.stderr.write("error: is not there\\n" + "".join(traceback.format_stack()));'
            ' print("Traceback (most recent call last)", file=sys.stderr); raise SystemExit(1)',
        ),
        "it refuses nobody",
    ),
    "no command": ("command = 3\n", "the help says what it does"),
    "a module that cannot be imported": ("import no_such_library\n", "the help says what it does"),
}


@pytest.mark.parametrize(("source", "promise"), FAULTS.values(), ids=FAULTS)
def test_a_wrong_command_is_found(broken, source, promise):
    assert promise in names(broken(source))


def test_a_command_without_an_example_that_works_is_no_proof(broken):
    assert "an example shows that it works" in names(broken(RIGHT, good={}))
