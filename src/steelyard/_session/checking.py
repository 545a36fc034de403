"""Everything that can be known to be wrong before the first call.

Resolves every name, fills every option, lets scorers look at their cases, and renders every prompt with every case.
Nothing here calls a model or needs a key.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..api import Benchmark, Case, Message, ModelUse, PlannedAsk, Problem, Prompt, RunOptions, ScorerUse
from ..errors import BenchmarkError, SteelyardError, TemplateError, UnknownNameError
from .case_names import CaseNames
from .components import Made, guarded
from .findings import Findings
from .local_plugins import not_run
from .models import ModelPlan, Models
from .scorers import Scorers

_FIRST_KEY = re.compile(r"[^.\[]+")

ROWS_BEFORE_A_RUN = 10_000
"""Rows of data files that are checked before the first call: half a second's worth. ``check`` takes all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found out about a benchmark."""

    benchmark: Benchmark | None
    """``None`` when the file leaves nothing to run."""
    problems: tuple[Problem, ...] = ()
    """All of them, in the order of the file."""
    cases: int = 0
    """Cases that were looked at."""
    complete: bool = True
    """Whether those are all there are. False for a run over more rows than are worth reading before its first call."""
    digest: str = ""
    """A hash of what the cases ask and want, so that a run is gone on with only where its data are the same."""
    models: tuple[ModelPlan, ...] = ()
    models_chosen: bool = False
    """Whether these models are those that the options name, as the suite's own tool has it, and not the file's."""
    judges: tuple[str, ...] = ()
    """Names of the models that scorers are going to ask."""
    asked_by: Mapping[str, str] = field(default_factory=dict)
    """The scorer that asks each of them first."""

    def wanted_models(self, options: RunOptions) -> tuple[str, ...]:
        """Return the labels of the models that the options choose; none for all."""
        return tuple(plan.use.id for plan in self.models) if self.models_chosen else options.models

    @property
    def ok(self) -> bool:
        """Whether the benchmark can be run."""
        return self.benchmark is not None and not any(problem.severity == "error" for problem in self.problems)

    def benchmark_or_raise(self) -> Benchmark:
        """Return the benchmark. Raises ``BenchmarkError`` when it cannot be run."""
        if self.benchmark is None or not self.ok:
            raise BenchmarkError(self.problems)
        return self.benchmark


