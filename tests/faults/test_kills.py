"""A run that is killed at any moment goes on where it was, and pays for nothing twice that it had kept.

The moments come from seeds: so many answers after the start, and a little later.
"""

from __future__ import annotations

import random
import re
import signal
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

LATENCY_S = 0.01
KILLS = 50
BATCH = 5
GENTLE = 16
HANDS = 4
"""Calls at the same time, as the benchmark allows them."""
INTERRUPTED = 130


def kept(folder: Path) -> int:
    """Return how many replies are in the cache, without having steelyard count them."""
    path = folder / ".steelyard_cache" / "cache.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as database:
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'entries'").fetchone():
            return 0
        count: int = database.execute("SELECT COUNT(*) FROM entries").fetchone()[0]
        return count


def undisturbed(place: Any, api: Any) -> tuple[Any, int]:
    whole = place("undisturbed")
    before = len(api.prompts)
    ended = whole.run("run", "b.json", "-q")
    assert ended.code in (0, 1), ended.said
    return whole.lasting(), len(api.prompts) - before


@pytest.mark.parametrize("batch", range(KILLS // BATCH))
def test_a_killed_run_that_is_gone_on_with_is_the_run_that_was_never_killed(
    place: Any, api: Any, answering: Any, paid: Any, batch: int
) -> None:
    api.answer(answering(LATENCY_S))
    wanted, calls = undisturbed(place, api)
    codes = []
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        moment = random.Random(seed)
        codes.append(killed_after(place(f"seed-{seed}"), api, paid, wanted, calls, moment, signal.SIGKILL))
    # Some moments lie behind the end of the run; most do not.
    assert codes.count(-signal.SIGKILL) >= BATCH // 2, codes


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("batch", range(2))
def test_a_run_that_is_asked_to_stop_can_be_gone_on_with_too(
    place: Any, api: Any, answering: Any, paid: Any, number: int, batch: int
) -> None:
    api.answer(answering(LATENCY_S))
    wanted, calls = undisturbed(place, api)
    for seed in range(1000 + batch * GENTLE // 4, 1000 + (batch + 1) * GENTLE // 4):
        moment = random.Random(seed)
        killed_after(place(f"seed-{seed}"), api, paid, wanted, calls, moment, number)


def assert_tidy(results: Path) -> None:
    """Nothing lies there but records, reports and what a kill while one is written leaves: hidden, swept later."""
    for path in results.iterdir():
        assert path.suffix in {".json", ".md"} or re.fullmatch(r"\.steelyard-[0-9a-f]{16}\.tmp", path.name), path


def killed_after(here: Any, api: Any, paid: Any, wanted: Any, calls: int, moment: random.Random, number: int) -> int:
    """End a run at a moment, go on with it, and return how it ended first."""
    start = api.count
    answers, later_s = moment.randint(0, calls), moment.uniform(0, 0.02)
    running = here.start("run", "b.json", "-q")
    # A run that comes to its end in between is as good a moment as any.
    api.wait_for(lambda api: api.count - start - api.in_flight >= answers, 80)
    time.sleep(later_s)
    running.kill(number)
    ended = running.end()
    assert "Traceback" not in ended.said, ended.said
    if number != signal.SIGKILL and ended.code not in (0, 1):
        assert ended.code == INTERRUPTED, ended.said
    complete = here.records()
    for path in complete:
        assert path.stat().st_size > 0
    in_cache = kept(here.folder)
    asked = sum(paid(api, start).values())
    # What a kill costs is what was under way: a call in each hand, and its reply on its way into the cache.
    assert in_cache <= asked <= in_cache + 2 * HANDS
    between = api.count

    again = here.run("run", "b.json", "-q", "--resume")

    assert "Traceback" not in again.said, again.said
    for path in complete:
        path.unlink()
    assert here.lasting() == wanted
    resent = sum(paid(api, between).values())
    assert resent <= calls - in_cache
    assert set(paid(api, between).values()) <= {1}
    assert_tidy(here.folder / "results")
    code: int = ended.code
    return code
