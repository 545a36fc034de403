"""What running an answer's program comes to, in each language, with verdicts worked out by hand."""

from __future__ import annotations

import os
import shutil
import stat

import pytest
from steelyard_builtins.scorers import code_execution as plugin
from steelyard_builtins.scorers.code_execution import CodeExecutionSettings

from steelyard.api import ScorerUse, Status
from steelyard.errors import ScorerError, UsageError
from steelyard.testing import (
    ScriptedProvider,
    make_benchmark,
    make_case,
    make_context,
    scorer_checks,
    session_with,
    wanted,
)

(SPEC,) = plugin.steelyard_register_scorers()

ADD = {
    "python": "def solution(a, b):\n    return a + b",
    "javascript": "const solution = (a, b) => a + b;",
    "bash": "solution() { echo $(($1 + $2)); }",
}
TESTS = {
    "python": "assert solution(2, 3) == 5",
    "javascript": "const assert = require('node:assert'); assert.strictEqual(solution(2, 3), 5);",
    "bash": '[ "$(solution 2 3)" = 5 ]',
}
LANGUAGES = [
    pytest.param(
        language,
        marks=pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed"),
    )
    for language, program in [("python", "python3"), ("javascript", "node"), ("bash", "bash")]
]
TESTED = CodeExecutionSettings(language="python", test_code=TESTS["python"])
PRINTS = CodeExecutionSettings(language="python", expected_output="5")


@pytest.mark.parametrize(
    "check",
    scorer_checks(
        SPEC,
        [
            wanted(f"```python\n{ADD['python']}\n```", passed=True, value=1.0, says="the tests passed"),
            wanted(
                "def solution(a, b): return a * b", passed=False, value=0.0, says="tests.py, line 1: AssertionError"
            ),
            wanted("print(2 + 3)", passed=True, settings=PRINTS, says="printed '5'"),
            wanted("print(23)", passed=False, settings=PRINTS, says="printed '23', expected '5'"),
        ],
        settings=TESTED,
        context=make_context(environ={"PATH": "/usr/bin:/bin"}),
    ),
    ids=str,
)
def test_the_scorer_keeps_the_contract(check):
    check()


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_passes_by_its_tests(score, language):
    good = score(f"Here:\n```{language}\n{ADD[language]}\n```", language, test_code=TESTS[language])
    bad = score(ADD[language].replace("+", "-"), language, test_code=TESTS[language])

    assert (good.passed, good.value) == (True, 1.0)
    assert (bad.passed, bad.value) == (False, 0.0)
    assert "exit code 1" in bad.reason


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_passes_by_what_it_prints(score, language):
    prints = {"python": "print('a\\nb')", "javascript": "console.log('a\\nb')", "bash": "echo a; echo b"}[language]

    assert score(prints, language, expected_output="\n a\nb ").passed
    assert score(prints, language).passed
    found = score(prints, language, expected_output="a b")
    assert found.reason == "printed 'a\\nb', expected 'a b'"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_failing_program_fails_whatever_it_printed(score, language):
    fails = {"python": "print(5); raise SystemExit(3)", "javascript": "console.log(5); process.exit(3)"}
    found = score(fails.get(language, "echo 5; exit 3"), language, expected_output="5")

    assert found.reason == "exit code 3"
    assert found.details["exit_code"] == 3


