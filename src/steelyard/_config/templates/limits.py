"""How much one rendering may do: steps, characters, and time.

A benchmark may come from a stranger, and a few characters of template can ask for hours of work or all of the memory.
Steps and characters are counted, so that what is refused on one machine is refused on all of them. The processor's
clock is only for what is slow within a step.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set, ValuesView
from typing import Any, NamedTuple

MAX_STEPS = 1_000_000
"""Rounds of loops, calls, and elements that filters go through."""
MAX_CHARACTERS = 50_000_000
"""Characters of the rendered text, and likewise of all texts that are built on the way."""
MAX_VALUES = 1_000_000
"""Values in one list or mapping that a template builds, whatever it holds counted each time it is held."""
MAX_SECONDS = 10.0
"""Of the processor's time; what else the machine does is no fault of a template."""
MAX_PADDING = 10_000
"""Width, indentation or other number that says how much to add."""
MAX_BITS = 50_000
"""Of an integer that is computed."""

_ROUNDS_PER_CHECK = 16
_CHARACTERS_PER_STEP = 256
_DIGITS = re.compile(r"\d+")
_PERCENT_FIELD = re.compile(r"%(?:\([^)]*\))?[-+ #0]*(\d+|\*)?(?:\.(\d+|\*))?")
_BRACE_SPEC = re.compile(r"\{[^{}]*:([^{}]*)\}")
_NESTED_FIELD = re.compile(r"\{[^{}]*\{")


class RefusedError(Exception):
    """A template asks for what is not given: more than one rendering may do, or something that makes no prompt."""


class Budget:
    """What one rendering may still do."""

    __slots__ = ("_characters", "_look_at", "_started", "_steps")

    def __init__(self) -> None:
        self._steps = MAX_STEPS
        self._characters = MAX_CHARACTERS
        self._started: float | None = None
        self._look_at = time.perf_counter() + MAX_SECONDS

    def spend(self, steps: int = 1) -> None:
        """Take steps."""
        if self._started is None:
            # Not before the first step: the processor's time is a call of the system, and most templates take no step.
            self._started = time.thread_time()
        self._steps -= steps
        if self._steps < 0:
            raise RefusedError(f"takes more than {MAX_STEPS} steps")
        if time.perf_counter() > self._look_at:  # much quicker to ask for than the processor's time
            self._look_at_time()

    def _look_at_time(self) -> None:
        left = MAX_SECONDS - (time.thread_time() - (self._started or 0.0))
        if left < 0:
            raise RefusedError(f"takes more than {MAX_SECONDS:g} s")
        self._look_at = time.perf_counter() + left

    def read(self, value: Any) -> None:
        """Take the steps of going through a value once."""
        if isinstance(value, (str, bytes)):
            self.spend(1 + len(value) // _CHARACTERS_PER_STEP)
        else:
            self.spend(1 + (len(value) if isinstance(value, (list, tuple, range, dict)) else 0))

    def build(self, value: Any) -> None:
        """Account for a value that was made."""
        if isinstance(value, (str, bytes)):
            self._characters -= len(value)
            if self._characters < 0:
                raise RefusedError(f"builds more than {MAX_CHARACTERS} characters of text")
        elif isinstance(value, (list, tuple, dict)):
            self.spend(measure(value).values)

    def rounds(self, iterable: Iterable[Any]) -> Iterator[Any]:
        """Go through an iterable, taking a step for each round."""
        count = 0
        for element in iterable:
            count += 1
            if count == _ROUNDS_PER_CHECK:
                self.spend(count)
                count = 0
            yield element
        self.spend(count)


class Size(NamedTuple):
    """How large a value is, whatever is held twice counted twice."""

    values: int
    characters: int


def measure(value: Any) -> Size:
    """Return how many values a value holds, itself counted, and about how many characters it would have as text.

    Raises ``RefusedError`` when that, or the values in it, are too many to be handled; also for a value that holds
    itself. Never takes longer than it takes to see that.
    """
    values = characters = 0
    waiting = [value]
    while waiting:
        entry = waiting.pop()
        values += 1
        if isinstance(entry, (str, bytes)):
            characters += len(entry)
        elif isinstance(entry, Mapping):
            waiting.extend(entry)
            waiting.extend(entry.values())
        elif isinstance(entry, (Sequence, Set, ValuesView)) and not isinstance(entry, range):
            waiting.extend(entry)
        else:
            characters += 1
        if values + len(waiting) > MAX_VALUES:
            raise RefusedError(f"builds a value of more than {MAX_VALUES} elements")
        if characters > MAX_CHARACTERS:
            raise RefusedError(f"builds more than {MAX_CHARACTERS} characters of text")
    return Size(values, characters + values)


def expect(characters: int) -> None:
    """Refuse a text that is going to have so many characters."""
    if characters > MAX_CHARACTERS:
        raise RefusedError(f"builds more than {MAX_CHARACTERS} characters of text")


def small_numbers(values: Iterable[Any]) -> None:
    """Refuse numbers that say how much to add, when they are large."""
    for value in values:
        if isinstance(value, int) and abs(value) > MAX_PADDING:
            raise RefusedError(f"{value} is too large here; the largest is {MAX_PADDING}")


def product(left: Any, right: Any) -> None:
    """Refuse ``left * right`` when it would be too large."""
    for many, times in ((left, right), (right, left)):
        if isinstance(many, (str, bytes, list, tuple)) and isinstance(times, int):
            expect(len(many) * times)
            if isinstance(many, (list, tuple)) and len(many) * times > MAX_VALUES:
                raise RefusedError(f"builds a value of more than {MAX_VALUES} elements")
    if isinstance(left, int) and isinstance(right, int):
        _bits(left.bit_length() + right.bit_length())


def power(left: Any, right: Any) -> None:
    """Refuse ``left ** right`` when it would be too large."""
    if isinstance(left, int) and isinstance(right, int):
        _bits(left.bit_length() * abs(right))


def percent_format(template: str | bytes, values: Any) -> None:
    """Refuse ``template % values`` when it would be too large."""
    text = template if isinstance(template, str) else template.decode("latin-1")
    given = values if isinstance(values, (tuple, Mapping)) else (values,)
    widths = [number for field in _PERCENT_FIELD.findall(text) for number in field]
    _fields(text, text.count("%"), widths, given, nested="*" in widths)


def brace_format(template: str, values: Sequence[Any], named: Mapping[str, Any]) -> None:
    """Refuse ``template.format(*values, **named)`` when it would be too large."""
    widths = [number for spec in _BRACE_SPEC.findall(template) for number in _DIGITS.findall(spec)]
    nested = _NESTED_FIELD.search(template) is not None
    _fields(template, template.count("{"), widths, [*values, *named.values()], nested=nested)


def _fields(text: str, count: int, widths: list[str], values: Any, *, nested: bool) -> None:
    numbers = [int(width[:9]) for width in widths if width.isdecimal()]
    if nested:  # a width is among the values
        given = values.values() if isinstance(values, Mapping) else values
        numbers += [abs(value) for value in given if isinstance(value, int)]
    expect(len(text) + count * (max(numbers, default=0) + measure(values).characters))


def _bits(count: int) -> None:
    if count > MAX_BITS:
        raise RefusedError(f"computes an integer of more than {MAX_BITS} bits")
