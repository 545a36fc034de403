"""The models of a benchmark: text, or a mapping with a label, a provider and its options."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from steelyard.api import FormatTools, JsonMapping, ModelUse, Node, is_sequence

from ..environment import expanded
from .keys import MODEL, is_private

_ALIKE = 0.75
"""From which likeness on a key is taken for another one, misspelt."""


def read_models(document: Node, tools: FormatTools) -> tuple[ModelUse, ...]:
    """Return the models that are right; a label that is used twice is reported."""
    node = document.get("models")
    if node is None:
        document.error("'models' is required", "list at least one model", at_key=True)
        return ()
    found = _read_list(node, tools)
    if is_sequence(node.value) and not node.value:
        node.error("must hold at least one model")
    return found


def read_judges(document: Node, tools: FormatTools) -> tuple[ModelUse, ...]:
    """Return the models that only judge: scorers ask them by their ids, and no prompt is put to them."""
    node = document.get("judges")
    return () if node is None else _read_list(node, tools)


def _read_list(node: Node, tools: FormatTools) -> tuple[ModelUse, ...]:
    if not node.is_list():
        return ()
    found: dict[str, ModelUse] = {}
    for entry in node.entries():
        use = _read_model(entry, tools)
        if use is None:
            continue
        if use.id in found:
            hint = f"first at {found[use.id].place}; remove it, or give each an 'id' of its own"
            entry.error(f"model {use.id!r} is listed twice", hint)
        else:
            found[use.id] = use
    return tuple(found.values())


def read_providers(document: Node, tools: FormatTools) -> JsonMapping:
    """Return the options that all models of a provider share, by the provider's name."""
    node = document.get("providers")
    if node is None or not node.is_mapping():
        return {}
    options = {}
    for entry in node.entries():
        if entry.value is None:
            continue
        if entry.is_mapping():
            options[str(entry.path[-1])] = expanded(entry, tools.environ)
    return {name: value for name, value in options.items() if not is_private(name)}


def _read_model(entry: Node, tools: FormatTools) -> ModelUse | None:
    if isinstance(entry.value, str):
        if entry.value.strip():
            return ModelUse(id=entry.value, model=entry.value, place=entry.place)
        entry.error("must not be empty")
        return None
    if not isinstance(entry.value, Mapping):
        entry.error("must be a model's name or a mapping with 'model'", "quote it if it is a name")
        return None
    return _read_mapping(entry, entry.value, tools)


def _is_misspelt(entry: Node, value: JsonMapping) -> bool:
    """Report a key that was probably to name the provider: taken for an option, it would go to the default one."""
    if value.get("provider") is not None:
        return False
    wanted = ["provider"] if value.get("model") is not None else ["provider", "model"]
    for key in value:
        close = [] if key in MODEL or is_private(key) else difflib.get_close_matches(key, wanted, n=1, cutoff=_ALIKE)
        if close:
            entry.error(f"unknown key {key!r}", f"did you mean {close[0]!r}?", key=key, at_key=True)
            return True
    return False


def _read_mapping(entry: Node, value: JsonMapping, tools: FormatTools) -> ModelUse | None:
    model, provider = entry.text("model", allow_empty=False), entry.text("provider", allow_empty=False)
    label = entry.text("id", allow_empty=False)
    if any(entry.get(key) is not None and got is None for key, got in (("model", model), ("id", label))):
        return None
    if _is_misspelt(entry, value):
        return None
    if model is None and provider is None:
        entry.error("'model' is required", "or 'provider', for a provider that needs no model name")
        return None
    if model is not None:
        model = str(expanded(entry.child("model"), tools.environ))
    options = {
        key: expanded(entry.child(key), tools.environ) for key in value if key not in MODEL and not is_private(key)
    }
    named = ":".join(part for part in (provider, model) if part)
    return ModelUse(id=label or named, model=model or "", provider=provider, options=options, place=entry.place)
