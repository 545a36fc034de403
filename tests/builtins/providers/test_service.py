"""A web service as the thing under test: what it is sent, and that false, 0 and an empty text are answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import pytest
from steelyard_builtins.providers.http import HttpSettings, create, steelyard_register_providers

from steelyard.api import Completion, Message, Request
from steelyard.errors import ProviderError, UsageError
from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, failure, html, redirect

Ask = Callable[..., Completion]
Failing = Callable[..., ProviderError]


@pytest.fixture
def service(api: FakeAPI, context: Any) -> Callable[..., Any]:
    """Make a provider for ``/ask`` of the fake API, which answers with ``reply``."""

    def make(reply: Any = "ok", **settings: Any) -> Any:
        answer = reply if isinstance(reply, Reply) else Reply(body=json.dumps({"output": reply}))
        api.route("/ask", lambda request: answer)
        return create(HttpSettings(**{"url": f"{api.origin}/ask", **settings}), context({}))

    return make


def test_the_prompt_is_posted_as_input_and_the_output_is_the_answer(api: FakeAPI, service: Any, ask: Ask) -> None:
    completion = ask(service("hello to you"), "hello")

    assert completion == Completion(text="hello to you", model="acme/writer-2")
    assert (api.requests[0].method, api.requests[0].json) == ("POST", {"input": "hello"})
    assert api.requests[0].headers["content-type"] == "application/json"


def test_placeholders_are_filled_in_at_any_depth_and_whole_ones_keep_their_type(
    api: FakeAPI, service: Any, ask: Ask
) -> None:
    body = {
        "a": "{{prompt}}",
        "b": "{{vars.q}}",
        "c": "q={{vars.q}} {{ vars.items }} {{vars.o}}",
        "d": "{{vars.items}}",
        "e": ["{{system}}", "{{vars.items.0}}", {"deep": "{{q}}"}],
        "f": "{{ messages }}",
        "{{vars.q}}": 1,
        "g": 5,
        "h": True,
        "i": None,
        "j": "{{vars.none}}",
        "k": "\n{{ vars.items }} ",
        "l": "<{{vars.none}}> <{{vars.yes}}>",
    }
    variables = {"q": 5, "items": (1, "é"), "o": {"k": "v"}, "none": None, "yes": True}
    ask(service(body=body), "{{vars.q}}", system="S", variables=variables)

    assert api.requests[0].json == {
        "a": "{{vars.q}}",
        "b": 5,
        "c": 'q=5 [1, "é"] {"k": "v"}',
        "d": [1, "é"],
        "e": ["S", 1, {"deep": 5}],
        "f": [{"role": "system", "content": "S"}, {"role": "user", "content": "{{vars.q}}"}],
        "{{vars.q}}": 1,
        "g": 5,
        "h": True,
        "i": None,
        "j": None,
        "k": [1, "é"],
        "l": "<> <True>",
    }


def test_the_input_of_a_case_keeps_its_type(api: FakeAPI, service: Any, ask: Ask) -> None:
    provider = service(body={"x": "{{input}}"})
    ask(provider, input={"city": "Lima", "n": 2})
    ask(provider, "no input")

    assert [request.json["x"] for request in api.requests] == [{"city": "Lima", "n": 2}, "no input"]


def test_all_that_a_case_says_can_be_asked_for(api: FakeAPI, service: Any, ask: Ask) -> None:
    body = {"of": ["{{ id }}", "{{ expected }}", "{{ metadata.owner }}", "{{ city }}", "{{ q }}"], "vars": "{{ vars }}"}
    case = {"id": "t1", "expected": 8, "metadata": {"owner": "me"}}
    ask(service(body=body), input={"city": "Lima", "q": "input"}, variables={"q": "own"}, case=case)

    # A variable comes before a key of the input, and vars are the variables alone.
    assert api.requests[0].json == {"of": ["t1", 8, "me", "Lima", "own"], "vars": {"q": "own"}}


def test_vars_lead_on_to_the_rest_of_the_case_as_in_evalkit(api: FakeAPI, service: Any, ask: Ask) -> None:
    body = ["{{ vars.id }}", "{{ vars.expected }}", "{{ vars.metadata.owner }}", "{{ vars.vars.q }}", "{{ vars.q }}"]
    ask(service(body=body), variables={"q": 5}, case={"id": "t1", "expected": 8, "metadata": {"owner": "me"}})

    assert api.requests[0].json == ["t1", 8, "me", 5, 5]


def test_a_case_that_is_renamed_is_the_same_question_unless_its_name_is_sent(
    api: FakeAPI, service: Any, make_request: Any
) -> None:
    one, other = (make_request("p", case={"id": name}) for name in ("one", "other"))

    plain, named = service(body={"q": "{{prompt}}"}), service(body={"q": "{{id}}"})
    assert plain.fingerprint(one) == plain.fingerprint(other)
    assert named.fingerprint(one) != named.fingerprint(other)


def test_a_placeholder_that_nothing_fills_is_named_without_a_call(api: FakeAPI, service: Any, failing: Failing) -> None:
    error = failing(service(body={"x": "{{vars.nope}}"}), variables={"q": 5})

    assert error.message.startswith("http: body: nothing is called 'vars.nope'; known names: input, messages, model")
    assert api.count == 0


def test_a_body_need_not_be_an_object(api: FakeAPI, service: Any, ask: Ask) -> None:
    ask(service(body="raw {{prompt}}"), "x")

    assert api.requests[0].body == b'"raw x"'


def test_get_sends_the_fields_as_a_query_and_keeps_the_one_that_is_there(api: FakeAPI, service: Any, ask: Ask) -> None:
    body = {"a": "{{prompt}}", "n": [1, 2], "o": {"x": 1}, "t": True, "z": None}
    ask(service(method="GET", body=body, url=f"{api.origin}/ask?k=v"), "x & y")

    request = api.requests[0]
    assert (request.method, request.body) == ("GET", b"")
    assert parse_qs(request.query, keep_blank_values=True) == {
        "k": ["v"],
        "a": ["x & y"],
        "n": ["1", "2"],
        "o": ['{"x": 1}'],
        "t": ["true"],
        "z": [""],
    }


def test_put_headers_and_the_address_are_used(api: FakeAPI, context: Any, ask: Ask) -> None:
    api.route("/ask/a%2Fb%20c", lambda request: "ok")
    settings = HttpSettings(
        url=f"{api.origin}/ask/{{{{vars.id}}}}", method="PUT", headers={"X-Key": "k", "Content-Type": "text/x"}
    )
    ask(create(settings, context({})), variables={"id": "a/b c"})

    request = api.requests[0]
    assert (request.method, request.target) == ("PUT", "/ask/a%2Fb%20c")
    assert (request.headers["x-key"], request.headers["content-type"]) == ("k", "text/x")


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("localhost:80/x", "must be an http:// or https:// address"),
        ("http://{{vars.host}}/x", "the host must not hold a placeholder"),
        ("http://me:secret@x/", "must not hold a user name or a password"),
        ("http://x:port/", "not an address"),
        ("http://x y/", "the host must not hold blanks, got 'x y'"),
        ("http:///x", "must be an http:// or https:// address"),
    ],
)
def test_an_address_that_cannot_work_is_refused_before_any_call(url: str, problem: str, context: Any) -> None:
    with pytest.raises(UsageError, match=r"providers\.http: url") as raised:
        create(HttpSettings(url=url), context({}))
    assert problem in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (False, "false"),
        (0, "0"),
        ([], "[]"),
        ("", ""),
        (True, "true"),
        (1.5, "1.5"),
        ({"k": "é"}, '{"k": "é"}'),
        ([1, "a"], '[1, "a"]'),
        ("text", "text"),
    ],
)
def test_whatever_stands_there_is_the_answer_written_as_in_json(value: Any, text: str, service: Any, ask: Ask) -> None:
    completion = ask(service(Reply(body=json.dumps({"blocked": value})), output_path="blocked"))

    assert (completion.text, completion.problem) == (text, None)


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        ({"blocked": None}, "blocked", "null at output_path 'blocked'"),
        ({"other": 1}, "blocked", "nothing at output_path 'blocked': the reply has no 'blocked' there"),
        ({"a": "text"}, "a.b", "nothing at output_path 'a.b': the reply has no 'b' there"),
        ({"a": [1]}, "a.1", "the reply has no '1' there"),
        ({"a": [1]}, "a.x", "the reply has no 'x' there"),
        ([], "a", "the reply has no 'a' there"),
        ({"output": None}, None, "null as 'output': "),
        (None, None, "null as the whole reply: "),
    ],
)
def test_null_and_a_place_that_does_not_exist_are_errors_that_name_the_path(
    body: Any, path: str | None, words: str, service: Any, failing: Failing
) -> None:
    error = failing(service(Reply(body=json.dumps(body)), output_path=path))

    assert words in error.message
    assert not error.retryable


@pytest.mark.parametrize(
    ("body", "path", "text"),
    [
        ({"choices": [{"message": {"content": "c"}}]}, "choices.0.message.content", "c"),
        ({"a": [1, 2]}, "a.-1", "2"),
        ({"a": {"0": "x"}}, "a.0", "x"),
        ({"output": "o", "x": 1}, None, "o"),
        ({"output": {"a": 1}}, "", '{"a": 1}'),
        ({"answer": "hi"}, None, '{"answer": "hi"}'),
        ("just text", None, "just text"),
        ([1, 2], None, "[1, 2]"),
        (7, None, "7"),
    ],
)
def test_the_answer_is_found_by_its_path_or_as_output_or_as_the_whole(
    body: Any, path: str | None, text: str, service: Any, ask: Ask
) -> None:
    assert ask(service(Reply(body=json.dumps(body)), output_path=path)).text == text


def test_a_reply_in_plain_text_is_the_answer_when_asked_for(service: Any, ask: Ask) -> None:
    assert ask(service(Reply(body="plain {text}", content_type="text/plain"), response="text")).text == "plain {text}"


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply(body="plain {text}", content_type="text/plain"), "plain {text}"),
        (Reply(body='{"output": "o"}', content_type="text/plain; charset=utf-8"), '{"output": "o"}'),
        (Reply(body='{"output": "o"}', content_type="application/problem+JSON"), "o"),
    ],
)
def test_a_reply_may_be_either_as_its_content_type_says(reply: Reply, text: str, service: Any, ask: Ask) -> None:
    assert ask(service(reply, response="either")).text == text


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        (b"\xe9t\xe9", "text/plain; charset=iso-8859-1", "été"),
        (b"\xe9t\xe9", 'text/plain; Charset="latin1"; x=y', "été"),
        ("Ω".encode("utf-16-le"), "text/plain;charset=utf-16le", "Ω"),
        ("é".encode(), "text/plain", "é"),
        ("\ufeffé".encode(), "text/plain; charset=UTF-8", "é"),
        ("é".encode(), "text/plain; charset=none-such", "é"),
        (b"\xc3\xa9", "text/plain; charset=base64", "é"),  # an encoding, but not of text
        (b"a\xff", "text/plain", "a\ufffd"),
    ],
)
def test_a_text_is_read_in_the_encoding_that_the_reply_names(
    body: bytes, content_type: str, text: str, service: Any, ask: Ask
) -> None:
    assert ask(service(Reply(body=body, content_type=content_type), response="either")).text == text


def test_where_an_answer_has_a_place_the_reply_is_json_whatever_it_calls_itself(service: Any, ask: Ask) -> None:
    reply = Reply(body='{"a": ["o"]}', content_type="text/plain")

    assert ask(service(reply, response="either", output_path="a.0")).text == "o"


def test_a_reply_that_is_no_json_is_an_error_otherwise(service: Any, failing: Failing) -> None:
    error = failing(service(Reply(body="plain text")))

    assert error.message == "http: the answer is not JSON: it begins with 'plain text'"


@pytest.mark.parametrize("response", ["json", "text", "either"])
@pytest.mark.parametrize(
    ("reply", "status", "retryable", "words"),
    [
        (failure(503, "busy"), 503, True, "busy"),
        (failure(400, "bad"), 400, False, "bad"),
        (Reply(body="nothing here", status=404), 404, False, "; check the url"),
        (failure(401, "who?"), 401, False, "put a key into headers"),
        (html(502), 502, True, "502 Bad Gateway"),
        (redirect("/login"), 307, False, "redirects to '/login' (HTTP 307); make that the url if you trust it"),
    ],
)
def test_a_failure_of_the_service_is_one_of_the_call(
    reply: Reply, status: int, retryable: bool, words: str, response: str, request: pytest.FixtureRequest
) -> None:
    service, failing = request.getfixturevalue("service"), request.getfixturevalue("failing")

    error = failing(service(reply, response=response))
    assert (error.status, error.retryable) == (status, retryable)
    assert words in error.message


def test_a_rate_limit_carries_the_wait(service: Any, failing: Failing) -> None:
    error = failing(service(failure(429, "slow", retry_after="3")))

    assert (error.retryable, error.retry_after_s) == (True, 3)


def test_an_error_field_in_a_good_reply_is_the_services_own_matter(service: Any, ask: Ask) -> None:
    assert ask(service(Reply(body='{"error": "bad"}'))).text == '{"error": "bad"}'


@pytest.mark.parametrize("depth", [500, 900, 990, 5000])
def test_a_reply_that_is_nested_without_measure_is_text_or_an_error(depth: int, service: Any, ask: Ask) -> None:
    body = "[" * depth + "]" * depth
    try:
        assert ask(service(Reply(body=body))).text == body
    except ProviderError as error:
        assert "nested too deeply" in error.message  # noqa: PT017


def test_half_a_surrogate_pair_is_replaced_both_ways(api: FakeAPI, service: Any, ask: Ask) -> None:
    assert ask(service(Reply(body='{"output": "x\\ud835y"}')), "a\ud835b").text == "x?y"
    assert api.requests[0].json == {"input": "a?b"}


def test_everything_filled_in_changes_the_fingerprint_and_no_secret_shows(service: Any, make_request: Any) -> None:
    body = {"q": "{{prompt}}", "city": "{{vars.city}}"}
    lima, rome = (make_request("p", variables={"city": city}) for city in ("Lima", "Rome"))
    fingerprints = {
        service(body=body).fingerprint(lima),
        service(body=body).fingerprint(rome),
        service(body=body, method="PUT").fingerprint(lima),
        service(body=body, output_path="x").fingerprint(lima),
        service(body=body, headers={"X-Mode": "fast"}).fingerprint(lima),
    }

    assert len(fingerprints) == 5
    secret = service(headers={"Authorization": "Bearer hush-hush"})
    assert "hush-hush" not in secret.fingerprint(lima)
    assert secret.credentials().secrets == ("Bearer hush-hush",)
    assert secret.credentials().problem is None


def test_a_conversation_can_be_sent_whole(api: FakeAPI, service: Any, ask: Ask) -> None:
    messages = (
        Message(role="user", content="one"),
        Message(role="assistant", content="two"),
        Message(role="user", content="3"),
    )
    ask(service(body={"prompt": "{{prompt}}", "all": "{{messages}}"}), Request(model="", messages=messages))

    assert api.requests[0].json["prompt"] == "3"
    assert [message["content"] for message in api.requests[0].json["all"]] == ["one", "two", "3"]


def test_this_machine_is_reached_without_the_proxy(api: FakeAPI, context: Any, ask: Ask) -> None:
    def answer(request: FakeRequest) -> str:
        return request.target

    api.route("/ask", answer)
    provider = create(HttpSettings(url=f"{api.origin}/ask"), context({"http_proxy": "http://127.0.0.1:1"}))

    assert ask(provider).text == "/ask"


def test_answers_are_not_cached_unless_asked_for_and_no_model_is_needed() -> None:
    spec = next(iter(steelyard_register_providers()))

    assert (spec.cached, spec.needs_model) == (False, False)
