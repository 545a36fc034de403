"""Creating components: settings filled from options, one object per distinct settings, blame for what breaks.

A component is created once for the same settings, so that a scorer that ten thousand cases use alike exists once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

from .._config.option_secrets import secrets_given, secrets_of
from .._config.options import canonical, fill_mapping
from .._host.blame import plugin_error, said
from .._host.kinds import Offer
from .._raised import where_raised
from ..api import JsonMapping, PluginContext, Problem
from ..errors import BenchmarkError, SteelyardError, UsageError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A component that was created."""

    component: Any
    settings: Any
    offer: Offer[Any]

    @property
    def disposable(self) -> bool:
        """Whether nothing is lost when it is let go: a scorer without anything to close."""
        return self.offer.kind == "scorer" and not hasattr(self.component, "close")

    @property
    def blame(self) -> str:
        """``scorer 'x' of plugin 'x' (steelyard-x 0.2)``."""
        return str(self.offer)


def filled(
    offer: Offer[Any],
    options: JsonMapping,
    *,
    place: str,
    path: str,
    hide: Callable[[str], None],
    warn: Callable[[str], None] | None = None,
) -> Any:
    """Return the settings of a component; ``warn`` hears what of it is deprecated.

    ``hide`` hears what the file says for secret options, before anybody can quote it, and what they are in the end.

    Raises ``BenchmarkError`` with every problem of the options, and
    ``PluginError`` when they are of a type that no option can have.
    """
    problems: list[Problem] = []
    for secret in secrets_given(offer.spec.settings, options):
        hide(secret)
    try:
        settings = fill_mapping(offer.spec.settings, options, place=place, path=path, report=problems.append)
    except TypeError as exc:
        raise plugin_error(offer.origin, "registering", f"{offer.kind} {offer.name!r}: {exc}") from exc
    if settings is None or any(problem.severity == "error" for problem in problems):
        raise BenchmarkError(problems)
    for secret in secrets_of(settings):
        hide(secret)
    if warn is not None:
        for what in _deprecated(offer, options):
            warn(": ".join(filter(None, (place, path, what))))
    return settings


def _deprecated(offer: Offer[Any], options: JsonMapping) -> Iterator[str]:
    """Say what is to go: the component itself, and the options that are set."""
    if offer.spec.deprecated:
        yield f"{offer} is deprecated; {offer.spec.deprecated}"
    for option in fields(offer.spec.settings):
        advice = option.metadata.get("deprecated")
        if advice and options.get(option.name) is not None:
            yield f"option {option.name!r} of {offer} is deprecated; {advice}"


def create(offer: Offer[Any], settings: Any, context: PluginContext) -> Made:
    """Create a component.

    Raises ``UsageError`` in the component's words, and ``PluginError`` for anything else that goes wrong.
    """
    context = replace(context, warn=_signed(context.warn, offer), note=_signed(context.note, offer))
    try:
        component = offer.spec.create(settings, context)
    except UsageError as exc:
        if _says_whose(str(exc), offer):
            raise
        raise UsageError(f"{offer}: {exc}") from exc
    except KeyboardInterrupt:
        raise
    except SteelyardError as exc:
        raise plugin_error(offer.origin, "creating", f"{offer.kind} {offer.name!r}: {exc}") from exc
    except BaseException as exc:
        # SystemExit too: a plugin must not be able to end the process with a green exit code.
        raise plugin_error(offer.origin, "creating", f"{offer.kind} {offer.name!r}: {_located(exc, offer)}") from exc
    if component is None:
        raise plugin_error(offer.origin, "creating", f"{offer.kind} {offer.name!r}: create returned None")
    return Made(component=component, settings=settings, offer=offer)


def _located(exc: BaseException, offer: Offer[Any]) -> str:
    """Say what a component raised, and at which line of its own."""
    return said(exc, offer.origin) + where_raised(exc)


def _signed(say: Callable[[str], None], offer: Offer[Any]) -> Callable[[str], None]:
    """Return what says a component's lines, with its name where they lack it."""
    return lambda line: say(line if _says_whose(line, offer) else f"{offer}: {line}")


def _says_whose(message: str, offer: Offer[Any]) -> bool:
    """Whether a user can tell from a message which component it is about, or which argument of theirs."""
    name = offer.name
    starts = (f"{name}:", f"{offer.kind}s.{name}", "-o ")
    return message.startswith(starts) or f"{offer.kind} {name!r}" in message


def settings_key(name: str, settings: Any) -> str:
    """Return a key that is equal for equal settings, secrets included."""
    return json.dumps([name, canonical(settings, secrets=True)], sort_keys=True, default=str)


class Workshop:
    """Creates components of one kind for one run, once per distinct settings."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context
        self._made: dict[str, Made] = {}

    @property
    def warn(self) -> Callable[[str], None]:
        """Say a line to the user, once."""
        return self._context.warn

    @property
    def hide(self) -> Callable[[str], None]:
        """Keep a secret out of everything that leaves the host from now on."""
        return self._context.hide

    @property
    def made(self) -> tuple[Made, ...]:
        """Everything created so far."""
        return tuple(self._made.values())

    def forget(self) -> None:
        """Let go of components that hold nothing to give back; they are made anew when they are asked for."""
        self._made = {key: made for key, made in self._made.items() if not made.disposable}

    def get(self, offer: Offer[Any], settings: Any) -> Made:
        """Return the component with these settings, created when it is first asked for."""
        key = settings_key(f"{offer.kind} {offer.name}", settings)
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = create(offer, settings, self._context)
        return found


def guarded(made: Made, what: str, call: Callable[[], T]) -> T:
    """Call an ability of a component, and blame the component for whatever it raises."""
    try:
        return call()
    except (SteelyardError, KeyboardInterrupt):
        raise
    except BaseException as exc:
        origin = made.offer.origin
        where = f"{made.offer.kind} {made.offer.name!r}: {what}"
        raise plugin_error(origin, "calling", f"{where}: {_located(exc, made.offer)}") from exc
