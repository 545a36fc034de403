"""Which part of an answer is its program."""

from __future__ import annotations

import pytest
from steelyard_builtins.scorers._code_fences import program_in

PYTHON = "```python\nx = 1\n```"


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        ("x = 1", "x = 1"),
        ("", ""),
        (PYTHON, "x = 1\n"),
        (f"Sure!\n\n{PYTHON}\n\nThat is all.", "x = 1\n"),
        ("```py\nx = 1\n```", "x = 1\n"),
        ("```Python3 title=a.py\nx = 1\n```", "x = 1\n"),
        ("```{.python .numberLines}\nx = 1\n```", "x = 1\n"),
        ("~~~python\nx = 1\n~~~", "x = 1\n"),
        ("```python\r\nx = 1\r\ny = 2\r\n```\r\n", "x = 1\ny = 2\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("```python\nx = 1\n", "x = 1\n\n"),  # the answer was cut off
        ("````python\ns = '''\n```\n'''\n````", "s = '''\n```\n'''\n"),
        ("1. First:\n\n   ```python\n   if x:\n       y = 1\n   ```", "if x:\n    y = 1\n"),
        ("```python\ns = 'a\u2028b\x0cc'\n```", "s = 'a\u2028b\x0cc'\n"),
        ("Use ```x = 1``` here.\n" + PYTHON, "x = 1\n"),
    ],
)
def test_the_program_is_what_the_fences_hold(answer, program):
    assert program_in(answer, "python") == program


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        (f"```bash\npip install x\n```\n{PYTHON}", "x = 1\n"),
        (f"{PYTHON}\n```\n1\n```", "x = 1\n"),  # a block without a name shows what is printed
        (f"{PYTHON}\n```python\n>>> x\n1\n```", "x = 1\n"),
        (f"```python\n\n```\n{PYTHON}", "x = 1\n"),
        ("```text\nno code\n```", None),
        ("```java\nint x = 1;\n```", None),
        ("```python\n\n```", None),
    ],
)
def test_blocks_that_are_something_else_are_left_out(answer, program):
    assert program_in(answer, "python") == program


@pytest.mark.parametrize(
    ("which", "program"), [("all", "x = 1\n\nprint(x)\n"), ("first", "x = 1\n"), ("last", "print(x)\n")]
)
def test_several_blocks_make_one_program_unless_one_is_chosen(which, program):
    assert program_in(f"{PYTHON}\nUse it like this:\n```python\nprint(x)\n```", "python", which) == program


@pytest.mark.parametrize(
    ("language", "name"), [("javascript", "js"), ("javascript", "JavaScript"), ("bash", "sh"), ("bash", "shell")]
)
def test_other_languages_have_their_names_too(language, name):
    assert program_in(f"```{name}\necho 1\n```\n```other\n```", language) == "echo 1\n"