class Check:
    """Looks at a benchmark that was read: names, options, cases, prompts."""

    def __init__(self, benchmark: Benchmark, *, models: Models, scorers: Scorers, findings: Findings) -> None:
        self._benchmark = benchmark
        self._models = models
        self._scorers = scorers
        self._findings = findings
        self._misread = findings.serious
        self._judges: dict[str, str] = {}
        """Each with the scorer that asks it first."""
        self._digest = hashlib.sha256()

    def run(self, most_rows: int | None = None) -> Checked:
        """Go through everything once.

        Args:
            most_rows: Look at no more rows of a data file than these; the others are looked at as they are run. A row
                that is wrong then stops the run where it stands.
        """
        found = (self._model(use, use.path or f"models[{index}]") for index, use in enumerate(self._benchmark.models))
        plans = [plan for plan in found if plan is not None]
        for index, use in enumerate(self._benchmark.judges):
            self._model(use, use.path or f"judges[{index}]")
        self._names()
        names = CaseNames(plans)
        count = 0
        complete = True
        with self._findings.collecting():
            for case in self._benchmark.cases:
                if count == most_rows and not isinstance(self._benchmark.cases, tuple):
                    complete = False
                    break
                count += 1
                self._case(case)
                for problem in names.missing(case):
                    self._findings.add(problem)
        for judge in self._judges:
            self._judge(judge)
        return Checked(
            benchmark=self._benchmark,
            problems=self._findings.all(),
            cases=count,
            complete=complete,
            digest=self._digest.hexdigest(),
            models=tuple(plans),
            judges=tuple(self._judges),
            asked_by=dict(self._judges),
        )

    def _names(self) -> None:
        """Look up what the file names beside its models and scorers."""
        benchmark = self._benchmark
        if isinstance(benchmark.cache, str):
            with self._findings.collecting(place=benchmark.place, path="cache"):
                self._models.registry.get("cache", benchmark.cache)
        for name in benchmark.providers:
            with self._findings.collecting(place=benchmark.place, path="providers"):
                self._models.registry.get("provider", name)

    def _model(self, use: ModelUse, path: str) -> ModelPlan | None:
        with self._findings.collecting(place=use.place, path=path):
            plan = self._models.plan(use, path)
            prefix = self._models.stray_prefix(use)
            if prefix is not None:
                message = f"no provider {prefix!r} is installed, so {use.model!r} as a whole goes to {plan.offer.name}"
                hint = "install its plugin, or write {provider: …, model: …}"
                self._findings.add(Problem(severity="warning", message=message, hint=hint, place=use.place, path=path))
            return plan
        return None

    def _judge(self, name: str) -> None:
        with self._findings.collecting(place=self._benchmark.place, path="evaluation"):
            self._models.plan(judge_use(self._benchmark, name), "judge")

    def _case(self, case: Case) -> None:
        # Where a format could not read something, that may be the scorer: it has said so.
        if not case.scorers and not self._misread:
            self._say(case, "no scorer judges it; give it 'evaluation' or 'scorers'")
        checks = [(use.type, found) for use in case.scorers if (found := self._scorer(case, use))]
        rendered: Sequence[Message] = ()
        self._hash(case.id, repr(case.expected), *(repr(use.options) for use in case.scorers))
        # Not while anything is wrong: what a format has said about a template would be said again for every case.
        for prompt in () if self._findings.serious else self._benchmark.prompts:
            rendered = self._render(prompt, case)
            self._hash(*(message.content for message in rendered))
        for scorer, asks in checks:
            for ask in asks(rendered):
                self._judges.setdefault(ask.model, scorer)

    def _hash(self, *texts: str) -> None:
        for text in texts:
            self._digest.update(text.encode("utf-8", "surrogatepass"))
            self._digest.update(b"\0")

    def _scorer(self, case: Case, use: ScorerUse) -> Callable[[Sequence[Message]], Sequence[PlannedAsk]] | None:
        where = f"case {case.id!r}"
        with self._findings.collecting(place=use.place or case.place, path=where):
            made = self._made(case, use, where)
            check = getattr(made.component, "check", None)
            if check is not None:
                for problem in guarded(made, "check", lambda: tuple(check(self._benchmark, case))):
                    self._findings.add(self._placed(problem, case, use))
            asks = getattr(made.component, "asks", None)
            if asks is None:
                return None
            return lambda messages: guarded(made, "asks", lambda: tuple(asks(self._benchmark, case, messages)))
        return None

    def _made(self, case: Case, use: ScorerUse, where: str) -> Made:
        """Create a scorer; what is wrong with options that stand in the case itself is placed where they stand."""
        try:
            return self._scorers.made(use, where)
        except UnknownNameError as exc:
            aside = not_run(self._benchmark.base_dir, use.type) if exc.name == use.type else ""
            if not aside:
                raise
            raise UnknownNameError(f"{exc}; {aside}", kind=exc.kind, name=exc.name, known=exc.known) from exc
        except BenchmarkError as exc:
            if use.place not in ("", self._place(case, "evaluation")):
                raise
            head = f"{where}: {use.type}."
            problems = [
                replace(problem, place=self._place(case, problem.path.removeprefix(head)) or problem.place)
                for problem in exc.problems
            ]
            raise BenchmarkError(problems) from exc

    def _placed(self, problem: Problem, case: Case, use: ScorerUse) -> Problem:
        """Fill in what a scorer cannot know: where its case stands, or the key of it that the problem is about."""
        path = f"case {case.id!r}: {problem.path}" if problem.path else f"case {case.id!r}"
        place = problem.place or self._place(case, problem.path) or use.place or case.place
        return replace(problem, place=place, path=path)

    def _place(self, case: Case, path: str) -> str | None:
        places = self._findings.places
        key = _FIRST_KEY.match(path)
        return None if places is None or key is None else places.of(case.place, key[0])

    def _render(self, prompt: Prompt, case: Case) -> Sequence[Message]:
        where = f"prompt {prompt.id!r}, case {case.id!r}"
        try:
            return prompt.render(case)
        except TemplateError as exc:
            self._findings.add(Problem(message=str(exc), place=case.place, path=where), rendering=True)
        except (SteelyardError, KeyboardInterrupt):
            raise
        except Exception as exc:
            message = f"{type(exc).__name__}: {exc}"
            self._findings.add(Problem(message=message, place=case.place, path=where), rendering=True)
        return ()

    def _say(self, case: Case, message: str) -> None:
        self._findings.add(Problem(message=message, place=case.place, path=f"case {case.id!r}"))


def judge_use(benchmark: Benchmark, name: str) -> ModelUse:
    """Return the model that a scorer asks by ``name``: one that the benchmark names, or the name itself."""
    named = {use.id: use for use in (*benchmark.models, *benchmark.judges)}
    return named.get(name) or ModelUse(id=name, model=name, place=benchmark.place)
