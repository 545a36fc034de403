from __future__ import annotations

import pytest
from steelyard_textmetrics.chrf import SPEC, ChrfSettings

from steelyard.testing import FakeAsk, make_case, make_context, make_output, scorer_checks, wanted

LETTERS = make_case(expected="abcd")
ONE_LETTER = {"char_order": 1, "threshold": 0.6}

# Worked out by hand from the definition of Popović, "chrF: character n-gram F-score for automatic MT evaluation", 2015.
WANTED = [
    wanted("abcd", passed=True, case=LETTERS, value=1.0, says="chrF2 1.000 to 'abcd'"),
    wanted("wxyz", passed=False, case=LETTERS, value=0.0),
    wanted("", passed=False, case=LETTERS, value=0.0),
    # Precision 1, recall 1/2. With recall counting double: 5 * 1 * 1/2 / (4 * 1 + 1/2).
    wanted("ab", passed=False, case=LETTERS, value=5 / 9, settings=ChrfSettings(**ONE_LETTER)),
    wanted(
        "ab", passed=True, case=LETTERS, value=2 / 3, says="chrF1 0.667", settings=ChrfSettings(**ONE_LETTER, beta=1)
    ),
    # Letters: 2 of 3 both ways; words: 1 of 2 both ways; the mean of both.
    wanted(
        "ab c",
        passed=False,
        case=make_case(expected="ab d"),
        value=7 / 12,
        says="chrF2+ 0.583",
        settings=ChrfSettings(char_order=1, word_order=1, threshold=0.6),
    ),
    wanted("abcd", passed=True, case=make_case(expected=["wxyz", "abcd"]), value=1.0, says="to 2 references"),
    wanted("ABCD", passed=False, case=LETTERS, value=0.0),
    wanted("ABCD", passed=True, case=LETTERS, value=1.0, settings=ChrfSettings(lowercase=True)),
    wanted("abcd", passed=None, case=make_case(expected=["abcd", ""]), says="none of them empty"),
]


@pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED))
def test_the_scorer_keeps_the_contract(check):
    check()


RISK = (
    "risk assessment must be made of those who are qualified and expertise in the sector - these are the scientists .",
    "risk assessment has to be undertaken by those who are qualified and expert in that area - "
    "that is the scientists .",
)


# test/test_chrf.py of sacrebleu 2.6, in per cent, to four decimals.
@pytest.mark.parametrize(
    ("output", "reference", "options", "published"),
    [
        (
            "Co nás nejvíc trápí, protože lékaři si vybírají, kdo bude žít a kdo zemře.",
            "Nejvíce smutní jsme z toho, že musíme rozhodovat o tom, kdo bude žít a kdo zemře.",
            {"eps_smoothing": True},
            39.14078509,
        ),
        (
            "Lapali po dechu, jejich životy skončily dřív, než skutečně začaly.",
            "Lapali po dechu a pak jejich život skončil - dřív, než skutečně mohl začít, připomněli.",
            {"eps_smoothing": True},
            57.15704367,
        ),
        (*RISK, {"beta": 3, "eps_smoothing": True}, 63.361730),
        (*RISK, {"beta": 3, "whitespace": True}, 65.2414427),
        ("aa", "ab", {"beta": 3, "eps_smoothing": True}, 8.3333),
        ("aa", "ab", {"beta": 3}, 25.0),
        ("a b c", "abc", {"beta": 3, "eps_smoothing": True}, 50.0),
        ("a b c", "abc", {"beta": 3}, 100.0),
    ],
)
def test_the_values_are_those_that_sacrebleu_publishes(output, reference, options, published):
    scorer = SPEC.create(ChrfSettings(**options), make_context())

    score = scorer.score(make_case(expected=reference), make_output(output), FakeAsk())

    assert score.value * 100 == pytest.approx(published, abs=1e-4)
