"""``benchmark-file.md``: the keys of a native benchmark file, from the JSON Schema that editors use too."""

from __future__ import annotations

from steelyard._config.tools import Tools

from .built_ins import built_ins
from .json_schemas import key_parts
from .markup import heading, page

NATIVE = "native"


def benchmark_file_page() -> str:
    """Return the page."""
    (native,) = [found for found in built_ins("format") if found.spec.name == NATIVE]
    schema = native.spec.create(Tools({})).schema()
    return page(
        "The benchmark file",
        "the JSON Schema of the native format",
        "A benchmark is one YAML or JSON file. Keys that begin with `_` or `x-` are yours, anywhere; any other unknown "
        "key is an error that names its line.",
        heading(2, "The file"),
        *key_parts(schema, 2),
    )
