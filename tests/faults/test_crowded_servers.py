"""A server that is asked too much at once is asked less at once, and more again when it takes it; others are let be.

All of it is seen from the server's side, in whole runs: the counts below hold on a machine of any speed.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, failure, rate_limited

AT_ONCE = 8
CUT = "rate-limited; calls at once were cut from 8 to 4"


def suite(models: Sequence[Any], cases: int, **keys: Any) -> dict[str, Any]:
    return {
        "name": "crowded",
        "models": models,
        "concurrency": AT_ONCE,
        "retry_backoff": 0.001,
        "prompts": [{"id": "p", "template": "Case #{{ n }}#"}],
        "test_cases": [
            {"id": f"c{n}", "variables": {"n": n}, "expected_output": "ok", "evaluation": "exact_match"}
            for n in range(cases)
        ],
        **keys,
    }


class Server:
    """Refuses the first calls together, then answers, and notes how many calls were in flight at each answer."""

    def __init__(self, api: FakeAPI, later: Callable[[int], Reply]) -> None:
        self._api = api
        self._later = later
        self._lock = threading.Lock()
        self.refused = 0
        self.seen: list[int] = []
        """Calls in flight when a call came in, after the refusals."""

    def __call__(self, request: FakeRequest) -> Reply:
        with self._lock:
            if self.refused < AT_ONCE:
                self.refused += 1
                return rate_limited()
            self.seen.append(self._api.in_flight)
            return self._later(len(self.seen))


def run(place: Any, api: FakeAPI, whole: dict[str, Any]) -> Any:
    """Run with the first calls held until all of them are there, so that they are refused together."""
    here = place("crowded")
    (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    api.hold()
    running = here.start("run", "b.json", "-q")
    together = api.wait_for(lambda api: api.in_flight >= AT_ONCE, 80)
    api.release()
    ended = running.end()
    assert together, ended.said
    return here, ended


def widest_after(answered: int, width: int) -> int:
    """Return how wide a lane can be at most after so many answers: a full round of them makes it one wider."""
    while answered >= width < AT_ONCE:
        answered, width = answered - width, width + 1
    return width


def test_calls_that_are_refused_together_halve_what_is_asked_at_once_and_it_grows_back(
    place: Any, api: FakeAPI
) -> None:
    server = Server(api, lambda _number: Reply("ok", latency_s=0.01))
    api.answer(server)
    here, ended = run(place, api, suite(["vendor/one"], 80))
    assert ended.code == 0, ended.said
    (combo,) = here.record()["results"]
    assert (combo["success"], combo["errors"]) == (80, 0)
    # One burst is one cut, whatever the number of refusals in it.
    assert f"{CUT} and grew back to 8" in ended.said
    assert ended.err.count("at most 4 of 8 calls at once from now on") == 1
    # When the n-th call came in, at most n - 1 had been answered.
    assert all(count <= widest_after(number, 4) for number, count in enumerate(server.seen))
    assert len(server.seen) == 80


def test_a_server_that_stumbles_is_not_asked_more_at_once(place: Any, api: FakeAPI) -> None:
    # Every third answer is a failure that passes: never a full round of successes.
    server = Server(api, lambda number: failure(503) if number % 3 == 0 else Reply("ok", latency_s=0.01))
    api.answer(server)
    here, ended = run(place, api, suite(["vendor/one"], 40, retries=20))
    (combo,) = here.record()["results"]
    assert (combo["success"], combo["errors"]) == (40, 0)
    assert CUT in ended.said
    assert "grew back" not in ended.said
    assert max(server.seen) <= 4


@pytest.mark.parametrize("apart", ["key", "provider"])
def test_a_refusal_holds_back_the_calls_of_that_provider_and_key_and_no_others(
    place: Any, api: FakeAPI, apart: str
) -> None:
    wait_s = 4
    refused: list[float] = []

    def answer(request: FakeRequest) -> Reply:
        if request.model == "crowded" and not refused:
            refused.append(request.time_s)
            return rate_limited(str(wait_s))
        return Reply("ok")

    api.answer(answer)
    other = {"id": "free", "model": "free", "provider": "openai", "api_key_env": "OTHER_KEY"}
    if apart == "provider":
        other = {"id": "free", "model": "free", "provider": "ollama", "base_url": api.origin}
    crowded = {"id": "crowded", "model": "crowded", "provider": "openai", "api_key_env": "ONE_KEY"}
    here = place("two")
    here.environ.update(OPENAI_BASE_URL=api.base_url, ONE_KEY="sk-one-0123456789", OTHER_KEY="sk-other-0123456789")
    whole = suite([crowded, other], 3, concurrency=6)
    (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    ended = here.run("run", "b.json", "-q")
    assert ended.code == 0, ended.said
    asked = [request for request in api.requests if request.method == "POST"]
    again = [request.time_s for request in asked if request.model == "crowded" and request.time_s > refused[0]]
    # Whatever of the refused lane was not under way already waits as long as it was told to.
    assert max(again) - refused[0] >= wait_s - 0.1
    assert any(request.model == "free" and request.time_s < refused[0] + wait_s for request in asked)
    notes = [line for line in ended.said.splitlines() if "calls at once were cut" in line]
    assert len(notes) == 1
    assert "free" not in notes[0]
    assert all(combo["errors"] == 0 for combo in here.record()["results"])


@pytest.mark.parametrize("ceiling", [1, 3])
def test_no_more_calls_are_in_flight_than_the_user_allows_over_all_servers(
    place: Any, api: FakeAPI, ceiling: int
) -> None:
    api.reply(Reply("ok", latency_s=0.02))
    here = place("ceiling")
    here.environ.update(OPENAI_BASE_URL=api.base_url, OPENAI_API_KEY="sk-other-0123456789")
    whole = suite(["vendor/one", "openai:two"], 12, concurrency=ceiling)
    (here.folder / "b.json").write_text(json.dumps(whole), encoding="utf-8")
    ended = here.run("run", "b.json", "-q")
    assert ended.code == 0, ended.said
    assert api.max_in_flight <= ceiling
    assert len(api.prompts) == 24
