from __future__ import annotations

import json
import math
from types import MappingProxyType
from typing import Any, Protocol

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.api import CaseResult, CaseRun, Message, ScoreResult, Status
from steelyard.errors import RecordError
from steelyard.records import decode_case, encode_case


class MakeRun(Protocol):
    def __call__(self, **changes: Any) -> CaseRun: ...


class MakeCase(Protocol):
    def __call__(self, /, *ids: str, **changes: Any) -> CaseResult: ...


def strict(line: bytes) -> dict[str, Any]:
    """Parse as a strict JSON reader does: NaN and Infinity are errors."""

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    parsed: dict[str, Any] = json.loads(line.decode(), parse_constant=refuse)
    return parsed


def again(case: CaseResult) -> CaseResult:
    return decode_case(encode_case(case), case.model, case.prompt_id)


def test_a_case_has_every_field_that_scripts_rely_on(make_case: MakeCase) -> None:
    assert strict(encode_case(make_case())) == {
        "id": "conv_001",
        "tags": ["billing", "easy"],
        "evaluation": "exact_match",
        "prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which label?"}],
        "status": "scored",
        "match_result": True,
        "match_score": 1.0,
        "response": "billing",
        "reasoning": None,
        "expected": "billing",
        "error": None,
        "prompt_tokens": 80,
        "completion_tokens": 6,
        "cost": 0.25,
        "judge_prompt_tokens": 0,
        "judge_completion_tokens": 0,
        "judge_cost": 0.5,
        "total_cost": 0.75,
        "spent": 0.75,
        "latency_ms": 412.5,
        "cached": False,
        "attempts": 1,
        "finish_reason": "stop",
        "scores": [{"scorer": "exact_match", "name": "label", "passed": True, "score": 1.0, "reason": "equal"}],
    }


def test_a_case_that_says_everything_comes_back_equal(make_case: MakeCase, make_run: MakeRun) -> None:
    run = make_run(
        transcript=(Message(role="user", content="Hi"), Message(role="assistant", content="Hello")),
        reasoning="because",
        cached=True,
        scores=(
            ScoreResult(
                scorer="a", name="b", passed=False, score=0.25, reason="no", weight=2.5, details={"raw": [1, None]}
            ),
            ScoreResult(scorer="c", name="d", passed=None, score=None, reason="down", status=Status.JUDGE_API_ERROR),
        ),
    )
    case = make_case(
        runs=(run,),
        metadata={"source": {"row": 3}},
        human_score=4.5,
        flaky=True,
        cluster="text 3",
        expected=[{"a": 1.5}],
    )

    assert again(case) == case


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.SCORED])
def test_an_error_has_no_score_no_match_and_its_message(make_case: MakeCase, make_run: MakeRun, status: Status) -> None:
    run = make_run(
        status=status, passed=False, score=None, error="timed out", cost_usd=None, prompt_tokens=None, scores=()
    )
    case = make_case(status=status, passed=False, score=None, runs=(run,))

    fields = strict(encode_case(case))

    assert (fields["status"], fields["match_result"], fields["match_score"]) == (status.value, False, None)
    assert (fields["error"], fields["prompt_tokens"], fields["total_cost"]) == ("timed out", None, None)
    assert again(case) == case


def test_a_case_run_once_has_no_list_of_runs(make_case: MakeCase) -> None:
    assert "runs" not in strict(encode_case(make_case()))


def test_repeated_runs_are_all_kept_and_their_costs_added_up(make_case: MakeCase, make_run: MakeRun) -> None:
    runs = (
        make_run(repeat=0, passed=False, score=0.0, response="other", latency_ms=100.0, cached=True, spent_usd=0.0),
        make_run(repeat=1, response="billing", latency_ms=900.0),
        make_run(repeat=2, latency_ms=200.0, attempts=2),
    )
    case = make_case(runs=runs, score=2 / 3, flaky=True)

    fields = strict(encode_case(case))

    assert (fields["prompt_tokens"], fields["completion_tokens"], fields["cost"]) == (240, 18, 0.75)
    assert (fields["judge_cost"], fields["total_cost"], fields["spent"]) == (1.5, 2.25, 1.5)
    assert (fields["latency_ms"], fields["cached"], fields["attempts"]) == (200.0, False, 4)
    assert [run["match_result"] for run in fields["runs"]] == [False, True, True]
    assert fields["response"] == "billing", "the answer shown must be one with the case's own verdict"
    assert again(case) == case


def test_an_unknown_part_of_a_sum_makes_it_unknown(make_case: MakeCase, make_run: MakeRun) -> None:
    case = make_case(runs=(make_run(), make_run(repeat=1, cost_usd=None, completion_tokens=None)))

    fields = strict(encode_case(case))

    assert (fields["cost"], fields["total_cost"], fields["completion_tokens"]) == (None, None, None)
    assert fields["prompt_tokens"] == 160


def test_a_prompt_that_differs_from_run_to_run_is_kept_for_each(make_case: MakeCase, make_run: MakeRun) -> None:
    other = make_run(repeat=1, messages=(Message(role="user", content="Another order"),))
    case = make_case(runs=(make_run(), other))

    assert again(case) == case


