"""The eval format: suites of the TypeScript tool ``eval``, with the verdicts that its documents give.

What a criterion becomes, as a scorer with its options. All criteria of a case must pass.

==================  ==================  ===============================================================================
criterion           scorer              options
==================  ==================  ===============================================================================
``exact_match``     ``exact_match``     ``value``, ``ignore_case`` (true unless ``case_sensitive``)
``contains``        ``contains``        ``value`` (a list of one text), ``ignore_case`` (likewise)
``max_words``       ``max_words``       ``value``
``regex``           ``regex``           ``pattern``, in Python's spelling, ``ignore_case``
``llm_judge``       ``llm_judge``       ``rubric``, ``scale`` 5, ``min_score`` (pass_threshold, 3), ``model``
``code_execution``  ``code_execution``  ``language``, ``test_code``, ``expected_output``, ``timeout_ms``, ``isolation``
any other           of the same name    its other keys
==================  ==================  ===============================================================================

``pricing`` is ours besides: what the suite's own model costs, in USD per million tokens, where its provider tells
neither its prices nor what calls cost.

``.evalrc.json``, in the folder one runs in or beside the suite, gives ``default_provider``, ``default_model``,
``judge_model``, ``cache_enabled`` and keys; the environment wins. In the folder one runs in, its keys and its
``results_dir`` hold for every command, under what the project's own settings say. A dataset is looked for in the folder
one runs in, then beside the suite.

A model that names no provider is asked at the suite's ``provider``, or else at ``default_provider``; ``provider/model``
and ``provider:model`` name another, for each provider that is built in. What a model is called decides nothing, except
for judges: one that is called ``claude…``, ``gpt…``, ``o1`` to ``o4`` or ``gemini…`` is asked at who makes it, with a
warning where that is not the suite's provider. With ``provider: openrouter``, ``openai/…`` and ``anthropic/…`` are
names of its models.

What the documents leave open is decided here: comparing text ignores case unless ``case_sensitive: true``; a text is
filled in by a row's values as they are, other values as JSON, and where a number is wanted a text that is one counts as
the number, as each cell of a CSV file is text; a key that a row does not have is an error before the
first call; rows go through the cases one row after the other; a case without an ``id`` is ``case-1``, ``case-2`` …; an
id that does not depend on the row gets the row's number.
"""

from __future__ import annotations

from collections.abc import Iterable

from steelyard import hookimpl
from steelyard.api import FormatSpec, FormatTools, SuiteFormat

from .settings_file import FILE


def create(tools: FormatTools) -> SuiteFormat:
    """Make the reader."""
    from .reader import EvalFormat  # noqa: PLC0415 - read only when a file is

    return EvalFormat(tools)


@hookimpl
def steelyard_register_formats() -> Iterable[FormatSpec]:
    """Offer the format."""
    summary = "Suites of the eval tool: cases with criteria"
    return [FormatSpec(name="eval", summary=summary, create=create, settings_file=FILE)]
