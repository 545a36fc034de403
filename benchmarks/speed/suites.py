"""The suites that are measured with: made by number, so that every run and every tool gets the same."""

from __future__ import annotations

import json
from pathlib import Path

QUESTION = "What is question {number} in a long conversation about bills, refunds and deliveries that are late?"

HEAD = """\
name: speed
models:
  - {{id: fake, provider: openai, model: fake, base_url: "{url}", api_key_env: null}}
prompts:
  - {{id: v1, template: "Classify this conversation: {{{{ question }}}}"}}
inference: {{temperature: 0, max_tokens: 50}}
concurrency: 100
"""

ROWS = """\
test_cases: {rows}
case:
  id: "case-{{{{ id }}}}"
  variables: {{question: "{{{{ question }}}}"}}
  expected_output: "{{{{ answer }}}}"
  evaluation: exact_match
"""


def write_yaml(path: Path, cases: int, url: str = "http://127.0.0.1:9/v1", expected: str = "ok") -> Path:
    """Write a suite whose cases stand in the file itself."""
    lines = [HEAD.format(url=url), "test_cases:\n"]
    for number in range(cases):
        lines.append(
            f"  - id: case-{number}\n"
            f"    variables: {{question: '{QUESTION.format(number=number)}'}}\n"
            f"    expected_output: {expected}\n"
            f"    evaluation: exact_match\n"
            f"    tags: [tag-{number % 5}]\n"
        )
    path.write_text("".join(lines), encoding="utf-8")
    return path


def write_jsonl(path: Path, cases: int, url: str = "http://127.0.0.1:9/v1", expected: str = "ok") -> Path:
    """Write a suite whose cases are the rows of a data file beside it."""
    rows = path.with_suffix(".jsonl")
    with rows.open("w", encoding="utf-8") as file:
        for number in range(cases):
            row = {"id": number, "question": QUESTION.format(number=number), "answer": expected}
            file.write(json.dumps(row) + "\n")
    path.write_text(HEAD.format(url=url) + ROWS.format(rows=rows.name), encoding="utf-8")
    return path
