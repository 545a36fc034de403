"""What pairwise comparisons came to, as tables or as JSON for a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from ..text import one_line
from .money import dollars
from .output import print_line
from .tables import print_table

if TYPE_CHECKING:
    from ..session import DuelReport, Figure

_UNKNOWN: Final = "-"
_SIGNIFICANT: Final = 0.05
_SMALLEST_P: Final = 0.001
_REASON_LENGTH: Final = 160


def print_as_text(report: DuelReport, *, detailed: bool, color: bool | None) -> None:
    """Print win rates, a ranking of three or more, and how far the judge favoured a position."""
    names = [contestant.label for contestant in report.contestants]
    several = len(report.duels.pairs) > 1
    p_head = "Corrected p" if several else "p"
    heads = ("A", "B", "A wins", "Ties", "B wins", "Errors", "A's win rate", "Interval (95 %)", p_head, "n")
    rows = [
        (
            names[pair.first],
            names[pair.second],
            str(pair.wins),
            str(pair.ties),
            str(pair.losses),
            str(pair.errors),
            *_share(pair.win_rate),
            _probability(pair.p_adjusted) if pair.judged else _UNKNOWN,
            str(pair.judged),
        )
        for pair in report.duels.pairs
    ]
    print_table(heads, rows, color=color, title=f"PAIRWISE: judged by {report.judge}, in both orders", right=heads[2:])
    for line in _verdicts(report, names):
        print_line(one_line(line))
    if report.duels.ranking:
        print_line("")
        _print_ranking(report, names, color)
    if report.duels.apart and report.duels.judged and len(names) > 2:  # noqa: PLR2004 - two need no rank
        groups = " | ".join(", ".join(names[one] for one in group) for group in report.duels.apart)
        print_line("")
        print_line(one_line(f"No ranking: no verdict joins these, directly or by way of others: {groups}"))
    if detailed:
        _print_duels(report, names)
    print_line("")
    for line in _trust(report):
        print_line(one_line(line))


def _verdicts(report: DuelReport, names: list[str]) -> list[str]:
    lines = [""]
    for pair in report.duels.pairs:
        if not pair.judged:
            continue
        both = f"{names[pair.first]} and {names[pair.second]}"
        if pair.p_adjusted >= _SIGNIFICANT:
            these = "this case" if pair.judged == 1 else f"these {pair.judged} cases"
            lines.append(f"{both}: no difference that {these} can show")
            continue
        better, other = (pair.first, pair.second) if pair.wins > pair.losses else (pair.second, pair.first)
        lines.append(f"{names[better]} is better than {names[other]}")
    return lines


def _print_ranking(report: DuelReport, names: list[str], color: bool | None) -> None:
    heads = ("Rank", "Combo", "Wins against the others", "Interval (95 %)", "n")
    rows = [
        (str(rank), names[standing.contestant], *_share(standing.share), str(standing.judged))
        for rank, standing in enumerate(report.duels.ranking, start=1)
    ]
    print_table(heads, rows, color=color, title="RANKING (Bradley-Terry)", right=(heads[0], *heads[2:]))


def _print_duels(report: DuelReport, names: list[str]) -> None:
    print_line("")
    for duel in report.duels.duels:
        both = f"{names[duel.first]} : {names[duel.second]}"
        if duel.winner is None:
            said = f"error: {duel.error}"
        elif duel.winner == "tie":
            said = "tie, the judge changed its mind with the order" if duel.flipped else "tie"
        else:
            said = names[duel.first if duel.winner == "first" else duel.second]
        reason = f" ({one_line(duel.reason, _REASON_LENGTH)})" if duel.reason else ""
        print_line(one_line(f"- {duel.case_id}: {both}: {said}{reason}"))


def _trust(report: DuelReport) -> list[str]:
    """Say how far the verdicts can be trusted, and what they cost."""
    duels = report.duels
    lines = [*_by_position(report)] if duels.judged else ["No comparison got a verdict: nothing can be said."]
    if duels.errors:
        left_out = " are left out" if duels.judged else ""
        lines.append(f"{duels.errors} comparison(s) without a verdict{left_out}; {_most_frequent(report)}.")
    if report.not_asked:
        lines.append(f"{report.not_asked} comparison(s) were not asked for.")
    cost = "unknown" if report.cost_usd is None else dollars(Decimal(repr(report.cost_usd)))
    spent = "unknown" if report.spent_usd is None else dollars(Decimal(repr(report.spent_usd)))
    return [*lines, f"Cost of the verdicts: {cost}, spent now {spent}."]


def _by_position(report: DuelReport) -> Iterator[str]:
    """Say whether the judge went by the order in which it saw the answers."""
    duels = report.duels
    flips, interval = _share(duels.flip_rate)
    yield f"Swapped answers changed the verdict in {flips} of {duels.judged} comparison(s) (95 % interval {interval})."
    decided = sum(duel.decided for duel in duels.duels)
    if not decided:
        yield "No verdict named a winner, so nothing shows whether the judge favours a position."
        return
    first, of_first = _share(duels.first_rate)
    biased = "the judge favours a position" if duels.first_p_value < _SIGNIFICANT else "no favour to a position shows"
    yield (
        f"The answer shown first won {first} of {decided} decided verdict(s) (95 % interval {of_first}, "
        f"{_probability(duels.first_p_value)}): {biased}."
    )


def _most_frequent(report: DuelReport) -> str:
    """Return the most frequent kind of reason why there was no verdict, in the words of its first time."""
    errors = [duel.error for duel in report.duels.duels if duel.winner is None]
    kinds = Counter(map(_kind, errors))
    ((kind, count),) = kinds.most_common(1)
    often = "the reason" if len(kinds) == 1 else "for example" if count == 1 else f"most often, {count} times"
    return f"{often}: {one_line(next(error for error in errors if _kind(error) == kind), _REASON_LENGTH)}"


def _kind(error: str) -> str:
    """Return what of a reason is the same each time: after it comes what to do, or what the judge replied."""
    return error.partition(";")[0]


def _share(figure: Figure) -> tuple[str, str]:
    if figure.value is None:
        return _UNKNOWN, _UNKNOWN
    if figure.low is None or figure.high is None:
        return f"{100 * figure.value:.1f}%", _UNKNOWN
    return f"{100 * figure.value:.1f}%", f"{100 * figure.low:.1f}% to {100 * figure.high:.1f}%"


def _probability(p_value: float) -> str:
    return f"p < {_SMALLEST_P}" if p_value < _SMALLEST_P else f"p = {p_value:.3f}"


def as_json(report: DuelReport) -> dict[str, Any]:
    """Return the comparisons as programs get them; shares from 0 to 1."""
    names = [contestant.label for contestant in report.contestants]
    duels = report.duels
    return {
        "judge": report.judge,
        "contestants": [
            {"label": one.label, "run_id": one.run_id, "model": one.model, "prompt_id": one.prompt_id}
            for one in report.contestants
        ],
        "n": duels.judged,
        "errors": duels.errors,
        "not_asked": report.not_asked,
        "pairs": [
            {
                "a": names[pair.first],
                "b": names[pair.second],
                "n": pair.judged,
                "wins": pair.wins,
                "ties": pair.ties,
                "losses": pair.losses,
                "errors": pair.errors,
                **_fields("win_rate", pair.win_rate),
                "p_value": pair.p_value if pair.judged else None,
                "p_adjusted": pair.p_adjusted if pair.judged else None,
            }
            for pair in duels.pairs
        ],
        "ranking": [
            {
                "label": names[standing.contestant],
                **_fields("win_share", standing.share),
                "strength": standing.strength,
                "n": standing.judged,
            }
            for standing in duels.ranking
        ],
        "apart": [[names[one] for one in group] for group in duels.apart],
        **_fields("flip_rate", duels.flip_rate),
        **_fields("first_position_rate", duels.first_rate),
        "first_position_p_value": None if duels.first_rate.value is None else duels.first_p_value,
        "cost_usd": report.cost_usd,
        "spent_usd": report.spent_usd,
        "comparisons": [
            {
                "id": duel.case_id,
                "a": names[duel.first],
                "b": names[duel.second],
                "winner": {"first": "a", "second": "b"}.get(duel.winner or "", duel.winner),
                "flipped": duel.flipped,
                "reason": duel.reason,
                "error": duel.error or None,
            }
            for duel in duels.duels
        ],
    }


def _fields(name: str, figure: Figure) -> dict[str, float | None]:
    return {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}
