"""Which parser turns a YAML text into events, and what a text must not hold for either to take it.

libyaml is about ten times as fast; PyYAML's own parser stands in where it is missing, and for the one thing that
libyaml refuses and users have: escapes of lone surrogates, as JSON writes them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml

Parser = Callable[[str], Callable[[], Any]]
"""Makes of a text a function that returns its events one by one."""

# All but the printable characters of YAML 1.1.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE_ESCAPE = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F]")
_ONE_BYTE = 0xFF


def pure_parser(text: str) -> Callable[[], Any]:
    """Parse with PyYAML's own code."""
    return yaml.SafeLoader(text).get_event


def c_parser(text: str) -> Callable[[], Any]:
    """Parse with libyaml. Only where PyYAML was built with it."""
    return yaml.CSafeLoader(text).get_event


def fastest_parser(text: str) -> Callable[[], Any]:
    """Parse with libyaml where that is possible."""
    return pure_parser(text) if not yaml.__with_libyaml__ or escapes_surrogates(text) else c_parser(text)


def escapes_surrogates(text: str) -> bool:
    """Whether a text may hold halves of surrogate pairs, written as escapes."""
    return _SURROGATE_ESCAPE.search(text) is not None


def paired(text: str) -> str:
    """Join the halves of surrogate pairs; a half without the other stays as it is."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def forbidden_character(text: str) -> tuple[int, int, str, str] | None:
    """Return line and column (from 0), message and hint for the first character that no YAML file may hold."""
    found = _FORBIDDEN.search(text)
    if found is None:
        return None
    code, position = ord(found[0]), found.start()
    line_start = text.rfind("\n", 0, position) + 1
    hint = "remove it" if code > _ONE_BYTE else f'remove it, or write it as "\\x{code:02x}"'
    message = f"control character U+{code:04X} is not allowed in YAML"
    return text.count("\n", 0, position), position - line_start, message, hint
