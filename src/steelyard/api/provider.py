"""Providers: what answers a request.

A provider translates one call. Cache, retries, rate limits, deadlines, cost and concurrency are the host's, so that
every provider has them alike.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Generic, Protocol

from .plugin import PluginContext, S
from .values import (
    NO_PARAMETERS,
    NO_PRICING,
    NO_USAGE,
    NOTHING,
    JsonMapping,
    JsonValue,
    Message,
    Parameters,
    Pricing,
    Usage,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to one model."""

    model: str
    """The model's name as its provider knows it."""
    messages: tuple[Message, ...]
    """At least one; a system message, if any, comes first."""
    parameters: Parameters = NO_PARAMETERS
    timeout_s: float = 120.0
    """Seconds for the whole call. The host ends it then; a provider may use it to end earlier and say more."""
    repeat: int = 0
    """Which run of the case this is, from 0."""
    input: JsonValue = None
    """The case's input, for providers that are programs (``command``, ``http``); ``None`` for a judge's question."""
    variables: JsonMapping = field(default_factory=lambda: NOTHING)
    """The case's variables, for the same providers."""
    case: JsonMapping = field(default_factory=lambda: NOTHING)
    """What else of the case these providers may be told when their settings ask for it: ``id``, ``expected`` and
    ``metadata``. A provider that uses it says so in its fingerprint: the host's own leaves it out, so that no reply is
    asked for again when a case is renamed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What came back from a model, and what it took."""

    text: str
    """The answer: text parts joined, thinking left out."""
    usage: Usage = NO_USAGE
    finish_reason: str | None = None
    """Why the output ended: ``stop``, ``length`` (cut off by the token limit), ``content_filter``, ``tool_calls``, …"""
    cost_usd: float | None = None
    """What the provider says that it charged; ``None`` when it says nothing and the host works it out from prices."""
    model: str | None = None
    """The model that served the call, when the reply names it."""
    problem: str | None = None
    """Why there is nothing to grade although the reply is final and may have been paid for: an empty reply that hit
    the token limit, a refusal by a filter, tool calls only. The case becomes an ``api_error`` with its tokens and cost
    kept; the reply is neither retried nor cached. ``None`` for a good answer."""


class Provider(Protocol):
    """Answers requests. The least a provider must do."""

    def complete(self, request: Request) -> Completion | Awaitable[Completion]:
        """Answer one request: one call over the wire, no retries.

        May be ``async def``; then it runs on the host's event loop and must not block. A plain function runs in worker
        threads, several at once, so keep no state between calls.

        Raise ``ProviderError`` when the call fails, with ``retryable``, ``retry_after_s``, ``status`` and ``exhausted``
        as far as the reply tells. Any other exception is an ``internal_error`` of the case and is blamed on the plugin.
        """


class SupportsFingerprint(Protocol):
    """A provider that knows exactly what goes over the wire."""

    def fingerprint(self, request: Request) -> str:
        """Return everything that decides the answer: address and request body, never a key.

        Used for the cache key. Without it the host takes all settings that are not secret and the whole request.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """Where a provider's key comes from, and whether it can be used."""

    source: str
    """For display: the environment variable, or ``none needed``."""
    is_set: bool
    problem: str | None = None
    """Why no call can succeed, as one line that says what to do; ``None`` when nothing is known to be wrong."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Values that must never be shown: the host replaces them wherever text leaves it."""


class SupportsCredentials(Protocol):
    """A provider that needs a key. Asked before the first call, and by ``steelyard providers``."""

    def credentials(self) -> Credentials:
        """Say where the key comes from and whether it can be used. Never calls the network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """A catalog's word on one model. ``None`` is unknown."""

    id: str
    name: str = ""
    pricing: Pricing = NO_PRICING
    context_length: int | None = None
    """The most tokens that prompt and output may have together."""
    max_output_tokens: int | None = None
    input_modalities: tuple[str, ...] = ()
    output_modalities: tuple[str, ...] = ()
    supported_parameters: tuple[str, ...] | None = None
    expires: str | None = None
    """The date (``YYYY-MM-DD``) after which the model may be gone."""
    price_note: str = ""
    """What ``pricing`` leaves out, in words: a higher price for long prompts, a charge for each request."""


class SupportsCatalog(Protocol):
    """A provider that can list its models and their prices."""

    def models(self) -> Iterable[ModelInfo] | Awaitable[Iterable[ModelInfo]]:
        """Fetch the catalog, without a key. The host keeps it for 24 hours. Raise ``ProviderError`` on failure."""


class SupportsLanes(Protocol):
    """A provider that limits some of its models apart from others, although they share an address and a key."""

    def lane(self, model: str) -> str:
        """Return a name that is equal for models which share a limit. Without it all models of a key share one."""


class SupportsCallCost(Protocol):
    """A provider whose calls have a fixed price, whatever is asked and answered."""

    def call_cost(self) -> float | None:
        """Return what every call costs in USD, for estimates; ``None`` when it goes by tokens or is unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSpec(Generic[S]):
    """How a plugin offers a provider."""

    name: str
    """What stands before the colon in ``PROVIDER:MODEL``; lower case letters, digits, ``_`` and ``-``."""
    summary: str
    """One line, as a statement, for ``steelyard plugins`` and the reference."""
    settings: type[S]
    """A frozen dataclass whose fields are the options; ``NoSettings`` for none. None may be called ``id``, ``model``,
    ``provider``, ``temperature``, ``max_tokens``, ``seed``, ``params``, ``timeout``, ``retries``, ``retry_backoff``,
    ``cache`` or ``pricing``: the host takes these from every model, and what a call needs is in its ``Request``."""
    create: Callable[[S, PluginContext], Provider]
    """Makes the provider, once per distinct settings. Import heavy libraries here, not at module level. Needs no key
    and asks nobody: ``steelyard validate`` makes it too. Raise ``UsageError`` for settings that cannot work: it is
    shown at the place of the model, with the name of the provider."""
    cached: bool = True
    """Whether replies are cached unless the user says otherwise. False for the user's own program, which may change."""
    inline: bool = False
    """True when ``complete`` is a plain function that never waits: it is then called on the event loop itself."""
    usage_required: bool = False
    """True when a reply without token counts is a failure of the call rather than an answer of unknown cost."""
    needs_model: bool = True
    """False when the provider is the thing under test itself (a program), so that a model name may be left out."""
    title: str = ""
    """How people write its name, for messages; the name itself when empty."""
    deprecated: str = ""
    """For a component that is to go: what to use instead, and in which version it goes. Whoever uses it is warned."""
    case_names: Callable[[S], Collection[str]] | None = None
    """Names that these settings take from a case: its variables, ``id``, ``expected``, ``metadata``, and the keys of an
    input that is a mapping. A case that lacks one is refused before the first call. ``None`` when there are none."""
