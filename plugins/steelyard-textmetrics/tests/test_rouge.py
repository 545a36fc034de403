from __future__ import annotations

import random

import pytest
from rouge_score.rouge_scorer import RougeScorer
from steelyard_textmetrics.rouge import SPEC, RougeSettings

from steelyard.errors import UsageError
from steelyard.testing import FakeAsk, make_case, make_context, make_output, scorer_checks, wanted

# The sample of rouge-score's README, with values worked out by hand: 9 words in the reference and 8 in the output.
FOX = make_case(expected="The quick brown fox jumps over the lazy dog")
LOG = "The quick brown dog jumps on the log."
ONE, TWO = RougeSettings(variant="rouge1"), RougeSettings(variant="rouge2")

WANTED = [
    # "the quick brown jumps the": 5 of 8 and of 9.
    wanted(LOG, passed=True, case=FOX, value=10 / 17, says="ROUGE-L 0.588 to 'The quick brown fox"),
    # Those, and "dog": 6 of 8 and of 9.
    wanted(LOG, passed=True, case=FOX, value=12 / 17, says="ROUGE-1", settings=ONE),
    # "the quick" and "quick brown": 2 of 7 and of 8.
    wanted(LOG, passed=False, case=FOX, value=4 / 15, says="ROUGE-2", settings=TWO),
    wanted(LOG, passed=True, case=FOX, value=5 / 8, settings=RougeSettings(measure="precision")),
    wanted(LOG, passed=True, case=FOX, value=5 / 9, settings=RougeSettings(measure="recall")),
    wanted("The Quick, brown FOX jumps over the lazy dog!", passed=True, case=FOX, value=1.0),
    wanted("", passed=False, case=FOX, value=0.0),
    wanted("42", passed=False, case=FOX, value=0.0, settings=ONE),
    wanted("he tested it", passed=False, case=make_case(expected="she tests it"), value=1 / 3),
    wanted(
        "he tested it",
        passed=True,
        case=make_case(expected="she tests it"),
        value=2 / 3,
        settings=RougeSettings(stem=True),
    ),
    wanted(
        "Кошка сидит",
        passed=True,
        case=make_case(expected="кошка сидела"),
        value=1 / 2,
        settings=RougeSettings(tokenizer="unicode"),
    ),
    wanted("Кошка", passed=None, case=make_case(expected="кошка"), says="tokenizer: unicode knows other scripts"),
    wanted("one", passed=None, case=make_case(expected="one"), says="at least 2 words", settings=TWO),
    wanted("one", passed=None, case=make_case(expected=7), says="needs a reference, text or a list of texts"),
]


@pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED))
def test_the_scorer_keeps_the_contract(check):
    check()


# rouge_score/rouge_scorer_test.py of rouge-score 0.1.2.
@pytest.mark.parametrize(
    ("variant", "references", "output", "precision", "recall", "fmeasure"),
    [
        ("rouge1", ["testing one two"], "testing", 1, 1 / 3, 1 / 2),
        ("rouge1", ["testing one two"], "testing one", 1, 2 / 3, 4 / 5),
        ("rouge2", ["testing one two"], "testing one", 1, 1 / 2, 2 / 3),
        ("rougeL", ["testing one two"], "testing one", 1, 2 / 3, 4 / 5),
        ("rougeL", ["testing one two"], "testing two", 1, 2 / 3, 4 / 5),
        ("rougeL", ["testing one two"], "", 0, 0, 0),
        ("rouge1", ["first text", "first something"], "text first", 1, 1, 1),
        ("rouge2", ["first text", "first something"], "text first", 0, 0, 0),
        ("rougeL", ["first text", "first something"], "text first", 0.5, 0.5, 0.5),
    ],
)
def test_the_values_are_those_of_rouge_score_s_own_tests(variant, references, output, precision, recall, fmeasure):
    for measure, published in {"precision": precision, "recall": recall, "fmeasure": fmeasure}.items():
        score = scored(output, references, variant=variant, measure=measure)

        assert score.value == pytest.approx(published, abs=1e-7)
        assert score.details == pytest.approx({"precision": precision, "recall": recall, "fmeasure": fmeasure})


def test_the_reference_that_is_closest_by_the_wanted_measure_counts():
    references = ["one two three four", "one two"]

    assert "to 'one two', the closest of 2" in scored("one two", references, measure="recall").reason
    assert scored("one two three", references, measure="precision").value == 1.0
    assert "to 'one two three four', the closest" in scored("one two three", references, measure="precision").reason


def test_the_longest_common_sequence_is_that_of_rouge_score():
    chance = random.Random(8)
    theirs = RougeScorer(["rougeL"])
    for _text in range(200):
        reference, output = (" ".join(chance.choices("abcdef", k=chance.randint(1, 30))) for _both in range(2))

        assert scored(output, reference).value == pytest.approx(theirs.score(reference, output)["rougeL"].fmeasure)


def test_long_texts_take_no_table_of_all_their_words():
    # rouge-score's own table would have 900 million cells.
    reference = " ".join(map(str, range(30_000)))
    output = " ".join(map(str, range(0, 60_000, 2)))

    assert scored(output, reference).value == pytest.approx(15_000 / 30_000)


def test_endings_of_other_scripts_are_refused():
    with pytest.raises(UsageError, match="'stem' knows English endings alone"):
        SPEC.create(RougeSettings(stem=True, tokenizer="unicode"), make_context())


def scored(output, references, **options):
    scorer = SPEC.create(RougeSettings(**options), make_context())
    return scorer.score(make_case(expected=references), make_output(output), FakeAsk())
