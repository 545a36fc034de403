"""Which model a name means to the eval tool: ``provider/model``, or a name of the provider that the suite names.

Whose model it is by its name decides nothing for the models that are tested: a prompt that is meant for the machine on
one's desk must not go to somebody else because a model is called like one of theirs. A judge is another matter: the
tool's own default is a judge of Anthropic's whatever is tested. Where that is not the suite's provider, it is said.
"""

from __future__ import annotations

PROVIDERS = ("anthropic", "openai", "gemini", "ollama", "openrouter", "mock", "command", "http")
"""The tool's own providers, and those that we have besides."""
_MAKERS = {
    "anthropic": ("claude",),
    "openai": ("gpt", "chatgpt", "o1", "o3", "o4"),
    "gemini": ("gemini",),
}

_OPEN = ("gpt-oss",)
"""Models of makers with a service, which anybody may run as well."""
_RESELLER = "openrouter"
"""Its own names of models are ``vendor/model``."""


def judge_model(name: str, default: str) -> tuple[str, str, bool]:
    """Return provider and model of a judge, and whether only its name says who makes it.

    By the prefix, by who makes such models, or else the default provider.
    """
    known = _split(name, default)
    if known is not None:
        return (*known, False)
    low = name.lower()
    if ":" in low or "/" in low or low.startswith(_OPEN):
        return default, name, False
    maker = next((maker for maker, starts in _MAKERS.items() if low.startswith(starts)), default)
    return maker, name, maker != default


def prefixed(name: str, default: str) -> tuple[str, str]:
    """Return provider and model: by the prefix, or else the default provider."""
    return _split(name, default) or (default, name)


def _split(name: str, default: str) -> tuple[str, str] | None:
    """Return provider and model of ``provider/model`` and ``provider:model``; ``None`` where no provider is named."""
    head, colon, rest = name.partition(":")
    if colon and head in PROVIDERS:
        return head, rest
    head, slash, rest = name.partition("/")
    if not slash or head not in PROVIDERS:
        return None
    if head == _RESELLER and "/" not in rest:
        return head, name  # openrouter/auto is what it calls a model
    if default == _RESELLER and head in ("anthropic", "openai"):
        return default, name
    return head, rest


def label(provider: str, model: str) -> str:
    """Return what reports call a model."""
    return f"{provider}:{model}"
