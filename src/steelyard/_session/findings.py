"""What a check finds: every problem once, in the order of the file, and not a screenful of one kind."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import replace

from ..api import Problem
from ..errors import BenchmarkError, PluginError, UsageError
from .case_places import CasePlaces

_PLACE = re.compile(r"(.+?):(\d+)(?::(\d+))?")

SHOWN_PER_KIND = 20
"""Problems with the same wording that are listed one by one; a file of 10,000 cases must not fill the screen."""


class Findings:
    """Collects problems in order, each once."""

    def __init__(self) -> None:
        self._problems: dict[Problem, None] = {}
        self._seen: dict[tuple[str, str], int] = {}
        self._left_out: dict[tuple[str, str], int] = {}
        self.serious = False
        """Whether anything was found that stops a run, apart from prompts that cannot be rendered."""
        self.places: CasePlaces | None = None
        """Where the keys of cases stand, once there is a file to look at."""

    def add(self, problem: Problem, *, rendering: bool = False) -> None:
        """Take a problem in, unless many of the same wording are listed already."""
        self.serious = self.serious or (problem.severity == "error" and not rendering)
        kind = (problem.severity, problem.message)
        if problem in self._problems:
            return
        self._seen[kind] = self._seen.get(kind, 0) + 1
        if self._seen[kind] > SHOWN_PER_KIND:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return
        self._problems[problem] = None

    @contextlib.contextmanager
    def collecting(self, *, place: str = "", path: str = "") -> Iterator[None]:
        """Turn what is raised inside into problems."""
        try:
            yield
        except BenchmarkError as exc:
            for problem in exc.problems:
                self.add(problem if problem.place else replace(problem, place=place))
        except (UsageError, PluginError) as exc:
            self.add(Problem(message=str(exc), place=place, path=path))

    def all(self) -> tuple[Problem, ...]:
        """Return what was found, with a count of what was left out."""
        more = [
            Problem(
                severity="error" if severity == "error" else "warning", message=f"{message}: {count} more like this"
            )
            for (severity, message), count in self._left_out.items()
        ]
        return (*sorted(self._problems, key=_position), *more)


def _position(problem: Problem) -> tuple[bool, str, int, int]:
    """Order problems as a reader meets them; those without a place come last, as they were found."""
    place = _PLACE.fullmatch(problem.place)
    if place is None:
        return True, problem.place, 0, 0
    return False, place[1], int(place[2]), int(place[3] or 0)
