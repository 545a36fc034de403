"""``settings.md``: the keys of settings files, the environment variables, and what wins over what."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from typing import Any

from steelyard._config import dotenv, settings, settings_environment, settings_files, settings_layers
from steelyard._config.option_plans import fields_of, limits_of
from steelyard._config.settings_layers import SettingsKeys

from .built_ins import built_ins
from .markup import code, heading, page, table
from .option_tables import type_words
from .prose import one_line, prose


def settings_page() -> str:
    """Return the page."""
    return page(
        "Settings",
        "src/steelyard/_config",
        f"{_paragraphs(settings)[1]} {_paragraphs(settings_layers.Layer.over)[1]}",
        heading(2, "Keys"),
        "The keys of a settings file, and the environment variable that says the same. A list in a variable is "
        "separated by commas.",
        table(("key", "variable", "type", "default", "meaning"), _keys()),
        heading(2, "Files"),
        *_paragraphs(settings_files)[1:],
        f"The user's own file is `settings.yaml` in the user's configuration folder, or the file that "
        f"{code(settings_environment.USER_FILE)} names.",
        heading(2, "`.env`"),
        "The `.env` of the folder one runs in, or of its nearest parent that has one, adds to the environment; "
        "variables that are set already win.",
        *_paragraphs(dotenv)[1:],
        heading(2, "Keys of providers"),
        "The variable that holds a provider's key unless its option `api_key_env` names another.",
        table(("provider", "variable"), _provider_keys()),
    )


def _paragraphs(documented: Any) -> list[str]:
    return prose(inspect.getdoc(documented)).split("\n\n")


def _keys() -> Iterator[tuple[str, ...]]:
    variables = {key: name for name, key in settings_environment.VARIABLES.items()}
    for field, hint in fields_of(SettingsKeys):
        variable = variables.get(field.name)
        yield (
            code(field.name),
            code(variable) if variable else "–",
            type_words(hint, tuple(limits_of(field))),
            _default(field.name),
            one_line(field.metadata["doc"]),
        )


def _default(key: str) -> str:
    fields = {field.name: field for field in dataclasses.fields(settings.Settings)}
    field: dataclasses.Field[Any] = fields[key] if key in fields else fields[f"{key}_s"]
    value = None if field.default is dataclasses.MISSING else field.default
    if value is None or value == ():
        return "–"
    return code(value.as_posix() if hasattr(value, "as_posix") else f"{value:g}")


def _provider_keys() -> Iterator[tuple[str, str]]:
    for found in built_ins("provider"):
        options = {field.name: field for field in dataclasses.fields(found.spec.settings)}
        if "api_key_env" in options:
            variable = options["api_key_env"].default
            yield code(found.spec.name), code(str(variable)) if variable else "none needed"
