"""Whatever the bytes are: values with places, or an error that is meant for the user."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from steelyard._config.document import document_of
from steelyard._config.dotenv import variables_of
from steelyard._config.templates import Templates
from steelyard._config.tools import Tools
from steelyard._config.yaml_parsers import c_parser, fastest_parser, pure_parser
from steelyard._config.yaml_source import YamlReader
from steelyard.api import Node
from steelyard.errors import BenchmarkError, Problem, TemplateError

PLACE = re.compile(r"f\.(?:yaml|json):\d+(?::\d+)?")

fragments = st.sampled_from(
    [
        *("a: ", "- ", "? ", "b", "\n", "  ", "[", "]", "{", "}", ", ", ": ", "&x ", "*x", "<<: ", "!!int ", "!foo "),
        *("'", '"', "|\n", ">-\n", "---\n", "...\n", "#", "%YAML 1.1\n", "12", "yes", "~", "\t", "\r\n", "\\ud800"),
        *("é", "\0"),
    ]
)
yaml_texts = st.lists(fragments, max_size=30).map("".join)
values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def visit(node: Node) -> None:
    assert PLACE.fullmatch(node.place)
    for entry in node.entries():
        visit(entry)


@pytest.mark.parametrize("name", ["f.yaml", "f.json"])
@patient
@given(
    data=st.binary(max_size=200)
    | yaml_texts.map(lambda text: text.encode())
    | values.map(lambda v: json.dumps(v).encode())
)
def test_any_bytes_are_a_tree_or_a_problem_with_a_place(name: str, data: bytes) -> None:
    problems: list[Problem] = []
    try:
        visit(document_of(data, name, pytest.fail))
    except BenchmarkError as error:
        problems.extend(error.problems)
    assert all(PLACE.fullmatch(problem.place) for problem in problems)


@patient
@given(value=values)
def test_json_is_read_as_the_standard_library_reads_it(value: Any) -> None:
    assert document_of(json.dumps(value, indent=1).encode(), "f.json", pytest.fail).value == value


@patient
@given(value=values)
def test_what_pyyaml_writes_is_read_back(value: Any) -> None:
    text = yaml.safe_dump(value)

    assert YamlReader(text, "f.yaml", fastest_parser).read()[0] == value


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="no libyaml")
@patient
@given(text=yaml_texts)
@example(text="a: &x [*x]")
def test_both_parsers_read_the_same_values_at_the_same_places(text: str) -> None:
    found = []
    for parser in (c_parser, pure_parser):
        try:
            value, spots = YamlReader(text, "f.yaml", parser).read()
        except BenchmarkError as error:
            problems = [str(problem) for problem in error.problems]
            # The two word their complaints about syntax, and their limits, in their own way.
            found.append(["syntax"] if "not valid YAML" in problems[-1] else problems)
        else:
            # Where nothing stands is a matter of taste.
            found.append([repr(value), str(spots.top()) if value else ""])

    assert found[0] == found[1] or ["syntax"] in found


@patient
@given(text=yaml_texts)
def test_a_text_without_traps_means_what_pyyaml_makes_of_it(text: str) -> None:
    try:
        value, _ = YamlReader(text, "f.yaml", pure_parser).read()
    except BenchmarkError:
        return

    assert value == yaml.load(text, yaml.SafeLoader) or "\\ud800" in text


@pytest.mark.parametrize("name", ["f.jsonl", "f.csv", "f.tsv", "f.json", "f.yaml"])
@patient
@given(data=st.binary(max_size=100) | st.text('a",\n\r\t {}[]:1é\ufeff').map(str.encode))
def test_any_bytes_are_rows_or_a_problem_with_a_place(tmp_path_factory: Any, name: str, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(data)
    problems: list[Problem] = []
    try:
        rows = list(Tools({}).rows(name, base_dir=path.parent))
    except BenchmarkError as error:
        problems.extend(error.problems)
        rows = []
    assert rows or problems
    assert all(problem.place.startswith(str(path)) for problem in problems)
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))


@patient
@given(cells=st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=5))
def test_what_the_standard_library_writes_as_csv_is_read_back(tmp_path_factory: Any, cells: Any) -> None:
    text = io.StringIO(newline="")
    csv.writer(text).writerows([("a", "b"), *cells])
    assume("\0" not in text.getvalue())
    path = tmp_path_factory.getbasetemp() / "round.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")

    assert [(row.data["a"], row.data["b"]) for row in Tools({}).rows(path.name, base_dir=path.parent)] == cells


template_texts = st.lists(
    st.sampled_from(
        [
            *(
                "{{ ",
                " }}",
                "{% ",
                " %}",
                "{# ",
                " #}",
                "x",
                "y",
                "|",
                "join",
                "upper",
                "~",
                "+",
                "*",
                "**",
                "%",
                "(",
                ")",
            ),
            *(
                "[",
                "]",
                ".",
                ",",
                "'a'",
                "9",
                "for i in ",
                "endfor",
                "if ",
                "endif",
                "set x = ",
                "\r\n",
                "\n",
                "-",
                "is ",
            ),
        ]
    ),
    max_size=20,
).map("".join)


@patient
@given(text=template_texts | st.text(max_size=20))
def test_any_text_is_rendered_or_an_error_of_the_template(text: str) -> None:
    try:
        rendered = Templates().compile(text).render({"x": [1, "a"], "y": {"k": 2}})
    except TemplateError as error:
        rendered = str(error)
    assert rendered or not text or "{" in text
    if "{" not in text:
        assert rendered == text


@patient
@given(text=st.text("AB=\"'# \n\r\\exportn\0", max_size=40))
def test_any_text_is_variables_or_warnings_about_its_lines(text: str) -> None:
    warned: list[str] = []

    found = variables_of(text, ".env", warned.append)

    assert all(re.match(r"\.env:\d+: ", line) for line in warned)
    assert found or warned or "=" not in re.sub("#.*", "", text)
