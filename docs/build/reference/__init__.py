"""The reference pages, each made from the code it is about."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .benchmark_file import benchmark_file_page
from .command_line import command_line_page
from .components import caches_page, formats_page, providers_page, reporters_page, scorers_page
from .public_names import api_page, errors_page, hooks_page, testing_page
from .reliability import PAGE as RELIABILITY
from .reliability import reliability_page
from .settings_page import settings_page

PAGES: Final[Mapping[str, Callable[[], str]]] = {
    RELIABILITY: reliability_page,
    "docs/reference/api.md": api_page,
    "docs/reference/benchmark-file.md": benchmark_file_page,
    "docs/reference/caches.md": caches_page,
    "docs/reference/cli.md": command_line_page,
    "docs/reference/errors.md": errors_page,
    "docs/reference/formats.md": formats_page,
    "docs/reference/hooks.md": hooks_page,
    "docs/reference/providers.md": providers_page,
    "docs/reference/reporters.md": reporters_page,
    "docs/reference/scorers.md": scorers_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/testing.md": testing_page,
}
"""Where each page lies, from the root of the repository, and what makes it."""
