"""Formats: what reads a suite file of some tool into a Benchmark.

The host reads the bytes, refuses what is no YAML or JSON (or is a trap), and knows where each value stands. A format
goes through the :class:`Node` tree, says what is wrong through it, and returns a Benchmark. Names of components and
their options are checked by the host afterwards, the same way for every format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from ..errors import Problem
from .benchmark import Benchmark, ModelUse
from .node import Node
from .values import JsonMapping


class Template(Protocol):
    """A compiled text template. Compiling is slow, rendering is quick: keep it."""

    @property
    def variables(self) -> frozenset[str]:
        """The names that the template reads and does not set itself."""

    @property
    def needed(self) -> frozenset[str]:
        """Those of them that must be given: neither with a default nor asked whether they are defined."""

    def render(self, variables: Mapping[str, object]) -> str:
        """Fill in values. They are data: what looks like a template in them stays as it is.

        Raises ``TemplateError`` for an undefined name, a forbidden access, or too much output.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a data file."""

    data: JsonMapping
    place: str
    """``file:line`` (or ``file[3]`` for an element of a list)."""
    number: int = 0
    """Which row it is, from 1, counted over all files before ``limit`` and ``sample``; 0 when nobody counted. It names
    rows that have no id, so it must not depend on the sample."""


class Rows(Protocol):
    """The rows of one or several data files, to be gone through any number of times."""

    def __iter__(self) -> Iterator[Row]:
        """Go through the rows from the start. A row that cannot be read raises ``BenchmarkError`` naming its place."""


class FormatTools(Protocol):
    """What the host lends to a format."""

    def template(self, source: str) -> Template:
        """Compile a sandboxed Jinja template. Raises ``TemplateError`` for a syntax error."""

    def rows(
        self,
        pattern: str,
        *,
        base_dir: Path,
        limit: int | None = None,
        sample: int | None = None,
        seed: int | None = None,
    ) -> Rows:
        """Open a data file, or several by a glob: ``.jsonl``, ``.csv``, ``.json`` or ``.yaml`` by its ending.

        Args:
            pattern: A path relative to ``base_dir``, or absolute; ``*`` and ``?`` as in a shell.
            base_dir: Where a relative path starts.
            limit: Read at most so many rows.
            sample: Of those, draw so many at random, without repetition, in file order; all when there are fewer.
            seed: Which sample is drawn; the run's ``--seed`` when it is ``None``, and 0 when there is none.

        Raises ``BenchmarkError`` when no file matches or its kind is unknown.
        """

    def document(self, path: Path, problems: Callable[[Problem], None]) -> Node:
        """Read another YAML or JSON file, such as one that is extended. Raises ``BenchmarkError`` when it cannot be."""

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment, for ``${VAR}`` in formats that have it."""


class SuiteFormat(Protocol):
    """Reads the suite files of one tool."""

    def recognises(self, document: JsonMapping) -> bool:
        """Whether a file with these top-level keys is of this format. Looks at keys only; never raises."""

    def read(self, document: Node, path: Path) -> Benchmark | None:
        """Turn a document into a Benchmark.

        Report what is wrong through ``document`` and go on, so that all problems are found; return ``None`` when they
        leave nothing to run. Never calls a model, never runs what the file names.
        """


class SupportsSchema(Protocol):
    """A format that can describe its files."""

    def schema(self) -> JsonMapping:
        """Return a JSON Schema (2020-12) of the format's files, for editors.

        Where its ``$defs`` have an entry ``scorer_options``, ``provider_options``, ``options_by_provider`` or
        ``whole_model`` (one that says all of its options in one place), the host replaces that by a schema of the
        options of all installed scorers (chosen by a key ``type``) or providers (chosen by a key ``provider``, or as a
        mapping by their names); leave ``true`` there.
        """


class SupportsModelNames(Protocol):
    """A format whose tool reads more in a model's name than the host would.

    ``--model`` then puts the models that it names in the place of the suite's, rather than choosing among those.
    """

    def named_model(self, name: str, *, provider: str | None, default: str | None) -> ModelUse:
        """Return the model that a name on the command line stands for.

        Args:
            name: As the user wrote it.
            provider: Who is to answer unless the name says otherwise; ``None`` when the user did not say.
            default: Who answers for the suite's models that name nobody; ``None`` when the suite does not say.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSettings:
    """What a tool's own settings file says about more than one suite."""

    results_dir: str | None = None
    """Where results lie, relative to the folder of the file."""
    default_provider: str | None = None
    """Who answers for models of the tool's suites that name nobody."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Keys, by the environment variables that they stand in for. The real ones win."""


NO_FOLDER_SETTINGS = FolderSettings()
"""What a file says that says nothing."""

SETTINGS_FILE_NAME = r"\.[a-z0-9_-]+rc(?:\.[a-z]+)?"
"""What such a file may be called: told by its name from all else in a folder, so that most load no plugin for it."""


class SupportsFolderSettings(Protocol):
    """A format whose tool has a settings file of its own, which ``FormatSpec.settings_file`` names."""

    def folder_settings(self, document: Node) -> FolderSettings:
        """Return what the file says, for every command that is run in its folder. Report what is wrong with it."""


class SupportsDataset(Protocol):
    """A format whose cases can be read from another data file than the one that the suite names."""

    def with_dataset(self, document: Node, path: Path, dataset: Path) -> Benchmark | None:
        """Read as :meth:`SuiteFormat.read`, with the rows of ``dataset``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatSpec:
    """How a plugin offers a format."""

    name: str
    """What a user writes as ``--format NAME``."""
    summary: str
    create: Callable[[FormatTools], SuiteFormat]
    gates_scores: bool = False
    """Whether a run that is held against a baseline may fall in its mean score no further than in its pass rate."""
    one_target: bool = False
    """Whether a suite has one target: two runs are then compared whatever it is called, on the cases that both have."""
    default_provider: str | None = None
    """The provider of a model that a file names without one, where that is the same for every file."""
    settings_file: str | None = None
    """The tool's own settings file, looked for in the folder that one runs in; the format is then asked for
    ``folder_settings``. Its name is like ``.toolrc`` or ``.toolrc.json``."""
    deprecated: str = ""
    """For a component that is to go: what to use instead, and in which version it goes. Whoever uses it is warned."""
