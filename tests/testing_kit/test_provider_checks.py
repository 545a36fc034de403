"""The kit finds what is wrong with a provider: for each fault a provider that has it, and the check that says so."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass, replace

import pytest

from steelyard.api import Completion, Credentials, ProviderSpec, Usage, option
from steelyard.errors import ProviderError, UsageError
from steelyard.testing import SECRET, Reach, provider_checks, spec_checks


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    base_url: str = option("", doc="Where.")


class Right:
    """Speaks chat completions with the standard library, a connection a call."""

    def __init__(self, base_url, key):
        self._base_url, self._key = base_url, key

    def complete(self, request):
        return self.understood(self.answer(self.asked(request), request.timeout_s))

    def asked(self, request):
        parameters = request.parameters
        fields = {"temperature": parameters.temperature, "max_tokens": parameters.max_tokens, "seed": parameters.seed}
        return {
            "model": request.model,
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            **{name: value for name, value in fields.items() if value is not None},
            **parameters.params,
        }

    def answer(self, body, timeout_s):
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        data = json.dumps(body).encode()
        call = urllib.request.Request(f"{self._base_url}/chat/completions", data=data, headers=headers)
        try:
            with urllib.request.urlopen(call, timeout=timeout_s) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            with error:
                raise self.failed(error.code, error.headers.get("Retry-After")) from None
        except Exception as error:
            raise ProviderError(f"no answer: {type(error).__name__}", retryable=True) from None

    def failed(self, status, retry_after):
        wait = float(retry_after) if (retry_after or "").isdigit() else None
        return ProviderError(
            f"HTTP {status}", status=status, retryable=status == 429 or status >= 500, retry_after_s=wait
        )

    def understood(self, body):
        try:
            reply = json.loads(body)
            choice = reply["choices"][0]
            text, reason = choice["message"]["content"], choice["finish_reason"]
            usage = Usage(
                prompt_tokens=reply["usage"]["prompt_tokens"], completion_tokens=reply["usage"]["completion_tokens"]
            )
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise ProviderError(f"not an answer: {type(error).__name__}") from None
        if not isinstance(text, str):
            raise ProviderError("no text in the answer")
        return Completion(
            text=text, usage=usage, finish_reason=reason, problem=None if text else f"empty answer ({reason})"
        )

    def fingerprint(self, request):
        return json.dumps([self._base_url, self.asked(request)], sort_keys=True)

    def credentials(self):
        return Credentials(source="KEY", is_set=bool(self._key), secrets=(self._key,))


def spec_of(provider):
    return ProviderSpec(
        name="one",
        summary="One",
        settings=Settings,
        create=lambda settings, context: provider(settings.base_url, context.environ.get("KEY", "")),
    )


def checks_of(provider):
    return provider_checks(
        spec_of(provider), lambda api: Reach(settings=Settings(base_url=api.base_url), environ={"KEY": SECRET})
    )


def breaks(provider, promise):
    """Whether a provider breaks a promise."""
    (check,) = [check for check in checks_of(provider) if str(check) == promise]
    try:
        check()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("check", checks_of(Right))
def test_a_right_provider_breaks_no_promise(check):
    check()


class LosesTheTokens(Right):
    def understood(self, body):
        return replace(super().understood(body), usage=Usage())


class ForgetsTheSystemMessage(Right):
    def asked(self, request):
        body = super().asked(request)
        return {**body, "messages": [message for message in body["messages"] if message["role"] != "system"]}


class SendsNulls(Right):
    def asked(self, request):
        return {"temperature": request.parameters.temperature, **super().asked(request)}


class DropsWhatItDoesNotKnow(Right):
    def asked(self, request):
        return super().asked(replace(request, parameters=replace(request.parameters, params={})))


class TriesAgain(Right):
    def answer(self, body, timeout_s):
        try:
            return super().answer(body, timeout_s)
        except ProviderError:
            return super().answer(body, timeout_s)


class GivesUpAtOnce(Right):
    def failed(self, status, retry_after):
        return ProviderError(f"HTTP {status}", status=status)


class NeverGivesUp(Right):
    def failed(self, status, retry_after):
        return ProviderError(f"HTTP {status}", status=status, retryable=True)


class BelievesAnyWait(Right):
    def failed(self, status, retry_after):
        wait = 0.0 if not (retry_after or "").isdigit() else float(retry_after)
        return ProviderError(f"HTTP {status}", status=status, retryable=True, retry_after_s=wait)


class CrashesOnGarbage(Right):
    def understood(self, body):
        reply = json.loads(body)
        return Completion(text=reply["choices"][0]["message"]["content"])


class TakesGarbageForAnEmptyAnswer(Right):
    def understood(self, body):
        try:
            return super().understood(body)
        except ProviderError:
            return Completion(text="")


class GradesEmptyAnswers(Right):
    def understood(self, body):
        return replace(super().understood(body), problem=None)


class WaitsWithoutAnEnd(Right):
    def complete(self, request):
        return super().complete(replace(request, timeout_s=1.5))

    def answer(self, body, timeout_s):
        try:
            return super().answer(body, timeout_s)
        except ProviderError as error:
            raise TimeoutError(str(error)) from error


class EncodesStrictly(Right):
    def asked(self, request):
        for message in request.messages:
            message.content.encode()
        return super().asked(request)


class MixesUpAnswers(Right):
    def complete(self, request):
        self._request = request
        body = self.answer(self.asked(request), request.timeout_s)
        first = getattr(self, "_first", None) or self.understood(body)
        self._first = first
        return first


class TellsTheKey(Right):
    def failed(self, status, retry_after):
        return ProviderError(f"HTTP {status} for {self._key}", status=status)


class TellsTheKeyInItsFingerprint(Right):
    def fingerprint(self, request):
        return self._key + super().fingerprint(request)


class TellsTheKeyInItsRepr(Right):
    def __repr__(self):
        return f"Right({self._base_url!r}, {self._key!r})"


class LeavesTheTemperatureOut(Right):
    def fingerprint(self, request):
        return super().fingerprint(replace(request, parameters=replace(request.parameters, temperature=None)))


class AnotherEachTime(Right):
    def fingerprint(self, request):
        return f"{object()}"


class KeepsConnectionsOpen(Right):
    def complete(self, request):
        import http.client

        connection = http.client.HTTPConnection(self._base_url.split("/")[2])
        connection.connect()
        OPEN.append(connection)
        return super().complete(request)


class WantsItsKeyAtOnce(Right):
    def __init__(self, base_url, key):
        super().__init__(base_url, key)
        if not key:
            raise UsageError("KEY is not set")


class CallsBeforeItIsAsked(Right):
    def __init__(self, base_url, key):
        super().__init__(base_url, key)
        with urllib.request.urlopen(f"{base_url}/models") as reply:
            reply.read()


OPEN = []


@pytest.fixture(autouse=True)
def _close_what_was_left_open():
    yield
    while OPEN:
        OPEN.pop().close()


@pytest.mark.parametrize(
    ("provider", "promise"),
    [
        (LosesTheTokens, "a good answer is returned with its tokens"),
        (ForgetsTheSystemMessage, "every message reaches the model in order"),
        (SendsNulls, "what is not set is not sent"),
        (DropsWhatItDoesNotKnow, "further parameters are passed on"),
        (TriesAgain, "one call is one request"),
        (GivesUpAtOnce, "what may get better is retryable"),
        (NeverGivesUp, "what will not get better is final"),
        (GivesUpAtOnce, "a rate limit tells how long to wait"),
        (BelievesAnyWait, "a rate limit tells how long to wait"),
        (CrashesOnGarbage, "garbage is an error of the provider"),
        (TakesGarbageForAnEmptyAnswer, "garbage is an error of the provider"),
        (GradesEmptyAnswers, "an answer with nothing in it is a problem"),
        (WaitsWithoutAnEnd, "a server that says nothing is given up"),
        (EncodesStrictly, "lone surrogates pass both ways"),
        (MixesUpAnswers, "calls at once get their own answers"),
        (TellsTheKey, "the key is shown nowhere"),
        (TellsTheKeyInItsFingerprint, "the key is shown nowhere"),
        (TellsTheKeyInItsRepr, "the key is shown nowhere"),
        (LeavesTheTemperatureOut, "the fingerprint tells requests apart"),
        (AnotherEachTime, "the fingerprint tells requests apart"),
        (KeepsConnectionsOpen, "closing leaves no connection open"),
        (WantsItsKeyAtOnce, "it is made without a key"),
        (CallsBeforeItIsAsked, "it is made without a key"),
    ],
)
def test_a_wrong_provider_is_found(provider, promise, monkeypatch):
    monkeypatch.setattr("steelyard.testing.provider_contract.CLOSING_S", 0.3)

    assert breaks(provider, promise)


class RepeatsWhatTheServerSays(Right):
    """Shows the server's own words, and does not say what must be hidden in them."""

    def answer(self, body, timeout_s):
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        data = json.dumps(body).encode()
        call = urllib.request.Request(f"{self._base_url}/chat/completions", data=data, headers=headers)
        try:
            with urllib.request.urlopen(call, timeout=timeout_s) as reply:
                return reply.read()
        except urllib.error.HTTPError as error:
            with error:
                raise ProviderError(error.read().decode(), status=error.code) from None

    def credentials(self):
        return Credentials(source="KEY", is_set=True)


