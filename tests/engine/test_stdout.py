"""Standard output is kept from what worker threads print, and is otherwise as it was."""

from __future__ import annotations

import asyncio
import io
import sys
import threading

import pytest

from steelyard._engine.stdout import printing_aside
from steelyard._engine.threads import Threads


def test_a_worker_prints_to_standard_error_and_everybody_else_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    reached, may_end = threading.Event(), threading.Event()

    def work() -> str:
        sys.stdout.write("the worker\n")
        sys.stdout.write("writes, too\n")
        reached.set()
        may_end.wait(60)
        return "done"

    async def run() -> str:
        async def meanwhile() -> None:
            while not reached.is_set():
                await asyncio.sleep(0.001)
            sys.stdout.write("the loop\n")
            may_end.set()

        return (await asyncio.gather(Threads().call(work), meanwhile()))[0]

    assert asyncio.run(run()) == "done"
    told = capsys.readouterr()
    assert (told.out, told.err) == ("the loop\n", "the worker\nwrites, too\n")


def test_standard_output_is_the_same_object_afterwards_whatever_happened() -> None:
    before = sys.stdout

    def fail() -> None:
        with printing_aside():
            assert sys.stdout is not before
            assert sys.stdout.encoding == sys.stderr.encoding
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert sys.stdout is before


def test_a_stream_that_somebody_else_has_put_there_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = io.StringIO()

    with printing_aside():
        monkeypatch.setattr(sys, "stdout", theirs)

    assert sys.stdout is theirs


def test_a_process_without_standard_output_has_none_to_divide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)

    with printing_aside():
        print("nobody hears it")  # noqa: T201 - which does not mind

    assert sys.stdout is None


def test_what_is_printed_after_an_inner_block_still_belongs_to_the_outer_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with printing_aside():
        with printing_aside():
            sys.stdout.write("inner\n")
        sys.stdout.write("outer\n")
    sys.stdout.write("after\n")

    assert capsys.readouterr() == ("after\n", "inner\nouter\n")
