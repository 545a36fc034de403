"""Kind 3: an input file holds what its author wrote, or is refused by the line before anything is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest

HEAD = """name: demo
models: [{id: echo, provider: mock}]
prompts:
  - id: v1
    template: "{{ q }}"
"""


def dataset(name: str, **keys: Any) -> dict[str, Any]:
    """Make a benchmark whose rows come from a file and whose model says what it hears."""
    return {
        "name": "rows",
        "models": [{"id": "echo", "provider": "mock"}],
        "prompts": [{"id": "p", "template": "{{ question }}"}],
        "test_cases": {"path": name},
        "case": {"id": "{{ id }}", "expected_output": "{{ question }}", "evaluation": "exact_match"},
        **keys,
    }


def responses(desk: Any) -> dict[str, str]:
    return {name: case["prompt"][-1]["content"] for name, case in desk.cases().items()}


# H15


@pytest.mark.parametrize("way", ["in the file", "--dataset"])
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv", "\ufeffid,question,label\r\na1,Where is it\ufeff?,order\r\n"),
        ("rows.jsonl", '\ufeff{"id": "a1", "question": "Where is it\ufeff?"}\n'),
        ("rows.json", '\ufeff[{"id": "a1", "question": "Where is it\ufeff?"}]'),
        ("rows.yaml", "\ufeff- {id: a1, question: 'Where is it\ufeff?'}\n"),
    ],
)
def test_a_mark_of_byte_order_is_no_data_and_one_inside_is(desk: Any, way: str, name: str, content: str) -> None:
    desk.write(name, content)
    desk.write("empty.csv", "id,question\nz,z\n")
    desk.write("b.json", dataset(name if way == "in the file" else "empty.csv"))
    done = desk("run", "b.json", *(() if way == "in the file" else ("--dataset", name)))
    assert done.returncode == 0, done.said
    assert responses(desk) == {"a1": "Where is it\ufeff?"}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_benchmark_may_begin_with_a_mark_of_byte_order(desk: Any, encoding: str) -> None:
    text = HEAD + "test_cases: [{id: c, variables: {q: hi}, expected_output: hi, evaluation: exact_match}]\n"
    desk.write("b.yaml", text.encode(encoding))
    done = desk("run", "b.yaml")
    if encoding == "utf-8-sig":
        assert (done.returncode, desk.record()["benchmark"]) == (0, "demo")
    else:
        # Another encoding is read, or refused in words.
        assert done.returncode == 0 or ("b.yaml" in done.stderr and "UTF-8" in done.stderr)


def test_the_marks_of_files_that_were_put_together_are_no_data(desk: Any) -> None:
    desk.write("rows.jsonl", '\ufeff{"id": "a", "question": "x"}\n\ufeff{"id": "b", "question": "\ufeffy"}\n\ufeff\n')
    desk.write("b.json", dataset("rows.jsonl"))
    done = desk("run", "b.json")
    assert done.returncode == 0, done.said
    assert responses(desk) == {"a": "x", "b": "\ufeffy"}


def test_every_other_file_may_begin_with_a_mark_of_byte_order_too(online: Any, api: Any) -> None:
    api.reply("{}")
    online.write("base.yaml", "\ufeff" + HEAD.replace("{id: echo, provider: mock}", "'openai:m'"))
    online.write("b.yaml", "\ufeffextends: base.yaml\ntest_cases: cases.yaml\n")
    online.write(
        "cases.yaml", "\ufeff- {id: c, variables: {q: x}, scorers: [{type: json_schema, schema_file: s.json}]}\n"
    )
    online.write("s.json", '\ufeff{"type": "object"}')
    online.write(".env", "\ufeffOPENAI_API_KEY=sk-from-the-file-0123456789\n")
    online.write("steelyard.yaml", "\ufeffresults_dir: elsewhere\n")
    environ = {name: value for name, value in online.environ.items() if name != "OPENAI_API_KEY"}
    run = type(online)(online.folder, environ)
    done = run("run", "b.yaml")
    assert done.returncode == 0, done.said
    assert api.requests[-1].headers["authorization"] == "Bearer sk-from-the-file-0123456789"
    (record,) = (online.folder / "elsewhere").glob("*.json")
    record.write_bytes(b"\xef\xbb\xbf" + record.read_bytes())
    assert run("compare", str(record), str(record)).returncode == 0
    assert run("run", "b.yaml", "--baseline", str(record)).returncode == 0


# H16


@pytest.mark.parametrize("command", ["validate", "run"])
@pytest.mark.parametrize(
    ("key", "line", "text"),
    [
        (
            "expected_output",
            11,
            HEAD
            + "test_cases:\n  - id: c1\n    variables: {q: hi}\n    evaluation: exact_match\n"
            + "    expected_output: refund\n    expected_output: policy\n",
        ),
        ("name", 6, HEAD + "name: again\ntest_cases: []\n"),
        ("q", 9, HEAD + "test_cases:\n  - id: c1\n    variables: {q: hi,\n      q: ho}\n"),
        ("value", 9, HEAD + "test_cases:\n  - id: c1\n    scorers: [{type: max_words, value: 1,\n      value: 2}]\n"),
        ("temperature", 8, HEAD + "inference:\n  temperature: 0\n  temperature: 1\ntest_cases: []\n"),
        ("tags", 9, HEAD + "test_cases:\n  - id: c1\n    tags: [a]\n    tags: [b]\n"),
    ],
)
def test_a_key_that_stands_twice_is_an_error_of_its_line(
    desk: Any, command: str, key: str, line: int, text: str
) -> None:
    desk.write("b.yaml", text)
    done = desk(command, "b.yaml")
    assert done.returncode == 1
    assert any(f"b.yaml:{line}:" in said and repr(key) in said for said in done.said.splitlines()), done.said
    assert not desk.records()


def test_a_key_that_stands_twice_is_an_error_in_every_kind_of_file(desk: Any) -> None:
    desk.write("b.json", '{"name": "a", "name": "b", "models": [], "prompts": [], "test_cases": []}')
    desk.write("rows.json", '[{"id": "a", "question": "x", "question": "y"}]')
    desk.write("rows.jsonl", '{"id": "a", "question": "w"}\n{"id": "b", "question": "x", "question": "y"}\n')
    desk.write("rows.yaml", "- id: a\n  question: x\n  question: y\n")
    desk.write("rows.csv", "id,question,question\na,x,y\n")
    assert "'name'" in desk("validate", "b.json").said
    for name in ("rows.json", "rows.jsonl", "rows.yaml", "rows.csv"):
        desk.write("rows-of.json", dataset(name))
        done = desk("run", "rows-of.json")
        assert done.returncode == 1
        assert "'question'" in done.said
        assert name in done.said
    assert not desk.records()


@pytest.mark.parametrize(
    ("name", "suite", "twice"),
    [
        ("e.yaml", "name: e\ntarget: {provider: mock}\nfail_under: 1.0\nfail_under: 0.0\ntasks: []\n", "fail_under"),
        ("v.yaml", "model: m\ncases:\n  - name: a\n    prompt: x\n    prompt: y\n    criteria: []\n", "prompt"),
        ("steelyard.yaml", "concurrency: 1\nconcurrency: 9\n", "concurrency"),
    ],
)
def test_a_key_that_stands_twice_is_an_error_in_what_other_tools_and_settings_say_too(
    desk: Any, name: str, suite: str, twice: str
) -> None:
    desk.write(name, suite)
    desk.write("b.yaml", HEAD + "test_cases: [{id: c, variables: {q: x}, scorers: [{type: max_words, value: 9}]}]\n")
    done = desk("run", "b.yaml" if name == "steelyard.yaml" else name)
    assert (done.returncode, desk.records()) == (1, [])
    assert name in done.said
    assert repr(twice) in done.said


def test_what_is_merged_in_may_be_overridden(desk: Any) -> None:
    desk.write(
        "b.yaml",
        HEAD + "x-defaults: &defaults {evaluation: exact_match, expected_output: hi, variables: {q: hi}}\n"
        "test_cases:\n  - {<<: *defaults, id: a}\n"
        "  - {<<: *defaults, id: b, variables: {q: ho}, expected_output: ho}\n",
    )
    done = desk("run", "b.yaml")
    assert done.returncode == 0, done.said
    assert responses(desk) == {"a": "hi", "b": "ho"}


# H17


WORDS = ["yes", "no", "on", "off", "Yes", "NO", "On", "OFF", "y", "n"]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_that_yaml_may_take_for_a_boolean_never_becomes_another(desk: Any, word: str) -> None:
    desk.write(
        "b.yaml",
        HEAD + f"test_cases:\n  - {{id: c1, variables: {{q: {word}}}, expected_output: {word}, "
        f"scorers: [exact_match, {{type: contains, value: [{word}]}}]}}\n",
    )
    done = desk("run", "b.yaml")
    if done.returncode == 0:
        assert responses(desk) == {"c1": word}
        assert desk.cases()["c1"]["expected"] == word
    else:
        assert not desk.records()
        assert "expected_output" in done.said
        assert "quote" in done.said


@pytest.mark.parametrize("word", ["true", "False", "TRUE"])
def test_a_real_boolean_where_text_is_wanted_is_refused_and_in_a_prompt_warned_of(desk: Any, word: str) -> None:
    desk.write(
        "b.yaml",
        HEAD + f"test_cases:\n  - {{id: c1, variables: {{q: {word}}}, expected_output: {word}, "
        "evaluation: exact_match}\n",
    )
    done = desk("run", "b.yaml")
    assert (done.returncode, desk.records()) == (1, [])
    assert "quote" in done.said
    desk.write(
        "c.yaml",
        HEAD.replace("{{ q }}", "{{ labels }}") + f"variables: {{labels: [{word}, maybe]}}\n"
        "test_cases:\n  - {id: c1, scorers: [{type: max_words, value: 9}]}\n",
    )
    assert "c.yaml:6:21: variables.labels: holds true or false" in desk("run", "c.yaml").stderr


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "test_cases: [{id: NO, variables: {q: x}, scorers: [{type: max_words, value: 3}]}]\n",
        HEAD + "test_cases: [{id: c, variables: {q: x}, tags: [SE, NO], scorers: [{type: max_words, value: 3}]}]\n",
        HEAD + "test_cases: [{id: c, variables: {q: x, on: y}, scorers: [{type: max_words, value: 3}]}]\n",
        HEAD + "test_cases: [{id: c, variables: {q: x, 1: y}, scorers: [{type: max_words, value: 3}]}]\n",
        HEAD + "test_cases: [{id: c, variables: {q: x}, evaluation: no}]\n",
        HEAD + "test_cases: [{id: c, variables: {q: x}, expected_output: 1_000, evaluation: exact_match}]\n",
        HEAD + "test_cases: [{id: c, variables: {q: x}, scorers: [{type: contains, value: 10}]}]\n",
        HEAD.replace("echo", "4.10") + "test_cases: [{id: c, scorers: [{type: max_words, value: 3}]}]\n",
        HEAD.replace("v1", "1") + "test_cases: [{id: c, variables: {q: x}, scorers: [{type: max_words, value: 3}]}]\n",
    ],
)
def test_whatever_else_yaml_reads_as_no_text_is_refused_where_text_is_meant(desk: Any, text: str) -> None:
    desk.write("b.yaml", text)
    for command in ("validate", "run"):
        done = desk(command, "b.yaml")
        assert (done.returncode, desk.records()) == (1, [])
        assert "quote it" in done.said


def test_a_word_that_yaml_takes_for_a_boolean_is_not_sent_without_a_warning(online: Any, api: Any) -> None:
    api.reply("x")
    for written, sent, warned in (("[no, END]", [False, "END"], True), ('["no", END]', ["no", "END"], False)):
        online.write(
            "b.yaml",
            HEAD.replace("{id: echo, provider: mock}", "'openai:m'")
            + f"inference: {{params: {{stop: {written}, logprobs: true}}}}\n"
            + "test_cases: [{id: c, variables: {q: x}, scorers: [{type: max_words, value: 3}]}]\n",
        )
        done = online("run", "b.yaml", "--no-cache")
        assert done.returncode == 0, done.said
        assert api.requests[-1].json["stop"] == sent
        assert ("is no, which is sent as false" in done.stderr) is warned
        assert "logprobs" not in done.stderr


@pytest.mark.parametrize(("written", "rendered"), [("012", "10"), ("1.10", "1.1"), (".inf", "inf"), ("1e3", "1000.0")])
def test_a_number_that_a_prompt_shows_otherwise_than_it_is_written_is_warned_of(
    desk: Any, written: str, rendered: str
) -> None:
    desk.write(
        "b.yaml",
        HEAD + f"test_cases: [{{id: c, variables: {{q: {written}}}, scorers: [{{type: max_words, value: 3}}]}}]\n",
    )
    done = desk("run", "b.yaml")
    shown = responses(desk)["c"]
    assert shown in (written, rendered)
    assert shown == written or f'"{written}"' in done.stderr, done.said


# H18


def test_a_date_stays_as_it_is_written(desk: Any) -> None:
    desk.write(
        "b.yaml",
        HEAD.replace("{{ q }}", "Due {{ due }}, at {{ at }}, {{ clock }}.")
        + "test_cases:\n  - id: c1\n    variables: {due: 2024-01-15, at: 2024-01-15T10:00:00Z, clock: 12:30:00}\n"
        "    expected_output: 2024-01-15\n    scorers: [{type: contains}]\n"
        "  - {id: c2, variables: {due: 2024-99-99, at: '', clock: ''}, tags: [2024-01-15],\n"
        "     metadata: {day: 2024-01-15}, scorers: [{type: max_words, value: 99}]}\n",
    )
    done = desk("run", "b.yaml")
    assert done.returncode == 0, done.said
    sent = responses(desk)
    assert sent["c1"] == "Due 2024-01-15, at 2024-01-15T10:00:00Z, 12:30:00."
    assert sent["c2"].startswith("Due 2024-99-99,")
    assert desk.cases()["c1"]["expected"] == "2024-01-15"


def test_dates_and_clock_times_stay_as_they_are_written_wherever_they_stand(desk: Any) -> None:
    desk.write(
        "b.yaml",
        HEAD.replace("name: demo", "name: 2024-01-15")
        + "test_cases:\n  - {id: 1:30, variables: {q: 12:30}, expected_output: 12:30, evaluation: exact_match,\n"
        "     tags: [1:30:20], reference: 2024-01-15, metadata: {2024-01-15: 2024-01-15 10:00:00}}\n"
        "  - {id: 2024-01-15, variables: {q: 2024-01-15}, scorers: [{type: contains, value: 2024-01-15}]}\n",
    )
    done = desk("run", "b.yaml")
    assert done.returncode == 0, done.said
    assert responses(desk) == {"1:30": "12:30", "2024-01-15": "2024-01-15"}
    assert all(case["match_result"] for case in desk.cases().values())
    assert desk.record()["benchmark"] == "2024-01-15"
    desk.write("rows.yaml", "- {id: 2024-01-15, question: 2024-01-15T10:00:00+02:00}\n- {id: b, question: 1:30}\n")
    desk.write("rows.csv", "id,question\n2024-01-15,2024-01-15T10:00:00+02:00\nb,1:30\n")
    for name in ("rows.yaml", "rows.csv"):
        desk.write("b.json", dataset(name))
        assert desk("run", "b.json").returncode == 0
        assert responses(desk) == {"2024-01-15": "2024-01-15T10:00:00+02:00", "b": "1:30"}


# H19, H20


def test_a_cell_of_any_length_is_read(desk: Any) -> None:
    long = "x" * 200_000
    desk.write("rows.csv", f'id,question\n1,"{long}"\n2,short\n')
    desk.write("rows.tsv", f"id\tquestion\n1\t{long}\n2\tshort\n")
    desk.write("rows.jsonl", f'{{"id": 1, "question": "{long}"}}\n{{"id": 2, "question": "short"}}\n')
    desk.write("rows.yaml", f"- {{id: '1', question: {long}}}\n- {{id: '2', question: short}}\n")
    for name in ("rows.csv", "rows.tsv", "rows.jsonl", "rows.yaml"):
        desk.write("b.json", dataset(name, cache=False))
        assert desk("run", "b.json").returncode == 0
        assert responses(desk) == {"1": long, "2": "short"}


def test_a_header_of_any_length_and_many_columns_are_read(desk: Any) -> None:
    names = ["id", "question", "n" * 200_000, *(f"c{number}" for number in range(5000))]
    desk.write("rows.csv", ",".join(names) + "\n" + ",".join(["1", "here", *["x"] * 5001]) + "\n")
    desk.write("b.json", dataset("rows.csv"))
    assert desk("run", "b.json").returncode == 0
    assert responses(desk) == {"1": "here"}


def test_quotes_and_line_ends_inside_a_cell_are_kept(desk: Any) -> None:
    desk.write("rows.csv", 'id,question\n1,"one\ntwo, with ""quotes"""\n2,plain\n3,"a\r\nb"\n4,"{""a"":1,""b"":2}"\n')
    desk.write("b.json", dataset("rows.csv"))
    assert desk("run", "b.json").returncode == 0
    assert responses(desk) == {
        "1": 'one\ntwo, with "quotes"',
        "2": "plain",
        "3": "a\r\nb",
        "4": '{"a":1,"b":2}',
    }


