"""Settings come from many places, the stronger over the weaker, and each says where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from steelyard._config.settings import Settings, SettingsLayers, load_settings
from steelyard._config.settings_layers import Layer
from steelyard.errors import BenchmarkError


class Folders:
    """A project with a folder in it to run in, and a user's settings file."""

    def __init__(self, root: Path) -> None:
        self.project = root / "project"
        self.here = self.project / "sub" / "deeper"
        self.user_file = root / "user" / "settings.yaml"
        self.here.mkdir(parents=True)
        self.user_file.parent.mkdir()
        self.user_file.touch()

    def write(self, name: str, text: str) -> None:
        (self.project / name).write_text(text, encoding="utf-8")

    def load(self, environ: Mapping[str, str] | None = None, **choices: Any) -> SettingsLayers:
        choices.setdefault("warn", pytest.fail)
        return load_settings(self.here, {"STEELYARD_SETTINGS": str(self.user_file), **(environ or {})}, **choices)


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(tmp_path)


def test_where_nobody_says_anything_the_defaults_hold(folders: Folders) -> None:
    settings = folders.load().settings

    assert settings == Settings(sources=settings.sources)
    assert (settings.concurrency, settings.retries, settings.retry_backoff_s, settings.timeout_s) == (5, 3, 1.0, 120.0)
    assert settings.cache is None
    assert settings.cache_dir == Path(".steelyard_cache")
    assert settings.results_dir == Path("results")
    assert set(settings.sources.values()) == {"default"}


def test_the_stronger_place_wins_for_each_key_and_is_named(folders: Folders) -> None:
    folders.user_file.write_text("concurrency: 1\nretries: 1\ntimeout: 1\nretry_backoff: 1.5\n", encoding="utf-8")
    folders.write("steelyard.yaml", "concurrency: 2\nretries: 2\ntimeout: 2\n")
    folders.write(".env", "STEELYARD_CONCURRENCY=9\nSTEELYARD_CACHE=files\nSTEELYARD_TIMEOUT=8\n")

    settings = folders.load({"STEELYARD_CONCURRENCY": "3", "STEELYARD_RETRIES": "3"}, flags={"concurrency": 4}).settings

    assert settings.concurrency == 4
    assert settings.retries == 3
    assert settings.timeout_s == 8
    assert settings.retry_backoff_s == 1.5
    assert settings.cache == "files"
    assert {name: source for name, source in settings.sources.items() if source != "default"} == {
        "concurrency": "flag",
        "retries": "environment variable STEELYARD_RETRIES",
        "timeout_s": f"STEELYARD_TIMEOUT in {folders.project / '.env'}",
        "cache": f"STEELYARD_CACHE in {folders.project / '.env'}",
        "retry_backoff_s": f"{folders.user_file}:4:16",
    }


def test_the_benchmark_file_stands_between_the_environment_and_the_project(folders: Folders) -> None:
    folders.write("steelyard.yaml", "concurrency: 2\ncache: memory\nretries: 0\n")
    layers = folders.load({"STEELYARD_CONCURRENCY": "3"})

    settings = layers.with_file(Layer(values={"concurrency": 50, "cache": False}, sources={"cache": "b.yaml:1"}))

    assert (settings.concurrency, settings.cache, settings.retries) == (3, False, 0)
    assert settings.sources["cache"] == "b.yaml:1"
    assert layers.settings.concurrency_for(50) == 3
    assert layers.settings.cache_for(in_file=False) is False
    assert layers.settings.cache_for(None) == "memory"
    assert layers.settings.chosen("retries", 7) == 7
    assert layers.settings.chosen("retries", None) == 0


def test_a_file_may_ask_for_the_default_cache_where_the_project_has_none(folders: Folders) -> None:
    folders.write("steelyard.yaml", "cache: false\n")

    settings = folders.load().settings

    assert settings.cache is False
    assert settings.cache_for(in_file=True) is None


@pytest.mark.parametrize(
    ("text", "wanted"), [("off", False), ("0", False), ("none", False), ("false", False), ("files", "files")]
)
def test_the_environment_can_switch_the_cache_off(folders: Folders, text: str, wanted: object) -> None:
    assert folders.load({"STEELYARD_CACHE": text}).settings.cache_for("memory") == wanted


def test_an_empty_variable_says_nothing(folders: Folders) -> None:
    assert folders.load({"STEELYARD_CONCURRENCY": " ", "STEELYARD_RESULTS_DIR": ""}).settings.concurrency == 5


def test_only_the_nearest_project_file_counts(folders: Folders) -> None:
    folders.write("steelyard.yaml", "concurrency: 2\nretries: 0\n")
    folders.write("sub/pyproject.toml", "[tool.steelyard]\nconcurrency = 7\ntimeout = 2.5\n")

    settings = folders.load().settings

    assert (settings.concurrency, settings.timeout_s, settings.retries) == (7, 2.5, 3)
    assert settings.sources["concurrency"] == str(folders.project / "sub" / "pyproject.toml")


def test_a_pyproject_that_has_no_table_of_ours_is_passed_by(folders: Folders) -> None:
    folders.write("steelyard.yaml", "concurrency: 2\n")
    folders.write("sub/pyproject.toml", "[tool.ruff]\nthis is not even TOML")
    folders.write("sub/deeper/pyproject.toml", '[project]\ndependencies = ["steelyard"]\n')

    assert folders.load().settings.concurrency == 2


