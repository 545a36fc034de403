"""What models cost and can do, as their providers' catalogs say; kept for 24 hours in ``models.json``.

One file for all providers: each entry is keyed by the provider and its settings, so that a catalog of one address is
never taken for another's.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from .._config.options import canonical
from .._engine.threads import Threads, settle
from ..api import NO_PRICING, ModelInfo, Pricing
from ..errors import ProviderError, SteelyardError
from ..records import write_file
from .components import Made

KEPT_S = 24 * 3600.0
FILE = "models.json"


class Catalog:
    """Fetches catalogs and keeps them."""

    def __init__(
        self, cache_dir: Path, *, threads: Threads, warn: Callable[[str], None], now: Callable[[], float] = time.time
    ) -> None:
        self.path = cache_dir / FILE
        self._threads = threads
        self._warn = warn
        self._now = now
        self._loaded: dict[str, asyncio.Future[tuple[ModelInfo, ...]]] = {}

    def pricing_of(self, made: Made, model: str) -> Callable[[], Awaitable[Pricing]] | None:
        """Return what looks up a model's price; ``None`` for a provider without a catalog."""
        if getattr(made.component, "models", None) is None:
            return None

        async def look_up() -> Pricing:
            try:
                found = find(await self.models(made), model)
            except ProviderError as exc:
                self._warn(f"{made.offer.kind} {made.offer.name!r}: no prices from the model catalog: {exc}")
                return NO_PRICING
            return found.pricing if found else NO_PRICING

        return look_up

    async def models(self, made: Made, *, refresh: bool = False) -> tuple[ModelInfo, ...]:
        """Return a provider's catalog, from disk when it is fresh. Raises ``ProviderError`` when it cannot be had."""
        key = _key(made)
        # One fetch for all who ask at the same time.
        if key not in self._loaded or refresh:
            self._loaded[key] = asyncio.ensure_future(self._load(made, key, refresh=refresh))
        try:
            return await asyncio.shield(self._loaded[key])
        except BaseException:
            self._loaded.pop(key, None)
            raise

    async def _load(self, made: Made, key: str, *, refresh: bool) -> tuple[ModelInfo, ...]:
        if not refresh:
            kept = self._kept(key)
            if kept is not None:
                return kept
        fetch = settle(made.component.models, inline=False, threads=self._threads)
        models = tuple(await fetch())
        self._keep(key, models)
        return models

    def _kept(self, key: str) -> tuple[ModelInfo, ...] | None:
        entry = self._file().get(key)
        try:
            if not 0 <= self._now() - float(entry["fetched_at"]) < KEPT_S:
                return None
            return tuple(_model(fields) for fields in entry["models"])
        except (TypeError, KeyError, ValueError, AttributeError):
            # A damaged file counts as none: it is written anew.
            return None

    def _file(self) -> Any:
        try:
            content = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        return content if isinstance(content, dict) else {}

    def _keep(self, key: str, models: Iterable[ModelInfo]) -> None:
        entry = {"fetched_at": self._now(), "models": [asdict(model) for model in models]}
        text = json.dumps({**self._file(), key: entry}, ensure_ascii=True, allow_nan=False)
        try:
            write_file(self.path, [text.encode()])
        except SteelyardError as exc:
            self._warn(f"could not keep the model catalog ({exc}); it is fetched again next time")


def find(models: Iterable[ModelInfo], name: str) -> ModelInfo | None:
    """Return the entry of a model. A routing suffix that no entry has (``:nitro``) is left off."""
    by_id = {model.id: model for model in models}
    return by_id.get(name) or by_id.get(name.rpartition(":")[0])


def _key(made: Made) -> str:
    settings = json.dumps(canonical(made.settings), sort_keys=True, default=str)
    address = getattr(made.component, "base_url", "")
    return f"{made.offer.name}:{hashlib.sha256(f'{settings}{address}'.encode()).hexdigest()[:16]}"


def _model(fields: dict[str, Any]) -> ModelInfo:
    tuples = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
    return ModelInfo(**{**fields, **tuples, "pricing": Pricing(**fields["pricing"])})
