"""One test case, as the file has it inline or as a row of a data file gives it.

Reading is quick for what is right: files hold tens of thousands of cases, so a value is looked at directly and its
Node, which knows where it stands, is made only to complain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from steelyard.api import NOTHING, Case, FormatTools, JsonMapping, JsonValue, Node, ScorerUse, Turn, shown

from .judging import MODES, Judging
from .keys import CASE, is_private
from .scorers import label_of, over_block, read_scorers
from .turns import read_turns


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseReader:
    """Reads cases with what the file says about all of them."""

    tools: FormatTools
    variables: JsonMapping
    """The benchmark's variables, under a case's own."""
    scorers: tuple[ScorerUse, ...]
    """The scorers of every case, before its own."""
    judging: Judging
    cluster: str | None = None
    """The variable or metadata key by which cases belong together."""
    misread: set[str] = field(default_factory=set, init=False)
    """The ids of cases whose variables could not be read: nothing more is to be said about those."""
    _short_forms: dict[str, ScorerUse] = field(default_factory=dict, init=False)

    def read(self, node: Node, value: JsonMapping, *, is_data: bool = False) -> Case | None:
        """Return the case, or ``None`` when it has no usable id. What is wrong is reported.

        Args:
            node: The case as it stands in the file; ``value`` is its mapping.
            value: The same, once it is known to be a mapping.
            is_data: True for rows of a data file, whose texts are never templates.
        """
        identity = _text(node, value, "id", required=True)
        variables = self._variables(node, value)
        uses = self._uses(node, value)
        turns = self._turns(node, value, variables, is_data)
        _check_turns(node, value, uses, turns)
        case = Case(
            id=identity or "",
            variables=variables,
            input=value.get("input"),
            expected=value.get("expected_output"),
            criteria=_text(node, value, "criteria"),
            reference=_text(node, value, "reference"),
            evaluation=label_of(uses),
            scorers=uses,
            turns=turns,
            tags=_tags(node, value),
            metadata=_mapping(node, value, "metadata"),
            human_score=node.number("human_score", minimum=1, maximum=5) if "human_score" in value else None,
            cluster=None if self.cluster is None else self._cluster(node, value, self.cluster),
            place=node.place,
        )
        if identity is not None and not identity.strip():
            node.error("must not be empty", key="id")
            return None
        return None if identity is None else case

    def _variables(self, node: Node, value: JsonMapping) -> JsonMapping:
        own = _mapping(node, value, "variables")
        if not own:
            if value.get("variables") not in (None, {}):
                self.misread.add(str(value.get("id")))
            return self.variables
        return {**self.variables, **own} if self.variables else own

    def _cluster(self, node: Node, value: JsonMapping, name: str) -> str | None:
        """Return what stands under the name in the case's own variables or its metadata; the benchmark's are no say."""
        for key in ("variables", "metadata"):
            found = _mapping(node, value, key).get(name)
            if found is None:
                continue
            if isinstance(found, str | int | float):
                return str(found)
            node.child(key).error(f"must be text or a number to cluster by, got {shown(found)}", key=name)
        return None

    def _uses(self, node: Node, value: JsonMapping) -> tuple[ScorerUse, ...]:
        scorer = _text(node, value, "evaluation")
        beside = () if value.keys() <= CASE else tuple(key for key in value if key not in CASE and not is_private(key))
        known: frozenset[str] | None = CASE
        own: tuple[ScorerUse, ...] = ()
        if scorer is not None and scorer.strip():
            known = CASE | MODES[scorer] if scorer in MODES else None
            options = {key: value[key] for key in beside if known is None or key in known}
            own = (self._short_form(node, scorer, options),)
        if beside and known is not None:
            node.check_keys(known, severity="warning")
        if value.get("scorers") is not None:
            own += read_scorers(node.child("scorers"), self.judging)
        uses = self.scorers + own
        if scorer is not None and not scorer.strip():
            node.error("must not be empty", key="evaluation")
        elif not uses and value.get("evaluation") is None and value.get("scorers") is None:
            node.error("nothing says how the case is judged", "give it an 'evaluation' or 'scorers'")
        return uses

    def _short_form(self, node: Node, scorer: str, options: JsonMapping) -> ScorerUse:
        """Return the scorer that ``evaluation`` names; its options stand beside it: ``max_words`` and ``value: 5``."""
        block = self.judging.options_of(scorer)
        if options or scorer not in MODES:
            place = node.child("evaluation").place
            return ScorerUse(type=scorer, options=over_block(block, options) or NOTHING, place=place)
        # The same for every case: made once. It has no place of its own, so that each case is blamed at its own.
        use = self._short_forms.get(scorer)
        if use is None:
            use = self._short_forms[scorer] = ScorerUse(type=scorer, options=block)
        return use

    def _turns(self, node: Node, value: JsonMapping, variables: JsonMapping, is_data: bool) -> tuple[Turn, ...]:
        if value.get("turns") is None:
            return ()
        render = None if is_data else lambda text: self.tools.template(text).render(variables)
        return read_turns(node.child("turns"), render)


def _check_turns(node: Node, value: JsonMapping, uses: tuple[ScorerUse, ...], turns: tuple[Turn, ...]) -> None:
    """Report scorers that judge an answer the conversation never has: known now, and paid for in vain later."""
    if all(use.turn is None for use in uses) or (not turns and value.get("turns") is not None):
        return
    answers = sum(turn.content is None for turn in turns) or 1
    for use in uses:
        if use.turn is not None and use.turn >= answers:
            last = "only 0" if answers == 1 else f"0 to {answers - 1}"
            key = "scorers" if "scorers" in value else None
            node.error(f"scorer {use.name or use.type!r} judges answer {use.turn}; the model's are {last}", key=key)


def _text(node: Node, value: JsonMapping, key: str, *, required: bool = False) -> str | None:
    found = value.get(key)
    return found if type(found) is str else _absent(node, found, key, required)


def _absent(node: Node, found: JsonValue, key: str, required: bool) -> str | None:
    return None if found is None and not required else node.text(key, required=required)


def _mapping(node: Node, value: JsonMapping, key: str) -> JsonMapping:
    found = value.get(key)
    if found is None:
        return NOTHING
    if type(found) is dict or isinstance(found, Mapping):
        return found
    return node.mapping(key)


def _tags(node: Node, value: JsonMapping) -> tuple[str, ...]:
    found = value.get("tags")
    if found is None:
        return ()
    if type(found) is list and all(type(tag) is str for tag in found):
        return tuple(found)
    return node.texts("tags")
