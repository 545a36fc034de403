"""How far a run is: a live display on a terminal, a plain line now and then anywhere else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn
from rich.progress import Progress as LiveDisplay
from rich.text import Text

from steelyard.api import Progress, RunPlan
from steelyard.text import one_line

from .figures import duration, money
from .wording import combo_label

_MOST_BARS = 12
_LABEL_LENGTH = 44
_PLAIN_EVERY_S = 10.0
_PLAIN_AT_LEAST_S = 2.0
_PLAIN_STEP = 0.1


class ProgressView(Protocol):
    """Shows how far a run is, and lets lines through meanwhile."""

    def update(self, progress: Progress) -> None:
        """Show how far the run is."""

    def say(self, lines: Iterable[str]) -> None:
        """Print lines without disturbing the display."""

    def stop(self) -> None:
        """Take the display away. May be called again."""


class PlainProgress:
    """A line every ten seconds, or at each tenth of the run when that comes slowly enough to be read."""

    def __init__(self, console: Console, *, silent: bool = False) -> None:
        self._console = console
        self._silent = silent
        self._said_at_s = 0.0
        self._said_share = 0.0

    def update(self, progress: Progress) -> None:
        """Print a line when it is time for one."""
        waited = progress.elapsed_s - self._said_at_s
        share = progress.done / progress.total if progress.total else 0.0
        stepped = share - self._said_share >= _PLAIN_STEP and waited >= _PLAIN_AT_LEAST_S
        if self._silent or not (stepped or waited >= _PLAIN_EVERY_S):
            return
        self._said_at_s, self._said_share = progress.elapsed_s, share
        self.say([progress_line(progress)])

    def say(self, lines: Iterable[str]) -> None:
        """Print lines."""
        for line in lines:
            self._console.file.write(line + "\n")
        self._console.file.flush()

    def stop(self) -> None:
        """Nothing to take away."""


class LiveProgress:
    """Bars: one for the run and, while they fit, one for each combo."""

    def __init__(self, console: Console, plan: RunPlan) -> None:
        self._console = console
        self._display = LiveDisplay(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TextColumn("{task.fields[state]}", markup=False),
            console=console,
            transient=True,
            redirect_stdout=False,
        )
        cases = plan.cases
        combos = plan.combos if len(plan.combos) in range(2, _MOST_BARS + 1) else ()
        self._bars = [self._bar(combo_label(model, prompt), cases) for model, prompt in combos]
        self._all = self._bar("All cases", None if cases is None else cases * len(plan.combos))
        self._per_combo = cases
        self._display.start()

    def update(self, progress: Progress) -> None:
        """Move the bars."""
        self._display.update(
            self._all, completed=progress.done, total=progress.total, state=progress_line(progress, share=False)
        )
        for bar, (done, _passed, errors) in zip(self._bars, progress.by_combo, strict=False):
            of = "" if self._per_combo is None else f"/{self._per_combo}"
            state = f"{done}{of}" + (f", {errors} error(s)" if errors else "")
            self._display.update(bar, completed=done, state=state)

    def say(self, lines: Iterable[str]) -> None:
        """Print lines above the bars, all at once: each print draws the bars anew."""
        text = "\n".join(lines)
        if text:
            self._console.print(Text(text), soft_wrap=True)

    def stop(self) -> None:
        """Take the bars away."""
        self._display.stop()

    def _bar(self, label: str, total: int | None) -> TaskID:
        return self._display.add_task(one_line(label, _LABEL_LENGTH), total=total, state="")


def progress_line(progress: Progress, *, share: bool = True) -> str:
    """Return how far a run is: ``120/300 cases (40%), 12.3/s, 2 error(s), $0.0123 so far, about 15 s left``."""
    parts = [f"{progress.done}" + (f"/{progress.total}" if progress.total is not None else "") + " cases"]
    if share and progress.total:
        parts[0] += f" ({100 * progress.done // progress.total}%)"
    rate = progress.done / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    parts.append(f"{rate:.1f}/s")
    if progress.errors:
        parts.append(f"{progress.errors} error(s)")
    parts.append(f"{money(progress.spent_usd, 4)}{' and unknown costs' if progress.cost_unknown else ''} so far")
    if progress.total is not None and rate > 0 and progress.done < progress.total:
        parts.append(f"about {duration((progress.total - progress.done) / rate)} left")
    return ", ".join(parts)
