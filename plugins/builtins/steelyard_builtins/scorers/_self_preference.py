"""Whether a judge would grade its own kind. Models favour what they, or their relatives, have written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from steelyard.api import Benchmark, ModelUse

_FAMILY = re.compile(r"[a-z]+")


def relatives(benchmark: Benchmark, judge: str) -> tuple[str, ...]:
    """Return the labels of the models under test that share a vendor with the judge.

    The vendor is what stands before the ``/`` of a name. Where a name has none, as with a vendor's own API, the family
    is compared: the first word of the model's name (``claude``, ``gpt``).
    """
    named = {use.id: use for use in (*benchmark.models, *benchmark.judges)}
    own = _names(named.get(judge) or ModelUse(id=judge, model=judge))
    return tuple(use.id for use in benchmark.models if _related(own, _names(use)))


def _names(use: ModelUse) -> tuple[str, str]:
    """Return the vendor (empty when the name has none) and the model's own name."""
    name = use.model.lower()
    before, slash, after = name.rpartition("/")
    if slash:
        return before.rpartition(":")[2].split("/")[0], after
    _provider, _colon, rest = name.partition(":")
    # PROVIDER:MODEL, as opposed to a size at the end of a model's name (llama3:8b).
    return "", rest if use.provider is None and rest[:1].isalpha() else name


def _related(first: Sequence[str], second: Sequence[str]) -> bool:
    if first[0] and second[0]:
        return first[0] == second[0]
    families = [_FAMILY.match(names[1]) for names in (first, second)]
    return families[0] is not None and families[1] is not None and families[0][0] == families[1][0]
