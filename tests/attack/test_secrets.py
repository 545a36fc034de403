"""A key is shown nowhere and kept nowhere; what is no key is left as it is."""

from __future__ import annotations

from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, Reply

KEY = "sk-or-v1-0123456789abcdef-for-tests"


@pytest.mark.parametrize(
    "reply",
    [
        Reply("billing", finish_reason=KEY, cost_usd=0),
        Reply("billing", model=KEY, cost_usd=0),
        Reply(f"billing {KEY}", cost_usd=0),
    ],
    ids=["finish_reason", "model", "text"],
)
def test_a_key_that_the_server_echoes_reaches_no_file_and_no_screen(project: Any, api: FakeAPI, reply: Reply) -> None:
    api.reply(reply)
    project.one_case()

    done = project("run", "suite.json", "-v", "-o", "o.csv")

    assert project.cases()[0]["status"] == "scored"
    assert KEY not in done.stdout + done.stderr
    assert project.files_holding(KEY) == []


@pytest.mark.parametrize("key", ["sk-abcdef0123456789abcdef", "abcdef0123456789abcdef0123"])
def test_a_key_in_place_of_the_name_of_its_variable_is_not_shown(project: Any, api: FakeAPI, key: str) -> None:
    project.one_case(models=[{"id": "m", "provider": "openai", "model": "m", "api_key_env": key}])

    done = project("run", "suite.json")

    assert done.returncode == 1
    assert "api_key_env must be the name" in done.stderr
    assert key not in done.stdout + done.stderr
    assert api.count == 0


def test_a_key_in_the_query_of_an_address_is_not_shown(project: Any, api: FakeAPI) -> None:
    address = f"{api.base_url}?key=abcdef0123456789"
    project.one_case(models=["openai:m"], providers={"openai": {"base_url": address, "api_key_env": None}})

    done = project("run", "suite.json")

    assert done.returncode == 1
    assert "without '?' or '#'" in done.stderr
    assert "abcdef0123456789" not in done.stdout + done.stderr


def test_a_placeholder_for_a_server_without_keys_changes_no_answer(project: Any, api: FakeAPI) -> None:
    api.reply("it is a placeholder, not billing")
    case = {"id": "a", "variables": {"q": "hi"}, "scorers": [{"type": "contains", "value": "placeholder"}]}
    project.suite([case], models=["openai:m"])

    project("run", "suite.json", OPENAI_API_KEY="placeholder", OPENAI_BASE_URL=api.base_url)

    assert project.cases()[0]["response"] == "it is a placeholder, not billing"
    assert project.cases()[0]["match_result"] is True
