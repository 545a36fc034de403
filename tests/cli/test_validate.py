"""What ``validate`` says about a file. The session is a stand-in here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from steelyard.api import Benchmark, Case, ModelUse, Problem, RunOptions
from steelyard.cli import validate as validate_command
from steelyard.cli.invocation import Invocation
from steelyard.cli.root import root


@dataclass
class Checked:
    benchmark: Benchmark | None
    problems: tuple[Problem, ...]
    ok: bool
    cases: int = 0


class Registry:
    def get(self, kind: str, name: str) -> object:
        return object()


class StandIn:
    def __init__(self) -> None:
        self.registry = Registry()
        self.asked: list[RunOptions] = []
        self.answers: dict[str, Checked] = {}

    def check(self, path: Path, options: RunOptions) -> Checked:
        self.asked.append(options)
        return self.answers[str(path)]


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()

    @contextmanager
    def opened(invocation: Invocation) -> Iterator[StandIn]:
        yield stand_in

    monkeypatch.setattr(validate_command, "opened", opened)
    return stand_in


@pytest.fixture
def validate(session: StandIn) -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(root, ["validate", *arguments])


class APrompt:
    id = "v1"

    def render(self, case: Case) -> tuple[()]:
        return ()


def benchmark(models: int, prompts: int) -> Benchmark:
    uses = tuple(ModelUse(id=f"m{number}", model="m") for number in range(models))
    return Benchmark(name="b", models=uses, prompts=tuple(APrompt() for _ in range(prompts)), cases=())


ERROR = Problem(place="bad.yaml:1:1", message="'name' is required")
WARNING = Problem(place="odd.yaml:2:3", severity="warning", message="'tempature' is unknown")


def test_a_valid_file_is_one_line_with_its_size(validate, session):
    session.answers["a.yaml"] = Checked(benchmark(3, 2), (), ok=True, cases=50)

    done = validate("a.yaml")

    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == "a.yaml: valid: 3 models × 2 prompts × 50 cases\n"


def test_warnings_alone_leave_a_file_valid(validate, session):
    session.answers["odd.yaml"] = Checked(benchmark(1, 1), (WARNING,), ok=True, cases=1)

    done = validate("odd.yaml")

    assert done.exit_code == 0
    assert done.stdout == "odd.yaml: valid (1 warning): 1 model × 1 prompt × 1 case\n"
    assert done.stderr == "odd.yaml:2:3: warning: 'tempature' is unknown\n"


@pytest.mark.parametrize("known", [True, False])
def test_any_error_exits_with_one_and_leaves_standard_output_to_the_valid_files(validate, session, known):
    session.answers["bad.yaml"] = Checked(benchmark(1, 1) if known else None, (ERROR,), ok=False)
    session.answers["a.yaml"] = Checked(benchmark(1, 1), (), ok=True, cases=2)

    done = validate("bad.yaml", "a.yaml")

    assert done.exit_code == 1
    assert done.stdout == "a.yaml: valid: 1 model × 1 prompt × 2 cases\n"
    assert done.stderr.splitlines() == ["bad.yaml:1:1: error: 'name' is required", "error: bad.yaml: 1 error"]


def test_the_choices_that_change_what_is_read_reach_the_check(validate, session):
    session.answers["a.yaml"] = Checked(benchmark(1, 1), (), ok=True)

    validate("a.yaml", "--format", "native", "--dataset", "rows.csv", "--local-plugins")

    assert session.asked == [RunOptions(format="native", dataset=Path("rows.csv"), local_plugins=True)]
