"""The built-in providers that speak no model's API, against the kit that strangers use."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from steelyard_builtins.providers import command, http, mock
from steelyard_builtins.providers.command import CommandSettings
from steelyard_builtins.providers.http import HttpSettings
from steelyard_builtins.providers.mock import MockFailure, MockResponse, MockSettings

from steelyard.api import Message, Parameters, Usage
from steelyard.testing import SECRET, Reach, Reply, answer_checks, asked, make_context
from steelyard.testing.fake_api import silence

TALK = (
    Message(role="system", content="Be brief."),
    Message(role="user", content="one"),
    Message(role="assistant", content="two"),
    Message(role="user", content="say three"),
)

RULES = MockSettings(
    responses=(
        MockResponse(match="capital of France", output="Paris"),
        MockResponse(match="capital", output="a city"),
        MockResponse(match="busy", error=MockFailure(message="too much", status=503, retryable=True)),
        MockResponse(match="wrong", error=MockFailure(message="not so", status=400)),
    ),
    default="a longer answer",
)
# Four characters are a token, and what is begun counts: 21 characters are 6, 5 are 2, 15 are 4.
MOCK = [
    asked("The capital of France", text="Paris", usage=Usage(prompt_tokens=6, completion_tokens=2)),
    asked("The capital of Peru", text="a city"),
    asked("anything", text="a longer answer", usage=Usage(prompt_tokens=2, completion_tokens=4)),
    asked(TALK, text="say three", settings=MockSettings()),
    asked(
        "two words",
        text="two words",
        settings=MockSettings(tokens="words"),
        usage=Usage(prompt_tokens=2, completion_tokens=2),
    ),
    asked("busy", says="mock: too much", retryable=True),
    asked("wrong", says="mock: not so"),
    asked("first", says="simulated failure", retryable=True, settings=MockSettings(fail_times=1)),
    asked("x", text="other", settings=MockSettings(flaky=1.0, flaky_output="other")),
    asked("x", text="x", settings=MockSettings(flaky=0.0, flaky_output="other")),
]

PROGRAM = r"""
import json, os, sys, time
question = sys.stdin.read()
if question == "fail":
    sys.exit("no such thing")
if question == "hang":
    time.sleep(600)
if question == "seed":
    question = os.environ["STEELYARD_SEED"]
if question == "where":
    question = os.environ["PLACE"]
print(question.upper() + "\n")
"""
AS_JSON = "import json, sys; r = json.load(sys.stdin); print(r['model'], [m['role'] for m in r['messages']], r['seed'])"


def program(*words, **options):
    return CommandSettings(command=[sys.executable, "-c", *words], env={"PLACE": "here", "KEY": SECRET}, **options)


COMMAND = [
    asked("hello", text="HELLO"),
    asked("naïve 🎯\nline {{ braces }} $HOME", text="NAÏVE 🎯\nLINE {{ BRACES }} $HOME"),
    asked(TALK, text="SAY THREE"),
    asked("where", text="HERE"),
    asked("seed", text="7", parameters=Parameters(seed=7)),
    asked("fail", says="command: exited with status 1: no such thing"),
    asked("hang", hangs=True),
    asked(
        TALK,
        text="m ['system', 'user', 'assistant', 'user'] 5",
        model="m",
        parameters=Parameters(seed=5),
        settings=program(AS_JSON, stdin="json"),
    ),
    asked("a b; $(id)", text="a b; $(id)", settings=program("import sys; print(sys.argv[1])", "{{prompt}}")),
    asked("x", says="", settings=CommandSettings(command=["no-such-program-at-all"])),
]


PASSWORD = "a word that looks like no key"


def service(api):
    """A service that answers in capitals, and in other ways to some questions."""

    def answer(request):
        if request.headers.get("x-api-key") != PASSWORD:
            return Reply(status=401, error="who are you?")
        question = request.json["question"]
        special = {
            "busy": Reply(status=503, error="try later"),
            "wrong": Reply(status=400, error=f"no such thing, {PASSWORD}"),
            "null": Reply(body={"data": {"answer": None}}),
            "nothing": Reply(body={"data": {}}),
            "no JSON": Reply(body="hello"),
            "hang": silence(),
        }
        return special.get(question, Reply(body={"data": {"answer": question.upper()}}))

    api.route("/ask", answer)
    settings = HttpSettings(
        url=f"{api.origin}/ask",
        headers={"X-Api-Key": PASSWORD},
        body={"question": "{{prompt}}", "seed": 3},
        output_path="data.answer",
    )
    return Reach(settings=settings)


HTTP = [
    asked("hello", text="HELLO"),
    asked('naïve 🎯 "quoted" {{ braces }}', text='NAÏVE 🎯 "QUOTED" {{ BRACES }}'),
    asked(TALK, text="SAY THREE"),
    asked("busy", says="try later", retryable=True),
    asked("wrong", says="no such thing"),
    asked("null", says="there is nothing to grade"),
    asked("nothing", says="nothing at output_path 'data.answer'"),
    asked("no JSON", says="not JSON", retryable=True),
    asked("hang", hangs=True),
]

CHECKS = {
    "mock": answer_checks(mock.steelyard_register_providers()[0], MOCK, settings=RULES),
    "command": answer_checks(
        command.steelyard_register_providers()[0],
        COMMAND,
        settings=program(PROGRAM),
        context=make_context(Path(__file__).parent, environ=dict(os.environ)),
        secret=SECRET,
    ),
    "http": answer_checks(http.steelyard_register_providers()[0], HTTP, reach=service, secret=PASSWORD),
}


@pytest.mark.parametrize(
    "check", [pytest.param(check, id=f"{name}: {check}") for name, checks in CHECKS.items() for check in checks]
)
def test_the_provider_keeps_the_contract(check):
    check()
