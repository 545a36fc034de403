"""Who has a name: one plugin, or nobody."""

from __future__ import annotations

import dataclasses
from itertools import permutations

import pytest

from steelyard._host.host import build_host
from steelyard._host.kinds import Offer
from steelyard._host.registry import build_registry
from steelyard.api import NoSettings, Origin, ReporterSpec, ScorerSpec
from steelyard.errors import NameConflictError, PluginError, UnknownNameError, UsageError


def scorer(name):
    return ScorerSpec(name=name, summary="A scorer", settings=NoSettings, create=lambda settings, context: None)


@pytest.fixture
def offering(plugin_with):
    """Make a plugin that offers scorers of these names."""

    def make(*names):
        return plugin_with(steelyard_register_scorers=lambda: [scorer(name) for name in names])

    return make


@pytest.fixture
def host_with(offering):
    """Build a host from (plugin, distribution, names of scorers)."""

    def build(*plugins, no_plugins=()):
        extra = [
            (Origin(plugin=plugin, distribution=distribution, version="1.0"), offering(*names))
            for plugin, distribution, *names in plugins
        ]
        return build_host(no_plugins=no_plugins, extra=extra, discover=False)

    return build


def message_for(host, name, kind="scorer"):
    with pytest.raises((UnknownNameError, NameConflictError)) as caught:
        host.registry.get(kind, name)
    return str(caught.value)


def test_a_name_leads_to_its_spec_and_to_who_offers_it(site, host_of_strangers):
    site.install("steelyard-shout")

    offer = host_of_strangers().registry.get("scorer", "shout")

    assert offer.spec.name == "shout"
    assert offer.kind == "scorer"
    assert offer.origin == Origin(plugin="shout", distribution="steelyard-shout", version="0.3")
    assert str(offer) == "scorer 'shout' of plugin 'shout' (steelyard-shout 0.3)"


def test_names_and_specs_are_listed_by_name(host_with):
    registry = host_with(("b", "dist-b", "pear", "fig"), ("a", "dist-a", "plum")).registry

    assert registry.names("scorer") == ("fig", "pear", "plum")
    assert [(offer.name, offer.origin.plugin) for offer in registry.specs("scorer")] == [
        ("fig", "b"),
        ("pear", "b"),
        ("plum", "a"),
    ]
    assert registry.names("cache") == ()
    assert registry.specs("cache") == ()


def test_an_unknown_name_is_met_with_the_nearest_one(host_with):
    host = host_with(("a", "dist-a", "max_words", "numeric"))

    with pytest.raises(UnknownNameError) as caught:
        host.registry.get("scorer", "max_word")

    assert str(caught.value) == "unknown scorer 'max_word'; did you mean 'max_words'?"
    assert (caught.value.kind, caught.value.name) == ("scorer", "max_word")
    assert caught.value.known == ("max_words", "numeric")
    assert isinstance(caught.value, UsageError)


@pytest.mark.parametrize("written", ["Max_Words", "max-words", "maxwords"])
def test_case_and_hyphens_are_forgiven_in_suggestions_but_not_in_names(host_with, written):
    assert message_for(host_with(("a", "dist-a", "max_words")), written).endswith("did you mean 'max_words'?")


def test_a_name_like_no_other_is_met_with_all_there_are(host_with):
    host = host_with(("a", "dist-a", "numeric", "max_words"))

    assert message_for(host, "zzz") == (
        "unknown scorer 'zzz'; known scorers: max_words, numeric; or the package that adds it is not installed"
    )


def test_a_short_name_that_shares_some_letters_with_another_is_no_slip_of_it(host_with):
    host = host_with(("a", "dist-a", "python", "numeric"))

    assert "did you mean" not in message_for(host, "tone")
    assert "did you mean 'numeric'?" in message_for(host, "numerc")
    assert message_for(host, "zzz", "cache") == "unknown cache 'zzz'; no plugin in use offers a cache"


