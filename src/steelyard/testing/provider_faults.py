"""What a provider meets between a question and its answer, sorted by what it should make of it."""

from __future__ import annotations

from collections.abc import Mapping

from .fake_api import Reply, corrupt_gzip, cut_off, dropped, failure, html

RETRYABLE: Mapping[str, Reply] = {
    "status 500": failure(500),
    "status 503": failure(503),
    "a web page with status 502": html(),
    "a dropped connection": dropped(),
    "a body cut off": cut_off(),
}
"""What may be better a little later."""

FINAL: Mapping[str, Reply] = {
    "status 400": failure(400),
    "status 401": failure(401),
    "status 404": failure(404),
}
"""What will be no better."""

GARBAGE: Mapping[str, Reply] = {
    "an empty body": Reply(body=b""),
    "no JSON": Reply(body="hello"),
    "null": Reply(body="null"),
    "a list": Reply(body=[]),
    "an empty object": Reply(body={}),
    "the wrong types": Reply(body={"choices": 1, "content": 1, "candidates": 1, "message": 1}),
    "no text": Reply(None),
    "a web page": html(200),
    "bytes": Reply(body=b"\xff\xfe\x00\x9d"),
    "corrupt compression": corrupt_gzip(),
    "brackets without end": Reply(body="[" * 100_000),
}
"""What is no answer, whatever it is."""
