"""How the command line of ``run`` becomes a run, and a run an exit code. The session is a stand-in here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from steelyard.api import Insights, RunOptions, RunRecord
from steelyard.cli import run as run_command
from steelyard.cli.boundary import guarded
from steelyard.cli.invocation import Invocation
from steelyard.cli.root import root
from steelyard.errors import BenchmarkError, Problem, SteelyardError, UnknownNameError


class Registry:
    def get(self, kind: str, name: str) -> object:
        if name == "x":
            raise UnknownNameError(f"unknown {kind} {name!r}", kind=kind, name=name)
        return object()


class StandIn:
    """A session that notes what it is asked and answers with what the test planned for the file."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.asked: list[tuple[str, RunOptions]] = []
        self.answers: dict[str, bool | SteelyardError] = {}

    def check_outputs(self, outputs: Sequence[str]) -> tuple[Path, ...]:
        """Every output can be written."""
        return tuple(map(Path, outputs))

    async def run_async(self, path: Path, options: RunOptions) -> RunRecord:
        self.asked.append((str(path), options))
        answer = self.answers.get(str(path), True)
        if isinstance(answer, SteelyardError):
            raise answer
        return RunRecord(run_id="r", benchmark="b", timestamp="t", insights=Insights(passed=answer))


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> StandIn:
    stand_in = StandIn()

    @contextmanager
    def opened(invocation: Invocation) -> Iterator[StandIn]:
        yield stand_in

    monkeypatch.setattr(run_command, "opened", opened)
    return stand_in


@pytest.fixture
def run(session: StandIn) -> Callable[..., Result]:
    return lambda *arguments: CliRunner().invoke(root, ["run", *arguments])


def test_without_flags_everything_is_left_to_the_file_and_the_settings(run, session):
    assert run("a.yaml").exit_code == 0
    assert session.asked == [("a.yaml", RunOptions())]


EVERY_FLAG = """
    a.yaml -m a -m b --prompt v1 -t easy --tag hard -k conv_ --limit 5 -j 3 -n 2 --seed -7 --no-cache --dataset rows.csv
    --format native --fail-under 87.5 --max-cost 0.25 -o out.xml --output badge:b.json --reporter json --results-dir out
    --resume --local-plugins -v
"""


def test_every_flag_reaches_the_run(run, session):
    assert run(*EVERY_FLAG.split()).exit_code == 0
    assert session.asked[0][1] == RunOptions(
        models=("a", "b"),
        prompts=("v1",),
        tags=("easy", "hard"),
        text="conv_",
        limit=5,
        concurrency=3,
        repeat=2,
        seed=-7,
        cache=False,
        dataset=Path("rows.csv"),
        format="native",
        fail_under=87.5,
        max_cost_usd=0.25,
        outputs=("out.xml", "badge:b.json"),
        reporters=("json",),
        results_dir=Path("out"),
        resume=True,
        local_plugins=True,
        verbose=True,
    )


def test_every_choice_of_a_run_has_a_flag_but_for_those_of_programs(run, session):
    run(*EVERY_FLAG.split())

    default, chosen = RunOptions(), session.asked[0][1]
    without = {
        field.name for field in fields(RunOptions) if getattr(default, field.name) == getattr(chosen, field.name)
    }
    # --quiet excludes --verbose; a set of ids, and runs that store, show or leave nothing are for
    # callers in Python.
    assert without == {"quiet", "ids", "store", "automatic_reporters", "resumable"}


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--limit 0", "'--limit': must be a whole number of at least 1, got '0'"),
        ("-j 0", "'-j' / '--concurrency': must be a whole number from 1 to 100, got '0'"),
        ("-j 101", "must be a whole number from 1 to 100, got '101'"),
        ("-n 0", "'-n' / '--repeat': must be a whole number from 1 to 1000, got '0'"),
        ("--seed 1.5", "'--seed': must be a whole number, got '1.5'"),
        ("--fail-under 101", "'--fail-under': must be a number from 0 to 100, got '101'"),
        ("--fail-under nan", "must be a number from 0 to 100, got 'nan'"),
        ("--max-cost -1", "'--max-cost': must be a number of at least 0, got '-1'"),
        ("--max-cost nan", "must be a number of at least 0, got 'nan'"),
        ("-v -q", "--verbose and --quiet exclude each other"),
        ("other.yaml -o out.json", "-o writes the report of one benchmark, but there are 2 here"),
        ("--no-such-flag", "--no-such-flag"),
    ],
)
def test_a_slip_on_the_command_line_is_wrong_usage_and_nothing_runs(run, session, flags, said):
    done = run("a.yaml", *flags.split())

    assert done.exit_code == 2
    assert said in done.stderr
    assert session.asked == []


