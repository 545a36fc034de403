"""Contract checks for providers of the APIs that ``FakeAPI`` plays, which fails in every way on demand.

::

    def reach(api):
        return Reach(settings=GatewaySettings(base_url=api.base_url), environ={"GATEWAY_KEY": SECRET})

    @pytest.mark.parametrize("check", provider_checks(SPEC, reach))
    def test_the_provider_keeps_the_contract(check):
        check()

The server answers in the words of the API whose path it is asked under: chat completions (``/v1/chat/completions``,
also under ``/api/v1``), Anthropic's messages (``/v1/messages``), Gemini's ``generateContent``, Ollama's ``/api/chat``.
A provider of an API with other paths or another form is for ``answer_checks``. ``reach`` may tell the server further
paths, such as that of a token: ``api.route("/oauth/token", ...)``. What a reply means in one API's own words is for the
author's own tests.
"""

from __future__ import annotations

import asyncio
import inspect
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..api import Completion, Message, Parameters, ProviderSpec, Request
from ..errors import ProviderError, SteelyardError
from .builders import make_context
from .calling import Calls, close
from .checks import Check, named, require, spec_checks
from .fake_api import FakeAPI, Reply, failure, html, lone_surrogate, rate_limited, silence
from .provider_calls import completed, other_requests
from .provider_faults import FINAL, GARBAGE, RETRYABLE

SECRET = "sk-secret-of-the-checks"  # noqa: S105 - what must be found nowhere
"""The key that :class:`Reach` should hand to the provider, to see that it is shown nowhere."""

