"""A new plugin of each kind, as its author has it a minute later: installed, tested, linted, typed and used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from steelyard.testing import FakeAPI
from steelyard.testing.fake_api import failure

pytestmark = pytest.mark.timeout(400)  # mypy reads all that steelyard offers, on a machine that may be busy

NO_NETWORK = {"PIP_NO_INDEX": "1", "PIP_NO_DEPS": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


class Author:
    """Somebody with a virtual environment and a new plugin in it."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder = folder / f"steelyard-my{kind}"
        self._home = folder
        self._environ = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "STEELYARD"))},
            **NO_NETWORK,
            "HOME": str(folder),
            "NO_COLOR": "1",
            "PYTHONUTF8": "1",
        }
        self._python = self._new_environment()
        self.run("-m", "steelyard", "new-plugin", self.folder.name, "--kind", kind, cwd=folder)
        self.run("-m", "pip", "install", "--quiet", "--no-build-isolation", ".")

    def _new_environment(self) -> Path:
        """Make one that has what this one has, and to which the plugin is added and to no other."""
        place = self._home / "venv"
        venv.create(place)
        names = {"base": str(place), "platbase": str(place), "installed_base": str(place)}
        site = Path(sysconfig.get_path("purelib", "venv", names))
        shared = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        lines = [f"import site; site.addsitedir({folder!r})\n" for folder in sorted(shared)]
        (site / "shared.pth").write_text("".join(lines), encoding="utf-8")
        return Path(sysconfig.get_path("scripts", "venv", names)) / Path(sys.executable).name

    def run(
        self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None, code: int = 0
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [str(self._python), *arguments],
            cwd=cwd or self.folder,
            env={**self._environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == code, f"{arguments}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def steelyard(
        self, *arguments: str, env: Mapping[str, str] | None = None, code: int = 0
    ) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "steelyard", *arguments, env=env, code=code)

    def verdicts(self, *arguments: str, env: Mapping[str, str] | None = None) -> dict[str, list[bool]]:
        """Run the example and return for each model whether its cases passed."""
        self.steelyard("run", "example.yaml", "-o", "record.json", *arguments, env=env)
        record = json.loads((self.folder / "record.json").read_text("utf-8"))
        return {combo["model"]: [case["match_result"] for case in combo["test_cases"]] for combo in record["results"]}


def scorer_is_used(author: Author) -> None:
    assert author.verdicts() == {"terse": [True], "chatty": [False]}  # one line and three, where two are allowed


def provider_is_used(author: Author) -> None:
    with FakeAPI() as api:
        api.reply("It is Paris.")
        reach = {"MYPROVIDER_BASE_URL": api.base_url, "MYPROVIDER_API_KEY": "sk-a-key-for-tests"}
        assert author.verdicts(env=reach) == {"myprovider:small": [True]}
        assert api.requests[0].headers["authorization"] == "Bearer sk-a-key-for-tests"
    assert "valid: 1 model" in author.steelyard("validate", "example.yaml").stdout
    with FakeAPI() as api:
        api.reply(failure(401))
        reach = {"MYPROVIDER_BASE_URL": api.base_url, "MYPROVIDER_API_KEY": "sk-a-key-for-tests"}
        author.steelyard("run", "example.yaml", "--no-cache", "-n", "3", "-j", "1", env=reach, code=1)
        assert api.count == 1  # a refused key is refused for every further call
    assert "MYPROVIDER_API_KEY is not set" in author.steelyard("run", "example.yaml", "--no-cache", code=1).stderr


def reporter_is_used(author: Author) -> None:
    author.verdicts("-o", "myreporter:report.txt")
    _title, right, wrong, _verdict = (author.folder / "report.txt").read_text("utf-8").splitlines()
    assert (right, wrong) == ("right / v1 / capital passed", "wrong / v1 / capital did not pass: Lyon")


def cache_is_used(author: Author) -> None:
    for cached in (False, True):
        author.verdicts()
        record = json.loads((author.folder / "record.json").read_text("utf-8"))
        assert record["results"][0]["test_cases"][0]["cached"] is cached
    assert len(list((author.folder / ".steelyard_cache" / "mycache").glob("*.reply"))) == 1


def format_is_used(author: Author) -> None:
    assert author.verdicts() == {"mock:parrot": [True]}
    (author.folder / "typo.yaml").write_text("model: mock:parrot\nquestions:\n- {aks: x, answer: y}\n", "utf-8")
    assert "typo.yaml:3:" in author.steelyard("validate", "typo.yaml", code=1).stderr


def command_is_used(author: Author) -> None:
    author.verdicts()
    assert "mycommand" in author.steelyard("--help").stdout.partition("Plugin commands:")[2]
    printed = author.steelyard("mycommand", "record.json").stdout
    assert printed.splitlines() == ["right / v1: 1 of 1 passed", "wrong / v1: 0 of 1 passed"]


USES = {
    "scorer": scorer_is_used,
    "provider": provider_is_used,
    "reporter": reporter_is_used,
    "cache": cache_is_used,
    "format": format_is_used,
    "command": command_is_used,
}


@pytest.mark.parametrize("kind", USES)
def test_a_new_plugin_passes_everything_and_works_at_once(kind, tmp_path):
    author = Author(tmp_path, kind)

    author.run("-m", "pytest", "-q", "-p", "no:cacheprovider")
    author.run("-m", "mypy")
    for check in (["check"], ["format", "--check"]):
        subprocess.run([sys.executable, "-m", "ruff", *check, "--no-cache", "."], cwd=author.folder, check=True)
    USES[kind](author)
