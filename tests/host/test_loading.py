"""A plugin is let in whole or set aside whole, and every failure names it."""

from __future__ import annotations

from types import ModuleType

import pluggy
import pytest

from steelyard import hookimpl
from steelyard._host.host import build_host
from steelyard.api import NoSettings, ScorerSpec
from steelyard.errors import Origin, PluginError


def spec(name="word"):
    return ScorerSpec(name=name, summary="A word", settings=NoSettings, create=lambda settings, context: None)


def nothing():
    return []


BROKEN = {
    "steelyard-unimportable": (
        "plugin 'unimportable' (steelyard-unimportable 0.4) is broken: "
        "loading: ModuleNotFoundError: No module named 'a_library_that_nobody_has'; "
        "reinstall it with what it needs: pip install --force-reinstall steelyard-unimportable"
    ),
    "steelyard-quitter": "plugin 'quitter' (steelyard-quitter 0.5) is broken: loading: called sys.exit(3)",
    "steelyard-misspelt": (
        "plugin 'misspelt' (steelyard-misspelt 0.6) is broken: "
        "loading: unknown hook 'steelyard_register_scorer'; did you mean 'steelyard_register_scorers'?"
    ),
    "steelyard-futuristic": (
        "plugin 'futuristic' (steelyard-futuristic 9.0) is broken: "
        "loading: unknown hook 'steelyard_wrap_provider'; it may need a newer steelyard; this one has "
        "steelyard_register_caches, steelyard_register_formats, steelyard_register_providers, "
        "steelyard_register_reporters, steelyard_register_scorers"
    ),
    "steelyard-demanding": (
        "plugin 'demanding' (steelyard-demanding 0.7) is broken: "
        "loading: hook 'steelyard_register_scorers' must take no arguments, but has 'config'"
    ),
    "steelyard-forgetful": (
        "plugin 'forgetful' (steelyard-forgetful 0.8) is broken: "
        "registering: steelyard_register_scorers: returned None, not a list of ScorerSpec"
    ),
    "steelyard-raising": (
        "plugin 'raising' (steelyard-raising 0.9) is broken: registering: steelyard_register_scorers: KeyError: 'x'"
    ),
}


@pytest.mark.parametrize("package", BROKEN)
def test_a_broken_plugin_is_named_with_its_distribution_version_and_stage(site, host_of_strangers, report_on, package):
    site.install(package)

    report = report_on(host_of_strangers(), package)

    assert str(report) == BROKEN[package]
    assert report.adds == ()


@pytest.mark.parametrize("package", BROKEN)
def test_a_broken_plugin_costs_the_others_nothing(site, host_of_strangers, report_on, package):
    site.install(package)
    site.install("steelyard-loud")
    site.install("steelyard-uncreatable")

    host = host_of_strangers()

    assert report_on(host, "steelyard-loud").adds == (("scorer", "shout"),)
    assert report_on(host, "steelyard-uncreatable").adds == (("scorer", "uncreatable"),)
    assert host.registry.names("scorer") == ("shout", "uncreatable")


def test_all_broken_plugins_together_cost_the_others_nothing(site, host_of_strangers):
    for package in [*BROKEN, "steelyard-shout"]:
        site.install(package)

    host = host_of_strangers()

    assert host.registry.names("scorer") == ("shout",)
    assert [one.distribution for one in host.plugins if one.state == "broken"] == sorted(BROKEN)


def test_the_error_keeps_its_cause_for_a_traceback(site, host_of_strangers, report_on):
    site.install("steelyard-raising")

    error = report_on(host_of_strangers(), "steelyard-raising").error

    assert isinstance(error, PluginError)
    assert error.stage == "registering"
    assert error.origin == Origin(plugin="raising", distribution="steelyard-raising", version="0.9")
    assert isinstance(error.__cause__, KeyError)


def test_a_plugin_whose_create_raises_registers_like_any_other(site, host_of_strangers):
    site.install("steelyard-uncreatable")

    offer = host_of_strangers().registry.get("scorer", "uncreatable")

    assert str(offer) == "scorer 'uncreatable' of plugin 'uncreatable' (steelyard-uncreatable 1.0)"
    with pytest.raises(FileNotFoundError):
        offer.spec.create(NoSettings(), None)


def test_ctrl_c_while_a_plugin_is_imported_is_not_swallowed(site, host_of_strangers):
    site.write_module("interrupted", "raise KeyboardInterrupt\n")
    site.write_dist_info("steelyard-interrupted", "0.1", {"steelyard": {"interrupted": "interrupted"}})

    with pytest.raises(KeyboardInterrupt):
        host_of_strangers()


