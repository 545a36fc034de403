"""Keeping keys out of sight: the one that is sent, and whatever looks like one in a server's words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from steelyard.api import Credentials
from steelyard.errors import ProviderError
from steelyard.text import one_line

HIDDEN = "[redacted]"
SHORTEST_SECRET = 4
"""A shorter value is not looked for: it would be found all over an innocent text."""

PLACEHOLDERS = frozenset(
    {
        "dummy",
        "empty",
        "example",
        "fake",
        "key",
        "local",
        "localhost",
        "mock",
        "nokey",
        "none",
        "null",
        "ollama",
        "placeholder",
        "test",
        "unused",
        "vllm",
    }
)
"""What servers that look at no key are given as one, in lower case. It guards nothing, and an answer that holds the
word must be judged as the model gave it."""

# What keys look like in the error texts of servers: after "Bearer" (with a digit, so that "Bearer authentication"
# stays), in a query, in a header that is echoed; OpenAI's, OpenRouter's and Anthropic's; Google's.
_KEY_LIKE = re.compile(
    r"(?P<keep>\bbearer\s+(?=[^\s\"']*\d)|[?&](?:api[_-]?)?key=|\bx-(?:goog-)?api-key[\"']?\s*[:=]\s*[\"']?)[^\s\"'&,;]{6,}"
    r"|\bsk-[\w*-]{8,}|\bAIza[\w-]{20,}",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_LOWER_NAME = 20
_SECRET_NAME = re.compile(r"auth|key|token|secret|cookie|password|credential", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Key:
    """The key that a provider sends, if it sends one."""

    variable: str | None
    """The environment variable that it comes from; ``None`` when no key is needed."""
    value: str = field(default="", repr=False)
    """Without white space around it; empty when it is not set."""
    hint: str = ""
    """What else to do when it is not set."""

    @property
    def problem(self) -> str | None:
        """Why the key cannot be used; ``None`` when nothing is known against it."""
        if self.variable is None:
            return None
        if not self.value and not _is_name(self.variable):
            return "api_key_env must be the name of an environment variable that holds the key, not the key itself"
        if not self.value:
            return f"{self.variable} is not set; export it or put it in a .env file{self.hint}"
        for place, letter in enumerate(self.value, start=1):
            if not letter.isascii() or not letter.isprintable() or letter == " ":
                return (
                    f"{self.variable} holds {letter!a} at character {place}, which no key has; "
                    "copy the key again, without quotes or dots of a shortened one"
                )
        return None

    def usable(self, where: str) -> str:
        """Return the key, empty when none is needed. Raises ``ProviderError`` when it cannot be sent."""
        if (problem := self.problem) is not None:
            raise ProviderError(f"{where}: {problem}", exhausted=True)
        return self.value

    def credentials(self, headers: Mapping[str, str]) -> Credentials:
        """Say where the key comes from and what must never be shown, secret headers included."""
        return Credentials(
            source=self._source(),
            is_set=bool(self.value) or self.variable is None,
            problem=self.problem,
            secrets=tuple(self.secrets(headers)),
        )

    def _source(self) -> str:
        if self.variable is None:
            return "none needed"
        return self.variable if self.value or _is_name(self.variable) else "api_key_env"

    def secrets(self, headers: Mapping[str, str]) -> Iterable[str]:
        """Return every value that must never be shown."""
        values = [self.value, *(value for name, value in headers.items() if is_secret_name(name))]
        return (value for value in values if len(value) >= SHORTEST_SECRET and value.lower() not in PLACEHOLDERS)


def key_from(environ: Mapping[str, str], variable: str | None, hint: str = "") -> Key:
    """Look a key up in the environment; ``None`` for a server that wants none."""
    return Key(variable, environ.get(variable, "").strip(), hint) if variable else Key(None)


def _is_name(variable: str) -> bool:
    """Whether this can be a variable's name, rather than a key that was put in its place and must not be shown."""
    is_mixed = any(letter.islower() for letter in variable) and any(letter.isdigit() for letter in variable)
    return _VARIABLE.fullmatch(variable) is not None and not (is_mixed and len(variable) > _LONGEST_LOWER_NAME)


def is_secret_name(name: str) -> bool:
    """Whether a header or a variable of this name is likely to hold a secret."""
    return _SECRET_NAME.search(name) is not None


def presentable(text: str, secrets: Iterable[str] = (), limit: int = 300) -> str:
    """Return a server's words as one printable line without keys, cut beyond ``limit``."""
    # Cut generously first: a server may answer with a book, and redaction need not read all of it.
    text = text[: limit * 20]
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return one_line(_KEY_LIKE.sub(_hidden, text), limit)


def _hidden(match: re.Match[str]) -> str:
    return (match["keep"] or "") + HIDDEN
