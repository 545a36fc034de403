"""How Ollama is asked and understood, and how the address in ``OLLAMA_HOST`` is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from steelyard.api import Completion, Credentials, PluginContext, Request, Usage
from steelyard.errors import ProviderError
from steelyard.text import well_formed

from ._address import base_address
from ._failures import Rules, Said, body_of, said_in
from ._http import HttpReply
from ._json import at, count_of, mapping_of, text_of
from ._json_api import JsonApi
from ._secrets import presentable
from .ollama import OllamaSettings

NAME = "ollama"
PORT = 11434
_SETTINGS_FIELD = "options"
_NOT_FOUND = 404


class Ollama:
    """Asks models that Ollama serves."""

    def __init__(self, settings: OllamaSettings, context: PluginContext) -> None:
        self.base_url = address_of(settings.base_url or context.environ.get("OLLAMA_HOST", ""))
        self._url = f"{self.base_url}/api/chat"
        self._api = JsonApi(
            NAME, self.base_url, key_variable=settings.api_key_env, headers=settings.headers, context=context
        )
        self._secrets = self._api.secrets
        self._key_variable = settings.api_key_env

    async def complete(self, request: Request) -> Completion:
        """Ask once. The first answer of a model may take minutes: it is loaded then."""
        reply = await self._api.post(self._url, body_for(request), timeout_s=request.timeout_s)
        rules = OllamaRules(NAME, self._secrets, self._key_variable, model=request.model)
        return read_answer(reply, rules)

    def fingerprint(self, request: Request) -> str:
        """Return address, headers without secrets, and body."""
        return self._api.fingerprint(self._url, body_for(request))

    def credentials(self) -> Credentials:
        """Say where the key comes from, if one is needed."""
        return self._api.credentials()

    async def close(self) -> None:
        """Close the connections."""
        await self._api.close()


def address_of(host: str) -> str:
    """Read an address the way Ollama does: scheme and port may be left out, and "every interface" is this machine.

    Raises ``UsageError`` for what is no address.
    """
    host = host.strip().strip("\"'")
    scheme, separator, rest = host.partition("://")
    if not separator:
        scheme, rest = "http", host
        name, slash, path = rest.partition("/")
        if name.count(":") > 1 and not name.startswith("["):
            name = f"[{name}]"
        if not name or name.startswith(":"):
            name = f"127.0.0.1{name}"
        if not _has_port(name):
            name = f"{name.removesuffix(':')}:{PORT}"
        rest = f"{name}{slash}{path}"
    address = base_address(NAME, f"{scheme}://{rest}").removesuffix("/api/chat").removesuffix("/api")
    for everywhere, here in (("//0.0.0.0", "//127.0.0.1"), ("//[::]", "//[::1]")):
        address = address.replace(everywhere, here, 1)
    return address


def _has_port(name: str) -> bool:
    try:
        return urlsplit(f"//{name}").port is not None
    except ValueError:
        # Said by whoever checks the address as a whole.
        return True


def body_for(request: Request) -> dict[str, object]:
    """Return the body of a request. ``options`` in the parameters are laid over what the others say."""
    parameters = request.parameters
    given = {
        "temperature": parameters.temperature,
        "num_predict": parameters.max_tokens,
        "seed": parameters.seed,
    }
    params = dict(parameters.params)
    own = params.pop(_SETTINGS_FIELD, None)
    options: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    options |= own if isinstance(own, Mapping) else {}
    body: dict[str, object] = {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        "stream": False,
    }
    if options:
        body[_SETTINGS_FIELD] = options
    return {**body, **params}


def read_answer(reply: HttpReply, rules: Rules) -> Completion:
    """Return the answer that a reply holds. Raises ``ProviderError`` when it holds a failure."""
    body = body_of(reply, rules)
    if (said := said_in(body)) is not None:
        raise rules.failure(reply, said)
    message = at(body, "message")
    if not isinstance(message, dict):
        raise ProviderError(f"{rules.name}: no message in the answer", retryable=True)
    text = well_formed(text_of(message.get("content")))
    reason = text_of(at(body, "done_reason"))
    return Completion(
        text=text,
        usage=Usage(
            # Left out when the prompt was already in memory: unknown, then, and not 0.
            prompt_tokens=count_of(at(body, "prompt_eval_count")),
            completion_tokens=count_of(at(body, "eval_count")),
        ),
        finish_reason=reason or None,
        model=text_of(at(body, "model")) or None,
        problem=_problem(text, reason, mapping_of(message)),
    )


def _problem(text: str, reason: str, message: Mapping[str, object]) -> str | None:
    """Say why a final reply holds nothing to grade; ``None`` when it holds an answer."""
    if text.strip():
        return None
    if reason == "length":
        return "empty reply (done_reason: length); raise max_tokens"
    if message.get("tool_calls"):
        return "no text (tool_calls)"
    return f"empty reply (done_reason: {presentable(reason, limit=60) or 'none'})"


@dataclass(frozen=True, slots=True)
class OllamaRules(Rules):
    """What Ollama's failures mean."""

    model: str = ""
    """The model that was asked, to say how to get it."""

    def is_retryable(self, said: Said, status: int | None) -> bool | None:
        """Try again what failed after the answer had begun, which is a 200 with an error in it."""
        del said
        return True if status is None else None

    def advice(self, said: Said, status: int | None) -> str:
        """Say how to get a model that is not there."""
        if status == _NOT_FOUND and "not found" in said.message and self.model:
            return f"get it with: ollama pull {self.model}"
        return Rules.advice(self, said, status)
