"""JSON schema: the output is JSON, or holds it, and the JSON is valid against a schema.

Stricter than a reader of JSON has to be: NaN, keys that stand twice and unknown dates are no valid answer. Schemas are
never fetched from the network, and their patterns have a time limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from steelyard import hookimpl
from steelyard.api import Ask, Case, JsonMapping, Output, PluginContext, Score, Scorer, ScorerSpec, option
from steelyard.errors import ScorerError, UsageError
from steelyard.text import one_line

from ._json_answer import Kind, read_answer

if TYPE_CHECKING:
    from ._schema_validation import SchemaValidation

REASON_LENGTH = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonSchemaSettings:
    """The options of JSON schema; exactly one of ``schema`` and ``schema_file`` is given."""

    schema: JsonMapping | None = option(None, doc="The JSON Schema (draft 2020-12 unless it names another).")
    schema_file: str | None = option(None, doc="A JSON or YAML file with the schema, relative to the benchmark.")
    extract: bool = option(default=True, doc="Whether JSON inside code fences or prose counts.")
    formats: bool = option(default=True, doc="Whether 'format' (date, email …) is checked, or only a note for readers.")


class JsonSchema:
    """Validates the JSON of an answer."""

    def __init__(self, settings: JsonSchemaSettings, validation: SchemaValidation, kind: Kind | None) -> None:
        self._extract = settings.extract
        self._validation = validation
        self._kind = kind

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when the JSON is valid."""
        del case, ask
        try:
            value = read_answer(output.text, extract=self._extract, kind=self._kind)
        except ValueError as error:
            return Score(value=0.0, passed=False, reason=one_line(str(error), REASON_LENGTH))
        try:
            problem = self._validation.problem(value)
        except TimeoutError as error:
            raise ScorerError(f"schema: {error}") from error
        except RecursionError as error:
            raise ScorerError("schema: refers to itself without an end, or the answer is nested too deeply") from error
        except LookupError as error:
            raise ScorerError(
                f"schema: a reference cannot be resolved: {one_line(str(error), REASON_LENGTH)}"
            ) from error
        if problem is not None:
            return Score(value=0.0, passed=False, reason=one_line(problem, REASON_LENGTH))
        return Score(value=1.0, passed=True, reason="valid against the schema")


def create(settings: JsonSchemaSettings, context: PluginContext) -> Scorer:
    """Read and compile the schema. Raises ``UsageError`` when that fails."""
    from ._schema_validation import SchemaValidation  # noqa: PLC0415 - imports jsonschema

    if (settings.schema is None) == (settings.schema_file is None):
        raise UsageError("json_schema: give either 'schema' or 'schema_file'")
    schema: object = settings.schema
    if settings.schema_file is not None:
        schema = context.load(context.base_dir / settings.schema_file)
    return JsonSchema(settings, SchemaValidation(schema, formats=settings.formats), _kind(schema))


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[JsonSchemaSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="json_schema",
            summary="Output is JSON that is valid against the schema",
            settings=JsonSchemaSettings,
            create=create,
        )
    ]


def _kind(schema: object) -> Kind | None:
    wanted = schema.get("type") if isinstance(schema, Mapping) else None
    if wanted == "object":
        return "object"
    return "array" if wanted == "array" else None
