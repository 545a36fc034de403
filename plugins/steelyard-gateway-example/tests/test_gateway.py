from __future__ import annotations

import base64
import itertools
import threading

import pytest
from steelyard_gateway_example import GatewaySettings, steelyard_register_providers

from steelyard.api import Pricing, Score
from steelyard.errors import MissingKeyError
from steelyard.testing import (
    SECRET,
    Calls,
    DictCache,
    FakeAPI,
    Reach,
    Reply,
    make_benchmark,
    make_case,
    make_context,
    make_uses,
    provider_checks,
    session_with,
)
from steelyard.testing.fake_api import failure

(SPEC,) = steelyard_register_providers()
CLIENT_SECRET = "the-clients-own-secret"
ENVIRON = {"GATEWAY_CLIENT_ID": "team-7", "GATEWAY_CLIENT_SECRET": CLIENT_SECRET}


def token_reply(text, lifetime_s=3600):
    return Reply(body={"access_token": text, "token_type": "Bearer", "expires_in": lifetime_s})


class Login:
    """A token endpoint on a server of its own: token-1, token-2 …, unless told otherwise."""

    def __init__(self, api):
        self._api = api
        self.answer(lambda number: token_reply(f"token-{number}"))

    def answer(self, decide):
        numbers = itertools.count(1)
        self._api.route("/oauth/token", lambda _request: decide(next(numbers)))

    @property
    def url(self):
        return f"{self._api.origin}/oauth/token"

    @property
    def requests(self):
        return self._api.requests


@pytest.fixture
def login():
    with FakeAPI() as api:
        yield Login(api)


@pytest.fixture
def gateway():
    """The gateway: lets in whom it has not revoked."""
    with FakeAPI() as api:
        yield api


def revoke(gateway, *tokens):
    """Refuse these tokens from now on."""
    refused = {f"Bearer {token}" for token in tokens}
    gateway.answer(lambda request: failure(401) if request.headers["authorization"] in refused else "ok")


def asked(gateway):
    """The requests for an answer; the catalogue is asked for too."""
    return [request for request in gateway.requests if request.method == "POST"]


def settings(gateway, login, **changes):
    return GatewaySettings(cost_centre="4711", base_url=gateway.base_url, token_url=login.url, **changes)


class Anything:
    def score(self, case, output, ask):
        return Score(value=1.0, passed=True, reason=f"read {output.text}")


def run(gateway, login, tmp_path, cases=1, **fields):
    """Run cases through the whole host, and return the results and what it said."""
    said = []
    options = {"cost_centre": "4711", "base_url": gateway.base_url, "token_url": login.url}
    benchmark = make_benchmark(
        cases=[
            make_case(
                f"case-{number}", variables={"question": f"question {number}"}, scorers=make_uses(["fake_scorer"])
            )
            for number in range(cases)
        ],
        models=["gateway-example:small"],
        providers={SPEC.name: options},
        retries=0,
        concurrency=cases,
        **fields,
    )
    session = session_with(SPEC, Anything(), cwd=tmp_path, environ=ENVIRON, warn=said.append)
    return list(session.run(benchmark).results[0].cases), said


@pytest.fixture
def gives_the_secret(login):
    """The token is what the checks look for everywhere."""
    login.answer(lambda _number: token_reply(SECRET))
    return login


def reach(api):
    return Reach(settings=settings(api, reach.login), environ=ENVIRON)


@pytest.mark.parametrize("check", provider_checks(SPEC, reach), ids=str)
def test_the_provider_keeps_the_contract(check, gives_the_secret):
    reach.login = gives_the_secret

    check()


def test_every_call_carries_the_token_and_the_cost_centre(gateway, login, tmp_path):
    run(gateway, login, tmp_path, cases=2)

    assert [request.headers["x-cost-centre"] for request in asked(gateway)] == ["4711", "4711"]
    assert [request.headers["authorization"] for request in asked(gateway)] == ["Bearer token-1", "Bearer token-1"]


def test_the_client_proves_itself_to_the_token_endpoint_alone(gateway, login, tmp_path):
    run(gateway, login, tmp_path)

    (fetched,) = login.requests
    assert fetched.method == "POST"
    assert fetched.headers["authorization"] == "Basic " + base64.b64encode(f"team-7:{CLIENT_SECRET}".encode()).decode()
    assert fetched.body == b"grant_type=client_credentials"
    assert CLIENT_SECRET not in "".join(f"{dict(request.headers)}{request.body!r}" for request in gateway.requests)


def test_calls_at_once_share_one_token(gateway, login, tmp_path):
    done = []
    gateway.hold()
    runner = threading.Thread(target=lambda: done.extend(run(gateway, login, tmp_path, cases=20)[0]))
    runner.start()
    # All are on their way, with a token, before the first is answered.
    all_there = gateway.wait_for(lambda api: api.in_flight == 20, timeout_s=60)
    gateway.release()
    runner.join(60)

    assert all_there
    assert [case.passed for case in done] == [True] * 20
    assert len(login.requests) == 1


def test_a_refused_token_is_replaced_once_for_all_calls(gateway, login, tmp_path):
    revoke(gateway, "token-1")

    cases, _ = run(gateway, login, tmp_path, cases=10)

    assert [case.status for case in cases] == ["scored"] * 10
    assert len(login.requests) == 2


