"""A program as the thing under test: what it is told, what it may do wrong, and that nothing of it stays behind."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from steelyard_builtins.providers import _process
from steelyard_builtins.providers.command import CommandSettings, create, steelyard_register_providers

from steelyard.api import Completion, Message, Request, Usage
from steelyard.errors import ProviderError, UsageError

Ask = Callable[..., Completion]
Failing = Callable[..., ProviderError]

ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read())"
ARGUMENTS = "import sys, json; print(json.dumps(sys.argv[1:]))"
posix_only = pytest.mark.skipif(os.name != "posix", reason="process groups of POSIX")


@pytest.fixture
def python(context: Any) -> Callable[..., Any]:
    """Make a provider that runs a line of Python with arguments."""

    def make(code: str, *arguments: str, **settings: Any) -> Any:
        command = [sys.executable, "-c", code, *arguments]
        return create(CommandSettings(command=command, **settings), context(dict(os.environ)))

    return make


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # Dead, but not yet collected by its parent.
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def is_gone(pid: int) -> bool:
    deadline = time.monotonic() + 5
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not is_alive(pid)


def test_the_prompt_goes_in_and_what_is_printed_comes_out(python: Any, ask: Ask) -> None:
    completion = ask(python(ECHO), "Größe: 5 €\nsecond line")

    assert completion == Completion(text="Größe: 5 €\nsecond line", model="acme/writer-2")
    assert (completion.usage, completion.cost_usd) == (Usage(), None)


def test_line_ends_at_the_end_are_left_out_and_other_blanks_stay(python: Any, ask: Ask) -> None:
    assert ask(python("print('  a \\n b  \\n\\n')")).text == "  a \n b  "


@pytest.mark.parametrize("code", ["pass", "print()", "print('\\n\\n')"])
def test_nothing_printed_is_an_empty_answer_and_no_failure(code: str, python: Any, ask: Ask) -> None:
    completion = ask(python(code))

    assert (completion.text, completion.problem) == ("", None)


def test_placeholders_in_arguments_are_filled_in_and_then_nothing_is_read(python: Any, ask: Ask) -> None:
    code = "import sys, json; print(json.dumps([sys.argv[1:], sys.stdin.read()]))"
    provider = python(code, "x{{prompt}}y", "{{ vars.q }}", "{{vars.o}}", "{{system}}", "{{q}}", "{{vars.l.1}}")
    completion = ask(provider, "a 'b' $HOME; {{q}}", system="S", variables={"q": 5, "o": {"k": "é"}, "l": [1, "two"]})

    assert json.loads(completion.text) == [["xa 'b' $HOME; {{q}}y", "5", '{"k": "é"}', "S", "5", "two"], ""]


def test_a_placeholder_for_something_else_leaves_the_prompt_on_standard_input(python: Any, ask: Ask) -> None:
    code = "import sys; print(sys.argv[1], sys.stdin.read())"

    assert ask(python(code, "{{vars.q}}"), "hello", variables={"q": 5}).text == "5 hello"


def test_a_placeholder_that_nothing_fills_is_named(python: Any, failing: Failing) -> None:
    assert "nothing is called 'vars.nope'" in failing(python(ARGUMENTS, "{{vars.nope}}")).message


def test_what_is_no_placeholder_stays(python: Any, ask: Ask) -> None:
    arguments = ["{{ q | upper }}", "{prompt}", "{{}}", "{{a b}}"]

    assert json.loads(ask(python(ARGUMENTS, *arguments)).text) == arguments


def test_the_whole_conversation_can_be_read_as_json(python: Any, ask: Ask) -> None:
    messages = (
        Message(role="user", content="one"),
        Message(role="assistant", content="two"),
        Message(role="user", content="three"),
    )
    request = Request(model="m", messages=messages, variables={"q": 5}, repeat=2)

    assert json.loads(ask(python(ECHO, stdin="json"), request).text) == {
        "messages": [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "two"},
            {"role": "user", "content": "three"},
        ],
        "model": "m",
        "vars": {"q": 5},
        "seed": None,
        "repeat": 2,
    }


def test_seed_repeat_and_system_text_are_in_the_environment_under_both_names(python: Any, ask: Ask) -> None:
    code = (
        "import os, json; names = ('STEELYARD_', 'EVALKIT_')\n"
        "print(json.dumps({name: value for name, value in os.environ.items() if name.startswith(names)}))"
    )
    told = json.loads(ask(python(code), system="be kind", seed=7, repeat=2).text)

    assert told == {
        "STEELYARD_SEED": "7",
        "STEELYARD_REPEAT": "2",
        "STEELYARD_SYSTEM": "be kind",
        "STEELYARD_MODEL": "acme/writer-2",
        "EVALKIT_SEED": "7",
        "EVALKIT_REPEAT": "2",
        "EVALKIT_SYSTEM": "be kind",
    }


def test_variables_of_ones_own_are_added_to_the_environment(python: Any, ask: Ask) -> None:
    code = "import os; print(os.environ['MODE'], 'PATH' in os.environ)"

    assert ask(python(code, env={"MODE": "fast"})).text == "fast True"


def test_it_runs_beside_the_benchmark_or_in_a_folder_below(python: Any, ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    code = "import os; print(os.getcwd())"

    assert Path(ask(python(code)).text).samefile(tmp_path)
    assert Path(ask(python(code, cwd="sub")).text).samefile(tmp_path / "sub")


def test_a_line_is_split_into_words_and_no_shell_sees_it(context: Any, ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "show.py").write_text(ARGUMENTS)
    line = f'{sys.executable} show.py "a b" && echo $HOME {{{{prompt}}}}'
    provider = create(CommandSettings(command=line), context(dict(os.environ)))

    assert json.loads(ask(provider, "p; q").text) == ["a b", "&&", "echo", "$HOME", "p; q"]


@posix_only
def test_a_shell_can_be_asked_for_and_then_fills_in_nothing(context: Any, ask: Ask) -> None:
    settings = CommandSettings(command="cat | tr a-z A-Z; echo '{{prompt}}'", shell=True)

    assert ask(create(settings, context(dict(os.environ))), "hello").text == "HELLO{{prompt}}"


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"command": ""}, "must name a program"),
        ({"command": []}, "must name a program"),
        ({"command": ["  "]}, "must name a program"),
        ({"command": "echo 'x"}, 'no closing quotation in "echo \'x"'),
        ({"command": ["a", "b"], "shell": True}, "must be one line with shell: true"),
        ({"command": "", "shell": True}, "must name a program"),
        ({"command": ["a", "b\0"]}, "holds a NUL character"),
    ],
)
def test_a_command_that_is_none_is_refused_before_anything_runs(settings: Any, problem: str, context: Any) -> None:
    with pytest.raises(UsageError, match=r"providers\.command: command") as raised:
        create(CommandSettings(**settings), context({}))
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"cwd": "nowhere"}, "cwd: there is no folder '"),
        ({"cwd": "a\0b"}, "cwd: there is no folder '"),
        ({"cwd": "file"}, "cwd: there is no folder '"),
        ({"env": {"A=B": "hush"}}, "env: not a variable's name: 'A=B'"),
        ({"env": {"": "hush"}}, "env: not a variable's name: ''"),
        ({"env": {"A\0": "hush"}}, "env: not a variable's name: "),
        ({"env": {"A": "hush\0"}}, "env: the value of 'A' holds a NUL character"),
    ],
)
def test_a_folder_and_an_environment_that_no_program_can_have_are_refused_before_anything_runs(
    settings: Any, problem: str, context: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", "utf-8")

    with pytest.raises(UsageError) as raised:
        create(CommandSettings(command="x", **settings), context({}))

    assert problem in str(raised.value)
    assert "hush" not in str(raised.value)


def test_creating_runs_nothing(python: Any, tmp_path: Path) -> None:
    python(f"open({str(tmp_path / 'ran')!r}, 'w')")

    assert not (tmp_path / "ran").exists()


def test_a_program_that_fails_says_so_with_the_end_of_its_errors_and_is_not_retried(
    python: Any, failing: Failing
) -> None:
    code = "import sys; print('out'); sys.stderr.write('x' * 9999 + '\\nlast\\x1b[31m words\\n'); sys.exit(3)"
    error = failing(python(code))

    assert error.message.startswith("command: exited with status 3: …xxx")
    assert error.message.endswith("last\\x1b[31m words")
    assert len(error.message) < 400
    assert not error.retryable


@posix_only
def test_a_program_that_a_signal_ended_says_which(python: Any, failing: Failing) -> None:
    error = failing(python("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"))

    assert error.message == "command: ended by signal 11 (SIGSEGV)"


def test_a_program_that_does_not_exist_is_named(context: Any, failing: Failing) -> None:
    error = failing(create(CommandSettings(command=["no-such-program-here"]), context({})))

    assert error.message.startswith("command: cannot start 'no-such-program-here': ")
    assert not error.retryable


def test_a_folder_that_is_gone_is_named(python: Any, failing: Failing, tmp_path: Path) -> None:
    (tmp_path / "nowhere").mkdir()
    made = python("pass", cwd="nowhere")
    (tmp_path / "nowhere").rmdir()
    error = failing(made)

    assert "there is no folder" in error.message
    assert "nowhere" in error.message


@pytest.mark.parametrize("prompt", ["a\0b", "x" * 3_000_000])
def test_a_prompt_that_no_argument_can_hold_is_an_error_of_the_call(prompt: str, python: Any, failing: Failing) -> None:
    error = failing(python(ARGUMENTS, "{{prompt}}"), prompt)

    assert error.message.startswith("command: cannot start ")


def test_a_key_in_the_errors_of_a_program_is_not_shown(python: Any, failing: Failing) -> None:
    error = failing(python("import sys; sys.exit('bad key sk-0123456789abcdef')"))

    assert error.message == "command: exited with status 1: bad key [redacted]"


def test_a_long_prompt_and_a_long_answer_pass_through_at_once(python: Any, ask: Ask) -> None:
    prompt = "0123456789" * 300_000

    assert ask(python(ECHO), prompt).text == prompt


def test_a_program_need_not_read_its_input(python: Any, ask: Ask) -> None:
    assert ask(python("print('done')"), "x" * 3_000_000).text == "done"


def test_output_that_is_no_text_is_read_with_marks(python: Any, ask: Ask) -> None:
    assert ask(python("import sys; sys.stdout.buffer.write(b'a\\xffb')")).text == "a\ufffdb"


def test_half_a_surrogate_pair_in_a_prompt_becomes_a_question_mark(python: Any, ask: Ask) -> None:
    assert ask(python(ECHO), "a\ud835b").text == "a?b"
    assert json.loads(ask(python(ARGUMENTS, "{{prompt}}"), "a\ud835b").text) == ["a?b"]


# Ending a program.


@posix_only
def test_at_the_deadline_the_program_and_all_it_started_are_ended(
    python: Any, failing: Failing, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    code = (
        "import subprocess, sys, os, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        "time.sleep(60)"
    )
    started = time.monotonic()
    error = failing(python(code), timeout_s=1.0)

    assert time.monotonic() - started < 5
    assert error.message == "command: timed out after 1 s; the program was ended"
    assert error.retryable
    assert all(is_gone(int(pid)) for pid in pids.read_text().split())


@posix_only
def test_what_a_finished_program_left_running_is_ended_and_its_answer_kept(python: Any, ask: Ask) -> None:
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print(child.pid)"
    )
    started = time.monotonic()
    text = ask(python(code)).text

    assert time.monotonic() - started < 5
    assert is_gone(int(text))


@posix_only
def test_a_call_that_is_given_up_ends_its_program(python: Any, make_request: Any, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    provider = python(f"import os, time; open({str(pid_file)!r}, 'w').write(str(os.getpid())); time.sleep(60)")

    async def give_up() -> None:
        task = asyncio.create_task(provider.complete(make_request()))
        while not (pid_file.exists() and pid_file.read_text()):
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    assert is_gone(int(pid_file.read_text()))


def test_a_program_that_never_stops_writing_is_ended(python: Any, failing: Failing, monkeypatch: Any) -> None:
    monkeypatch.setattr(_process.run, "__kwdefaults__", {"largest_output_bytes": 100_000})
    error = failing(python("while True: print('x' * 1000)"))

    assert error.message == "command: the program wrote more than 0.0954 MB and was ended"
    assert not error.retryable


def test_only_the_end_of_long_errors_is_kept(tmp_path: Path) -> None:
    code = "import sys; sys.stderr.write('x' * 5_000_000 + 'end')"
    running = _process.run(
        [sys.executable, "-c", code], stdin=b"", folder=tmp_path, environ=os.environ, timeout_s=30, where="x"
    )
    errors = asyncio.run(running).errors

    assert errors.endswith(b"xend")
    assert len(errors) <= 8192


def test_errors_without_end_do_no_harm(python: Any, ask: Ask) -> None:
    assert ask(python("import sys; sys.stderr.write('x' * 5_000_000); print('done')")).text == "done"


def test_many_programs_run_at_once(python: Any, make_request: Any) -> None:
    provider = python(ECHO)

    async def run_all() -> list[Completion]:
        return await asyncio.gather(*(provider.complete(make_request(str(number))) for number in range(8)))

    assert [completion.text for completion in asyncio.run(run_all())] == [str(number) for number in range(8)]


# What it tells the host.


def test_answers_are_not_cached_unless_asked_for_and_no_model_is_needed() -> None:
    spec = next(iter(steelyard_register_providers()))

    assert (spec.cached, spec.needs_model) == (False, False)


def test_command_input_folder_and_environment_change_the_fingerprint(
    python: Any, make_request: Any, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    request = make_request("p", variables={"city": "Lima"})
    fingerprints = {
        python(ECHO).fingerprint(request),
        python(ECHO, "-v").fingerprint(request),
        python(ECHO, "{{city}}").fingerprint(request),
        python(ECHO, "{{city}}").fingerprint(make_request("p", variables={"city": "Rome"})),
        python(ECHO).fingerprint(make_request("q")),
        python(ECHO).fingerprint(make_request("p", system="s")),
        python(ECHO, stdin="json").fingerprint(request),
        python(ECHO, cwd="sub").fingerprint(request),
        python(ECHO, env={"MODE": "AAA"}).fingerprint(request),
        python(ECHO, env={"MODE": "BBB"}).fingerprint(request),
    }

    assert len(fingerprints) == 10


def test_a_fingerprint_shows_no_value_of_the_environment(python: Any, make_request: Any) -> None:
    assert "hush" not in python(ECHO, env={"TOKEN": "hush"}).fingerprint(make_request())
