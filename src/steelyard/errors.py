"""What can go wrong, and for whom.

The tree a caller catches by::

    SteelyardError                 shown to the user as one line, without a traceback
    ├── UsageError                 the command line, a setting or a file is wrong
    │   ├── BenchmarkError         every problem of a benchmark file, not only the first
    │   ├── MissingKeyError        a provider has no key that it could call with
    │   ├── TemplateError          a prompt template cannot be compiled or rendered
    │   └── UnknownNameError       no component of that name is installed
    ├── PluginError                loading, registering or creating a component failed
    │   └── NameConflictError      several plugins offer the name that is asked for
    ├── ProviderError              a model could not be asked, or did not answer
    ├── ScorerError                an output cannot be judged: an error, never a zero
    └── RecordError                a stored record cannot be read

Message form: ``where: what is wrong; what to do``, the offending value quoted, one line, no full stop.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]
"""An ``error`` stops a run before its first call; a ``warning`` is shown and the run goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Which plugin something comes from, as a user can look it up."""

    plugin: str
    """The entry-point name."""
    distribution: str
    """The distribution that installed it (what ``pip list`` shows), or the path of a local file."""
    version: str
    """The version of the distribution; empty for a local file."""

    def __str__(self) -> str:
        """Return ``plugin 'strict' (steelyard-strict 0.3)``."""
        return f"plugin {self.plugin!r} ({f'{self.distribution} {self.version}'.strip()})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong with a benchmark, where it stands, and what to do."""

    message: str
    """What is wrong, in lower case, with the offending value quoted and no full stop."""
    severity: Severity = "error"
    place: str = ""
    """``file:line:column``; empty where there is no file."""
    path: str = ""
    """The keys that lead there, such as ``test_cases[3].expected_output``."""
    hint: str = ""
    """What to do about it; empty when the message says so already."""

    def __str__(self) -> str:
        """Return the problem as the one line that a user reads."""
        where = ": ".join(part for part in (self.place, self.path) if part)
        said = f"{self.message}; {self.hint}" if self.hint else self.message
        return f"{where}: {said}" if where else said


class SteelyardError(Exception):
    """The base of every error that is meant for the user: printed as one line, without a traceback."""


class UsageError(SteelyardError):
    """The command line, a setting or a file is wrong. No model was called."""


class MissingKeyError(UsageError):
    """A provider that would be asked says that no call can succeed: its key is not set, or cannot be one."""


class BenchmarkError(UsageError):
    """A benchmark cannot be run as it stands."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        """Every problem that was found, warnings included, in the order of the file."""
        super().__init__("\n".join(str(problem) for problem in self.problems if problem.severity == "error"))


class TemplateError(UsageError):
    """A template cannot be compiled or rendered."""


class UnknownNameError(UsageError):
    """A name that no installed component has."""

    def __init__(self, message: str, *, kind: str, name: str, known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.kind = kind
        """What was looked for: ``provider``, ``scorer``, ``reporter``, ``cache`` or ``format``."""
        self.name = name
        self.known = tuple(known)
        """The names that would have been found."""


Stage = Literal["loading", "registering", "creating", "calling"]
"""What the host was doing with the plugin when it failed."""


class PluginError(SteelyardError):
    """A plugin could not be used. It is set aside whole; the others are untouched."""

    def __init__(self, message: str, *, origin: Origin, stage: Stage) -> None:
        super().__init__(message)
        self.origin = origin
        self.stage: Stage = stage


class NameConflictError(PluginError):
    """Several plugins offer the name that is asked for, so none of them has it."""

    def __init__(self, message: str, *, kind: str, name: str, claimants: Sequence[Origin]) -> None:
        super().__init__(message, origin=claimants[0], stage="registering")
        self.kind = kind
        self.name = name
        self.claimants = tuple(claimants)
        """Every plugin that offers the name, in the order of their names."""


class ProviderError(SteelyardError):
    """A call to a model failed.

    A provider raises it with what it knows; whether and when to try again is the host's decision.
    """

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        retry_after_s: float | None = None,
        status: int | None = None,
        exhausted: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        """Whether the same call may succeed a little later."""
        self.retry_after_s = retry_after_s
        """Seconds that the server asked to wait; ``None`` when it asked for nothing usable. Never negative."""
        self.status = status
        """The HTTP status, or the status that an error inside a 200 names."""
        self.exhausted = exhausted
        """True when no further call can succeed today: quota or credit is used up, or the key is refused."""


class ScorerError(SteelyardError):
    """An output cannot be judged. The case counts as an error, never as a zero."""


class RecordError(SteelyardError):
    """A stored record cannot be read."""