@pytest.mark.parametrize(
    ("name", "content", "place", "words"),
    [
        ("rows.csv", 'id,question\n1,"never closed\n2,second\n3,third\n', "rows.csv:2", "quote"),
        ("rows.csv", 'id,question\n0,fine\n1,{"a":1,"b":2}\n', "rows.csv:3", "3"),
        ("rows.csv", "id,question\n1,first\n2\n", "rows.csv:3", "1"),
        ("rows.csv", 'id,question\n1,"closed"early\n', "rows.csv:2", "quote"),
        ("rows.csv", 'id,question\n1,"a"\n2,say "hi"\n3,x,y\n', "rows.csv:4", "3"),
        ("rows.csv", 'id,question\n1,"say \\"hi\\" now"\n', "rows.csv:2", "quote"),
        ("rows.csv", 'id,question\n1, "x, y"\n', "rows.csv:2", "3 cells"),
        ("rows.csv", "id;question\n1;x\n", "rows.csv:1", "','"),
        ("rows.csv", "id,question\n1,h\u00e9\n".encode("latin-1"), "rows.csv:2", "UTF-8"),
        ("rows.csv", 'id,question\n1,x\n2,"open\n3,y', "rows.csv:3", "quote"),
        ("rows.tsv", 'id\tquestion\n1\t"never closed\n2\tx\n', "rows.tsv:2", "quote"),
        ("rows.csv", "", "rows.csv", ""),
        ("rows.csv", "id,question\n", "rows.csv", ""),
        ("rows.csv", "id,question\n1,bad \0 byte\n", "rows.csv:2", ""),
        ("rows.jsonl", '{"id": "1", "question": "a"}\n{"id": "2", "quest\n', "rows.jsonl:2", ""),
        ("rows.jsonl", '{"id": "1", "question": "a"}\n[1]\n', "rows.jsonl:2", ""),
        ("rows.jsonl", '{"id": "1", "question": "a"}{"id": "2", "question": "b"}\n', "rows.jsonl:1", "extra"),
        ("rows.jsonl", '{"id": "1", "question": {"a": 1, "a": 2}}\n', "rows.jsonl:1", "twice"),
        ("rows.json", '{"rows": [{"id": "1", "question": "a"}]}', "rows.json:1", "list"),
        ("rows.json", '[{"id": "1", "question": "a"}] and more', "rows.json:1", "extra"),
        ("rows.yaml", "- {id: a, question: x}\n---\n- {id: b, question: y}\n", "rows.yaml:2", "second document"),
        ("rows.jsonl", "", "rows.jsonl", ""),
        ("rows.jsonl", '{"id": "1", "question": NaN}\n', "rows.jsonl:1", "NaN"),
        ("rows.json", '[{"id": "1"}, ', "rows.json", ""),
    ],
)
def test_a_row_that_cannot_be_read_is_named_by_its_line_and_nothing_is_run(
    desk: Any, name: str, content: str | bytes, place: str, words: str
) -> None:
    desk.write(name, content)
    desk.write("b.json", dataset(name))
    done = desk("validate", "b.json")
    assert done.returncode == 1, done.said
    assert place in done.said
    assert words in done.said
    assert "Traceback" not in done.said
    assert desk("run", "b.json").returncode == 1
    assert not desk.records()


def test_a_line_of_jsonl_ends_at_a_line_feed_only(desk: Any) -> None:
    text = "a\u2028b\u0085c\u000bd"
    desk.write("rows.jsonl", json.dumps({"id": "1", "question": text}, ensure_ascii=False) + "\r\n")
    desk.write("b.json", dataset("rows.jsonl"))
    done = desk("run", "b.json")
    assert done.returncode == 0, done.said
    assert responses(desk) == {"1": text}
