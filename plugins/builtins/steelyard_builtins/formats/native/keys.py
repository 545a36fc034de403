"""Which keys a native file may have, and where."""

from __future__ import annotations

DEFAULT_PROVIDER = "openrouter"
"""The provider of a model that is named by its name alone."""

TOP_LEVEL = frozenset(
    {
        "$schema",
        "cache",
        "case",
        "case_pass_rate",
        "cluster",
        "concurrency",
        "description",
        "evaluation",
        "extends",
        "gate",
        "inference",
        "judges",
        "max_cost_usd",
        "metadata",
        "models",
        "name",
        "prompts",
        "providers",
        "quality_threshold",
        "repeat",
        "require_plugins",
        "retries",
        "retry_backoff",
        "scorers",
        "test_cases",
        "timeout",
        "variables",
    }
)

CASE = frozenset(
    {
        "criteria",
        "evaluation",
        "expected_output",
        "human_score",
        "id",
        "input",
        "metadata",
        "reference",
        "scorers",
        "tags",
        "turns",
        "variables",
    }
)
"""What a test case may hold besides the options of the scorer that its ``evaluation`` names."""

PROMPT = frozenset({"id", "system", "template"})
INFERENCE = frozenset({"max_tokens", "params", "seed", "temperature"})
EVALUATION = frozenset({"judge_max_tokens", "judge_model", "judge_threshold", "quality_threshold", "variables"})
GATE = frozenset({"confidence", "every", "model", "prompt"})
DATA_FILE = frozenset({"limit", "path", "sample", "seed"})
TURN = frozenset({"content", "role"})
MODEL = frozenset({"id", "model", "provider"})
"""What a model's mapping may hold besides the options of its provider."""

SCORER = frozenset({"name", "negate", "threshold", "turn", "type", "weight"})
"""What any entry of ``scorers`` may hold besides the options of its scorer."""


def is_private(key: str) -> bool:
    """Whether a key is the user's own: for YAML anchors, notes and the like."""
    return key.startswith(("_", "x-"))