EARLY = {
    "python": ["import sys; sys.exit(0)", "import os; os._exit(0)", "def solution(a, b): raise SystemExit"],
    "javascript": ["process.exit(0)", "const solution = () => process.exit(0)", "const solution = 1; process.exit()"],
    "bash": ["exit 0", "exec true", "solution() { kill -9 $$; }; exit 0"],
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("number", range(3))
def test_code_that_ends_before_its_tests_fails_them(score, language, number):
    found = score(EARLY[language][number], language, test_code=TESTS[language])

    assert found.reason == "exit code 0, but the program ended before all of its tests had run"


ENDING_TESTS = {
    "python": "import unittest as u\nclass T(u.TestCase):\n  def test(self): assert solution(2, 3) == 5\nu.main()",
    "javascript": "process.exit(solution(2, 3) === 5 ? 0 : 1)",
    "bash": 'if [ "$(solution 2 3)" = 5 ]; then exit 0; else exit 1; fi',
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_tests_may_end_the_program_themselves(score, language):
    assert score(ADD[language], language, test_code=ENDING_TESTS[language]).passed
    assert not score(ADD[language].replace("+", "-"), language, test_code=ENDING_TESTS[language]).passed
    assert not score(EARLY[language][0], language, test_code=ENDING_TESTS[language]).passed


def test_what_stands_under_main_does_not_run_before_tests(score):
    answer = f"{ADD['python']}\nif __name__ == '__main__':\n    import sys; sys.exit(solution(1, 1))"

    assert score(answer, test_code=TESTS["python"]).passed
    assert score(answer).reason == "exit code 2"


@pytest.mark.parametrize(
    "answer",
    [
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass P:\n  x: int\n"
        "def solution(a, b): return P(x=a + b).x",
        "def exec(x): return x\ndef open(x): return x\ndef compile(x): return x\ndef solution(a, b): return a + b",
        "import answer\ndef helper(a, b): return a + b\ndef solution(a, b): return answer.helper(a, b)",
        "import sys\nsys.stderr.close()\nsys.stdout.close()\ndef solution(a, b): return a + b",
        "def solution(a, b):\n    return a + b  # naïve ünïcode",
    ],
    ids=["dataclass", "own builtins", "imports itself", "closes its streams", "unicode"],
)
def test_ordinary_code_runs_as_anywhere(score, answer):
    found = score(answer, test_code=TESTS["python"])

    assert found.passed, found.details


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize(
    ("answer", "tests"),
    [
        ("const assert = 1; function solution(a, b) { return a + b }", TESTS["javascript"]),
        ("export function solution(a, b) { return a + b }", "if (solution(2, 3) !== 5) throw new Error('no')"),
        (
            "function solution(a, b) { return a + b }",
            "import assert from 'node:assert'\nassert.equal(solution(2, 3), 5)",
        ),
        ("async function solution() { return 5 }", "await null; if ((await solution()) !== 5) throw new Error('no')"),
    ],
    ids=["const in both", "module", "module in tests", "await"],
)
def test_javascript_may_be_a_module_or_not(score, answer, tests):
    assert score(answer, "javascript", test_code=tests).passed


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_promise_that_is_rejected_later_fails(score):
    answer = "async function solution() { await null; return 6 }"
    tests = "solution().then(found => { require('node:assert').equal(found, 5) })"

    assert "exit code 1" in score(answer, "javascript", test_code=tests).reason


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        ("```java\nint x;\n```", "none of the answer's code blocks is python"),
        ("I am sorry, I cannot do that.", "exit code 1: answer.py, line 1: SyntaxError"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import no_such_module_anywhere", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
    ],
)
def test_what_is_no_good_program_fails_and_says_why(score, answer, reason):
    found = score(answer)

    assert not found.passed
    assert reason in found.reason


def test_the_expected_output_of_the_case_counts_where_the_scorer_has_none(score):
    case = make_case(expected="5")

    assert score("print(5)", case=case).passed
    assert not score("print(6)", case=case).passed
    assert score("print(6)", case=case, expected_output="6").passed
    assert not score("print(6)", expected_output="").passed


def test_two_runs_are_the_same_also_where_order_is_by_chance(score):
    answer = "print({'a', 'b', 'c', 'd', 'e', 'f'})"

    assert score(answer).details == score(answer).details


def test_a_missing_interpreter_is_an_error_of_the_case_and_known_before(score, tmp_path):
    nothing = {"PATH": str(tmp_path)}
    scorer = SPEC.create(CodeExecutionSettings(language="javascript"), make_context(environ=nothing))

    with pytest.raises(ScorerError, match="'node' is not on the PATH, so javascript cannot be run; install it"):
        score("1", "javascript", environ=nothing)
    (problem,) = scorer.check(make_benchmark(), make_case())
    assert problem.severity == "warning"


def test_required_isolation_refuses_to_run_without_a_sandbox(score, tmp_path):
    with pytest.raises(UsageError, match="isolation is required, but bwrap is not installed; install bubblewrap"):
        score("print(1)", isolation="required", environ={"PATH": str(tmp_path)})


def test_a_sandbox_that_is_there_but_does_not_work_is_none(score, tmp_path):
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n", encoding="utf-8")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    lines = []
    environ = {"PATH": f"{tmp_path}:/usr/bin:/bin"}

    with pytest.raises(UsageError, match="bwrap cannot be used: bwrap: No permissions to create new namespace"):
        score("print(1)", isolation="required", environ=environ)
    assert score("echo 1", "bash", environ=environ, warn=lines.append).details["isolation"] == "limits"
    assert "run without a sandbox (bwrap cannot be used" in lines[0]


@pytest.mark.usefixtures("bwrap")
def test_a_sandbox_is_said_and_is_no_warning(score):
    warned, noted = [], []

    score("print(1)", warn=warned.append, note=noted.append)

    assert warned == []
    assert noted[0].startswith("code_execution: the programs that models write run behind bwrap")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="for root alone")
