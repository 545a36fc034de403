"""One judgement of a scorer under test: what it is given, what must come of it, and what did."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..api import Case, JsonValue, Output, PluginContext, Request, Score, ScorerSpec, is_sequence
from ..errors import ProviderError, ScorerError
from .builders import make_case, make_output
from .calling import settled
from .checks import require
from .fakes import FakeAsk, Script

LONGEST_REASON = 2000
LONGEST_NAME = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """An output and the verdict it must get."""

    output: Output
    case: Case
    passed: bool | None
    """``None`` when the output cannot be judged: the scorer must raise ``ScorerError``."""
    value: float | None = None
    """The score, to nine decimals; ``None`` when it does not matter."""
    says: str = ""
    """What the reason, or the error's message, must hold."""
    settings: Any = None
    """Settings for this one; ``None`` for those of the whole list."""
    replies: Script = ()
    """What models answer when the scorer asks them."""

    @property
    def short(self) -> str:
        """The output, cut to the width of a test's name."""
        text = self.output.text
        return repr(text if len(text) <= LONGEST_NAME else text[: LONGEST_NAME - 1] + "…")


def wanted(
    output: str | Output,
    *,
    passed: bool | None,
    value: float | None = None,
    says: str = "",
    case: Case | None = None,
    settings: Any = None,
    replies: Script = (),
) -> Wanted:
    """State the verdict that an output must get. ``passed=None`` means that it cannot be judged."""
    return Wanted(
        output=make_output(output) if isinstance(output, str) else output,
        case=case or make_case(),
        passed=passed,
        value=value,
        says=says,
        settings=settings,
        replies=replies,
    )


class Outcome(NamedTuple):
    """What became of one judgement, in a form that can be compared."""

    error: str
    """The kind of the error and its message; empty when there was none."""
    passed: bool | None = None
    value: float | None = None
    reason: str = ""
    details: str = ""


class Trial:
    """Creates the scorer and lets it judge."""

    def __init__(self, spec: ScorerSpec[Any], settings: Any, context: PluginContext) -> None:
        self.spec = spec
        self._settings = settings
        self._context = context

    def create(self, item: Wanted) -> Any:
        """Create the scorer with the settings of an item."""
        settings = item.settings if item.settings is not None else self._settings
        return self.spec.create(self.spec.settings() if settings is None else settings, self._context)

    def judge(self, item: Wanted, scorer: Any = None, case: Case | None = None) -> Outcome:
        """Judge on this thread, and turn what comes of it into an outcome.

        The scorer gets a copy of the item's case, or ``case`` itself.
        """
        scorer, ask = scorer or self.create(item), FakeAsk(item.replies)
        try:
            return outcome_of(settled(scorer.score, case or copied(item.case), item.output, ask))
        except (ScorerError, ProviderError) as error:
            return Outcome(error=f"{type(error).__name__}: {error}")
        except AssertionError:
            raise
        except (Exception, SystemExit) as error:
            raise AssertionError(f"score() raised {error!r}; raise ScorerError for what cannot be judged") from error

    def scorers(self, items: Sequence[Wanted]) -> list[Any]:
        """Return a scorer for each item, one and the same for the same settings, as the host does."""
        made: list[tuple[Any, Any]] = []
        for item in items:
            if not any(settings == item.settings for settings, _scorer in made):
                made.append((item.settings, self.create(item)))
        return [next(scorer for settings, scorer in made if settings == item.settings) for item in items]

    def questions(self, item: Wanted, scorer: Any) -> Sequence[Request]:
        """Return what the scorer asks models when it judges an item."""
        ask = FakeAsk(item.replies)
        with suppress(ScorerError, ProviderError):
            settled(scorer.score, copied(item.case), item.output, ask)
        return ask.questions


def outcome_of(score: Any) -> Outcome:
    """Return a score as an outcome, after checking everything that holds for every score."""
    require(isinstance(score, Score), f"score() returned {score!r}, not a Score")
    require(isinstance(score.passed, bool), f"passed is {score.passed!r}, not True or False")
    require(isinstance(score.value, (int, float)), f"the score is {score.value!r}, not a number")
    require(not isinstance(score.value, bool), f"the score is {score.value!r}, not a number")
    require(math.isfinite(score.value), f"the score is {score.value!r}")
    require(0 <= score.value <= 1, f"the score {score.value!r} is not between 0 and 1")
    require(isinstance(score.reason, str), f"the reason is {score.reason!r}, not text")
    require(score.reason.strip(), "the reason is empty: a person must be able to see why")
    require("\n" not in score.reason, f"the reason has several lines: {score.reason!r}")
    require(len(score.reason) <= LONGEST_REASON, f"the reason has {len(score.reason)} characters")
    try:
        details = json.dumps(plain(score.details), allow_nan=False, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise AssertionError(f"the details cannot be stored as JSON: {error}") from error
    return Outcome(error="", passed=score.passed, value=float(score.value), reason=score.reason, details=details)


def copied(case: Case) -> Case:
    """Return a case whose insides can be changed, so that a scorer that changes them is found out."""
    return dataclasses.replace(
        case,
        variables=plain(case.variables),
        metadata=plain(case.metadata),
        expected=plain(case.expected),
        input=plain(case.input),
    )


def plain(value: JsonValue) -> Any:
    """Return mappings and sequences of any kind as dictionaries and lists."""
    if isinstance(value, Mapping):
        return {key: plain(inside) for key, inside in value.items()}
    if is_sequence(value):
        return [plain(inside) for inside in value]
    return value
