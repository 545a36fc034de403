"""Slips that newcomers make, and the one thing that is said about each."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("blocks", "said"),
    [
        ({"models": "mock:echo"}, "models: must be a list, got 'mock:echo'; write a list: [mock:echo]"),
        (
            {"models": "{provider: mock}"},
            "models: must be a list, got {'provider': 'mock'}; begin each element with '- '",
        ),
        ({"models": "[{providr: mock}]"}, "models[0].providr: unknown key 'providr'; did you mean 'provider'?"),
        (
            {"models": "[{model: echo, providr: mock}]"},
            "models[0].providr: unknown key 'providr'; did you mean 'provider'?",
        ),
        ({"models": "[{modle: echo}]"}, "models[0].modle: unknown key 'modle'; did you mean 'model'?"),
        ({"variables": "[q]"}, "variables: must be a mapping, got ['q']"),
        (
            {"test_cases": "[{id: a, variables: [q], expected_output: x, evaluation: exact_match}]"},
            "test_cases[0].variables: must be a mapping, got ['q']",
        ),
        (
            {"test_cases": "[{id: a, variables: {q: b}, expected_output: x, evaluation: exact_match, tags: easy}]"},
            "test_cases[0].tags: must be a list, got 'easy'; write a list: [easy]",
        ),
    ],
)
def test_one_slip_is_one_error_that_says_what_to_do(read, sound, blocks, said):
    (error,) = read(sound(**blocks)).errors

    assert error.endswith(f": {said}")


@pytest.mark.parametrize("key", ["models", "providers", "identity"])
def test_a_provider_may_have_options_that_look_like_keys_of_a_model(read, sound, key):
    named = sound(models=f"[{{provider: p, model: m, {key}: [n]}}]")

    assert dict(read(named).sound.models[0].options) == {key: ["n"]}


@pytest.mark.parametrize(
    ("threshold", "hint"), [("0.85", "write 85 for 85 %"), ("0.5", "write 50 for 50 %"), ("1", None), ("0", None)]
)
def test_a_threshold_that_is_a_share_is_a_warning(read, sound, threshold, hint):
    warnings = read(sound(quality_threshold=threshold)).warnings

    assert len(warnings) == (hint is not None)
    assert all(f"quality_threshold: is in per cent: {threshold} is less" in said for said in warnings)
    assert all(said.endswith(str(hint)) for said in warnings)


@pytest.mark.parametrize("gate", ["{every: true}", "{model: m}", "{confidence: 0.95}"])
def test_a_gate_without_a_threshold_is_a_warning(read, sound, gate):
    (warning,) = read(sound(gate=gate)).warnings

    assert "gate: has nothing to reach; give the file a quality_threshold, or the run --fail-under" in warning
    assert read(sound(gate=gate, quality_threshold="80")).warnings == []
    assert read(sound(gate="{}")).warnings == []
