from __future__ import annotations

import pytest
from steelyard_textmetrics.token_set_ratio import SPEC, TokenSetRatioSettings

from steelyard.testing import FakeAsk, make_case, make_context, make_output, scorer_checks, wanted

BEAR = make_case(expected="fuzzy was a bear")
NO_MARKS = TokenSetRatioSettings(punctuation=False, lowercase=True)

WANTED = [
    wanted("a bear was fuzzy", passed=True, case=BEAR, value=1.0, says="token-set ratio 1.000 to 'fuzzy was a bear'"),
    wanted("fuzzy", passed=True, case=BEAR, value=1.0),
    wanted("", passed=False, case=BEAR, value=0.0),
    # No word in common; of 3 + 3 letters the longest common sequence, "b", counts twice.
    wanted("abc", passed=False, case=make_case(expected="bde"), value=2 / 6),
    wanted("A bear, was it fuzzy?", passed=False, case=make_case(expected="WAS A BEAR FUZZY")),
    wanted(
        "A bear, was it fuzzy?", passed=True, case=make_case(expected="WAS A BEAR FUZZY"), value=1.0, settings=NO_MARKS
    ),
    wanted(
        "wholly other",
        passed=True,
        case=make_case(expected=["fuzzy was a bear", "other"]),
        value=1.0,
        says="to 'other', the closest of 2 references",
    ),
    wanted("a bear", passed=None, case=make_case(expected="?!"), says="needs words to compare", settings=NO_MARKS),
]


@pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED))
def test_the_scorer_keeps_the_contract(check):
    check()


# README.md of rapidfuzz 3.14, in per cent.
@pytest.mark.parametrize(
    ("output", "reference", "published"),
    [
        ("fuzzy was a bear", "fuzzy fuzzy was a bear", 100.0),
        ("fuzzy was a bear but not a dog", "fuzzy was a bear", 100.0),
        ("fuzzy was a bear but not a dog", "fuzzy was a bear but not a cat", 92.3076923076923),
    ],
)
def test_the_values_are_those_that_rapidfuzz_publishes(output, reference, published):
    scorer = SPEC.create(TokenSetRatioSettings(), make_context())

    score = scorer.score(make_case(expected=reference), make_output(output), FakeAsk())

    assert score.value * 100 == pytest.approx(published)
