"""The kit finds what is wrong with a scorer: for each fault a scorer that has it, and the check that says so."""

from __future__ import annotations

import random
import sys
import threading
import time
from dataclasses import dataclass, replace

import pytest

from steelyard.api import NoSettings, Parameters, PlannedAsk, Problem, Score, ScorerSpec, option
from steelyard.errors import ScorerError
from steelyard.testing import FakeAsk, make_case, scorer_checks, wanted

CASE = make_case(expected="yes", variables={"list": [1]}, metadata={"owner": "x"})


class Right:
    """Does nothing wrong: the output must be what is expected."""

    def score(self, case, output, ask):
        passed = output.text == case.expected
        return Score(value=float(passed), passed=passed, reason="equal" if passed else "not equal")


WANTED = [wanted("yes", passed=True, value=1.0, case=CASE), wanted("no", passed=False, value=0.0, case=CASE)]


def spec_of(scorer, **fields):
    defaults = {"name": "one", "summary": "One", "settings": NoSettings, "create": lambda _settings, _context: scorer()}
    return ScorerSpec(**{**defaults, **fields})


def broken(spec, items=WANTED, **options):
    """The names of the promises that a scorer breaks."""
    found = []
    for check in scorer_checks(spec, items, **options):
        try:
            check()
        except AssertionError:
            found.append(str(check))
    return found


def test_a_right_scorer_breaks_no_promise():
    assert broken(spec_of(Right)) == []
    assert broken(spec_of(Right, inline=True)) == []


class Miscounts(Right):
    def score(self, case, output, ask):
        return replace(super().score(case, output, ask), value=0.5)


class Upside(Right):
    def score(self, case, output, ask):
        score = super().score(case, output, ask)
        return replace(score, passed=not score.passed)


class AlwaysPasses:
    def score(self, case, output, ask):
        return Score(value=1.0, passed=True, reason="fine")


class NaN(Right):
    def score(self, case, output, ask):
        return replace(super().score(case, output, ask), value=float("nan"))


class OutOfRange(Right):
    def score(self, case, output, ask):
        return replace(super().score(case, output, ask), value=100.0)


class NoReason(Right):
    def score(self, case, output, ask):
        return replace(super().score(case, output, ask), reason=" ")


class LongReason(Right):
    def score(self, case, output, ask):
        return replace(super().score(case, output, ask), reason="one\ntwo")


class NoScore:
    def score(self, case, output, ask):
        return output.text == case.expected


class NumberAsVerdict(Right):
    def score(self, case, output, ask):
        return replace(super().score(case, output, ask), passed=1)


class DetailsThatNobodyCanStore(Right):
    def score(self, case, output, ask):
        return replace(super().score(case, output, ask), details={"a": float("inf")})


EVERYTHING = "it gives the wanted verdict 1: 'yes'"


@pytest.mark.parametrize(
    ("scorer", "promise"),
    [
        (Miscounts, EVERYTHING),
        (Upside, EVERYTHING),
        (AlwaysPasses, "it gives the wanted verdict 2: 'no'"),
        (NaN, EVERYTHING),
        (OutOfRange, EVERYTHING),
        (NoReason, EVERYTHING),
        (LongReason, EVERYTHING),
        (NoScore, EVERYTHING),
        (NumberAsVerdict, EVERYTHING),
        (DetailsThatNobodyCanStore, EVERYTHING),
    ],
)
def test_a_wrong_verdict_is_found(scorer, promise):
    assert promise in broken(spec_of(scorer))


@pytest.mark.parametrize("only", [WANTED[:1], WANTED[1:]])
def test_wanted_verdicts_that_all_agree_are_no_proof(only):
    assert "the wanted verdicts disagree" in broken(spec_of(Right), only)


class Remembers(Right):
    """Judges the first output, and gives everybody else its verdict."""

    def __init__(self):
        self._first = None

    def score(self, case, output, ask):
        self._first = self._first or super().score(case, output, ask)
        return self._first


class RemembersByCase(Right):
    def __init__(self):
        self._scores = {}

    def score(self, case, output, ask):
        if case.id not in self._scores:
            self._scores[case.id] = super().score(case, output, ask)
        return self._scores[case.id]


class Tires(Right):
    """Counts its calls, and fails everything from the fourth on."""

    def __init__(self):
        self._calls = 0

    def score(self, case, output, ask):
        self._calls += 1
        score = super().score(case, output, ask)
        return score if self._calls < 4 else replace(score, value=0.0, passed=False)


