"""Which keys an evalkit suite may have, and where. All others are errors."""

from __future__ import annotations

TOP_LEVEL = frozenset(
    {"description", "graders", "judge", "name", "prompt", "settings", "system", "target", "tasks", "version"}
)
TASK = frozenset({"expected", "graders", "id", "input", "metadata", "tags", "vars"})
SETTINGS = frozenset(
    {
        "cache",
        "cache_path",
        "concurrency",
        "fail_under",
        "repeat",
        "retries",
        "retry_backoff",
        "seed",
        "task_pass_rate",
    }
)
GRADER = frozenset({"name", "negate", "type", "weight"})
"""What any grader may hold besides its own options."""
OPTIONS = {
    "exact": frozenset({"ignore_case", "strip", "value"}),
    "contains": frozenset({"ignore_case", "mode", "value"}),
    "regex": frozenset({"fullmatch", "ignore_case", "pattern"}),
    "json_schema": frozenset({"extract", "schema", "schema_file"}),
    "numeric": frozenset({"abs_tol", "pick", "rel_tol", "value"}),
    "python": frozenset({"args", "function"}),
    "llm_judge": frozenset({"min_score", "provider", "rubric", "scale"}),
}
"""The graders there are, each with its own options."""
