"""Keeping what is slow to make, within bounds, for several requests at once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Bounded(Generic[K, V]):
    """Keeps the values that were used last; their weights never exceed the limit by more than the newest one's."""

    def __init__(self, limit: int, weigh: Callable[[V], int] = lambda _value: 1) -> None:
        self._limit = limit
        self._weigh = weigh
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._making: dict[K, Lock] = {}
        self._lock = Lock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """Return what is kept under a key, or make it: once, however many ask at the same time.

        Raises what ``make`` raises; nothing is kept then.
        """
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            making = self._making.setdefault(key, Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            try:
                value = make()
            finally:
                with self._lock:
                    self._making.pop(key, None)
            with self._lock:
                self._kept[key] = value
                self._drop_what_is_too_much()
            return value

    def __len__(self) -> int:
        return len(self._kept)

    def _drop_what_is_too_much(self) -> None:
        weight = sum(self._weigh(value) for value in self._kept.values())
        while weight > self._limit and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            weight -= self._weigh(dropped)