@pytest.mark.parametrize("raised", ["GeneratorExit()", "RecursionError('deep')", "MemoryError()", "BaseException('x')"])
def test_whatever_else_an_import_raises_breaks_only_its_plugin(site, host_of_strangers, report_on, raised):
    site.write_module("rude", f"raise {raised}\n")
    site.write_dist_info("steelyard-rude", "0.1", {"steelyard": {"rude": "rude"}})

    report = report_on(host_of_strangers(), "steelyard-rude")

    assert report.state == "broken"
    assert report.why.startswith(f"loading: {raised.partition('(')[0]}")


def test_a_syntax_error_is_told_with_its_place(site, host_of_strangers, report_on):
    site.write_module("unfinished", "x = 1\ndef f(:\n")
    site.write_dist_info("steelyard-unfinished", "0.1", {"steelyard": {"unfinished": "unfinished"}})

    why = report_on(host_of_strangers(), "steelyard-unfinished").why

    assert why.startswith("loading: SyntaxError: ")
    assert "(unfinished.py, line 2)" in why


def test_an_exception_of_many_lines_is_told_in_one(site, host_of_strangers, report_on):
    site.write_module("wordy", "raise ValueError('one\\n\\ttwo\\x1b[31m' + 'x' * 10_000)\n")
    site.write_dist_info("steelyard-wordy", "0.1", {"steelyard": {"wordy": "wordy"}})

    why = report_on(host_of_strangers(), "steelyard-wordy").why

    assert why.startswith("loading: ValueError: one two")
    assert "\n" not in why
    assert "\x1b" not in why
    assert len(why) < 500


def test_an_exception_that_cannot_be_shown_is_told_by_its_type(site, host_of_strangers, report_on):
    site.write_module("shy", "class Shy(Exception):\n    def __str__(self):\n        raise RuntimeError\nraise Shy\n")
    site.write_dist_info("steelyard-shy", "0.1", {"steelyard": {"shy": "shy"}})

    assert report_on(host_of_strangers(), "steelyard-shy").why == "loading: Shy: (its message cannot be shown)"


@pytest.mark.parametrize(
    "value", ["steelyard_shout:nothing_like_it", "steelyard_shout.absent", ":", "not a module", "1"]
)
def test_an_entry_point_that_leads_nowhere_breaks_only_its_plugin(site, host_of_strangers, report_on, value):
    site.install("steelyard-shout")
    site.write_dist_info("steelyard-lost", "0.1", {"steelyard": {"lost": value}})

    host = host_of_strangers()

    assert report_on(host, "steelyard-lost").why.startswith("loading: ")
    assert host.registry.names("scorer") == ("shout",)


def test_a_plugin_made_for_another_steelyard_says_so(site, host_of_strangers, report_on):
    site.write_module("dated", "from steelyard.api import SomethingOfTheFuture\n")
    site.write_dist_info("steelyard-dated", "0.1", {"steelyard": {"dated": "dated"}})

    assert report_on(host_of_strangers(), "steelyard-dated").why.endswith(
        "; steelyard-dated may be made for another version of steelyard: upgrade both"
    )


def positional(config):
    return [spec()]


def defaulted(config=None):
    return [spec()]


def keyword_only(*, config):
    return [spec()]


def starred(*args, **kwargs):
    return [spec()]


@pytest.mark.parametrize("hook", [positional, defaulted, keyword_only, starred], ids=lambda hook: hook.__name__)
def test_a_hook_with_any_parameter_is_refused(host_of, plugin_with, hook):
    (report,) = host_of(strict=plugin_with(steelyard_register_scorers=hook)).plugins

    assert report.state == "broken"
    assert report.why.startswith("loading: hook 'steelyard_register_scorers' must take no arguments, but has ")


async def asynchronous():
    return [spec()]


async def asynchronous_generator():
    yield spec()


@pytest.mark.parametrize("hook", [asynchronous, asynchronous_generator], ids=lambda hook: hook.__name__)
def test_an_async_hook_is_refused(host_of, plugin_with, hook):
    (report,) = host_of(strict=plugin_with(steelyard_register_scorers=hook)).plugins

    assert "must be a plain function" in report.why


@pytest.mark.parametrize("style", ["wrapper", "hookwrapper"])
def test_a_hook_that_wraps_those_of_others_is_refused(host_of, style):
    plugin = ModuleType("plugin")

    def wrap():
        return (yield)

    plugin.steelyard_register_scorers = hookimpl(**{style: True})(wrap)

    (report,) = host_of(nosy=plugin).plugins

    assert "wrapping the hooks of others is not supported" in report.why


