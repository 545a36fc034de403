"""When two texts are the same to a reader: however their accents are encoded, and in upper or lower case."""

from __future__ import annotations

import unicodedata


def composed(text: str) -> str:
    """Return the text with accents and letters in one code point each where there is one (NFC)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def caseless(text: str) -> str:
    """Return what is equal for texts that differ in case only, by Unicode's canonical caseless match (D145).

    Does not depend on the machine's language: ``ß`` is ``SS``, both forms of the small sigma are one, and the dotless i
    of Turkish is another letter than ``i``.
    """
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFD", text).casefold()
    return unicodedata.normalize("NFC", folded)
