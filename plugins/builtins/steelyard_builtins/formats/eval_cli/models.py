"""Which model a name means to the eval tool: ``provider/model``, or a name that tells its maker."""

from __future__ import annotations

PROVIDERS = ("anthropic", "openai", "gemini", "ollama")
_MAKERS = {
    "anthropic": ("claude",),
    "openai": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "gemini": ("gemini", "gemma"),
}

_OPEN = ("gemma", "gpt-oss")
"""Models of makers with a service, which anybody may run as well."""


def split_model(name: str, default: str) -> tuple[str, str]:
    """Return provider and model: by the prefix, by who makes such models, or else the default provider."""
    if default == "ollama" and (":" in name or name.lower().startswith(_OPEN)):
        return prefixed(name, default)
    maker = next((maker for maker, starts in _MAKERS.items() if name.lower().startswith(starts)), default)
    return prefixed(name, maker)


def prefixed(name: str, default: str) -> tuple[str, str]:
    """Return provider and model: by the prefix, or else the default provider."""
    head, slash, rest = name.partition("/")
    return (head, rest) if slash and head in PROVIDERS else (default, name)


def label(provider: str, model: str) -> str:
    """Return what reports call a model."""
    return f"{provider}:{model}"
