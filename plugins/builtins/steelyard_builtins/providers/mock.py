"""A provider that answers by rules: offline, without a key, the same every time.

For first runs, demonstrations and tests of everything around the models.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import PluginContext, Provider, ProviderSpec, option


@dataclass(frozen=True, slots=True, kw_only=True)
class MockFailure:
    """A failure to play."""

    message: str = option("simulated failure", doc="The error message.")
    status: int | None = option(None, doc="The HTTP status to report.", minimum=400, maximum=599)
    retryable: bool = option(default=False, doc="Whether the same call may succeed later.")
    retry_after_s: float | None = option(None, doc="Seconds that the server asks to wait.", minimum=0)
    times: int | None = option(None, doc="How often to fail for each prompt; always unless given.", minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockResponse:
    """What to answer to some prompts: an output or a failure."""

    match: str = option(doc="Regular expression that is looked for in the prompt, case and line ends as they are.")
    output: str | None = option(None, doc="The answer.")
    error: MockFailure | None = option(None, doc="A failure instead of an answer.")
    flaky: float | None = option(None, doc="Overrides flaky for these prompts.", minimum=0, maximum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class MockSettings:
    """What the model that is played says."""

    responses: Sequence[MockResponse] = option(
        (), doc="Rules, tried in order: the first whose pattern is found answers."
    )
    default: str | None = option(None, doc="The answer when no rule applies; the prompt itself unless given.")
    latency_ms: float = option(0.0, doc="Milliseconds that an answer takes.", minimum=0)
    flaky: float = option(
        0.0,
        doc="Probability of answering flaky_output instead; settled by seed, repeat and prompt.",
        minimum=0,
        maximum=1,
    )
    flaky_output: str = option("", doc="What is answered instead.")
    fail_times: int = option(
        0, doc="How often each prompt fails, as a server that is busy, before it is answered.", minimum=0
    )
    tokens: Literal["characters", "words"] = option(
        "characters", doc="What a token is taken to be: four characters, or a word."
    )
    cost_usd: float | None = option(
        0.0, doc="What a call costs, in USD; null to have it worked out from pricing.", minimum=0
    )


def create(settings: MockSettings, context: PluginContext) -> Provider:
    """Make the provider. Raises ``UsageError`` for a pattern that is none."""
    del context
    from ._mock import Mock  # noqa: PLC0415 - brings the regular expressions, which start-up need not pay for

    return Mock(settings)


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[MockSettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="mock",
            summary="Answers by rules, offline and without a key",
            settings=MockSettings,
            create=create,
            needs_model=False,
        )
    ]
