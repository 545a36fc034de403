"""A reporter's name as an option of ``run``: what evalkit's users type, and for every other reporter too."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET

import pytest


def plain(message: str) -> str:
    """Return a message of click without the marks that differ between its versions."""
    return message.replace("option: ", "option ").replace("'", "")


@pytest.fixture
def run(keyless):
    keyless.write("b.json", json.dumps(BENCHMARK))
    return lambda *arguments: keyless("run", "b.json", "-q", *arguments)


BENCHMARK = {
    "name": "Small",
    "models": ["mock:m"],
    "prompts": [{"id": "p", "template": "{{ q }}"}],
    "test_cases": [{"id": "a", "variables": {"q": "x"}, "expected_output": "x", "evaluation": "exact_match"}],
}


def test_files_are_written_as_with_the_option_that_is_short_for_it(run, desk):
    done = run("--junit", "one.report", "--markdown=two.report", "--badge", "three.json", "-o", "four.json")

    assert done.returncode == 0, done.stderr
    assert ET.parse(desk.folder / "one.report").getroot().tag in {"testsuite", "testsuites"}
    assert (desk.folder / "two.report").read_text("utf-8").startswith("# Small")
    assert json.loads((desk.folder / "three.json").read_text("utf-8"))["message"] == "1/1 passed"
    assert json.loads((desk.folder / "four.json").read_text("utf-8"))["benchmark"] == "Small"


def test_the_same_one_can_be_asked_for_twice(run, desk):
    assert run("--junit", "one.xml", "--junit", "two.xml").returncode == 0
    assert (desk.folder / "one.xml").exists()
    assert (desk.folder / "two.xml").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--junit"], "Option --junit requires an argument."),
        (["--jnuit", "x"], "No such option --jnuit"),
        (["--junit", "nowhere.xml", "--limt", "1"], "No such option --limt"),
        (["-o", "junit:ok.xml", "--no-plugin-at-all", "x"], "No such option"),
    ],
)
def test_what_is_no_reporter_is_no_option(run, desk, arguments, message):
    done = run(*arguments)

    assert done.returncode == 2
    assert message in plain(done.stderr)
    assert not list(desk.folder.glob("*.xml"))


def test_a_reporter_that_is_switched_off_is_no_option(keyless, run):
    done = keyless("--no-plugin", "junit", "run", "b.json", "--junit", "x.xml")

    assert (done.returncode, "No such option --junit" in plain(done.stderr)) == (2, True)
