"""The evalkit format: a suite of tasks for one target, with the verdicts that evalkit 0.2 gives.

What a grader becomes, as a scorer with its options. Placeholders are filled in when a task is read; options that a
suite leaves out are left to the scorer unless its default is another than evalkit's.

===============  ================  ===================================================================================
grader           scorer            options
===============  ================  ===================================================================================
``exact``        ``exact_match``   ``value`` (text; the task's expected by default), ``ignore_case`` (false), ``strip``
``contains``     ``contains``      ``value`` (texts; the task's expected by default), ``mode``, ``ignore_case``
``regex``        ``regex``         ``pattern``, ``ignore_case``, ``fullmatch``
``json_schema``  ``json_schema``   ``schema`` or ``schema_file``, ``extract``; ``formats`` false: evalkit checks none
``numeric``      ``numeric``       ``value`` (the task's expected by default), ``abs_tol``, ``rel_tol``, ``pick``
``python``       ``python``        ``function``, ``args``
``llm_judge``    ``llm_judge``     ``rubric``, ``scale`` (5), ``min_score`` (scale - 1), ``model`` (the id of a judge),
                                   ``temperature`` and ``max_tokens`` null: they are said where the judge is
===============  ================  ===================================================================================

Where it differs from evalkit on purpose:

- What cannot work is found before the first call: an unknown variable, a grader without a value, a schema or function
  that is not there, a key that is not set. The exit code is 1 then, as for every other file that is wrong.
- A boolean is refused where text is compared: YAML reads an unquoted yes as one, and nobody means ``'true'`` by it.
- A time such as ``12:30`` or ``2026-01-05T10:00:00Z`` stays the text that it is. A key that stands twice, and an empty
  name or id, is an error; keys that begin with ``_`` or ``x-`` are yours.
- What looks like a placeholder and is none (``{{ my-var }}``) is a warning; it is sent as it stands, as in evalkit.
- Numbers and flags in quotes are refused, except where they come from the environment.
- ``fail_under: 0`` lets no run pass in which nothing could be scored.
- ``output`` and ``prompt``, which evalkit's documents do not name, are no variables of graders' templates.
- A program gets the prompt on its standard input unless an argument holds ``{{prompt}}``, as evalkit's documents say;
  evalkit sends nothing there once any placeholder stands in an argument. A line of its output ends alike everywhere.
- A model's reply without text is an error, since a must-not check would pass on it; so is a null where a service's
  answer should stand.
- ``contains`` scores the share of texts found for mode ``any`` too, as evalkit's documents say; evalkit gives 1.
  Nothing to look for (an empty text or list) is an error, for every output would pass.
- ``json_schema`` takes the last code fence or object of several, where evalkit takes the first: drafts and examples
  come before answers. JSON in which a key stands twice is none, where evalkit takes the last of them.
- ``python``: a bare score beyond 0 to 1, such as 85 for per cent, is an error, where evalkit makes 1 of it. A score
  with a reason, and a dictionary with ``passed`` or with nothing but ``score``, are understood; evalkit refuses them.
  A function has 60 seconds, whatever the target's ``timeout``; then the case is an error.
- A judge's reply without a readable score is an error of the case, negated or not: nothing was judged. Evalkit fails
  the case, and passes it when negated. A score beyond the scale is such a reply, and one outside a JSON object too.
- ``numeric`` compares decimal numbers digit by digit; ``3,14`` is no 314, the hyphen of ``10-20`` no sign, and the
  minus sign of Unicode one; ``1/2`` is a half and not 2, ``12,34,567`` and ``1'234`` are one number each, and ``1,2,3``
  are three. What is part of a word or a version (``item3``, ``v1.2.3``) is no number.
- Bytes of a text from a service or a program that its encoding does not have become U+FFFD.
- NaN is no JSON and no score, and the two ways to write an accented letter are the same text.
- Of repeats, a run that broke counts as not passed but has no score; a case is an error when those that broke could
  have made it pass. ``-o evalkit:FILE`` counts them as evalkit does.
- A task's id in a data file may be a number; its text is the id. A row of a CSV file is a task as well. A byte order
  mark does no harm.
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
    return [
        FormatSpec(
            name="evalkit",
            summary="Suites of evalkit: a target, tasks and graders",
            create=create,
            gates_scores=True,
            one_target=True,
        )
    ]
