"""Every built-in provider that speaks HTTP, against the kit that strangers use."""

from __future__ import annotations

import pytest
from steelyard_builtins.providers import anthropic, gemini, ollama, openai, openrouter
from steelyard_builtins.providers.anthropic import AnthropicSettings
from steelyard_builtins.providers.gemini import GeminiSettings
from steelyard_builtins.providers.ollama import OllamaSettings
from steelyard_builtins.providers.openai import OpenAISettings
from steelyard_builtins.providers.openrouter import OpenRouterSettings

from steelyard.testing import SECRET, Reach, provider_checks

PROVIDERS = {
    "openrouter": (
        openrouter,
        lambda api: Reach(settings=OpenRouterSettings(base_url=api.base_url), environ={"OPENROUTER_API_KEY": SECRET}),
        SECRET,
    ),
    "openai": (
        openai,
        lambda api: Reach(settings=OpenAISettings(base_url=api.base_url), environ={"OPENAI_API_KEY": SECRET}),
        SECRET,
    ),
    "anthropic": (
        anthropic,
        lambda api: Reach(settings=AnthropicSettings(base_url=api.origin), environ={"ANTHROPIC_API_KEY": SECRET}),
        SECRET,
    ),
    "gemini": (
        gemini,
        lambda api: Reach(settings=GeminiSettings(base_url=api.origin), environ={"GEMINI_API_KEY": SECRET}),
        SECRET,
    ),
    "ollama": (ollama, lambda api: Reach(settings=OllamaSettings(), environ={"OLLAMA_HOST": api.origin}), ""),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}: {check}")
        for name, (plugin, reach, secret) in PROVIDERS.items()
        for check in provider_checks(plugin.steelyard_register_providers()[0], reach, secret=secret)
    ],
)
def test_the_provider_keeps_the_contract(check):
    check()
