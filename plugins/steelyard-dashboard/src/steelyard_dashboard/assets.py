"""The style, the script and the icon: a fixed table in memory, so that no path from a request reaches the disk."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from .results.runs import NotFoundError

_TYPES: Final = {
    "dashboard.css": "text/css; charset=utf-8",
    "live.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file of ours."""

    content: bytes
    media_type: str
    tag: str
    """Changes with the content."""


def load_assets() -> Mapping[str, Asset]:
    """Read the files, by name."""
    folder = files(__package__) / "static"
    return {name: _asset((folder / name).read_bytes(), media_type) for name, media_type in _TYPES.items()}


def asset(assets: Mapping[str, Asset], request: Request) -> Response:
    """Answer a request for one of them. Raises ``NotFoundError`` for any other name."""
    found = assets.get(request.path_params["name"])
    if found is None:
        raise NotFoundError("no such file")
    headers = {"ETag": found.tag, "Cache-Control": "no-cache"}
    if request.headers.get("if-none-match") == found.tag:
        return Response(status_code=304, headers=headers)
    return Response(found.content, media_type=found.media_type, headers=headers)


def _asset(content: bytes, media_type: str) -> Asset:
    return Asset(content, media_type, f'"{hashlib.sha256(content).hexdigest()[:16]}"')
