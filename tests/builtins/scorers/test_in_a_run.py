"""What the scorers' verdicts and errors come to in a run, with a scripted model as candidate and judge."""

from __future__ import annotations

import pytest
from steelyard_builtins.scorers import exact_match, llm_judge, regex

from steelyard.api import ScorerUse, Status
from steelyard.errors import ProviderError
from steelyard.testing import ScriptedProvider, make_benchmark, make_case, session_with

JUDGE = ScorerUse(type="llm_judge", options={"model": "judge", "criteria": "Polite.", "max_tokens": 512})


def run(session, verdicts, use=JUDGE):
    """Run one case for each verdict; the candidate says ``hello 0``, ``hello 1`` and so on."""

    def reply(request):
        if request.model != "judge":
            return f"hello {request.messages[-1].content}"
        text = request.messages[-1].content
        return next(verdict for number, verdict in enumerate(verdicts) if f"hello {number}" in text)

    cases = [
        make_case(f"c{number}", variables={"question": str(number)}, scorers=[use]) for number in range(len(verdicts))
    ]
    return session(ScriptedProvider(reply), llm_judge, exact_match, regex).run(make_benchmark(cases, concurrency=1))


@pytest.fixture
def session(tmp_path):
    return lambda *components: session_with(*components, cwd=tmp_path, settings={"cache": False, "retries": 0})


def good(score):
    return f'{{"reasoning": "Because of {score}.", "score": {score}}}'


def test_a_judge_s_scores_become_passes_and_failures_with_their_reasoning(session):
    (combo,) = run(session, [good(5), good(4), good(3)]).results

    assert [case.passed for case in combo.cases] == [True, True, False]
    assert [case.score for case in combo.cases] == [1.0, 0.75, 0.5]
    assert [case.runs[0].reasoning for case in combo.cases] == ["Because of 5.", "Because of 4.", "Because of 3."]


@pytest.mark.parametrize(
    "reply", ["I am sorry, I cannot evaluate this content.", '{"score": NaN}', '{"reasoning": "Good tone, but'], ids=str
)
@pytest.mark.parametrize("negate", [False, True])
def test_a_judge_without_a_verdict_is_an_error_and_never_a_pass_or_a_zero(session, reply, negate):
    use = ScorerUse(type="llm_judge", options=JUDGE.options, negate=negate)

    (combo,) = run(session, [good(5), reply], use).results
    broken = combo.cases[1]

    assert broken.status is Status.JUDGE_ERROR
    assert broken.score is None
    assert not broken.passed
    assert reply[:20] in broken.error
    assert (combo.passed + combo.failed, combo.errors) == (1, 1)


def test_a_judge_that_cannot_be_reached_is_a_judge_api_error(session):
    (combo,) = run(session, [good(5), ProviderError("the judge is down")]).results

    assert combo.cases[1].status is Status.JUDGE_API_ERROR
    assert "the judge is down" in combo.cases[1].error


def test_a_pattern_without_end_costs_its_own_case_only(session):
    slow = ScorerUse(type="regex", options={"pattern": "^(a|aa)+$", "timeout": 0.2})
    cases = [
        make_case(f"c{number}", variables={"question": text}, scorers=[slow])
        for number, text in enumerate(["a" * 60 + "b", "aaa", "b"])
    ]
    provider = ScriptedProvider(lambda request: request.messages[-1].content)

    (combo,) = session(provider, regex).run(make_benchmark(cases)).results

    assert combo.cases[0].status is not Status.SCORED
    assert "took longer than its time limit of 0.2 s" in combo.cases[0].error
    assert [case.passed for case in combo.cases[1:]] == [True, False]


def test_a_case_that_does_not_suit_its_scorer_stops_the_run_before_any_call(session):
    provider = ScriptedProvider()
    benchmark = make_benchmark([make_case(expected=True, variables={"question": "x"}, scorers=["exact_match"])])

    checked = session(provider, exact_match).check(benchmark)

    assert ["quote it" in str(problem) for problem in checked.problems] == [True]
    assert provider.calls == 0


def test_a_judge_of_the_candidates_family_is_told_once_for_many_cases(session):
    use = ScorerUse(type="llm_judge", options={"model": "fake_provider:vendor/big", "criteria": "Polite."})
    cases = [make_case(f"c{number}", variables={"question": "x"}, scorers=[use]) for number in range(30)]
    benchmark = make_benchmark(cases, models=["fake_provider:vendor/small"])

    checked = session(ScriptedProvider(), llm_judge).check(benchmark)

    assert ["shares a vendor" in str(problem) for problem in checked.problems] == [True]
    assert checked.ok
