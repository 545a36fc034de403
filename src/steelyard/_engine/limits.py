"""How many calls may be in flight, over all and for each server.

Calls to the same server (one ``limit_key``) share a lane. A rate limit holds the whole lane for as long as the server
asked, and halves its width once for a burst of refusals; while the lane is full and calls succeed it widens again, one
call at a time, up to the ceiling that the user set. A server that stumbles (5xx) keeps its lane from widening.

A call gives its place back before it waits for another attempt, so that waiting takes nothing from others.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from .faults import NotMadeError


@dataclass(slots=True, eq=False)
class Lane:
    """The calls to one server."""

    label: str
    """What to call the server in a message."""
    ceiling: int
    width: int
    """The most calls in flight just now."""
    narrowest: int
    active: int = 0
    cuts: int = 0
    """How often it was narrowed. A call that began before the last cut does not cut again: it is the same burst."""
    credit: int = 0
    """Successes since the width changed; a full lane widens when they reach its width."""
    held_until: float = 0.0
    closed: str | None = None
    """Why no call can succeed any more."""
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque)
    alarm: asyncio.TimerHandle | None = None


class Limits:
    """The places for calls in flight."""

    def __init__(self, ceiling: int, *, warn: Callable[[str], None] = lambda _line: None) -> None:
        self._ceiling = ceiling
        self._warn = warn
        self._active = 0
        self._lanes: dict[str, Lane] = {}

    def lane(self, key: str, label: str) -> Lane:
        """Return the lane of a server."""
        found = self._lanes.get(key)
        if found is None:
            found = Lane(label=label, ceiling=self._ceiling, width=self._ceiling, narrowest=self._ceiling)
            self._lanes[key] = found
        return found

    async def enter(self, lane: Lane) -> int:
        """Wait for a place and take it. Returns what :meth:`rate_limited` wants to know of the call.

        Raises ``NotMadeError`` when the lane is closed.
        """
        if not lane.waiting and self._has_place(lane):
            self._take(lane)
            return lane.cuts
        self._raise_if_closed(lane)
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        lane.waiting.append(place)
        self._admit(lane)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                # The place was given in the very moment in which the call was given up.
                self.leave(lane)
            raise
        return lane.cuts

    def leave(self, lane: Lane) -> None:
        """Give a place back."""
        lane.active -= 1
        self._active -= 1
        if lane.waiting:
            self._admit(lane)
        # The place may be free for another server's call, too: all lanes share the ceiling.
        for other in self._lanes.values():
            if self._active >= self._ceiling:
                break
            if other.waiting and other is not lane:
                self._admit(other)

    def succeeded(self, lane: Lane) -> None:
        """Hear that a call, still in its place, was answered."""
        if lane.width < lane.ceiling and lane.active >= lane.width:
            lane.credit += 1
            if lane.credit >= lane.width:
                lane.credit = 0
                lane.width += 1

    def stumbled(self, lane: Lane) -> None:
        """Hear that the server failed (5xx): it takes two full rounds of successes before the lane widens again."""
        lane.credit = -lane.width

    def rate_limited(self, lane: Lane, *, began: int, wait_s: float) -> None:
        """Hear that the server refused a call for being one too many, and hold the lane for ``wait_s``.

        Args:
            lane: The server's lane.
            began: What :meth:`enter` returned for the call.
            wait_s: How long nobody should ask.
        """
        lane.held_until = max(lane.held_until, asyncio.get_running_loop().time() + wait_s)
        lane.credit = 0
        if began != lane.cuts:
            return
        lane.cuts += 1
        before, lane.width = lane.width, max(1, lane.width // 2)
        lane.narrowest = min(lane.narrowest, lane.width)
        if lane.cuts == 1:
            to = f"; at most {lane.width} of {before} calls at once from now on" if lane.width < before else ""
            self._warn(f"{lane.label}: rate-limited, waiting {wait_s:.3g} s{to}")

    def close(self, lane: Lane, reason: str) -> None:
        """Make no further call: quota or credit is used up, or the key is refused."""
        if lane.closed is None:
            lane.closed = reason
        while lane.waiting:
            place = lane.waiting.popleft()
            if not place.done():
                place.set_exception(NotMadeError(f"not asked: {lane.closed}"))

    def notes(self) -> tuple[str, ...]:
        """Say which servers narrowed their lane or closed it."""
        said = []
        for lane in self._lanes.values():
            if lane.closed is not None:
                said.append(f"{lane.label}: no further call was made: {lane.closed}")
            if lane.narrowest < lane.ceiling:
                said.append(
                    f"{lane.label}: rate-limited; calls at once were cut from {lane.ceiling} to {lane.narrowest}"
                    + (f" and grew back to {lane.width}" if lane.width > lane.narrowest else "")
                )
        return tuple(said)

    def _raise_if_closed(self, lane: Lane) -> None:
        if lane.closed is not None:
            raise NotMadeError(f"not asked: {lane.closed}")

    def _has_place(self, lane: Lane) -> bool:
        if lane.closed is not None or lane.active >= lane.width or self._active >= self._ceiling:
            return False
        return not lane.held_until or asyncio.get_running_loop().time() >= lane.held_until

    def _take(self, lane: Lane) -> None:
        lane.active += 1
        self._active += 1

    def _admit(self, lane: Lane) -> None:
        """Give free places to those that wait longest, or set an alarm for the moment when the lane is let go."""
        loop = asyncio.get_running_loop()
        if loop.time() < lane.held_until:
            if lane.alarm is None:
                lane.alarm = loop.call_at(lane.held_until, self._let_go, lane)
            return
        lane.held_until = 0.0
        while lane.waiting and self._has_place(lane):
            place = lane.waiting.popleft()
            if not place.done():
                self._take(lane)
                place.set_result(None)

    def _let_go(self, lane: Lane) -> None:
        lane.alarm = None
        self._admit(lane)
