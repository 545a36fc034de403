"""The engine's own cost per case: an inline model and scorer that take no time, everything else as in a real run.

Prints cases per second and CPU milliseconds per case, for fresh calls with and without a cache, and for cached ones::

    python benchmarks/speed/engine.py [CASES] [CONCURRENCY]
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from steelyard._engine.journal import Journal
from steelyard._engine.plan import BoundCache, BoundModel, BoundScorer, Combo, Plan
from steelyard._engine.runner import execute
from steelyard._engine.threads import Threads, settle
from steelyard.api import Ask, Benchmark, Case, Completion, Message, Output, Pricing, Request, Score, Usage
from steelyard.records import decode_case, encode_case

ANSWER = "x" * 2000


class Plain:
    """A prompt that costs next to nothing to render."""

    id = "v1"

    def render(self, case: Case) -> Sequence[Message]:
        """Return one short message."""
        return (Message(role="user", content=f"Classify {case.id}"),)


class Rows:
    """Cases that are made as they are needed."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __iter__(self) -> Iterator[Case]:
        for number in range(self._count):
            yield Case(id=f"case_{number}", expected="x", tags=("easy",) if number % 2 else ("hard",))


def complete(_request: Request) -> Completion:
    """Answer at once."""
    return Completion(text=ANSWER, usage=Usage(prompt_tokens=12, completion_tokens=500), finish_reason="stop")


def score(_case: Case, output: Output, _ask: Ask) -> Score:
    """Judge at once."""
    return Score(value=1.0, passed=output.text.startswith("x"))


def plan(cases: int, concurrency: int, cache: BoundCache | None) -> Plan:
    """Make a plan of one combo."""
    threads = Threads()
    model = BoundModel(
        id="m",
        provider="fake",
        model="m",
        complete=settle(complete, inline=True, threads=threads),
        fingerprint=lambda request: f"m {request.messages[0].content}",
        pricing=Pricing(input_per_mtok=0.15, output_per_mtok=0.6),
        blame="provider 'fake'",
    )
    scorer = BoundScorer(type="fake", name="fake", judge=settle(score, inline=True, threads=threads))
    rows = Rows(cases)
    return Plan(
        benchmark=Benchmark(name="speed", models=(), prompts=(Plain(),), cases=rows),
        combos=(Combo(model=model, prompt=Plain()),),
        cases=rows,
        case_count=cases,
        scorers_of=lambda _case: (scorer,),
        judge_of=lambda _name: model,
        cache=cache,
        concurrency=concurrency,
    )


def memory_cache() -> BoundCache:
    """Keep replies in a dictionary."""
    kept: dict[str, bytes] = {}

    async def get(key: str) -> bytes | None:
        return kept.get(key)

    async def put(key: str, value: bytes) -> None:
        kept[key] = value

    return BoundCache(get=get, put=put)


def measure(name: str, what: Plan, folder: Path) -> None:
    """Run a plan and print what it took."""
    journal = Journal.create(
        folder / f"{name}.journal",
        digest="",
        encode=encode_case,
        decode=lambda data, _combo: decode_case(data, "m", "v1"),
    )
    wall, cpu = time.perf_counter(), time.process_time()
    outcome = asyncio.run(execute(what, journal=journal))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    journal.close()
    (combo,) = outcome.combos
    if combo.passed != combo.total:
        raise SystemExit(f"{name}: {combo.passed} of {combo.total} passed")
    print(f"{name:>10}: {combo.total / wall:8,.0f} cases/s  {1000 * cpu / combo.total:.3f} ms CPU/case")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="?", type=int, default=10_000)
    parser.add_argument("concurrency", nargs="?", type=int, default=100)
    chosen = parser.parse_args()
    cases, concurrency = chosen.cases, chosen.concurrency
    with tempfile.TemporaryDirectory() as folder:
        measure("no cache", plan(cases, concurrency, None), Path(folder))
        cache = memory_cache()
        measure("cache miss", plan(cases, concurrency, cache), Path(folder))
        measure("cache hit", plan(cases, concurrency, cache), Path(folder))


if __name__ == "__main__":
    main()
