"""One cache, for commands that look after it outside a run."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any, cast

from .._host.blame import plugin_error, said
from ..api import CacheStats
from ..errors import SteelyardError, UsageError
from .components import Made


class CacheHandle:
    """A cache that can be counted, emptied and pruned. Every method blocks until it is done."""

    def __init__(self, made: Made) -> None:
        self._made = made

    @property
    def name(self) -> str:
        """The cache's name."""
        return self._made.offer.name

    def stats(self) -> CacheStats:
        """Count what it holds, without changing or creating anything. Raises ``PluginError`` when it cannot."""
        return cast(CacheStats, self._call("stats"))

    def clear(self) -> int:
        """Forget every entry and return how many there were. Raises ``PluginError`` when it cannot."""
        return int(self._call("clear"))

    def prune(self, older_than_s: float) -> int:
        """Forget old entries and return how many there were. Raises ``UsageError`` for a cache that knows no age."""
        if not hasattr(self._made.component, "prune"):
            raise UsageError(f"cache {self.name!r} does not know how old its entries are; use cache clear")
        return int(self._call("prune", older_than_s))

    def _call(self, method: str, *arguments: Any) -> Any:
        async def call() -> Any:
            result = getattr(self._made.component, method)(*arguments)
            return await result if inspect.isawaitable(result) else result

        try:
            return asyncio.run(call())
        except (SteelyardError, KeyboardInterrupt):
            raise
        except BaseException as exc:
            origin = self._made.offer.origin
            raise plugin_error(origin, "calling", f"cache {self.name!r}: {method}: {said(exc, origin)}") from exc
        finally:
            _close(getattr(self._made.component, "close", None))


def _close(close: Callable[[], object] | None) -> None:
    if close is not None:
        result = close()
        if inspect.iscoroutine(result):
            asyncio.run(result)
