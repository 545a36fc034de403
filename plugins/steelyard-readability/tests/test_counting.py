from __future__ import annotations

import time

import pytest
from steelyard_readability.counting import count, syllables

# From the syllabification of Merriam-Webster's dictionary.
DICTIONARY = {
    1: "the cat mat prove used point dog strength walked eyes time months",
    2: "taken reading passage itself being sentence mammal creature hybrid table little wanted houses boxes apple",
    3: "platypus seemingly elephant tomato president example important dangerous",
    4: "dictionary information education",
}


@pytest.mark.parametrize(
    ("word", "number"),
    [(word, number) for number, words in DICTIONARY.items() for word in words.split()],
)
def test_syllables_are_those_of_the_dictionary(word, number):
    assert syllables(word) == number


@pytest.mark.parametrize("word", ["42", "3.14", "Mr", "x", "hmm", "don't"])
def test_every_word_has_a_syllable(word):
    assert syllables(word) == 1


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three?", 3),
        ("No end", 1),
        ("", 1),
        ("Really?! Yes...", 2),
        ('He said "Stop." Then he left.', 2),
        ("Dr. Smith met Mr. Jones, e.g. at home.", 1),
        ("It costs 3.50 today.", 1),
        ("A heading\n\nA paragraph.", 2),
        ("1. one\n2. two\n", 2),
        ("Take:\n- one\n- two\n2. three", 4),
        ("... !!! ???", 1),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, sentences):
    assert count(text).sentences == sentences


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The cat's well-known hat isn\u2019t red", 7),
        ("It costs 1,250.50 dollars", 4),
        ("before\n```python\nx = 1\n```\nafter", 2),
        ("before\n```\nnever closed", 1),
        ("\u200b – * #", 0),
    ],
)
def test_words_are_counted_outside_code(text, words):
    assert count(text).words == words


@pytest.mark.parametrize("unit", ["a.", "```\n", "'", "- \n", "e", ". ", "a'", "1.", "\n \n"])
def test_no_text_takes_long(unit):
    started = time.perf_counter()

    count(unit * (200_000 // len(unit)))

    assert time.perf_counter() - started < 10
