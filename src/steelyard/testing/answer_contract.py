"""Contract checks for providers with an API of their own, or none: gateways, programs, models in this process, rules.

::

    ASKED = [
        asked("hello", text="HELLO"),
        asked("good night", text="GOOD NIGHT"),
        asked("", says="nothing to answer"),
    ]

    @pytest.mark.parametrize("check", answer_checks(SPEC, ASKED))
    def test_the_provider_keeps_the_contract(check):
        check()

The author says what is asked and what must come of it. For a provider of an API that ``FakeAPI`` plays,
``provider_checks`` knows that already. One with a path or a form of its own gets a server that answers in its words::

    def gateway(request):
        if "busy" in request.json["text"]:
            return Reply(body={"wait": 7}, status=429, headers={"Retry-After": "7"})
        return Reply(body={"output": request.json["text"].upper()})

    def reach(api):
        api.route("/v2/generate", gateway)
        return Reach(settings=GatewaySettings(base_url=api.origin), environ={"GATEWAY_KEY": SECRET})

    ASKED = [
        asked("hello", text="HELLO"),
        asked("bye", text="BYE"),
        asked("busy", says="429", retryable=True, status=429, retry_after_s=7.0),
    ]
    CHECKS = answer_checks(SPEC, ASKED, reach=reach, secret=SECRET)
"""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..api import Completion, PluginContext, ProviderSpec
from ..errors import ProviderError
from .builders import make_context
from .calling import Calls, close
from .checks import Check, named, require, spec_checks
from .fake_api import FakeAPI
from .provider_calls import completed, other_requests
from .provider_contract import Reach
from .provider_trial import Asked

GIVEN_UP_WITHIN_S = 10.0


