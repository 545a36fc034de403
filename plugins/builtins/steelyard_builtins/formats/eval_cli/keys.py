"""Which keys a suite of the eval tool may have, and where. Others are left unread, with a warning."""

from __future__ import annotations

TOP_LEVEL = frozenset(
    {
        "cases",
        "dataset",
        "dataset_limit",
        "dataset_sample",
        "description",
        "max_tokens",
        "model",
        "name",
        "pricing",
        "provider",
        "system_prompt",
        "temperature",
    }
)
"""``pricing`` is ours: nobody but the user knows what a model costs whose provider says neither prices nor costs."""
PRICING = frozenset({"cache_read_per_mtok", "cache_write_per_mtok", "input_per_mtok", "output_per_mtok"})
CASE = frozenset({"criteria", "id", "prompt", "turns"})
TURN = frozenset({"content", "role"})
CRITERIA = {
    "exact_match": frozenset({"case_sensitive", "type", "value"}),
    "contains": frozenset({"case_sensitive", "type", "value"}),
    "max_words": frozenset({"type", "value"}),
    "regex": frozenset({"flags", "type", "value"}),
    "llm_judge": frozenset({"model", "pass_threshold", "rubric", "type"}),
    "code_execution": frozenset({"expected_output", "isolation", "language", "test_code", "timeout_ms", "type"}),
}
"""The criteria that the tool has itself, each with its keys. ``isolation`` is ours: whoever runs what models write must
be able to insist on it."""
CONFIG = frozenset(
    {
        "anthropic_api_key",
        "cache_enabled",
        "default_model",
        "default_provider",
        "gemini_api_key",
        "judge_model",
        "openai_api_key",
        "results_dir",
    }
)
