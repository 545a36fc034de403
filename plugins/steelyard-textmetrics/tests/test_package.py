"""All scorers together: what is common to them, and how a benchmark uses them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import steelyard_textmetrics as plugin

from steelyard.testing import FakeAsk, make_benchmark, make_case, make_context, make_output

SPECS = {spec.name: spec for spec in plugin.steelyard_register_scorers()}

BENCHMARK = """
name: Translations
models: [{id: m, provider: mock, default: The cat sat on the mat.}]
prompts: [{id: p, template: "Translate {{ text }}."}]
test_cases:
  - id: "1"
    variables: {text: Die Katze saß auf der Matte}
    expected_output: [The cat sat on the mat., The cat was sitting on the mat.]
    scorers:
      - bleu
      - {type: chrf, word_order: 2, threshold: 0.99}
      - {type: rouge, variant: rouge2}
      - edit_distance
      - {type: token_set_ratio, value: mat, punctuation: false}
  - {id: "2", variables: {text: Hund}, expected_output: A dog barked at us, evaluation: bleu, threshold: 0.2}
"""


def steelyard(folder, *arguments):
    environ = {key: value for key, value in os.environ.items() if not key.startswith("STEELYARD_")}
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-m", "steelyard", *arguments],
        cwd=folder,
        env={**environ, "STEELYARD_SETTINGS": ""},
        capture_output=True,
        encoding="utf-8",
        timeout=80,
        check=False,
    )


def test_a_benchmark_uses_them_by_their_names(tmp_path):
    (tmp_path / "b.yaml").write_text(BENCHMARK, encoding="utf-8")

    done = steelyard(tmp_path, "run", "b.yaml", "-o", "record.json")

    assert done.returncode == 0, done.stderr
    first, second = json.loads((tmp_path / "record.json").read_text("utf-8"))["results"][0]["test_cases"]
    names = ["bleu", "chrf", "rouge", "edit_distance", "token_set_ratio"]
    assert [score["scorer"] for score in first["scores"]] == names
    assert [score["score"] for score in first["scores"]] == [1.0] * 5
    assert (first["match_result"], second["match_result"]) == (True, False)


def test_the_benchmark_of_the_readme_runs_as_it_stands_there(tmp_path):
    readme = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (tmp_path / "translations.yaml").write_text(readme.split("```yaml\n")[1].split("```")[0], encoding="utf-8")

    done = steelyard(tmp_path, "run", "translations.yaml", "-v")

    assert done.returncode == 0, done.stdout + done.stderr
    for line in readme.split("```console\n")[1].split("\n...")[0].splitlines()[2:]:
        assert line in done.stderr.splitlines()


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ("", "none of them empty; there is none"),
        ("expected_output: 12", "got 12"),
        ('expected_output: ["", "x"]', "none of them empty"),
        ('expected_output: " "', "none of them empty"),
    ],
)
def test_a_case_without_a_reference_is_told_before_any_call(tmp_path, expected, message):
    case = "\n".join(f"    {line}" for line in ["id: '1'", "variables: {text: x}", "evaluation: chrf", expected])
    head = BENCHMARK.partition("test_cases:")[0]
    (tmp_path / "b.yaml").write_text(f"{head}test_cases:\n  -\n{case}\n", encoding="utf-8")

    done = steelyard(tmp_path, "validate", "b.yaml")

    assert done.returncode == 1
    (line,) = [
        line for line in done.stdout.splitlines() + done.stderr.splitlines() if "chrF2: needs a reference" in line
    ]
    assert line.startswith("b.yaml:")
    assert message in line


@pytest.mark.parametrize("name", SPECS)
def test_a_threshold_that_is_reached_exactly_passes(name):
    # 0.1 + 0.2 is a little more than 0.3: a score is not to miss a threshold by that much.
    settings = SPECS[name].settings()
    case, output = make_case(expected="one two three four five"), make_output("one two three nine ten")
    value = SPECS[name].create(settings, make_context()).score(case, output, FakeAsk()).value
    assert 0 < value < 1

    at, above = (
        SPECS[name].create(replace(settings, threshold=bound), make_context()).score(case, output, FakeAsk()).passed
        for bound in (value + 1e-12, value + 1e-6)
    )

    assert (at, above) == (True, False)


@pytest.mark.parametrize("name", SPECS)
def test_check_says_nothing_of_a_case_that_has_references(name):
    scorer = SPECS[name].create(SPECS[name].settings(), make_context())
    case = make_case(expected=["one two", "three four"])

    assert list(scorer.check(make_benchmark([case]), case)) == []


def test_a_library_is_not_imported_before_it_is_used():
    code = (
        "import sys, steelyard_textmetrics as plugin\n"
        "specs = plugin.steelyard_register_scorers()\n"
        "print([name for name in ('sacrebleu', 'rouge_score', 'nltk', 'numpy', 'rapidfuzz') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True, timeout=60)

    assert done.stdout == "[]\n"
