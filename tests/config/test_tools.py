"""What the host lends to formats keeps the contract, and what needs no templates does not import Jinja."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from steelyard._config.tools import Tools
from steelyard.api import FormatTools
from steelyard.errors import BenchmarkError, TemplateError


def test_the_tools_do_what_formats_are_promised(tmp_path: Path) -> None:
    (tmp_path / "f.yaml").write_text("- {a: 1}\n", encoding="utf-8")
    tools: FormatTools = Tools({"HOME": "/home/ada"})

    template = tools.template("{{ a }}-{{ b | default('') }}")

    assert template.render({"a": 1}) == "1-"
    assert template.variables == {"a", "b"}
    assert template.needed == {"a"}
    assert [row.data for row in tools.rows("f.yaml", base_dir=tmp_path)] == [{"a": 1}]
    assert tools.document(tmp_path / "f.yaml", pytest.fail).value == [{"a": 1}]
    assert tools.environ["HOME"] == "/home/ada"


def test_what_goes_wrong_in_the_tools_is_a_usage_error(tmp_path: Path) -> None:
    tools = Tools({})

    with pytest.raises(TemplateError):
        tools.template("{{")
    with pytest.raises(BenchmarkError):
        tools.rows("none.csv", base_dir=tmp_path)
    with pytest.raises(BenchmarkError):
        tools.document(tmp_path / "none.yaml", pytest.fail)


@pytest.mark.parametrize("module", ["document", "options", "option_schema", "datasets", "settings"])
def test_only_templates_import_jinja(module: str) -> None:
    code = f"import steelyard._config.{module}, sys; sys.exit('jinja2' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
