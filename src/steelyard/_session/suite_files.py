"""From a file to a benchmark, by the format that it is in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .._host.host import Host
from .._host.kinds import Offer
from ..api import Benchmark, FormatSpec, FormatTools, Node, Problem, RunOptions, SuiteFormat
from ..errors import BenchmarkError, UsageError
from .case_places import CasePlaces
from .findings import Findings


def read_benchmark(
    path: Path,
    options: RunOptions,
    *,
    host: Host,
    tools: FormatTools,
    read: Callable[[Path, Callable[[Problem], None]], Node],
) -> tuple[Benchmark | None, Findings]:
    """Read a file into a Benchmark, with what its format has to say about it."""
    findings = Findings()
    with findings.collecting(place=str(path)):
        document = read(path, findings.add)
        findings.places = CasePlaces(document)
        suite_format, name = _format_of(document, options, host=host, tools=tools)
        if options.dataset is None:
            benchmark = suite_format.read(document, path)
        else:
            benchmark = _with_dataset(suite_format, name, document, path, options.dataset)
        if benchmark is not None:
            benchmark = replace(benchmark, format=name, path=path)
        offer = host.registry.get("format", name)
        if offer.spec.deprecated:
            message = f"{offer} is deprecated"
            findings.add(Problem(severity="warning", message=message, hint=offer.spec.deprecated, place=str(path)))
        return benchmark, findings
    return None, findings


def _with_dataset(suite: SuiteFormat, name: str, document: Node, path: Path, dataset: Path) -> Benchmark | None:
    with_dataset = getattr(suite, "with_dataset", None)
    if with_dataset is None:
        raise UsageError(f"format {name!r} takes no other data file; leave --dataset out")
    benchmark: Benchmark | None = with_dataset(document, path, dataset)
    return benchmark


def _format_of(document: Node, options: RunOptions, *, host: Host, tools: FormatTools) -> tuple[SuiteFormat, str]:
    if document.value is None:
        document.error("the file is empty", "steelyard init writes one to begin with")
        raise BenchmarkError([])
    if not document.is_mapping():
        raise BenchmarkError([])
    if options.format is not None:
        return host.registry.get("format", options.format).spec.create(tools), options.format
    keys = document.value
    matching: list[tuple[SuiteFormat, str]] = []

    def recognised(offer: Offer[FormatSpec]) -> bool:
        suite = offer.spec.create(tools)
        if not isinstance(keys, dict) or not suite.recognises(keys):
            return False
        matching.append((suite, offer.name))
        return True

    host.registry.wanted("format", recognised)
    if len(matching) == 1:
        return matching[0]
    known = ", ".join(host.registry.names("format"))
    if matching:
        names = ", ".join(repr(name) for _, name in matching)
        raise UsageError(f"{len(matching)} formats recognise this file ({names}); choose one with --format")
    broken = "".join(f"; {report}" for report in host.plugins if report.state == "broken")
    if not known:
        raise UsageError(f"no plugin in use offers a format; see steelyard plugins{broken}")
    raise UsageError(f"no format recognises this file (formats: {known}); name one with --format to see why{broken}")
