from __future__ import annotations

import pytest

from steelyard.cli.crash import without_secrets


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["OPENROUTER_API_KEY", "GITHUB_TOKEN", "db_password", "ClientSecret"])
def test_the_value_of_a_variable_named_like_a_secret_is_redacted(name):
    assert without_secrets("sent hunter2-hunter2 there", {name: "hunter2-hunter2"}) == "sent [redacted] there"


def test_other_variables_and_short_values_stay_readable():
    said = without_secrets("in /home/me with true", {"HOME": "/home/me", "USE_AUTH": "true"})

    assert said == "in /home/me with true"


def test_a_secret_that_holds_another_one_goes_whole():
    assert without_secrets("abcdefgh-tail", {"A_KEY": "abcdefgh", "B_KEY": "abcdefgh-tail"}) == "[redacted]"


def test_keys_in_the_dotenv_of_a_parent_folder_are_redacted_too(elsewhere, monkeypatch):
    (elsewhere / ".env").write_text("# keys\nexport OUR_API_KEY='quoted-value'\nOTHER=plain-value\n", encoding="utf-8")
    (elsewhere / "sub").mkdir()
    monkeypatch.chdir(elsewhere / "sub")

    assert without_secrets("quoted-value plain-value", {}) == "[redacted] plain-value"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted]"),
        ("https://me:secret@example.org/v1", "https://me:[redacted]@example.org/v1"),
        ("key sk-or-v1-0123456789abcdef!", "key [redacted]!"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("task-12345678 of sk-ip", "task-12345678 of sk-ip"),
    ],
)
def test_what_looks_like_a_key_is_redacted_and_what_does_not_is_not(text, shown):
    assert without_secrets(text, {}) == shown