@pytest.mark.parametrize("scorer", [Remembers, RemembersByCase, Tires])
def test_state_between_calls_is_found(scorer):
    assert "no call changes the next" in broken(spec_of(scorer))


class Shares(Right):
    """Keeps the output on itself while it judges."""

    def score(self, case, output, ask):
        self._text = output.text
        time.sleep(0)
        passed = self._text == case.expected
        return Score(value=float(passed), passed=passed, reason="equal" if passed else "not equal")


def test_state_between_threads_is_found():
    assert "threads do not disturb each other" in broken(spec_of(Shares))


class ChangesTheVariables(Right):
    def score(self, case, output, ask):
        case.variables["list"].append(2)
        return super().score(case, output, ask)


class ChangesTheMetadata(Right):
    def score(self, case, output, ask):
        case.metadata.clear()
        return super().score(case, output, ask)


@pytest.mark.parametrize("scorer", [ChangesTheVariables, ChangesTheMetadata])
def test_a_changed_case_is_found(scorer):
    assert "the case stays as it was" in broken(spec_of(scorer))


class Stumbles(Right):
    """Breaks on what it has not foreseen."""

    def __init__(self, what):
        self._what = what

    def score(self, case, output, ask):
        self._what(output.text)
        return super().score(case, output, ask)


@pytest.mark.parametrize(
    "what",
    [
        lambda text: text[0],
        lambda text: text.encode(),
        lambda text: int(text) if text.isdigit() else None,
        lambda text: eval(text, {}) if text.startswith("[") else None,
        lambda text: sys.exit(0) if "\x1b" in text else None,
    ],
    ids=["empty", "surrogate", "huge number", "nesting", "exit"],
)
def test_stumbling_over_a_hostile_output_is_found(what):
    assert "hostile outputs are judged or refused" in broken(spec_of(lambda: Stumbles(what)))


def test_a_scorer_that_does_not_end_is_found(monkeypatch):
    stop = threading.Event()
    monkeypatch.setattr("steelyard.testing.scorer_contract.TIME_LIMIT_S", 0.2)
    hangs = spec_of(lambda: Stumbles(lambda text: stop.wait(60) if not text else None))

    try:
        assert "hostile outputs are judged or refused" in broken(hangs)
    finally:
        stop.set()


def test_chance_is_found():
    class Guesses(Right):
        def __init__(self):
            self._random = random.Random(0)

        def score(self, case, output, ask):
            passed = self._random.random() < 0.5
            return Score(value=float(passed), passed=passed, reason="a guess")

    assert broken(spec_of(Guesses)) != []


class Judge:
    """Asks a model and does everything right."""

    model = "vendor/judge"

    async def score(self, case, output, ask):
        reply = await ask.complete(model=self.model, messages=output.messages, parameters=Parameters(max_tokens=9))
        return self.verdict(reply.text)

    def verdict(self, reply):
        if reply not in ("good", "bad"):
            raise ScorerError(f"the judge said {reply[:20]!r}")
        return Score(value=float(reply == "good"), passed=reply == "good", reason=reply)

    def asks(self, benchmark, case, messages):
        chars = sum(len(message.content) for message in messages)
        return [PlannedAsk(model=self.model, prompt_chars=chars, max_tokens=9, includes_output=False)]


JUDGED = [wanted("a", passed=True, replies="good"), wanted("b", passed=False, replies="bad")]


def test_a_right_judge_breaks_no_promise():
    assert broken(spec_of(Judge), JUDGED) == []


class ZeroForNonsense(Judge):
    def verdict(self, reply):
        return Score(value=float(reply == "good"), passed=reply == "good", reason="unreadable is bad")


class SwallowsFailures(Judge):
    async def score(self, case, output, ask):
        try:
            return await super().score(case, output, ask)
        except Exception as error:
            raise ScorerError(f"no verdict: {error}") from error


class SaysNothingOfItsQuestions(Judge):
    asks = None


class AnnouncesAnotherModel(Judge):
    def asks(self, benchmark, case, messages):
        return [replace(ask, model="cheap/model") for ask in super().asks(benchmark, case, messages)]


class AnnouncesTooLittle(Judge):
    def asks(self, benchmark, case, messages):
        return [replace(ask, prompt_chars=5000) for ask in super().asks(benchmark, case, messages)]


