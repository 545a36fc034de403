"""Words, sentences and syllables of an English text, by rule."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CODE = re.compile(r"^[ \t]*```.*?(?:^[ \t]*```[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\d+(?:[.,]\d+)*")
_SENTENCE_ENDS = re.compile(r"[.!?]+(?=[\s\"'\u201d\u2019)\]]|\Z)|\n\s*\n|\n(?=[ \t]*(?:[-*\u2022]|\d+[.)])[ \t])")
_NO_END = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|vs|etc|no|approx)|\b[a-z]\.[a-z]|\b[a-z])\Z|\n[ \t]*\d+\Z", re.IGNORECASE
)
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_ENDING = re.compile(r"(?<=[^aeiouy])(?:e|(?<![td])ed|(?<![sxzcg])(?<![cs]h)es)\Z")
_SPOKEN_ENDING = re.compile(r"(?<=[^aeiouy])les?\Z")
_TWO_VOWELS = re.compile(r"(?<=[aeouy])ing\Z|(?<=[^aeiouyt])ia(?:l|ls)?\Z|eo\Z|io\Z|ism\Z")

_BEFORE_AN_END = 12
"""Characters before a full stop that can hold an abbreviation, or the number of an item in a list."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What a text is made of."""

    words: int
    sentences: int
    """At least 1."""
    syllables: int


def count(text: str) -> Counts:
    """Count the words, sentences and syllables of a text, leaving fenced code out."""
    prose = "\n" + _CODE.sub("\n\n", text)
    words = [match[0] for match in _WORD.finditer(prose)]
    return Counts(words=len(words), sentences=_sentences(prose), syllables=sum(map(syllables, words)))


def syllables(word: str) -> int:
    """Count the syllables of a word; 1 for a number or a word without vowels."""
    plain = word.lower().replace("'", "").replace("\u2019", "")
    groups = len(_VOWELS.findall(plain))
    if _SILENT_ENDING.search(plain) and not _SPOKEN_ENDING.search(plain):
        groups -= 1
    groups += bool(_TWO_VOWELS.search(plain))
    return max(groups, 1)


def _sentences(text: str) -> int:
    """Count the stretches of text between ends of sentences that hold a word."""
    number, start = 0, 0
    for end in _SENTENCE_ENDS.finditer(text):
        if end[0] == "." and _NO_END.search(text[max(end.start() - _BEFORE_AN_END, 0) : end.start()]):
            continue
        number += _WORD.search(text, start, end.start()) is not None
        start = end.end()
    number += _WORD.search(text, start) is not None
    return max(number, 1)
