"""A calibration as a page of its own: the figures, and a plot of every output by what judge and people gave it."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..records import write_file
from ..text import one_line
from .calibration_words import figures, subject, verdict

if TYPE_CHECKING:
    from ..api import RunRecord
    from ..session import Calibration

_SIZE: Final = 440
_EDGE: Final = 50
_LOWEST, _HIGHEST = 1, 5
_SMALLEST: Final = 4.0

_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem;
       color: #1a1a1a; background: #fff; }
table { border-collapse: collapse; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid #ccc; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; max-width: 30rem; height: auto; }
text { fill: currentColor; font-size: 13px; }
line { stroke: #999; } .equal { stroke-dasharray: 4; } .bar { stroke: #b45309; }
circle { fill: #1d4ed8; fill-opacity: .45; stroke: #1d4ed8; } circle.apart { fill: #b91c1c; stroke: #b91c1c; }
@media (prefers-color-scheme: dark) { body { color: #e5e5e5; background: #171717; } }
"""


def write_page(path: Path, calibration: Calibration, judge: str | None, record: RunRecord) -> None:
    """Write the page. Raises ``SteelyardError`` when it cannot be written."""
    write_file(path, (part.encode() for part in _parts(calibration, judge, record)))


def _parts(calibration: Calibration, judge: str | None, record: RunRecord) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>Calibration — {_line(record.run_id)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    yield f"<h1>{_line(record.benchmark)}: calibration</h1>\n<p>{_line(subject(calibration, judge))}</p>\n"
    yield f"<p><strong>{_line(verdict(calibration))}</strong></p>\n"
    yield '<table><thead><tr><th scope="col">Figure</th>'
    yield from (f'<th scope="col" class="number">{name}</th>' for name in ("Value", "95 % interval", "n"))
    yield "</tr></thead>\n<tbody>\n"
    for name, *cells in figures(calibration):
        numbers = "".join(f'<td class="number">{cell}</td>' for cell in cells)
        yield f"<tr><td>{_line(name)}</td>{numbers}</tr>\n"
    yield "</tbody></table>\n"
    yield from _plot(calibration)
    yield from _worst(calibration)
    yield "</body>\n</html>\n"


def _plot(calibration: Calibration) -> Iterator[str]:
    said = f"{calibration.count} outputs by the score of people (across) and of the judge (up); dashed: both alike"
    yield f'<figure><svg viewBox="0 0 {_SIZE} {_SIZE}" role="img" aria-label="{said}">\n'
    start, end, bottom = _at(_LOWEST), _at(_HIGHEST), _SIZE - _EDGE
    for score in range(_LOWEST, _HIGHEST + 1):
        place = _at(score)
        yield f'<line x1="{place}" y1="{bottom}" x2="{place}" y2="{bottom + 5}"/>'
        yield f'<text x="{place}" y="{bottom + 20}" text-anchor="middle">{score}</text>'
        yield f'<text x="{start - 12}" y="{_SIZE - place + 4}" text-anchor="end">{score}</text>\n'
    yield f'<line x1="{start}" y1="{bottom}" x2="{end}" y2="{bottom}"/>'
    yield f'<line x1="{start}" y1="{bottom}" x2="{start}" y2="{_SIZE - end}"/>'
    yield f'<line class="equal" x1="{start}" y1="{bottom}" x2="{end}" y2="{_SIZE - end}"/>\n'
    places = Counter((one.human, round(one.judge, 1)) for one in calibration.rated)
    for (human, judge), count in sorted(places.items()):
        kind = ' class="apart"' if abs(human - judge) >= 2 else ""  # noqa: PLR2004 - two of five points
        radius = _SMALLEST * count**0.5
        yield f'<circle{kind} cx="{_at(human):g}" cy="{_SIZE - _at(judge):g}" r="{radius:.1f}">'
        yield f"<title>people {human:g}, judge {judge:g}: {count} output(s)</title></circle>\n"
    yield f'<text x="{_SIZE / 2:g}" y="{_SIZE - 8}" text-anchor="middle">people</text>'
    yield f'<text x="14" y="{_SIZE / 2:g}" text-anchor="middle" transform="rotate(-90 14 {_SIZE / 2:g})">judge</text>\n'
    yield f"</svg><figcaption>{said}. Larger dots are more outputs.</figcaption></figure>\n"


def _at(score: float) -> float:
    """Return where a score stands on an axis."""
    return _EDGE + (score - _LOWEST) / (_HIGHEST - _LOWEST) * (_SIZE - 2 * _EDGE)


def _worst(calibration: Calibration) -> Iterator[str]:
    if not calibration.worst:
        return
    yield "<h2>Furthest apart</h2>\n<ul>\n"
    for one in calibration.worst:
        said = f"{one.id} ({one.model} / {one.prompt_id}): judge {one.judge:.1f}, people {one.human:g}"
        yield f"<li>{_line(said)}</li>\n"
    yield "</ul>\n"


def _line(text: str) -> str:
    return html.escape(one_line(text))
