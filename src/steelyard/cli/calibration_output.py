"""A calibration as tables, or as JSON for a program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..text import one_line
from .calibration_words import figures, subject, verdict
from .output import print_line
from .tables import print_table

if TYPE_CHECKING:
    from ..session import Calibration


def print_as_text(calibration: Calibration, judge: str | None, *, color: bool | None) -> None:
    """Print figures, the table of verdicts, and the outputs about which the two are furthest apart."""
    print_line(one_line(subject(calibration, judge)))
    print_line("")
    columns = ("Figure", "Value", "Interval (95 %)", "n")
    print_table(columns, list(figures(calibration)), color=color, right=columns[1:])
    print_line("")
    confusion = calibration.confusion
    rows = [
        ("judge passes", str(confusion.both_pass), str(confusion.false_pass)),
        ("judge fails", str(confusion.false_fail), str(confusion.both_fail)),
    ]
    heads = ("Outputs that …", "people pass", "people fail")
    print_table(heads, rows, color=color, right=heads[1:])
    if calibration.worst:
        print_line("")
        print_line("Furthest apart:")
    for one in calibration.worst:
        where = f"{one.id} ({one.model} / {one.prompt_id})"
        print_line(one_line(f"- {where}: judge {one.judge:.1f}, people {one.human:g}"))
    print_line("")
    print_line(f"Verdict: {verdict(calibration)}.")


def as_json(calibration: Calibration, judge: str | None) -> dict[str, Any]:
    """Return the calibration as programs get it; shares and coefficients from 0 to 1, bias in points of the scale."""
    found: dict[str, Any] = {"judge": judge, "n": calibration.count, "human_pass": calibration.human_pass}
    for name in (
        "pearson",
        "spearman",
        "kappa",
        "kappa_quadratic",
        "agreement",
        "bias",
        "false_pass",
        "false_fail",
        "pass_rate",
        "pass_rate_corrected",
    ):
        figure = getattr(calibration, name)
        found |= {name: figure.value, f"{name}_low": figure.low, f"{name}_high": figure.high}
    confusion = calibration.confusion
    found["n_judged"] = calibration.judged
    found["confusion"] = {
        "both_pass": confusion.both_pass,
        "false_pass": confusion.false_pass,
        "false_fail": confusion.false_fail,
        "both_fail": confusion.both_fail,
    }
    found["verdict"] = calibration.verdict
    found["worst"] = list(dict.fromkeys(one.id for one in calibration.worst))
    return found
