"""What only shows when prompts, cases and settings are seen together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from steelyard.api import Case, JsonMapping, Node, is_sequence

from .prompts import FoundPrompt, NativePrompt, lacking, starts_itself

SHORT_BUDGET = 200
"""With fewer output tokens than this, an answer that a judge reads is probably cut off."""

_OUTPUT = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_CHOICE = re.compile(r"\b(?:if|or|and|not|is|default|d)\b|[=<>]")
"""What an output has that asks what a value is rather than write it."""


def check_variables(prompts: Iterable[FoundPrompt], cases: Sequence[Case], shared: JsonMapping) -> None:
    """Report every variable that a template reads and a case does not give, once per prompt and variable."""
    for found in prompts:
        if found.prompt is None:
            continue
        for key, template in (("template", found.prompt.template), ("system", found.prompt.system)):
            needed = frozenset() if template is None else template.needed - shared.keys()
            if needed:
                asked = cases if key == "system" else [case for case in cases if not starts_itself(case)]
                _report_lacking(found, key, _lacking(needed, asked))


def renderable(prompts: Iterable[FoundPrompt], cases: Sequence[Case] | None) -> tuple[NativePrompt, ...]:
    """Return the prompts that can be rendered, after reporting those that lack a template.

    None is lacking where every case begins with a turn of its own. ``cases`` is ``None`` when they are not known yet.
    """
    needs_template = not cases or not all(starts_itself(case) for case in cases)
    usable = []
    for found in prompts:
        if needs_template and found.node.get("template") is None:
            found.node.error("'template' is required", at_key=True)
        elif found.prompt is not None:
            usable.append(found.prompt)
    return tuple(usable)


def check_values(node: Node, written: Collection[str]) -> None:
    """Warn about variables that a template writes otherwise than the file does: yes, 0123, 1.10, null.

    ``written`` are the names that templates write out: a lone true is right in a condition.
    """
    if not isinstance(node.value, Mapping):
        return
    for name, value in node.value.items():
        if type(value) is str:
            continue
        if isinstance(value, bool) and name in written:
            hint = "quote it if it is a word"
            node.warning(f"is {str(value).lower()}, which a template writes as {str(value)!r}", hint, key=name)
        elif (value is None or isinstance(value, int | float)) and name in written:
            _check_spelling(node.child(name))
        elif is_sequence(value):
            found = next((element for element in value if isinstance(element, bool)), None)
            if found is not None:
                hint = "quote the elements if they are words such as yes and no"
                node.warning(f"holds true or false, which a template writes as {str(found)!r}", hint, key=name)


def check_words(node: Node) -> None:
    """Warn about yes, no, on and off in what is sent as it stands: YAML makes true and false of them."""
    if isinstance(node.value, bool):
        said = node.written()
        if said is not None and said.lower() not in ("true", "false"):
            sent = str(node.value).lower()
            node.warning(f"is {said}, which is sent as {sent}", f'write {sent}, or quote it if it is a word: "{said}"')
    for entry in node.entries():
        check_words(entry)


def _check_spelling(node: Node) -> None:
    said, text = node.written(), str(node.value)
    if node.value is None:
        node.warning(f"is {said or 'empty'}, which a template writes as {text!r}", 'write "" for nothing')
    elif said is not None and said != text:
        node.warning(f"is {said}, which a template writes as {text!r}", f'quote it if it is text: "{said}"')


def check_case_values(cases: Node, written: Collection[str]) -> None:
    """Do the same for the variables of every case of a list."""
    if not is_sequence(cases.value):
        return
    for index, case in enumerate(cases.value):
        variables = case.get("variables") if isinstance(case, Mapping) else None
        if isinstance(variables, Mapping) and not all(type(value) is str for value in variables.values()):
            check_values(cases.child(index).child("variables"), written)


def check_budget(inference: Node | None, max_tokens: int | None, used: Collection[str] | None) -> None:
    """Warn about an output budget that is short for answers that a judge reads."""
    if inference is not None and max_tokens is not None and max_tokens < SHORT_BUDGET and used and "llm_judge" in used:
        hint = f"give at least {SHORT_BUDGET}, or the answers that are judged may be cut off"
        inference.warning(f"{max_tokens} tokens are few for cases with llm_judge", hint, key="max_tokens")


def _lacking(needed: frozenset[str], cases: Iterable[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        if not needed <= case.variables.keys():
            for name in sorted(needed - case.variables.keys()):
                found.setdefault(name, []).append(case)
    return found


def _report_lacking(prompt: FoundPrompt, key: str, lacked: Mapping[str, Sequence[Case]]) -> None:
    for name, cases in lacked.items():
        more = f" and {len(cases) - 1} more" if len(cases) > 1 else ""
        said, _, hint = lacking(name, cases[0]).partition("; ")
        prompt.node.error(f"prompt {prompt.id!r}, case {cases[0].id!r}{more}: {said}", hint, key=key)


def names_written(prompts: Iterable[FoundPrompt]) -> frozenset[str]:
    """Return the names that templates write out, other than to decide something."""
    texts = (found.node.child(key).value for found in prompts for key in ("template", "system"))
    outputs = (output for text in texts if isinstance(text, str) for output in _OUTPUT.findall(text))
    return frozenset(name for output in outputs if not _CHOICE.search(output) for name in _NAME.findall(output))
