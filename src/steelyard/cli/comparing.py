"""Two runs side by side, for every command that compares: find them, print them, and decide the exit code."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ..errors import UsageError
from ..text import one_line
from .comparison_output import as_json, print_as_markdown, print_as_text
from .comparison_words import renamed
from .exit_codes import FAILED, PASSED
from .forms import Form
from .invocation import Invocation
from .json_output import print_json
from .output import print_error, print_line, print_note, print_warning
from .regression import Rules, Ruling, judge

if TYPE_CHECKING:
    from ..api import RunRecord
    from ..session import Comparison, Session


_HARDLY_A_DROP: Final = 0.5
"""Points below which somebody may have meant a share, as other tools take it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How a comparison is to be shown and judged."""

    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    detailed: bool = False
    form: Form = Form.TEXT
    rules: Rules = field(default_factory=Rules)
    brief: bool = False
    """Show what the rules say alone, and leave standard output to others."""


def show_comparison(
    session: Session, before: RunRecord, after: RunRecord, wishes: Wishes, invocation: Invocation
) -> int:
    """Print a comparison and return the exit code."""
    comparison = _part(session.compare(before, after), wishes)
    for line in (*_differences(comparison), *renamed(comparison)):
        print_warning(line, color=invocation.color)
    if wishes.brief:
        pass
    elif wishes.form is Form.JSON:
        print_json(as_json(comparison))
    elif wishes.form is Form.MARKDOWN:
        print_as_markdown(comparison, detailed=wishes.detailed)
    else:
        print_as_text(comparison, detailed=wishes.detailed, color=invocation.color)
    if not wishes.rules.any:
        return PASSED
    return _ruled(comparison, wishes, invocation, scores_count=session.gates_scores(after))


def _part(comparison: Comparison, wishes: Wishes) -> Comparison:
    combos = [
        *((one.model, one.prompt_id) for one in comparison.combos),
        *comparison.only_before,
        *comparison.only_after,
    ]
    known = {"model": {model for model, _ in combos}, "prompt": {prompt for _, prompt in combos}}
    for kind, wanted in (("model", wishes.models), ("prompt", wishes.prompts)):
        for name in wanted:
            if name not in known[kind]:
                names = ", ".join(sorted(known[kind])) or "none"
                raise UsageError(f"no {kind} {name!r} in either run; {kind}s there: {names}")
    return comparison.only(wishes.models, wishes.prompts)


def _differences(comparison: Comparison) -> list[str]:
    """Say what makes the two runs unlike each other besides their results."""
    before, after = comparison.before, comparison.after
    pairs = (
        ("benchmarks", before.benchmark, after.benchmark),
        ("judges", before.judge_model, after.judge_model),
        ("numbers of repeats", before.repeat, after.repeat),
    )
    return [f"the runs are of different {what}: {one!r} and {other!r}" for what, one, other in pairs if one != other]


def _but(ruling: Ruling) -> str:
    """Say what a build that passes was not asked about."""
    return f" in what was compared; not compared: {'; '.join(ruling.aside)}" if ruling.aside else ""


def _ruled(comparison: Comparison, wishes: Wishes, invocation: Invocation, *, scores_count: bool) -> int:
    ruling = judge(comparison, wishes.rules.of(scores=scores_count))
    for line in ruling.warnings:
        print_warning(line, color=invocation.color)
    if ruling.problem:
        print_error(ruling.problem, color=invocation.color)
    # A program that reads the comparison gets nothing else to read.
    tell = print_note if wishes.brief or wishes.form is Form.JSON else print_line
    for line in ruling.regressions or (["no regression" + _but(ruling)] if ruling.passed else []):
        tell(one_line(f"{'OK' if ruling.passed else 'REGRESSION'}: {line}"))
    points = float(wishes.rules.points or 0)
    if ruling.regressions and 0 < points < _HARDLY_A_DROP:
        print_note(f"what is allowed is in points, and {points:g} is hardly any; for a share write {100 * points:g}")
    return PASSED if ruling.passed else FAILED
