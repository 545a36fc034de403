"""The ``settings`` of an evalkit suite: how to run, and what must be reached."""

from __future__ import annotations

from decimal import Decimal
from typing import TypedDict

from steelyard.api import Gate, Node, Parameters

from .keys import SETTINGS

MOST_AT_ONCE = 256


class RunKeys(TypedDict):
    """The fields of a Benchmark that say how it is run."""

    inference: Parameters
    gate: Gate
    concurrency: int
    repeat: int
    case_pass_rate: float
    retries: int
    retry_backoff_s: float
    cache: bool | None


def read_settings(document: Node) -> RunKeys:
    """Read the block, with evalkit's defaults."""
    found = document.get("settings")
    node = (
        found if found is not None and found.is_mapping() else Node({}, ("settings",), document.locate, document.report)
    )
    node.check_keys(SETTINGS)
    if node.get("cache_path") is not None:
        node.warning("is not used here", "replies are kept by the cache of the settings", key="cache_path", at_key=True)
    share, pass_rate = (
        node.number("fail_under", minimum=0, maximum=1),
        node.number("task_pass_rate", minimum=0, maximum=1),
    )
    backoff, retries = node.number("retry_backoff", minimum=0), node.whole("retries", minimum=0, maximum=20)
    return RunKeys(
        inference=Parameters(seed=node.whole("seed") or 0),
        gate=_gate(1.0 if share is None else share),
        concurrency=node.whole("concurrency", minimum=1, maximum=MOST_AT_ONCE) or 4,
        repeat=node.whole("repeat", minimum=1, maximum=1000) or 1,
        case_pass_rate=1.0 if pass_rate is None else pass_rate,
        retries=2 if retries is None else retries,
        retry_backoff_s=0.5 if backoff is None else backoff,
        cache=None if node.flag("cache", default=True) else False,
    )


def _gate(share: float) -> Gate:
    return Gate(quality_threshold=_per_cent(share), called=f"fail_under ({share:.12g})")


def _per_cent(share: float) -> float:
    # 0.57 * 100 is a little less than 57, and a gate is compared exactly.
    return float(Decimal(repr(share)) * 100)
