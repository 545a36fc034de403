from __future__ import annotations

import math

import pytest
from steelyard_textmetrics.bleu import SPEC, BleuSettings

from steelyard.errors import UsageError
from steelyard.testing import FakeAsk, make_case, make_context, make_output, scorer_checks, wanted

MAT = make_case(expected="the cat sat on a mat")
GERMAN = make_case(expected=["die Katze saß auf der Matte", "auf der Matte saß die Katze"])

# Worked out by hand from the definition of Papineni and others, "BLEU: a method for automatic evaluation of machine
# translation" (2002).
WANTED = [
    # 5 of 6 words ("the" is there twice and counts once), 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples.
    wanted("the cat sat on the mat", passed=True, case=MAT, value=(5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4)),
    wanted(" the cat sat on a mat\n", passed=True, case=MAT, value=1.0, says="BLEU 1.000 to 'the cat sat on a mat'"),
    # All that is there matches, in orders 1 to 3; the penalty is for half the length.
    wanted("the cat sat", passed=True, case=MAT, value=math.exp(1 - 6 / 3)),
    wanted("dogs run fast today", passed=False, case=MAT, value=0.0),
    wanted("", passed=False, case=MAT, value=0.0),
    # 4 of 4 words; "die Katze" and "auf der" of 3 pairs; none of 2 triples and of 1 quadruple, which count as a half
    # and a quarter of a match.
    wanted(
        "die Katze auf der",
        passed=False,
        case=GERMAN,
        value=math.exp(1 - 6 / 4) * (1 * 2 / 3 * 1 / (2 * 2) * 1 / (4 * 1)) ** (1 / 4),
        says="to 2 references",
        settings=BleuSettings(threshold=0.5),
    ),
    wanted("THE CAT SAT ON A MAT", passed=False, case=MAT, value=0.0),
    wanted("THE CAT SAT ON A MAT", passed=True, case=MAT, value=1.0, settings=BleuSettings(lowercase=True)),
    wanted("the cat sat on the mat", passed=True, case=MAT, value=5 / 6, settings=BleuSettings(max_order=1)),
    wanted("one two", passed=True, value=1.0, settings=BleuSettings(value="one two")),
    wanted("the cat", passed=None, case=make_case(expected=None), says="needs a reference"),
]


@pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED))
def test_the_scorer_keeps_the_contract(check):
    check()


# test/test_sentence_bleu.py of sacrebleu 2.6, in per cent, to three decimals.
OUTPUT = "Producția de zahăr primă va fi exprimată în ceea ce privește zahărul alb;"
REFERENCE = "producţia de zahăr brut se exprimă în zahăr alb;"


@pytest.mark.parametrize(
    ("options", "published"),
    [
        ({}, 8.493),
        ({"smoothing": "none"}, 0.0),
        ({"smoothing": "floor"}, 4.51688),
        ({"smoothing": "floor", "smoothing_value": 0.5}, 10.10),
        ({"smoothing": "add-k"}, 14.882),
        ({"smoothing": "add-k", "smoothing_value": 2}, 21.389),
        ({"tokenizer": "none"}, 7.347),
        ({"tokenizer": "intl"}, 8.493),
        ({"tokenizer": "char"}, 40.8759),
        ({"tokenizer": "char", "lowercase": True}, 42.0267),
    ],
)
def test_the_values_are_those_that_sacrebleu_publishes(options, published):
    assert scored(OUTPUT, [REFERENCE], **options).value * 100 == pytest.approx(published, abs=1e-3)


def test_the_details_add_up_to_the_bleu_of_a_corpus():
    # README.md of sacrebleu 2.6: BLEU = 48.53 82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)
    corpus = [
        ("The dog bit the man.", ["The dog bit the man.", "The dog had bit the man."]),
        ("It wasn't surprising.", ["It was not unexpected.", "No one was surprised."]),
        ("The man had just bitten him.", ["The man bit him first.", "The man had bitten the dog."]),
    ]
    scores = [scored(output, references) for output, references in corpus]

    def total(name):
        return [sum(column) for column in zip(*(score.details[name] for score in scores), strict=True)]

    shares = [match / all_ for match, all_ in zip(total("matches"), total("totals"), strict=True)]
    words, reference_words = (sum(score.details[name] for score in scores) for name in ("words", "reference_words"))
    assert [round(share * 100, 1) for share in shares] == [82.4, 50.0, 45.5, 37.5]
    assert (words, reference_words) == (17, 18)
    bleu = math.exp(1 - reference_words / words) * math.prod(shares) ** (1 / 4)
    assert round(bleu * 100, 2) == 48.53
    # The mean of the single scores is another number: of 1, 0.1479 and 0.2907, by hand.
    assert round(sum(score.value for score in scores) / 3 * 100, 2) != 48.53


def test_a_value_that_no_smoothing_uses_is_refused():
    with pytest.raises(UsageError, match="'smoothing_value' is for smoothing: floor"):
        SPEC.create(BleuSettings(smoothing_value=0.5), make_context())


def scored(output, references, **options):
    scorer = SPEC.create(BleuSettings(**options), make_context())
    return scorer.score(make_case(expected=references), make_output(output), FakeAsk())
