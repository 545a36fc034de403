"""The kit finds what is wrong with a format: for each fault a format that has it, and the check that says so."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest

from steelyard.api import Benchmark, Case, FormatSpec, ModelUse, ScorerUse, is_sequence
from steelyard.testing import FixedPrompt, format_checks
from steelyard.testing.fakes import ScriptedProvider
from steelyard.testing.sessions import FAKE_PROVIDER, FAKE_SCORER


class Scorer:
    def score(self, case, output, ask):
        raise NotImplementedError


class Right:
    """Reads ``{"quiz": "name", "questions": ["…", …]}``."""

    def recognises(self, document):
        return "quiz" in document

    def read(self, document, path):
        document.check_keys({"quiz", "questions"})
        name = document.text("quiz", required=True, allow_empty=False)
        questions = self.questions(document.child("questions"))
        if name is None or not questions:
            document.error("'questions' must hold at least one question", key="questions")
            return None
        return self.benchmark(name, questions)

    def questions(self, node):
        if not node.is_list():
            return []
        return [
            Case(
                id=f"q{index}",
                variables={"question": entry.value},
                scorers=(ScorerUse(type=FAKE_SCORER),),
                place=entry.place,
            )
            for index, entry in enumerate(node.entries())
            if self.is_text(entry)
        ]

    def is_text(self, entry):
        if isinstance(entry.value, str) and entry.value:
            return True
        entry.error("must be a question")
        return False

    def benchmark(self, name, questions):
        return Benchmark(
            name=name,
            models=(ModelUse(id="m", model=f"{FAKE_PROVIDER}:m"),),
            prompts=(FixedPrompt(),),
            cases=tuple(questions),
        )


GOOD = {"a quiz": {"quiz": "capitals", "questions": ["France?", "Italy?"]}}
BAD = {"no question": ({"quiz": "capitals", "questions": []}, "at least one question")}


def checks_of(suite):
    spec = FormatSpec(name="quiz", summary="Quizzes", create=lambda _tools: suite())
    return format_checks(spec, GOOD, BAD, needs=[ScriptedProvider(), Scorer()])


def breaks(suite, promise):
    """Whether a format breaks a promise."""
    (check,) = [check for check in checks_of(suite) if str(check) == promise]
    try:
        check()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("check", checks_of(Right))
def test_a_right_format_breaks_no_promise(check):
    check()


class TakesAnything(Right):
    def recognises(self, document):
        return True


class KnowsNothing(Right):
    def recognises(self, document):
        return False


class Trusts(Right):
    """Believes that every question is text."""

    def is_text(self, entry):
        return bool(entry.value.strip())


class TrustsTheList(Right):
    def questions(self, node):
        return super().questions(node) if is_sequence(node.value) or node.value["x"] else []


class Accepts(Right):
    def read(self, document, path):
        return self.benchmark(str(document.child("quiz").value), [Case(id="q", scorers=(ScorerUse(type=FAKE_SCORER),))])


class ReadsOnce(Right):
    def benchmark(self, name, questions):
        benchmark = super().benchmark(name, questions)
        numbers = itertools.count()

        class Numbered:
            def __iter__(self):
                yield from (
                    Case(id=f"{next(numbers)}", variables={"question": "?"}, scorers=case.scorers) for case in questions
                )

        return type(benchmark)(name=name, models=benchmark.models, prompts=benchmark.prompts, cases=Numbered())


class RepeatsAPrompt(Right):
    def benchmark(self, name, questions):
        benchmark = super().benchmark(name, questions)
        return type(benchmark)(name=name, models=benchmark.models, prompts=benchmark.prompts * 2, cases=benchmark.cases)


class UsesWhatIsNotThere(Right):
    def benchmark(self, name, questions):
        benchmark = super().benchmark(name, questions)
        return type(benchmark)(
            name=name,
            models=(ModelUse(id="m", model="nobody/m"),),
            prompts=(FixedPrompt(text="{{ x }}"),),
            cases=benchmark.cases,
        )


class HidesThePlace(Right):
    def read(self, document, path):
        from dataclasses import replace

        report = document.report
        return super().read(replace(document, report=lambda problem: report(replace(problem, place=""))), path)


@pytest.mark.parametrize(
    ("suite", "promise"),
    [
        (TakesAnything, "it recognises its own documents and no others"),
        (KnowsNothing, "it recognises its own documents and no others"),
        (Trusts, "a misfit is a problem with a place and no crash"),
        (TrustsTheList, "a misfit is a problem with a place and no crash"),
        (Accepts, "it refuses no question"),
        (ReadsOnce, "it reads a quiz"),
        (RepeatsAPrompt, "it reads a quiz"),
        (UsesWhatIsNotThere, "it reads a quiz"),
        (HidesThePlace, "a misfit is a problem with a place and no crash"),
    ],
)
def test_a_wrong_format_is_found(suite, promise):
    assert breaks(suite, promise)


class PassesOverUnknownKeys(Right):
    def read(self, document, path):
        known = {key: value for key, value in document.value.items() if key in ("quiz", "questions")}
        return super().read(replace(document, value=known), path)


def test_a_key_that_nobody_knows_must_be_reported():
    assert breaks(PassesOverUnknownKeys, "an unknown key at the top is reported")


def test_a_closer_look_finds_what_only_the_author_knows():
    def look(benchmark):
        assert [case.variables["question"] for case in benchmark.cases] == ["France?", "Italy?"]

    class Swaps(Right):
        def questions(self, node):
            return super().questions(node)[::-1]

    def check_of(suite):
        spec = FormatSpec(name="quiz", summary="Quizzes", create=lambda _tools: suite())
        checks = format_checks(spec, GOOD, BAD, needs=[ScriptedProvider(), Scorer()], looks={"a quiz": look})
        return next(check for check in checks if str(check) == "it reads a quiz")

    check_of(Right)()
    with pytest.raises(AssertionError):
        check_of(Swaps)()


def test_a_closer_look_at_a_document_that_is_not_there_is_refused():
    spec = FormatSpec(name="quiz", summary="Quizzes", create=lambda _tools: Right())

    with pytest.raises(ValueError, match="no good document is called 'a quizz'"):
        format_checks(spec, GOOD, BAD, looks={"a quizz": print})