def test_a_name_of_another_kind_is_unknown(host_with):
    assert message_for(host_with(("a", "dist-a", "numeric")), "numeric", "reporter").startswith(
        "unknown reporter 'numeric'"
    )


def test_an_unknown_name_of_absurd_length_is_answered_at_once(host_with):
    assert (
        message_for(host_with(("a", "dist-a", "numeric")), "numeric" * 100_000)
        .partition("; or ")[0]
        .endswith("known scorers: numeric")
    )


def test_a_contested_name_belongs_to_nobody_whatever_the_order(host_with):
    plugins = [
        ("exact", "steelyard-exact", "word"),
        ("strict", "steelyard-strict", "word"),
        ("other", "steelyard-other", "else"),
    ]

    for order in permutations(plugins):
        host = host_with(*order)

        with pytest.raises(NameConflictError) as caught:
            host.registry.get("scorer", "word")

        assert str(caught.value) == (
            "2 plugins offer the scorer 'word': 'exact' (steelyard-exact 1.0) and 'strict' (steelyard-strict 1.0); "
            "block all but one: --no-plugin exact or --no-plugin strict"
        )
        assert [origin.plugin for origin in caught.value.claimants] == ["exact", "strict"]
        assert host.registry.names("scorer") == ("else",)
        assert list(host.registry.contested("scorer")) == ["word"]


def test_claimants_are_named_in_one_order_whatever_order_they_are_given_in():
    offers = [
        Offer(kind="scorer", spec=scorer("word"), origin=Origin(plugin=plugin, distribution=distribution, version="1"))
        for plugin, distribution in [("a", "y"), ("a", "Z"), ("b", "x")]
    ]

    for order in permutations(offers):
        assert build_registry(order, ()).contested("scorer") == {"word": tuple(offers)}


def test_three_claimants_are_all_named(host_with):
    host = host_with(("a", "da", "word"), ("b", "db", "word"), ("c", "dc", "word"))

    assert message_for(host, "word") == (
        "3 plugins offer the scorer 'word': 'a' (da 1.0), 'b' (db 1.0) and 'c' (dc 1.0); "
        "block all but one: --no-plugin a, --no-plugin b or --no-plugin c"
    )


def test_a_conflict_is_a_fault_of_plugins_and_says_the_kind_and_name(site, host_of_strangers):
    site.install("steelyard-shout")
    site.install("steelyard-loud")

    with pytest.raises(NameConflictError) as caught:
        host_of_strangers().registry.get("scorer", "shout")

    assert isinstance(caught.value, PluginError)
    assert (caught.value.kind, caught.value.name) == ("scorer", "shout")
    assert str(caught.value) == (
        "2 plugins offer the scorer 'shout': 'loud' (steelyard-loud 1.2) and 'shout' (steelyard-shout 0.3); "
        "block all but one: --no-plugin loud or --no-plugin shout"
    )


@pytest.mark.parametrize(("blocked", "winner"), [("loud", "steelyard-shout"), ("shout", "steelyard-loud")])
def test_blocking_one_side_settles_the_conflict(site, host_of_strangers, blocked, winner):
    site.install("steelyard-shout")
    site.install("steelyard-loud")

    assert host_of_strangers([blocked]).registry.get("scorer", "shout").origin.distribution == winner


def test_of_two_plugins_with_one_name_both_are_asked(site, host_of_strangers):
    site.install("steelyard-shout")
    site.install("steelyard-namesake")

    registry = host_of_strangers().registry

    assert registry.get("scorer", "shout").origin.distribution == "steelyard-shout"
    assert registry.get("scorer", "whisper").origin.distribution == "steelyard-namesake"


