"""What ``models`` lists of a provider's catalog, and what ``providers`` says of keys."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

import pytest

from steelyard.testing.fake_api import Reply, catalog_entry


def modalities(given: str, taken: str = "text") -> dict[str, list[str]]:
    return {"input_modalities": taken.split("+"), "output_modalities": given.split("+")}


ROUTER = {
    **catalog_entry("openrouter/auto", input_per_mtok=0, output_per_mtok=0),
    "pricing": {"prompt": "-1", "completion": "-1"},
}
ODD = {
    **catalog_entry("vendor/odd", input_per_mtok=0, output_per_mtok=0),
    "pricing": {"prompt": "free", "completion": "0"},
}
MODELS = (
    catalog_entry("openai/gpt-4o-mini", input_per_mtok=0.15, output_per_mtok=0.6, context_length=128_000),
    catalog_entry("anthropic/claude", input_per_mtok=3, output_per_mtok=15, context_length=200_000, top_provider={}),
    catalog_entry("vendor/small:free", input_per_mtok=0, output_per_mtok=0, context_length=8_000, top_provider={}),
    catalog_entry("vendor/painter:free", input_per_mtok=0, output_per_mtok=0, architecture=modalities("text+image")),
    catalog_entry("vendor/speaker:free", input_per_mtok=0, output_per_mtok=0, architecture=modalities("audio")),
    catalog_entry("vendor/untold:free", input_per_mtok=0, output_per_mtok=0, architecture=None),
    ROUTER,
    ODD,
)  # fmt: skip


@pytest.fixture
def models(keyless, api):
    api.catalog(MODELS)
    return lambda *arguments, **more: keyless("models", *arguments, **more)


def ids(done: Any) -> list[str]:
    return [line.split()[0] for line in done.stdout.splitlines()[1:]]


def test_every_model_is_listed_with_its_prices_and_no_key_is_needed(models):
    done = models()

    assert (done.returncode, done.stderr) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[1:]}
    assert list(rows) == sorted(entry["id"] for entry in MODELS)
    assert rows["openai/gpt-4o-mini"] == ["128000", "16384", "0.15", "0.60"]
    assert rows["vendor/small:free"] == ["8000", "?", "0.00", "0.00"]


def test_a_price_that_is_negative_or_no_number_is_unknown_and_not_free(models):
    rows = {line.split()[0]: line.split()[3:] for line in models().stdout.splitlines()[1:]}

    assert rows["openrouter/auto"] == ["?", "?"]
    assert rows["vendor/odd"] == ["?", "0.00"]
    assert not {"openrouter/auto", "vendor/odd"} & {*ids(models("--free"))}


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("--provider anthropic", ["anthropic/claude"]),
        ("--provider Anthropic", ["anthropic/claude"]),
        ("--provider anth", []),
        ("--free", ["vendor/painter:free", "vendor/small:free", "vendor/speaker:free", "vendor/untold:free"]),
        ("--free --text", ["vendor/small:free"]),
        ("--min-context 128000 --provider openai", ["openai/gpt-4o-mini"]),
        ("--min-context 128001", ["anthropic/claude"]),
        ("--min-context 200k", ["anthropic/claude"]),
        ("--min-context 200K --free", []),
        ("--min-context 8K --provider vendor --text", ["vendor/odd", "vendor/small:free"]),
    ],
)
def test_each_filter_leaves_what_it_says(models, arguments, wanted):
    done = models(*arguments.split())

    assert done.returncode == 0
    assert ids(done) == wanted
    assert bool(done.stderr) == (not wanted)


@pytest.mark.parametrize("value", ["100m", "1.5k", "-1", "k", "", "1e5", "100 k", "\u0661\u0660\u0660k"])
def test_a_context_that_makes_no_sense_is_wrong_usage(models, api, value):
    done = models("--min-context", value)

    assert (done.returncode, done.stdout, api.count) == (2, "", 0)
    assert "'--min-context'" in done.stderr


def test_the_list_is_kept_for_a_day_and_fetched_anew_on_demand(models, api, keyless):
    models()
    models()
    assert api.count == 1
    models("--no-cache")
    assert api.count == 2

    path = keyless.folder / ".steelyard_cache" / "models.json"
    kept = json.loads(path.read_text("utf-8"))
    for entry in kept.values():
        entry["fetched_at"] = time.time() - 24 * 3600 - 1
    path.write_text(json.dumps(kept), "utf-8")
    models()
    assert api.count == 3


@pytest.mark.parametrize("damage", ["", "[]", '{"a": 1}', "\x00"])
def test_a_damaged_list_is_fetched_anew(models, api, keyless, damage):
    models()
    (keyless.folder / ".steelyard_cache" / "models.json").write_text(damage, "utf-8")

    assert models().returncode == 0
    assert api.count == 2


def test_json_has_null_for_what_is_unknown(models):
    listed = {model["id"]: model for model in json.loads(models("--format", "json").stdout)}

    assert listed["openrouter/auto"] | {"name": ""} == {
        "id": "openrouter/auto",
        "name": "",
        "context_length": 128_000,
        "max_output_tokens": 16_384,
        "input_per_mtok": None,
        "output_per_mtok": None,
        "free": False,
        "input_modalities": ["text"],
        "output_modalities": ["text"],
        "expires": None,
        "price_note": "",
    }
    assert listed["vendor/small:free"]["free"] is True


def test_a_catalog_that_cannot_be_had_is_one_line_and_fails(models, api):
    api.catalog(Reply(status=500, error="down"))

    done = models()

    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("error: provider 'openrouter': no model catalog: ")


def test_a_key_that_no_header_can_hold_is_told_in_one_line(models):
    done = models(env={"OPENROUTER_API_KEY": "sk-…"})

    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: provider 'openrouter': OPENROUTER_API_KEY holds")


def test_another_provider_is_asked_by_name_and_one_without_a_list_says_so(keyless, api):
    none, unknown = keyless("models", "--from", "mock"), keyless("models", "--from", "opnrouter")

    assert (none.returncode, none.stderr) == (1, "error: provider 'mock' has no list of models\n")
    assert unknown.returncode == 1
    assert "did you mean 'openrouter'?" in unknown.stderr
    assert api.count == 0
    assert keyless("models", "--from", "openrouter").returncode == 0


def test_the_default_provider_of_the_settings_is_asked(keyless):
    keyless.write("steelyard.yaml", "default_provider: mock\n")

    assert keyless("models").stderr == "error: provider 'mock' has no list of models\n"


# providers


def test_every_provider_says_where_its_key_comes_from_and_whether_it_is_set(online):
    listed = {one["name"]: one for one in json.loads(online("providers", "--format", "json").stdout)}

    assert listed["openrouter"] | {"summary": ""} == {
        "name": "openrouter",
        "default": True,
        "default_of_formats": [],
        "key_from": "OPENROUTER_API_KEY",
        "is_set": True,
        "problem": None,
        "summary": "",
    }
    assert (listed["mock"]["key_from"], listed["mock"]["is_set"]) == ("none needed", None)


def test_a_key_is_never_shown(online):
    for arguments in ((), ("--format", "json")):
        done = online("providers", *arguments)
        assert done.returncode == 0
        assert "a-key-for-tests" not in done.stdout + done.stderr


def test_a_key_that_is_not_set_and_one_that_cannot_work_are_told_apart(keyless):
    def status(**env: str) -> str:
        done = keyless("providers", env=env)
        return next(line for line in done.stdout.splitlines() if line.startswith("openrouter"))

    assert "not set" in status()
    assert "not set" in status(OPENROUTER_API_KEY="  ")
    assert "holds '\\u2026'" in status(OPENROUTER_API_KEY="sk-or-abc…")
    assert "  set  " in status(OPENROUTER_API_KEY="sk-or-abc")


def test_a_key_from_a_dotenv_file_counts(keyless):
    keyless.write(".env", "OPENROUTER_API_KEY=sk-or-from-a-file\n")

    done = keyless("providers", "--format", "json")

    listed = {one["name"]: one["is_set"] for one in json.loads(done.stdout)}
    assert listed["openrouter"] is True
    assert "from-a-file" not in done.stdout


def test_without_providers_the_list_says_so(desk):
    done = replace(desk)("providers", "--no-plugin", "steelyard")

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "no plugin in use offers a provider\n"


def test_the_settings_file_of_the_eval_tool_counts_for_every_command_in_its_folder(desk, api):
    settings = {"default_provider": "openai", "openai_api_key": "sk-in-the-file-0123", "results_dir": "kept"}
    desk.write(".evalrc.json", json.dumps(settings))
    cases = [{"id": "a", "prompt": "Say one", "criteria": [{"type": "contains", "value": "one"}]}]
    desk.write("s.yaml", json.dumps({"name": "s", "model": "gpt-4o-mini", "cases": cases}))
    online = replace(desk, environ={**desk.environ, "OPENAI_BASE_URL": api.base_url})

    ran = []
    for answer in ("one", "two"):
        api.reply(answer)
        ran.append(online("run", "s.yaml", "-q", "--no-cache").returncode)
    keys = desk("providers")
    told = [desk("history"), desk("report"), desk("report", "--last", "1"), desk("compare")]
    # By the stems: of two runs in one second the later one is called NAME-2, and "-" comes before ".".
    fallen = desk(
        "diff", *(f"{stem}.json" for stem in sorted(path.stem for path in (desk.folder / "kept").glob("*.json")))
    )

    assert ran == [0, 1]
    assert not (desk.folder / "results").exists()
    assert [done.returncode for done in told] == [0, 0, 0, 0], [done.stderr for done in told]
    assert "No runs" not in "".join(done.stderr for done in told)
    assert fallen.returncode == 1
    row = next(line for line in keys.stdout.splitlines() if line.startswith("openai"))
    assert row.split("  ")[0] == "openai (default of eval suites)"
    assert " set " in row
    assert "sk-in-the-file" not in keys.stdout + keys.stderr
