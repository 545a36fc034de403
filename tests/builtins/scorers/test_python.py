from __future__ import annotations

import sys
import threading

import pytest
from steelyard_builtins.scorers import python as plugin
from steelyard_builtins.scorers.python import PythonSettings

from steelyard.errors import ScorerError, UsageError
from steelyard.testing import make_case, make_context, make_output

(SPEC,) = plugin.steelyard_register_scorers()


@pytest.fixture
def scorer(tmp_path):
    def make(function, source=None, name="checks.py", **args):
        if source is not None:
            (tmp_path / name).write_text(source, encoding="utf-8")
        return SPEC.create(PythonSettings(function=function, args=args), make_context(tmp_path))

    return make


def score(scorer, text="an answer"):
    return scorer.score(make_case(), make_output(text), None)


def test_finding_the_function_runs_nothing_of_the_file(scorer, tmp_path):
    made = scorer(
        "checks.py:good", f"open({str(tmp_path / 'ran')!r}, 'w').close()\ndef good(output, context): return True\n"
    )

    assert not (tmp_path / "ran").exists()
    assert score(made).passed
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("function", "source", "message"),
    [
        ("checks.py", "", "must be FILE.py:NAME or MODULE:NAME, got 'checks.py'"),
        ("checks.py:", "", "must be FILE.py:NAME or MODULE:NAME"),
        (":name", "", "must be FILE.py:NAME or MODULE:NAME"),
        ("checks.py:no such", "", "must be FILE.py:NAME or MODULE:NAME"),
        ("a b:name", "", "is neither a file ending in .py nor a module"),
        ("missing.py:name", None, "cannot be read: No such file or directory"),
        ("checks.py:good", "def bad(): pass", "has no function 'good'"),
        ("checks.py:good", "def good(:", "is no Python file: line 1: invalid syntax"),
        ("checks.py:good", "\x00", "is no Python file:"),
    ],
)
def test_what_cannot_be_a_function_is_refused_before_any_call(scorer, function, source, message):
    with pytest.raises(UsageError) as caught:
        scorer(function, source)

    assert message in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "async def good(output, context): return True",
        "good = lambda output, context: True",
        "from operator import truth\ndef _g(o, c): return True\ngood: object = _g",
        "if True:\n    def good(output, context): return True",
        "class good:\n    def __new__(cls, output, context): return True",
        "try:\n    from helper import *\nexcept ImportError:\n    globals()['good'] = lambda o, c: True",
    ],
)
def test_a_function_may_be_bound_in_any_way(scorer, source):
    assert score(scorer("checks.py:good", source)).passed


def test_modules_beside_the_benchmark_can_be_imported(scorer, tmp_path):
    (tmp_path / "my_words_beside_it.py").write_text("WORDS = ['good']\n", encoding="utf-8")
    made = scorer("checks.py:good", "from my_words_beside_it import WORDS\ndef good(o, c): return o in WORDS\n")

    try:
        assert score(made, "good").passed
        assert str(tmp_path) not in sys.path
    finally:
        sys.modules.pop("my_words_beside_it", None)


def test_a_module_beside_the_benchmark_can_be_named(scorer, tmp_path):
    made = scorer("my_judges_beside_it:good", "def good(o, c): return True\n", name="my_judges_beside_it.py")

    try:
        assert score(made).passed
    finally:
        sys.modules.pop("my_judges_beside_it", None)


def test_an_installed_module_can_be_named(scorer):
    assert score(scorer("operator:ne")).passed  # the output is not equal to the dictionary about the case
    scorer("os.path:join")  # a module that is part of no package


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("no_such_module_here:good", "there is no module 'no_such_module_here', neither installed nor beside"),
        ("no_such_module_here.inner:good", "there is no module 'no_such_module_here.inner'"),
        ("json.no_such_part:good", "there is no module 'json.no_such_part'"),
        ("operator.part:good", "there is no module 'operator.part'"),
        ("operator:no_such_function", "'operator' has no function 'no_such_function'"),
        ("operator:__doc__", "'operator' has no function '__doc__'"),
        ("my_package_beside_it.checks:bad", "'my_package_beside_it.checks' has no function 'bad'"),
    ],
)
def test_a_module_that_is_not_there_is_refused_before_any_call_and_nothing_is_imported(
    scorer, tmp_path, function, message
):
    package = tmp_path / "my_package_beside_it"
    package.mkdir()
    (package / "__init__.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()")
    (package / "checks.py").write_text("def good(o, c): return True")

    with pytest.raises(UsageError) as caught:
        scorer(function)

    assert message in str(caught.value)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "source",
    [
        "def good(o, c): return True",
        "globals()['good'] = lambda o, c: True",
        "def __getattr__(name): return lambda o, c: True",
        "from my_other_package_beside_it import *",
    ],
)
def test_a_function_of_a_package_beside_the_benchmark_may_be_bound_in_any_way(scorer, tmp_path, source):
    package = tmp_path / "my_other_package_beside_it"
    package.mkdir()
    (package / "__init__.py").write_text("def good(o, c): return True")
    (package / "checks.py").write_text(source)
    made = scorer("my_other_package_beside_it.checks:good")

    try:
        assert score(made).passed
    finally:
        for name in [name for name in sys.modules if name.startswith("my_other_package_beside_it")]:
            del sys.modules[name]


