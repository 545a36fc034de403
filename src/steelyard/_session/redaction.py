"""Taking secrets out of text that is about to leave the host.

Providers say which values are secret (``Credentials.secrets``), settings mark fields so, and components name what they
learn later (``PluginContext.hide``); every message, record and log line passes through here. Short values are left
alone: replacing a key of three letters would ruin ordinary text.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from ..api import Problem
from .secret_forms import Form, forms_of

SHORTEST_SECRET = 6
"""Shorter values are not treated as secrets, in characters."""

F = TypeVar("F", bound=Callable[..., Any])


class Redactor:
    """Knows every secret of a run and replaces them in text."""

    def __init__(self) -> None:
        self._secrets: tuple[str, ...] = ()
        self._in_text: tuple[Form, ...] = ()
        self._in_json: tuple[Form, ...] = ()
        self._learning = threading.Lock()

    def add(self, secrets: tuple[str, ...]) -> None:
        """Learn further secrets. May be called from any thread, also while text is being gone through."""
        with self._learning:
            if all(secret in self._secrets for secret in secrets):
                return
            known = {*self._secrets, *(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)}
            # Longest first: a secret that holds another one must go as a whole.
            self._secrets = tuple(sorted(known, key=lambda secret: (-len(secret), secret)))
            self._in_text = tuple(form for secret in self._secrets for form in forms_of(secret))
            self._in_json = tuple(form for secret in self._secrets for form in forms_of(secret, in_json=True))

    def __call__(self, text: str) -> str:
        """Return the text without secrets."""
        if not self._secrets:
            return text
        data = text.encode("utf-8", "surrogatepass")
        hidden = _without(self._in_text, data)
        return text if hidden is data else hidden.decode("utf-8", "surrogatepass")

    def in_bytes(self, line: bytes) -> bytes:
        """Return JSON text without secrets; the same object if it holds none. It is gone through as it is written."""
        return _without(self._in_json, line)

    def problems(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return problems without secrets."""
        return tuple(replace(one, message=self(one.message), hint=self(one.hint)) for one in problems)

    @contextmanager
    def in_errors(self) -> Iterator[None]:
        """Let no error out of the block that has a secret in its words, or in those of an error that led to it."""
        try:
            yield
        except BaseException as error:
            self._conceal(error)
            raise

    def _conceal(self, error: BaseException) -> None:
        # Changed where it is: another error would have another traceback, and nobody would know who raised it.
        waiting: list[BaseException | None] = [error]
        seen: set[int] = set()
        while waiting:
            one = waiting.pop()
            if one is None or id(one) in seen:
                continue
            seen.add(id(one))
            one.args = tuple(map(self._concealed, one.args))
            for name, value in vars(one).items():
                setattr(one, name, self._concealed(value))
            waiting += [one.__cause__, one.__context__, *getattr(one, "exceptions", ())]

    def _concealed(self, value: Any) -> Any:
        """Return what an error carries without secrets: text as text, and anything that shows one as what it shows."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, (tuple, list)):
            return type(value)(map(self._concealed, value)) if type(value) in (tuple, list) else value
        if isinstance(value, Problem):
            return self.problems([value])[0]
        if value is None or isinstance(value, (bool, int, float, BaseException)):
            return value
        try:
            shown = repr(value)
        except Exception:  # foreign code
            return value
        hidden = self(shown)
        return value if hidden == shown else hidden


def _without(forms: Iterable[Form], text: bytes) -> bytes:
    for form in forms:
        if form.mark in text:
            removed = form.remove(text)
            # The same object where nothing was found: who gave the text asks whether it is still that.
            text = text if removed == text else removed
    return text


def no_secrets_in_errors(method: F) -> F:
    """Make a method of what has a ``_redactor`` let no error out that has a secret in its words."""
    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def awaited(self: Any, *arguments: Any, **named: Any) -> Any:
            with self._redactor.in_errors():
                return await method(self, *arguments, **named)

        return awaited  # type: ignore[return-value] # it takes and gives the same

    @functools.wraps(method)
    def called(self: Any, *arguments: Any, **named: Any) -> Any:
        with self._redactor.in_errors():
            return method(self, *arguments, **named)

    return called  # type: ignore[return-value] # it takes and gives the same
