"""Templates: text byte for byte, values as data, and nothing undefined without a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from steelyard._config.templates import Templates
from steelyard.errors import TemplateError

Render = Callable[..., str]


@pytest.fixture
def render() -> Render:
    templates = Templates()
    return lambda source, **variables: templates.compile(source).render(variables)


@pytest.fixture
def failure(render: Render) -> Render:
    def failing(source: str, **variables: Any) -> str:
        with pytest.raises(TemplateError) as raised:
            render(source, **variables)
        return str(raised.value)

    return failing


def test_values_are_never_rendered_themselves(render: Render) -> None:
    page = "Hello {{ user.name }} {# note #} {% writes %} ^{{Omega}rel } 100%} {{ 7*7 }}"

    assert render("Summarise: {{ page }}", page=page) == "Summarise: " + page


def test_nothing_is_escaped(render: Render) -> None:
    text = """What's Zara's plan if a < b && c > "d"?"""

    assert render("Question: {{ q }} | {{ items | join(', ') }}", q=text, items=["R&D", "Q<A"]) == (
        f"Question: {text} | R&D, Q<A"
    )
    assert render("{{ x | tojson }}", x={"b": "<é & 'x'>", "a": [1, None]}) == '{"a": [1, null], "b": "<é & \'x\'>"}'


def test_the_last_line_end_and_those_of_values_are_kept(render: Render) -> None:
    assert render("Q: {{ q }}\n\nAnswer:\n", q="x\r\ny") == "Q: x\r\ny\n\nAnswer:\n"


def test_every_kind_of_line_end_of_a_template_is_kept(render: Render) -> None:
    source = "a\r\nb\rc\nd {{ 'e\r\nf' }}\r\n{%- if\r\n true -%}\r\n g{% endif %}\x1c\r\n"

    assert render(source) == "a\r\nb\rc\nd e\r\nfg\x1c\r\n"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("{{ name | upper }}", "ADA"),
        ("{{ lang | default('en') }}", "en"),
        ("{% if lang is defined %}{{ lang }}{% else %}none{% endif %}", "none"),
        (
            "{% for x in xs %}{{ loop.index }}/{{ loop.length }}:{{ x }}{{ ',' if not loop.last }}{% endfor %}",
            "1/2:a,2/2:b",
        ),
        ("{% for x in [] %}{% else %}empty{% endfor %}", "empty"),
        ("{% for x in range(5) if x is even %}{{ x }}{% endfor %}", "024"),
        ("{% for n in tree recursive %}{{ n.v }}{% if n.c %}({{ loop(n.c) }}){% endif %}{% endfor %}", "1(2(3))"),
        ("{% macro m(a, b=2) %}[{{ a }}{{ b }}{{ caller() }}]{% endmacro %}{% call m(1) %}x{% endcall %}", "[12x]"),
        ("{% set s %}a{{ name }}{% endset %}{{ s ~ 1 ~ none }}", "aAda1None"),
        ("{% filter upper %}x{{ name }}{% endfilter %}", "XADA"),
        ("{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
        ("{{ xs[1:] }} {{ xs[-1] }} {{ order['items'] }} {{ order.id }}", "['b'] b [1] 7"),
        (
            "{{ '%05.1f|%s' % (3.14159, 'a') }} {{ '{:>4}|{}'.format(1, 2) }} {{ '%s-%s'|format('q', 1) }}",
            "003.1|a    1|2 q-1",
        ),
        ("{{ rows|sum(attribute='n') }} {{ rows|sum(attribute='t', start=[]) }}", "3 ['x', 'y']"),
        ("{{ rows|map(attribute='n')|list }} {{ xs|batch(3, '-')|list }} {{ xs|join }}", "[1, 2] [['a', 'b', '-']] ab"),
        ("{{ 'a b'|replace('a', 'bb') }} {{ 'a b'.replace('a', 'bb') }} {{ ', '.join(xs) }}", "bb b bb b a, b"),
        ("{{ 'x'|center(3) }}|{{ 'a\nb'|indent(2) }}|{{ 2 ** 10 }}|{{ 'ab' * 2 }}", " x |a\n  b|1024|abab"),
        ("{% set ns = namespace(n=0) %}{% for r in rows %}{% set ns.n = ns.n + r.n %}{% endfor %}{{ ns.n }}", "3"),
        ("{% set all = [] %}{% for x in xs %}{% set _ = all.append(x ~ '!') %}{% endfor %}{{ all }}", "['a!', 'b!']"),
        ("{{ 1.0 }} {{ true }} {{ none }} {{ 12345678901234567890 }}", "1.0 True None 12345678901234567890"),
    ],
)
def test_what_jinja_can_do_is_done(render: Render, source: str, wanted: str) -> None:
    given = {
        "name": "Ada",
        "xs": ["a", "b"],
        "order": {"id": 7, "items": [1]},
        "tree": [{"v": 1, "c": [{"v": 2, "c": [{"v": 3, "c": []}]}]}],
        "rows": [{"n": 1, "t": ["x"]}, {"n": 2, "t": ["y"]}],
    }

    assert render(source, **given) == wanted


def test_an_unknown_variable_is_named_with_what_was_meant_also_in_a_condition(failure: Render) -> None:
    assert failure("{{ coment }}", comment="x") == "unknown variable 'coment'; did you mean 'comment'?"
    assert failure("{% if lang == 'fr' %}x{% endif %}", comment="x") == "unknown variable 'lang'"
    assert failure("{% if lang %}x{% endif %}") == "unknown variable 'lang'"
    assert failure("{% for x in lang %}x{% endfor %}") == "unknown variable 'lang'"
    assert failure("Classify: {{ coment }} {% if lang == 'fr' %}en francais{% endif %}", comment="late") == (
        "unknown variables 'coment' (did you mean 'comment'?), 'lang'"
    )


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("a\nb {{ 1 / 0 }}", "line 2: ZeroDivisionError: division by zero"),
        ("{{ user.nme }}", "line 1: no key 'nme' in a mapping; did you mean 'name'?"),
        ("{{ xs[5] }}", "line 1: no item 5 in a list of 1"),
        ("{{ user.name.first }}", "line 1: no attribute 'first' in 'Ada'"),
        ("{% if x is defined %}{% endif %}\n{{ x }}", "line 2: unknown variable 'x'"),
        (
            "{{ user.items }}",
            "line 1: 'items' is a function; call it with (), or write ['items'] for a key of that name",
        ),
        ("{{ xs | map('upper') }}", "line 1: a filter such as map or select gives no list yet; add | list or | join"),
        ("{{ {'a': gone} | tojson }}", "unknown variable 'gone'"),
        ("{{ xs | sum }}", "line 1: TypeError: unsupported operand type(s) for +: 'int' and 'str'"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "line 1: calls itself too often"),
        ("{{ 10 ** 5000 }}", "line 1: ValueError: Exceeds the limit (4300 digits) for integer string conversion;"),
    ],
)
def test_what_fails_in_rendering_is_told_with_its_line(failure: Render, source: str, said: str) -> None:
    assert failure(source, user={"name": "Ada"}, xs=["a"]).startswith(said)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("a\n{{ x", "line 2: unexpected end of template, expected 'end of print statement'"),
        ("{{ x }\n}", "line 1: unexpected '}'"),
        ("a\n\n{% if x %}", "line 3: Unexpected end of template."),
        ("{{ x | uper }}", "line 1: unknown filter 'uper'; did you mean 'upper'?"),
        ("{{ x is evn }}", "line 1: unknown test 'evn'; did you mean 'even'?"),
        ("\n{% include 'x' %}", "line 2: '{% include %}' is not supported: a template stands alone"),
        ("{% from 'x' import y %}", "line 1: '{% from %}' is not supported: a template stands alone"),
        ("{% extends 'x' %}", "line 1: '{% extends %}' is not supported: a template stands alone"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "cannot be compiled, nested too deeply: RecursionError"),
        ("{% for x in [1] %}" * 40 + "{% endfor %}" * 40, "cannot be compiled, nested too deeply: SyntaxError"),
    ],
)
def test_what_cannot_be_compiled_is_told_with_its_line(source: str, said: str) -> None:
    with pytest.raises(TemplateError) as raised:
        Templates().compile(source)

    assert str(raised.value).startswith(said)


def test_variables_are_what_a_template_reads_and_needed_what_it_cannot_do_without() -> None:
    source = "{% set a = 1 %}{{ a }}{{ b.c }}{{ d | default('') }}{{ e is defined }}{{ range(3) }}"
    template = Templates().compile(source + "{% for f in g %}{{ f }}{% endfor %}")

    assert template.variables == {"b", "d", "e", "g"}
    assert template.needed == {"b", "g"}


def test_half_a_surrogate_pair_becomes_a_question_mark(render: Render) -> None:
    assert render("{{ a }}\udc00", a="x\ud800y😀") == "x?y😀?"


def test_a_template_cannot_change_the_data_of_the_next_one() -> None:
    template = Templates().compile("{% set _ = xs.append(9) %}{% set _ = xs[0].update(a=2) %}{{ xs }}")
    given = {"xs": [{"a": 1}]}

    assert [template.render(given), template.render(given)] == ["[{'a': 2}, 9]"] * 2
    assert given == {"xs": [{"a": 1}]}


def test_a_hidden_change_of_the_data_is_refused(failure: Render) -> None:
    assert failure("{{ xs[how](1) }}", xs=[], how="append") == "line 1: attribute 'append' of 'list' is not allowed"


def test_one_unsafe_attribute_is_empty_and_two_are_an_error(render: Render, failure: Render) -> None:
    assert render("[{{ x.__class__ }}{{ x['__class__'] }}{{ x | attr('__class__') }}]", x="a") == "[]"
    for source in ("{{ x.__class__() }}", "{{ x.__class__.__mro__ }}", "{{ x['__class__']['__mro__'] }}"):
        assert failure(source, x="a") == "line 1: attribute '__class__' of 'str' is not allowed"


@pytest.mark.parametrize(
    "source",
    [
        "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
        "{{ (x | attr('__class__')).mro() }}",
        "{{ '{0.__class__.__mro__}'.format(x) }}",
        "{{ '{x.__class__.__mro__}'.format_map({'x': x}) }}",
        "{{ [x] | map(attribute='__class__.__mro__') | list }}",
        "{{ self.__init__.__globals__ }}",
        "{{ lipsum.__globals__['os'] }}",
        "{% set f = ''.format %}{{ f.__globals__.x }}",
        "{{ range.__globals__.x }}",
        "{{ x.__class__.__class__ }}",
    ],
)
def test_there_is_no_way_out_of_the_sandbox(failure: Render, source: str) -> None:
    assert "is not allowed" in failure(source, x="a")


def test_one_template_renders_in_several_threads_at_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    template = Templates().compile("{% for i in range(50) %}{{ n }}{% endfor %}")
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: template.render({"n": n}), range(200)))

    assert found == [str(n) * 50 for n in range(200)]
