r"""The numbers in a text, as the person who wrote it meant them.

A number starts and ends with a digit. Separators count between digits only, so the full stop of a sentence and the
comma of a list belong to no number. A minus sign belongs to a number only where it cannot be a hyphen or a
subtraction. What would take a guess is read as it stands: 20% is 20, and ``3,14`` is two numbers unless the decimal
mark is said to be a comma.

Read, with a point as the decimal mark: ``1,250.50``, ``1 250`` with a thin or no-break space, ``1_000``, LaTeX's
``1{,}234``, ``1\,234`` and ``1,\!234``, ``1'234`` and ``12,34,567`` as in Switzerland and India, ``.5``, ``1e3``,
``2.5 × 10^6``, ``10^{-3}``, ``-7`` with any minus sign, ``-$5``, ``= - 5``, and the fractions ``3/4`` and
``\frac{3}{4}``, whose value is 0.75 and neither 3 nor 4.
Passed over: versions and dates (``1.2.3``, ``1/2/2024``), what is a part of a word (``v2``, ``gpt-4``, ``v1.2``),
exponents (``m^2``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Literal

Mark = Literal[".", ","]

MOST_DIGITS = 1000
"""Characters beyond which something is no number that anybody grades."""

ARITHMETIC = Context(prec=2 * MOST_DIGITS)
"""Enough digits that nothing is rounded, few enough that no output makes it slow."""

_QUOTIENTS = Context(prec=60)
_MINUS = "-\u2212\uff0d"
_SIGNS = f"{_MINUS}\u2013"
"""The dash between two numbers is a sign too where nothing stands before it."""
_CURRENCY = "$€£¥₹"
_TEN = Decimal(10)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text."""

    value: Decimal
    text: str
    """As it is written."""


def numbers(text: str, mark: Mark = ".") -> Iterator[Number]:
    """Go through the numbers of a text, from left to right."""
    for match in _pattern(mark).finditer(text):
        if match["version"] or match.end() - match.start() > MOST_DIGITS:
            continue
        try:
            value = _value(match, mark)
        except (InvalidOperation, ZeroDivisionError):  # an exponent beyond all measure, or a fraction of nothing
            continue
        start = _start_with_sign(text, match.start())
        yield Number(value.copy_negate() if text[start] in _SIGNS else value, text[start : match.end()])


def only_number(text: str, mark: Mark = ".") -> Decimal | None:
    """Return the number that a text is, or ``None`` when it is anything else than one number."""
    found = list(numbers(text, mark))
    return found[0].value if len(found) == 1 and found[0].text == text.strip() else None


def _value(match: re.Match[str], mark: Mark) -> Decimal:
    for top, bottom in (("top", "bottom"), ("latex_top", "latex_bottom")):
        if match[top] is not None:
            upper, lower = (Decimal(match[part].replace(mark, ".").replace("\u2212", "-")) for part in (top, bottom))
            return _QUOTIENTS.divide(upper, lower)
    if match["lakhs"] is not None:
        return Decimal(match["lakhs"].replace("." if mark == "," else ",", "").replace(mark, "."))
    written, separator = match["digits"], match["separator"]
    plain = written.replace(separator, "") if separator else written
    value = _scaled(Decimal(plain.replace(mark, ".")), match["e"])
    if match["to"] is not None and value == _TEN:
        return _scaled(Decimal(1), match["to"])
    return _scaled(value, match["times_ten_to"])


def _scaled(value: Decimal, exponent: str | None) -> Decimal:
    return value if exponent is None else ARITHMETIC.scaleb(value, _exponent(exponent))


def _exponent(text: str) -> int:
    return int(re.sub(f"^[{_MINUS}]", "-", text))


def _start_with_sign(text: str, start: int) -> int:
    """Return where a number starts, its sign included: ``10-5`` holds 10 and 5, ``x = -$5`` holds -5."""
    at = start - 1
    if at > 1 and text[at] == " " and text[at - 1] in _SIGNS and text[max(0, at - 4) : at - 1].rstrip().endswith("="):
        return at - 1
    if at > 0 and text[at] in _CURRENCY and text[at - 1] in _SIGNS:
        at -= 1
    if at < 0 or text[at] not in _SIGNS:
        return start
    before = text[at - 1] if at > 0 else " "
    return start if before.isalnum() or before in "_)]}%" else at


@lru_cache(maxsize=2)
def _pattern(mark: Mark) -> re.Pattern[str]:
    point, comma = ("[.]", ",") if mark == "." else (",", "[.]")
    return re.compile(
        rf"""
        \\[dt]?frac \{{ (?P<latex_top> [-\u2212]? \d++ (?: {point} \d++ )? ) \}}
            \{{ (?P<latex_bottom> \d++ (?: {point} \d++ )? ) \}}
      | (?<! [A-Za-z\d] ) (?<! [A-Za-z\d]_ ) (?<! [A-Za-z\d]__ ) (?<! [A-Za-z][{_MINUS}] ) (?<! \^ ) (?<! \^\{{ )
        (?<! \d[.] )
        (?:
            (?P<top> \d++ (?: {point} \d++ )? ) [ ]? / [ ]?
                (?P<bottom> \d++ (?: {point} \d++ )? ) (?! [ ]? [/^] )
          | (?P<lakhs> \d{{1,2}} (?: {comma} \d{{2}} (?! \d ) ){{1,8}}+ {comma} \d{{3}} (?! \d | {comma} \d )
                (?: {point} \d++ )? )
          | (?! \d++ (?: / \d++ ){{2}} )
            (?P<digits>
                \d{{1,3}} (?P<separator> {comma} | \{{{comma}\}} | {comma}\\! | \\, | [\u00a0\u2009\u202f_'\u2019] )
                    \d{{3}} (?: (?P=separator) \d{{3}} )*+ (?! \d | (?P=separator) \d ) (?: {point} \d++ )?
              | (?! \d++ (?: [.] \d++ ){{2}} ) \d++ (?: {point} \d++ )?
              | (?<! [\w.,] ) {point} \d++
            )
            (?: [eE] (?P<e> [{_MINUS}+]? \d++ ) )?
            (?: \s? (?: [×·x*] | \\times | \\cdot ) \s? 10
                (?: \^ | \*\* ) \{{? (?P<times_ten_to> [{_MINUS}+]? \d++ ) \}}?
              | (?<= \b10 ) \^ \{{? (?P<to> [{_MINUS}+]? \d++ ) \}}?
            )?
          | (?P<version> \d++ (?: [.] \d++ ){{2,}}+ | \d++ (?: / \d++ ){{2,}}+ )
        )
        """,
        re.VERBOSE,
    )
