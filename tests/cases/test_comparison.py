"""Kind 2: texts and numbers are compared as people read them, alike on every machine and in bounded time."""

from __future__ import annotations

import signal
import subprocess
import time
from typing import Any

import pytest

# Each row: an output, the wanted number, and whether the last number of the output is it.
NUMBERS: dict[str, tuple[str, Any, bool]] = {
    # Separators and the full stop of a sentence are no numbers (H09).
    "comma-after": ("There are 72 crates, all told.", 72, True),
    "full-stop-after": ("It comes to $29.00.", 29, True),
    "thousands-and-decimals": ("This makes 1,250.50.", 1250.5, True),
    "in-brackets": ("pi is about (3.14).", 3.14, True),
    "thousands": ("1,234,567 in all", 1234567, True),
    "comma-alone": ("5, roughly speaking, , .", 5, True),
    "list-with-blanks": ("1, 2, 3", 3, True),
    "list-without-blanks": ("1,2,3", 123, False),
    "question-mark": ("Is it 7?", 7, True),
    "semicolon": ("7; not more", 7, True),
    "euros": ("It costs 20€.", 20, True),
    "words-only": ("There are none.", 0, False),
    "millions": ("It costs 1,000,000.", 1000000, True),
    "apostrophes": ("1'234'567 francs", 1234567, True),
    "curly-apostrophe": ("1\u2019234 francs", 1234, True),
    "in-lakhs": ("12,34,567 rupees", 1234567, True),
    "part-of-lakhs": ("12,34,567 rupees", 34567, False),
    "ellipsis": ("It is 42...", 42, True),
    "colon": ("Answer: 42:", 42, True),
    "isodate": ("on 2024-01-15", -15, False),
    "slashed-date": ("on 1/15/2024", 2024, False),
    "address": ("at 10.0.0.1", 1, False),
    # A number with a sign of per cent is the number as it is written (H10).
    "percent": ("Of 100 people, 20% agree.", 20, True),
    "percent-is-no-share": ("Of 100 people, 20% agree.", 0.2, False),
    "percent-is-not-passed-over": ("Of 100 people, 20% agree.", 100, False),
    "percent-with-a-blank": ("Of 100 people, 20 % agree.", 20, True),
    "per-mille": ("Of 100 people, 20‰ agree.", 20, True),
    "percent-of-east-asia": ("Of 100, 20\uff05 agree", 20, True),
    "degrees-below": ("It is \u221220\u00b0C", -20, True),
    "unit-glued-on": ("It weighs 20kg", 20, True),
    # Numbers are compared as numbers (H11).
    "ends-alike": ("The answer is 25", 5, False),
    "sign-missing": ("The answer is 5", -5, False),
    "sign-there": ("it is -5 exactly", -5, True),
    "sign-there-wanted-positive": ("it is -5 exactly", 5, False),
    "begins-alike": ("it is 33.14", 3.14, False),
    "exponent": ("about 1e3", 1000, True),
    "exponent-with-sign": ("about 2.5E-3 m", 0.0025, True),
    "power-of-ten": ("about 3 × 10^5", 300000, True),
    "minus-zero": ("The answer is -0.0", 0, True),
    "plus": ("The answer is +7", 7, True),
    "real-minus": ("The answer is \u22127", -7, True),
    "dash-as-a-sign": ("The answer is \u20135", -5, True),
    "dash-as-a-sign-wanted-positive": ("The answer is \u20135", 5, False),
    "minus-apart": ("x = - 5", -5, True),
    "bullet": ("- 5 apples", 5, True),
    "fraction": ("The answer is 1/2", 0.5, True),
    "bottom-of-a-fraction": ("The answer is 1/2", 2, False),
    "share-of-a-scale": ("I give it 8/10", 10, False),
    "beyond-measure": ("1e999999999999999999999", 0, False),
    "infinite": ("Infinity", 0, False),
    "not-a-number": ("NaN", 0, False),
    "name-of-a-model": ("gpt-4", -4, False),
    "dash-between": ("10-5", -5, False),
    "range-with-a-dash": ("between 3\u20135", 5, True),
    "leading-point": ("It is .5", 0.5, True),
    "many-digits": ("9007199254740993", 9007199254740992, False),
    "version": ("see v1.2.3", 3, False),
    "glued-to-a-word": ("use H2O", 2, False),
    "ordinary-blanks": ("12 500", 500, True),
    "narrow-blanks": ("12\u202f500", 12500, True),
    # As mathematics is written (H14).
    "boxed-with-latex-comma": ("Hence $\\boxed{1{,}234}$.", 1234, True),
    "boxed-negative": ("So x = $\\boxed{-7}$", -7, True),
    "latex-thin-blank": ("So $1\\,234$", 1234, True),
    "escaped-comma": ("So \\boxed{12{,}345{,}678}", 12345678, True),
    "bold": ("The answer is **42**.", 42, True),
    "bold-underlined": ("__42__", 42, True),
    "heading": ("#### 42", 42, True),
    "subscript": ("x_5", 5, False),
    "latex-fraction": ("So \\boxed{\\frac{1}{2}}", 0.5, True),
    "latex-fraction-is-not-its-bottom": ("So \\boxed{\\frac{1}{2}}", 2, False),
    "latex-fraction-below-nought": ("So $-\\dfrac{3}{4}$", -0.75, True),
    "latex-negative-blank": ("1,\\!234", 1234, True),
    "latex-percent": ("\\boxed{42\\%}", 42, True),
    "latex-unit": ("\\boxed{42 \\text{ cm}}", 42, True),
    "latex-power": ("$x^{2} = 49$", 49, True),
    # What a model thought before it answered is no answer.
    "thought-first": ("<think>Is it 7?</think> It is 42", 42, True),
    "only-thought": ("<think>It is 42.</think> I cannot say.", 42, False),
    "still-thinking": ("<think>It is 42, or", 42, False),
    "bold-dollar": ("The answer is **$1,234.50**", 1234.5, True),
}


