"""The lock of what the checks run with: it pins all that the project asks for, as it asks for it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements" / "ci.txt").read_text(encoding="utf-8")
PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==([^\s;\\]+)((?:[^\n]*\\\n)*[^\n]*)", re.MULTILINE)
PINS = {found[1]: (found[2], found[0]) for found in PIN.finditer(LOCK)}
WANTED = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


@pytest.mark.parametrize("wanted", sorted(set(WANTED)))
def test_every_dependency_is_pinned_to_a_version_that_is_allowed(wanted: str) -> None:
    name, bounds = re.match(r"([\w.-]+)(.*)", wanted).groups()  # type: ignore[union-attr]
    version, _whole = PINS[re.sub(r"[-_.]+", "-", name).lower()]
    for sign, bound in re.findall(r"(>=|<)([\d.]+)", bounds):
        assert (numbers(version) >= numbers(bound)) == (sign == ">="), f"{name} {version}"


def test_every_pin_has_its_hashes_and_no_place_of_this_machine() -> None:
    assert len(PINS) > len(set(WANTED))
    assert [name for name, (_version, whole) in PINS.items() if "--hash=sha256:" not in whole] == []
    assert "file:" not in LOCK
    assert "index-url" not in LOCK.replace("--no-emit-index-url", "")
