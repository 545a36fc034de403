"""Taking secrets out of text that is about to leave the host.

Providers say which values are secret (``Credentials.secrets``) and settings mark fields so; every message, record and
log line passes through here. Short values are left alone: replacing a key of three letters would ruin ordinary text.
"""

from __future__ import annotations

import json
import threading

SHORTEST_SECRET = 6
"""Shorter values are not treated as secrets, in characters."""

SHOWN_INSTEAD = "[redacted]"


class Redactor:
    """Knows every secret of a run and replaces them in text."""

    def __init__(self) -> None:
        self._secrets: tuple[str, ...] = ()
        self._forms: tuple[bytes, ...] = ()
        """The secrets as JSON may write them."""
        self._learning = threading.Lock()

    def add(self, secrets: tuple[str, ...]) -> None:
        """Learn further secrets. May be called from any thread, also while text is being gone through."""
        with self._learning:
            known = {*self._secrets, *(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)}
            # Longest first: a secret that holds another one must go as a whole.
            self._secrets = tuple(sorted(known, key=lambda secret: (-len(secret), secret)))
            forms = ((one.encode("utf-8", "replace"), json.dumps(one)[1:-1].encode()) for one in self._secrets)
            self._forms = tuple(dict.fromkeys(form for both in forms for form in both))

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        for secret in self._secrets:
            if secret in text:
                text = text.replace(secret, SHOWN_INSTEAD)
        return text

    def in_bytes(self, line: bytes) -> bytes:
        """Return JSON text without secrets. A secret is looked for as JSON writes it."""
        for form in self._forms:
            if form in line:
                line = line.replace(form, SHOWN_INSTEAD.encode())
        return line
