"""The chat completions API: what is asked, and what an answer in its shape means.

Shared by every provider that speaks it. Errors are looked for first, in the order in which servers hide them, then the
text, then why it ended, then what it took. No body, however odd, raises anything but ``ProviderError``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from steelyard.api import Completion, Request, Usage
from steelyard.errors import ProviderError
from steelyard.text import well_formed

from ._failures import Rules, body_of, said_in
from ._http import HttpReply
from ._json import amount_of, at, count_of, list_of, mapping_of, text_of
from ._secrets import presentable

TEXT_PARTS = ("text", "output_text")
CUT_OFF = ("length", "model_length", "max_tokens", "max_output_tokens")
"""The names under which servers say that the token limit ended the output."""

_UPSTREAM_FAILED = re.compile(r"error|insufficient_system_resource|abort|cancel", re.IGNORECASE)


def chat_body(request: Request, *, limit_field: str = "max_tokens") -> dict[str, object]:
    """Return the body of a chat completions request: only what the request gives, further parameters last.

    Args:
        request: The question.
        limit_field: What the server calls the largest number of output tokens.
    """
    parameters = request.parameters
    given = {
        "temperature": parameters.temperature,
        limit_field: parameters.max_tokens,
        "seed": parameters.seed,
    }
    return {
        "model": request.model,
        "messages": [{"role": message.role, "content": message.content} for message in request.messages],
        **{name: value for name, value in given.items() if value is not None},
        **parameters.params,
    }


def read_chat(reply: HttpReply, rules: Rules) -> Completion:
    """Return the answer that a reply holds. Raises ``ProviderError`` when it holds a failure."""
    body = body_of(reply, rules)
    choice = _choice(reply, body, rules)
    message = mapping_of(choice.get("message"))
    text = text_of_content(message.get("content"))
    reason = _finish_reason(choice)
    usage = usage_of(at(body, "usage"))
    _raise_if_upstream_failed(choice, text, reason, usage, rules)
    return Completion(
        text=text,
        usage=usage,
        finish_reason=reason,
        cost_usd=cost_of(mapping_of(at(body, "usage"))),
        model=text_of(at(body, "model")) or None,
        problem=_problem(text, reason, message, rules),
    )


def text_of_content(content: object) -> str:
    """Return the text of a message's content: as it is, or the text parts of a list joined, without thinking."""
    if isinstance(content, str):
        return well_formed(content)
    parts = (mapping_of(part) for part in list_of(content))
    texts = (text_of(part.get("text")) for part in parts if part.get("type") in TEXT_PARTS and not part.get("thought"))
    return well_formed("".join(texts))


def usage_of(usage: object) -> Usage:
    """Return token counts as the API counts them: cached tokens inside the prompt, thinking inside the output."""
    prompt, completion = count_of(at(usage, "prompt_tokens")), count_of(at(usage, "completion_tokens"))
    read = count_of(at(usage, "prompt_tokens_details", "cached_tokens"))
    # DeepSeek and Moonshot count them at the top, inside the prompt as well.
    for name in ("prompt_cache_hit_tokens", "cached_tokens"):
        read = count_of(at(usage, name)) if read is None else read
    written = count_of(at(usage, "prompt_tokens_details", "cache_write_tokens"))
    read = _at_most(prompt, read)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        cache_read_tokens=read,
        cache_write_tokens=_at_most(None if prompt is None else prompt - (read or 0), written),
        reasoning_tokens=_at_most(completion, count_of(at(usage, "completion_tokens_details", "reasoning_tokens"))),
    )


def cost_of(usage: Mapping[str, object]) -> float | None:
    """Return what the server says that it charged, in USD; ``None`` when it says nothing.

    With a key of one's own at the model's maker (``is_byok``), ``cost`` is only the fee of the service in between, and
    the maker's own price is named apart; where it is not, the whole is unknown.
    """
    fee = amount_of(usage.get("cost"))
    if fee is None or usage.get("is_byok") is not True:
        return fee
    upstream = amount_of(at(usage, "cost_details", "upstream_inference_cost"))
    return None if upstream is None else fee + upstream


def _choice(reply: HttpReply, body: object, rules: Rules) -> Mapping[str, object]:
    """Return the first choice, after looking for errors in the whole and in every choice."""
    if (said := said_in(body)) is not None:
        raise rules.failure(reply, said)
    choices = [mapping_of(choice) for choice in list_of(at(body, "choices"))]
    for choice in choices:
        if (said := said_in({"error": choice.get("error")})) is not None:
            raise rules.failure(reply, said)
    if not choices:
        raise ProviderError(f"{rules.name}: no choices in the answer", retryable=True)
    if not isinstance(choices[0].get("message"), dict) and not choices[0].get("finish_reason"):
        raise ProviderError(f"{rules.name}: no message in the answer", retryable=True)
    return choices[0]


def _finish_reason(choice: Mapping[str, object]) -> str | None:
    reason = text_of(choice.get("finish_reason"))
    return "length" if reason in CUT_OFF else reason or None


def _raise_if_upstream_failed(
    choice: Mapping[str, object], text: str, reason: str | None, usage: Usage, rules: Rules
) -> None:
    """Raise for a reply that ended in a failure further up, which may go better next time."""
    if reason == "error":
        raise ProviderError(f"{rules.name}: the model failed on the way (finish_reason: error)", retryable=True)
    if text.strip():
        return
    native = text_of(choice.get("native_finish_reason"))
    if odd := next((word for word in (reason, native) if word and _UPSTREAM_FAILED.search(word)), None):
        said = presentable(odd, rules.secrets, 60)
        raise ProviderError(f"{rules.name}: empty reply, the model failed on the way ({said})", retryable=True)
    message = mapping_of(choice.get("message"))
    told = message.get("tool_calls") or message.get("refusal")
    if reason is None and not usage.completion_tokens and not told:
        raise ProviderError(f"{rules.name}: empty reply without a finish_reason", retryable=True)


def _problem(text: str, reason: str | None, message: Mapping[str, object], rules: Rules) -> str | None:
    """Say why a final reply holds nothing to grade; ``None`` when it holds an answer."""
    refusal = text_of(message.get("refusal")).strip()
    if reason == "content_filter":
        return f"stopped by a content filter (finish_reason: content_filter){_quoted(refusal, rules)}"
    if text.strip():
        return None
    if reason == "length":
        return "empty reply (finish_reason: length); raise max_tokens"
    if refusal:
        return f"refused{_quoted(refusal, rules)}"
    if message.get("tool_calls") or message.get("function_call"):
        return "no text (tool_calls)"
    return f"empty reply (finish_reason: {reason or 'none'})"


def _quoted(words: str, rules: Rules) -> str:
    return f": {presentable(words, rules.secrets, 200)}" if words else ""


def _at_most(whole: int | None, part: int | None) -> int | None:
    """Return a part that is no larger than the whole it belongs to."""
    return part if part is None or whole is None else min(part, whole)
