"""A secret is hidden in every form in which an address, a header or JSON carries it; ordinary text stays as it is."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote, quote_plus

import pytest

from steelyard._session.redaction import Redactor

SECRETS = ["plain-key-0123", "s3cr/t+k?y&=", 'with "quotes" and spaces', "ключ-от-двери", "abcdef", "\ud800 alone/"]


def redactor(*secrets: str) -> Redactor:
    made = Redactor()
    made.add(secrets)
    return made


def lower(text: str) -> str:
    """Return percent-encoded text with lower case digits, as some servers write it."""
    parts = text.split("%")
    return "%".join([parts[0], *(part[:2].lower() + part[2:] for part in parts[1:])])


def encoded(secret: str) -> list[str]:
    """Return what addresses and headers make of a secret."""
    raw = secret.encode("utf-8", "surrogatepass")
    addresses = [quote(raw), quote(raw, safe=""), quote(raw, safe="+&="), quote_plus(raw)]
    encoders = (base64.b64encode, base64.urlsafe_b64encode)
    return [
        secret,
        *addresses,
        *map(lower, addresses),
        *(encode(before + raw + after).decode() for encode in encoders for before in _BEFORE for after in _AFTER),
        *(encode(raw).decode().rstrip("=") for encode in encoders),
    ]


_BEFORE = (b"", b"u:", b"us:", b"use:", b"user:")
_AFTER = (b"", b":", b"::", b":::")


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_found_in_the_forms_in_which_addresses_and_headers_carry_it(secret: str) -> None:
    hide = redactor(secret)

    for form in encoded(secret):
        said = hide(f"you sent <{form}>, twice: <{form}>")
        assert said.count("[redacted]") == 2, form
        assert form not in said
        assert said.startswith("you sent <")


@pytest.mark.parametrize("secret", SECRETS[:-1])
def test_whole_base64_leaves_nothing_of_itself(secret: str) -> None:
    assert redactor(secret)(f"Basic {base64.b64encode(secret.encode()).decode()}.") == "Basic [redacted]."


@pytest.mark.parametrize("secret", SECRETS[:-1])
def test_json_without_its_secrets_is_json_still(secret: str) -> None:
    hide = redactor(secret)
    texts = [f"\n{form}\n" for form in encoded(secret)]

    for ascii_only in (True, False):
        line = json.dumps(texts, ensure_ascii=ascii_only).encode()
        read = json.loads(hide.in_bytes(line))
        assert len(read) == len(texts)
        assert all("[redacted]" in text and text[0] == text[-1] == "\n" for text in read)


def test_digits_are_taken_out_of_texts_and_not_out_of_numbers() -> None:
    line = b'{"cost":1234567.5,"text":"the pin is 1234567"}'

    assert json.loads(redactor("1234567").in_bytes(line)) == {"cost": 1234567.5, "text": "the pin is [redacted]"}


def test_a_password_that_is_the_name_of_a_key_costs_no_record_its_key() -> None:
    line = b'{"passed":true,"reason":"passed","expected":"it is \\"passed\\": yes"}'

    assert json.loads(redactor("passed").in_bytes(line)) == {
        "passed": True,
        "reason": "[redacted]",
        "expected": 'it is "[redacted]": yes',
    }


def test_text_without_secrets_is_given_back_as_the_same_object() -> None:
    hide = redactor("s3cr/t+k?y&=")
    text = "100 % of it, as in /a%20b or YWJj"
    line = text.encode()

    assert hide(text) is text
    assert hide.in_bytes(line) is line


def test_short_values_are_no_secrets() -> None:
    assert redactor("abcde")("abcde YWJjZGU=") == "abcde YWJjZGU="


def test_a_secret_that_holds_another_one_goes_as_a_whole() -> None:
    assert redactor("secret", "my-secret-key")("my-secret-key") == "[redacted]"
