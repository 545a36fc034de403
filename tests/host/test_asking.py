"""Each hook of each plugin is asked by itself, and what it returns is checked before anybody relies on it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from steelyard.api import (
    CacheSpec,
    FormatSpec,
    NoSettings,
    ProviderSpec,
    ReporterSpec,
    ScorerSpec,
)


def create(*_):
    raise AssertionError("the host must not create anything by itself")


def scorer(name="word", **changes):
    return ScorerSpec(**{"name": name, "summary": "A word", "settings": NoSettings, "create": create, **changes})


def why(host):
    (report,) = host.plugins
    assert report.state == "broken"
    assert host.registry.names("scorer") == ()
    return report.why


def test_a_plugin_may_offer_every_kind(host_of, plugin_with):
    common = {"summary": "One of them", "settings": NoSettings, "create": create}
    plugin = plugin_with(
        steelyard_register_providers=lambda: [ProviderSpec(name="p", **common)],
        steelyard_register_scorers=lambda: [ScorerSpec(name="s", **common)],
        steelyard_register_reporters=lambda: [ReporterSpec(name="r", **common, extensions=(".xml", ".x-y"))],
        steelyard_register_caches=lambda: [CacheSpec(name="c", **common)],
        steelyard_register_formats=lambda: [FormatSpec(name="f", summary="One of them", create=create)],
    )

    host = host_of(rich_offer=plugin)

    assert host.plugins[0].adds == (
        ("provider", "p"),
        ("scorer", "s"),
        ("reporter", "r"),
        ("cache", "c"),
        ("format", "f"),
    )
    assert [host.registry.names(kind) for kind in ("provider", "scorer", "reporter", "cache", "format")] == [
        ("p",),
        ("s",),
        ("r",),
        ("c",),
        ("f",),
    ]


def as_a_generator():
    yield scorer("one")
    yield scorer("two")


def as_a_view():
    return {"a": scorer("one"), "b": scorer("two")}.values()


@pytest.mark.parametrize(
    "hook",
    [
        lambda: [scorer("one"), scorer("two")],
        lambda: (scorer("one"), scorer("two")),
        as_a_view,
        as_a_generator,
    ],
    ids=["list", "tuple", "view", "generator"],
)
def test_specs_may_come_in_any_iterable(host_of, plugin_with, hook):
    assert host_of(any_iterable=plugin_with(steelyard_register_scorers=hook)).registry.names("scorer") == ("one", "two")


def test_a_plugin_may_offer_nothing_today(host_of, plugin_with):
    (report,) = host_of(idle=plugin_with(steelyard_register_scorers=lambda: ())).plugins

    assert (report.state, report.adds, report.why) == ("ok", (), "")


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "returned None, not a list of ScorerSpec"),
        (scorer(), "returned a ScorerSpec by itself; put it in a list"),
        ("word", "returned a value of type 'str', not a list of ScorerSpec"),
        (b"word", "returned a value of type 'bytes', not a list of ScorerSpec"),
        (7, "returned a value of type 'int', not a list of ScorerSpec"),
        (ScorerSpec, "returned the class 'ScorerSpec', not a list of ScorerSpec"),
        ([scorer(), "word"], "item 1 is a value of type 'str', not a ScorerSpec"),
        ([None], "item 0 is None, not a ScorerSpec"),
        ([ScorerSpec], "item 0 is the class 'ScorerSpec', not a ScorerSpec"),
        ({"word": scorer()}, "item 0 is a value of type 'str', not a ScorerSpec"),
        ([[scorer()]], "item 0 is a value of type 'list', not a ScorerSpec"),
        (
            [CacheSpec(name="c", summary="A cache", settings=NoSettings, create=create)],
            "item 0 is a value of type 'CacheSpec', not a ScorerSpec",
        ),
    ],
)
def test_what_is_no_list_of_specs_is_refused_with_what_it_is(host_of, plugin_with, returned, said):
    host = host_of(wrong=plugin_with(steelyard_register_scorers=lambda: returned))

    assert why(host) == f"registering: steelyard_register_scorers: {said}"


def fails_half_way():
    yield scorer("first")
    raise KeyError("x")


def exits_half_way():
    yield scorer("first")
    raise SystemExit("enough")


@pytest.mark.parametrize(
    ("hook", "said"), [(fails_half_way, "KeyError: 'x'"), (exits_half_way, "called sys.exit('enough')")]
)
def test_a_generator_that_fails_half_way_leaves_nothing_behind(host_of, plugin_with, hook, said):
    host = host_of(half=plugin_with(steelyard_register_scorers=hook))

    assert why(host) == f"registering: steelyard_register_scorers: {said}"


def test_one_failing_hook_takes_what_the_other_hooks_of_the_plugin_offer_with_it(host_of, plugin_with):
    plugin = plugin_with(steelyard_register_scorers=lambda: [scorer()], steelyard_register_caches=lambda: 1 / 0)

    assert why(host_of(partly=plugin)) == "registering: steelyard_register_caches: ZeroDivisionError: division by zero"


@dataclass
class Thawed:
    limit: int = 3


class Plain:
    pass


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "Word"}, "'name' must be lower case letters"),
        ({"name": ""}, "'name' must be lower case letters"),
        ({"name": "1st"}, "'name' must be lower case letters"),
        ({"name": "_word"}, "'name' must be lower case letters"),
        ({"name": "a word"}, "'name' must be lower case letters"),
        ({"name": "word\n"}, "'name' must be lower case letters"),
        ({"name": "vendor/word"}, "'name' must be lower case letters"),
        ({"name": "wörd"}, "'name' must be lower case letters"),
        ({"name": "a:b"}, "'name' must be lower case letters"),
        ({"name": None}, "'name' must be lower case letters"),
        ({"settings": Thawed}, "'settings' must be a frozen dataclass"),
        ({"settings": Plain}, "'settings' must be a frozen dataclass"),
        ({"settings": NoSettings()}, "'settings' must be a frozen dataclass"),
        ({"settings": dict}, "'settings' must be a frozen dataclass"),
        ({"settings": None}, "'settings' must be a frozen dataclass"),
        ({"create": None}, "'create' must be callable"),
        ({"summary": None}, "'summary' must be text, got None"),
        ({"inline": "yes"}, "'inline' must be True or False, got 'yes'"),
        ({"timeout_s": "60"}, "'timeout_s' must be a number above 0, got '60'"),
        ({"timeout_s": 0}, "'timeout_s' must be a number above 0, got 0"),
        ({"timeout_s": float("nan")}, "'timeout_s' must be a number above 0, got nan"),
        ({"timeout_s": True}, "'timeout_s' must be a number above 0, got True"),
    ],
)
def test_a_spec_that_the_host_cannot_work_with_is_refused(host_of, plugin_with, changes, said):
    host = host_of(odd=plugin_with(steelyard_register_scorers=lambda: [scorer(**changes)]))

    assert said in why(host)
    assert why(host).startswith("registering: steelyard_register_scorers: ScorerSpec ")


@pytest.mark.parametrize("extensions", [[".xml"], "xml", ("xml",), (".",), (".tar/gz",), (1,)])
def test_the_file_endings_of_a_reporter_are_checked(host_of, plugin_with, extensions):
    spec = ReporterSpec(name="r", summary="R", settings=NoSettings, create=create, extensions=extensions)

    assert "'extensions' must be a tuple of file endings" in why(
        host_of(odd=plugin_with(steelyard_register_reporters=lambda: [spec]))
    )


@pytest.mark.parametrize("name", ["settings.json", "../.toolrc", ".toolrc/x", ".gitignore", ".toolrc.json.bak", "", 1])
def test_the_name_of_a_tool_s_settings_file_is_checked(host_of, plugin_with, name):
    spec = FormatSpec(name="f", summary="F", create=create, settings_file=name)

    assert "'settings_file' must be a name like '.toolrc' or '.toolrc.json'" in why(
        host_of(odd=plugin_with(steelyard_register_formats=lambda: [spec]))
    )


@pytest.mark.parametrize("name", ["a", "exact", "max_words", "f1", "b-52", "a__b"])
def test_these_are_names(host_of, plugin_with, name):
    assert host_of(named=plugin_with(steelyard_register_scorers=lambda: [scorer(name)])).registry.names("scorer") == (
        name,
    )


def test_one_name_twice_in_one_plugin_is_its_own_mistake(host_of, plugin_with):
    plugin = plugin_with(steelyard_register_scorers=lambda: [scorer("a"), scorer("b"), scorer("a")])

    assert why(host_of(twice=plugin)) == "registering: steelyard_register_scorers: it offers the scorer 'a' twice"


def test_one_name_for_two_kinds_is_no_clash(host_of, plugin_with):
    plugin = plugin_with(
        steelyard_register_scorers=lambda: [scorer("http")],
        steelyard_register_caches=lambda: [CacheSpec(name="http", summary="C", settings=NoSettings, create=create)],
    )

    assert host_of(both=plugin).plugins[0].adds == (("scorer", "http"), ("cache", "http"))


def test_a_hook_under_another_function_name_is_asked_too(host_of):
    from types import ModuleType

    from steelyard import hookimpl

    plugin = ModuleType("plugin")
    plugin.offer = hookimpl(specname="steelyard_register_scorers")(lambda: [scorer()])

    assert host_of(renamed=plugin).registry.names("scorer") == ("word",)
