"""Which cases of a record hold a text anywhere, without decoding those that cannot.

A case on the disk is one line of JSON. Where the longest part of the wanted text that JSON writes as it stands is not
in the line, the text is not in the case; only the others are decoded and looked through.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from steelyard.api import CaseResult

_APART = re.compile(r'["\\/\x00-\x1f\x7f]|(?<=[,:]) ')
"""What JSON may write otherwise than it stands in a text: escapes, and the room after a comma or a colon."""


def positions_holding(cases: Sequence[CaseResult], wanted: str) -> Iterator[int]:
    """Yield the positions of the cases that hold a text, whatever its case.

    Args:
        cases: The cases of one combo.
        wanted: The text, casefolded.

    Raises ``RecordError`` when a case that is decoded cannot be read.
    """
    lines: Callable[[], Iterable[bytes]] | None = getattr(cases, "lines", None)
    part = max(_APART.split(wanted), key=len)
    if lines is None or not part:
        yield from (position for position, case in enumerate(cases) if _holds(case, wanted))
        return
    for position, line in enumerate(lines()):
        if _may_hold(line, part) and _holds(cases[position], wanted):
            yield position


def _may_hold(line: bytes, part: str) -> bool:
    # An escape by number may stand for any character, and bytes that are no UTF-8 for none that is known here.
    return b"\\u" in line or part in line.decode("utf-8", "replace").casefold()


def _holds(case: CaseResult, wanted: str) -> bool:
    return any(wanted in text.casefold() for text in _texts(case))


def _texts(case: CaseResult) -> Iterator[str]:
    yield case.id
    if isinstance(case.expected, str):
        yield case.expected
    elif case.expected is not None:
        yield json.dumps(case.expected, ensure_ascii=False, default=dict)
    for run in case.runs:
        yield run.response
        yield run.error or ""
        yield run.reasoning or ""
        yield from (message.content for message in run.messages)
        yield from (message.content for message in run.transcript)
        yield from (score.reason for score in run.scores)
