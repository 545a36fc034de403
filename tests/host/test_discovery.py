"""What is installed is found, in the same order everywhere, each distribution once."""

from __future__ import annotations

import pytest

from steelyard._host.entries import installed_entries


def found_in(group="steelyard"):
    """List entry points as (plugin, distribution, version, value), without the built-ins."""
    listed = [
        (one.origin.plugin, one.origin.distribution, one.origin.version, one.value) for one in installed_entries(group)
    ]
    return [one for one in listed if one[1] != "steelyard"]


def test_an_installed_plugin_is_found_with_its_distribution_and_version(site):
    site.install("steelyard-shout")

    assert found_in() == [("shout", "steelyard-shout", "0.3", "steelyard_shout")]


def test_nothing_is_imported_when_plugins_are_found(site):
    site.install("steelyard-quitter")

    assert [plugin for plugin, *_ in found_in()] == ["quitter"]


def test_other_groups_are_left_alone(site):
    site.write_dist_info("other", "1.0", {"steelyard_like": {"x": "y"}, "console_scripts": {"steelyard-x": "y:z"}})

    assert found_in() == []


def test_plugins_are_sorted_by_name_and_then_by_distribution(site):
    for distribution, plugin in [
        ("steelyard-z", "a"),
        ("steelyard-b", "c"),
        ("steelyard-y", "b"),
        ("steelyard-a", "c"),
    ]:
        site.write_dist_info(distribution, "1.0", {"steelyard": {plugin: "m"}})

    assert [(plugin, distribution) for plugin, distribution, *_ in found_in()] == [
        ("a", "steelyard-z"),
        ("b", "steelyard-y"),
        ("c", "steelyard-a"),
        ("c", "steelyard-b"),
    ]


def test_two_distributions_that_claim_one_plugin_name_are_both_kept(site):
    site.install("steelyard-shout")
    site.install("steelyard-namesake")

    assert [(plugin, distribution) for plugin, distribution, *_ in found_in()] == [
        ("shout", "steelyard-namesake"),
        ("shout", "steelyard-shout"),
    ]


@pytest.mark.parametrize("left_over_is_first_on_the_path", [True, False])
def test_a_left_over_egg_info_does_not_double_or_hide_a_distribution(make_site, left_over_is_first_on_the_path):
    for name in ["new", "old"] if left_over_is_first_on_the_path else ["old", "new"]:
        site = make_site(name)
        if name == "new":
            site.write_dist_info("steelyard-shout", "0.3", {"steelyard": {"shout": "now"}})
        else:
            site.write_dist_info("Steelyard.Shout", "0.1", {"steelyard": {"shout": "then"}}, suffix="egg-info")

    assert found_in() == [("shout", "steelyard-shout", "0.3", "now")]


def test_an_egg_info_alone_is_enough(site):
    site.write_dist_info("steelyard-shout", "0.1", {"steelyard": {"shout": "m"}}, suffix="egg-info")

    assert found_in() == [("shout", "steelyard-shout", "0.1", "m")]


def test_of_a_distribution_installed_twice_the_one_that_is_imported_counts(make_site):
    make_site("behind").write_dist_info("steelyard-shout", "9.9", {"steelyard": {"shout": "hidden", "more": "hidden"}})
    make_site("before").write_dist_info("steelyard-shout", "0.3", {"steelyard": {"shout": "seen"}})

    assert found_in() == [("shout", "steelyard-shout", "0.3", "seen")]


def test_two_versions_in_one_folder_are_decided_by_the_version_and_not_by_the_file_system(site, monkeypatch):
    site.write_dist_info("steelyard-shout", "0.3", {"steelyard": {"shout": "older"}})
    site.write_dist_info("steelyard-shout", "0.4", {"steelyard": {"shout": "newer"}})

    assert found_in() == [("shout", "steelyard-shout", "0.4", "newer")]


def test_one_entry_listed_twice_is_one_plugin(site):
    info = site.write_dist_info("steelyard-shout", "0.3", {"steelyard": {"shout": "m"}})
    (info / "entry_points.txt").write_text("[steelyard]\nshout = m\nshout = m\n", "utf-8")

    assert found_in() == [("shout", "steelyard-shout", "0.3", "m")]


def test_an_unreadable_list_of_plugins_is_blamed_on_its_distribution_and_hides_no_other(
    site, host_of_strangers, report_on
):
    site.install("steelyard-shout")
    info = site.write_dist_info("steelyard-garbled", "0.1", {})
    (info / "entry_points.txt").write_text("[steelyard]\nno equals sign\n", "utf-8")

    host = host_of_strangers()

    assert report_on(host, "steelyard-shout").state == "ok"
    garbled = report_on(host, "steelyard-garbled")
    assert garbled.state == "broken"
    assert "entry_points.txt cannot be read" in garbled.why


@pytest.mark.parametrize("content", [b"\xff\xfe[steelyard]\nx = y\n", b"\x00\x00"])
def test_metadata_that_is_no_text_hides_no_plugin(site, content):
    site.install("steelyard-shout")
    info = site.write_dist_info("binary", "0.1", {})
    (info / "entry_points.txt").write_bytes(content)

    assert [plugin for plugin, *_ in found_in()] == ["shout"]


def test_a_half_removed_distribution_without_metadata_is_still_named(site, host_of_strangers):
    info = site.write_dist_info("steelyard-gone", "0.1", {"steelyard": {"gone": "module_that_was_removed"}})
    (info / "METADATA").unlink()

    (report,) = (one for one in host_of_strangers().plugins if one.name == "gone")

    assert report.state == "broken"
    assert "module_that_was_removed" in report.why


def test_a_plugin_installed_while_the_process_runs_is_found_by_the_next_session(site, host_of_strangers, names_of):
    assert names_of(host_of_strangers().plugins) == []

    site.install("steelyard-shout")

    assert names_of(host_of_strangers().plugins) == [("shout", "steelyard-shout")]
