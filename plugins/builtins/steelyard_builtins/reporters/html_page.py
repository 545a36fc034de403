"""The HTML report, part by part. Everything from a file or a model is escaped, and cannot act even if it were not.

The page brings a policy of its own that allows its one script by its hash and nothing from anywhere else.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Iterator, Sequence

from steelyard.api import CaseResult, CaseRun, ComboResult, JsonValue, Message, RunRecord, Status, TagResult
from steelyard.text import one_line, printable

from .figures import count, interval, milliseconds, money, percent
from .html_assets import SCRIPT, STYLE
from .measures import Measure, measures
from .wording import ERROR_LABELS, Totals, combo_label, latency_ms, reason, recommendation, total_cost, verdict_word

_REASON_LENGTH = 160


def html_chunks(record: RunRecord) -> Iterator[bytes]:
    """Yield the page as bytes, case by case, so that a large one is never held whole."""
    return (part.encode() for part in _parts(record))


def _parts(record: RunRecord) -> Iterator[str]:
    yield from _head(record)
    yield from _facts(record)
    yield from _matrix(record)
    yield from _conclusions(record)
    yield from _tags(record)
    yield from _measures(record)
    yield from _filters(record)
    for passed in (False, True):
        for index, combo in enumerate(record.results):
            for case in combo.cases:
                if case.passed is passed:
                    yield from _case(case, index)
    yield f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n"


def _head(record: RunRecord) -> Iterator[str]:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{_line(record.benchmark)} — {_line(record.run_id)}</title>\n"
    yield f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"


def _facts(record: RunRecord) -> Iterator[str]:
    facts = [record.run_id, record.timestamp]
    facts += [f"judge {record.judge_model}"] if record.judge_model else []
    facts += [f"{record.repeat} runs of each case"] if record.repeat > 1 else []
    yield f"<h1>{_line(record.benchmark)}</h1>\n"
    yield f'<p class="facts">{" · ".join(_line(fact) for fact in facts)}</p>\n'
    if record.insights.verdict:
        kind = "verdict passed" if record.insights.passed else "verdict"
        yield f'<p class="{kind}">{_line(record.insights.verdict)}</p>\n'


def _matrix(record: RunRecord) -> Iterator[str]:
    headings = ("Model", "Prompt", "Score", "95 % interval", "Pass/Scored", "Errors", "Not run")
    yield "<h2>Results</h2>\n"
    yield from _table_start((*headings, "Tokens in / out", "Cost", "Latency p50 / p95"), first_numbers=2)
    for combo in record.results:
        share = 0 if combo.score is None else combo.score
        yield f"<tr><td>{_line(combo.model)}</td><td>{_line(combo.prompt_id)}</td>"
        score = percent(combo.score, threshold=record.insights.quality_threshold)
        yield f'<td class="number heat" style="--share: {share:.0f}">{score}</td>'
        yield from (f'<td class="number">{cell}</td>' for cell in _figures(combo))
        yield "</tr>\n"
    yield "</tbody></table></div>\n"
    totals = Totals.of(record)
    yield f"<p>{_line(totals.accounting())}. {_line(totals.cost())}.</p>\n"
    if totals.errors:
        yield f"<p>⚠ {_line(totals.pipeline_errors())}</p>\n"
    if totals.not_run:
        yield f"<p>⚠ {_line(totals.left_out(interrupted=record.interrupted))}</p>\n"


def _figures(combo: ComboResult) -> Iterator[str]:
    yield interval(combo.score_low, combo.score_high)
    yield f"{combo.passed}/{combo.scored}"
    yield str(combo.errors)
    yield str(combo.not_run)
    yield f"{count(combo.prompt_tokens)} / {count(combo.completion_tokens)}"
    yield html.escape(money(combo.cost_usd))
    yield f"{milliseconds(combo.latency_p50_ms)} / {milliseconds(combo.latency_p95_ms)}"


def _conclusions(record: RunRecord) -> Iterator[str]:
    yield "<h2>Recommendation</h2>\n<ul>\n"
    lines = [f"{label}: {text}" for label, text in recommendation(record)] or ["Nothing could be scored."]
    lines += [f"⚠️ {warning}" for warning in record.insights.warnings]
    yield from (f"<li>{_line(line)}</li>\n" for line in lines)
    yield "</ul>\n"


def _tags(record: RunRecord) -> Iterator[str]:
    tagged = [combo for combo in record.results if combo.tags]
    if not tagged:
        return
    yield "<h2>Quality by tag</h2>\n"
    for combo in tagged:
        yield from _part(record, combo, _tag_table(combo.tags))


def _part(record: RunRecord, combo: ComboResult, inside: Iterable[str]) -> Iterator[str]:
    """Yield what is said of one combo, folded up for all but the best: there may be many."""
    best = record.insights.best_quality
    is_best = best is not None and (best.model, best.prompt_id) == (combo.model, combo.prompt_id)
    yield f'<details class="part"{" open" if is_best else ""}><summary>'
    yield f"{_line(combo_label(combo.model, combo.prompt_id))}{' (best combo)' if is_best else ''}</summary>\n"
    yield from inside
    yield "</details>\n"


def _tag_table(tags: Iterable[TagResult]) -> Iterator[str]:
    yield from _table_start(("Tag", "Cases", "Quality", "95 % interval", "Errors", "Not run"), first_numbers=1)
    for tag in tags:
        sign = " ⚠️" if tag.warn else ""
        bounds = interval(tag.score_low, tag.score_high)
        cells = (str(tag.total), percent(tag.score, 0) + sign, bounds, str(tag.errors), str(tag.not_run))
        yield f"<tr><td>{_line(tag.tag)}</td>"
        yield from (f'<td class="number">{cell}</td>' for cell in cells)
        yield "</tr>\n"
    yield "</tbody></table></div>\n"


def _measures(record: RunRecord) -> Iterator[str]:
    found = [(combo, tables) for combo in record.results if (tables := list(measures(combo)))]
    if found:
        yield "<h2>More figures</h2>\n"
    for combo, tables in found:
        yield from _part(record, combo, (piece for table in tables for piece in _measure(table)))


def _measure(measure: Measure) -> Iterator[str]:
    yield f"<h3>{_line(measure.title)}</h3>\n"
    yield from _table_start([_line(heading) for heading in measure.headings], first_numbers=1)
    for name, *cells in measure.rows:
        numbers = "".join(f'<td class="number">{_line(cell)}</td>' for cell in cells)
        yield f"<tr><td>{_line(name)}</td>{numbers}</tr>\n"
    yield "</tbody></table></div>\n"
    if measure.note:
        yield f"<p>{_line(measure.note)}</p>\n"


def _table_start(headings: Sequence[str], *, first_numbers: int) -> Iterator[str]:
    yield '<div class="scroll" tabindex="0"><table><thead><tr>'
    for index, heading in enumerate(headings):
        kind = ' class="number"' if index >= first_numbers else ""
        yield f'<th scope="col"{kind}>{heading}</th>'
    yield "</tr></thead>\n<tbody>\n"


def _filters(record: RunRecord) -> Iterator[str]:
    combos = [(str(index), combo_label(one.model, one.prompt_id)) for index, one in enumerate(record.results)]
    verdicts = [(word, word) for word in ("passed", "failed", "flaky", *ERROR_LABELS.values())]
    scorers = sorted({name for combo in record.results for case in combo.cases for name in _scorers(case)})
    yield '<h2>Cases</h2>\n<p class="quiet">Those that did not pass come first.</p>\n<form id="filters" hidden>\n'
    yield from _select("combo", "Combo", combos)
    yield from _select("status", "Result", verdicts)
    yield from _select("scorer", "Scorer", [(one_line(name), name) for name in scorers])
    yield '<label>Text <input name="text" type="search" autocomplete="off"></label>\n'
    yield '<output id="shown" aria-live="polite"></output>\n</form>\n'


def _select(name: str, label: str, choices: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield f'<label>{label} <select name="{name}"><option value="">all</option>'
    yield from (f'<option value="{html.escape(value)}">{_line(text)}</option>' for value, text in choices)
    yield "</select></label>\n"


def _case(case: CaseResult, combo: int) -> Iterator[str]:
    word = verdict_word(case)
    kind = "error" if case.status is not Status.SCORED else word
    scorers = html.escape("\n".join(one_line(name) for name in _scorers(case)))
    yield f'<details class="case {kind}" data-combo="{combo}" data-status="{word}" data-scorers="{scorers}"><summary>'
    yield f'<span class="sign">{word}</span> <span class="id">{_line(case.id)}</span> '
    yield f"<span>{_line(combo_label(case.model, case.prompt_id))}</span> "
    figures = (percent(None if case.score is None else 100 * case.score), money(total_cost(case)))
    yield f'<span class="quiet">{html.escape(" · ".join((*figures, milliseconds(latency_ms(case)))))}</span> '
    yield f'<span class="quiet">{html.escape(one_line(reason(case), _REASON_LENGTH))}</span></summary>\n'
    yield '<div class="inside">'
    if case.tags:
        yield f'<p class="quiet">Tags: {_line(", ".join(case.tags))}</p>'
    if case.expected is not None:
        yield f"<h3>Expected</h3>{_block(_as_text(case.expected))}"
    for run in case.runs:
        yield from _run(run, numbered=len(case.runs) > 1)
    yield "</div></details>\n"


def _run(run: CaseRun, *, numbered: bool) -> Iterator[str]:
    if numbered:
        word = "error" if run.status is not Status.SCORED else "passed" if run.passed else "failed"
        yield f'<h3 class="{word}">Run {run.repeat + 1}: <span class="sign">{word}</span></h3>'
    if run.error is not None:
        yield f"<h3>Error</h3>{_block(run.error)}"
    yield from _messages(_asked(run))
    yield f"<h3>Output</h3>{_block(run.response)}"
    for score in run.scores:
        word = "error" if score.passed is None else "passed" if score.passed else "failed"
        value = "" if score.score is None else f" {score.score:.2f}"
        yield f'<p class="{word}"><span class="sign">{word}</span> {_line(score.name)}{value}: '
        yield f"{_line(score.reason)}</p>"
    if run.reasoning:
        yield f"<h3>Judge's reasoning</h3>{_block(run.reasoning)}"
    tokens = f"{count(run.prompt_tokens)} + {count(run.completion_tokens)} tokens"
    cost = f"answer {money(run.cost_usd)}, judge {money(run.judge_cost_usd)}"
    source = "from the cache" if run.cached else f"{run.attempts} call(s)"
    yield f'<p class="quiet">{_line(f"{tokens} · {cost} · {milliseconds(run.latency_ms)} · {source}")}</p>'


def _asked(run: CaseRun) -> Sequence[Message]:
    """Return what led to the output, which is shown by itself: a transcript ends with it."""
    messages = run.transcript or run.messages
    ends_with_output = bool(messages) and messages[-1] == Message(role="assistant", content=run.response)
    return messages[:-1] if ends_with_output else messages


def _messages(messages: Iterable[Message]) -> Iterator[str]:
    yield from (f"<h3>{_line(message.role.capitalize())}</h3>{_block(message.content)}" for message in messages)


def _scorers(case: CaseResult) -> list[str]:
    return sorted({score.name for run in case.runs for score in run.scores})


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _block(text: str) -> str:
    # The line end is the one that a browser drops after the tag, so that the text keeps its own.
    return f"<pre>\n{html.escape(printable(text, newlines=True))}</pre>"


def _line(text: str) -> str:
    return html.escape(one_line(text))