def test_a_hook_whose_mark_was_forgotten_is_an_error_rather_than_silence(host_of):
    plugin = ModuleType("plugin")
    plugin.steelyard_register_scorers = lambda: [spec()]

    (report,) = host_of(bare=plugin).plugins

    assert (
        report.why == "loading: 'steelyard_register_scorers' is not marked as a hook; put @steelyard.hookimpl before it"
    )


@pytest.mark.parametrize("plugin", [ModuleType("empty"), object(), None, 7], ids=["module", "object", "None", "number"])
def test_a_plugin_without_any_hook_is_an_error_rather_than_silence(host_of, plugin):
    (report,) = host_of(empty=plugin).plugins

    assert report.state == "broken"
    assert report.why.startswith("loading: it implements no hook; mark at least one function with @steelyard.hookimpl")


def test_a_misspelt_hook_breaks_the_whole_plugin_even_beside_right_ones(host_of, plugin_with):
    plugin = plugin_with(steelyard_register_scorers=lambda: [spec()], steelyard_register_cache=nothing)

    host = host_of(mixed=plugin)

    assert host.plugins[0].state == "broken"
    assert host.registry.names("scorer") == ()


def test_an_unknown_hook_marked_optional_is_for_other_versions_and_no_error(host_of, plugin_with):
    plugin = plugin_with(steelyard_register_scorers=lambda: [spec()])
    plugin.steelyard_wrap_provider = hookimpl(optionalhook=True)(nothing)

    host = host_of(careful=plugin)

    assert host.plugins[0].state == "ok"
    assert host.registry.names("scorer") == ("word",)


def test_an_object_with_methods_is_a_plugin_too(host_of):
    class Offers:
        @hookimpl
        def steelyard_register_scorers(self):
            return [spec()]

    assert host_of(methods=Offers()).registry.names("scorer") == ("word",)


def test_a_class_instead_of_an_object_is_refused(host_of):
    class Offers:
        @hookimpl
        def steelyard_register_scorers(self):
            return [spec()]

    assert "must take no arguments, but has 'self'" in host_of(methods=Offers).plugins[0].why


def test_one_module_under_two_names_is_loaded_once_and_the_second_name_is_told(site, host_of_strangers, report_on):
    site.install("steelyard-shout")
    site.write_dist_info("steelyard-twin", "0.1", {"steelyard": {"twin": "steelyard_shout"}})

    host = host_of_strangers()

    assert host.registry.get("scorer", "shout").origin.distribution == "steelyard-shout"
    assert report_on(host, "steelyard-twin").why == (
        "loading: 'steelyard_shout' is already loaded as plugin 'shout' (steelyard-shout 0.3); "
        "one of the two entry points is too many"
    )


def test_a_module_that_broke_under_one_name_is_judged_anew_under_another(site, host_of_strangers, report_on):
    site.install("steelyard-raising")
    site.write_dist_info("steelyard-twin", "0.1", {"steelyard": {"twin": "steelyard_raising"}})

    host = host_of_strangers()

    assert report_on(host, "steelyard-raising").why == report_on(host, "steelyard-twin").why
    assert "KeyError: 'x'" in report_on(host, "steelyard-twin").why


def test_a_distribution_that_names_two_plugins_alike_is_told(site, host_of_strangers):
    site.install("steelyard-shout")
    site.install("steelyard-loud")
    info = site.write_dist_info("steelyard-double", "0.1", {})
    (info / "entry_points.txt").write_text("[steelyard]\nx = steelyard_shout\nx = steelyard_loud\n", "utf-8")

    states = [(one.state, one.why) for one in host_of_strangers(["shout", "loud"]).plugins if one.name == "x"]

    assert states == [("ok", ""), ("broken", "loading: its distribution has another plugin named 'x'; rename one")]


def test_two_hosts_in_one_process_do_not_see_each_other(plugin_with):
    plugin = plugin_with(steelyard_register_scorers=lambda: [spec()])
    origin = Origin(plugin="mine", distribution="mine", version="1")

    first = build_host(extra=[(origin, plugin)], discover=False)
    second = build_host(discover=False)
    third = build_host(extra=[(origin, plugin)], discover=False)

    assert [host.registry.names("scorer") for host in (first, second, third)] == [("word",), (), ("word",)]


def test_the_installed_pluggy_keeps_a_plugin_out_when_its_validation_fails(plugin_with):
    # What the host builds on: before 1.7 a refused plugin stayed registered.
    manager = pluggy.PluginManager("steelyard")
    plugin = plugin_with(steelyard_register_scorers=lambda config: [])
    manager.add_hookspecs(__import__("steelyard.hookspecs", fromlist=["hookspecs"]))

    with pytest.raises(pluggy.PluginValidationError):
        manager.register(plugin)

    assert not manager.is_registered(plugin)
