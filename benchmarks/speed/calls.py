"""A whole run against a fake API: cases per second, processor time per case, peak memory, and a bare loop beside it.

Everything that a user's run does is in it: start, check, render, cache miss, call, score, journal, record, report. The
fake API runs in a process of its own and answers at once, or after a latency::

    python benchmarks/speed/calls.py
    python benchmarks/speed/calls.py --cases 1000 --latency-ms 200
    python benchmarks/speed/calls.py --peer evalkit

The bare loop is aiohttp sending the same questions, so many at a time, and reading the answers. The seconds of a run
are those that its record tells, from the first case to the last; beside them stand those of the whole command.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from pathlib import Path

import aiohttp
from peers import PEERS, run_peer
from suites import QUESTION, write_yaml
from taken import STEELYARD, Sheet, Taken, median_of, options, take

from steelyard.testing.fake_api_process import FakeAPIProcess

IN_FLIGHT = 100
AIM_PER_S = 1500
AIM_CPU_MS = 0.6
AIM_OVER = 1.05


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--latency-ms", type=float, nargs="*", default=[0.0, 200.0])
    parser.add_argument("--peer", choices=PEERS, action="append", default=[], help="measure this tool beside us")
    parser.add_argument("--bare", help="", default=None)
    chosen = parser.parse_args()
    if chosen.bare:
        print(json.dumps(asyncio.run(bare(chosen.bare, chosen.cases))))
        return
    sheet = Sheet("calls", chosen.json)
    for latency_ms in chosen.latency_ms:
        with FakeAPIProcess(latency_s=latency_ms / 1000) as api, tempfile.TemporaryDirectory() as name:
            measure(sheet, Path(name), api.base_url, chosen.cases, latency_ms, chosen.runs)
            for peer in chosen.peer:
                run_peer(peer, sheet, Path(name), api.base_url, chosen.cases, IN_FLIGHT)
    sheet.close()


def measure(sheet: Sheet, folder: Path, url: str, cases: int, latency_ms: float, runs: int) -> None:
    """Measure the loop and the run against one server."""
    label = f"{cases:,} cases, {latency_ms:g} ms latency"
    loop = [sys.executable, __file__, "--bare", url, "--cases", str(cases)]
    beside = median_of(runs, lambda: take(loop, cwd=folder))
    told = json.loads(beside.output)
    sheet.row(f"bare aiohttp loop: {label}", beside, figure=f"{cases / told['seconds']:,.0f} calls/s")
    write_yaml(folder / "suite.yaml", cases, url)
    idle = median_of(runs, lambda: take([*STEELYARD, "validate", "suite.yaml"], cwd=folder))
    seconds: list[float] = []

    def once() -> Taken:
        taken = take([*STEELYARD, "run", "suite.yaml", "-j", str(IN_FLIGHT)], cwd=folder)
        seconds.append(duration_of(folder))
        empty(folder)
        return taken

    run = median_of(runs, once)
    middle = sorted(seconds)[len(seconds) // 2]
    cpu_ms = 1000 * (run.cpu_s - idle.cpu_s) / cases
    ideal = cases / IN_FLIGHT * latency_ms / 1000
    if latency_ms:
        figure = f"{middle:.2f} s of ideal {ideal:.2f} s"
        sheet.row(
            f"run: {label}", run, figure=figure, ratio=f"{middle / ideal:.3f} × ideal", aim=f"≤ {AIM_OVER} × ideal"
        )
    else:
        figure = f"{cases / middle:,.0f} cases/s"
        ratio = f"{middle / told['seconds']:.1f} × loop's time"
        sheet.row(f"run: {label}", run, figure=figure, ratio=ratio, aim=f"≥ {AIM_PER_S:,} cases/s")
    loop_ms = 1000 * told["cpu"] / cases
    sheet.row(
        "   processor time per case, without start",
        figure=f"{cpu_ms:.2f} ms",
        ratio=f"{cpu_ms / loop_ms:.1f} × loop's",
        aim=f"≤ {AIM_CPU_MS} ms",
    )


def duration_of(folder: Path) -> float:
    """Return the seconds of the one run that is stored."""
    (record,) = (folder / "results").glob("*.json")
    head = record.read_text(encoding="utf-8")
    found: float = json.loads(head)["duration_s"]
    return found


def empty(folder: Path) -> None:
    """Forget the run and what was cached."""
    for path in sorted((*folder.glob("results/*"), *folder.glob(".steelyard_cache/*"))):
        path.unlink()


async def bare(url: str, cases: int) -> dict[str, float]:
    """Ask everything with nothing around it."""
    numbers = iter(range(cases))
    started, cpu = time.perf_counter(), time.process_time()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=IN_FLIGHT)) as session:

        async def worker() -> None:
            for number in numbers:
                text = f"Classify this conversation: {QUESTION.format(number=number)}"
                body = {"model": "fake", "messages": [{"role": "user", "content": text}], "temperature": 0}
                async with session.post(f"{url}/chat/completions", json=body) as response:
                    await response.json()

        await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
    return {"seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu}


if __name__ == "__main__":
    main()
