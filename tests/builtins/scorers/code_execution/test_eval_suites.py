"""Suites of the eval tool whose criteria run code, from the file to the verdict."""

from __future__ import annotations

import os

import pytest

from steelyard import RunOptions, open_session
from steelyard.testing import FakeAPI

SUITE = """
name: coding
provider: openai
model: small
dataset: problems.jsonl
cases:
  - id: "coding-{{id}}"
    prompt: "Write only the function. {{problem}}"
    criteria:
      - type: code_execution
        language: python
        test_code: "{{test_code}}"
        expected_output: ""
        timeout_ms: 5000
"""
PROBLEMS = """
{"id": 1, "problem": "Double a number.", "test_code": "assert double(4) == 8\\nassert double(0) == 0"}
{"id": 2, "problem": "Say a word {{twice}}.", "test_code": "assert again('a') == 'aa', '{{not a variable}}'"}
{"id": 3, "problem": "Loop.", "test_code": "loop()"}
"""
ANSWERS = {
    "Double": "```python\ndef double(x):\n    print('called')\n    return 2 * x\n```",
    "twice": "def again(word):\n    return word * 3",
    "Loop": "def loop():\n    import sys\n    sys.exit(0)",
}


@pytest.fixture
def suite(tmp_path):
    (tmp_path / "suite.yaml").write_text(SUITE, encoding="utf-8")
    (tmp_path / "problems.jsonl").write_text(PROBLEMS.strip(), encoding="utf-8")
    return tmp_path / "suite.yaml"


def test_tests_from_a_dataset_decide(suite, tmp_path):
    with FakeAPI() as api:
        api.answer(lambda request: next(answer for word, answer in ANSWERS.items() if word in request.prompt))
        environ = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": api.base_url, "PATH": os.environ["PATH"]}
        session = open_session(cwd=tmp_path, environ=environ, settings={"reporters": []}, warn=lambda _line: None)
        (combo,) = session.run(suite, RunOptions(store=False)).results

    verdicts = {case.id: (case.passed, case.runs[0].scores[0].reason) for case in combo.cases}
    assert verdicts == {
        # An empty expected_output asks for nothing, as in that tool: what is printed does not matter.
        "coding-1": (True, "exit code 0; the tests passed"),
        "coding-2": (False, "exit code 1: tests.py, line 1: AssertionError: {{not a variable}}"),
        "coding-3": (False, "exit code 0, but the program ended before all of its tests had run"),
    }
