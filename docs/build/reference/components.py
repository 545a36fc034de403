"""``providers.md``, ``scorers.md``, ``reporters.md``, ``caches.md`` and ``formats.md``: what is built in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from steelyard._config.tools import Tools
from steelyard._session.model_options import CallOptions, RequestOptions

from .built_ins import BuiltIn, built_ins
from .json_schemas import key_parts
from .markup import code, heading, page, table
from .option_tables import option_parts
from .prose import one_line, prose

_ADDED = "`steelyard plugins` lists what is installed, that of other distributions included."


def providers_page() -> str:
    """Return the page of providers."""
    intro = "What answers a request. A benchmark names one by `PROVIDER:MODEL` or by `provider: NAME`."
    return page(
        "Providers",
        "the settings of the built-in providers",
        f"{intro} {_ADDED}",
        _summaries("provider"),
        heading(2, "Options of every model"),
        "Beside the options of its provider, a model takes these; so does a provider under `providers`, for all its "
        "models.",
        heading(3, "The request"),
        *option_parts(RequestOptions, 3),
        heading(3, "The call"),
        *option_parts(CallOptions, 3),
        *_sections("provider", "", _provider_facts),
    )


def scorers_page() -> str:
    """Return the page of scorers."""
    intro = "What judges an output. A case names one by `evaluation: NAME`, or several under `scorers`."
    return page(
        "Scorers",
        "the settings of the built-in scorers",
        f"{intro} {_ADDED}",
        _summaries("scorer"),
        "Every entry of `scorers` also takes `type`, `name`, `weight`, `negate`, `threshold` and `turn`: see the "
        "[benchmark file](benchmark-file.md#scorer).",
        *_sections("scorer", "score", _no_facts),
    )


def reporters_page() -> str:
    """Return the page of reporters."""
    intro = "What shows or writes a run: `-o FILE` chooses by the file's ending, `-o NAME:FILE` and `--reporter NAME` "
    intro += "by name."
    return page(
        "Reporters",
        "the settings of the built-in reporters",
        f"{intro} {_ADDED}",
        _summaries("reporter"),
        *_sections("reporter", "", _reporter_facts),
    )


def caches_page() -> str:
    """Return the page of caches."""
    intro = (
        "What keeps replies. A benchmark or the settings name one by `cache: NAME`; `cache: false` uses none. Its "
        "options stand in the [settings](settings.md), `caches: {NAME: {…}}`, and hold for runs and `steelyard cache`."
    )
    return page(
        "Caches",
        "the settings of the built-in caches",
        f"{intro} {_ADDED}",
        _summaries("cache"),
        *_sections("cache", "", _cache_facts),
    )


def formats_page() -> str:
    """Return the page of formats."""
    intro = "What reads a suite file. A file's own keys say which format it has; `--format NAME` forces one."
    parts = []
    for found in built_ins("format"):
        reader = found.spec.create(Tools({}))
        parts += [heading(2, code(found.spec.name)), prose(found.module_doc)]
        facts = []
        if hasattr(reader, "with_dataset"):
            facts.append("Its cases can be read from another data file: `--dataset FILE`.")
        if found.spec.name == "native":
            facts.append("Its keys are on a page of their own: [the benchmark file](benchmark-file.md).")
        elif hasattr(reader, "schema"):
            parts += key_parts(reader.schema(), 3, prefix=f"{found.spec.name}: ")
        parts.append("\n".join(f"- {fact}" for fact in facts))
    return page("Formats", "the built-in formats", f"{intro} {_ADDED}", _summaries("format"), *parts)


def _summaries(kind: str) -> str:
    rows = [(f"[{code(one.spec.name)}](#{one.spec.name})", one.spec.summary) for one in built_ins(kind)]
    return table((kind, "in short"), rows)


def _sections(kind: str, method: str, facts: Any) -> Iterator[str]:
    for found in built_ins(kind):
        yield heading(2, code(found.spec.name))
        yield prose(found.module_doc)
        yield prose(found.class_doc(method)) if method else ""
        yield "\n".join(f"- {fact}" for fact in facts(found))
        yield from option_parts(found.spec.settings, 3)


def _no_facts(_found: BuiltIn) -> Iterator[str]:
    yield from ()


def _provider_facts(found: BuiltIn) -> Iterator[str]:
    if not found.spec.cached:
        yield "Its replies are not cached unless `cache: true` says so."
    if not found.spec.needs_model:
        yield "It needs no model's name."
    if found.spec.usage_required:
        yield "A reply without token counts is an `api_error`."


def _reporter_facts(found: BuiltIn) -> Iterator[str]:
    if found.spec.automatic:
        yield "Takes part in every run without being asked for."
    if found.spec.prints:
        yield "Writes to standard output where no file is named."
    if found.spec.extensions:
        yield f"Chosen by the ending {', '.join(map(code, found.spec.extensions))}."


def _cache_facts(found: BuiltIn) -> Iterator[str]:
    if found.spec.default:
        yield one_line("Used where nobody names one.")
