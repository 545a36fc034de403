"""What becomes of a case, and what is said of it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from steelyard.testing import Reply
from steelyard.testing.fake_api import failure


def test_a_failure_shows_prompt_output_and_reasons_and_no_traceback(folder, api, make_case):
    scorers = [{"type": "contains", "value": "Ada", "name": "names-her"}, {"type": "max_words", "value": 1}]
    folder.benchmark(models=["openai:small"], test_cases=[make_case("ada", evaluation=None, scorers=scorers)])

    result = folder.run("-rf")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ openai:small×v1×ada _*",
            "greet.bench.json:1:*: max_words: 2 words (at most 1)",
            "--- prompt ---",
            "[[]user[]] Greet Ada.",
            "--- output of openai:small ---",
            "Hello Ada!",
            "--- scores ---",
            "passed  names-her  1.00*",
            "failed  max_words  0.*  2 words (at most 1)",
            "FAILED greet.bench.json::openai:small×v1×ada - *max_words*",
        ],
        consecutive=False,
    )
    for word in ("Traceback", "collecting.py", "def runtest"):
        assert word not in result.stdout.str()


def test_what_cannot_be_judged_is_an_error_and_no_failure(folder, api):
    api.answer(lambda request: failure(400, "no such thing") if "Bob" in request.prompt else "Hello Ada!")
    folder.benchmark(models=["openai:small"])

    result = folder.run()

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*: api_error: *400*no such thing*", "[[]user[]] Greet Bob."])
    assert "Traceback" not in result.stdout.str()


def test_where_nothing_can_be_judged_only_pytest_says_so(folder, api):
    api.reply(failure(400, "no such thing"))
    folder.benchmark()

    result = folder.run("-s")

    result.assert_outcomes(errors=4)
    assert result.stderr.str() == ""
    assert "warning:" not in result.stdout.str()


def test_a_missing_key_is_an_error_that_says_what_to_do(folder, api, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    folder.benchmark()

    result = folder.run()

    result.assert_outcomes(errors=4)
    result.stdout.fnmatch_lines(["provider 'openai': OPENAI_API_KEY is not set*steelyard_missing_key = skip*"])
    assert api.count == 0


@pytest.mark.parametrize("how", ["ini", "flag"])
def test_a_missing_key_skips_where_that_is_wanted(folder, monkeypatch, how):
    monkeypatch.delenv("OPENAI_API_KEY")
    folder.benchmark()
    arguments = ["-rs"]
    if how == "ini":
        folder.ini("steelyard_files = *.bench.json", "steelyard_missing_key = skip")
    else:
        arguments.append("--steelyard-missing-key=skip")

    result = folder.run(*arguments)

    result.assert_outcomes(skipped=4)
    result.stdout.fnmatch_lines(["SKIPPED*provider 'openai': OPENAI_API_KEY is not set*"])


def test_a_key_that_one_model_lacks_leaves_the_others_in(folder, api, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    folder.benchmark(models=["openai:small", "anthropic:large"])

    folder.run("--steelyard-missing-key=skip").assert_outcomes(passed=2, skipped=2)

    assert len(api.prompts) == 2


def test_a_wrong_value_for_a_missing_key_is_refused(folder):
    folder.ini("steelyard_missing_key = ignore")

    result = folder.run()

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*steelyard_missing_key: must be 'error' or 'skip', got 'ignore'*"])


def test_a_key_is_shown_nowhere_even_when_the_model_repeats_it(folder, api, key):
    api.answer(lambda request: f"your key is {request.headers['authorization']}")
    folder.benchmark(models=["openai:small"])

    result = folder.run("-vv", "-rA", "--junit-xml=out.xml")

    result.assert_outcomes(failed=2)
    assert "your key is Bearer [redacted]" in result.stdout.str()
    shown = result.stdout.str() + result.stderr.str() + (folder.path / "out.xml").read_text("utf-8")
    assert key not in shown


def test_control_characters_of_an_output_do_not_reach_the_terminal(folder, api):
    api.reply("evil \x1b[2J\u202e \ud83d text")
    folder.benchmark(models=["openai:small"])

    said = folder.run().stdout.str()

    assert "evil" in said
    assert not {"\x1b[2J", "\u202e", "\ud83d"} & set(said)
    assert "\x1b[2J" not in said


def test_long_texts_are_cut_unless_asked_for(folder, api):
    api.reply("word " * 1000 + "end")
    folder.benchmark(models=["openai:small"])

    short, long = folder.run().stdout.str(), folder.run("-vv").stdout.str()

    # 5,003 characters, of which 2,000 are shown.
    assert "… 3003 more characters; -vv shows them" in short
    assert "word end" not in short
    assert "word end" in long


def test_a_repeated_case_is_one_test_that_shows_a_run_that_failed(folder, api):
    folder.benchmark(models=["openai:small"], repeat=3, case_pass_rate=1.0, cache=False, concurrency=1)
    api.script(["Hello Ada!", "Who is there?", "Hello Ada!"], match="Ada")

    result = folder.run("-k", "ada")

    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["2 of 3 runs passed; this is run 2", "Who is there[?]"])


def test_enough_runs_that_pass_pass(folder, api):
    folder.benchmark(models=["openai:small"], repeat=3, case_pass_rate=0.6, cache=False)
    api.script(["Hello Ada!", "Who is there?", "Hello Ada!"], match="Ada")

    folder.run("-k", "ada").assert_outcomes(passed=1, deselected=1)


def test_the_gate_of_the_file_is_not_asked(folder):
    folder.benchmark(quality_threshold=100, gate={"model": "openai:large"})

    result = folder.run("-k", "ada and small")

    result.assert_outcomes(passed=1, deselected=3, warnings=0)
    assert "the gate is dropped" not in result.stdout.str()


PRICED = {"id": "priced", "provider": "openai", "model": "m", "pricing": {"input_per_mtok": 10, "output_per_mtok": 20}}


def test_the_cost_is_told_at_the_end(folder, api):
    api.reply(Reply("Hello Ada and Bob!", usage={"prompt_tokens": 1000, "completion_tokens": 100}))
    folder.benchmark(models=[PRICED])

    first, second = folder.run(), folder.run()

    # Each: 1,000 tokens at 10 a million and 100 at 20 a million: 0.01 + 0.002.
    first.stdout.fnmatch_lines(["2 cases, 0 from the cache: $0.0240, of it $0.0240 spent now"])
    second.stdout.fnmatch_lines(["2 cases, 2 from the cache: $0.0240, of it $0.0000 spent now"])


def test_an_unknown_cost_is_not_counted_as_nothing(folder):
    folder.benchmark(models=["openai:small"])

    folder.run().stdout.fnmatch_lines(
        ["2 cases, 0 from the cache: $0.0000, of it $0.0000 spent now, and 2 of unknown cost"]
    )


def test_score_and_cost_are_in_the_junit_file(folder, api):
    api.reply(Reply("Hello Ada!", usage={"prompt_tokens": 1000, "completion_tokens": 100}))
    folder.benchmark(models=[PRICED])

    folder.run("--junit-xml=out.xml", "-k", "ada")

    (found,) = ElementTree.parse(folder.path / "out.xml").iter("testcase")
    properties = {one.get("name"): one.get("value") for one in found.iter("property")}
    assert float(properties["steelyard_score"]) == 1.0
    assert float(properties["steelyard_cost_usd"]) == pytest.approx(0.012)


@pytest.mark.parametrize("arguments", [[], ["--maxfail=10"]], ids=["together", "one by one"])
def test_the_budget_of_a_file_holds_for_all_its_tests(folder, api, make_case, arguments):
    api.reply(Reply("Hello Ada and Bob and Eve and Joe!", usage={"prompt_tokens": 1000, "completion_tokens": 100}))
    names = ["ada", "bob", "eve", "joe"]
    folder.benchmark(models=[PRICED], test_cases=[make_case(name) for name in names], max_cost_usd=0.03, concurrency=1)

    result = folder.run(*arguments)

    # 0.012 each: two fit into 0.03, a third would not.
    result.assert_outcomes(passed=2, errors=2)
    result.stdout.fnmatch_lines(["case 'eve' was not run: max_cost_usd left no room for it"])
    assert len(api.prompts) == 2


def test_what_is_in_the_cache_needs_no_budget(folder, api, make_case):
    api.reply(Reply("Hello Ada and Bob and Eve!", usage={"prompt_tokens": 1000, "completion_tokens": 100}))
    cases = [make_case(name) for name in ("ada", "bob", "eve")]
    folder.benchmark(models=[PRICED], test_cases=cases)
    folder.run("-k", "bob or eve").assert_outcomes(passed=2, deselected=1)
    folder.benchmark(models=[PRICED], test_cases=cases, max_cost_usd=0.013)

    folder.run("--maxfail=10").assert_outcomes(passed=3)


def test_a_scorer_that_breaks_is_an_error_that_names_it(folder, make_case):
    scorers = folder.path / "checks"
    scorers.mkdir()
    (scorers / "odd.py").write_text("def odd(case, output):\n    raise KeyError('x')\n", "utf-8")
    use = {"type": "python", "function": "checks/odd.py:odd"}
    folder.benchmark(models=["openai:small"], test_cases=[make_case("ada", evaluation=None, scorers=[use])])

    result = folder.run()

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*: judge_error: python: 'checks/odd.py:odd' raised KeyError: 'x'"])
    assert "Traceback" not in result.stdout.str()
