"""A web service of one's own as the thing under test: the prompt goes into a JSON body, the answer comes out of one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import JsonValue, PluginContext, Provider, ProviderSpec, option

from ._placeholders import case_names

DEFAULT_BODY: Mapping[str, str] = {"input": "{{prompt}}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """What to ask, and where the answer stands."""

    url: str = option(doc="The address; {{prompt}} and the like after the host are filled in, escaped.")
    method: Literal["POST", "PUT", "GET"] = option("POST", doc="How to ask; GET sends the body's fields as the query.")
    headers: Mapping[str, str] = option(default_factory=dict, doc="Request headers.", secret=True)
    body: JsonValue = option(
        default_factory=lambda: dict(DEFAULT_BODY),
        doc="The JSON to send. {{prompt}}, {{system}}, {{messages}}, {{input}}, {{vars.NAME}}, {{id}}, {{expected}} "
        "and {{metadata.NAME}} are filled in; a text that is one placeholder keeps the value's type.",
    )
    output_path: str | None = option(
        None,
        doc="Where the answer stands in the reply, such as data.answer or choices.0.text; unless given, the field "
        "output, or the whole reply.",
    )
    response: Literal["json", "text", "either"] = option(
        "json", doc="Whether the reply is JSON, or the answer itself; either: JSON where its content type says so."
    )


def create(settings: HttpSettings, context: PluginContext) -> Provider:
    """Make the provider; its HTTP library is imported only here. Raises ``UsageError`` for an address that is none."""
    from ._service import Service  # noqa: PLC0415 - start-up must not pay for it

    return Service(settings, context)


def _case_names(settings: HttpSettings) -> set[str]:
    return case_names([settings.url, settings.body])


@hookimpl
def steelyard_register_providers() -> Iterable[ProviderSpec[HttpSettings]]:
    """Offer the provider."""
    return [
        ProviderSpec(
            name="http",
            summary="A web service of one's own that takes and gives JSON",
            settings=HttpSettings,
            create=create,
            cached=False,
            needs_model=False,
            case_names=_case_names,
        )
    ]
