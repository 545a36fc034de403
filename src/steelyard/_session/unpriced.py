"""Which models a budget cannot hold, told before anything is spent.

A cost is known from the prices that somebody gave, from a provider's catalog, or from what its calls are said to cost.
Of the others only their replies tell, if they do, and that is too late to be asked whether one meant it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .._engine.ledger import is_complete
from .binding import ModelBinder
from .models import ModelPlan


def unpriced(plans: Iterable[ModelPlan], binder: ModelBinder) -> Iterator[str]:
    """Give a line for each model whose price nobody knows."""
    for plan in plans:
        component = binder.made(plan).component
        told = hasattr(component, "models") or hasattr(component, "call_cost")
        # The user's own program, or a page of theirs, is billed by nobody for its tokens.
        if told or not plan.offer.spec.needs_model or is_complete(plan.call.pricing.pricing()):
            continue
        yield (
            f"model {plan.use.id!r}: its price is unknown, so max_cost_usd does not stop it unless its replies say "
            "what they cost; give it pricing: {input_per_mtok: …, output_per_mtok: …}"
        )
