from __future__ import annotations

import pytest

from steelyard._engine.formulas.krippendorff import alpha, interval, nominal, ordinal, ratio

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), examples A and C.
A = ("0100000010", "1110010000")
C = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def units(raters: tuple[str, ...]) -> list[list[float]]:
    """Return what each unit was rated; ``.`` is missing."""
    return [[float(value) for value in column if value != "."] for column in zip(*raters, strict=True)]


def test_two_raters_with_two_values_are_the_published_example() -> None:
    assert alpha(units(A), nominal) == pytest.approx(0.0952381, abs=5e-8)


@pytest.mark.parametrize(
    ("distance", "wanted"),
    [(nominal, 0.7434211), (ordinal, 0.8153875), (interval, 0.8491071), (ratio, 0.7974028)],
)
def test_four_raters_with_gaps_are_the_published_example(distance, wanted: float) -> None:
    assert alpha(units(C), distance) == pytest.approx(wanted, abs=5e-8)


def test_full_agreement_is_one_and_nothing_to_disagree_about_unknown() -> None:
    assert alpha([[1, 1], [2, 2]], interval) == 1.0
    assert alpha([[1, 1], [1, 1]], interval) is None
    assert alpha([[1], [2]], interval) is None
    assert alpha([], nominal) is None


def test_systematic_disagreement_is_less_than_chance() -> None:
    found = alpha([[1, 5], [5, 1], [1, 5]], interval)

    assert found is not None
    assert found < 0
