"""A benchmark with other models than its file names: the same prompts and cases, asked of somebody else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from .._host.registry import Registry
from ..api import Benchmark, FormatTools, ModelUse
from ..errors import UsageError


def with_models(
    benchmark: Benchmark,
    names: Sequence[str],
    provider: str | None,
    *,
    registry: Registry,
    tools: FormatTools,
    say: Callable[[str], None],
) -> Benchmark:
    """Return the benchmark with these models. Its gate holds for them as for those of the file.

    Args:
        benchmark: As it was read.
        names: The id of a model in the file, or a name as the benchmark's format understands it.
        provider: Who answers for names that do not say it themselves; the default one when ``None``.
        registry: Where the format is found.
        tools: What it is made with.
        say: Hears which models somebody else answers for than the one that the suite names.

    Raises ``UsageError`` for a model that is named twice.
    """
    in_file = {use.id: use for use in benchmark.models}
    suite = _format(benchmark, registry, tools)
    uses: dict[str, ModelUse] = {}
    for name in names:
        use = in_file.get(name) if provider is None else None
        if use is None:
            use = prefixed(name, registry)
        if use is None and hasattr(suite, "named_model"):
            use = suite.named_model(name, provider=provider, default=benchmark.default_provider)
        if use is None:
            label = name if provider is None else f"{provider}:{name}"
            use = ModelUse(id=label, model=name, provider=provider)
        if use.id in uses:
            raise UsageError(f"model {use.id!r} is named twice; name it once")
        uses[use.id] = use
    own = benchmark.default_provider
    if hasattr(suite, "named_model") and provider is None and own is not None:
        elsewhere = [use.id for use in uses.values() if use.id not in in_file and use.provider not in (own, None)]
        if elsewhere:
            say(f"asked elsewhere than at the suite's {own!r}: {', '.join(elsewhere)}")
    return replace(benchmark, models=tuple(uses.values()))


def prefixed(name: str, registry: Registry) -> ModelUse | None:
    """Return the model of ``PROVIDER:MODEL``, as reports call models; ``None`` where no provider is named.

    A provider whose plugin is not in use counts as well: what is meant for it must go to nobody else.
    """
    head, colon, model = name.partition(":")
    aside = {report.name for report in registry.plugins if report.state != "ok"}
    if not colon or head not in {*registry.names("provider"), *registry.contested("provider"), *aside}:
        return None
    return ModelUse(id=name, model=model, provider=head)


def names_models(benchmark: Benchmark, registry: Registry, tools: FormatTools) -> bool:
    """Whether ``--model`` names any model for a suite of this format, and not one that the file lists."""
    return hasattr(_format(benchmark, registry, tools), "named_model")


def _format(benchmark: Benchmark, registry: Registry, tools: FormatTools) -> Any:
    known = benchmark.format in registry.names("format")
    return registry.get("format", benchmark.format).spec.create(tools) if known else None