def test_a_second_refusal_is_the_answer(gateway, login, tmp_path):
    revoke(gateway, "token-1", "token-2")

    (case,), _ = run(gateway, login, tmp_path)

    assert case.status == "api_error"
    assert "HTTP 401 from the gateway; check the client's id and secret" in case.error
    assert (gateway.count, len(login.requests)) == (2, 2)


def test_a_token_that_is_about_to_end_is_renewed_before_the_next_call(gateway, login, tmp_path):
    login.answer(lambda number: token_reply(f"token-{number}", lifetime_s=0))

    run(gateway, login, tmp_path, cases=3)

    assert sorted(request.headers["authorization"] for request in asked(gateway)) == [
        "Bearer token-1",
        "Bearer token-2",
        "Bearer token-3",
    ]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (failure(401), "HTTP 401 from the token endpoint; check the client's id and secret"),
        (failure(503), "HTTP 503 from the token endpoint"),
        (Reply(body="<html>"), "the token endpoint gave no token"),
        (Reply(body={"access_token": "", "expires_in": 60}), "the token endpoint gave no token"),
        (Reply(body={"access_token": "a-token"}), "the token endpoint gave no token"),
        (Reply(ending="no_answer"), "/oauth/token: ServerDisconnectedError"),
    ],
)
def test_without_a_token_the_gateway_is_not_asked(gateway, login, tmp_path, reply, message):
    login.answer(lambda _number: reply)

    (case,), _ = run(gateway, login, tmp_path)

    assert case.status == "api_error"
    assert message in case.error
    assert gateway.count == 0


@pytest.mark.parametrize("secret", ["token-that-is-secret", CLIENT_SECRET])
@pytest.mark.parametrize("status", [200, 400])
def test_no_secret_is_shown_even_when_the_gateway_repeats_it(gateway, login, tmp_path, secret, status):
    login.answer(lambda _number: token_reply("token-that-is-secret"))
    gateway.reply(f"you sent {secret}" if status == 200 else failure(status, f"bad token {secret}"))

    cases, said = run(gateway, login, tmp_path)

    written = [path.read_text("utf-8") for path in tmp_path.rglob("*") if path.suffix in (".json", ".jsonl")]
    assert written
    assert secret not in repr(cases) + "".join(said) + "".join(written)
    assert status != 200 or cases[0].runs[0].response == "you sent [redacted]"


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({}, "GATEWAY_CLIENT_ID and GATEWAY_CLIENT_SECRET not set"),
        ({"GATEWAY_CLIENT_ID": "team-7"}, "GATEWAY_CLIENT_SECRET not set"),
        ({"GATEWAY_CLIENT_ID": "team-7", "GATEWAY_CLIENT_SECRET": "  "}, "GATEWAY_CLIENT_SECRET not set"),
    ],
)
def test_a_missing_secret_stops_a_run_before_any_call(gateway, login, tmp_path, environ, message):
    session = session_with(SPEC, Anything(), cwd=tmp_path, environ=environ)
    options = {"cost_centre": "4711", "base_url": gateway.base_url, "token_url": login.url}

    with pytest.raises(MissingKeyError, match=message):
        session.run(make_benchmark(providers={SPEC.name: options}, scorers=["fake_scorer"]))

    assert gateway.count + len(login.requests) == 0


def catalogue(gateway, reply):
    gateway.route("/v1/catalogue", lambda _request: reply)


def test_the_cost_comes_from_the_organisations_own_prices(gateway, login, tmp_path):
    catalogue(
        gateway,
        Reply(body={"models": [{"name": "small", "context": 8192, "usd_per_1k_in": 0.002, "usd_per_1k_out": 0.01}]}),
    )
    gateway.reply(Reply("ok", usage={"prompt_tokens": 1000, "completion_tokens": 500}))

    (case,), _ = run(gateway, login, tmp_path)

    # 1,000 tokens at 0.002 a thousand, and 500 at 0.01 a thousand.
    assert case.runs[0].cost_usd == pytest.approx(0.002 + 0.005)


def test_the_catalogue_needs_no_token(gateway, login, tmp_path):
    catalogue(gateway, Reply(body={"models": [{"name": "small", "usd_per_1k_in": 0.002, "usd_per_1k_out": 0.01}]}))
    with Calls() as calls:
        provider = SPEC.create(settings(gateway, login), make_context(tmp_path))
        (model,) = calls(provider.models)
        calls(provider.close)

    assert model.id == "small"
    assert model.pricing == Pricing(input_per_mtok=2.0, output_per_mtok=10.0)
    assert login.requests == ()


@pytest.mark.parametrize("reply", [failure(500), Reply(body="[["), Reply(body={"models": [{"name": "small"}]})])
def test_a_catalogue_that_cannot_be_read_costs_only_the_prices(gateway, login, tmp_path, reply):
    catalogue(gateway, reply)

    (case,), said = run(gateway, login, tmp_path)

    assert case.passed
    assert case.runs[0].cost_usd is None
    assert any("no prices from the model catalog" in line for line in said)


def test_another_cost_centre_finds_the_same_cached_answers(gateway, login, tmp_path):
    cache = DictCache()
    for cost_centre in ("4711", "4712"):
        options = {"cost_centre": cost_centre, "base_url": gateway.base_url, "token_url": login.url}
        benchmark = make_benchmark(
            models=["gateway-example:small"], providers={SPEC.name: options}, scorers=["fake_scorer"]
        )
        session_with(SPEC, Anything(), cache, cwd=tmp_path, environ=ENVIRON, warn=[].append).run(benchmark)

    assert len(gateway.prompts) == 1
