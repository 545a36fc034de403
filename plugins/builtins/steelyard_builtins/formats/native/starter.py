"""The first file of a user: complete, commented, and cheap to run, with examples to be replaced."""

from __future__ import annotations

import json

from steelyard.api import StarterAnswers, StarterChoices

EXACT_MATCH = "exact_match"
LLM_JUDGE = "llm_judge"

STAND_IN = "mock:stand-in"
CHOICES = StarterChoices(
    modes=(EXACT_MATCH, LLM_JUDGE),
    model="poolside/laguna-xs-2.1:free",
    also=("google/gemma-4-31b-it",),
    offline=STAND_IN,
)
STAND_IN_JUDGE = "mock:judge"
JUDGE = "nvidia/nemotron-3-ultra-550b-a55b:free"

_TOP = """\
# {name_in_comment}
#
# Check:    steelyard validate FILE            no call, no key
# Estimate: steelyard run FILE --dry-run       no call, no key
# Run:      steelyard run FILE

name: {name}

# The gate for CI: with a threshold, the exit code is 1 when the best combination scores below it (in per cent).
{gate}

# The most that a run may cost, in USD. A dry run that estimates more exits with 1.
# max_cost_usd: 1.00

# Every model is asked every prompt. Names are those of OpenRouter; PROVIDER:MODEL asks another provider.
models:
{models}

inference:
  temperature: 0      # the same answer each time, as far as the model allows
  max_tokens: 1024    # room for models that think before they answer

concurrency: 2        # calls at the same time; free models refuse bursts
"""

_NO_GATE = "# quality_threshold: 80"
_GATE = "quality_threshold: 100    # the stand-in passes all; ask of real models what they can reach"

_STAND_IN_TOP = """
# What the stand-in says, so that this file runs offline and without a key: the first rule whose pattern is found in the
# prompt answers. Leave it out when you ask real models, such as openai/gpt-4o-mini.
providers:
  mock:
    responses:
"""
_STAND_IN_EXACT = """\
      - {match: charged|no bill, output: billing}
      - {match: parcel, output: shipping}
      - {match: password, output: account}
    default: other
"""
_STAND_IN_JUDGED = """\
      - {match: Grade the answer, output: '{"reasoning": "This is what a judge would say.", "score": 5}'}
    default: I am sorry about that. I will look into it and write to you again today.
"""

_EXACT = """
# Each prompt is a Jinja template: what stands in double braces comes from the variables. Add a second one to compare.
prompts:
  - id: v1
    template: |
      Which team should answer this message?
      Reply with one of these words and nothing else: {{ labels }}.

      Message: {{ message }}

# Variables of all test cases; a case may have others, or the same with another value.
variables:
  labels: billing, shipping, account, other

# Replace these by your own: about half of them easy, a third of medium difficulty, a fifth hard.
# exact_match: the answer must equal expected_output, apart from case and blanks around it.
test_cases:
  - id: double-charge
    variables:
      message: My card was charged two times for order 1042.
    expected_output: billing
    evaluation: exact_match
    tags: [easy]

  - id: late-parcel
    variables:
      message: The parcel was due on Monday and has not come.
    expected_output: shipping
    evaluation: exact_match
    tags: [easy]

  - id: locked-out
    variables:
      message: The page says that my password is wrong, but I changed it yesterday.
    expected_output: account
    evaluation: exact_match
    tags: [medium]

  - id: invoice-in-parcel
    variables:
      message: The parcel is here, thank you, but there was no bill in it.
    expected_output: billing
    evaluation: exact_match
    tags: [edge_case]
"""

_JUDGED = """
evaluation:
  judge_model: {judge}    # of another maker than the models above: models favour their own kind
  judge_threshold: 0.70   # the score (0 to 1) from which on a case passes; 4 of 5 is 0.75
  # judge_max_tokens: 4096  # raise it when verdicts are cut off

# Each prompt is a Jinja template: what stands in double braces comes from the variables. Add a second one to compare.
prompts:
  - id: v1
    system: You answer the customers of an online shop, in a friendly way and in less than 80 words.
    template: "{{{{ message }}}}"

# Replace these by your own: about half of them easy, a third of medium difficulty, a fifth hard.
# llm_judge: the judge reads the answer and the criteria, and gives 1 to 5. Criteria say what must be there, point by
# point; a reference is a good answer to compare with.
test_cases:
  - id: late-parcel
    variables:
      message: The parcel was due on Monday and has not come.
    evaluation: llm_judge
    criteria: |
      Says sorry for the delay.
      Names one concrete next step, such as tracing the parcel or sending another one.
    tags: [easy]

  - id: third-time-broken
    variables:
      message: This is the third cup that arrives broken. I have had enough.
    evaluation: llm_judge
    criteria: |
      Takes up that it is the third time before it offers anything.
      Offers a refund or a replacement.
      Does not blame the customer or the carrier.
    tags: [edge_case]

  - id: opening-hours
    variables:
      message: Until when can I phone you?
    evaluation: llm_judge
    criteria: |
      Does not make up opening hours.
      Says where the customer can find them, or offers to have somebody call back.
    reference: I do not have our phone hours at hand. They are on the contact page, or a colleague can call you.
    tags: [medium]
"""


def starter(answers: StarterAnswers) -> str:
    """Return the file that the answers come to."""
    top = _TOP.format(
        gate=_GATE if answers.models == (STAND_IN,) else _NO_GATE,
        name=_quoted(answers.name),
        name_in_comment=answers.name,
        models="\n".join(f"  - {_quoted(model)}" for model in answers.models),
    )
    is_judged, is_stand_in = answers.mode == LLM_JUDGE, STAND_IN in answers.models
    if is_stand_in:
        top += _STAND_IN_TOP + (_STAND_IN_JUDGED if is_judged else _STAND_IN_EXACT)
    return top + (_JUDGED.format(judge=_quoted(STAND_IN_JUDGE if is_stand_in else JUDGE)) if is_judged else _EXACT)


def _quoted(text: str) -> str:
    """Return text as YAML's double quotes hold it, which hold what JSON's do."""
    return json.dumps(text, ensure_ascii=False)