def test_steelyard_yaml_wins_over_pyproject_beside_it(folders: Folders) -> None:
    folders.write("pyproject.toml", "[tool.steelyard]\nconcurrency = 7\n")
    folders.write("steelyard.yaml", "concurrency: 2\n")

    assert folders.load().settings.concurrency == 2


def test_folders_of_a_project_start_from_its_file_and_those_of_others_from_where_one_runs(folders: Folders) -> None:
    folders.user_file.write_text("cache_dir: ~/replies\nresults_dir: mine\n", encoding="utf-8")

    assert folders.load().settings.cache_dir == Path("~/replies").expanduser()
    assert folders.load().settings.results_dir == Path("mine")

    folders.write("steelyard.yaml", "results_dir: out\n")

    assert folders.load().settings.results_dir == folders.project / "out"
    assert folders.load({"STEELYARD_RESULTS_DIR": "there"}).settings.results_dir == Path("there")


def test_what_any_place_leaves_out_is_left_out_and_options_of_providers_are_put_together(folders: Folders) -> None:
    folders.user_file.write_text("no_plugins: [a]\nproviders: {p: {x: 1, y: 1}, q: {z: 1}}\n", encoding="utf-8")
    folders.write("steelyard.yaml", "no_plugins: [b, a]\nproviders: {p: {y: 2}}\nreporters: [one]\n")

    settings = folders.load({"STEELYARD_NO_PLUGINS": "c, ,d", "STEELYARD_REPORTERS": "two,three"}).settings

    assert settings.no_plugins == ("a", "b", "c", "d")
    assert settings.reporters == ("two", "three")
    assert settings.providers == {"p": {"x": 1, "y": 2}, "q": {"z": 1}}


def test_options_of_caches_are_put_together_one_by_one_and_know_their_place(folders: Folders) -> None:
    folders.user_file.write_text("caches: {c: {x: 1, y: 1}}\n", encoding="utf-8")
    folders.write("steelyard.yaml", "caches: {c: {y: 2}, d: {z: 1}}\n")

    settings = folders.load().settings

    assert settings.caches == {"c": {"x": 1, "y": 2}, "d": {"z": 1}}
    assert f"{folders.project / 'steelyard.yaml'}:1:9" in settings.sources["caches"]


def test_every_mistake_in_every_place_is_told_in_one_go(folders: Folders) -> None:
    folders.user_file.write_text("retries: -1\n", encoding="utf-8")
    folders.write("steelyard.yaml", "concurency: 7\ntimeout: 0\n")

    with pytest.raises(BenchmarkError) as raised:
        folders.load({"STEELYARD_CONCURRENCY": "many"}, flags={"concurrency": 101})
    file = folders.project / "steelyard.yaml"
    assert str(raised.value).splitlines() == [
        "flag: concurrency: must be a whole number from 1 to 100, got 101",
        "environment variable STEELYARD_CONCURRENCY: concurrency: must be a whole number from 1 to 100, got 'many'",
        f"{file}:1:1: concurency: unknown key 'concurency'; did you mean 'concurrency'?",
        f"{file}:2:10: timeout: must be a number above 0, got 0",
        f"{folders.user_file}:1:10: retries: must be a whole number of at least 0, got -1",
    ]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("steelyard.yaml", "a: 1\na: 2\n", "steelyard.yaml:2:1: key 'a' is given twice; first in line 1"),
        ("steelyard.yaml", "[a]", "steelyard.yaml:1:1: must be a mapping, got ['a']"),
        ("pyproject.toml", "[tool.steelyard\n", "pyproject.toml: not valid TOML: "),
        (
            "pyproject.toml",
            "[tool.steelyard]\nretries = 1.5\n",
            "pyproject.toml: tool.steelyard.retries: must be",
        ),
        ("pyproject.toml", "[tool.steelyard]\ncache = 2024-01-15\nretries = true\n", "tool.steelyard.retries: must be"),
    ],
)
def test_a_project_file_that_is_wrong_is_an_error(folders: Folders, name: str, text: str, said: str) -> None:
    folders.write(name, text)

    with pytest.raises(BenchmarkError) as raised:
        folders.load()
    assert said in str(raised.value)


def test_an_empty_settings_file_says_nothing(folders: Folders) -> None:
    folders.write("steelyard.yaml", "# nothing yet\n")
    folders.user_file.touch()

    assert folders.load().settings.concurrency == 5


def test_a_variable_that_is_surely_misspelt_is_a_warning(folders: Folders) -> None:
    warned: list[str] = []

    folders.load({"STEELYARD_CONCURENCY": "3", "STEELYARD_SOMETHING_ELSE": "1"}, warn=warned.append)

    assert warned == ["environment variable 'STEELYARD_CONCURENCY' is not known; did you mean 'STEELYARD_CONCURRENCY'?"]


def test_the_real_environment_wins_over_dotenv_even_when_it_is_empty(folders: Folders) -> None:
    folders.write(".env", "A=file\nB=file\nC=file\n")

    environ = folders.load({"A": "real", "B": ""}).environ

    assert (environ["A"], environ["B"], environ["C"]) == ("real", "", "file")


def test_the_users_file_can_be_switched_off(folders: Folders) -> None:
    folders.user_file.write_text("concurrency: 9\n", encoding="utf-8")

    assert folders.load().settings.concurrency == 9
    assert folders.load({"STEELYARD_SETTINGS": ""}).settings.concurrency == 5
