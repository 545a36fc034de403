"""The keys that say how a native file is run."""

from __future__ import annotations

import pytest


def test_every_key_reaches_the_benchmark(read, sound):
    benchmark = read(
        sound(
            description="what for",
            repeat="3",
            case_pass_rate="0.5",
            retries="0",
            retry_backoff="0.5",
            timeout="30",
            max_cost_usd="0",
            concurrency="100",
            cache="files",
            require_plugins="[steelyard-x]",
            metadata="{owner: me}",
            inference="{temperature: 1, max_tokens: 5, seed: 7, params: {top_p: 0.9}}",
        )
    ).sound

    assert (benchmark.description, benchmark.repeat, benchmark.case_pass_rate) == ("what for", 3, 0.5)
    assert (benchmark.retries, benchmark.retry_backoff_s, benchmark.timeout_s) == (0, 0.5, 30.0)
    assert (benchmark.max_cost_usd, benchmark.concurrency, benchmark.cache) == (0.0, 100, "files")
    assert (benchmark.require_plugins, dict(benchmark.metadata)) == (("steelyard-x",), {"owner": "me"})
    assert dict(benchmark.inference.params) == {"top_p": 0.9}


def test_what_is_not_said_is_left_to_settings_and_defaults(read, sound):
    benchmark = read(sound()).sound

    assert (benchmark.concurrency, benchmark.retries, benchmark.timeout_s, benchmark.cache) == (None, None, None, None)
    assert (benchmark.repeat, benchmark.case_pass_rate, benchmark.gate.quality_threshold) == (1, 1.0, None)


def test_a_gate_names_what_must_reach_the_threshold(read, sound):
    gate = read(sound(quality_threshold="80", gate="{model: m, prompt: v1, every: true, confidence: 0.95}")).sound.gate

    assert (gate.quality_threshold, gate.model, gate.prompt, gate.every, gate.confidence) == (80, "m", "v1", True, 0.95)


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ("{model: n}", "gate.model: unknown model 'n'; the file has 'm'"),
        ("{prompt: v2}", "gate.prompt: unknown prompt 'v2'; the file has 'v1'"),
        ("{modle: m}", "gate.modle: unknown key 'modle'; did you mean 'model'?"),
        ("{every: 1}", "gate.every: must be true or false, got 1"),
        ("{confidence: 1}", "gate.confidence: must be a number above 0"),
    ],
)
def test_a_gate_that_would_guard_nothing_is_an_error(read, sound, gate, message):
    (error,) = read(sound(quality_threshold="80", gate=gate)).errors

    assert message in error


@pytest.mark.parametrize(("value", "cache"), [("false", False), ("true", None), ("null", None), ("memory", "memory")])
def test_a_cache_is_a_name_or_false(read, sound, value, cache):
    assert read(sound(cache=value)).sound.cache is cache or read(sound(cache=value)).sound.cache == cache


@pytest.mark.parametrize("value", ["3", "[sqlite]", '""'])
def test_any_other_cache_is_an_error(read, sound, value):
    assert len(read(sound(cache=value)).errors) == 1


def test_plugins_are_required_by_a_list_of_names(read, sound):
    assert len(read(sound(require_plugins="steelyard-x")).errors) == 1
