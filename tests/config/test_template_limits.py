"""No template takes the machine: time, memory and output are bounded, whatever it tries."""

from __future__ import annotations

import sys
import time

import pytest

from steelyard._config.templates import Templates, limits
from steelyard.errors import TemplateError

BIG = "x" * 100_000


def refused(source: str, **variables: object) -> str:
    with pytest.raises(TemplateError) as raised:
        Templates().compile(source).render(variables)
    return str(raised.value)


def doubling(step: str, start: str = "'aaaaaaaa'", times: int = 60) -> str:
    return (
        f"{{% set ns = namespace(x={start}) %}}{{% for i in range({times}) %}}{{% set ns.x = {step} %}}{{% endfor %}}"
    )


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(100000) %}{% for j in range(2000) %}{% endfor %}{% endfor %}",
        "{% for i in range(100000) if range(2000)|list %}{% endfor %}",
        "{% for i in range(100000) %}{{ range(2000) | sum }}{% endfor %}",
        "{% for i in range(100000) %}{{ range(2000) | map('string') | join | length }}{% endfor %}",
        "{% for x in tree recursive %}{{ loop(range(100000)|map('default', 0)) if loop.depth < 3 }}{% endfor %}",
        "{% macro m() %}{% for j in range(9999) %}{% endfor %}{% endmacro %}"
        "{% for i in range(999) %}{{ m() }}{% endfor %}",
    ],
)
def test_endless_loops_end_when_their_steps_are_used_up(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setattr(limits, "MAX_STEPS", 50_000)

    assert refused(source, tree=[0]) == "line 1: takes more than 50000 steps"


def test_two_hundred_million_rounds_end_within_seconds() -> None:
    started = time.process_time()

    assert refused("{% for i in range(100000) %}{% for j in range(2000) %}{% endfor %}{% endfor %}") == (
        "line 1: takes more than 1000000 steps"
    )
    assert time.process_time() - started < 10


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(100000) %}{% if 'zz' in s %}{% endif %}{% endfor %}",
        "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(40) }}",
    ],
)
def test_what_is_slow_within_a_step_is_ended_by_the_clock(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setattr(limits, "MAX_SECONDS", 0.2)

    assert refused(source, s="x" * 1_000_000) == "line 1: takes more than 0.2 s"


@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(100000) %}{{ s }}{% endfor %}",
        "{% set x %}{% for i in range(100000) %}{{ s }}{% endfor %}{% endset %}",
        "{% macro m() %}{% for i in range(100000) %}{{ s }}{% endfor %}{% endmacro %}{{ m() | length }}",
        "{% filter upper %}{% for i in range(100000) %}{{ s }}{% endfor %}{% endfilter %}",
        "{% block b %}{% for i in range(100000) %}{{ s }}{% endfor %}{% endblock %}{{ self.b() }}",
        doubling("ns.x ~ ns.x"),
        doubling("ns.x + ns.x"),
        doubling("ns.x * 2"),
        doubling("'%s%s' % (ns.x, ns.x)"),
        doubling("'{0}{0}'.format(ns.x)"),
        doubling("ns.x.replace('a', 'aa')"),
        doubling("ns.x | replace('a', 'aa')"),
        doubling("ns.x.join(['', '', ''])"),
        doubling("[ns.x, ns.x] | join"),
        doubling("[ns.x, ns.x] | string"),
        "{{ 'x' * 1000000000 }}",
        "{{ 1000000000 * 'x' }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%*d' % (1000000000, 1) }}",
        "{{ '%.1000000000f' % 1 }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{{ '{:{w}}'.format(1, w=1000000000) }}",
        "{{ '{:{w}}'.format_map({'w': 1000000000}) }}",
        "{{ s | replace('x', s) }}",
        "{{ s.replace('x', s) }}",
        "{{ s.join(range(100000) | map('string')) }}",
        "{{ range(100000) | join(s) }}",
        "{{ s | wordwrap(1, true, s) }}",
        "{{ s.translate({120: s}) }}",
        "{{ {}.fromkeys(range(1000), s) }}",
        "{{ [s] | batch(9000, s) | list }}",
        "{{ range(100000) | map(attribute='x', default=s) | list }}",
        "{{ (range(100000) | map(attribute='x', default=s) | list) ~ '' }}",
        "{{ '%s' % (range(1000) | map(attribute='x', default=s) | list) }}",
        "{{ range(1000) | map(attribute='x', default=s) | list | tojson }}",
        "{% for i in range(5000) %}{{ s.encode().hex() | length }}{% endfor %}",
    ],
)
def test_more_than_fifty_million_characters_are_refused(source: str) -> None:
    assert "more than 50000000 characters of text" in refused(source, s=BIG)


