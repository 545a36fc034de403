"""Contract checks for scorers, driven by scores that the author worked out by hand.

::

    SPEC = steelyard_register_scorers()[0]
    WANTED = [
        wanted("Paris", passed=True, case=make_case(expected="Paris")),
        wanted("Lyon", passed=False, value=0.0, case=make_case(expected="Paris")),
    ]

    @pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED))
    def test_it_keeps_the_contract(check):
        check()

At least one output must pass and one fail: a scorer that says the same to everything keeps every other promise.
"""

from __future__ import annotations

import dataclasses
import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..api import PluginContext, ScorerSpec
from ..errors import ProviderError, ScorerError
from .builders import make_benchmark, make_context
from .calling import close, within
from .checks import Check, named, require, spec_checks
from .racing import THREADS, race
from .scorer_trial import Trial, Wanted, copied

HOSTILE_TEXTS: Mapping[str, str] = {
    "nothing": "",
    "white space": " \n\t ",
    "half a surrogate pair": "a \ud835 b",
    "control characters": "\x00\x1b[2J\x1b]0;title\x07\u202e",
    "not a number": "NaN",
    "infinity": "1e999 -Infinity",
    "a number of 10,000 digits": "9" * 10_000,
    "brackets without end": "[" * 100_000,
    "objects without end": '{"a":' * 20_000,
    "quotes without end": '{"' * 20_000,
    "half a megabyte": "lorem ipsum 1,234.5 " * 25_000,
}
"""Outputs that models have given or could give, and that no scorer may stumble over."""

NONSENSE = ("", "I am sorry, I cannot do that.", '{"score": NaN}', "null", "[" * 100_000, '{"score": 5, "reaso')
"""Replies of a judge that decide nothing."""

TIME_LIMIT_S = 30.0
INLINE_S = 0.25
"""What a scorer may take that is called on the event loop."""
TRIES = 5
"""Of which one must be quick enough: the machine may be busy with something else."""
CLOSE = 1e-9
SLACK_CHARS = 200


def scorer_checks(
    spec: ScorerSpec[Any],
    wanted: Sequence[Wanted],
    *,
    settings: Any = None,
    context: PluginContext | None = None,
    nonsense: Sequence[str] = NONSENSE,
) -> list[Check]:
    """Make the checks of a scorer.

    Args:
        spec: What the plugin registers.
        wanted: Outputs with the verdicts they must get, at least one pass and one failure among them.
        settings: The scorer's settings; the defaults when ``None``.
        context: What it is created with; an empty one when ``None``.
        nonsense: For a scorer that asks models: replies that decide nothing, each of which must be an error.
    """
    trial = Trial(spec, settings, context or make_context())
    each = [
        Check(f"it gives the wanted verdict {number}: {item.short}", _verdict_check(trial, item))
        for number, item in enumerate(wanted, 1)
    ]
    shared = _Promises(trial, wanted, nonsense)
    return [*spec_checks(spec), *each, *named(shared.all())]


def _verdict_check(trial: Trial, item: Wanted) -> Callable[[], None]:
    def check() -> None:
        got = trial.judge(item)
        if item.passed is None:
            require(got.error.startswith(ScorerError.__name__), f"cannot be judged, but got {got}")
        else:
            require(not got.error, f"wanted {'a pass' if item.passed else 'a failure'}, got {got.error}")
            require(got.passed is item.passed, f"wanted {'a pass' if item.passed else 'a failure'}, got {got}")
            if item.value is not None and got.value is not None:
                require(abs(got.value - item.value) <= CLOSE, f"wanted the score {item.value}, got {got.value}")
        require(item.says in (got.error or got.reason), f"wanted to read {item.says!r} in {got.error or got.reason!r}")

    return check


