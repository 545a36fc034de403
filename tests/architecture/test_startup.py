"""What a command does not need, it does not import; and every module of ours imports alone and in silence."""

from __future__ import annotations

import json
import sys

import pytest

HEAVY = {
    "aiohttp",
    "asyncio",
    "httpx",
    "importlib.metadata",
    "jinja2",
    "pluggy",
    "rich",
    "sqlite3",
    "steelyard._config",
    "steelyard._engine",
    "steelyard._host.host",
    "steelyard.session",
    "steelyard_builtins",
    "yaml",
}
"""What neither ``--help`` nor ``--version`` has any use for."""


@pytest.fixture
def imported_by(python):
    """Run the command and return the names of all modules it imported."""

    def run(*arguments):
        done = python("-X", "importtime", "-m", "steelyard", *arguments)
        assert done.returncode == 0, done.stderr
        lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
        assert [line for line in done.stderr.splitlines() if not line.startswith("import time:")] == []
        return {line.rpartition("|")[2].strip() for line in lines}

    return run


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["-h"], ["--version"], ["run", "--help"], ["validate", "--help"], ["cache", "--help"]],
    ids=" ".join,
)
def test_help_and_version_import_nothing_heavy(imported_by, arguments):
    assert imported_by(*arguments) & HEAVY == set()


def test_the_measurement_would_see_a_heavy_import(python):
    done = python("-X", "importtime", "-c", "import steelyard; steelyard.hookimpl")

    assert "pluggy" in {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


@pytest.mark.parametrize(
    "code", ["import steelyard", "import steelyard; steelyard.__version__", "import steelyard.errors"]
)
def test_the_facade_imports_nothing_until_it_is_touched(python, code):
    done = python("-c", f"{code}; import sys; print(sorted(name for name in sys.modules if 'steelyard' in name))")

    assert set(eval(done.stdout)) <= {"steelyard", "steelyard.errors"}


def test_the_api_imports_the_standard_library_alone(python):
    code = (
        "import sys; before = set(sys.modules); import steelyard.api;"
        "roots = {name.partition('.')[0] for name in set(sys.modules) - before};"
        "print(sorted(roots - set(sys.stdlib_module_names)))"
    )

    assert python("-c", code).stdout == "['steelyard']\n"


ALONE = """
import importlib, json, os, subprocess, sys, traceback, warnings

def import_forked(name):
    reader, writer = os.pipe()
    if os.fork() == 0:
        fault = ""
        try:
            importlib.import_module(name)
        except BaseException:
            fault = traceback.format_exc()[-2000:]
        os.write(writer, fault.encode("utf-8", "replace"))
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        fault = pipe.read().decode("utf-8")
    os.wait()
    return fault

def import_apart(name):
    done = subprocess.run([sys.executable, "-W", "error", "-c", f"import {name}"], capture_output=True, text=True)
    return done.stderr if done.returncode else ""

for library in ("aiohttp", "asyncio", "click", "jinja2", "jsonschema", "rapidfuzz", "rich.console", "yaml"):
    try:
        importlib.import_module(library)
    except ImportError:
        pass
warnings.simplefilter("error")
import_alone = import_forked if hasattr(os, "fork") else import_apart
print(json.dumps({name: import_alone(name) for name in json.loads(sys.argv[1])}))
"""
"""Imports each module in a process of its own: forked where that is possible, which spares a hundred starts.

The libraries that are slow to import are there already; it is our modules that have to stand alone."""


@pytest.mark.timeout(300)  # hundreds of modules, one after the other
def test_every_module_of_ours_imports_alone_and_without_a_warning(python, root):
    folders = [root / "src" / "steelyard", root / "plugins" / "builtins" / "steelyard_builtins"]
    names = [name for folder in folders for name in modules_below(folder) if name != "steelyard.__main__"]

    done = python("-c", ALONE, json.dumps(names))

    assert done.returncode == 0, done.stderr
    faults = json.loads(done.stdout)
    assert set(faults) == set(names)
    assert {name: fault for name, fault in faults.items() if fault} == {}


def modules_below(folder):
    for file in sorted(folder.rglob("*.py")):
        parts = file.relative_to(folder.parent).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_a_module_that_cannot_be_imported_alone_is_caught(python):
    done = python("-c", ALONE, json.dumps(["json", "a_module_that_nobody_has"]))

    faults = json.loads(done.stdout)
    assert faults["json"] == ""
    assert "ModuleNotFoundError" in faults["a_module_that_nobody_has"]


def test_importing_everything_starts_no_thread_and_writes_no_file(python, tmp_path):
    code = "import threading, steelyard.session, steelyard.testing, steelyard.cli; print(threading.active_count())"

    done = python("-c", code)

    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
    assert [path for path in tmp_path.iterdir() if path.name != "__pycache__"] == []


def test_this_test_ran_against_the_code_of_this_repository(python, root):
    done = python("-c", "import steelyard; print(steelyard.__file__)")

    assert done.stdout.strip() == str(root / "src" / "steelyard" / "__init__.py"), sys.path
