"""Letting components give back what they hold, once a run is over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from .._engine.threads import Threads, settle
from .._host.blame import said
from .components import Made

PATIENCE_S = 5.0
"""For one component. The run is over: nobody wants to wait for a connection that does not close."""


async def close_all(components: Sequence[Made], threads: Threads, warn: Callable[[str], None]) -> None:
    """Close every component; one that fails to, or takes too long, is reported and costs nothing else."""
    for made in components:
        close = getattr(made.component, "close", None)
        if close is None:
            continue
        try:
            async with asyncio.timeout(PATIENCE_S):
                await settle(close, inline=False, threads=threads)()
        except TimeoutError:
            warn(f"{made.blame}: close: not done after {PATIENCE_S:g} s; given up")
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as exc:
            warn(f"{made.blame}: close: {said(exc, made.offer.origin)}")
