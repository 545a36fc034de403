"""Plugins' commands are known by name, and imported when one is called."""

from __future__ import annotations

import sys
import zipfile

import pytest

from steelyard._host.commands import find_commands
from steelyard.errors import NameConflictError, Origin, PluginError


def test_a_command_is_found_without_importing_it(site):
    site.install("steelyard-hello")

    (found,) = find_commands()

    assert found.name == "greet"
    assert found.origin == Origin(plugin="greet", distribution="steelyard-hello", version="0.1")
    assert found.problem is None
    assert "steelyard_hello" not in sys.modules


def test_loading_a_command_returns_what_the_entry_point_names(site):
    site.install("steelyard-hello")

    (found,) = find_commands()

    assert found.load() is sys.modules["steelyard_hello"].greet


def test_commands_are_sorted_by_name(site):
    site.write_dist_info("some-commands", "1.0", {"steelyard.commands": {"zeta": "m:z", "alpha": "m:a"}})

    assert [found.name for found in find_commands()] == ["alpha", "zeta"]


def test_a_plugin_without_commands_adds_none(site):
    site.install("steelyard-shout")

    assert find_commands() == ()


def test_a_contested_command_belongs_to_nobody(site):
    site.install("steelyard-hello")
    site.install("steelyard-howdy")

    (found,) = find_commands()

    assert isinstance(found.problem, NameConflictError)
    with pytest.raises(NameConflictError) as caught:
        found.load()
    assert str(caught.value) == (
        "2 plugins offer the command 'greet': 'greet' (steelyard-hello 0.1) and 'greet' (steelyard-howdy 0.2); "
        "block all but one: --no-plugin steelyard-hello or --no-plugin steelyard-howdy"
    )
    assert not {"steelyard_hello", "steelyard_howdy"} & set(sys.modules)


def test_blocking_one_side_gives_the_command_to_the_other(site):
    site.install("steelyard-hello")
    site.install("steelyard-howdy")

    (found,) = find_commands(no_plugins=["steelyard-hello"])

    assert (found.origin.distribution, found.problem) == ("steelyard-howdy", None)


def test_a_name_that_the_host_has_cannot_be_taken(site):
    site.install("steelyard-hello")

    (found,) = find_commands(taken=["run", "greet"])

    with pytest.raises(PluginError) as caught:
        found.load()
    assert str(caught.value) == (
        "plugin 'greet' (steelyard-hello 0.1): registering: "
        "the command 'greet' belongs to steelyard; rename the entry point"
    )
    assert "steelyard_hello" not in sys.modules


@pytest.mark.parametrize("name", ["-x", "Run", "two words", "a/b"])
def test_a_command_that_nobody_could_type_is_refused(site, name):
    site.write_dist_info("odd-command", "1.0", {"steelyard.commands": {name: "m:f"}})

    (found,) = find_commands()

    assert "must be lower case letters" in str(found.problem)


def test_a_command_that_cannot_be_imported_is_blamed_when_it_is_called_and_not_before(site):
    site.install("steelyard-mute")
    site.install("steelyard-hello")

    by_name = {found.name: found for found in find_commands()}

    assert by_name["greet"].load() is not None
    with pytest.raises(PluginError) as caught:
        by_name["mumble"].load()
    assert str(caught.value).startswith(
        "plugin 'mumble' (steelyard-mute 0.3): loading: "
        "ModuleNotFoundError: No module named 'a_library_that_nobody_has'"
    )


def test_a_command_in_an_egg_info_is_found(site):
    site.write_dist_info("old-style", "1.0", {"steelyard.commands": {"old": "m:f"}}, suffix="egg-info")

    assert [found.name for found in find_commands()] == ["old"]


def test_a_command_in_a_zip_file_is_found(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n")
        archive.writestr("packed-1.0.dist-info/entry_points.txt", "[steelyard.commands]\npacked = m:f\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))

    assert [found.name for found in find_commands()] == ["packed"]


def test_a_command_that_only_a_finder_knows_is_found(monkeypatch, tmp_path):
    from importlib.metadata import Distribution, DistributionFinder

    class Frozen(Distribution):
        def read_text(self, filename):
            return {
                "METADATA": "Name: frozen\nVersion: 1.0\n",
                "entry_points.txt": "[steelyard.commands]\nfrozen = m:f\n",
            }.get(filename)

        def locate_file(self, path):
            return tmp_path / path

    class Finder(DistributionFinder):
        def find_spec(self, name, path=None, target=None):
            return None

        def find_distributions(self, context=None):
            return [Frozen()]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])

    assert "frozen" in [found.name for found in find_commands()]


def test_looking_for_commands_imports_neither_pluggy_nor_importlib_metadata_when_there_are_none(run_python):
    code = (
        "import sys; from steelyard._host.commands import find_commands; found = find_commands();"
        "print(found, sorted({'pluggy', 'importlib.metadata', 'click', 'pathlib'} & set(sys.modules)))"
    )

    assert run_python(code) == "() []\n"


def test_looking_for_commands_does_not_import_pluggy_when_there_are_some(site, run_python):
    site.install("steelyard-hello")
    code = (
        "import sys; from steelyard._host.commands import find_commands; print([one.name for one in find_commands()],"
        " sorted({'pluggy', 'click', 'steelyard_hello'} & set(sys.modules)))"
    )

    assert run_python(code, path=site.folder) == "['greet'] []\n"