class SaysWhatToHide(RepeatsWhatTheServerSays):
    def credentials(self):
        return Credentials(source="KEY", is_set=True, secrets=(self._key,))


@pytest.mark.parametrize(("provider", "is_broken"), [(RepeatsWhatTheServerSays, True), (SaysWhatToHide, False)])
def test_a_repeated_key_must_be_declared(provider, is_broken):
    promise = "a key that the server repeats can be hidden"
    (check,) = [check for check in checks_of(provider) if str(check) == promise]

    if is_broken:
        with pytest.raises(AssertionError, match=r"Credentials\.secrets"):
            check()
    else:
        check()


class HasAPathOfItsOwn(Right):
    def __init__(self, base_url, key):
        super().__init__(base_url.removesuffix("/v1") + "/v2/generate", key)


def test_a_provider_of_an_api_that_is_not_played_is_sent_to_the_checks_for_it_and_passes_none_by_the_404():
    silent = {str(check) for check in spec_checks(spec_of(HasAPathOfItsOwn))}
    silent |= {"it is made without a key", "the fingerprint tells requests apart"}
    asking = [check for check in checks_of(HasAPathOfItsOwn) if str(check) not in silent]

    assert len(asking) > 10
    for check in asking:
        with pytest.raises(AssertionError) as failure:
            check()
        said = str(failure.value)
        assert said.startswith("the provider asked POST /v2/generate/chat/completions, which FakeAPI does not play; ")
        assert "use answer_checks with reach and api.route('/v2/generate" in said


class FetchesATokenFirst(Right):
    def answer(self, body, timeout_s):
        with urllib.request.urlopen(self._base_url.removesuffix("/v1") + "/oauth/token") as reply:
            assert json.load(reply) == {"output": "a token"}
        return super().answer(body, timeout_s)


def test_a_path_that_reach_has_told_the_server_is_played():
    def reach(api):
        api.route("/oauth/token", lambda _request: "a token")
        return Reach(settings=Settings(base_url=api.base_url), environ={"KEY": SECRET})

    spec = ProviderSpec(
        name="one", summary="One", settings=Settings, create=lambda s, c: FetchesATokenFirst(s.base_url, "k")
    )
    (check,) = [one for one in provider_checks(spec, reach) if str(one).startswith("a good answer")]
    check()
