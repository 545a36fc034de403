"""Reading texts as files, with what went wrong as the lines that a user reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from steelyard._config.document import document_of
from steelyard._config.yaml_parsers import c_parser, pure_parser
from steelyard._config.yaml_source import YamlReader
from steelyard.api import Node
from steelyard.errors import BenchmarkError, Problem

PARSERS = [
    pytest.param(c_parser, id="libyaml", marks=pytest.mark.skipif(not yaml.__with_libyaml__, reason="no libyaml")),
    pytest.param(pure_parser, id="pure"),
]


@pytest.fixture(params=PARSERS)
def parser(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture
def value_of(parser: Any) -> Callable[[str], Any]:
    """Reads a YAML text with either parser."""
    return lambda text: YamlReader(text, "f.yaml", parser).read()[0]


@pytest.fixture
def faults_of(parser: Any) -> Callable[[str], list[str]]:
    """Reads a YAML text that is wrong, with either parser, and returns its problems."""

    def read(text: str) -> list[str]:
        with pytest.raises(BenchmarkError) as raised:
            YamlReader(text, "f.yaml", parser).read()
        return [str(problem) for problem in raised.value.problems]

    return read


@pytest.fixture
def problems() -> list[Problem]:
    """What was reported."""
    return []


@pytest.fixture
def document(problems: list[Problem]) -> Callable[..., Node]:
    """Reads a text or bytes as the file ``f.yaml``."""

    def read(content: str | bytes, name: str = "f.yaml") -> Node:
        return document_of(content.encode() if isinstance(content, str) else content, name, problems.append)

    return read


@pytest.fixture
def failing(document: Callable[..., Node]) -> Callable[..., list[str]]:
    """Reads a file that is wrong, and returns its problems."""

    def read(content: str | bytes, name: str = "f.yaml") -> list[str]:
        with pytest.raises(BenchmarkError) as raised:
            document(content, name)
        return [str(problem) for problem in raised.value.problems]

    return read
