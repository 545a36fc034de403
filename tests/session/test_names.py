"""Which provider a model's name means, and that no model goes to another address by a slip."""

from __future__ import annotations

import pytest

from steelyard._session.names import with_provider
from steelyard.api import ModelUse
from steelyard.errors import UsageError

KNOWN = ("openrouter", "openai", "ollama", "gemini")


def provider_of(model: str, default: str | None = "openrouter", aside: tuple[str, ...] = ()) -> tuple[str | None, str]:
    use = with_provider(ModelUse(id=model, model=model), KNOWN, default, aside)
    return use.provider, use.model


def test_a_registered_prefix_is_taken_off_at_the_first_colon() -> None:
    assert provider_of("ollama:llama3:8b") == ("ollama", "llama3:8b")


def test_a_variant_behind_a_vendor_stays_whole() -> None:
    assert provider_of("vendor/model:free") == ("openrouter", "vendor/model:free")


def test_a_prefix_that_no_provider_is_nearly_called_belongs_to_the_model() -> None:
    assert provider_of("llama3:8b", default="ollama") == ("ollama", "llama3:8b")


@pytest.mark.parametrize(("slip", "meant"), [("opnai:gpt-4o", "openai:gpt-4o"), ("gemni:pro", "gemini:pro")])
def test_a_slip_in_a_prefix_is_no_model_of_the_default_provider(slip: str, meant: str) -> None:
    with pytest.raises(UsageError, match=f"did you mean '{meant}'"):
        provider_of(slip)


def test_a_provider_that_is_not_in_use_gives_its_models_to_nobody_else() -> None:
    assert provider_of("anthropic:claude", aside=("anthropic",)) == ("anthropic", "claude")


def test_without_a_default_a_bare_name_says_what_could_stand_before_it() -> None:
    with pytest.raises(UsageError, match="one of gemini, ollama, openai, openrouter"):
        provider_of("bare", default=None)
