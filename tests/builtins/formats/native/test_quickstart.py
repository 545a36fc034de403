"""The example of the reference reads as its author meant it."""

from __future__ import annotations

from steelyard.api import Message

QUICKSTART = """\
name: "Ticket routing"
quality_threshold: 85
max_cost_usd: 10.00

models:
  - "openai/gpt-4o-mini"
  - "anthropic/claude-sonnet-4.6"
  - "mistralai/mistral-small-2603"

inference:
  temperature: 0
  max_tokens: 200

evaluation:
  judge_model: "google/gemini-2.5-flash"
  judge_threshold: 0.70

prompts:
  - id: "v1"
    template: >
      Sort this ticket into one of: {{ labels }}.
      Ticket: {{ ticket }}

  - id: "v2"
    system: "You sort tickets."
    template: >
      Sort this ticket into one of: {{ labels }}.
      Ticket: {{ ticket }}

variables:
  labels: "order_issue, billing, other"

test_cases:
  - id: "conv_001"
    variables:
      ticket: "Where is my parcel?"
    expected_output: "order_issue"
    evaluation: "exact_match"
    tags: ["order", "easy"]

  - id: "conv_002"
    variables:
      ticket: "What does the plan hold?"
    evaluation: "llm_judge"
    criteria: >
      Names billing.
    reference: "billing"
    tags: ["billing", "medium"]
"""


def test_the_quickstart_has_no_problem(read):
    reading = read(QUICKSTART)

    assert reading.problems == ()


def test_the_quickstart_names_its_models_for_the_default_provider(read):
    benchmark = read(QUICKSTART).sound

    assert benchmark.default_provider == "openrouter"
    assert [(model.id, model.provider) for model in benchmark.models] == [
        ("openai/gpt-4o-mini", None),
        ("anthropic/claude-sonnet-4.6", None),
        ("mistralai/mistral-small-2603", None),
    ]


def test_the_quickstart_renders_its_prompts_with_the_final_newline(read):
    benchmark = read(QUICKSTART).sound
    first = next(iter(benchmark.cases))
    v1, v2 = benchmark.prompts
    text = "Sort this ticket into one of: order_issue, billing, other. Ticket: Where is my parcel?\n"

    assert v1.render(first) == [Message(role="user", content=text)]
    assert v2.render(first) == [
        Message(role="system", content="You sort tickets."),
        Message(role="user", content=text),
    ]


def test_the_quickstart_keeps_three_thresholds_apart(read):
    benchmark = read(QUICKSTART + "concurrency: 5\n").sound
    exact, judged = benchmark.cases

    assert benchmark.gate.quality_threshold == 85
    assert exact.scorers[0].options == {}
    assert dict(judged.scorers[0].options) == {"model": "google/gemini-2.5-flash", "threshold": 0.70}
    assert benchmark.judge_model == "google/gemini-2.5-flash"
    assert (benchmark.inference.temperature, benchmark.inference.max_tokens) == (0, 200)
    assert (benchmark.max_cost_usd, benchmark.concurrency) == (10.0, 5)


def test_the_quickstart_cases_carry_what_they_say(read):
    exact, judged = read(QUICKSTART).sound.cases

    assert (exact.id, exact.expected, exact.evaluation, exact.tags) == (
        "conv_001",
        "order_issue",
        "exact_match",
        ("order", "easy"),
    )
    assert (judged.criteria, judged.reference) == ("Names billing.\n", "billing")
    assert judged.place.endswith("bench.yaml:41:5")
