"""Cases, outputs and benchmarks with as little as a test has to say about them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..api import Benchmark, Case, Message, ModelUse, Output, PluginContext, Prompt, ScorerUse
from ..errors import TemplateError
from ..session import load_data

MODEL = "fake-model"
PROMPT = "p1"


def make_case(id: str = "case-1", **fields: Any) -> Case:  # noqa: A002 - the field's own name
    """Make a case. ``fields`` are those of :class:`~steelyard.api.Case`; ``scorers`` may name scorers by text."""
    fields["scorers"] = make_uses(fields.get("scorers", ()))
    if "evaluation" not in fields:
        fields["evaluation"] = " + ".join(use.type for use in fields["scorers"])
    return Case(id=id, **fields)


def make_output(text: str = "an answer", **fields: Any) -> Output:
    """Make an output of one prompt. ``fields`` are those of :class:`~steelyard.api.Output`."""
    defaults = {"messages": (Message(role="user", content="a question"),), "finish_reason": "stop", "model": MODEL}
    return Output(text=text, **{**defaults, **fields})


def make_context(folder: Path | None = None, **fields: Any) -> PluginContext:
    """Make the context of a component: everything lies in ``folder``, and the environment is empty.

    Without a folder, paths lead to one that does not exist. ``fields`` are those of
    :class:`~steelyard.api.PluginContext`.
    """
    folder = folder or Path(tempfile.gettempdir()) / "steelyard-no-such-folder"
    defaults: dict[str, Any] = {"base_dir": folder, "work_dir": folder, "cache_dir": folder / ".steelyard_cache"}
    defaults |= {"environ": {}, "load": load_data}
    return PluginContext(**{**defaults, **fields})


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedPrompt:
    """A prompt whose text is the same for every case, but for ``{{ name }}``, which stands for a variable."""

    id: str = PROMPT
    text: str = "{{ question }}"
    system: str | None = None

    def render(self, case: Case) -> Sequence[Message]:
        """Fill in the variables of a case. Raises ``TemplateError`` for one that is missing."""
        messages = [Message(role="system", content=self.system)] if self.system is not None else []
        return (*messages, Message(role="user", content=self._filled(case.variables)))

    def _filled(self, variables: Mapping[str, Any]) -> str:
        first, *rest = self.text.split("{{")
        parts = [first]
        for piece in rest:
            name, closed, after = piece.partition("}}")
            if not closed or name.strip() not in variables:
                raise TemplateError(f"prompt {self.id!r}: {name.strip()!r} is undefined")
            parts += [str(variables[name.strip()]), after]
        return "".join(parts)


def make_benchmark(
    cases: int | Iterable[Case] = 1,
    *,
    models: Iterable[str | ModelUse] = (MODEL,),
    prompts: Iterable[str | Prompt] = ("{{ question }}",),
    scorers: Iterable[str | ScorerUse] = (),
    **fields: Any,
) -> Benchmark:
    """Make a benchmark.

    Args:
        cases: The cases, or how many to make up: ``case-1`` with the question ``question 1`` and the expected output
            ``answer 1``, and so on.
        models: Models, or their names.
        prompts: Prompts, or their texts; the first text becomes prompt ``p1``.
        scorers: What judges the made-up cases: names of scorers, or uses with options.
        **fields: Other fields of :class:`~steelyard.api.Benchmark`.
    """
    uses = make_uses(scorers)
    made = [_made_up(number, uses) for number in range(1, cases + 1)] if isinstance(cases, int) else list(cases)
    fields.setdefault("name", "a benchmark")
    return Benchmark(
        models=tuple([ModelUse(id=model, model=model) if isinstance(model, str) else model for model in models]),
        prompts=tuple([_prompt(number, prompt) for number, prompt in enumerate(prompts, 1)]),
        cases=tuple(made),
        **fields,
    )


def make_uses(scorers: Iterable[str | ScorerUse]) -> tuple[ScorerUse, ...]:
    """Make uses of scorers, given by name or as uses already."""
    return tuple([ScorerUse(type=scorer) if isinstance(scorer, str) else scorer for scorer in scorers])


def _made_up(number: int, uses: tuple[ScorerUse, ...]) -> Case:
    variables = {"question": f"question {number}"}
    return make_case(f"case-{number}", variables=variables, expected=f"answer {number}", scorers=uses)


def _prompt(number: int, prompt: str | Prompt) -> Prompt:
    return FixedPrompt(id=f"p{number}", text=prompt) if isinstance(prompt, str) else prompt