@pytest.mark.parametrize(
    "source",
    [
        doubling("[ns.x, ns.x]", "[1]"),
        doubling("(ns.x, ns.x)", "(1,)"),
        doubling("{'a': ns.x, 'b': ns.x}", "{}"),
        doubling("dict(a=ns.x, b=ns.x)", "{}"),
        doubling("ns.x + ns.x", "[1]"),
        doubling("ns.x * 2", "[1]"),
        "{% set x = [1] %}{% for i in range(60) %}{% set _ = x.extend(x) %}{% endfor %}",
        "{% set x = [] %}{% set _ = x.append(x) %}{{ x }}",
        "{{ [1] * 10000000 }}",
        "{{ ([range(100000) | list] * 100) | sum(start=[]) }}",
    ],
)
def test_a_value_that_keeps_doubling_is_refused_while_it_is_small(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    monkeypatch.setattr(limits, "MAX_VALUES", 110_000)
    monkeypatch.setattr(limits, "MAX_STEPS", 110_000)

    assert "more than 110000" in refused(source)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("{{ 9 ** 99999999 }}", "computes an integer of more than 50000 bits"),
        (doubling("ns.x * ns.x", "3"), "computes an integer of more than 50000 bits"),
        ("{{ range(1000000000) }}", "Range too big"),
        ("{{ 'x' | center(1000000000) }}", "1000000000 is too large here; the largest is 10000"),
        ("{{ ('x' | safe).center(1000000000) }}", "1000000000 is too large here"),
        ("{{ 'x'.ljust(1000000000) }}", "1000000000 is too large here"),
        ("{{ '\t'.expandtabs(1000000000) }}", "1000000000 is too large here"),
        ("{{ 'x' | indent(1000000000, true) }}", "1000000000 is too large here"),
        ("{{ [1] | batch(1000000000, 2) | list }}", "1000000000 is too large here"),
        ("{{ [1] | slice(1000000000) | list }}", "1000000000 is too large here"),
        ("{{ 1.5 | round(1000000000) }}", "1000000000 is too large here"),
        ("{{ {'a': 1} | tojson(indent=1000000000) }}", "1000000000 is too large here"),
        ("{{ (1).to_bytes(1000000000) }}", "1000000000 is too large here"),
        ("{{ lipsum(n=100000) }}", "builds more than 100000 words"),
        ("{{ 'ä'.encode('punycode') }}", "the encodings idna and punycode are not available"),
        ("{{ [[]] | batch(9000, [[]]) | list }}", "lists cannot be filled up with lists or mappings"),
    ],
)
def test_a_number_that_says_how_much_is_bounded(source: str, said: str) -> None:
    assert said in refused(source)


def test_a_refused_template_has_taken_little_memory() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for source in ("{{ 'x' * 1000000000 }}", doubling("ns.x ~ ns.x"), doubling("[ns.x, ns.x]", "[1]")):
        refused(source)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert (after - before) / (1024 if sys.platform != "darwin" else 1024 * 1024) < 500


def test_large_but_honest_templates_are_rendered() -> None:
    rows = [{"q": "question", "a": "answer"}] * 10_000
    source = "{% for row in rows %}Q: {{ row.q | upper }} A: {{ row['a'] }}\n{% endfor %}{{ rows | length }}"

    rendered = Templates().compile(source).render({"rows": rows})

    assert rendered.count("Q: QUESTION A: answer\n") == 10_000
    assert len(Templates().compile("{{ d }}{{ d | upper }}").render({"d": "x" * 5_000_000})) == 10_000_000