MODEL = "vendor/small"
AT_ONCE = 20
RETRY_AFTER_S = 7.0
CLOSING_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How the provider under test reaches the server."""

    settings: Any
    environ: Mapping[str, str] = field(default_factory=dict)


def provider_checks(
    spec: ProviderSpec[Any], reach: Callable[[FakeAPI], Reach], *, model: str = MODEL, secret: str = SECRET
) -> list[Check]:
    """Make the checks of a provider.

    Args:
        spec: What the plugin registers.
        reach: Gives settings and environment for a running server.
        model: The model to ask for.
        secret: The key that ``reach`` hands over; empty for a provider that has none.
    """
    promises = _Promises(spec, reach, model, secret)
    return [*spec_checks(spec), *named(promises.all())]


class _Promises:
    """Every promise, each with a server of its own."""

    def __init__(self, spec: ProviderSpec[Any], reach: Callable[[FakeAPI], Reach], model: str, secret: str) -> None:
        self._spec = spec
        self._reach = reach
        self._request = Request(model=model, messages=(Message(role="user", content="a question"),), timeout_s=10.0)
        self._secret = secret

    def all(self) -> list[Callable[[], None]]:
        return [
            self.a_good_answer_is_returned_with_its_tokens,
            self.every_message_reaches_the_model_in_order,
            self.what_is_not_set_is_not_sent,
            self.further_parameters_are_passed_on,
            self.one_call_is_one_request,
            self.what_may_get_better_is_retryable,
            self.what_will_not_get_better_is_final,
            self.a_rate_limit_tells_how_long_to_wait,
            self.garbage_is_an_error_of_the_provider,
            self.an_answer_with_nothing_in_it_is_a_problem,
            self.a_server_that_says_nothing_is_given_up,
            self.lone_surrogates_pass_both_ways,
            self.calls_at_once_get_their_own_answers,
            self.the_key_is_shown_nowhere,
            self.a_key_that_the_server_repeats_can_be_hidden,
            self.the_fingerprint_tells_requests_apart,
            self.closing_leaves_no_connection_open,
            self.it_is_made_without_a_key,
        ]

    def a_good_answer_is_returned_with_its_tokens(self) -> None:
        with self._open() as (api, provider, calls):
            api.reply("billing")
            got = calls(completed, provider, self._request)
            require(isinstance(got, Completion), f"complete() returned {got!r}, not a Completion")
            require(got.text == "billing", f"the model said 'billing', got {got.text!r}")
            require(got.problem is None, f"a good answer has the problem {got.problem!r}")
            require(got.finish_reason == "stop", f"the output ended by itself, got {got.finish_reason!r}")
            require((got.usage.prompt_tokens or 0) > 0, f"the reply counts prompt tokens, got {got.usage}")
            require((got.usage.completion_tokens or 0) > 0, f"the reply counts completion tokens, got {got.usage}")

    def every_message_reaches_the_model_in_order(self) -> None:
        said = (
            Message(role="system", content="be brief"),
            Message(role="user", content="first question"),
            Message(role="assistant", content="first answer"),
            Message(role="user", content="naïve 🎯 {{ braces }} \\ \" 'quotes'"),
        )
        with self._open() as (api, provider, calls):
            calls(completed, provider, replace(self._request, messages=said))
            (prompt,) = api.prompts
            wanted = "\n".join(message.content for message in said)
            require(prompt == wanted, f"the model was to read {wanted!r}, it got {prompt!r}")

    def what_is_not_set_is_not_sent(self) -> None:
        with self._open() as (api, provider, calls):
            calls(completed, provider, self._request)
            sent = api.requests[-1].body.decode("utf-8", "replace")
            for name in ("temperature", "seed", "null"):
                require(f'"{name}"' not in sent and f":{name}" not in sent, f"{name} was not set, but sent: {sent}")

    def further_parameters_are_passed_on(self) -> None:
        parameters = Parameters(temperature=0.25, max_tokens=123, params={"a_new_field": {"deep": [1]}})
        with self._open() as (api, provider, calls):
            calls(completed, provider, replace(self._request, parameters=parameters))
            sent = api.requests[-1].body.decode("utf-8", "replace").replace(" ", "")
            for part in ("0.25", "123", '"a_new_field":{"deep":[1]}'):
                require(part in sent, f"{part} was set, but not sent: {sent}")

    def one_call_is_one_request(self) -> None:
        with self._open() as (api, provider, calls):
            api.reply(failure(500))
            self._error(calls, provider)
            require(api.count == 1, f"one call made {api.count} requests; trying again is the host's decision")

    def what_may_get_better_is_retryable(self) -> None:
        for what, reply in RETRYABLE.items():
            with self._open() as (api, provider, calls):
                api.reply(reply)
                error = self._error(calls, provider, what)
                require(error.retryable, f"{what}: {error} may be better a little later: retryable=True")
                status = reply.status if reply.status >= 400 else None  # noqa: PLR2004 - where errors start
                require(status is None or error.status == status, f"{what}: the status is {error.status}")

    def what_will_not_get_better_is_final(self) -> None:
        for what, reply in FINAL.items():
            with self._open() as (api, provider, calls):
                api.reply(reply)
                error = self._error(calls, provider, what)
                require(not error.retryable, f"{what}: {error} will be no better: retryable=False")
                require(error.status == reply.status, f"{what}: the status is {error.status}")

    def a_rate_limit_tells_how_long_to_wait(self) -> None:
        with self._open() as (api, provider, calls):
            api.reply(rate_limited(f"{RETRY_AFTER_S:g}"))
            error = self._error(calls, provider)
            require(error.retryable, "a rate limit passes: retryable=True")
            require(error.retry_after_s == RETRY_AFTER_S, f"Retry-After said 7 s, got {error.retry_after_s}")
            api.reply(rate_limited("soon"))
            error = self._error(calls, provider)
            require(error.retry_after_s is None, f"'soon' is no time to wait, got {error.retry_after_s}")

    def garbage_is_an_error_of_the_provider(self) -> None:
        for what, reply in GARBAGE.items():
            with self._open() as (api, provider, calls):
                api.reply(reply)
                try:
                    got = calls(completed, provider, self._request)
                except ProviderError:
                    continue
                except Exception as error:
                    raise AssertionError(f"{what}: raised {error!r}, not ProviderError") from error
                require(got.problem, f"{what} was taken for the answer {got.text!r}")

    def an_answer_with_nothing_in_it_is_a_problem(self) -> None:
        for reason in ("length", "content_filter"):
            with self._open() as (api, provider, calls):
                api.reply(Reply("", finish_reason=reason))
                try:
                    got = calls(completed, provider, self._request)
                except ProviderError as error:
                    require(not error.retryable, f"{reason}: the same question gets the same: retryable=False")
                else:
                    require(got.problem, f"{reason}: the empty answer must have a problem, or it is graded")

    def a_server_that_says_nothing_is_given_up(self) -> None:
        with self._open() as (api, provider, calls):
            api.reply(silence())
            request = replace(self._request, timeout_s=0.3)
            try:
                calls(completed, provider, request, timeout_s=5.0)
            except ProviderError as error:
                require(error.retryable, "a server that was silent may answer next time: retryable=True")
            except TimeoutError:
                # The host ends the call; a provider need not have a clock of its own, if it can be cancelled.
                require(inspect.iscoroutinefunction(provider.complete), "a plain function must keep timeout_s itself")
            else:
                raise AssertionError("a server that says nothing was taken for an answer")

    def lone_surrogates_pass_both_ways(self) -> None:
        with self._open() as (api, provider, calls):
            api.reply(lone_surrogate())
            odd = replace(self._request, messages=(Message(role="user", content="half a \ud83d pair"),))
            got = calls(completed, provider, odd)
            require(got.text.startswith("math "), f"the answer is {got.text!r}")

    def calls_at_once_get_their_own_answers(self) -> None:
        async def ask_all(provider: Any) -> list[Completion]:
            requests = [
                replace(self._request, messages=(Message(role="user", content=f"say {number}"),))
                for number in range(AT_ONCE)
            ]
            return await asyncio.gather(*(completed(provider, request) for request in requests))

        with self._open() as (api, provider, calls):
            api.answer(lambda request: request.prompt.removeprefix("say "))
            got = [answer.text for answer in calls(ask_all, provider)]
            require(got == [str(number) for number in range(AT_ONCE)], f"answers went to other questions: {got}")

    def the_key_is_shown_nowhere(self) -> None:
        if not self._secret:
            return
        with self._open() as (api, provider, calls):
            shown: list[object] = [provider]
            for reply in (failure(401, "the key was refused"), failure(500), html(403), Reply(body="hello")):
                api.reply(reply)
                try:
                    calls(completed, provider, self._request)
                except ProviderError as error:
                    shown += [error, error.__cause__, error.__context__]
            sent = [str(dict(request.headers)) + request.target for request in api.requests]
            require(any(self._secret in text for text in sent), "the key that reach() handed over was never used")
            if hasattr(provider, "fingerprint"):
                shown.append(provider.fingerprint(self._request))
            if hasattr(provider, "credentials"):
                shown.append(provider.credentials())
            for thing in shown:
                require(self._secret not in f"{thing!r} {thing}", f"the key is shown in {type(thing).__name__}")

    def a_key_that_the_server_repeats_can_be_hidden(self) -> None:
        if not self._secret:
            return
        with self._open() as (api, provider, calls):
            api.reply(failure(401, f"the key {self._secret} is not known"))
            error = self._error(calls, provider)
            declared = provider.credentials().secrets if hasattr(provider, "credentials") else ()
            hidden = self._secret not in str(error) or self._secret in declared
            require(hidden, "the message repeats the key; give it in Credentials.secrets, and the host hides it")

    def the_fingerprint_tells_requests_apart(self) -> None:
        with self._open() as (_api, provider, _calls):
            if not hasattr(provider, "fingerprint"):
                return
            first = provider.fingerprint(self._request)
            require(first == provider.fingerprint(self._request), "the same request has two fingerprints")
            for what, other in other_requests(self._request).items():
                require(provider.fingerprint(other) != first, f"another {what} has the same fingerprint")

    def closing_leaves_no_connection_open(self) -> None:
        with self._server() as api:
            with self._provider(api) as (provider, calls):
                calls(completed, provider, self._request)
            gone = api.wait_for(lambda api: api.open_connections == 0, CLOSING_S)
            require(gone, f"{api.open_connections} connections are open after close()")

    def it_is_made_without_a_key(self) -> None:
        with self._server() as api:
            reach = self._reach(api)
            keyless = {name: value for name, value in reach.environ.items() if value != self._secret}
            try:
                with self._made(replace(reach, environ=keyless)):
                    pass
            except SteelyardError as error:
                raise AssertionError(
                    f"create raised {error!r} for want of a key, and so would 'steelyard validate'; use credentials"
                ) from error
            require(api.count == 0, "create asked the server; make no call before complete")

    def _error(self, calls: Calls, provider: Any, what: str = "the failure") -> ProviderError:
        try:
            got = calls(completed, provider, self._request)
        except ProviderError as error:
            return error
        except Exception as error:
            raise AssertionError(f"{what}: raised {error!r}, not ProviderError") from error
        raise AssertionError(f"{what} was taken for the answer {got!r}")

    @contextmanager
    def _open(self) -> Iterator[tuple[FakeAPI, Any, Calls]]:
        with self._server() as api, self._provider(api) as (provider, calls):
            yield api, provider, calls

    @staticmethod
    @contextmanager
    def _server() -> Iterator[FakeAPI]:
        with FakeAPI() as api:
            try:
                yield api
            finally:
                # Whatever came of it: the 404 that such a request got is no finding, and passes some of the checks.
                for request in api.unplayed[:1]:
                    raise AssertionError(
                        f"the provider asked {request.method} {request.path}, which FakeAPI does not play; for an API "
                        f"of its own use answer_checks with reach and api.route({request.path!r}, ...)"
                    ) from None

    @contextmanager
    def _provider(self, api: FakeAPI) -> Iterator[tuple[Any, Calls]]:
        with self._made(self._reach(api)) as made:
            yield made

    @contextmanager
    def _made(self, reach: Reach) -> Iterator[tuple[Any, Calls]]:
        with tempfile.TemporaryDirectory(prefix="steelyard-provider-") as folder, Calls() as calls:
            context = make_context(Path(folder), environ=reach.environ, concurrency=AT_ONCE)
            provider = self._spec.create(reach.settings, context)
            try:
                yield provider, calls
            finally:
                close(provider, calls)