def test_a_case_is_one_line_whatever_is_in_it(make_case: MakeCase, make_run: MakeRun) -> None:
    line = encode_case(make_case("a\nb", runs=(make_run(response="1\r\n2\u2028\x0b3\x1c"),)))

    assert line.splitlines() == [line]


def test_lone_surrogates_become_question_marks_and_emoji_stay(make_case: MakeCase, make_run: MakeRun) -> None:
    case = make_case("bad \udc97 byte", runs=(make_run(response="math \ud835 sign 🚀"),), metadata={"\ud800": 1})

    fields = strict(encode_case(case))

    assert (fields["id"], fields["response"], fields["metadata"]) == ("bad ? byte", "math ? sign 🚀", {"?": 1})


def test_numbers_that_json_does_not_have_become_null(make_case: MakeCase) -> None:
    case = make_case(expected=[math.nan, math.inf, 1.5], metadata={"deep": {"x": -math.inf}})

    fields = strict(encode_case(case))

    assert (fields["expected"], fields["metadata"]) == ([None, None, 1.5], {"deep": {"x": None}})


def test_whatever_a_scorer_puts_into_its_details_is_kept_somehow(make_case: MakeCase, make_run: MakeRun) -> None:
    loop: list[object] = []
    loop.append(loop)
    details: dict[Any, Any] = {
        "mapping": MappingProxyType({"a": (1, 2)}),
        "set": {1},
        "bytes": b"x",
        3: "number as a key",
        "large": 10**5000,
        "loop": loop,
        "nan": math.nan,
    }
    score = ScoreResult(scorer="s", name="s", passed=True, score=1.0, details=details)

    kept = strict(encode_case(make_case(runs=(make_run(scores=(score,)),))))["scores"][0]["details"]

    assert (kept["mapping"], kept["set"], kept["bytes"], kept["3"]) == ({"a": [1, 2]}, [1], "b'x'", "number as a key")
    assert (kept["large"], kept["nan"]) == ("a number too large to be kept", None)
    assert "nested too deeply" in json.dumps(kept["loop"])


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b'"a"', b"\xff", b'{"id":"a"' + b"[" * 100_000])
def test_a_line_that_is_no_case_is_a_record_error(line: bytes) -> None:
    with pytest.raises(RecordError) as caught:
        decode_case(line, "m", "p")
    assert "\n" not in str(caught.value)


def test_fields_of_the_wrong_type_are_unknown() -> None:
    case = decode_case(
        b'{"id":"a","tags":"billing","match_score":"high","status":"scored","prompt_tokens":true,"cost":"1","runs":7,'
        b'"scores":[1,{"scorer":2}],"metadata":[],"human_score":null,"prompt":[{"role":"evil","content":"x"}]}',
        "m",
        "p",
    )

    run = case.runs[0]
    assert (case.tags, case.score, case.metadata, case.human_score) == ((), None, {}, None)
    assert (run.prompt_tokens, run.cost_usd, run.messages, len(run.scores)) == (None, None, (), 1)


@pytest.mark.parametrize(
    ("word", "status", "passed"),
    [
        ("success", Status.SCORED, True),
        ("fail", Status.SCORED, True),
        ("scored", Status.SCORED, True),
        ("judge_error", Status.JUDGE_ERROR, False),
        ("judge_api_error", Status.JUDGE_API_ERROR, False),
        ("api_error", Status.API_ERROR, False),
        ("internal_error", Status.INTERNAL_ERROR, False),
    ],
)
def test_words_of_older_records_keep_their_meaning(word: str, status: Status, passed: bool) -> None:
    case = decode_case(
        json.dumps({"id": "a", "status": word, "match_result": True, "match_score": 1}).encode(), "m", "p"
    )

    assert (case.status, case.passed) == (status, passed)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(text=st.text(), expected=json_values, metadata=st.dictionaries(st.text(), json_values, max_size=3))
@settings(derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_and_any_json_comes_back_and_encodes_the_same(
    make_case: MakeCase, make_run: MakeRun, text: str, expected: Any, metadata: dict[str, Any]
) -> None:
    case = make_case(text, runs=(make_run(response=text, error=text),), expected=expected, metadata=metadata)

    assert again(case) == case
    assert encode_case(again(case)) == encode_case(case)


@pytest.mark.parametrize("digits", ["1" + "0" * 400, "-1" + "0" * 400])
def test_a_number_that_nothing_can_be_calculated_with_is_unknown(digits):
    line = f'{{"id":"a","status":"scored","match_score":{digits},"prompt_tokens":{digits},"cost":{digits}}}'

    case = decode_case(line.encode(), "m", "v1")

    assert (case.score, case.runs[0].prompt_tokens, case.runs[0].cost_usd) == (None, None, None)


@pytest.mark.parametrize("odd", ["[]", "{}", "[[1]]", "null", "true", "1.5"])
def test_a_status_or_a_role_of_another_type_is_taken_for_an_absent_one(odd):
    line = f'{{"id":"a","status":{odd},"match_score":1,"prompt":[{{"role":{odd},"content":"x"}}]}}'

    case = decode_case(line.encode(), "m", "v1")

    assert (case.status, case.score, case.runs[0].messages) == (Status.SCORED, 1, ())
