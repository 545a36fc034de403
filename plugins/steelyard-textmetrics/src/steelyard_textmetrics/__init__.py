"""Text metrics: how close an output is to texts that people wrote, by measures that papers name.

The measures are those of sacrebleu, rouge-score and rapidfuzz; here they become scorers. A library is imported when a
benchmark uses it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from steelyard import hookimpl
from steelyard.api import ScorerSpec

from .bleu import SPEC as BLEU
from .chrf import SPEC as CHRF
from .edit_distance import SPEC as EDIT_DISTANCE
from .rouge import SPEC as ROUGE
from .token_set_ratio import SPEC as TOKEN_SET_RATIO


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[Any]]:
    """Offer the scorers."""
    return [BLEU, CHRF, ROUGE, EDIT_DISTANCE, TOKEN_SET_RATIO]
