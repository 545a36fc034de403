"""The keys that say how to run: request parameters, the gate, limits and repeats."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypedDict

from steelyard.api import NO_PARAMETERS, NOTHING, Gate, JsonMapping, Node, Parameters, shown

from .checks import check_words
from .keys import GATE, INFERENCE

MOST_RUNS = 1000
MOST_RETRIES = 100


class RunKeys(TypedDict):
    """The fields of a Benchmark that say how it is run."""

    concurrency: int | None
    repeat: int
    case_pass_rate: float
    retries: int | None
    retry_backoff_s: float | None
    timeout_s: float | None
    max_cost_usd: float | None
    cache: str | bool | None
    require_plugins: tuple[str, ...]
    description: str
    metadata: JsonMapping


def read_run_keys(document: Node) -> RunKeys:
    """Read everything about the run that stands at the top of the file."""
    rate = document.number("case_pass_rate", above=0, maximum=1)
    return RunKeys(
        concurrency=document.whole("concurrency", minimum=1, maximum=100),
        repeat=document.whole("repeat", minimum=1, maximum=MOST_RUNS) or 1,
        case_pass_rate=1.0 if rate is None else rate,
        retries=document.whole("retries", minimum=0, maximum=MOST_RETRIES),
        retry_backoff_s=document.number("retry_backoff", minimum=0),
        timeout_s=document.number("timeout", above=0),
        max_cost_usd=document.number("max_cost_usd", minimum=0),
        cache=_cache(document),
        require_plugins=document.texts("require_plugins"),
        description=document.text("description") or "",
        metadata=document.mapping("metadata"),
    )


def read_inference(document: Node) -> Parameters:
    """Read the request parameters; a bare ``inference:`` counts as absent."""
    node = document.get("inference")
    if node is None or not node.is_mapping():
        return NO_PARAMETERS
    node.check_keys(INFERENCE, severity="warning")
    check_words(node.child("params"))
    return Parameters(
        temperature=node.number("temperature"),
        max_tokens=node.whole("max_tokens", minimum=1),
        seed=node.whole("seed"),
        params=node.mapping("params") or NOTHING,
    )


def read_gate(document: Node, models: Collection[str], prompts: Collection[str]) -> Gate:
    """Read the gate; what it names must be in the file."""
    threshold = document.number("quality_threshold", minimum=0, maximum=100)
    if threshold is not None and 0 < threshold < 1:
        hint = f"write {100 * threshold:g} for {100 * threshold:g} %"
        document.warning(
            f"is in per cent: {threshold:g} is less than one case in a hundred", hint, key="quality_threshold"
        )
    node = document.get("gate")
    if node is None or not node.is_mapping():
        return Gate(quality_threshold=threshold)
    node.check_keys(GATE)
    if document.get("quality_threshold") is None and any(node.get(key) is not None for key in GATE):
        node.warning("has nothing to reach", "give the file a quality_threshold, or the run --fail-under", at_key=True)
    return Gate(
        quality_threshold=threshold,
        model=_named(node, "model", models),
        prompt=_named(node, "prompt", prompts),
        every=bool(node.flag("every", default=False)),
        confidence=node.number("confidence", above=0, maximum=0.9999),
    )


def _named(node: Node, key: str, known: Collection[str]) -> str | None:
    name = node.text(key)
    if name is not None and known and name not in known:
        node.error(f"unknown {key} {name!r}", f"the file has {', '.join(map(repr, known))}", key=key)
    return name


def _cache(document: Node) -> str | bool | None:
    node = document.get("cache")
    if node is None or node.value is True:
        return None
    if node.value is False or (isinstance(node.value, str) and node.value.strip()):
        return node.value
    node.error(f"must be a cache's name or false, got {shown(node.value)}")
    return None
