"""Caches with a fault each, beside one that has none."""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from steelyard.api import CacheStats, option


class Right:
    """One file an entry, renamed into its place, with its key inside to tell a spoilt one."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, key):
        return self.folder / f"{key}.entry"

    def get(self, key):
        try:
            data = self.path(key).read_bytes()
        except FileNotFoundError:
            return None
        head = key.encode()
        return data[len(head) :] if data.startswith(head) else None

    def put(self, key, value):
        self.folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=self.folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(key.encode() + value)
        Path(name).replace(self.path(key))

    def clear(self):
        paths = list(self.folder.glob("*.entry"))
        for path in paths:
            path.unlink()
        return len(paths)

    def prune(self, older_than_s):
        old = [path for path in self.folder.glob("*.entry") if path.stat().st_mtime < time.time() - older_than_s]
        for path in old:
            path.unlink()
        return len(old)

    def stats(self):
        sizes = [path.stat().st_size for path in self.folder.glob("*.entry")]
        return CacheStats(entries=len(sizes), size_bytes=sum(sizes), place=str(self.folder))


class Forgets(Right):
    def get(self, key):
        return None


class Text(Right):
    def get(self, key):
        found = super().get(key)
        return None if found is None else found.decode(errors="replace")


class Strips(Right):
    def put(self, key, value):
        super().put(key, value.replace(b"\x00", b""))


class Raises(Right):
    def get(self, key):
        found = super().get(key)
        if found is None:
            raise KeyError(key)
        return found


class KeepsTheFirst(Right):
    def put(self, key, value):
        if self.get(key) is None:
            super().put(key, value)


class Creates(Right):
    def __init__(self, folder):
        super().__init__(folder)
        folder.mkdir(parents=True, exist_ok=True)


class Miscounts(Right):
    def clear(self):
        return super().clear() + 1


class Lingers(Right):
    def clear(self):
        return len(list(self.folder.glob("*.entry")))


class Ages(Right):
    def prune(self, older_than_s):
        return super().prune(-older_than_s)


class Races(Right):
    """Keeps the entry on itself between two steps."""

    def put(self, key, value):
        self._now = (key, value)
        time.sleep(0)
        super().put(*self._now)


class Alone(Right):
    """A dictionary that passes for a folder."""

    def __init__(self, folder):
        super().__init__(folder)
        self._entries = {}

    def get(self, key):
        return self._entries.get(key)

    def put(self, key, value):
        self._entries[key] = value


class Tears(Right):
    """Writes in the entry's own place, in two steps."""

    def put(self, key, value):
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.path(key).open("wb") as file:
            file.write(key.encode() + value[:10])
            file.flush()
            time.sleep(0.01)
            file.write(value[10:])


class Believes(Right):
    """Has the damage raise, and then cannot put either."""

    def get(self, key):
        path = self.path(key)
        if path.exists() and not path.read_bytes().startswith(key.encode()):
            raise ValueError("spoilt")
        return super().get(key)


FAULTS = {
    "right": Right,
    "forgets": Forgets,
    "text": Text,
    "strips": Strips,
    "raises": Raises,
    "keeps the first": KeepsTheFirst,
    "creates": Creates,
    "miscounts": Miscounts,
    "lingers": Lingers,
    "ages": Ages,
    "races": Races,
    "alone": Alone,
    "tears": Tears,
    "believes": Believes,
}


@dataclass(frozen=True, kw_only=True)
class Fault:
    """Which cache it is."""

    kind: str = option("right", doc="The fault.")


def create(settings, context):
    return FAULTS[settings.kind](context.cache_dir)
