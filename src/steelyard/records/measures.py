"""What the answers of a combo come to beyond their score, as JSON and back: labels told apart, and panels of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ..api import JudgeResult, LabelResult, LabelsResult, PanelResult, PassAtResult
from .strict_json import Fields, number_of, objects_of, text_of, whole_of

_MEANS = (
    "macro_precision",
    "macro_recall",
    "macro_f1",
    "weighted_precision",
    "weighted_recall",
    "weighted_f1",
)
_OF_JUDGE = ("passed_low", "passed_high", "mean_score_low", "mean_score_high")


def measure_fields(
    labels: LabelsResult | None, panel: PanelResult | None, pass_at: Sequence[PassAtResult] = ()
) -> Fields:
    """Return the fields of what there is."""
    fields: Fields = {}
    if pass_at:
        fields["pass_at"] = [asdict(one) for one in pass_at]
    if labels is not None:
        fields["labels"] = asdict(labels)
    if panel is not None:
        fields["panel"] = {
            "judges": [
                {
                    "model": judge.model,
                    "scored": judge.scored,
                    "passed": judge.passed,
                    "mean_score": judge.mean_score,
                    "cost": judge.cost_usd,
                    **{name: getattr(judge, name) for name in _OF_JUDGE},
                }
                for judge in panel.judges
            ],
            "outputs": panel.outputs,
            "alpha": panel.alpha,
            "alpha_low": panel.alpha_low,
            "alpha_high": panel.alpha_high,
        }
    return fields


def labels_of(data: Mapping[str, Any]) -> LabelsResult | None:
    """Return what an object says about labels; ``None`` when that is not whole."""
    found = data.get("labels")
    if not isinstance(found, dict):
        return None
    labels = tuple(_label(label) for label in objects_of(found, "labels"))
    confusion, other = found.get("confusion"), found.get("other")
    size = len(labels)
    rows = [*confusion, other] if isinstance(confusion, list) else []
    if len(rows) != size + 1 or not all(_counts(row, size) for row in rows):
        return None
    means: dict[str, Any] = {name: number_of(found, name) or 0.0 for name in _MEANS}
    means |= {f"{name}_{end}": number_of(found, f"{name}_{end}") for name in _MEANS for end in ("low", "high")}
    return LabelsResult(
        answers=whole_of(found, "answers") or 0,
        correct=whole_of(found, "correct") or 0,
        labels=labels,
        confusion=tuple(map(tuple, rows[:-1])),
        other=tuple(rows[-1]),
        **means,
    )


def _counts(row: object, size: int) -> bool:
    return isinstance(row, list) and len(row) == size and all(count.__class__ is int for count in row)


def _label(data: Mapping[str, Any]) -> LabelResult:
    return LabelResult(
        label=text_of(data, "label"),
        expected=whole_of(data, "expected") or 0,
        predicted=whole_of(data, "predicted") or 0,
        correct=whole_of(data, "correct") or 0,
        precision=number_of(data, "precision"),
        precision_low=number_of(data, "precision_low"),
        precision_high=number_of(data, "precision_high"),
        recall=number_of(data, "recall") or 0.0,
        recall_low=number_of(data, "recall_low"),
        recall_high=number_of(data, "recall_high"),
        f1=number_of(data, "f1") or 0.0,
        f1_low=number_of(data, "f1_low"),
        f1_high=number_of(data, "f1_high"),
    )


def panel_of(data: Mapping[str, Any]) -> PanelResult | None:
    """Return what an object says about a panel of judges."""
    found = data.get("panel")
    if not isinstance(found, dict):
        return None
    return PanelResult(
        judges=tuple(
            JudgeResult(
                model=text_of(judge, "model"),
                scored=whole_of(judge, "scored") or 0,
                passed=whole_of(judge, "passed") or 0,
                mean_score=number_of(judge, "mean_score") or 0.0,
                cost_usd=number_of(judge, "cost"),
                **{name: number_of(judge, name) for name in _OF_JUDGE},
            )
            for judge in objects_of(found, "judges")
        ),
        outputs=whole_of(found, "outputs") or 0,
        alpha=number_of(found, "alpha"),
        alpha_low=number_of(found, "alpha_low"),
        alpha_high=number_of(found, "alpha_high"),
    )


def pass_at_of(data: Mapping[str, Any]) -> tuple[PassAtResult, ...]:
    """Return what an object says about several runs of a case."""
    return tuple(
        PassAtResult(
            k=whole_of(one, "k") or 0,
            cases=whole_of(one, "cases") or 0,
            some=number_of(one, "some") or 0.0,
            some_low=number_of(one, "some_low"),
            some_high=number_of(one, "some_high"),
            every=number_of(one, "every") or 0.0,
            every_low=number_of(one, "every_low"),
            every_high=number_of(one, "every_high"),
        )
        for one in objects_of(data, "pass_at")
    )
