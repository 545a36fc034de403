"""The forms in which a secret may stand in text: as it is, in JSON, in an address, in base64.

What an address or a header carries of a secret is not the secret letter by letter, and a server that answers with what
it was sent quotes that. Other forms are not looked for: hashes and signatures give nothing away, and whoever wants to
hide a secret from this module can.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import quote_plus

SHOWN_INSTEAD = b"[redacted]"

_BASE64 = rb"[A-Za-z0-9+/_-]"
_UNKNOWN_CHARS = (0, 2, 3)
"""Characters of base64 at the beginning that also depend on what stands before: for 0, 1 and 2 bytes of it."""

_NUMBER = re.compile(rb"[0-9.eE+-]+")
_KEY = re.compile(rb"[a-z_]+")
_JSON_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')
_SAFE = re.compile(rb"[A-Za-z0-9._~-]")


@dataclass(frozen=True, slots=True)
class Form:
    """One form of one secret."""

    mark: bytes
    """What must be in a text for the form to be there: to look for it is quick."""
    remove: Callable[[bytes], bytes]
    """Takes the form out of a text that has the mark."""


def forms_of(secret: str, *, in_json: bool = False) -> Iterator[Form]:
    """Go through the forms of a secret, those first that hold others; ``in_json`` for texts that are JSON."""
    raw = secret.encode("utf-8", "surrogatepass")
    literal = [raw]
    if in_json:
        literal = [secret.encode("utf-8", "replace"), json.dumps(secret)[1:-1].encode("ascii")]
    if " " in secret:
        literal.append(quote_plus(raw).encode("ascii"))
    for form in dict.fromkeys(literal):
        yield Form(form, _removal(form) if in_json else partial(_out, form))
    escaped = _percent_encoded(raw)
    if escaped is not None and not _NUMBER.fullmatch(raw):
        yield Form(b"%", partial(escaped.sub, SHOWN_INSTEAD))
    for piece, pattern in _in_base64(raw):
        yield Form(piece, partial(pattern.sub, SHOWN_INSTEAD))


def _removal(form: bytes) -> Callable[[bytes], bytes]:
    """Return what takes a form out of JSON, and leaves it JSON of the same meaning."""
    if _NUMBER.fullmatch(form):
        return partial(_out_of_strings, form)
    if _KEY.fullmatch(form):
        # A password may be a word that is also a key of records: as such it tells nobody anything.
        return partial(re.compile(b'(?<!")' + form + b"|" + form + b'(?!":)').sub, SHOWN_INSTEAD)
    return partial(_out, form)


def _out(form: bytes, text: bytes) -> bytes:
    return text.replace(form, SHOWN_INSTEAD)


def _out_of_strings(form: bytes, text: bytes) -> bytes:
    """Take digits out of the strings of JSON alone: a number with a hole in it would be no JSON."""
    return _JSON_STRING.sub(lambda string: _out(form, string[0]), text)


def _percent_encoded(raw: bytes) -> re.Pattern[bytes] | None:
    """Return what finds a secret of which any reserved characters are encoded; ``None`` when it has none of them."""
    if all(_SAFE.fullmatch(raw[at : at + 1]) for at in range(len(raw))):
        return None
    return re.compile(b"".join(_byte(raw[at : at + 1]) for at in range(len(raw))))


def _byte(byte: bytes) -> bytes:
    if _SAFE.fullmatch(byte):
        return re.escape(byte)
    encoded = b"".join(b"[%c%c]" % (digit, ord(chr(digit).upper())) for digit in byte.hex().encode("ascii"))
    return b"(?:" + re.escape(byte) + b"|%" + encoded + (rb"|\+)" if byte == b" " else b")")


def _in_base64(raw: bytes) -> Iterator[tuple[bytes, re.Pattern[bytes]]]:
    """Go through what base64 makes of a secret, wherever in the encoded bytes it stands: as in ``user:secret``.

    At both ends a character also depends on the neighbour. It is taken out too, since it tells a few bits.
    """
    found: dict[bytes, re.Pattern[bytes]] = {}
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for before, unknown in enumerate(_UNKNOWN_CHARS):
            whole = 8 * (before + len(raw)) // 6
            piece = encode(b"\0" * before + raw)[unknown:whole]
            # In JSON a letter may belong to an escape, and a backslash must not lose it.
            head = rb"(?:(?<!\\)" + _BASE64 + rb")?" if before else b""
            found.setdefault(piece, re.compile(head + re.escape(piece) + _BASE64 + b"?={0,2}"))
    yield from found.items()