def test_a_module_that_is_gone_when_it_is_called_is_an_error_of_the_case(scorer, tmp_path):
    made = scorer("my_judges_that_go:good", "def good(o, c): return True", name="my_judges_that_go.py")
    (tmp_path / "my_judges_that_go.py").unlink()

    with pytest.raises(ScorerError, match=r"'my_judges_that_go:good' cannot be loaded: ModuleNotFoundError"):
        score(made)


def test_a_file_that_fails_when_it_is_loaded_is_an_error_of_the_case(scorer):
    with pytest.raises(ScorerError, match="cannot be loaded: ZeroDivisionError"):
        score(scorer("checks.py:good", "1 / 0\ndef good(o, c): return True"))
    with pytest.raises(ScorerError, match="cannot be loaded: SystemExit"):
        score(scorer("checks.py:good", "import sys; sys.exit(0)\ndef good(o, c): return True"))


def test_a_file_is_loaded_once_for_many_threads_and_functions(scorer, tmp_path):
    source = f"""
with open({str(tmp_path / "loads")!r}, "a") as file:
    file.write("x")
def good(o, c): return True
def bad(o, c): return False
"""
    good, bad = scorer("checks.py:good", source), scorer("checks.py:bad")
    threads = [threading.Thread(target=score, args=(made,)) for made in (good, bad) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (tmp_path / "loads").read_text() == "x"


def test_an_edited_file_is_a_new_one(scorer):
    assert score(scorer("checks.py:good", "def good(o, c): return True")).passed
    assert not score(scorer("checks.py:good", "def good(o, c): return False")).passed


def test_the_message_names_the_function_of_the_user(scorer):
    with pytest.raises(ScorerError) as caught:
        score(scorer("checks.py:good", "def good(output): return True"))

    assert str(caught.value).startswith("'checks.py:good' raised TypeError: good() takes 1 positional argument")


def test_a_reason_of_several_lines_becomes_one(scorer):
    made = scorer("checks.py:good", "def good(o, c): return False, 'one\\n\\ntwo'")

    assert score(made).reason == "one two"


def test_variables_and_keys_of_the_input_stand_at_the_top_of_what_a_function_gets(scorer):
    source = "def f(output, context): return [context[k] for k in ('city', 'q', 'id', 'output')] == WANTED\nWANTED = "
    case = make_case(id="c1", input={"q": "input", "city": "Lima"}, variables={"city": "Rome", "id": "mine"})

    made = scorer("checks.py:f", source + repr(["Rome", "input", "c1", "an answer"]))

    assert made.score(case, make_output("an answer"), None).passed


class Truth:
    """What numpy's true and false are: no bool, equal to one."""

    def __init__(self, is_true):
        self.is_true = is_true

    def __eq__(self, other):
        return self.is_true == other

    def __bool__(self):
        return bool(self.is_true)

    __hash__ = None


@pytest.mark.parametrize(
    ("returned", "passed", "value"),
    [
        ({"pass": 1}, True, 1.0),
        ({"pass": Truth(1), "score": 0.25}, True, 0.25),
        ({"pass": Truth(0)}, False, 0.0),
        # The verdict stands beside it, so a score beyond the range is brought into it, as in evalkit.
        ({"pass": True, "score": 40 / 12}, True, 1.0),
        ({"pass": False, "score": -2}, False, 0.0),
        (0.1 * 3 + 0.7000000000000002, True, 1.0),
    ],
)
def test_what_bool_and_sums_make_of_it_is_understood(scorer, monkeypatch, returned, passed, value):
    monkeypatch.setattr(sys, "returned_by_a_function", returned, raising=False)
    given = score(scorer("checks.py:good", "import sys\ndef good(o, c): return sys.returned_by_a_function\n"))

    assert (given.passed, given.value) == (passed, value)


@pytest.mark.parametrize("returned", [3, -0.5, {"score": 40 / 12}, {"pass": "false"}, {"pass": 0.3}, {"pass": [1]}])
def test_what_would_be_a_guess_is_an_error_of_the_case(scorer, returned):
    with pytest.raises(ScorerError, match=r"not (a number from 0 to 1|true or false)"):
        score(scorer("checks.py:good", f"def good(o, c): return {returned!r}\n"))
