"""What a caller may ask of one run, over and above what the benchmark file says."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """One run's choices. ``None`` (or empty) leaves a matter to the file, the settings and the defaults."""

    models: tuple[str, ...] = ()
    """Only these models, by label. For a suite of a tool that has it so: these in the place of the suite's."""
    prompts: tuple[str, ...] = ()
    """Only these prompts."""
    tags: tuple[str, ...] = ()
    """Only cases with at least one of these tags."""
    text: str | None = None
    """Only cases whose id contains this text."""
    ids: tuple[str, ...] = ()
    """Only cases with these ids."""
    limit: int | None = None
    """At most so many cases, after the other filters."""
    dataset: Path | None = None
    """Read the rows of the cases from this file instead of the one that the benchmark names."""
    format: str | None = None
    """Read the file as this format instead of recognising it."""
    concurrency: int | None = None
    repeat: int | None = None
    seed: int | None = None
    cache: bool = True
    """False: neither read nor write the cache, for candidate and judge alike."""
    fail_under: float | None = None
    """The gate in per cent, instead of the file's ``quality_threshold``."""
    max_cost_usd: float | None = None
    """Stop before the call that would pass this sum, going by what a model's calls have cost so far. The first call of
    each model, and those in flight, may pass it: most providers name their price afterwards."""
    results_dir: Path | None = None
    reporters: tuple[str, ...] = ()
    """Reporters besides the automatic ones."""
    automatic_reporters: bool = True
    """False: only those reporters take part that are asked for, here or in the settings. For a caller that shows the
    results itself."""
    outputs: tuple[str, ...] = ()
    """Files to write: ``FILE`` by its ending, or ``REPORTER:FILE``."""
    resume: bool = False
    """Go on with the latest interrupted run of this benchmark."""
    resumable: bool = True
    """False: when the run is interrupted, leave nothing to go on with. For a caller that offers no way to."""
    local_plugins: bool = False
    """Load the plugins beside the benchmark even when it lies outside the folder that one runs in."""
    verbose: bool = False
    quiet: bool = False
    store: bool = True
    """False: write no record and no report; the record is only returned."""
