"""Plugins that are really installed, used and blamed by the whole command in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

PACKAGES = Path(__file__).parents[1] / "fixtures" / "plugins"


def install(folder: Path, *packages: str) -> None:
    """Leave in a folder what pip would leave in site-packages."""
    for package in packages:
        project = tomllib.loads((PACKAGES / package / "pyproject.toml").read_text("utf-8"))["project"]
        for module in (PACKAGES / package).glob("*.py"):
            shutil.copy(module, folder)
        info = folder / f"{package.replace('-', '_')}-{project['version']}.dist-info"
        info.mkdir(parents=True)
        metadata = f"Metadata-Version: 2.1\nName: {package}\nVersion: {project['version']}\n"
        (info / "METADATA").write_text(metadata, encoding="utf-8")
        sections = (
            f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
            for group, entries in project["entry-points"].items()
        )
        (info / "entry_points.txt").write_text("\n".join(sections), encoding="utf-8")


def steelyard(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[str]:
    site = folder / "site"
    return subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONUTF8": "1", **environ},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def prepare(folder: Path, evaluation: str, *packages: str, **more: object) -> None:
    site = folder / "site"
    site.mkdir()
    install(site, *packages)
    benchmark = {
        "name": "Installed",
        "models": ["mock:echo"],
        "prompts": [{"id": "p", "template": "{{ q }}"}],
        "test_cases": [{"id": "a", "variables": {"q": "HELLO"}, "expected_output": "HELLO", "evaluation": evaluation}],
        **more,
    }
    (folder / "b.json").write_text(json.dumps(benchmark), encoding="utf-8")


def test_a_stranger_s_scorer_is_used_by_its_name_alone(tmp_path: Path) -> None:
    prepare(tmp_path, "shout", "steelyard-shout")
    done = steelyard(tmp_path, "run", "b.json", "-q")
    assert done.returncode == 0, done.stderr
    (record,) = (tmp_path / "results").glob("*.json")
    used = json.loads(record.read_text(encoding="utf-8"))["plugins"]
    assert {"name": "shout", "distribution": "steelyard-shout"}.items() <= next(
        plugin for plugin in used if plugin["name"] == "shout"
    ).items()


def test_a_plugin_that_cannot_be_created_is_named_with_its_distribution_before_any_call(tmp_path: Path) -> None:
    prepare(tmp_path, "uncreatable", "steelyard-uncreatable")
    done = steelyard(tmp_path, "run", "b.json")
    assert done.returncode == 1
    assert "plugin 'uncreatable' (steelyard-uncreatable " in done.stderr
    assert "creating" in done.stderr
    assert not (tmp_path / "results").exists()
    assert "Traceback" not in done.stderr


def test_a_broken_plugin_costs_the_others_nothing(tmp_path: Path) -> None:
    prepare(tmp_path, "shout", "steelyard-shout", "steelyard-unimportable", "steelyard-misspelt", "steelyard-raising")
    assert steelyard(tmp_path, "run", "b.json", "-q").returncode == 0
    listed = json.loads(steelyard(tmp_path, "plugins", "--format", "json").stdout)
    broken = {plugin["distribution"] for plugin in listed if plugin["state"] == "broken"}
    assert broken == {"steelyard-unimportable", "steelyard-misspelt", "steelyard-raising"}


def test_a_contested_name_belongs_to_nobody_until_one_side_is_blocked(tmp_path: Path) -> None:
    prepare(tmp_path, "shout", "steelyard-shout", "steelyard-loud")
    done = steelyard(tmp_path, "validate", "b.json")
    assert done.returncode == 1
    assert "2 plugins offer the scorer 'shout'" in done.stderr
    assert "--no-plugin" in done.stderr
    assert steelyard(tmp_path, "validate", "b.json", "--no-plugin", "steelyard-loud").returncode == 0
    assert steelyard(tmp_path, "validate", "b.json", STEELYARD_NO_PLUGINS="steelyard-loud").returncode == 0


def test_a_required_plugin_that_is_blocked_stops_the_run(tmp_path: Path) -> None:
    prepare(tmp_path, "exact_match", "steelyard-shout", require_plugins=["steelyard-shout"])
    assert steelyard(tmp_path, "validate", "b.json").returncode == 0
    done = steelyard(tmp_path, "validate", "b.json", "--no-plugin", "shout")
    assert done.returncode == 1
    assert "required plugin 'steelyard-shout'" in done.stderr


def test_help_survives_every_broken_plugin(tmp_path: Path) -> None:
    prepare(tmp_path, "exact_match", *sorted(path.name for path in PACKAGES.iterdir() if path.is_dir()))
    done = steelyard(tmp_path, "--help")
    assert done.returncode == 0
    assert "run" in done.stdout


def test_debug_shows_where_every_broken_plugin_broke_and_leaves_the_rest_as_it_is(tmp_path: Path) -> None:
    prepare(tmp_path, "exact_match", "steelyard-raising", "steelyard-unimportable", "steelyard-misspelt")

    plain, shown = steelyard(tmp_path, "plugins"), steelyard(tmp_path, "plugins", "--debug")
    checked = steelyard(tmp_path, "--debug", "validate", "b.json")

    assert "Traceback" not in plain.stderr
    assert shown.stdout == plain.stdout
    for done in (shown, checked):
        assert done.returncode == 0
        # The author's own line, which raised.
        assert 'return [table["x"]]' in done.stderr
        assert "import a_library_that_nobody_has" in done.stderr
        assert "plugin 'raising' (steelyard-raising 0.9) is broken:" in done.stderr


def test_debug_shows_where_a_file_beside_the_suite_broke(tmp_path: Path) -> None:
    prepare(tmp_path, "exact_match")
    (tmp_path / "scorers").mkdir()
    (tmp_path / "scorers" / "polite.py").write_text("wanted = {}['please']\n", "utf-8")

    done = steelyard(tmp_path, "--debug", "validate", "b.json")

    assert "Traceback" in done.stderr
    assert "wanted = {}['please']" in done.stderr


def test_a_plugin_that_is_switched_off_says_where_so_that_it_can_be_switched_on(tmp_path: Path) -> None:
    prepare(tmp_path, "exact_match", "steelyard-shout")

    def why(*arguments: str, **environ: str) -> str:
        listed = json.loads(steelyard(tmp_path, "plugins", "--format", "json", *arguments, **environ).stdout)
        (found,) = [plugin["why"] for plugin in listed if plugin["name"] == "shout"]
        return str(found)

    by_variable = why(STEELYARD_NO_PLUGINS="shout")
    (tmp_path / "steelyard.yaml").write_text("no_plugins: [shout]\n", "utf-8")
    by_file = why()

    assert by_variable == "switched off by the name 'shout' (environment variable STEELYARD_NO_PLUGINS)"
    assert by_file.startswith("switched off by the name 'shout' (")
    assert "steelyard.yaml:1" in by_file
    assert why("--no-plugin", "shout") == "switched off by the name 'shout' (--no-plugin)"


def test_a_slip_in_a_name_to_be_switched_off_is_met_with_the_name_that_was_meant(tmp_path: Path) -> None:
    prepare(tmp_path, "exact_match", "steelyard-shout")

    done = steelyard(tmp_path, "validate", "b.json", "--no-plugin", "shuot")

    assert "no plugin 'shuot' is installed, so it cannot be switched off; did you mean 'shout'?" in done.stderr
