"""How many connections fit under the system's limit on open files, so that questions queue rather than fail for it."""

from __future__ import annotations

import os
import sys

RESERVED = 10
"""Files that must be opened beside the connections: the record, the reports, the cache and its log."""

if sys.platform == "win32":

    def _limit() -> int | None:
        return None
else:
    import resource

    def _limit() -> int | None:
        soft, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        return None if soft == resource.RLIM_INFINITY else soft


def connections_that_fit(wanted: int) -> int:
    """Return how many of ``wanted`` connections can be open at once; at least 1."""
    limit = _limit()
    if limit is None:
        return wanted
    try:
        next_free = os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return 1
    os.close(next_free)
    # Files get the lowest free number, so that many are open now.
    return max(1, min(wanted, limit - next_free - RESERVED))
