"""Building hosts: one for a session, and others that have the plugins beside a suite too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from .._host.host import Host, build_host
from .loading import embedded
from .option_checks import fault_of_options


def host_builder(
    blocked: Mapping[str, str], plugins: Sequence[object], *, discover: bool
) -> Callable[[Sequence[Path]], Host]:
    """Return what builds a host, given the files of local plugins.

    Args:
        blocked: Plugins or distributions to leave out, with where each is said.
        plugins: Plugins that are objects already.
        discover: Whether to use the plugins that are installed.
    """
    return partial(build_host, blocked, embedded(plugins), discover=discover, look_at=fault_of_options)
