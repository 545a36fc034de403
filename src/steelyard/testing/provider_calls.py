"""How the checks of providers ask, and what makes one request another."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..api import Completion, Message, Parameters, Request


async def completed(provider: Any, request: Request) -> Completion:
    """Ask as the host does: a plain function in a thread of its own."""
    if inspect.iscoroutinefunction(provider.complete):
        answer: Completion = await provider.complete(request)
        return answer
    return await asyncio.to_thread(provider.complete, request)


def other_requests(request: Request) -> Mapping[str, Request]:
    """Return requests that may get another answer than this one, by what is other about them."""
    return {
        "model": replace(request, model=f"{request.model}-2"),
        "message": replace(request, messages=(Message(role="user", content="another"),)),
        "role": replace(request, messages=(*request.messages, Message(role="assistant", content="a"))),
        "temperature": replace(request, parameters=Parameters(temperature=0.5)),
        "max_tokens": replace(request, parameters=Parameters(max_tokens=7)),
        "parameter": replace(request, parameters=Parameters(params={"top_p": 0.5})),
    }
