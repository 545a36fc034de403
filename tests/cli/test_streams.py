from __future__ import annotations

import pytest

from steelyard.cli.streams import color_wanted


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, None),
        ({"TERM": "xterm"}, None),
        ({"TERM": "dumb"}, False),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_unless_the_user_says_otherwise(environ, wanted):
    assert color_wanted(environ) is wanted


@pytest.mark.parametrize(("env", "coloured"), [({}, False), ({"FORCE_COLOR": "1"}, True), ({"NO_COLOR": "1"}, False)])
def test_a_pipe_gets_colour_only_when_it_is_forced(steelyard, env, coloured):
    done = steelyard("no-such-command", env=env)

    assert done.returncode == 2
    assert ("\x1b[" in done.stderr) is coloured
