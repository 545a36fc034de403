"""The reference leaves out nothing that users and plugin authors can use. Wanted: what the running tool offers."""

from __future__ import annotations

import dataclasses
import inspect
import re
import subprocess
import sys

import pytest
import yaml
from steelyard_builtins.formats.native import keys

from steelyard import hookspecs, open_session
from steelyard._config.settings_layers import SettingsKeys
from steelyard._engine.plan import CallPolicy
from steelyard._engine.retry import wait_before
from steelyard.errors import ProviderError

HOOKS = sorted(name for name in vars(hookspecs) if name.startswith("steelyard_register_"))
KINDS = ("provider", "scorer", "reporter", "cache", "format")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def built_ins(kind):
    with_no_settings = open_session(environ={"STEELYARD_SETTINGS": ""})
    return [offer.spec for offer in with_no_settings.registry.specs(kind) if offer.origin.distribution == "steelyard"]


def helped(*arguments):
    command = [sys.executable, "-m", "steelyard", *arguments, "--help"]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout


def test_every_page_made_from_code_is_what_the_code_says(scripts):
    assert scripts.generate.stale() == [], f"run '{scripts.generate.COMMAND}' and read the difference"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_stands_there_with_its_exact_signature_and_its_promises(section, hook):
    function = getattr(hookspecs, hook)
    text = section("reference/hooks.md", f"## `{hook}`")

    assert f"def {hook}() -> {inspect.signature(function).return_annotation}\n" in text
    assert "\nStability: " in text
    assert f"def {hook}():" in text


def test_every_command_and_every_option_of_it_is_documented(section):
    listed = helped().partition("Commands:\n")[2].partition("\n\n")[0]
    commands = re.findall(r"^  ([a-z][\w-]*)  ", listed, flags=re.M)
    assert "run" in commands

    for command in commands:
        own = helped(command).partition("Options:\n")[2].partition("Commands:")[0]
        text = section("reference/cli.md", f"## `steelyard {command}`")
        missing = [
            flag
            for line in re.findall(r"^  (-[^\n]*)", own, flags=re.M)
            for flag in OPTION.findall(re.split(r"\s{2,}", line)[0])
            if flag not in ("-h", "--help") and flag not in text
        ]
        assert missing == [], f"steelyard {command}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_built_in_component_stands_on_its_page_with_every_option(section, kind):
    specs = built_ins(kind)
    assert specs

    for spec in specs:
        text = section(f"reference/{kind}s.md", f"## `{spec.name}`")
        options = dataclasses.fields(spec.settings) if hasattr(spec, "settings") else ()
        assert [one.name for one in options if f"| `{one.name}` |" not in text] == [], spec.name


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("## The file", keys.TOP_LEVEL),
        ("## `evaluation`", keys.EVALUATION),
        ("## `gate`", keys.GATE),
        ("## `inference`", keys.INFERENCE),
        ("## model", keys.MODEL),
        ("## prompt", keys.PROMPT),
        ("## test case", keys.CASE),
        ("## scorer", keys.SCORER),
        ("## turn", keys.TURN),
        ("## data file", keys.DATA_FILE),
    ],
)
def test_every_key_that_a_benchmark_file_may_have_is_described(section, title, names):
    rows = [line.split(" | ") for line in section("reference/benchmark-file.md", title).splitlines() if "|" in line]
    described = {re.match(r"\| `([^`]+)`", row[0])[1]: row[-1].strip(" |") for row in rows[2:]}

    assert set(described) == set(names)
    assert [name for name, meaning in described.items() if not meaning] == []


def test_every_setting_stands_there_with_its_variable(page):
    text = page("reference/settings.md")

    for key in dataclasses.fields(SettingsKeys):
        variable = "–" if key.name in ("providers", "caches") else f"`STEELYARD_{key.name.upper()}`"
        assert f"| `{key.name}` | {variable} |" in text


def test_every_public_name_has_a_heading(scripts, page):
    dump = scripts.api_dump
    sources = dump.Sources(dump.SOURCE)
    pages = [page(f"reference/{name}.md") for name in ("api", "errors", "hooks", "testing")]
    headings = {title for text in pages for title in re.findall(r"^#+ `([^`]+)`$", text, flags=re.M)}

    names = {name for module in dump.PUBLIC for name in sources.public_names(module)} - {"__version__"}
    assert names - headings == set()


def test_every_page_is_in_a_menu_of_the_site(scripts, docs):
    def leaves(entry):
        if isinstance(entry, str):
            return [entry]
        return [leaf for part in (entry.values() if isinstance(entry, dict) else entry) for leaf in leaves(part)]

    named = yaml.safe_load((docs.parent / "mkdocs.yml").read_text("utf-8"))["nav"]
    nav = leaves(scripts.menus.filled(named, docs))
    pages = [path.relative_to(docs) for path in docs.rglob("*.md")]
    wanted = [path.as_posix() for path in pages if path.parts[0] not in ("design", "changelog.d")]

    assert sorted(nav) == sorted([*wanted, "design/README.md"])


def test_the_waits_between_attempts_are_those_that_are_promised(page):
    text = page("explanation/scoring-and-errors.md")
    policy = CallPolicy()
    busy = ProviderError("busy", retryable=True, status=503)
    limited = ProviderError("slow down", retryable=True, status=429)
    patient = ProviderError("come back tomorrow", retryable=True, status=429, retry_after_s=86400)

    def waits(error, luck):
        return [wait_before(attempt, error, policy, lambda: luck) for attempt in range(1, policy.retries + 1)]

    assert "up\nto 3 more times" in text
    assert policy.retries == 3
    assert "waits 1, 2 and 4 seconds" in text
    assert waits(busy, 1.0) == [1, 2, 4]
    assert "5, 10 and 20 seconds and up to\n  1 second more at random" in text
    assert waits(limited, 0.0) == [5, 10, 20]
    assert waits(limited, 1.0) == [6, 11, 21]
    assert "never waits for more than 60 seconds" in text
    assert waits(patient, 0.0) == [60, 60, 60]
    assert "One attempt may take 120 seconds" in text
    assert policy.timeout_s == 120


def test_the_first_plugin_is_printed_whole(docs, page):
    text = page("tutorial/first-plugin.md")
    package = docs.parent / "tests" / "fixtures" / "tutorial-plugin"
    files = [path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts]

    assert len(files) == 4
    assert [path.name for path in files if path.read_text("utf-8").strip() not in text] == []