class _Promises:
    """The promises that take all wanted verdicts together."""

    def __init__(self, trial: Trial, wanted: Sequence[Wanted], nonsense: Sequence[str]) -> None:
        self._trial = trial
        self._wanted = wanted
        self._nonsense = nonsense

    def all(self) -> list[Callable[[], None]]:
        return [
            self.the_wanted_verdicts_disagree,
            self.inline_means_a_plain_function,
            self.no_call_changes_the_next,
            self.the_case_stays_as_it_was,
            self.hostile_outputs_are_judged_or_refused,
            self.threads_do_not_disturb_each_other,
            self.nonsense_from_a_judge_is_an_error,
            self.a_model_that_fails_is_no_verdict,
            self.check_finds_nothing_wrong_with_good_cases,
            self.the_announced_questions_are_the_asked_ones,
            self.closing_raises_nothing,
        ]

    def the_wanted_verdicts_disagree(self) -> None:
        verdicts = {item.passed for item in self._wanted}
        require({True, False} <= verdicts, "give at least one output that passes and one that fails")

    def inline_means_a_plain_function(self) -> None:
        if not self._trial.spec.inline:
            return
        for item in self._wanted:
            scorer = self._trial.create(item)
            require(not inspect.iscoroutinefunction(scorer.score), "inline is for plain functions")
            quick = any(self._seconds(item, scorer) <= INLINE_S for _try in range(TRIES))
            slow = f"{item.short}: score takes over {INLINE_S:g} s, in which no other call goes on; leave inline out"
            require(quick, slow)

    def _seconds(self, item: Wanted, scorer: Any) -> float:
        started = time.perf_counter()
        self._trial.judge(item, scorer)
        return time.perf_counter() - started

    def closing_raises_nothing(self) -> None:
        for item in self._wanted:
            scorer = self._trial.create(item)
            self._trial.judge(item, scorer)
            try:
                close(scorer)
            except Exception as error:
                raise AssertionError(f"close raised {type(error).__name__}: {error}") from error

    def no_call_changes_the_next(self) -> None:
        fresh = [self._trial.judge(item) for item in self._wanted]
        scorers = self._trial.scorers(self._wanted)
        pairs = list(zip(self._wanted, scorers, fresh, strict=True))
        for item, scorer, first in [*pairs, *reversed(pairs), *(pair for pair in pairs for _twice in range(2))]:
            again = self._trial.judge(item, scorer)
            require(again == first, f"{item.short}: {first} on a new scorer, {again} on a used one")

    def the_case_stays_as_it_was(self) -> None:
        for item in self._wanted:
            case, before = copied(item.case), copied(item.case)
            self._trial.judge(item, case=case)
            require(case == before, f"{item.short}: score() changed what it was given")

    def hostile_outputs_are_judged_or_refused(self) -> None:
        for what, text in HOSTILE_TEXTS.items():
            output = dataclasses.replace(self._wanted[0].output, text=text)
            item = dataclasses.replace(self._wanted[0], output=output)
            try:
                within(TIME_LIMIT_S, partial(self._trial.judge, item))
            except Exception as error:
                raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error

    def threads_do_not_disturb_each_other(self) -> None:
        started = time.perf_counter()
        first = [self._trial.judge(item) for item in self._wanted]
        took = time.perf_counter() - started
        rounds = max(1, min(30, int(2.0 / max(took * THREADS, 1e-6))))
        scorers = self._trial.scorers(self._wanted)
        wrong: list[str] = []

        def judge_all(offset: int) -> None:
            for turn in range(rounds * len(self._wanted)):
                at = (turn + offset) % len(self._wanted)
                got = self._trial.judge(self._wanted[at], scorers[at])
                if got != first[at]:
                    wrong.append(f"{self._wanted[at].short}: {first[at]} alone, {got} among {THREADS} threads")

        race(judge_all)
        require(not wrong, "".join(wrong[:1]))

    def nonsense_from_a_judge_is_an_error(self) -> None:
        for item in self._asking():
            for reply in self._nonsense:
                got = self._trial.judge(dataclasses.replace(item, replies=reply))
                require(got.error.startswith(ScorerError.__name__), f"the reply {reply[:60]!r} became {got}")

    def a_model_that_fails_is_no_verdict(self) -> None:
        for item in self._asking():
            got = self._trial.judge(dataclasses.replace(item, replies=ProviderError("the model is down")))
            require(got.error.startswith(ProviderError.__name__), f"let ProviderError pass; it became {got}")

    def check_finds_nothing_wrong_with_good_cases(self) -> None:
        for item in self._wanted:
            check = getattr(self._trial.create(item), "check", None)
            if check is None or item.passed is None:
                continue
            for problem in check(make_benchmark([item.case]), item.case):
                require(problem.severity != "error", f"{item.short} can be judged, but check() says {problem}")
                require(not problem.place, f"leave the place of {problem} to the host")

    def the_announced_questions_are_the_asked_ones(self) -> None:
        for item in self._wanted:
            scorer = self._trial.create(item)
            asked = self._trial.questions(item, scorer)
            asks = getattr(scorer, "asks", None)
            require(asks or not asked, "the scorer asks models: give it asks(), or estimates leave them out")
            if asks is None or item.passed is None:
                continue
            planned = list(asks(make_benchmark([item.case]), item.case, item.output.messages))
            announced, real_models = sorted(ask.model for ask in planned), sorted(request.model for request in asked)
            require(announced == real_models, f"announced questions to {announced}, asked {real_models}")
            chars = sum(ask.prompt_chars + ask.includes_output * len(item.output.text) for ask in planned)
            real = sum(len(message.content) for request in asked for message in request.messages)
            require(abs(chars - real) <= SLACK_CHARS, f"announced {chars} characters, asked {real}")

    def _asking(self) -> list[Wanted]:
        """Return the first item for which the scorer asks a model; none for a scorer that asks nobody."""
        return [item for item in self._wanted if self._trial.questions(item, self._trial.create(item))][:1]
