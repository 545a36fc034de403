"""The ``evaluation`` block: how the three modes of evalblink judge, as options of the scorers that do it.

=================  =====================================================================================
scorer             options (each only when the file has it; the scorer's own default applies otherwise)
=================  =====================================================================================
``llm_judge``      ``model`` (judge_model), ``threshold`` (judge_threshold), ``max_tokens`` (judge_max_tokens)
``pairwise``       ``model`` (judge_model), ``max_tokens`` (judge_max_tokens)
``weighted_match`` ``threshold`` (quality_threshold), ``variables``
=================  =====================================================================================

They apply to the short form (``evaluation: llm_judge``) and, under the entry's own options, to ``scorers`` as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from dataclasses import dataclass, field

from steelyard.api import NOTHING, JsonMapping, JsonValue, Node
from steelyard.errors import Problem

from .keys import EVALUATION

MODES = {
    "exact_match": frozenset({"ignore_case", "strip", "value"}),
    "llm_judge": frozenset(
        {"combine", "max_tokens", "min_score", "model", "models", "rubric", "scale", "temperature", "threshold"}
    ),
    "weighted_match": frozenset({"threshold"}),
}
"""The modes of evalblink, each with the options that a case may give beside ``evaluation``.

Any other key there is unknown, and warned about, as evalblink has it: where the scorer is another one, all keys that a
case does not know are its options, and the host refuses those that it has not. What a case has a key of its own for
(``criteria``, ``reference``, ``variables``) is no option.
"""

_CONCERNS = {
    "evaluation.judge_threshold": "llm_judge",
    "evaluation.judge_max_tokens": "llm_judge",
    "evaluation.quality_threshold": "weighted_match",
    "evaluation.variables": "weighted_match",
}
"""A fault in these matters only when some case uses the scorer; ``judge_model`` is checked whenever it is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What the ``evaluation`` block says, by scorer."""

    judge_model: str | None = None
    options: dict[str, JsonMapping] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    """What is wrong with the block; how bad it is depends on the scorers in use."""

    def options_of(self, scorer: str) -> JsonMapping:
        """Return the options that the block gives a scorer; empty for all that it does not know."""
        return self.options.get(scorer, NOTHING)

    def report(self, node: Node, used: Collection[str] | None) -> None:
        """Report what is wrong: a warning where no case uses the scorer; ``used`` is ``None`` when nobody knows."""
        for problem in self.problems:
            scorer = _CONCERNS.get(problem.path.split("[")[0])
            idle = used is not None and scorer is not None and scorer not in used
            node.report(dataclasses.replace(problem, severity="warning") if idle else problem)


def read_judging(document: Node) -> Judging:
    """Read the block; an absent or bare one says nothing."""
    found = document.get("evaluation")
    if found is None or not found.is_mapping():
        return Judging()
    problems: list[Problem] = []
    node = dataclasses.replace(found, report=problems.append)
    node.check_keys(EVALUATION, severity="warning")
    model = node.text("judge_model", allow_empty=False)
    judge = {
        "model": model,
        "threshold": node.number("judge_threshold", minimum=0, maximum=1),
        "max_tokens": node.whole("judge_max_tokens", minimum=1),
    }
    weighted = {"threshold": node.number("quality_threshold", minimum=0, maximum=1), "variables": _variables(node)}
    pair_judge = {"model": model, "max_tokens": judge["max_tokens"]}
    options = {"llm_judge": _given(judge), "pairwise": _given(pair_judge), "weighted_match": _given(weighted)}
    return Judging(judge_model=model, options=options, problems=tuple(problems))


def _variables(node: Node) -> JsonValue:
    variables = node.get("variables")
    return variables.value if variables is not None and variables.is_list() else None


def _given(options: JsonMapping) -> JsonMapping:
    return {key: value for key, value in options.items() if value is not None}
