"""The kit finds what is wrong with a provider without an API: for each fault one that has it, and what says so."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from steelyard.api import Completion, NoSettings, ProviderSpec, Usage
from steelyard.errors import ProviderError
from steelyard.testing import Reach, answer_checks, asked

SECRET = "sk-secret-of-this-test"


class Right:
    """Does nothing wrong: answers in capitals."""

    def complete(self, request):
        question = request.messages[-1].content
        if question == "fail":
            raise ProviderError("no such thing")
        if question == "busy":
            raise ProviderError("try later", retryable=True)
        if question == "filtered":
            return Completion(text="", problem="stopped by a filter")
        return Completion(text=question.upper(), usage=Usage(prompt_tokens=1, completion_tokens=2))

    def fingerprint(self, request):
        return repr(request)


ASKED = [
    asked("hello", text="HELLO", usage=Usage(prompt_tokens=1, completion_tokens=2)),
    asked("bye", text="BYE"),
    asked("fail", says="no such thing"),
    asked("busy", says="try later", retryable=True),
    asked("filtered", says="filter"),
]


def spec_of(provider):
    return ProviderSpec(name="one", summary="One", settings=NoSettings, create=lambda _settings, _context: provider())


def broken(provider, items=ASKED, **options):
    found = []
    for check in answer_checks(spec_of(provider), items, **options):
        try:
            check()
        except AssertionError:
            found.append(str(check))
    return found


class Async(Right):
    async def complete(self, request):
        return Right.complete(self, request)


@pytest.mark.parametrize("provider", [Right, Async])
def test_a_right_provider_breaks_no_promise(provider):
    assert broken(provider, secret=SECRET) == []


class Changed(Right):
    """Does one thing otherwise."""

    def complete(self, request):
        return self.other(request, request.messages[-1].content)

    def other(self, request, question):
        return Right.complete(self, request)


class Mumbles(Changed):
    def other(self, request, question):
        return replace(Right.complete(self, request), text="mm")


class DropsUsage(Changed):
    def other(self, request, question):
        return replace(Right.complete(self, request), usage=Usage())


class PassesOverFailures(Changed):
    def other(self, request, question):
        return Completion(text="sorry") if question == "fail" else Right.complete(self, request)


class PassesOverFilters(Changed):
    def other(self, request, question):
        return replace(Right.complete(self, request), problem=None)


class BareException(Changed):
    def other(self, request, question):
        if question == "fail":
            raise KeyError("no such thing")
        return Right.complete(self, request)


class NeverAgain(Changed):
    def other(self, request, question):
        if question == "busy":
            raise ProviderError("try later")
        return Right.complete(self, request)


class InSeveralLines(Changed):
    def other(self, request, question):
        if question == "fail":
            raise ProviderError("no such thing\nat all")
        return Right.complete(self, request)


class NoCompletion(Changed):
    def other(self, request, question):
        return question.upper()


class Tires(Right):
    def __init__(self):
        self._calls = 0

    def complete(self, request):
        self._calls += 1
        got = Right.complete(self, request)
        return got if self._calls < 3 else replace(got, text="")


class Shares(Right):
    """Keeps the question on itself while it answers."""

    def complete(self, request):
        self._request = request
        time.sleep(0.05)
        return Right.complete(self, self._request)


class OneFingerprint(Right):
    def fingerprint(self, request):
        return "the same"


class OtherFingerprintEachTime(Right):
    def __init__(self):
        self._calls = 0

    def fingerprint(self, request):
        self._calls += 1
        return str(self._calls)


class ShowsTheKeyInErrors(Changed):
    def other(self, request, question):
        if question == "fail":
            raise ProviderError(f"no such thing for {SECRET}")
        return Right.complete(self, request)


class ShowsTheKeyInFingerprints(Right):
    def fingerprint(self, request):
        return f"{SECRET} {request!r}"


class ShowsTheKeyOfItself(Right):
    def __repr__(self):
        return f"ShowsTheKeyOfItself({SECRET})"


FIRST, THIRD, FOURTH, FIFTH = (
    f"it gives what is wanted {number}: {question!r}"
    for number, question in ((1, "hello"), (3, "fail"), (4, "busy"), (5, "filtered"))
)


@pytest.mark.parametrize(
    ("provider", "promise"),
    [
        (Mumbles, FIRST),
        (DropsUsage, FIRST),
        (NoCompletion, FIRST),
        (PassesOverFailures, THIRD),
        (BareException, THIRD),
        (InSeveralLines, THIRD),
        (NeverAgain, FOURTH),
        (PassesOverFilters, FIFTH),
        (Tires, "no call changes the next"),
        (Shares, "calls at once get their own answers"),
        (OneFingerprint, "the fingerprint tells questions apart"),
        (OtherFingerprintEachTime, "the fingerprint tells questions apart"),
        (ShowsTheKeyInErrors, "the secret is shown nowhere"),
        (ShowsTheKeyInFingerprints, "the secret is shown nowhere"),
        (ShowsTheKeyOfItself, "the secret is shown nowhere"),
    ],
)
def test_a_wrong_provider_is_found(provider, promise):
    assert promise in broken(provider, secret=SECRET)


@pytest.mark.parametrize("items", [ASKED[:1], ASKED[:2], ASKED[2:]])
def test_wanted_answers_that_all_agree_are_no_proof(items):
    assert "the wanted answers disagree" in broken(Right, items)


class Sleeps(Async):
    async def complete(self, request):
        await asyncio.sleep(600 if request.messages[-1].content == "hang" else 0)
        return Right.complete(self, request)


class AnswersInTime(Right):
    """Answers at once where nothing should have come."""


HANGS = [*ASKED, asked("hang", hangs=True)]


def test_a_call_that_can_be_cancelled_need_not_watch_the_clock(monkeypatch):
    monkeypatch.setattr("steelyard.testing.answer_contract.GIVEN_UP_WITHIN_S", 0.2)

    assert broken(Sleeps, HANGS) == []


def test_an_answer_that_was_not_to_come_is_found():
    assert "it gives what is wanted 6: 'hang'" in broken(AnswersInTime, HANGS)


def test_a_service_is_reached_over_a_real_server():
    seen = []

    class Asks(Right):
        def __init__(self, settings):
            self.settings = settings

    def reach(api):
        seen.append(api.origin)
        return Reach(settings=NoSettings(), environ={"A": "b"})

    spec = replace(spec_of(Right), create=lambda settings, context: seen.append(context.environ["A"]) or Asks(settings))
    for check in answer_checks(spec, ASKED, reach=reach):
        check()

    assert "b" in seen
    assert any(one.startswith("http://127.0.0.1:") for one in seen)


class Limited:
    """Fails as a gateway does that passes on what its server says."""

    def complete(self, request):
        if request.messages[-1].content == "busy":
            raise ProviderError("HTTP 429", retryable=True, status=429, retry_after_s=7.0)
        if request.messages[-1].content == "spent":
            raise ProviderError("HTTP 402", status=402, exhausted=True)
        return Completion(text="fine", cost_usd=0.25)


@pytest.mark.parametrize(
    ("item", "fault"),
    [
        (asked("busy", retryable=True, status=429, retry_after_s=7.0, exhausted=False), None),
        (asked("busy", retryable=True, status=503), "status must be 503, got 429"),
        (asked("busy", retryable=True, retry_after_s=5.0), "retry_after_s must be 5.0, got 7.0"),
        (asked("spent", exhausted=True), None),
        (asked("spent", exhausted=False), "exhausted must be False, got True"),
        (asked("x", text="fine", cost_usd=0.25), None),
        (asked("x", text="fine", cost_usd=0.5), "wanted the cost 0.5, got 0.25"),
    ],
)
def test_what_an_error_says_and_what_an_answer_costs_can_be_held(item, fault):
    (check,) = [check for check in answer_checks(spec_of(Limited), [item]) if str(check).startswith("it gives")]

    if fault is None:
        check()
    else:
        with pytest.raises(AssertionError, match=fault):
            check()


def test_a_problem_where_a_status_was_wanted_is_found():
    item = asked("filtered", says="filter", status=400)
    (check,) = [check for check in answer_checks(spec_of(Right), [item]) if str(check).startswith("it gives")]

    with pytest.raises(AssertionError, match="a problem has no status; raise ProviderError"):
        check()


class Calls:
    """Asks a server under a path that the test may have forgotten."""

    def __init__(self, origin):
        self._origin = origin

    def complete(self, request):
        import urllib.error
        import urllib.request

        try:
            with urllib.request.urlopen(f"{self._origin}/v2/generate", data=b"{}") as reply:
                return Completion(text=reply.read().decode())
        except urllib.error.HTTPError as error:
            with error:
                raise ProviderError(f"HTTP {error.code}") from None


def test_a_path_that_reach_did_not_tell_the_server_is_named():
    spec = ProviderSpec(
        name="one", summary="One", settings=NoSettings, create=lambda _s, context: Calls(context.environ["AT"])
    )
    checks = answer_checks(
        spec, [asked("x", text="y")], reach=lambda api: Reach(settings=NoSettings(), environ={"AT": api.origin})
    )
    (check,) = [check for check in checks if str(check).startswith("it gives")]

    with pytest.raises(AssertionError, match=r"POST /v2/generate got a 404; let reach call api\.route\('/v2/generate'"):
        check()