def test_a_missed_gate_exits_with_one(run, session):
    session.answers["a.yaml"] = False

    assert run("a.yaml").exit_code == 1


def test_of_several_files_each_is_run_and_the_worst_exit_code_counts(run, session):
    session.answers |= {"a.yaml": BenchmarkError([Problem(message="broken")]), "b.yaml": False}

    done = run("a.yaml", "b.yaml", "c.yaml")

    assert done.exit_code == 1
    assert [path for path, _ in session.asked] == ["a.yaml", "b.yaml", "c.yaml"]


def test_every_problem_of_a_file_is_a_line_that_an_editor_can_jump_to(run, session):
    session.answers["a.yaml"] = BenchmarkError(
        [
            Problem(place="a.yaml:3:1", path="modles", message="unknown key 'modles'", hint="did you mean 'models'?"),
            Problem(place="a.yaml:9:5", severity="warning", message="'max_tokens' is low"),
            Problem(message="no \x1b[2Jcases"),
        ]
    )

    done = run("a.yaml")

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "a.yaml:3:1: error: modles: unknown key 'modles'; did you mean 'models'?",
        "a.yaml:9:5: warning: 'max_tokens' is low",
        "error: no \\x1b[2Jcases",
        "error: a.yaml: 2 errors, 1 warning",
    ]


@pytest.mark.parametrize("flag", ["--reporter", "--format"])
def test_an_unknown_name_on_the_command_line_is_wrong_usage_and_nothing_runs(run, session, flag):
    done = run("a.yaml", flag, "x")

    assert done.exit_code == 2
    assert "unknown" in done.stderr
    assert session.asked == []


@pytest.mark.parametrize("kind", ["scorer", "provider"])
def test_an_unknown_name_in_the_file_is_the_files_matter(run, session, kind):
    session.answers["a.yaml"] = UnknownNameError("no such thing 'x'", kind=kind, name="x")

    done = run("a.yaml")

    assert (done.exit_code, done.stderr) == (1, "error: no such thing 'x'\n")


def test_an_interrupted_run_says_so_and_how_to_go_on(session, monkeypatch, capsys):
    async def interrupted(path: Path, options: RunOptions) -> RunRecord:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "run_async", interrupted)
    monkeypatch.setattr("steelyard.cli.interrupt.end_at_the_next", lambda: None)
    invocation = Invocation()

    def work() -> int:
        with root.make_context("steelyard", ["run", "my bench.yaml"], obj=invocation) as context:
            root.invoke(context)
        return 0

    assert guarded(work, invocation) == 130
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == (
        "Interrupted — no results written. What was answered is kept; to go on, add --resume to the same command\n"
    )


@pytest.mark.parametrize(("given", "meant"), [("0.85", "85"), ("1", "100"), ("1.5", None), ("0", None)])
def test_a_share_where_per_cent_are_wanted_is_warned_of(run, given, meant):
    done = run("b.yaml", "--fail-under", given)

    assert ("warning: --fail-under is in per cent" in done.stderr) == (meant is not None)
    assert done.stderr.rstrip().endswith(f"for a share of {given} write {meant}") == (meant is not None)
