from __future__ import annotations

import pytest
from steelyard_textmetrics.edit_distance import SPEC, EditDistanceSettings

from steelyard.testing import FakeAsk, make_case, make_context, make_output, scorer_checks, wanted

SITTING = make_case(expected="sitting")
WORDS = EditDistanceSettings(unit="words", threshold=0.6)

WANTED = [
    # Two letters replaced and one put in, of 7: the example of most textbooks.
    wanted("kitten", passed=False, case=SITTING, value=4 / 7, says="edit similarity 0.571 to 'sitting'"),
    wanted("sittings", passed=True, case=SITTING, value=7 / 8),
    wanted(" sitting\n", passed=True, case=SITTING, value=1.0),
    wanted("", passed=False, case=SITTING, value=0.0),
    wanted("SITTING", passed=False, case=SITTING, value=0.0),
    wanted("SITTING", passed=True, case=SITTING, value=1.0, settings=EditDistanceSettings(lowercase=True)),
    # One of three words is another.
    wanted("the cat  sat", passed=True, case=make_case(expected="the dog sat"), value=2 / 3, settings=WORDS),
    wanted("a cat sat", passed=False, case=make_case(expected="the dog sat"), value=1 / 3, settings=WORDS),
    # Two replaced, or one change of places.
    wanted("form", passed=False, case=make_case(expected="from"), value=1 / 2),
    wanted(
        "form",
        passed=False,
        case=make_case(expected="from"),
        value=3 / 4,
        settings=EditDistanceSettings(transpositions=True),
    ),
    wanted(
        "kitten",
        passed=True,
        case=make_case(expected=["sitting", "mitten"]),
        value=5 / 6,
        says="to 'mitten', the closest of 2 references",
    ),
    # The same letter, written with one character and with two.
    wanted("cafe\u0301", passed=True, case=make_case(expected="caf\u00e9"), value=1.0),
    wanted("kitten", passed=None, case=make_case(expected={"text": "sitting"}), says="needs a reference"),
]


@pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED))
def test_the_scorer_keeps_the_contract(check):
    check()


def test_the_values_are_those_that_rapidfuzz_publishes():
    # The pages of rapidfuzz.distance.Levenshtein: distance 2, normalized_similarity 0.81818181818181.
    scorer = SPEC.create(EditDistanceSettings(), make_context())

    score = scorer.score(make_case(expected="levenshtein"), make_output("lewenstein"), FakeAsk())

    assert score.details == {"edits": 2}
    assert score.value == pytest.approx(0.81818181818181)
