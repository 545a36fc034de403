"""What a run will cost at most, before anything is called.

Prompt tokens are ceil(characters / 4) over all rendered prompts of a combo; output tokens are the ceiling: the token
limit (or the model's own, if lower) times the number of answers. Each answer of a conversation is asked for with all
that was said before, earlier answers included, which are taken to be as long as they can be. A judge is taken to use
its whole budget too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from ..api import Case, Message, ModelInfo, PlannedAsk, Pricing

CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedModel:
    """A model of the estimate, with what is known about it."""

    id: str
    pricing: Pricing
    max_tokens: int | None
    """The limit that requests will carry; ``None`` when there is none."""
    info: ModelInfo | None = None
    call_cost: float | None = None
    """USD for each call, whatever its tokens; ``None`` when it goes by them."""

    @property
    def budget(self) -> int | None:
        """The most tokens that one answer can have; ``None`` when nothing limits it."""
        limits = [limit for limit in (self.max_tokens, self.info.max_output_tokens if self.info else None) if limit]
        return min(limits) if limits else None

    @property
    def priced(self) -> bool:
        """Whether it is known what a call costs: by itself, or by both prices of its tokens."""
        if self.call_cost is not None:
            return True
        return self.pricing.input_per_mtok is not None and self.pricing.output_per_mtok is not None

    def cost(self, calls: int, prompt_tokens: int, completion_tokens: int | None) -> Decimal | None:
        """Return what so many calls with so many tokens in all cost in USD; ``None`` when that is unknown."""
        if self.call_cost is not None:
            return Decimal(repr(self.call_cost)) * calls
        return price_of(self.pricing, prompt_tokens, completion_tokens)


@dataclass(slots=True)
class ComboEstimate:
    """The estimate of one combo."""

    model: str
    prompt_id: str
    prompt_tokens: int = 0
    completion_tokens: int | None = 0
    """``None`` when nothing limits the output."""
    own_cost: Decimal | None = None
    """USD for the answers; ``None`` when the price or the limit is unknown."""
    judge_cost: Decimal | None = field(default_factory=Decimal)
    """USD for judging them; ``None`` when a judge's price is unknown."""

    @property
    def cost(self) -> Decimal | None:
        """USD in all; ``None`` when the model's own part is unknown."""
        return None if self.own_cost is None else self.own_cost + (self.judge_cost or 0)


Asks = Callable[[Case, Sequence[Message]], Iterable[PlannedAsk]]


def estimate_combo(
    model: PricedModel,
    prompt_id: str,
    rendered: Iterable[tuple[Case, Sequence[Message]]],
    *,
    asks: Asks,
    judge: Callable[[str], PricedModel],
    repeat: int = 1,
) -> ComboEstimate:
    """Estimate one combo from its rendered prompts; calls nothing."""
    characters = answers = repeated = 0
    budget = model.budget
    judging: Decimal | None = Decimal(0)
    for case, messages in rendered:
        earlier = 0
        sent: Sequence[Message] = messages
        for earlier, sent in enumerate(_calls(case, messages)):
            characters += sum(len(message.content) for message in sent)
            repeated += earlier
            answers += 1
        read = None if budget is None else budget * (earlier + 1)
        for ask in asks(case, sent):
            cost = _judge_cost(ask, judge(ask.model), read)
            judging = None if judging is None or cost is None else judging + cost
    prompt_tokens = (-(-characters // CHARS_PER_TOKEN) + repeated * (budget or 0)) * repeat
    completion_tokens = None if budget is None else budget * answers * repeat
    return ComboEstimate(
        model=model.id,
        prompt_id=prompt_id,
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        own_cost=model.cost(answers * repeat, prompt_tokens, completion_tokens),
        judge_cost=None if judging is None else judging * repeat,
    )


def _calls(case: Case, messages: Sequence[Message]) -> Iterator[Sequence[Message]]:
    """Go through what each call of a case sends, without the answers that came before: nobody knows them yet."""
    said = list(messages)
    for turn in case.turns:
        if turn.content is None:
            yield tuple(said)
        else:
            said.append(Message(role=turn.role, content=turn.content))
    if not case.turns or case.turns[-1].role != "assistant":
        yield tuple(said)


def _judge_cost(ask: PlannedAsk, judge: PricedModel, output_tokens: int | None) -> Decimal | None:
    """A judge reads the question and, at most, the whole of the answers; and writes its whole budget."""
    prompt_tokens = -(-ask.prompt_chars // CHARS_PER_TOKEN) + ((output_tokens or 0) if ask.includes_output else 0)
    budgets = [limit for limit in (ask.max_tokens, judge.info.max_output_tokens if judge.info else None) if limit]
    return judge.cost(1, prompt_tokens, min(budgets, default=None))


def price_of(pricing: Pricing, prompt_tokens: int, completion_tokens: int | None) -> Decimal | None:
    """Return what so many tokens cost in USD, exactly; ``None`` when a price or a count is unknown.

    However many they are, tokens that are free cost nothing.
    """
    if completion_tokens is None and pricing.output_per_mtok == 0:
        completion_tokens = 0
    if pricing.input_per_mtok is None or pricing.output_per_mtok is None or completion_tokens is None:
        return None
    per_million = Decimal(repr(pricing.input_per_mtok)) * prompt_tokens
    per_million += Decimal(repr(pricing.output_per_mtok)) * completion_tokens
    return per_million / 1_000_000
