"""What every page is made from: the folder, what has been read of it, and the templates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .rendering import Renderer
from .results.bounded import Bounded
from .results.comparison import Comparison, compared
from .results.folder import ResultsFolder, StoredFile
from .results.live import LiveRuns
from .results.opened import Shelf
from .results.runs import Runs, when

_MOST_COMPARISONS = 4


class Board:
    """One results folder, being shown."""

    def __init__(self, results_dir: Path) -> None:
        folder = ResultsFolder(results_dir)
        self.runs = Runs(folder)
        self.shelf = Shelf(self.runs)
        self.live = LiveRuns(folder)
        self.render = Renderer(str(results_dir))
        self._comparisons: Bounded[tuple[tuple[StoredFile, ...], str, str], Comparison] = Bounded(_MOST_COMPARISONS)

    def compare(self, run_ids: Sequence[str], by: str, base: str) -> Comparison:
        """Put runs side by side, the oldest first. Raises ``NotFoundError`` or ``RecordError``."""
        opened = [self.shelf.open(run_id) for run_id in dict.fromkeys(run_ids)]
        opened.sort(key=lambda one: when(one.run))
        key = (tuple(one.run.file for one in opened), by, base)
        return self._comparisons.get(key, lambda: compared(opened, by, base))
