"""What the host lends to formats, in one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from ..api import Node, Rows, Template
from ..errors import Problem
from .datasets import DataRows
from .document import read_document
from .templates import Templates


class Tools:
    """The host's ``FormatTools``."""

    def __init__(
        self,
        environ: Mapping[str, str],
        warn: Callable[[str], None] | None = None,
        note: Callable[[Path], None] = lambda _path: None,
        *,
        seed: int | None = None,
    ) -> None:
        """Make them.

        Args:
            environ: The environment, with what ``.env`` adds.
            warn: Hears what does not stop a run.
            note: Hears of every file that is opened, and of every folder that is searched by a pattern.
            seed: What draws a sample that has no seed of its own.
        """
        self._environ = environ
        self._warn = warn
        self._note = note
        self._seed = seed
        self._templates = Templates()

    def template(self, source: str) -> Template:
        """Compile a template. Raises ``TemplateError``."""
        return self._templates.compile(source)

    def seeded(self, seed: int | None) -> Tools:
        """Return tools that draw by this seed where a file asks for a sample and names no seed of its own."""
        return self if seed is None else Tools(self._environ, self._warn, self._note, seed=seed)

    def rows(
        self,
        pattern: str,
        *,
        base_dir: Path,
        limit: int | None = None,
        sample: int | None = None,
        seed: int | None = None,
    ) -> Rows:
        """Open data files. Raises ``BenchmarkError`` when there are none, or of an unknown kind."""
        # Compared with None: 0 is a seed like any other.
        drawn_by = next((one for one in (seed, self._seed) if one is not None), 0)
        rows = DataRows(pattern, base_dir=base_dir, limit=limit, sample=sample, seed=drawn_by, warn=self._warn)
        for path in rows.files:
            self._note(path)
            if path != base_dir / pattern:
                self._note(path.parent)
        return rows

    def document(self, path: Path, problems: Callable[[Problem], None]) -> Node:
        """Read another YAML or JSON file. Raises ``BenchmarkError`` when it cannot be read."""
        self._note(path)
        return read_document(path, problems)

    @property
    def environ(self) -> Mapping[str, str]:
        """The environment, with what ``.env`` adds."""
        return self._environ
