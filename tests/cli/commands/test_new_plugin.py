"""What ``new-plugin`` writes where, what it refuses, and that nothing is ever half written."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

KINDS = ("scorer", "provider", "reporter", "cache", "format", "command")
LONGEST = "a" * 40


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_package_is_written_into_a_folder_of_its_name(desk):
    done = desk("new-plugin", "steelyard-tone", "--kind", "scorer")

    assert (done.returncode, done.stdout) == (0, f"Wrote {desk.folder / 'steelyard-tone'}\n"), done.stderr
    assert left_in(desk.folder) == ["steelyard-tone"]
    files = {path.relative_to(desk.folder / "steelyard-tone").as_posix() for path in desk.folder.rglob("*.*")}
    assert files >= {
        "pyproject.toml",
        "README.md",
        "example.yaml",
        ".gitignore",
        ".github/workflows/ci.yml",
        "src/steelyard_tone/__init__.py",
        "src/steelyard_tone/py.typed",
        "tests/test_scorer.py",
    }
    assert not [name for name in files if name.endswith(".in")]


def test_the_next_steps_are_told_on_standard_error(desk):
    done = desk("new-plugin", "steelyard-tone", "--kind", "reporter")

    lines = [line.strip() for line in done.stderr.splitlines()]
    assert lines[1:5] == [
        "cd steelyard-tone",
        'pip install -e ".[dev]"',
        "pytest && ruff check . && mypy",
        "steelyard run example.yaml -o tone:report.txt",
    ]


def test_the_next_step_of_a_provider_works_without_a_server_and_a_key(desk):
    done = desk("new-plugin", "steelyard-tone", "--kind", "provider")

    assert done.stderr.splitlines()[4].strip() == "steelyard validate example.yaml"


@pytest.mark.parametrize(
    ("name", "module", "component"),
    [
        ("steelyard-tone", "steelyard_tone", "tone"),
        ("tone", "steelyard_tone", "tone"),
        ("Steelyard_Good.Tone", "steelyard_good_tone", "good_tone"),
        ("json", "steelyard_json", "json"),
    ],
)
def test_every_name_follows_from_the_package_s(desk, name, module, component):
    done = desk("new-plugin", name, "--kind", "cache")

    if name == "json":  # a built-in reporter has it
        assert done.returncode == 1
        return
    project = tomllib.loads((desk.folder / name / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == name
    assert project["entry-points"] == {"steelyard": {component: module}}
    assert (desk.folder / name / "src" / module / "__init__.py").is_file()


def test_a_command_has_an_entry_in_the_group_of_commands(desk):
    desk("new-plugin", "steelyard-how_many", "--kind", "command")

    project = tomllib.loads((desk.folder / "steelyard-how_many" / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"] == {"steelyard.commands": {"how-many": "steelyard_how_many:command"}}
    assert any(one.startswith("click") for one in project["dependencies"])


def test_a_name_that_does_not_say_steelyard_is_taken_with_a_note(desk):
    assert "'steelyard-tone'" in desk("new-plugin", "tone", "--kind", "scorer").stderr
    assert "note" not in desk("new-plugin", "steelyard-voice", "--kind", "scorer").stderr
    assert "note" not in desk("new-plugin", "steelyard_verve", "--kind", "scorer").stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("my plugin", "'my plugin' is no name for a package: it must be"),
        ("my plugin", "did you mean 'my-plugin'?"),
        ("-x-", "did you mean 'x'?"),
        ("../up", "did you mean 'up'?"),
        ("a/b", "did you mean 'a-b'?"),
        ("tön", "is no name for a package"),
        ("\u212aey", "is no name for a package"),
        ("", "is no name for a package"),
        ("steelyard", "'steelyard' is steelyard's own name; add what the plugin is for: steelyard-..."),
        ("steelyard-2fast", "makes a component called '2fast', which must start with a letter"),
        (LONGEST + "a", "has 41 characters; choose a name of at most 40"),
    ],
)
def test_a_name_that_nothing_can_have_is_wrong_usage(desk, name, said):
    done = desk("new-plugin", "--kind", "scorer", "--", name)

    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr.splitlines()[0]
    assert left_in(desk.folder) == []


@pytest.mark.parametrize(
    ("name", "kind", "said"),
    [
        ("steelyard-contains", "scorer", "'contains' belongs to steelyard already"),
        ("steelyard-sqlite", "scorer", "'sqlite' belongs to steelyard already"),
        ("steelyard-run", "command", "'run' belongs to steelyard already"),
        ("new_plugin", "command", "'new-plugin' belongs to steelyard already"),
    ],
)
def test_a_name_that_two_plugins_would_have_is_refused(desk, name, kind, said):
    done = desk("new-plugin", name, "--kind", kind)

    assert (done.returncode, done.stdout) == (1, "")
    assert said in done.stderr
    assert "choose another, such as 'steelyard-my-" in done.stderr
    assert left_in(desk.folder) == []


def test_a_kind_is_needed_and_there_are_six(desk):
    without, wrong = desk("new-plugin", "x"), desk("new-plugin", "x", "--kind", "scorers")

    assert (without.returncode, wrong.returncode) == (2, 2)
    for done in (without, wrong):
        assert all(kind in done.stderr for kind in KINDS)


def test_of_several_kinds_none_is_dropped_without_a_word(desk):
    done = desk("new-plugin", "x", "--kind", "scorer", "--kind", "cache")

    assert done.returncode == 2
    assert "a new package has one kind of plugin, got scorer, cache; name one" in done.stderr
    assert left_in(desk.folder) == []


def test_a_folder_with_something_in_it_is_left_as_it_is(desk):
    desk.write("steelyard-tone/notes.txt", "mine")

    done = desk("new-plugin", "steelyard-tone", "--kind", "scorer")

    assert (done.returncode, done.stdout) == (1, "")
    assert "steelyard-tone: is a folder that is not empty; choose another name" in done.stderr
    assert left_in(desk.folder / "steelyard-tone") == ["notes.txt"]


def test_an_empty_folder_is_filled(desk):
    (desk.folder / "steelyard-tone").mkdir()

    assert desk("new-plugin", "steelyard-tone", "--kind", "scorer").returncode == 0
    assert (desk.folder / "steelyard-tone" / "pyproject.toml").is_file()
    assert left_in(desk.folder) == ["steelyard-tone"]


def test_a_file_of_that_name_is_left_as_it_is(desk):
    desk.write("steelyard-tone", "mine")

    done = desk("new-plugin", "steelyard-tone", "--kind", "scorer")

    assert "steelyard-tone: exists already" in done.stderr
    assert (desk.folder / "steelyard-tone").read_text("utf-8") == "mine"


def test_a_folder_that_cannot_be_written_whole_is_not_written_at_all(desk, monkeypatch):
    written = []
    write_text = Path.write_text

    def full_at_the_third(path, *arguments, **options):
        written.append(path)
        if len(written) == 3:
            raise OSError(28, "No space left on device", str(path))
        return write_text(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", full_at_the_third)
    done = desk("new-plugin", "steelyard-tone", "--kind", "scorer")

    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert left_in(desk.folder) == []


@pytest.mark.parametrize("name", ["b", LONGEST, "steelyard-Some.longer_name"])
@pytest.mark.parametrize("kind", KINDS)
def test_lint_and_layout_are_right_whatever_the_name_is(desk, name, kind):
    desk("new-plugin", name, "--kind", kind)

    for check in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *check, "--no-cache", name],
            cwd=desk.folder,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
