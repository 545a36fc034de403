"""The native format: models × prompts × test cases in one YAML or JSON file, as evalblink has it, and extended."""

# The parts of a file have a module each: `extending` (a base file), `models`, `prompts`, `judging` (the `evaluation`
# block), `scorers`, `cases` and `turns` (one case), `rows` and `filling` (cases from a data file), `running` (how to
# run), `checks` (what only shows when prompts and cases are seen together).

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import FormatSpec, FormatTools, SuiteFormat

from .keys import DEFAULT_PROVIDER


def create(tools: FormatTools) -> SuiteFormat:
    """Make the reader."""
    from .reader import NativeFormat  # noqa: PLC0415 - read only when a file is

    return NativeFormat(tools)


@hookimpl
def steelyard_register_formats() -> Iterable[FormatSpec]:
    """Offer the format."""
    return [
        FormatSpec(
            name="native",
            summary="Models, prompts and test cases in one file",
            create=create,
            default_provider=DEFAULT_PROVIDER,
        )
    ]
