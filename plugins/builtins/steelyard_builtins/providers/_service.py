"""From a request to a call of somebody's web service, and from its JSON to an answer.

What the service says is taken as it is: false, 0 and an empty text are answers. Only a null and a place that does not
exist mean that there is none.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from steelyard.api import Completion, Credentials, JsonValue, PluginContext, Request
from steelyard.errors import ProviderError, UsageError
from steelyard.text import well_formed

from ._address import checked_headers, encoded, fingerprint_of, merged
from ._failures import GOOD, Rules, Said, body_of, said_in
from ._http import HttpClient, HttpReply
from ._json import BadJsonError, read_json
from ._placeholders import as_text, filled, filled_text, names_in, variables_of
from ._secrets import Key
from .http import HttpSettings

NAME = "http"
_CHARSET = re.compile(r"""charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
OUTPUT_FIELD = "output"
"""Where the answer is looked for when nothing says where it stands."""


class _Rules(Rules):
    """A service has an address, and no models."""

    def advice(self, said: Said, status: int | None) -> str:
        """Return what to do about a failure."""
        return "check the url" if status == HTTPStatus.NOT_FOUND else super().advice(said, status)


class Service:
    """Asks a web service."""

    def __init__(self, settings: HttpSettings, context: PluginContext) -> None:
        self._settings = settings
        self._url = _address(settings.url)
        self._own = checked_headers(NAME, settings.headers)
        self._headers = merged({"Accept": "application/json"}, self._own)
        self._rules = _Rules(NAME, tuple(Key(None).secrets(self._own)), key_advice="put a key into headers")
        self._http = HttpClient(NAME, self._url, context, option="url")

    async def complete(self, request: Request) -> Completion:
        """Ask once."""
        url, body = self._asked(request)
        is_get = self._settings.method == "GET"
        content = {} if is_get else {"Content-Type": "application/json"}
        reply = await self._http.send(
            self._settings.method,
            url,
            headers=merged(content, self._headers),
            body=b"" if is_get else encoded(NAME, body),
            timeout_s=request.timeout_s,
        )
        return Completion(text=well_formed(self._answer(reply)), model=request.model or None)

    def fingerprint(self, request: Request) -> str:
        """Return what decides the answer: method, address, headers without secrets, body, where the answer stands."""
        url, body = self._asked(request)
        settings = self._settings
        asked = {"method": settings.method, "body": body, "output": [settings.response, settings.output_path]}
        return fingerprint_of(url, self._headers, asked)

    def credentials(self) -> Credentials:
        """Say which header values must never be shown."""
        return Key(None).credentials(self._own)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    def _asked(self, request: Request) -> tuple[str, JsonValue]:
        """Return the address and the body with everything filled in."""
        variables = variables_of(request)
        url = filled_text(self._url, variables, f"{NAME}: url", escape=lambda text: quote(well_formed(text), safe=""))
        body = filled(self._settings.body, variables, f"{NAME}: body")
        if self._settings.method == "GET":
            url = _with_query(url, body)
        return url, body

    def _answer(self, reply: HttpReply) -> str:
        if self._is_text(reply):
            if reply.status not in GOOD:
                raise self._rules.failure(reply, _said(reply))
            return _text_of(reply)
        try:
            return as_text(_at(body_of(reply, self._rules), self._settings.output_path))
        except RecursionError:
            raise ProviderError(f"{NAME}: the answer is nested too deeply to be written as text") from None

    def _is_text(self, reply: HttpReply) -> bool:
        """Whether a reply is the answer itself, and no JSON that holds it."""
        settings = self._settings
        if settings.response != "either":
            return settings.response == "text"
        return settings.output_path is None and "json" not in reply.headers.get("content-type", "").lower()


def _address(url: str) -> str:
    """Check the address as far as it is known before a request. Raises ``UsageError``."""
    where = "providers.http: url"
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise UsageError(f"{where}: not an address, got {url!r}") from None
    if parts.username or parts.password:
        raise UsageError(f"{where}: must not hold a user name or a password; put them in headers")
    if parts.scheme not in ("http", "https") or not host:
        raise UsageError(f"{where}: must be an http:// or https:// address, got {url!r}")
    if re.search(r"\s", host) and not names_in(parts.netloc):
        raise UsageError(f"{where}: the host must not hold blanks, got {parts.netloc!r}")
    if names_in(f"{parts.scheme}{parts.netloc}"):
        raise UsageError(f"{where}: the host must not hold a placeholder, got {parts.netloc!r}")
    return url


def _with_query(url: str, body: JsonValue) -> str:
    """Add the fields of a body to an address; a list gives its field several times."""
    if not isinstance(body, Mapping):
        return url
    fields: list[tuple[str, str]] = []
    for name, value in body.items():
        several = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        fields += [(name, "" if one is None else well_formed(as_text(one))) for one in several]
    parts = urlsplit(url)
    return urlunsplit(parts._replace(query=urlencode([*parse_qsl(parts.query, keep_blank_values=True), *fields])))


def _text_of(reply: HttpReply) -> str:
    """Return a reply's text in the encoding that it names; UTF-8 where it names none that is known."""
    named = _CHARSET.search(reply.headers.get("content-type", ""))
    charset = named[1] if named else "utf-8"
    try:
        known = codecs.lookup(charset).name
        return reply.body.decode("utf-8-sig" if known == "utf-8" else known, "replace")
    except (LookupError, ValueError):  # also what is no encoding of text, such as base64
        return reply.body.decode("utf-8-sig", "replace")


def _at(body: object, path: str | None) -> JsonValue:
    """Return the value at a path. Raises ``ProviderError`` that names the path where there is none, or a null."""
    if not path:
        value = body.get(OUTPUT_FIELD, body) if isinstance(body, dict) else body
        held = isinstance(body, dict) and OUTPUT_FIELD in body
        return _not_null(value, f"as {OUTPUT_FIELD!r}" if held else "as the whole reply")
    value = body
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and _is_index(part) and -len(value) <= int(part) < len(value):
            value = value[int(part)]
        else:
            raise ProviderError(f"{NAME}: nothing at output_path {path!r}: the reply has no {part!r} there")
    return _not_null(value, f"at output_path {path!r}")


def _not_null(value: object, where: str) -> JsonValue:
    if value is None:
        raise ProviderError(f"{NAME}: null {where}: there is nothing to grade")
    return cast("JsonValue", value)


def _is_index(part: str) -> bool:
    return part.removeprefix("-").isdecimal() and part.isascii() and len(part) < 10  # noqa: PLR2004


def _said(reply: HttpReply) -> Said:
    """Return what a failed reply says, in JSON or in plain words."""
    try:
        said = said_in(read_json(reply.body), failed=True)
    except BadJsonError:
        said = None
    return said or Said(reply.body[:2000].decode("utf-8", "replace"))
