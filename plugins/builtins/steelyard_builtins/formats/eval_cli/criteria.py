"""The criteria of a case, as scorers with options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from steelyard.api import JsonMapping, JsonValue, ModelUse, Node, Problem, ScorerUse, shown

from .javascript_regex import pythonic, unknown_flags
from .keys import CRITERIA
from .models import judge_model, label
from .placeholders import written

SCALE = 5
PASS_THRESHOLD = 3.0
"""The judge's score from which on a case passes unless its criterion says otherwise."""
LANGUAGES = ("python", "javascript", "bash")
ISOLATIONS = ("auto", "required", "none")


class Judges:
    """The models that judge, each known to the benchmark by its label."""

    def __init__(self, default: str, provider: str) -> None:
        self._default = default
        self._provider = provider
        self.uses: dict[str, ModelUse] = {}
        self._elsewhere: dict[str, ModelUse] = {}

    def add(self, name: str | None, place: str) -> str:
        """Return the label of a judge; without a name, of the suite's."""
        provider, model, guessed = judge_model(name or self._default, self._provider)
        known = label(provider, model)
        use = self.uses.setdefault(known, ModelUse(id=known, model=model, provider=provider, place=place))
        if guessed:
            self._elsewhere.setdefault(known, use)
        return known

    def told(self) -> Iterator[Problem]:
        """Say which judges somebody else answers for than the suite's provider, though nobody has named them."""
        for use in self._elsewhere.values():
            message = f"the judge {use.model!r} is asked at {use.provider}, which makes it, not at {self._provider}"
            hint = f"write model: {use.provider}/{use.model} if that is meant, or name another judge"
            yield Problem(severity="warning", message=message, hint=hint, place=use.place)


def note_judges(cases: Iterable[Node], judges: Judges) -> None:
    """Find the judges of cases that rows are going to fill in: a benchmark must know them before its first case."""
    for case in cases:
        for criterion in case.child("criteria").entries():
            name = criterion.child("model").value
            if criterion.child("type").value == "llm_judge" and (name is None or isinstance(name, str)):
                judges.add(name, criterion.place)


def read_criteria(node: Node, judges: Judges) -> tuple[ScorerUse, ...]:
    """Return the scorers of a list of criteria, without those that are wrong."""
    if not node.is_list():
        return ()
    if not node.value:
        node.error("must hold at least one criterion")
    found = (_read_criterion(entry, judges) for entry in node.entries())
    return tuple(use for use in found if use is not None)


def _read_criterion(node: Node, judges: Judges) -> ScorerUse | None:
    if not node.is_mapping() or not isinstance(node.value, Mapping):
        return None
    kind = node.text("type", required=True, allow_empty=False)
    if kind is None:
        return None
    if kind not in CRITERIA:
        # A grader of the user's own takes the other keys as they are.
        options: JsonMapping | None = {key: value for key, value in node.value.items() if key != "type"}
    else:
        node.check_keys(CRITERIA[kind], severity="warning")
        options = _options(node, kind, judges)
    return None if options is None else ScorerUse(type=kind, options=options, place=node.place)


def _options(node: Node, kind: str, judges: Judges) -> JsonMapping | None:
    if kind == "max_words":
        most = node.whole("value", minimum=0, required=True)
        return None if most is None else {"value": most}
    if kind == "regex":
        return _regex(node)
    if kind == "llm_judge":
        return _judge(node, judges)
    if kind == "code_execution":
        return _code(node)
    return _text(node, kind)


def _text(node: Node, kind: str) -> JsonMapping | None:
    text = _compared(node, "value")
    ignore_case = not node.flag("case_sensitive", default=False)
    if text is None:
        return None
    if kind == "contains" and not text:
        node.error("must not be empty", "every answer contains an empty text", key="value")
        return None
    return {"value": [text] if kind == "contains" else text, "ignore_case": ignore_case}


def _compared(node: Node, key: str) -> str | None:
    """Return the text to compare with. A number is what it is written as; a boolean was a word before YAML read it."""
    found = node.get(key)
    if found is not None and isinstance(found.value, (int, float)) and not isinstance(found.value, bool):
        return written(found.value)
    return node.text(key, required=True)


def _regex(node: Node) -> JsonMapping | None:
    pattern, flags = node.text("value", required=True, allow_empty=False), node.text("flags") or ""
    if unknown_flags(flags):
        node.error(f"unknown flags {unknown_flags(flags)!r}", "known flags: d, g, i, m, s, u, v, y", key="flags")
        return None
    return None if pattern is None else {"pattern": pythonic(pattern, flags), "ignore_case": "i" in flags}


def _judge(node: Node, judges: Judges) -> JsonMapping | None:
    rubric = node.text("rubric", required=True, allow_empty=False)
    threshold = node.number("pass_threshold", minimum=1, maximum=SCALE)
    name = node.text("model", allow_empty=False)
    if rubric is None:
        return None
    least = PASS_THRESHOLD if threshold is None else threshold
    return {"rubric": rubric, "scale": SCALE, "min_score": least, "model": judges.add(name, node.place)}


def _code(node: Node) -> JsonMapping | None:
    language = node.text("language", required=True)
    if language is None:
        return None
    if language not in LANGUAGES:
        node.error(f"must be one of {', '.join(LANGUAGES)}, got {shown(language)}", key="language")
        return None
    options: dict[str, JsonValue] = {"language": language}
    test_code, expected = node.text("test_code"), node.text("expected_output")
    timeout_ms = node.number("timeout_ms", above=0)
    # An empty text asks for nothing, as in the tool's own example.
    options |= {"test_code": test_code} if test_code else {}
    options |= {"expected_output": expected} if expected else {}
    options |= {} if timeout_ms is None else {"timeout_ms": timeout_ms}
    isolation = node.text("isolation")
    if isolation is not None and isolation not in ISOLATIONS:
        node.error(f"must be one of {', '.join(ISOLATIONS)}, got {shown(isolation)}", key="isolation")
    options |= {} if isolation is None else {"isolation": isolation}
    return options