def test_a_program_never_becomes_root_unless_that_is_asked_for(score, tmp_path):
    # An interpreter that only root can reach, as below /root, and no sandbox.
    tmp_path.chmod(0o700)
    (tmp_path / "bash").symlink_to("/bin/bash")
    environ = {"PATH": str(tmp_path)}

    with pytest.raises(UsageError, match="would run as root: bwrap is not installed, and another user cannot run"):
        score("id -u", "bash", environ=environ)
    assert score("/usr/bin/id -u", "bash", environ=environ, isolation="none").details["output"] == "0\n"


@pytest.mark.parametrize("tests", ["assert (", "def f(:", "\0"])
def test_tests_that_cannot_be_read_are_the_benchmark_s_fault(tests):
    with pytest.raises(UsageError, match="code_execution: 'test_code' is no Python"):
        SPEC.create(CodeExecutionSettings(language="python", test_code=tests), make_context())


def test_tests_that_never_fail_are_worth_a_warning():
    settings = CodeExecutionSettings(language="javascript", test_code="console.assert(false)")
    scorer = SPEC.create(settings, make_context(environ={"PATH": "/usr/bin:/bin"}))

    assert any("never fails" in str(problem) for problem in scorer.check(make_benchmark(), make_case()))


@pytest.mark.parametrize(
    ("expected", "hint"), [(5, "quote it"), (True, "quote it"), ([5], "give the scorer an expected_output")]
)
def test_an_expected_output_that_is_no_text_is_refused(expected, hint):
    scorer = SPEC.create(CodeExecutionSettings(language="python"), make_context())

    (problem,) = scorer.check(make_benchmark(), make_case(expected=expected))

    assert (problem.path, problem.hint) == ("expected_output", hint)


def test_a_run_says_once_what_isolation_is_in_force_and_checking_runs_nothing(tmp_path):
    lines = []
    ran = tmp_path / "ran"
    uses = [
        ScorerUse(
            type="code_execution",
            options={
                "language": "python",
                "isolation": "none",
                "test_code": f"open({str(ran)!r}, 'a').write({text!r})",
            },
        )
        for text in ("a", "b", "c")
    ]
    cases = [make_case(f"c{n}", variables={"question": "x"}, scorers=[use]) for n, use in enumerate(uses)]
    session = session_with(
        ScriptedProvider("x = 1"), plugin, cwd=tmp_path, settings={"cache": False}, warn=lines.append
    )

    assert session.check(make_benchmark(cases)).ok
    assert not ran.exists()
    (combo,) = session.run(make_benchmark(cases)).results

    assert [case.status for case in combo.cases] == [Status.SCORED] * 3
    (said,) = (line for line in lines if "code_execution" in line)
    assert said.startswith("code_execution: the programs that models write run without a sandbox (it is switched off)")
