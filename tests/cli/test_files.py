"""Which file is meant when none is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from steelyard.cli.files import benchmark_files
from steelyard.errors import UsageError


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def benchmarks(folder: Path, *names: str) -> None:
    (folder / "benchmarks").mkdir()
    for name in names:
        (folder / "benchmarks" / name).touch()


@pytest.mark.parametrize("name", ["only.yaml", "only.yml"])
def test_the_only_benchmark_goes_without_saying_and_is_named_on_standard_error(project, capsys, name):
    benchmarks(project, name, "baseline.json", "notes.md")

    assert benchmark_files([]) == [Path("benchmarks") / name]
    assert capsys.readouterr() == ("", f"Using {Path('benchmarks') / name}\n")


def test_among_several_the_exact_match_example_is_taken(project, capsys):
    benchmarks(project, "a.yaml", "classification.yaml", "exact_match_classification.yaml")

    assert benchmark_files([]) == [Path("benchmarks/exact_match_classification.yaml")]
    assert capsys.readouterr().err == f"Using {Path('benchmarks/exact_match_classification.yaml')}\n"


def test_among_several_others_the_user_has_to_choose_and_sees_all(project, capsys):
    benchmarks(project, "b.yaml", "a.yml")

    with pytest.raises(UsageError) as refused:
        benchmark_files([])
    assert str(refused.value).endswith(f"name one: {Path('benchmarks/a.yml')}, {Path('benchmarks/b.yaml')}")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("there", [True, False])
def test_without_any_the_user_is_told_how_to_get_one(project, there):
    if there:
        benchmarks(project)

    with pytest.raises(UsageError, match="steelyard init"):
        benchmark_files([])


def test_a_pattern_that_the_shell_left_alone_stands_for_what_it_matches(project):
    benchmarks(project, "b.yaml", "a.yaml", "c.json")

    assert benchmark_files([Path("benchmarks/*.yaml")]) == [Path("benchmarks/a.yaml"), Path("benchmarks/b.yaml")]
    with pytest.raises(UsageError, match="no file matches"):
        benchmark_files([Path("benchmarks/*.toml")])


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(project):
    benchmarks(project, "a[1].yaml", "a1.yaml")

    assert benchmark_files([Path("benchmarks/a[1].yaml")]) == [Path("benchmarks/a[1].yaml")]


def test_a_named_file_need_not_exist_yet_for_the_session_says_more_about_it():
    assert benchmark_files([Path("missing.yaml")]) == [Path("missing.yaml")]
