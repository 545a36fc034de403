"""A benchmark as the engine sees it, whatever file it came from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from .values import NO_PARAMETERS, NOTHING, JsonMapping, JsonValue, Message, Parameters, Role


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """A model that a benchmark asks, as the file names it."""

    id: str
    """The label in reports; unique in the benchmark."""
    model: str
    """The model's name, or ``PROVIDER:MODEL`` when ``provider`` is ``None``; empty for providers that need none."""
    provider: str | None = None
    """The provider's name; ``None`` leaves it to the prefix of ``model`` or the default provider."""
    options: JsonMapping = field(default_factory=lambda: NOTHING)
    """The provider's options, request parameters (``temperature`` …) and call options (``timeout`` …) of this model."""
    place: str = ""
    """Where the file names it: ``file:line:column``."""
    path: str = ""
    """The keys that lead there, for messages, such as ``target``; empty where the host's own name for it will do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerUse:
    """A scorer that a case uses, as the file names it."""

    type: str
    """The scorer's name."""
    options: JsonMapping = field(default_factory=lambda: NOTHING)
    """The scorer's options, not yet checked; the host makes settings of them."""
    name: str = ""
    """The label in reports; the scorer's name when empty."""
    weight: float = 1.0
    """Its share in the case's score; above 0."""
    negate: bool = False
    """True for a "must not" check: pass and fail, and the score, are turned round. An error stays an error."""
    threshold: float | None = None
    """The score (0 to 1) from which on it passes; ``None`` leaves it to the scorer."""
    turn: int | None = None
    """For several turns: which of the model's answers it judges, from 0; ``None`` is the last."""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One turn of a conversation that a case prescribes."""

    role: Role
    content: str | None
    """The text, already rendered; ``None`` where the model is to answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One test case."""

    id: str
    """Unique in the benchmark; always text."""
    variables: JsonMapping = field(default_factory=lambda: NOTHING)
    """What templates may use, the benchmark's own variables included."""
    input: JsonValue = None
    """The raw input, for formats that have one apart from variables."""
    expected: JsonValue = None
    """What a right output is or holds; what type it must have is its scorer's matter."""
    criteria: str | None = None
    """What a judge is to look for."""
    reference: str | None = None
    """A good answer, for a judge to compare with."""
    evaluation: str = ""
    """The label of how the case is judged: the scorer's name, or ``a + b`` for several."""
    scorers: tuple[ScorerUse, ...] = ()
    """At least one, or the case cannot be judged."""
    turns: tuple[Turn, ...] = ()
    """The conversation; empty for a case of one prompt."""
    tags: tuple[str, ...] = ()
    metadata: JsonMapping = field(default_factory=lambda: NOTHING)
    """Free for the user; kept in the record."""
    human_score: float | None = None
    """What a person gave the output, 1 to 5, to measure a judge against."""
    cluster: str | None = None
    """What it shares with the cases of the same text here (a document, a customer), so that together they tell less
    than as many unrelated ones; ``None`` when it stands for itself."""
    place: str = ""


@runtime_checkable
class Prompt(Protocol):
    """A prompt that renders itself, so that each format keeps its own template language."""

    @property
    def id(self) -> str:
        """The label in reports; unique in the benchmark."""

    def render(self, case: Case) -> Sequence[Message]:
        """Return the messages for a case. Pure: the same case gives the same messages.

        Raise ``TemplateError``, with a message that names the variable, when it cannot be rendered.
        """


class CaseSource(Protocol):
    """The cases of a benchmark, to be gone through any number of times, in file order."""

    def __iter__(self) -> Iterator[Case]:
        """Go through the cases from the start. A row that cannot be read raises ``BenchmarkError`` naming its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Which combos must reach the threshold, and how."""

    quality_threshold: float | None = None
    """Per cent of all cases that must pass; ``None`` for no gate."""
    model: str | None = None
    """Only combos of this model."""
    prompt: str | None = None
    """Only combos of this prompt."""
    every: bool = False
    """True: every combo must reach it. False: the best one must."""
    confidence: float | None = None
    """When given (0.95), the lower bound of the pass rate at this confidence must reach the threshold."""
    called: str = field(default="", compare=False)
    """What the file says, such as ``fail_under (0.85)``, for the verdict; ``quality_threshold (85)`` when empty."""


NO_GATE = Gate()
"""A run passes when anything could be scored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """What is to be run: models × prompts × cases, and how it is judged."""

    name: str
    models: tuple[ModelUse, ...]
    prompts: tuple[Prompt, ...]
    cases: CaseSource
    """A tuple of cases, or a source that reads rows as they are needed."""
    description: str = ""
    format: str = ""
    """The name of the format it was read with."""
    path: Path | None = None
    """The file it was read from."""
    base_dir: Path = Path()
    """What relative paths in it start from."""
    digest: str = ""
    """SHA-256 of the file's bytes, for the record; empty when there is no file."""
    default_provider: str | None = None
    """The provider of a model that names none."""
    providers: JsonMapping = field(default_factory=lambda: NOTHING)
    """Options by provider name, shared by all its models."""
    judges: tuple[ModelUse, ...] = ()
    """Models that scorers ask by id, besides those that any scorer may name as ``PROVIDER:MODEL``."""
    inference: Parameters = NO_PARAMETERS
    judge_model: str | None = None
    """For display and the record: the judge that cases use unless they say otherwise."""
    gate: Gate = NO_GATE
    concurrency: int | None = None
    """The most calls in flight; ``None`` leaves it to the settings."""
    repeat: int = 1
    """How often each case is run."""
    case_pass_rate: float = 1.0
    """The share of a case's runs that must pass for the case to pass."""
    retries: int | None = None
    """Attempts after the first; ``None`` leaves it to the settings."""
    retry_backoff_s: float | None = None
    """The first wait before another attempt; it doubles. ``None`` leaves it to the settings."""
    timeout_s: float | None = None
    """Seconds for one call; ``None`` leaves it to the settings."""
    max_cost_usd: float | None = None
    cache: str | bool | None = None
    """A cache's name, ``False`` for none, ``None`` for the default."""
    results_dir: str | None = None
    """Where its own tool keeps results, from the folder one runs in; ``None`` leaves it to the settings."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables that its own tool keeps in a settings file, keys among them. The real environment wins."""
    require_plugins: tuple[str, ...] = ()
    """Plugins or distributions without which the file must not be run."""
    metadata: JsonMapping = field(default_factory=lambda: NOTHING)
    place: str = ""
