"""What the user switches off is not even imported."""

from __future__ import annotations

import sys

import pytest

from steelyard._host.blocking import normalised, selected_by
from steelyard.api import Origin

STRICT = Origin(plugin="my_strict", distribution="Steelyard.Strict", version="0.3")


@pytest.mark.parametrize(
    "name",
    [
        "my_strict",
        "my-strict",
        "My.Strict",
        "steelyard-strict",
        "steelyard_strict",
        "STEELYARD--STRICT",
        "Steelyard.Strict:my_strict",
        "steelyard-strict:my-strict",
    ],
)
def test_these_names_select_the_plugin(name):
    assert selected_by(["else", name], STRICT) == name


@pytest.mark.parametrize("name", ["strict", "steelyard", "my_strict_", "steelyard-strict:other", "other:my_strict", ""])
def test_these_names_select_another(name):
    assert selected_by([name], STRICT) is None


def test_names_are_normalised_as_pep_503_says():
    # The examples of the PEP: all of these are one project.
    names = ["friendly-bard", "Friendly-Bard", "FRIENDLY-BARD", "friendly.bard", "friendly_bard", "FrIeNdLy-._.-bArD"]

    assert {normalised(name) for name in names} == {"friendly-bard"}


@pytest.mark.parametrize("name", ["shout", "steelyard-shout", "Steelyard_Shout"])
def test_a_blocked_plugin_is_not_imported_and_says_who_blocked_it(site, host_of_strangers, report_on, name):
    site.install("steelyard-shout")

    report = report_on(host_of_strangers([name]), "steelyard-shout")

    assert (report.state, report.adds) == ("blocked", ())
    assert report.why == f"switched off by the name {name!r}"
    assert "steelyard_shout" not in sys.modules


def test_blocking_a_broken_plugin_ends_its_complaints(site, host_of_strangers, report_on):
    site.install("steelyard-quitter")

    assert report_on(host_of_strangers(["quitter"]), "steelyard-quitter").state == "blocked"


def test_blocking_a_plugin_name_blocks_every_plugin_of_that_name(site, host_of_strangers):
    site.install("steelyard-shout")
    site.install("steelyard-namesake")
    site.install("steelyard-loud")

    assert host_of_strangers(["shout"]).registry.get("scorer", "shout").origin.plugin == "loud"
    assert host_of_strangers(["steelyard-namesake"]).registry.names("scorer") == ()


def test_a_name_to_block_that_nothing_has_is_reported(site, host_of_strangers):
    site.install("steelyard-shout")

    assert host_of_strangers(["shuot", "shout"]).unmatched == ("shuot",)


def test_objects_and_files_can_be_blocked_too(tmp_path, plugin_with):
    from steelyard._host.host import build_host

    file = tmp_path / "rude.py"
    file.write_text("raise SystemExit", "utf-8")

    host = build_host(["strict", "rude"], [(STRICT, object())], [file], discover=False)

    assert [(report.name, report.state) for report in host.plugins] == [("my_strict", "broken"), ("rude", "blocked")]


def test_without_the_built_ins_the_host_is_built_and_says_what_is_missing():
    from steelyard._host.host import build_host
    from steelyard.errors import UnknownNameError

    host = build_host(no_plugins=["steelyard"])

    built_in = [report for report in host.plugins if report.distribution == "steelyard"]
    assert built_in
    assert {report.state for report in built_in} == {"blocked"}
    for report in built_in:
        with pytest.raises(UnknownNameError) as caught:
            host.registry.get("scorer", report.name)
        assert f"plugin {report.name!r} (steelyard {report.version}) is blocked" in str(caught.value)
    with pytest.raises(UnknownNameError, match=r"no plugin in use offers a format; .*a blocked plugin may offer it: "):
        host.registry.get("format", "zzz")


def test_without_the_built_ins_none_of_their_code_is_imported(run_python):
    code = (
        "import sys; from steelyard._host.host import build_host; build_host(no_plugins=['steelyard']);"
        "print([name for name in sys.modules if name.startswith('steelyard_builtins')])"
    )

    assert run_python(code) == "[]\n"
