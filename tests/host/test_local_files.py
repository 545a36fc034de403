"""Python files beside a benchmark are plugins too, named by their path."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import get_type_hints

import pytest

from steelyard._host.host import build_host
from steelyard._host.local_files import files_in, load_file
from steelyard.errors import PluginError

GOOD = """
from __future__ import annotations

from dataclasses import dataclass

from steelyard import hookimpl
from steelyard.api import ScorerSpec, option


@dataclass(frozen=True)
class Settings:
    limit: int = option(3, doc="How many")


@hookimpl
def steelyard_register_scorers():
    return [ScorerSpec(name="NAME", summary="A local one", settings=Settings, create=lambda settings, context: None)]
"""


@pytest.fixture
def folder(tmp_path):
    """A folder of plugin files: ``folder(polite=GOOD, ...)`` returns their paths."""

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / f"{name}.py").write_text(source.replace("NAME", name), "utf-8")
        return [tmp_path / f"{name}.py" for name in sources]

    return write


def local_host(files, **more):
    return build_host(files=files, discover=False, **more)


def test_a_file_is_a_plugin_named_by_its_stem_and_its_path(folder):
    files = folder(polite=GOOD)

    host = local_host(files)

    (report,) = host.plugins
    assert (report.name, report.distribution, report.version) == ("polite", str(files[0]), "")
    assert report.adds == (("scorer", "polite"),)
    assert str(host.registry.get("scorer", "polite")) == f"scorer 'polite' of plugin 'polite' ({files[0]})"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("x = 1\nraise ValueError('rude')\n", "loading: line 2: ValueError: rude"),
        ("def f():\n    raise ValueError('deep')\n\n\nf()\n", "loading: line 2: ValueError: deep"),
        ("import sys\n\n\nsys.exit(1)\n", "loading: line 4: called sys.exit(1)"),
        ("import a_library_that_nobody_has\n", "loading: line 1: ModuleNotFoundError: No module named"),
        ("def f(:\n", "loading: SyntaxError: "),
        ("x = '\x00'\n", "loading: "),
        ("", "loading: it implements no hook"),
        (GOOD.replace("_scorers", "_scorer"), "loading: unknown hook 'steelyard_register_scorer'; did you mean"),
        (
            GOOD.replace("return [", "return 1 / 0 or ["),
            "registering: steelyard_register_scorers: line 17: ZeroDivision",
        ),
    ],
)
def test_a_broken_file_is_named_by_its_path_and_line_and_costs_the_others_nothing(folder, source, said):
    files = folder(polite=GOOD, rude=source)

    host = local_host(files)

    assert host.registry.names("scorer") == ("polite",)
    (report,) = (report for report in host.plugins if report.state == "broken")
    assert report.distribution == str(files[1])
    assert report.why.startswith(said)


def test_a_file_that_is_not_there_is_a_broken_plugin(tmp_path):
    (report,) = local_host([tmp_path / "absent.py"]).plugins

    assert report.why.startswith("loading: FileNotFoundError")


def test_a_local_file_can_clash_with_an_installed_plugin_like_any_other(site, folder):
    from steelyard.errors import NameConflictError

    site.install("steelyard-shout")
    files = folder(shout=GOOD)

    host = build_host(["steelyard"], files=files)

    with pytest.raises(NameConflictError) as caught:
        host.registry.get("scorer", "shout")
    assert f"--no-plugin {files[0]} or --no-plugin steelyard-shout" in str(caught.value)
    settled = build_host(["steelyard", "steelyard-shout"], files=files)
    assert settled.registry.get("scorer", "shout").origin.distribution == str(files[0])


def test_a_file_that_was_saved_again_is_read_again_and_leaves_no_compiled_copy(folder, tmp_path):
    files = folder(polite=GOOD)
    assert local_host(files).registry.names("scorer") == ("polite",)

    # Same size, and within the second that compiled copies are told apart by.
    files[0].write_text(GOOD.replace("NAME", "police"), "utf-8")

    assert local_host(files).registry.names("scorer") == ("police",)
    assert [path.name for path in tmp_path.iterdir()] == ["polite.py"]


def test_the_annotations_of_its_settings_can_be_resolved(folder):
    (offer,) = local_host(folder(polite=GOOD)).registry.specs("scorer")

    assert get_type_hints(offer.spec.settings) == {"limit": int}
    assert [field.name for field in fields(offer.spec.settings)] == ["limit"]


def test_files_of_one_name_in_two_folders_are_two_plugins(tmp_path):
    files = []
    for folder, name in [("scorers", "one"), ("graders", "two")]:
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "mine.py")
        files[-1].write_text(GOOD.replace("NAME", name), "utf-8")

    assert local_host(files).registry.names("scorer") == ("one", "two")


def test_a_file_that_fails_leaves_no_module_behind(folder):
    before = set(sys.modules)

    local_host(folder(rude="raise ValueError\n"))

    assert set(sys.modules) == before


def test_the_encoding_that_a_file_declares_is_kept(tmp_path):
    file = tmp_path / "latin.py"
    file.write_bytes(
        b"# -*- coding: latin-1 -*-\n"
        + GOOD.replace("A local one", "caf\xe9").replace("NAME", "latin").encode("latin-1")
    )

    (offer,) = local_host([file]).registry.specs("scorer")

    assert offer.spec.summary == "café"


def test_one_file_can_be_loaded_by_itself(folder):
    (good, rude) = folder(polite=GOOD, rude="raise ValueError('x')\n")

    origin, module = load_file(good)

    assert origin.distribution == str(good)
    assert module.Settings().limit == 3
    with pytest.raises(PluginError) as caught:
        load_file(rude)
    assert str(caught.value) == f"plugin 'rude' ({rude}): loading: line 1: ValueError: x"


def test_the_plugins_of_a_folder_are_its_python_files_in_order(folder, tmp_path):
    folder(b="", a="", _helper="", __init__="")
    (tmp_path / "notes.txt").write_text("", "utf-8")
    (tmp_path / ".hidden.py").write_text("", "utf-8")
    (tmp_path / "folder.py").mkdir()

    assert [path.name for path in files_in(tmp_path)] == ["a.py", "b.py"]
    assert files_in(tmp_path / "absent") == ()
