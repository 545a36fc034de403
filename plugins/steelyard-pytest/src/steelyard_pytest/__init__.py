"""Benchmarks of steelyard as tests of pytest: one test for each case, model and prompt."""

from __future__ import annotations

__all__ = ["SteelyardWarning"]


class SteelyardWarning(UserWarning):
    """What steelyard would say on standard error; pytest lists it with its warnings."""
