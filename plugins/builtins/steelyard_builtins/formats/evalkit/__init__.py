"""The evalkit format: a suite of tasks for one target, with the verdicts that evalkit 0.2 gives.

What a grader becomes, as a scorer with its options. Placeholders are filled in when a task is read; options that a
suite leaves out are left to the scorer unless its default is another than evalkit's.

===============  ================  ===================================================================================
grader           scorer            options
===============  ================  ===================================================================================
``exact``        ``exact_match``   ``value`` (text; the task's expected by default), ``ignore_case`` (false), ``strip``
``contains``     ``contains``      ``value`` (texts; the task's expected by default), ``mode``, ``ignore_case``
``regex``        ``regex``         ``pattern``, ``ignore_case``, ``fullmatch``
``json_schema``  ``json_schema``   ``schema`` or ``schema_file``, ``extract``
``numeric``      ``numeric``       ``value`` (the task's expected by default), ``abs_tol``, ``rel_tol``, ``pick``
``python``       ``python``        ``function``, ``args``
``llm_judge``    ``llm_judge``     ``rubric``, ``scale`` (5), ``min_score`` (scale - 1), ``model`` (the id of a judge),
                                   ``temperature`` and ``max_tokens`` null: they are said where the judge is
===============  ================  ===================================================================================

Where it differs from evalkit on purpose:

- An unknown variable and a missing grader value are found before the first call.
- A boolean is refused where text is compared: YAML reads an unquoted yes as one, and nobody means ``'true'`` by it.
- What looks like a placeholder and is none (``{{ my-var }}``) is a warning; it is sent as it stands, as in evalkit.
- Numbers and flags in quotes are refused, except where they come from the environment.
- ``fail_under: 0`` lets no run pass in which nothing could be scored.
- ``output`` and ``prompt``, which evalkit's documents do not name, are no variables of graders' templates.
- ``contains`` scores the share of texts found for mode ``any`` too, as evalkit's documents say; evalkit gives 1.
- A judge's reply without a readable score is an error of the case, negated or not: nothing was judged. Evalkit fails
  the case, and passes it when negated. A score beyond the scale is such a reply.
- ``numeric`` compares decimal numbers digit by digit; ``3,14`` is no 314 and the hyphen of ``10-20`` no sign.
- NaN is no JSON and no score, and the two ways to write an accented letter are the same text.
- A task's id in a data file may be a number; its text is the id. A row of a CSV file is a task as well.
- ``settings.cache_path`` has no meaning here.
"""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import FormatSpec, FormatTools, SuiteFormat


def create(tools: FormatTools) -> SuiteFormat:
    """Make the reader."""
    from .reader import EvalkitFormat  # noqa: PLC0415 - read only when a file is

    return EvalkitFormat(tools)


@hookimpl
def steelyard_register_formats() -> Iterable[FormatSpec]:
    """Offer the format."""
    return [FormatSpec(name="evalkit", summary="Suites of evalkit: a target, tasks and graders", create=create)]