def test_claimants_with_one_plugin_name_are_told_apart_by_their_distributions(site, host_of_strangers):
    site.install("steelyard-shout")
    site.install("steelyard-usurper")

    assert message_for(host_of_strangers(), "shout") == (
        "2 plugins offer the scorer 'shout': 'shout' (steelyard-shout 0.3) and 'shout' (steelyard-usurper 0.1); "
        "block all but one: --no-plugin steelyard-shout or --no-plugin steelyard-usurper"
    )


def test_every_switch_that_a_conflict_advises_settles_it_and_blocks_nothing_else(host_with):
    plugins = [
        ("word", "big", "word"),
        ("other", "big", "else"),
        ("word", "small", "word"),
        ("strict", "small-strict", "word"),
    ]
    message = message_for(host_with(*plugins), "word")
    switches = [part.split()[0] for part in message.partition("block all but one: ")[2].split("--no-plugin ")[1:]]
    switches = [switch.rstrip(",") for switch in switches]

    assert switches == ["strict", "big:word", "small"]
    for kept in switches:
        host = host_with(*plugins, no_plugins=[switch for switch in switches if switch != kept])
        assert host.registry.names("scorer") == ("else", "word")


def test_a_suggestion_may_be_a_contested_name_which_is_then_explained(host_with):
    host = host_with(("a", "da", "numeric"), ("b", "db", "numeric"))

    assert message_for(host, "numerics") == "unknown scorer 'numerics'; did you mean 'numeric'?"


def test_a_name_whose_plugin_is_broken_is_met_with_what_broke_it(site, host_of_strangers):
    site.install("steelyard-misspelt")
    site.install("steelyard-shout")

    assert message_for(host_of_strangers(), "misspelt") == (
        "unknown scorer 'misspelt'; plugin 'misspelt' (steelyard-misspelt 0.6) is broken: loading: "
        "unknown hook 'steelyard_register_scorer'; did you mean 'steelyard_register_scorers'?"
    )


def test_a_name_whose_plugin_is_blocked_is_met_with_that(site, host_of_strangers):
    site.install("steelyard-shout")

    assert message_for(host_of_strangers(["steelyard-shout"]), "shout") == (
        "unknown scorer 'shout'; plugin 'shout' (steelyard-shout 0.3) is blocked: "
        "switched off by the name 'steelyard-shout'"
    )


def test_broken_plugins_are_suspected_of_any_name_that_is_missing(host_with, plugin_with):
    origin = Origin(plugin="ratio", distribution="steelyard-ratio", version="0.2")
    broken = plugin_with(steelyard_register_scorers=lambda: 1 / 0)

    host = build_host(extra=[(origin, broken)], discover=False)

    assert message_for(host, "division") == (
        "unknown scorer 'division'; no plugin in use offers a scorer; "
        "a broken plugin may offer it: 'ratio' (steelyard-ratio 0.2)"
    )


def test_many_suspects_are_counted_rather_than_listed(host_with):
    host = host_with(
        *((f"p{number}", f"d{number}", f"s{number}") for number in range(8)), no_plugins=[f"p{n}" for n in range(8)]
    )

    assert message_for(host, "division").endswith(
        "a blocked plugin may offer it: "
        "'p0' (d0 1.0), 'p1' (d1 1.0), 'p2' (d2 1.0), 'p3' (d3 1.0), 'p4' (d4 1.0) and 3 more"
    )


def test_a_registry_cannot_be_changed(host_with):
    registry = host_with(("a", "dist-a", "numeric")).registry

    with pytest.raises(TypeError):
        registry.claims["scorer", "numeric"] = ()
    with pytest.raises(dataclasses.FrozenInstanceError):
        registry.claims = {}


def test_reporters_keep_what_their_spec_says(host_of, plugin_with):
    spec = ReporterSpec(
        name="page", summary="P", settings=NoSettings, create=lambda s, c: None, extensions=(".page",), automatic=True
    )

    (offer,) = host_of(paper=plugin_with(steelyard_register_reporters=lambda: [spec])).registry.specs("reporter")

    assert offer.spec is spec
