"""A benchmark may insist on plugins: present, in use, and if not, why not."""

from __future__ import annotations

import pytest

from steelyard.errors import PluginError, UsageError


@pytest.mark.parametrize("name", ["shout", "steelyard-shout", "Steelyard.Shout", "steelyard-shout:shout"])
def test_a_plugin_in_use_meets_the_requirement(site, host_of_strangers, name):
    site.install("steelyard-shout")

    host_of_strangers().require([name])

    assert host_of_strangers().lacking([name]) == ()


def test_nothing_required_is_always_met(host_of_strangers):
    host_of_strangers().require([])


def test_a_missing_plugin_is_named_and_no_package_is_advised_that_may_be_a_stranger_s(site, host_of_strangers):
    site.install("steelyard-shout")

    with pytest.raises(UsageError) as caught:
        host_of_strangers().require(["steelyard-textual"])

    assert str(caught.value) == (
        "required plugin 'steelyard-textual': no installed distribution has that name or offers a plugin of that name; "
        "install the package that offers it"
    )


def test_a_misspelt_requirement_is_met_with_the_nearest_name(site, host_of_strangers):
    site.install("steelyard-shout")

    (line,) = host_of_strangers().lacking(["steelyard-shuot"])

    assert line.endswith("; did you mean 'steelyard-shout'?")
    assert "pip install" not in line


def test_a_blocked_plugin_does_not_meet_the_requirement(site, host_of_strangers):
    site.install("steelyard-shout")

    with pytest.raises(UsageError) as caught:
        host_of_strangers(["shout"]).require(["steelyard-shout"])

    assert str(caught.value) == (
        "required plugin 'steelyard-shout': plugin 'shout' (steelyard-shout 0.3) is blocked: "
        "switched off by the name 'shout'; do not switch it off"
    )


def test_a_broken_plugin_is_a_plugin_error_with_its_cause(site, host_of_strangers):
    site.install("steelyard-raising")

    with pytest.raises(PluginError) as caught:
        host_of_strangers().require(["raising"])

    assert str(caught.value) == (
        "required plugin 'raising': plugin 'raising' (steelyard-raising 0.9) is broken: registering: "
        "steelyard_register_scorers: KeyError: 'x'"
    )
    assert caught.value.origin.distribution == "steelyard-raising"
    assert isinstance(caught.value.__cause__.__cause__, KeyError)


def test_everything_that_is_lacking_is_told_at_once(site, host_of_strangers):
    for package in ["steelyard-raising", "steelyard-shout", "steelyard-loud"]:
        site.install(package)

    host = host_of_strangers(["shout"])

    assert [line.split(":")[0] for line in host.lacking(["raising", "loud", "absent", "shout"])] == [
        "required plugin 'raising'",
        "required plugin 'absent'",
        "required plugin 'shout'",
    ]
    with pytest.raises(UsageError, match=r"'raising'.*; required plugin 'absent'.*; required plugin 'shout'"):
        host.require(["raising", "loud", "absent", "shout"])


def test_a_plugin_name_is_met_by_whichever_plugin_of_that_name_is_in_use(site, host_of_strangers):
    site.install("steelyard-shout")
    site.install("steelyard-namesake")

    host_of_strangers(["steelyard-namesake"]).require(["shout"])


def test_a_distribution_is_met_only_when_all_its_plugins_are_in_use(site, host_of_strangers):
    site.install("steelyard-shout")
    site.install("steelyard-loud")
    site.write_dist_info("steelyard-pair", "1.0", {"steelyard": {"one": "steelyard_shout", "two": "steelyard_loud"}})

    host = host_of_strangers(["steelyard-shout", "loud", "two"])

    host.require(["one"])
    assert [line.split(" is ")[0] for line in host.lacking(["steelyard-pair"])] == [
        "required plugin 'steelyard-pair': plugin 'two' (steelyard-pair 1.0)"
    ]
