"""What the engine is given: everything resolved, nothing left to look up.

The session makes a Plan from a checked benchmark and the registry. Components are bound to plain coroutine functions
here, so that the engine knows neither plugins nor threads, and blame is a text that is ready to be shown.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..api import (
    NO_PARAMETERS,
    NO_PRICING,
    Ask,
    Benchmark,
    Case,
    CaseSource,
    Completion,
    Output,
    Parameters,
    Pricing,
    Prompt,
    Request,
    Score,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPolicy:
    """How patiently a model is asked."""

    retries: int = 3
    """Attempts after the first."""
    backoff_s: float = 1.0
    """The first wait; it doubles. A rate limit waits five times as long."""
    timeout_s: float = 120.0
    """For one attempt, whatever the server sends in the meantime."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundModel:
    """A model that can be asked."""

    id: str
    """The label in reports."""
    provider: str
    """The provider's name."""
    model: str
    """The model's name as the provider knows it."""
    complete: Callable[[Request], Awaitable[Completion]]
    fingerprint: Callable[[Request], str]
    """What decides the answer, for the cache key; without the provider's name, seed and repeat."""
    parameters: Parameters = NO_PARAMETERS
    policy: CallPolicy = field(default_factory=CallPolicy)
    pricing: Pricing = NO_PRICING
    """What the file says; wins over the catalog."""
    catalog_pricing: Callable[[], Awaitable[Pricing]] | None = None
    """Looks the price up, over the network if need be; asked only when a reply names no cost."""
    cached: bool = True
    usage_required: bool = False
    limit_key: str = ""
    """Calls with the same key share one rate limit: provider, address and key, without secrets."""
    blame: str = ""
    """``provider 'x' of plugin 'x' (steelyard-x 0.2)``, for unforeseen failures."""
    redact: Callable[[str], str] = field(default=str)
    """Takes secrets out of a text that is about to leave the host."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundScorer:
    """A scorer as one case uses it."""

    type: str
    name: str
    judge: Callable[[Case, Output, Ask], Awaitable[Score]]
    weight: float = 1.0
    negate: bool = False
    threshold: float | None = None
    turn: int | None = None
    timeout_s: float = 60.0
    blame: str = ""
    """``scorer 'x' of plugin 'x' (steelyard-x 0.2)``."""
    judge_now: Callable[[Case, Output, Ask], object] | None = None
    """The same as a plain function to be called on the event loop, where the scorer is pure and quick: without a
    deadline, which could not interrupt it anyhow, unless it returns something to wait for."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BoundCache:
    """A cache that can be awaited."""

    get: Callable[[str], Awaitable[bytes | None]]
    put: Callable[[str, bytes], Awaitable[None]]
    get_many: Callable[[Sequence[str]], Mapping[str, bytes]] | None = None
    """Several at once, on the event loop itself, where the cache can; what is absent is not in the answer."""
    fetch_many: Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]] | None = None
    """The same, for a cache that waits for something."""
    blame: str = ""
    """Who is named when it fails."""
    waits: bool = True
    """Whether ``get`` and ``put`` may wait for something. What never waits cannot be cut off halfway."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Combo:
    """A model with a prompt."""

    model: BoundModel
    prompt: Prompt


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """A run that only has to be carried out."""

    benchmark: Benchmark
    combos: tuple[Combo, ...]
    """In the order of the results."""
    cases: CaseSource
    """Filtered; gone through once per combo."""
    case_count: int | None
    """``None`` while nobody has counted the rows."""
    scorers_of: Callable[[Case], tuple[BoundScorer, ...]]
    judge_of: Callable[[str], BoundModel]
    """A model by the name that a scorer asks it by. Raises ``UnknownNameError``."""
    cache: BoundCache | None = None
    concurrency: int = 5
    repeat: int = 1
    case_pass_rate: float = 1.0
    seed: int | None = None
    max_cost_usd: float | None = None
    hide: Callable[[bytes], bytes] = field(default=lambda data: data)
    """Takes secrets out of an encoded result; what holds none is returned as the same object."""
