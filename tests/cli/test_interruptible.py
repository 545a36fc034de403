"""What the first and the second interrupt do to work on an event loop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="sends signals to another process")

WORK = """
import asyncio, sys, time
from steelyard.cli import interrupt
from steelyard.cli.interruptible import run_interruptibly

async def stubborn():
    await asyncio.sleep(0)
    try:
        say("waiting")
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        say("putting things in order")
        await asyncio.sleep(600)

async def orderly():
    await asyncio.sleep(0)
    try:
        say("waiting")
        await asyncio.sleep(600)
    finally:
        await asyncio.sleep(0.01)
        say("in order")

async def finishing():
    await asyncio.sleep(0)
    try:
        say("waiting")
        await asyncio.sleep(600)
    except asyncio.CancelledError:
        return "done all the same"

async def at_once():
    await asyncio.sleep(0)
    return "done"

async def reading():
    say("waiting")
    time.sleep(600)

def say(word):
    print(word, flush=True)

try:
    interrupt.stop_if_asked()
    say(run_interruptibly(globals()[sys.argv[1]](), last_words="the last words"))
    if sys.argv[2:]:
        interrupt.stop_if_asked()
        say("began something else")
except KeyboardInterrupt:
    say("stopped")
"""


class Process:
    def __init__(self, *work: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORK, *work], stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )

        self.watchdog = threading.Timer(30, self.process.kill)
        self.watchdog.start()

    def hears(self, word: str) -> None:
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == f"{word}\n"

    def ends(self) -> tuple[int, str, str]:
        stdout, stderr = self.process.communicate()
        self.watchdog.cancel()
        return self.process.returncode, stdout, stderr


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_first_interrupt_lets_the_work_put_things_in_order(stop):
    process = Process("orderly")
    process.hears("waiting")
    process.process.send_signal(stop)

    assert process.ends() == (0, "in order\nstopped\n", "")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_second_interrupt_ends_the_process_with_the_last_words(stop):
    process = Process("stubborn")
    process.hears("waiting")
    process.process.send_signal(signal.SIGINT)
    process.hears("putting things in order")
    process.process.send_signal(stop)

    assert process.ends() == (130, "", "the last words\n")


def test_an_interrupt_while_nothing_is_awaited_yet_is_heard_at_once():
    process = Process("reading")
    process.hears("waiting")
    process.process.send_signal(signal.SIGINT)

    assert process.ends() == (0, "stopped\n", "")


def test_work_that_finishes_in_spite_of_an_interrupt_has_finished():
    process = Process("finishing")
    process.hears("waiting")
    process.process.send_signal(signal.SIGINT)

    assert process.ends() == (0, "done all the same\n", "")


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_that_comes_too_late_for_some_work_keeps_other_work_from_beginning(stop):
    process = Process("finishing", "then something else")
    process.hears("waiting")
    process.process.send_signal(stop)

    assert process.ends() == (0, "done all the same\nstopped\n", "")


AFTER_THE_LOOP = (
    """
import asyncio, signal
run = asyncio.run

def run_and_interrupt(work):
    result = run(work)
    signal.raise_signal(signal.SIGINT)  # the loop is closed, and who listens is not yet the one from before
    return result

asyncio.run = run_and_interrupt
"""
    + WORK
)


def test_an_interrupt_between_the_end_of_the_loop_and_that_of_the_work_keeps_other_work_from_beginning():
    done = subprocess.run(
        [sys.executable, "-c", AFTER_THE_LOOP, "at_once", "and more"],
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\nstopped\n", "")
