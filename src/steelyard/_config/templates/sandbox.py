"""The Jinja environment of prompts: no way out, nothing undefined, nothing escaped, nothing endless."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

from jinja2 import StrictUndefined, Undefined, pass_context
from jinja2.exceptions import SecurityError
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import SandboxedEnvironment, modifies_known_mutable
from jinja2.utils import generate_lorem_ipsum, missing

from ..._suggest import closest
from ...api import shown
from .guards import AT_ONCE, FILTERS, HOLDING, METHODS, Guard
from .limits import Budget, RefusedError, expect, measure, percent_format, power, product
from .syntax import BUILT, ROUNDS, TOGETHER

_MAX_LOREM = 100_000


class RenderContext(Context):
    """The variables of one rendering, with what it may still do."""

    budget: Budget

    def derived(self, locals: dict[str, Any] | None = None) -> Context:  # noqa: A002 - Jinja's name
        """Return a context for a part of the template, on the same budget."""
        context = super().derived(locals)
        assert isinstance(context, RenderContext)  # noqa: S101 - the environment's class
        context.budget = self.budget
        return context


class Missing(StrictUndefined):
    """A name or a key that does not exist; any use but asking whether it is defined fails."""

    __slots__ = ()

    @property
    def _undefined_message(self) -> str:
        name, owner = self._undefined_name, self._undefined_obj
        if self._undefined_hint:
            return self._undefined_hint
        if owner is missing:
            return f"unknown variable {name!r}"
        if isinstance(owner, Mapping):
            near = closest(name, map(str, owner)) if isinstance(name, str) else None
            return f"no key {shown(name)} in a mapping" + (f"; did you mean {near!r}?" if near else "")
        if isinstance(owner, (list, tuple)) and isinstance(name, int):
            return f"no item {name} in a list of {len(owner)}"
        kind = shown(owner) if isinstance(owner, (str, int, float)) or owner is None else f"a {type(owner).__name__}"
        return f"no attribute {shown(name)} in {kind}"


def _joined(pieces: Iterable[str]) -> str:
    pieces = list(pieces)
    expect(sum(map(len, pieces)))
    return "".join(pieces)


class PromptEnvironment(SandboxedEnvironment):
    """A sandbox whose templates run on a budget."""

    intercepted_binops = frozenset(("+", "*", "**", "%"))
    context_class = RenderContext
    concat = staticmethod(_joined)

    def __init__(self, *, may_mutate: bool) -> None:
        super().__init__(undefined=Missing, keep_trailing_newline=True, autoescape=False, finalize=_printable)
        self._may_mutate = may_mutate
        self.globals["lipsum"] = _lipsum
        filters: dict[str, Any] = {**self.filters, "tojson": _tojson}
        self.filters = {name: _counted(f, FILTERS.get(name), name) for name, f in filters.items()}
        self.tests = {name: _counted(f, None, name) for name, f in self.tests.items()}
        self.filters |= {ROUNDS: _rounds, BUILT: _built, TOGETHER: _together}

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether a template may see an attribute. What changes the data only where the data is a copy."""
        if isinstance(obj, Undefined):
            obj._fail_with_undefined_error()
        if not super().is_safe_attribute(obj, attr, value):
            return False
        return self._may_mutate or not modifies_known_mutable(obj, attr)

    def unsafe_undefined(self, obj: Any, attribute: str) -> Undefined:
        """Return what is printed as nothing, and fails when it is called or asked for more."""
        name = type(obj).__name__
        return Undefined(f"attribute {attribute!r} of {name!r} is not allowed", obj, attribute, SecurityError)

    def call(self, context: Context, obj: Any, /, *args: Any, **kwargs: Any) -> Any:
        """Call a function, a macro, or a method of a value."""
        budget = _budget(context)
        budget.spend()
        if isinstance(obj, LoopContext):
            return super().call(context, obj, _Rounds(budget, args[0]) if args else (), *args[1:], **kwargs)
        method = getattr(obj, "__wrapped__", obj) if isinstance(obj, FunctionType) else obj
        owner = getattr(method, "__self__", None)
        if not isinstance(owner, (str, bytes, int, list, dict, type)):
            if obj is dict:
                measure([*args, *kwargs.values()])
            return super().call(context, obj, *args, **kwargs)
        budget.read(owner)
        guard = METHODS.get(method.__name__)
        if guard is not None:
            args = guard((owner, *args), kwargs)[1:]
        if method.__name__ in HOLDING:
            budget.build([*args, *kwargs.values()])
        result = super().call(context, obj, *args, **kwargs)
        budget.build(result)
        return result

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Compute what can grow."""
        if operator == "*":
            product(left, right)
        elif operator == "**":
            power(left, right)
        elif operator == "%" and isinstance(left, (str, bytes)):
            percent_format(left, right)
        result = super().call_binop(context, operator, left, right)
        if not isinstance(result, (int, float)):
            _budget(context).build(result)
        return result


class _Rounds:
    """What a loop goes through, each round a step. It has a length where the original has one, for ``loop.last``."""

    def __init__(self, budget: Budget, iterable: Iterable[Any]) -> None:
        self._budget = budget
        self._iterable = iterable

    def __iter__(self) -> Iterator[Any]:
        return self._budget.rounds(self._iterable)

    def __len__(self) -> int:
        return len(self._iterable)  # type: ignore[arg-type] # raises TypeError, as a loop expects


def _budget(context: Context) -> Budget:
    assert isinstance(context, RenderContext)  # noqa: S101 - the environment's class
    return context.budget


def _counted(function: Any, guard: Guard | None, name: str) -> Callable[..., Any]:
    """Make a filter or a test take steps, and look at its arguments first."""
    passed = getattr(function, "jinja_pass_arg", None)
    wants = passed.name if passed is not None else ""
    goes_through = name not in AT_ONCE

    def counted(context: Context, *args: Any, **kwargs: Any) -> Any:
        budget = _budget(context)
        if goes_through and args:
            budget.read(args[0])
        else:
            budget.spend()
        if guard is not None and args:
            args = guard(args, kwargs)
        if wants == "context":
            args = (context, *args)
        elif wants == "eval_context":
            args = (context.eval_ctx, *args)
        elif wants == "environment":
            args = (context.environment, *args)
        result = function(*args, **kwargs)
        if guard is not None or name == "list":
            budget.build(result)
        return result

    return pass_context(counted)


@pass_context
def _rounds(context: Context, iterable: Iterable[Any]) -> _Rounds:
    return _Rounds(_budget(context), iterable)


@pass_context
def _built(context: Context, value: Any) -> Any:
    _budget(context).build(value)
    return value


@pass_context
def _together(context: Context, values: tuple[Any, ...]) -> str:
    expect(sum(len(value) if isinstance(value, str) else measure(value).characters for value in values))
    text = "".join(map(str, values))
    _budget(context).build(text)
    return text


def _printable(value: Any) -> Any:
    """Return a value that can be printed; refuse what would put Python's own words into a prompt."""
    if value is None or isinstance(value, (str, int, float, Undefined)):
        return value
    if callable(value):
        name = getattr(value, "__name__", type(value).__name__)
        raise RefusedError(f"{name!r} is a function; call it with (), or write ['{name}'] for a key of that name")
    if isinstance(value, Iterator):
        raise RefusedError("a filter such as map or select gives no list yet; add | list or | join")
    measure(value)
    return value


def _tojson(value: Any, indent: int | None = None) -> str:
    """Return a value as JSON. Prompts are no HTML, so nothing is escaped that JSON does not escape."""
    return json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False, sort_keys=True, default=_no_json)


def _no_json(value: Any) -> Any:
    if isinstance(value, Undefined):
        return str(value)  # which fails, and says what is unknown
    raise RefusedError(f"{shown(value)} cannot be written as JSON")


def _lipsum(n: int = 5, html: bool = True, min: int = 20, max: int = 100) -> str:  # noqa: A002 - Jinja's
    if n * max > _MAX_LOREM:
        raise RefusedError(f"builds more than {_MAX_LOREM} words")
    return generate_lorem_ipsum(n, html, min, max)
