"""``${VAR}`` and ``${VAR:-default}`` in the parts of a suite file that configure a provider.

Only there: what stands in prompts, cases and data is text for a model, and a ``$`` in it means nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from steelyard.api import JsonValue, Node, is_sequence

_REFERENCE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def expanded(node: Node, environ: Mapping[str, str], *, empty_counts: bool = False) -> JsonValue:
    """Return the value with every reference replaced, at any depth.

    A variable that is not set and has no default is reported, and its reference stays as it is.

    Args:
        node: Where the value stands.
        environ: The environment.
        empty_counts: Whether a variable that is set but empty counts as given. As in a shell it does not: the default
            stands in for it.
    """
    if isinstance(node.value, str):
        return _text(node, node.value, environ, empty_counts) if "${" in node.value else node.value
    if isinstance(node.value, Mapping):
        return {key: expanded(node.child(key), environ, empty_counts=empty_counts) for key in node.value}
    if is_sequence(node.value):
        return [expanded(entry, environ, empty_counts=empty_counts) for entry in node.entries()]
    return node.value


def _text(node: Node, text: str, environ: Mapping[str, str], empty_counts: bool) -> str:
    def replacement(found: re.Match[str]) -> str:
        name, default = found.group(1), found.group(2)
        value = environ.get(name)
        if default is not None:
            return default if value is None or not (value or empty_counts) else value
        if value is None:
            node.error(
                f"the environment variable {name!r} is not set", f"set it, or give a default: ${{{name}:-default}}"
            )
            return found.group(0)
        return value

    return _REFERENCE.sub(replacement, text)
