"""How the mock provider decides: rules over the last question, draws that depend on nothing but the question.

The draw for ``flaky`` is the first eight bytes of SHA-256 over ``seed:repeat:prompt``, so that the same case comes out
the same on every machine, and as in evalkit, whose suites can be run here.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

import regex

from steelyard.api import Completion, Request, Usage
from steelyard.errors import ProviderError, UsageError

from .mock import MockFailure, MockResponse, MockSettings

CHARS_PER_TOKEN = 4
LONGEST_MATCH_S = 1.0
"""A pattern that takes longer is a trap, set or stumbled into."""


class Mock:
    """Answers by the rules of its settings."""

    def __init__(self, settings: MockSettings) -> None:
        self._settings = settings
        self._rules = tuple(_compiled(settings))
        self._failures: Counter[bytes] = Counter()

    async def complete(self, request: Request) -> Completion:
        """Answer after ``latency_ms``, or fail as scripted."""
        if self._settings.latency_ms:
            await asyncio.sleep(self._settings.latency_ms / 1000)
        prompt = next((message.content for message in reversed(request.messages) if message.role == "user"), "")
        self._maybe_fail(("fail_times",), request, prompt, MockFailure(retryable=True, times=self._settings.fail_times))
        text = self._text(request, prompt)
        return Completion(
            text=text,
            usage=Usage(
                prompt_tokens=sum(self._tokens(message.content) for message in request.messages),
                completion_tokens=self._tokens(text),
            ),
            finish_reason="stop",
            cost_usd=self._settings.cost_usd,
            model=request.model or None,
        )

    def fingerprint(self, request: Request) -> str:
        """Return what decides the answer: the rules and the question. Seed and repeat are the host's to add."""
        settings = asdict(self._settings)
        del settings["latency_ms"]
        messages = [(message.role, message.content) for message in request.messages]
        return json.dumps({"settings": settings, "model": request.model, "messages": messages}, sort_keys=True)

    def call_cost(self) -> float | None:
        """Return what a call is said to cost; a free one may still have prices of tokens, which then count."""
        return self._settings.cost_usd or None

    def _tokens(self, text: str) -> int:
        return len(text.split()) if self._settings.tokens == "words" else -(-len(text) // CHARS_PER_TOKEN)

    def _text(self, request: Request, prompt: str) -> str:
        rule = self._rule(request, prompt)
        flaky = self._settings.flaky if rule is None or rule.flaky is None else rule.flaky
        if flaky and _draw(request, prompt) < flaky:
            return self._settings.flaky_output
        if rule is not None and rule.output is not None:
            return rule.output
        return prompt if self._settings.default is None else self._settings.default

    def _rule(self, request: Request, prompt: str) -> MockResponse | None:
        """Return the first rule that answers; a rule that fails does so here, until it has failed often enough."""
        for number, (pattern, rule) in enumerate(self._rules):
            if not _is_found(pattern, prompt, f"responses[{number}].match"):
                continue
            if rule.error is None:
                return rule
            self._maybe_fail(("responses", number), request, prompt, rule.error)
        return None

    def _maybe_fail(self, why: tuple[str | int, ...], request: Request, prompt: str, failure: MockFailure) -> None:
        if failure.times is not None:
            key = hashlib.sha256(repr((why, request.parameters.seed, request.repeat, prompt)).encode()).digest()
            if failure.times <= self._failures[key]:
                return
            self._failures[key] += 1
        raise ProviderError(
            f"mock: {failure.message}",
            retryable=failure.retryable,
            retry_after_s=failure.retry_after_s,
            status=failure.status,
        )


def _compiled(settings: MockSettings) -> Iterator[tuple[regex.Pattern[str], MockResponse]]:
    for number, rule in enumerate(settings.responses):
        where = f"providers.mock: responses[{number}]"
        if (rule.output is None) == (rule.error is None):
            raise UsageError(f"{where}: must have either 'output' or 'error'")
        try:
            yield regex.compile(rule.match), rule
        except regex.error as error:
            raise UsageError(f"{where}: match: not a regular expression: {error}") from None


def _is_found(pattern: regex.Pattern[str], text: str, where: str) -> bool:
    try:
        return pattern.search(text, timeout=LONGEST_MATCH_S) is not None
    except TimeoutError:
        raise ProviderError(
            f"mock: {where} took longer than {LONGEST_MATCH_S:g} s; write a pattern that does not backtrack so much"
        ) from None


def _draw(request: Request, prompt: str) -> float:
    """Return a number from 0 to 1 that depends on the question, the seed and which run of the case it is."""
    drawn_from = f"{request.parameters.seed or 0}:{request.repeat}:{prompt}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(drawn_from).digest()[:8], "big") / 2**64
