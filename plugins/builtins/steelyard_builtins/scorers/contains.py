"""Contains: the output holds a text, or each (or one) of several."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from steelyard import hookimpl
from steelyard.api import Ask, Benchmark, Case, Output, PluginContext, Problem, Score, Scorer, ScorerSpec, option

from ._caseless import caseless, composed
from ._expected import check_texts, wanted_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainsSettings:
    """The options of contains."""

    value: str | tuple[str, ...] | None = option(
        None, doc="A text or a list of texts to look for; by default the case's expected_output."
    )
    mode: Literal["all", "any"] = option("all", doc="Whether every text must be there, or one is enough.")
    ignore_case: bool = option(default=False, doc="Whether upper and lower case are the same.")


class Contains:
    """Looks for texts. The score is the share that was found."""

    def __init__(self, settings: ContainsSettings) -> None:
        self._settings = settings
        self._comparable = caseless if settings.ignore_case else composed

    def score(self, case: Case, output: Output, ask: Ask) -> Score:
        """Pass when all the texts are there, or any of them."""
        del ask
        wanted = wanted_texts(self._settings.value, case)
        text = self._comparable(output.text)
        missing = [item for item in wanted if self._comparable(item) not in text]
        found = len(wanted) - len(missing)
        passed = found > 0 if self._settings.mode == "any" else not missing
        return Score(value=found / len(wanted), passed=passed, reason=self._reason(wanted, missing))

    def check(self, benchmark: Benchmark, case: Case) -> Iterable[Problem]:
        """Report a case with nothing to look for: it would always pass."""
        del benchmark
        return check_texts(self._settings.value, case, "contains")

    @staticmethod
    def _reason(wanted: tuple[str, ...], missing: list[str]) -> str:
        found = [item for item in wanted if item not in missing]
        said = [f"found {', '.join(map(repr, found))}"] if found else []
        said += [f"missing {', '.join(map(repr, missing))}"] if missing else []
        return "; ".join(said)


def create(settings: ContainsSettings, context: PluginContext) -> Scorer:
    """Make the scorer."""
    del context
    return Contains(settings)


@hookimpl
def steelyard_register_scorers() -> Iterable[ScorerSpec[ContainsSettings]]:
    """Offer the scorer."""
    return [
        ScorerSpec(
            name="contains",
            summary="Output holds the wanted text",
            settings=ContainsSettings,
            create=create,
            inline=True,
        )
    ]
