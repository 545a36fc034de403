"""What ``init`` asks, what it writes, and that what it writes runs."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from steelyard.testing.fake_api import FakeAPI, FakeRequest, Reply, catalog_entry

DEFAULT = "poolside/laguna-xs-2.1:free"
JUDGE = "nvidia/nemotron-3-ultra-550b-a55b:free"


def free(name: str, **fields: object) -> dict[str, Any]:
    return catalog_entry(name, input_per_mtok=0, output_per_mtok=0, **fields)


PAINTER = free(
    "vendor/painter:free", architecture={"input_modalities": ["text"], "output_modalities": ["text", "image"]}
)
PAID = catalog_entry("google/gemma-4-31b-it", input_per_mtok=0.125, output_per_mtok=0.4)
ROUTER = {**free("openrouter/auto"), "pricing": {"prompt": "-1", "completion": "-1"}}


@pytest.fixture
def init(keyless, api) -> Callable[..., Any]:
    api.catalog([PAINTER, ROUTER, *(free(f"vendor/m{n}:free") for n in range(7)), free(DEFAULT), free(JUDGE), PAID])
    return lambda *arguments, typed="", **more: keyless("init", *arguments, typed=typed, **more)


def written(done: Any) -> Path:
    (line,) = done.stdout.splitlines()
    return Path(line.removeprefix("Wrote "))


def content(done: Any) -> Any:
    return yaml.safe_load(written(done).read_text("utf-8"))


# The questions


def test_enter_three_times_writes_the_default_starter(init, desk):
    done = init(typed="\n\n\n")

    assert done.returncode == 0, done.stderr
    assert written(done) == desk.folder / "benchmarks" / "my-benchmark.yaml"
    file = content(done)
    assert (file["name"], file["models"]) == ("My benchmark", [DEFAULT])
    assert {case["evaluation"] for case in file["test_cases"]} == {"exact_match"}
    assert (file["inference"], file["concurrency"]) == ({"temperature": 0, "max_tokens": 1024}, 2)


def test_the_answers_are_taken(init, desk):
    done = init(typed=f"Ärger & mehr\nllm_judge\n{DEFAULT}, google/gemma-4-31b-it ,{DEFAULT}\n")

    assert done.returncode == 0, done.stderr
    assert written(done) == desk.folder / "benchmarks" / "rger-mehr.yaml"
    file = content(done)
    assert file["name"] == "Ärger & mehr"
    assert file["models"] == [DEFAULT, "google/gemma-4-31b-it"]
    assert file["evaluation"]["judge_model"] == JUDGE
    assert {case["evaluation"] for case in file["test_cases"]} == {"llm_judge"}


def test_an_empty_name_or_list_and_an_unknown_mode_are_asked_again(init):
    done = init(typed=f"  \nMine\nbest_match\nexact\n , ,\n{DEFAULT}\n")

    assert done.returncode == 0, done.stderr
    lines = done.stderr.splitlines()
    assert "a benchmark needs a name" in lines
    assert "'best_match' is no way to judge here; choose one of exact_match, llm_judge" in lines
    assert "at least one model is needed" in lines
    assert content(done)["name"] == "Mine"


def test_free_text_models_are_suggested_five_at_most_and_the_paid_one_with_its_price(init):
    lines = [line.strip() for line in init(typed="\n\n\n").stderr.splitlines()]

    assert [line for line in lines if line.startswith("vendor/")] == [f"vendor/m{n}:free" for n in range(5)]
    assert "google/gemma-4-31b-it ($0.125 / $0.40)" in lines
    assert not any("painter" in line or "openrouter/auto" in line for line in lines)


def test_a_default_model_that_is_gone_gives_way_to_the_first_free_text_model(init, api):
    api.catalog([PAINTER, ROUTER, PAID, free("vendor/new:free"), free("vendor/newer:free")])

    assert content(init("--yes"))["models"] == ["vendor/new:free"]


def test_a_model_that_is_not_in_the_catalog_is_warned_about_and_written(init):
    done = init(typed="\n\nvendor/m0:fre, mock:parrot\n")

    assert content(done)["models"] == ["vendor/m0:fre", "mock:parrot"]
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning")]
    assert warnings == ["warning: model 'vendor/m0:fre' is not in the catalog; is it written right?"]


def test_without_a_catalog_there_are_no_suggestions_and_no_warnings(init, api):
    api.catalog(Reply(status=500, error="down"))

    done = init(typed="\n\nvendor/anything\n")

    assert done.returncode == 0
    assert content(done)["models"] == ["vendor/anything"]
    assert any(line.startswith("no suggestions of models: ") for line in done.stderr.splitlines())
    assert "warning" not in done.stderr


def test_offline_nothing_is_fetched(init, api):
    assert init("--yes", "--offline").returncode == 0
    assert api.count == 0


def test_a_key_that_no_header_can_hold_is_told_in_one_line(init):
    done = init("--yes", env={"OPENROUTER_API_KEY": "sk-…"})

    assert done.returncode == 0
    assert len([line for line in done.stderr.splitlines() if "OPENROUTER_API_KEY holds" in line]) == 1


def test_a_missing_key_is_told_but_does_not_matter_yet(init):
    done = init("--yes")

    assert done.returncode == 0
    assert "Before it can run: OPENROUTER_API_KEY is not set" in done.stderr


@pytest.mark.parametrize("typed", ["", "Mine\n", "Mine\nexact_match\n"])
def test_when_the_answers_end_too_early_nothing_is_written(init, desk, typed):
    done = init(typed=typed)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1] == (
        "error: standard input ended before the questions did; for the defaults: --yes"
    )
    assert not (desk.folder / "benchmarks").exists()


def test_a_last_answer_without_a_line_end_counts(init):
    assert content(init(typed=f"Mine\n\n{DEFAULT}"))["name"] == "Mine"


# The file


def test_yes_asks_nothing(init, desk):
    done = init("--yes")

    assert done.returncode == 0, done.stderr
    assert "[" not in done.stderr
    assert content(done)["models"] == [DEFAULT]


@pytest.mark.parametrize(
    ("path", "file", "name"),
    [
        ("my-eval.yaml", "my-eval.yaml", "My eval"),
        ("deep/er/x_y.yml", "deep/er/x_y.yml", "X y"),
        ("folder", "folder/evals.yaml", "My benchmark"),
    ],
)
def test_the_path_is_the_file_or_the_folder_for_it(init, desk, path, file, name):
    done = init(path, "--yes")

    assert written(done) == desk.folder / file
    assert content(done)["name"] == name


def test_a_folder_that_is_there_takes_the_file(init, desk):
    (desk.folder / "v1.2").mkdir()

    assert written(init("v1.2")) == desk.folder / "v1.2" / "evals.yaml"


@pytest.mark.parametrize("more", [[], ["--yes"]])
def test_in_a_folder_nothing_is_asked_and_the_file_passes_offline_and_without_a_key(init, keyless, api, more):
    done = init("evals", *more)

    ran = keyless("run", str(written(done)), "--fail-under", "100", "--quiet")

    assert (content(done)["models"], done.stderr.count("KEY"), "[" in done.stderr) == (["mock:stand-in"], 0, False)
    assert (ran.returncode, api.count) == (0, 0), ran.stderr


def test_a_reply_that_is_broken_in_the_file_for_a_folder_fails_its_gate(init, desk):
    file = written(init("evals"))
    text = file.read_text("utf-8")
    assert desk("run", str(file), "--quiet").returncode == 0

    broken = text.replace("{match: parcel, output: shipping}", "{match: parcel, output: post}")
    file.write_text(broken, encoding="utf-8")

    assert "output: post" in file.read_text("utf-8")
    assert desk("run", str(file), "--quiet").returncode == 1


def test_a_file_for_real_models_has_no_gate_that_they_may_miss(init):
    assert "quality_threshold" not in content(init("--yes", "--offline"))


def test_in_a_folder_nothing_is_overwritten(init, desk):
    desk.write("evals.yaml", "mine")

    done = init(".", typed="y\n")

    assert (done.returncode, done.stderr) == (1, "error: evals.yaml: exists already; name another file\n")
    assert (desk.folder / "evals.yaml").read_text("utf-8") == "mine"


@pytest.mark.parametrize("mode", ["exact_match", "llm_judge"])
def test_a_stand_in_can_be_asked_for_and_passes_offline(init, keyless, mode):
    done = init("--offline", typed=f"\n{mode}\nmock:stand-in\n")

    ran = keyless("run", str(written(done)), "--fail-under", "100", "--quiet")

    assert (ran.returncode, "KEY" in done.stderr) == (0, False), ran.stderr


def test_real_models_are_asked_without_the_stand_in(init):
    assert "providers" not in content(init(typed=f"\n\n{DEFAULT}\n"))


# The schema beside it


def schema_named_in(path: Path) -> Path:
    first = path.read_text("utf-8").partition("\n")[0]
    named = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
    assert named, first
    return path.parent / named[1]


@pytest.mark.parametrize("arguments", [["evals"], ["--yes"], ["deep/er/mine.yaml", "--yes"]])
def test_the_first_line_names_a_schema_that_lies_beside_the_file_and_knows_its_keys(init, arguments):
    path = written(init(*arguments))

    validator = jsonschema.Draft202012Validator(json.loads(schema_named_in(path).read_text("utf-8")))
    file = yaml.safe_load(path.read_text("utf-8"))

    assert list(validator.iter_errors(file)) == []
    assert [error.message for error in validator.iter_errors({**file, "modles": []})] != []


def test_a_schema_of_an_earlier_time_is_renewed_and_anything_else_left_alone(init, desk):
    for kept, text in ((False, '{"title": "steelyard benchmark"}'), (True, '{"title": "mine"}'), (True, "no JSON")):
        path = desk.write("evals/.steelyard.schema.json", text)
        done = init("evals")

        assert (path.read_text("utf-8") == text) == kept
        assert written(done).read_text("utf-8").startswith("# yaml-language-server") != kept
        written(done).unlink()


def test_a_name_without_letters_or_digits_still_makes_a_file(init, desk):
    done = init(typed="???\n\n\n")

    assert written(done) == desk.folder / "benchmarks" / "benchmark.yaml"


def test_another_ending_than_yaml_is_refused(init, desk):
    done = init("x.json", "--yes")

    assert (done.returncode, done.stderr) == (
        1,
        "error: x.json: a benchmark is written as YAML; end its name in .yaml\n",
    )


def test_yes_never_overwrites(init, desk):
    desk.write("benchmarks/my-benchmark.yaml", "mine")

    done = init("--yes")

    assert (done.returncode, done.stdout) == (1, "")
    assert "exists already" in done.stderr
    assert (desk.folder / "benchmarks" / "my-benchmark.yaml").read_text() == "mine"


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("yes\n", 0), ("n\n", 1), ("\n", 1), ("", 1)])
def test_a_file_is_overwritten_only_after_a_yes(init, desk, answer, code):
    desk.write("benchmarks/my-benchmark.yaml", "mine")

    done = init(typed=f"\n{answer}\n\n" if answer else "\n")

    assert done.returncode == code
    overwritten = (desk.folder / "benchmarks" / "my-benchmark.yaml").read_text("utf-8") != "mine"
    assert overwritten == (code == 0)


@pytest.mark.parametrize("name", ['"quoted" \\ back', "# no comment", "{{ x }}", "yes", "5", "a: b", "[bold]", "💡"])
def test_any_name_makes_a_file_that_validates_and_keeps_it(init, keyless, name):
    done = init(typed=f"{name}\n\n\n")

    assert done.returncode == 0, done.stderr
    assert content(done)["name"] == name
    assert keyless("validate", str(written(done))).returncode == 0


def test_a_file_that_would_not_validate_is_not_written(init, desk):
    done = init("--yes", "--offline", env={"STEELYARD_NO_PLUGINS": "exact_match"})

    assert done.returncode == 1
    assert "exact_match" in done.stderr
    assert f"{Path('benchmarks/my-benchmark.yaml')}:" in done.stderr
    assert not (desk.folder / "benchmarks").exists()


def test_without_a_format_that_writes_first_files_it_says_so(init):
    done = init("--yes", env={"STEELYARD_NO_PLUGINS": "native"})

    assert (done.returncode, done.stderr) == (1, "error: no plugin in use writes first files\n")


@pytest.mark.parametrize("mode", ["exact_match", "llm_judge"])
def test_the_starter_runs_as_it_is(init, online, api, mode):
    def answer(request: FakeRequest) -> str:
        if "score" in request.prompt:
            return json.dumps({"reasoning": "Fine.", "score": 5})
        return next((word for word in ("shipping", "account") if request.prompt.count(word) > 1), "billing")

    path = written(init(typed=f"Mine\n{mode}\n\n"))
    api.answer(answer)

    validated, estimated, ran = (
        online(*what, str(path)) for what in (["validate"], ["run", "--dry-run"], ["run", "-q"])
    )

    assert (validated.returncode, validated.stderr) == (0, "")
    assert estimated.returncode == 0, estimated.stderr
    assert ran.returncode == 0, ran.stderr
    (record,) = (online.folder / "results").glob("*.json")
    (combo,) = json.loads(record.read_text("utf-8"))["results"]
    assert combo["errors"] == 0
    assert combo["scored"] == combo["total"] == (4 if mode == "exact_match" else 3)


def test_what_init_writes_is_what_run_takes_without_a_name(init, online):
    init("--yes")

    assert online("validate").returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="there are no pseudo-terminals on Windows")
def test_on_a_terminal_the_questions_are_asked_and_answered(steelyard, api: FakeAPI):
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "steelyard", "init"],
        cwd=steelyard.folder,
        env={**steelyard.environ, "OPENROUTER_BASE_URL": api.base_url},
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        encoding="utf-8",
    )
    os.close(theirs)
    seen = b""
    for question, answer in (("Name of", "Typed\n"), ("How to judge", "\n"), ("Models to compare", "\n")):
        while question.encode() not in seen:
            seen += os.read(ours, 4096)
        os.write(ours, answer.encode())
    out, _ = process.communicate(timeout=60)
    os.close(ours)

    assert process.returncode == 0
    assert out == f"Wrote {steelyard.folder / 'benchmarks' / 'typed.yaml'}\n"
