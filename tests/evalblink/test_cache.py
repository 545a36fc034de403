"""What is kept, what is not, and what a cache that fails may cost: nothing but the caching."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from typing import Any

import pytest

from steelyard.testing.fake_api import FakeAPI, FakeRequest, failure

JUDGE = "other/judge"


def asked(api: FakeAPI) -> int:
    return sum(request.method == "POST" for request in api.requests)


def judged(make: Any, a_case: Any) -> dict[str, Any]:
    return make(
        evaluation={"judge_model": JUDGE},
        test_cases=[a_case("c", evaluation="llm_judge", criteria="good", expected_output=None)],
    )


def test_a_second_run_asks_nothing_and_pays_nothing(online, api, make, a_case):
    api.answer(lambda request: '{"reasoning": "fine", "score": 5}' if request.model == JUDGE else "ok")
    online.write("b.json", judged(make, a_case))
    online("run", "b.json")
    first = asked(api)
    done = online("run", "b.json")
    assert (first, asked(api)) == (2, 2)
    assert done.returncode == 0
    (combo,) = online.record()["results"]
    assert (combo["spent"], online.cases()["c"]["cached"]) == (0.0, True)


def test_replies_are_kept_in_the_folder_one_runs_in(online, make):
    online.write("deep/b.json", make())
    online("run", "deep/b.json")
    assert (online.folder / ".steelyard_cache").is_dir()
    assert not (online.folder / "deep" / ".steelyard_cache").exists()


@pytest.mark.parametrize(
    ("change", "again"),
    [
        ({}, 0),
        ({"models": ["vendor/large"]}, 3),
        ({"prompts": [{"id": "v1", "template": "Otherwise: {{ text }}"}]}, 3),
        ({"prompts": [{"id": "v1", "system": "Be brief.", "template": "Say ok to {{ text }}."}]}, 3),
        ({"inference": {"temperature": 1}}, 3),
        ({"inference": {"max_tokens": 7}}, 3),
        ({"name": "Another name", "quality_threshold": 3, "concurrency": 2}, 0),
        ({"prompts": [{"id": "renamed", "template": "Say ok to {{ text }}."}]}, 0),
    ],
    ids=["nothing", "model", "prompt", "system", "temperature", "max_tokens", "name and gate", "id of the prompt"],
)
def test_what_decides_an_answer_and_nothing_else_decides_whether_it_is_asked_for_again(
    online, api, make, change, again
):
    online.write("b.json", make())
    online("run", "b.json")
    before = asked(api)
    online.write("b.json", make(**change))
    online("run", "b.json")
    assert asked(api) - before == again


def test_a_new_prompt_pays_for_itself_alone(online, api, make):
    first = {"id": "v1", "template": "Say ok to {{ text }}."}
    online.write("b.json", make(prompts=[first]))
    online("run", "b.json")
    online.write("b.json", make(prompts=[first, {"id": "v2", "template": "And ok to {{ text }}?"}]))
    online("run", "b.json")
    assert asked(api) == 3 + 3


def test_without_the_cache_it_is_neither_read_nor_written_for_candidate_and_judge(online, api, make, a_case):
    api.answer(lambda request: '{"reasoning": "fine", "score": 5}' if request.model == JUDGE else "ok")
    online.write("b.json", judged(make, a_case))
    online("run", "b.json", "--no-cache")
    assert online("cache", "stats").stdout.count("0 cached responses") == 1
    online("run", "b.json")
    online("run", "b.json", "--no-cache")
    assert asked(api) == 2 + 2 + 2


def test_a_failed_call_is_never_kept(online, api, make, a_case):
    api.script([failure(400, "bad request")])
    online.write("b.json", make(test_cases=[a_case("c")]))
    assert online("run", "b.json").returncode == 1
    assert online("run", "b.json").returncode == 0
    assert asked(api) == 2


def test_a_verdict_that_cannot_be_read_is_asked_for_again_in_the_next_run(online, api, make, a_case):
    replies = iter(["no verdict", '{"reasoning": "fine", "score": 5}'])

    def answer(request: FakeRequest) -> str:
        return next(replies) if request.model == JUDGE else "ok"

    api.answer(answer)
    online.write("b.json", judged(make, a_case))
    online("run", "b.json")
    assert online.cases()["c"]["status"] == "judge_error"
    online("run", "b.json")
    assert online.cases()["c"]["status"] == "scored"
    assert online("run", "b.json").returncode == 0
    assert asked(api) == 3


@pytest.mark.parametrize("entry", [b"", b"{", b"null", b"[]", b'{"response": null}', b"\xff\xfe\x00"])
def test_a_damaged_entry_is_a_miss_and_is_replaced(online, api, make, a_case, entry):
    online.write("b.json", make(test_cases=[a_case("c")]))
    online("run", "b.json")
    database = next((online.folder / ".steelyard_cache").glob("*.sqlite*"))
    with sqlite3.connect(database) as connection:
        (table,) = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        connection.execute(f"UPDATE {table} SET value = ?", (entry,))
    connection.close()
    assert online("run", "b.json").returncode == 0
    assert asked(api) == 2
    assert online("run", "b.json").returncode == 0
    assert asked(api) == 2


def test_a_cache_that_is_no_cache_costs_the_caching_and_not_the_run(online, api, make):
    online.write("b.json", make())
    online("run", "b.json")
    database = next((online.folder / ".steelyard_cache").glob("*.sqlite*"))
    database.write_bytes(b"hello")
    done = online("run", "b.json")
    assert done.returncode == 0
    assert asked(api) == 6
    assert len([line for line in done.stderr.splitlines() if "warning" in line]) == 1


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root and Windows write to read-only folders")
def test_a_read_only_cache_is_warned_about_once(online, api, make):
    folder = online.folder / ".steelyard_cache"
    folder.mkdir()
    folder.chmod(0o500)
    online.write("b.json", make())
    done = online("run", "b.json")
    folder.chmod(0o700)
    assert (done.returncode, asked(api)) == (0, 3)
    assert done.stderr.count("Could not write the response cache (") == 1


def test_a_cache_that_cannot_be_written_is_warned_about_once_and_the_run_goes_on(online, api, make):
    # A file in the folder's place: nobody can write there, whatever their rights.
    online.write(".steelyard_cache", "in the way")
    online.write("b.json", make())
    done = online("run", "b.json")
    assert (done.returncode, asked(api)) == (0, 3)
    (line,) = [line for line in done.stderr.splitlines() if "response cache" in line]
    assert line.startswith("warning: Could not ")
    assert line.endswith("; continuing.")


def test_stats_count_responses_their_size_and_the_catalog_apart(online, make):
    online.write("b.json", make())
    assert "0 cached responses" in online("cache", "stats").stdout
    online("run", "b.json")  # the replies name no cost, so the catalog is fetched for the prices
    lines = online("cache", "stats").stdout.splitlines()
    assert "3 cached responses, " in lines[0]
    assert "models.json: model catalog cached" in lines[1]
    shutil.rmtree(online.folder / ".steelyard_cache")
    assert "no model catalog cached" in online("cache", "stats").stdout


def test_clear_counts_only_deletes_with_yes_and_keeps_the_catalog_unless_told_otherwise(online, make):
    online.write("b.json", make())
    online("run", "b.json")
    catalog = online.folder / ".steelyard_cache" / "models.json"

    assert online("cache", "clear").stdout.startswith("3 cached responses; nothing was deleted")
    assert "3 cached responses" in online("cache", "stats").stdout
    assert "deleted 3 cached responses" in online("cache", "clear", "--yes").stdout
    assert "0 cached responses" in online("cache", "stats").stdout
    assert catalog.exists()
    online("cache", "clear", "--yes", "--all")
    assert not catalog.exists()


def test_the_catalog_is_kept_for_a_day(online, api, make):
    online.write("b.json", make())
    catalog = online.folder / ".steelyard_cache" / "models.json"
    for age_h, fetched in ((0, 1), (23, 1), (25, 2)):
        if catalog.exists():
            content = json.loads(catalog.read_text(encoding="utf-8"))
            (entry,) = content.values()
            entry["fetched_at"] -= age_h * 3600
            catalog.write_text(json.dumps(content), encoding="utf-8")
        online("run", "b.json", "--dry-run")
        assert sum(request.path == "/v1/models" for request in api.requests) == fetched


def test_a_catalog_that_cannot_be_kept_is_a_warning_and_the_command_goes_on(online, make):
    online.write(".steelyard_cache", "in the way")
    online.write("b.json", make(inference={"max_tokens": 10}))
    done = online("run", "b.json", "--dry-run")
    assert done.returncode == 0
    assert "warning: could not keep the model catalog (" in done.stderr