@pytest.mark.parametrize(
    ("scorer", "promise"),
    [
        (ZeroForNonsense, "nonsense from a judge is an error"),
        (SwallowsFailures, "a model that fails is no verdict"),
        (SaysNothingOfItsQuestions, "the announced questions are the asked ones"),
        (AnnouncesAnotherModel, "the announced questions are the asked ones"),
        (AnnouncesTooLittle, "the announced questions are the asked ones"),
    ],
)
def test_a_wrong_judge_is_found(scorer, promise):
    assert promise in broken(spec_of(scorer), JUDGED)


def test_an_async_scorer_that_says_inline_is_found():
    assert "inline means a plain function" in broken(spec_of(Judge, inline=True), JUDGED)


def test_a_check_that_refuses_good_cases_is_found():
    class Refuses(Right):
        def check(self, benchmark, case):
            return [Problem(message="no")]

    assert "check finds nothing wrong with good cases" in broken(spec_of(Refuses))


def test_what_cannot_be_judged_must_be_an_error_and_not_a_zero():
    items = [*WANTED, wanted("yes", passed=None, case=make_case())]

    assert broken(spec_of(Right), items) == ["it gives the wanted verdict 3: 'yes'"]


def test_an_error_for_what_can_be_judged_is_found():
    class Refuses:
        def score(self, case, output, ask):
            raise ScorerError("I would rather not")

    assert EVERYTHING in broken(spec_of(Refuses))


@dataclass(kw_only=True)
class LooseSettings:
    undocumented: int = 3


@dataclass(frozen=True, kw_only=True)
class Settings:
    limit: int = option(3, doc="A limit")


@pytest.mark.parametrize(
    ("fields", "promise"),
    [
        ({"name": "Two Words"}, "the name can be written in a file"),
        ({"summary": ""}, "the summary is one line"),
        ({"summary": "It passes."}, "the summary is one line"),
        ({"settings": LooseSettings}, "the settings are a frozen dataclass"),
        ({"settings": LooseSettings}, "every option is documented"),
        ({"settings": dict}, "the settings are a frozen dataclass"),
    ],
)
def test_a_wrong_spec_is_found(fields, promise):
    found = []
    for check in scorer_checks(spec_of(Right, **fields), WANTED)[:4]:
        try:
            check()
        except (AssertionError, TypeError):
            found.append(str(check))

    assert promise in found


def test_settings_may_differ_from_output_to_output():
    class Longest:
        def __init__(self, settings):
            self._limit = settings.limit

        def score(self, case, output, ask):
            passed = len(output.text) <= self._limit
            return Score(value=float(passed), passed=passed, reason=f"{len(output.text)} of {self._limit}")

    spec = spec_of(None, settings=Settings, create=lambda settings, _context: Longest(settings))
    items = [
        wanted("abc", passed=True),
        wanted("abcd", passed=False, says="4 of 3"),
        wanted("abcd", passed=True, settings=Settings(limit=4)),
    ]

    assert broken(spec, items) == []


def test_a_message_says_what_was_wanted_and_what_came():
    checks = {str(check): check for check in scorer_checks(spec_of(Upside), WANTED)}

    with pytest.raises(AssertionError, match=r"wanted a pass, got Outcome\(.*passed=False"):
        checks[EVERYTHING]()


def test_a_crash_of_the_scorer_is_a_broken_promise_with_its_cause():
    class Crashes:
        def score(self, case, output, ask):
            return 1 / 0

    checks = {str(check): check for check in scorer_checks(spec_of(Crashes), WANTED)}

    with pytest.raises(AssertionError, match=r"score\(\) raised ZeroDivisionError") as caught:
        checks[EVERYTHING]()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_fake_model_that_is_asked_too_often_says_so():
    ask = FakeAsk(["only"])
    ask.complete_blocking(model="m", messages=())

    with pytest.raises(AssertionError, match="call 2 came, which the script does not foresee"):
        ask.complete_blocking(model="m", messages=())


class CannotBeClosed(Right):
    def close(self):
        raise RuntimeError("it is gone already")


class Sleeps(Right):
    def score(self, case, output, ask):
        time.sleep(0.02)
        return super().score(case, output, ask)


def test_a_scorer_that_cannot_be_closed_is_found():
    assert broken(spec_of(CannotBeClosed)) == ["closing raises nothing"]


def test_a_slow_scorer_is_found_where_it_would_hold_up_every_other_call(monkeypatch):
    monkeypatch.setattr("steelyard.testing.scorer_contract.INLINE_S", 0.01)

    assert "inline means a plain function" in broken(spec_of(Sleeps, inline=True))
    assert "inline means a plain function" not in broken(spec_of(Sleeps))
