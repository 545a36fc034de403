"""Whether one combo is really better than another: the tests of ``steelyard compare``, for whoever shows results.

For reporters, pages and notebooks, so that every place that shows a difference gives it the same verdict.
"""

from __future__ import annotations

from ._engine.compare_combos import compare_combos

__all__ = ["compare_combos"]
