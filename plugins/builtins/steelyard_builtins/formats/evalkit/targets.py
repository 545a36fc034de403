"""The target and the judges of an evalkit suite, as models with options."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from steelyard.api import FormatTools, JsonMapping, JsonValue, ModelUse, Node, is_sequence

from ..environment import expanded

TIMEOUT_S = 60.0
"""Evalkit's time limit for a call."""
_DEFAULTS: dict[str, JsonMapping] = {
    "anthropic": {"max_tokens": 1024},
    "http": {"response": "either"},
    # What is played costs what a suite's prices say, counted in words, and without prices nobody knows.
    "mock": {"tokens": "words", "cost_usd": None},
}
"""Options whose default is evalkit's own, by provider."""
_NUMBERS = frozenset(
    {
        "fail_times",
        "flaky",
        "input_per_mtok",
        "latency_ms",
        "max_tokens",
        "output_per_mtok",
        "temperature",
        "timeout",
    }
)
_FLAGS = {"true": True, "false": False}


def read_target(node: Node, tools: FormatTools) -> ModelUse | None:
    """Read a target or a judge; ``None`` after reporting why there is none."""
    if not node.is_mapping() or not isinstance(node.value, Mapping):
        return None
    value = expanded(node, tools.environ, empty_counts=True)
    if not isinstance(value, Mapping):
        return None
    filled = Node(value, node.path, node.locate, node.report)
    provider = filled.text("provider", required=True, allow_empty=False)
    model = filled.text("model", allow_empty=False)
    if provider is None or (model is None and filled.get("model") is not None):
        return None
    if provider == "command" and not _is_command(filled):
        return None
    own = {key: _typed(key, value[key], node.child(key).value) for key in value if key not in ("provider", "model")}
    options = {**_DEFAULTS.get(provider, {}), **{key: option for key, option in own.items() if option is not None}}
    # Null means "no key" here; for every other option it means that nothing is said.
    options |= {"api_key_env": None} if "api_key_env" in own and own["api_key_env"] is None else {}
    return ModelUse(
        id=f"{provider}:{_label(provider, model, options)}",
        model=model or "",
        provider=provider,
        options=options,
        place=node.place,
        path=node.keys,
    )


@dataclass(slots=True)
class Judges:
    """The judges of a suite, each under an id by which graders ask it."""

    tools: FormatTools
    default: str | None = None
    """The id of the judge of graders that name none."""
    uses: list[ModelUse] = field(default_factory=list)

    def add(self, node: Node) -> str | None:
        """Read a judge and return its id; the same judge has the same one. ``None`` when it is wrong."""
        use = read_target(node, self.tools)
        if use is None:
            return None
        for known in self.uses:
            if (known.provider, known.model, known.options) == (use.provider, use.model, use.options):
                return known.id
        taken = {known.id for known in self.uses}
        name, number = use.id, 2
        while name in taken:
            name, number = f"{use.id} ({number})", number + 1
        self.uses.append(replace(use, id=name))
        return name


def _is_command(node: Node) -> bool:
    """Say what no program could be made of; a shell splits its line itself."""
    line = node.child("command")
    if not isinstance(line.value, str) or node.child("shell").value is True:
        return True
    try:
        shlex.split(line.value)
    except ValueError as error:
        # Without the line itself: what the environment filled in may be a secret.
        message = str(error)
        line.error(message[:1].lower() + message[1:], "write the command as a list of words")
        return False
    return True


def _label(provider: str, model: str | None, options: JsonMapping) -> str:
    if provider == "http":
        return str(options.get("url", provider))
    if provider == "command":
        command = options.get("command")
        words = _words(command) if isinstance(command, str) else command
        if is_sequence(words) and words:
            return PurePath(str(words[0])).name
    return model or provider


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError:  # only a shell can make something of it
        return line.split()


def _typed(key: str, value: JsonValue, written: JsonValue) -> JsonValue:
    """Give what the environment filled in, which is always text, the type that the option has."""
    if isinstance(value, Mapping) and isinstance(written, Mapping):
        return {name: _typed(name, value[name], written.get(name)) for name in value}
    if value == written or not isinstance(value, str):
        return value
    if key == "cache":
        return _FLAGS.get(value.strip().lower(), value)
    if key in _NUMBERS:
        for kind in (int, float):
            try:
                return kind(value)
            except ValueError:
                continue
    return value
