"""Where the key comes from, and what happens without a usable one."""

from __future__ import annotations

import shutil

import pytest
import steelyard_builtins

import steelyard
from steelyard.testing.fake_api import FakeAPI

CODE_OF_FAILURE = 1


def authorization(api: FakeAPI) -> str:
    (header,) = {request.headers["authorization"] for request in api.requests if request.method == "POST"}
    return header


def test_a_bare_model_name_is_asked_through_openrouter_with_the_one_key(online, api, make):
    online.write("b.json", make())
    assert online("run", "b.json").returncode == 0
    assert {request.path for request in api.requests if request.method == "POST"} == {"/v1/chat/completions"}
    assert authorization(api) == f"Bearer {online.environ['OPENROUTER_API_KEY']}"


@pytest.mark.parametrize("key", [None, "", " \t "], ids=["unset", "empty", "blank"])
def test_a_run_without_a_key_exits_with_1_before_any_call_and_says_what_to_do(keyless, api, make, key):
    keyless.write("b.json", make())
    done = keyless("run", "b.json", env={} if key is None else {"OPENROUTER_API_KEY": key})
    assert done.returncode == CODE_OF_FAILURE
    assert "OPENROUTER_API_KEY is not set" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert api.count == 0
    assert not (keyless.folder / "results").exists()


def test_a_key_with_a_character_that_no_header_can_carry_costs_no_call_and_is_never_shown(keyless, api, make):
    keyless.write("b.json", make())
    done = keyless("run", "b.json", env={"OPENROUTER_API_KEY": "sk-or-v1-“secret”…"})
    assert done.returncode == CODE_OF_FAILURE
    assert done.stderr.startswith("error: provider 'openrouter': OPENROUTER_API_KEY holds '\\u201c' at character 10")
    assert "secret" not in done.said
    assert api.count == 0


def test_a_dry_run_says_in_one_line_that_a_key_cannot_be_sent(keyless, make):
    keyless.write("b.json", make())
    done = keyless("run", "b.json", "--dry-run", env={"OPENROUTER_API_KEY": "sk-or-v1-…"})
    assert done.returncode == 0
    assert [line for line in done.stderr.splitlines() if "OPENROUTER_API_KEY" in line] == done.stderr.splitlines()[:1]


def test_checking_and_estimating_need_no_key_and_ask_no_model(keyless, api, make):
    keyless.write("b.json", make())
    assert keyless("validate", "b.json").returncode == 0
    assert api.count == 0
    assert keyless("run", "b.json", "--dry-run").returncode == 0
    assert [request.path for request in api.requests] == ["/v1/models"]


@pytest.mark.parametrize("place", ["project/.env", ".env"], ids=["here", "in the nearest parent"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "with a byte order mark"])
def test_the_key_may_stand_in_a_dotenv_file(keyless, api, make, place, mark):
    keyless.write("b.json", make())
    (keyless.folder.parent / place).write_bytes(mark + b"OPENROUTER_API_KEY=sk-from-dotenv\n")
    assert keyless("run", "b.json").returncode == 0
    assert authorization(api) == "Bearer sk-from-dotenv"


def test_the_nearest_dotenv_is_read_and_no_other(keyless, api, make):
    keyless.write("b.json", make())
    keyless.write(".env", "UNRELATED=1\n")
    (keyless.folder.parent / ".env").write_text("OPENROUTER_API_KEY=sk-from-the-parent\n", encoding="utf-8")
    done = keyless("run", "b.json")
    assert (done.returncode, api.count) == (CODE_OF_FAILURE, 0)


def test_a_dotenv_in_the_folder_of_the_package_is_never_read(keyless, make, tmp_path):
    site = tmp_path / "site"
    for package in (steelyard, steelyard_builtins):
        copied = site / package.__name__
        shutil.copytree(package.__path__[0], copied, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in (site, site / "steelyard", site / "steelyard" / "cli"):
        (folder / ".env").write_text("OPENROUTER_API_KEY=sk-from-the-package\n", encoding="utf-8")
    keyless.write("b.json", make())
    with keyless.apart("run", "b.json", PYTHONPATH=str(site)) as process:
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == CODE_OF_FAILURE
    assert "OPENROUTER_API_KEY is not set" in stderr


def test_a_dotenv_in_another_encoding_is_ignored_with_a_warning(keyless, api, make):
    keyless.write("b.json", make())
    keyless.write(".env", "OPENROUTER_API_KEY=sk-from-dotenv\nNAME=Zoë\n".encode("latin-1"))
    done = keyless("run", "b.json")
    assert (done.returncode, api.count) == (CODE_OF_FAILURE, 0)
    assert f"warning: {keyless.folder / '.env'}: is not UTF-8, so it is ignored; save it as UTF-8" in done.stderr


def test_a_dotenv_in_utf_16_is_ignored_too(keyless, api, make):
    keyless.write("b.json", make())
    keyless.write(".env", "OPENROUTER_API_KEY=sk-from-dotenv\n".encode("utf-16"))
    done = keyless("run", "b.json")
    assert (done.returncode, api.count) == (CODE_OF_FAILURE, 0)
    assert "is not UTF-8, so it is ignored" in done.stderr


def test_a_real_variable_wins_over_the_dotenv_file(online, api, make):
    online.write("b.json", make())
    online.write(".env", "OPENROUTER_API_KEY=sk-from-dotenv\n")
    assert online("run", "b.json").returncode == 0
    assert authorization(api) == f"Bearer {online.environ['OPENROUTER_API_KEY']}"
