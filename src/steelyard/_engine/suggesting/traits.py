"""What cases have in common before anything is answered: tags, metadata, expected labels, length, script, language."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from ...api import CaseResult

Kind = Literal["tag", "metadata", "expected", "length", "script", "language", "conversation"]

MOST_VALUES = 20
"""A metadata key with more different values than these is no way to group cases."""

_LOOKED_AT = 4000
"""Characters of an input that script and language are judged by."""
_LONG = 2
"""How many times as long as most a long input is."""
_LATIN: Final = "Latin"
_ENOUGH = 3
_STOPWORDS: Final = {
    "English": "the and is you that it of to in for with not this are my have was",
    "German": "der die das und ist nicht ich sie mit ein eine zu für den auf bitte wie",
    "French": "le la les et est je vous pas une des dans pour que qui avec mon bonjour",
    "Spanish": "el los las y es no una que por para con mi cómo está hola donde pero",
    "Italian": "il lo gli e è non una che per con mio sono della come ciao dove questo",
    "Portuguese": "o os as e é não uma que por para com meu está como olá onde isso",
    "Dutch": "de het een en is niet ik je dat van op met voor mijn hoe waar deze",
}
"""Words that a text of the language can hardly do without."""
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Trait:
    """Something that some cases have."""

    kind: Kind
    name: str
    """The tag, the metadata key and value, the label, the script or language."""

    def __str__(self) -> str:
        """Return it as it stands in a sentence after "cases"."""
        return {
            "tag": f"tagged {self.name!r}",
            "metadata": f"with {self.name}",
            "expected": f"that expect {self.name!r}",
            "length": f"with {self.name}",
            "script": f"in {self.name} script",
            "language": f"in {self.name} (by its common words)",
            "conversation": "of several turns",
        }[self.kind]


def traits_of(cases: Sequence[CaseResult]) -> list[tuple[CaseResult, frozenset[Trait]]]:
    """Return the cases with their traits; a trait that all cases have, or that groups nothing, is left out."""
    usable = _usable_keys(cases)
    labels = _labels(cases)
    limit = _long_from(cases)
    found = [(case, frozenset(_traits(case, usable, labels, limit))) for case in cases]
    counts = Counter(trait for _, traits in found for trait in traits)
    return [(case, frozenset(trait for trait in traits if counts[trait] < len(cases))) for case, traits in found]


def input_of(case: CaseResult) -> str:
    """Return what was asked, without what the system message says in every case."""
    run = case.runs[0]
    messages = run.transcript or run.messages
    return "\n".join(message.content for message in messages if message.role == "user")


def _traits(case: CaseResult, usable: frozenset[str], labels: frozenset[str], limit: int | None) -> Iterator[Trait]:
    for tag in case.tags:
        yield Trait("tag", tag)
    for key, value in case.metadata.items():
        if key in usable and isinstance(value, str | int | float | bool):
            yield Trait("metadata", f"{key} = {value}")
    if isinstance(case.expected, str) and case.expected in labels:
        yield Trait("expected", case.expected)
    text = input_of(case)
    if limit is not None and len(text) > limit:
        yield Trait("length", f"an input of more than {limit} characters")
    if case.runs[0].transcript:
        yield Trait("conversation", "several turns")
    script = script_of(text)
    if script and script != _LATIN:
        yield Trait("script", script)
    language = language_of(text) if script == _LATIN else ""
    if language and language != "English":
        yield Trait("language", language)


def _usable_keys(cases: Sequence[CaseResult]) -> frozenset[str]:
    values: dict[str, set[object]] = {}
    for case in cases:
        for key, value in case.metadata.items():
            seen = values.setdefault(key, set())
            if isinstance(value, str | int | float | bool) and len(seen) <= MOST_VALUES:
                seen.add(value)
    return frozenset(key for key, seen in values.items() if len(seen) <= MOST_VALUES)


def _labels(cases: Sequence[CaseResult]) -> frozenset[str]:
    """Return expected outputs that are labels: few, and expected again and again."""
    counts = Counter(case.expected for case in cases if isinstance(case.expected, str))
    return frozenset(counts) if len(counts) <= MOST_VALUES and counts.total() > len(counts) else frozenset()


def _long_from(cases: Sequence[CaseResult]) -> int | None:
    """Return the length from which on an input is long: twice that of the one in the middle."""
    lengths = sorted(len(input_of(case)) for case in cases)
    return _LONG * lengths[len(lengths) // 2] if lengths else None


def script_of(text: str) -> str:
    """Return the script that most letters of a text are of, by their Unicode names; empty without letters."""
    counts: Counter[str] = Counter()
    for letter in islice((letter for letter in text[:_LOOKED_AT] if letter.isalpha()), _LOOKED_AT):
        word = unicodedata.name(letter, "").partition(" ")[0]
        counts["CJK" if word in ("CJK", "HIRAGANA", "KATAKANA") else word] += 1
    if not counts:
        return ""
    name = counts.most_common(1)[0][0]
    return name if name == "CJK" else name.capitalize()


def language_of(text: str) -> str:
    """Return the language whose common words a text has most of; empty when that is not clear."""
    words = [word.casefold() for word in _WORD.findall(text[:_LOOKED_AT])]
    scores = Counter({name: _hits(words, frozenset(common.split())) for name, common in _STOPWORDS.items()})
    (best, most), (_, next_most) = scores.most_common(2)
    return best if most >= _ENOUGH and most > next_most else ""


def _hits(words: Sequence[str], common: frozenset[str]) -> int:
    return sum(word in common for word in words)