def answer_checks(
    spec: ProviderSpec[Any],
    wanted: Sequence[Asked],
    *,
    settings: Any = None,
    context: PluginContext | None = None,
    reach: Callable[[FakeAPI], Reach] | None = None,
    secret: str = "",
) -> list[Check]:
    """Make the checks of a provider.

    Args:
        spec: What the plugin registers.
        wanted: Questions with what must come of them: at least two answers that differ, and one failure.
        settings: The provider's settings; the defaults when ``None``.
        context: What it is created with; one with an empty folder of its own when ``None``.
        reach: For a provider of a service: tells a running server what to answer under which path, and gives settings
            and environment, in place of the two above.
        secret: A key that settings or context hand over, to see that it is shown nowhere; empty when there is none.
    """
    promises = _Promises(wanted, _Place(spec, settings, context, reach), secret)
    each = [
        Check(f"it gives what is wanted {number}: {item.short}", promises.gives(item))
        for number, item in enumerate(wanted, 1)
    ]
    return [*spec_checks(spec), *each, *named(promises.all())]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a provider is created for a question."""

    spec: ProviderSpec[Any]
    settings: Any
    context: PluginContext | None
    reach: Callable[[FakeAPI], Reach] | None

    @contextmanager
    def open(self, item: Asked) -> Iterator[tuple[Any, Calls]]:
        """Create a new one, and close it in the end."""
        with tempfile.TemporaryDirectory(prefix="steelyard-provider-", ignore_cleanup_errors=True) as folder:
            if self.reach is None:
                settings = self.spec.settings() if self.settings is None and item.settings is None else self.settings
                context = self.context or make_context(Path(folder))
                with self._created(item.settings or settings, context) as created:
                    yield created
                return
            with FakeAPI() as api:
                reached = self.reach(api)
                context = make_context(Path(folder), environ=reached.environ)
                try:
                    with self._created(item.settings or reached.settings, context) as created:
                        yield created
                except AssertionError as error:
                    for lost in api.unplayed[:1]:
                        way = f"{lost.method} {lost.path} got a 404; let reach call api.route({lost.path!r}, ...)"
                        raise AssertionError(f"{error}; {way}") from error
                    raise

    @contextmanager
    def _created(self, settings: Any, context: PluginContext) -> Iterator[tuple[Any, Calls]]:
        with Calls() as calls:
            provider = self.spec.create(settings, context)
            try:
                yield provider, calls
            finally:
                close(provider, calls)


class _Promises:
    """Every promise, each with a new provider."""

    def __init__(self, wanted: Sequence[Asked], place: _Place, secret: str) -> None:
        self._wanted = wanted
        self._open = place.open
        self._secret = secret

    def all(self) -> list[Callable[[], None]]:
        return [
            self.the_wanted_answers_disagree,
            self.no_call_changes_the_next,
            self.calls_at_once_get_their_own_answers,
            self.the_fingerprint_tells_questions_apart,
            self.the_secret_is_shown_nowhere,
        ]

    def gives(self, item: Asked) -> Callable[[], None]:
        def check() -> None:
            with self._open(item) as (provider, calls):
                if item.hangs:
                    self._is_given_up(provider, calls, item)
                else:
                    self._is_what_is_wanted(self._outcome(provider, calls, item), item)

        return check

    def the_wanted_answers_disagree(self) -> None:
        texts = {item.text for item in self._wanted if item.text is not None}
        require(len(texts) > 1, "give at least two questions whose answers differ")
        require(any(item.text is None for item in self._wanted), "give at least one question that fails")

    def no_call_changes_the_next(self) -> None:
        for item in self._answered():
            with self._open(item) as (provider, calls):
                alike = [other for other in self._answered() if other.settings == item.settings]
                for one in [*alike, *reversed(alike)]:
                    got = self._outcome(provider, calls, one)
                    self._is_what_is_wanted(got, one)

    def calls_at_once_get_their_own_answers(self) -> None:
        first = self._answered()[0]
        alike = [item for item in self._answered() if item.settings == first.settings] * 3

        async def ask_all(provider: Any) -> list[Completion]:
            return await asyncio.gather(*(completed(provider, item.request) for item in alike))

        with self._open(first) as (provider, calls):
            for item, got in zip(alike, calls(ask_all, provider), strict=True):
                require(got.text == item.text, f"{item.short}: among other calls the answer is {got.text!r}")

    def the_fingerprint_tells_questions_apart(self) -> None:
        item = self._answered()[0]
        with self._open(item) as (provider, _calls):
            if not hasattr(provider, "fingerprint"):
                return
            first = provider.fingerprint(item.request)
            require(first == provider.fingerprint(item.request), "the same request has two fingerprints")
            other = other_requests(item.request)["message"]
            require(provider.fingerprint(other) != first, "another question has the same fingerprint")

    def the_secret_is_shown_nowhere(self) -> None:
        if not self._secret:
            return
        for item in self._wanted:
            with self._open(item) as (provider, calls):
                got = None if item.hangs else self._outcome(provider, calls, item)
                shown: list[object] = [provider]
                if isinstance(got, ProviderError):
                    shown += [got, got.__cause__, got.__context__]
                elif got is not None:
                    shown.append(got.problem)
                if hasattr(provider, "fingerprint"):
                    shown.append(provider.fingerprint(item.request))
                for thing in shown:
                    hidden = self._secret not in f"{thing!r} {thing}"
                    require(hidden, f"{item.short}: the key is shown in {type(thing).__name__}")

    def _answered(self) -> list[Asked]:
        """Return the questions that get an answer, at least one."""
        found = [item for item in self._wanted if item.text is not None]
        require(found, "give at least one question that is answered")
        return found

    @staticmethod
    def _outcome(provider: Any, calls: Calls, item: Asked) -> Completion | ProviderError:
        try:
            got = calls(completed, provider, item.request)
        except ProviderError as error:
            return error
        except Exception as error:
            raise AssertionError(f"{item.short}: raised {error!r}, not ProviderError") from error
        if not isinstance(got, Completion):
            raise AssertionError(f"{item.short}: complete() returned {got!r}, not a Completion")
        return got

    @staticmethod
    def _is_what_is_wanted(got: Completion | ProviderError, item: Asked) -> None:
        if isinstance(got, ProviderError):
            require(item.text is None, f"{item.short}: wanted {item.text!r}, got the error {got}")
            require(item.says in str(got), f"{item.short}: wanted to read {item.says!r} in {str(got)!r}")
            require("\n" not in str(got), f"{item.short}: the error has several lines: {str(got)!r}")
            require(got.retryable is item.retryable, f"{item.short}: {got}: retryable must be {item.retryable}")
            for name in ("status", "retry_after_s", "exhausted"):
                want, is_said = getattr(item, name), getattr(got, name)
                require(want is None or is_said == want, f"{item.short}: {got}: {name} must be {want}, got {is_said}")
            return
        if item.text is None:
            require(got.problem is not None, f"{item.short}: wanted a failure, got the answer {got.text!r}")
            told = item.status is None and item.retry_after_s is None and not item.exhausted
            require(told, f"{item.short}: a problem has no status; raise ProviderError: {got.problem!r}")
            require(item.says in (got.problem or ""), f"{item.short}: wanted {item.says!r} in {got.problem!r}")
            return
        require(got.problem is None, f"{item.short}: a good answer has the problem {got.problem!r}")
        require(got.text == item.text, f"{item.short}: wanted {item.text!r}, got {got.text!r}")
        require(item.usage is None or got.usage == item.usage, f"{item.short}: wanted {item.usage}, got {got.usage}")
        said = f"{item.short}: wanted the cost {item.cost_usd}, got {got.cost_usd}"
        require(item.cost_usd is None or got.cost_usd == item.cost_usd, said)

    @staticmethod
    def _is_given_up(provider: Any, calls: Calls, item: Asked) -> None:
        try:
            got = calls(completed, provider, item.request, timeout_s=GIVEN_UP_WITHIN_S)
        except ProviderError as error:
            require(error.retryable, f"{item.short}: what took too long may be quicker next time: retryable=True")
        except TimeoutError:
            # The host ends the call; a provider need not have a clock of its own, if it can be cancelled.
            require(inspect.iscoroutinefunction(provider.complete), "a plain function must keep timeout_s itself")
        else:
            raise AssertionError(f"{item.short}: no answer was to come in time, got {got.text!r}")