def test_the_last_number_is_read_as_people_read_it(desk: Any) -> None:
    rows = [
        {"id": name, "output": output, "scorers": [{"type": "numeric", "value": value}]}
        for name, (output, value, _) in NUMBERS.items()
    ]
    cases = desk.outputs(rows)
    found = {name: case["match_result"] for name, case in cases.items()}
    wanted = {name: passes for name, (_, _, passes) in NUMBERS.items()}
    assert {name: cases[name]["scores"] for name in wanted if found[name] != wanted[name]} == {}
    # What was read can be seen.
    assert "20" in cases["percent-is-no-share"]["scores"][0]["reason"]
    assert "20" in cases["percent-is-not-passed-over"]["scores"][0]["reason"]


# Each row: what is wanted, the output, and whether they are the same without regard to case (H12).
LABELS: dict[str, tuple[str, str, bool]] = {
    "sharp-s": ("Straße", "STRASSE", True),
    "dotted-capital": ("İstanbul", "İSTANBUL", True),
    "final-sigma": ("ΟΔΟΣ", "οδος", True),
    "dotless": ("I", "\u0131", False),
    "composed": ("caf\u00e9", "cafe\u0301", True),
    "composed-in-other-case": ("CAF\u00c9", "cafe\u0301", True),
    "ligature": ("ﬁsh", "FISH", True),
    "blanks-around": ("billing", " \n Billing\t", True),
    "blank-inside": ("bil ling", "billing", False),
    "more": ("billing", "billing.", False),
    "cyrillic": ("ПРИВЕТ", "привет", True),
    "look-alike": ("a", "\u0430", False),
}


@pytest.mark.parametrize("language", ["C", "tr_TR.UTF-8"])
def test_labels_are_compared_without_case_alike_in_every_language(desk: Any, language: str) -> None:
    rows = [
        {"id": name, "output": output, "expected_output": wanted, "evaluation": "exact_match"}
        for name, (wanted, output, _) in LABELS.items()
    ]
    environ = {**desk.environ, "LANG": language, "LC_ALL": language}
    cases = type(desk)(desk.folder, environ).outputs(rows)
    assert {name: case["match_result"] for name, case in cases.items()} == {
        name: same for name, (_, _, same) in LABELS.items()
    }


def test_outputs_reach_every_scorer_with_their_backslashes_and_braces(desk: Any) -> None:
    output = "It is \\boxed{\\frac{1}{2}} and {{ 7*7 }} {% raw %}."
    scorers = {
        "contains": {"type": "contains", "value": "\\boxed{\\frac{1}{2}}"},
        "contains-braces": {"type": "contains", "value": "{{ 7*7 }} {% raw %}"},
        "regex": {"type": "regex", "pattern": "\\\\boxed\\{\\\\frac\\{1\\}\\{2\\}\\}"},
    }
    rows = [{"id": name, "output": output, "scorers": [scorer]} for name, scorer in scorers.items()]
    assert [case["match_result"] for case in desk.outputs(rows).values()] == [True, True, True]


# Each takes for ever in an engine that goes back and forth (H13).
SLOW = ["^(a|aa)+$", "^(a+)+$", "(a*)*b$", "^(\\w+\\s?)*$"]
NEAR_MISS = "a" * 61 + "b!"


def slow_suite(seconds: float) -> dict[str, Any]:
    slow = [
        {"id": f"slow-{number}", "variables": {"output": NEAR_MISS}, "scorers": [scorer]}
        for number, pattern in enumerate(SLOW)
        for scorer in [{"type": "regex", "pattern": pattern, "timeout": seconds}]
    ]
    quick = [
        {"id": f"quick-{number}", "variables": {"output": "ok"}, "scorers": [{"type": "regex", "pattern": "^ok$"}]}
        for number in range(5)
    ]
    return {
        "name": "slow",
        "models": [{"id": "echo", "provider": "mock"}],
        "prompts": [{"id": "p", "template": "{{ output }}"}],
        "test_cases": [*slow, *quick],
    }


def test_a_pattern_that_takes_too_long_is_an_error_of_its_case_alone(desk: Any) -> None:
    desk.write("slow.json", slow_suite(0.2))
    began = time.monotonic()
    done = desk("run", "slow.json")
    assert time.monotonic() - began < 120
    cases = desk.cases()
    assert all(cases[f"quick-{number}"]["match_result"] for number in range(5))
    # Some of the patterns the engine decides quickly; none of them may pass, and none may be a failure by time.
    slow = [cases[f"slow-{number}"] for number in range(len(SLOW))]
    stopped = [case for case in slow if case["status"] != "scored"]
    assert stopped
    assert not any(case["match_result"] for case in slow)
    for case in stopped:
        pattern = SLOW[int(case["id"].partition("-")[2])]
        assert pattern in case["error"]
        assert "0.2 s" in case["error"]
    assert done.returncode == 0


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="signals are the system's own on Windows")
def test_a_run_can_be_stopped_while_a_pattern_is_matched(desk: Any) -> None:
    desk.write("slow.json", slow_suite(30))
    process = desk.apart("run", "slow.json", "-j", "1")
    assert process.stderr is not None
    journal = desk.folder / "results"
    deadline = time.monotonic() + 80
    while not list(journal.glob("*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    began = time.monotonic()
    try:
        _out, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode == 130
    assert time.monotonic() - began < 25  # one pattern alone would take 30
    assert b"Traceback" not in err
