"""Kind 4: a prompt is rendered once, as its author wrote it, and what is missing is found before anything is asked."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from steelyard.testing.fake_api import Reply


def sent(desk: Any, template: str, variables: dict[str, Any], **keys: Any) -> str:
    """Render a template with variables in a run, and return what the model was sent."""
    case = {"id": "c", "variables": variables, "scorers": [{"type": "max_words", "value": 99}]}
    whole = {"name": "t", "models": [{"id": "echo", "provider": "mock"}], **keys}
    whole |= {"prompts": [{"id": "p", "template": template}], "test_cases": keys.get("test_cases", [case])}
    desk.write("t.json", whole)
    done = desk("run", "t.json")
    assert done.returncode == 0, done.said
    (case,) = desk.cases().values()
    content: str = case["prompt"][-1]["content"]
    return content


# H21

HOSTILE = [
    "Hello {{ user.name }} {# note #} {% writes %} ^{{Omega}rel } 100%} {{ 7*7 }}",
    "{% raw %}{{ x }}",
    "{{",
    "%}",
    "{#",
    "{{ cycler.__init__.__globals__ }}",
    "\\{{ escaped }}",
    "${HOME} $HOME %s {0} {name}",
    "line one\n{% if x %}\nline three",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_the_text_of_a_variable_is_never_a_template(desk: Any, text: str) -> None:
    assert sent(desk, "Sum up: {{ page }}", {"page": text}) == f"Sum up: {text}"


def test_the_text_of_a_row_is_never_a_template(desk: Any) -> None:
    rows = [{"id": f"r{number}", "page": text} for number, text in enumerate(HOSTILE)]
    desk.write("rows.jsonl", "\n".join(map(json.dumps, rows)))
    desk.write(
        "rows.csv", "id,page\n" + "".join('{},"{}"\n'.format(row["id"], row["page"].replace('"', '""')) for row in rows)
    )
    for name in ("rows.jsonl", "rows.csv"):
        desk.write(
            "t.json",
            {
                "name": "t",
                "models": [{"id": "echo", "provider": "mock"}],
                "prompts": [{"id": "p", "template": "Sum up: {{ page }}"}],
                "test_cases": {"path": name},
                "case": {"id": "{{ id }}", "expected_output": "{{ page }}", "scorers": ["contains"]},
            },
        )
        assert desk("validate", "t.json").returncode == 0
        assert desk("run", "t.json").returncode == 0
        cases = desk.cases().values()
        assert [case["prompt"][-1]["content"] for case in cases] == [f"Sum up: {text}" for text in HOSTILE]
        # What is expected is a value as well.
        assert [case["expected"] for case in cases] == HOSTILE


def test_an_answer_is_never_a_template_for_the_judge(judged: Any, api: Any) -> None:
    judged({"a": ('{"score": 5}', "{{ 7*7 }} {% for %} {# x #}")})
    (asked,) = [request.prompt for request in api.requests if request.model == "vendor/judge"]
    assert "{{ 7*7 }} {% for %} {# x #}" in asked


def test_what_a_service_a_program_and_a_system_prompt_are_told_is_never_a_template(online: Any, api: Any) -> None:
    api.route("/bot", lambda request: Reply(body={"output": request.json["text"]}))
    echo = "import sys; sys.stdout.write(sys.argv[1])"
    models = [
        {"id": "service", "provider": "http", "url": f"{api.origin}/bot", "body": {"text": "{{ prompt }}"}},
        {"id": "program", "provider": "command", "command": [sys.executable, "-c", echo, "{{ prompt }}"]},
    ]
    texts = [text for text in HOSTILE if "\n" not in text] + ["say \"hi\" \\ and 'there'", "a\nb\t$(id) `id` ; x"]
    cases = [
        {"id": str(n), "variables": {"q": text}, "scorers": [{"type": "max_words", "value": 99}]}
        for n, text in enumerate(texts)
    ]
    prompt = {"id": "p", "system": "As {{ q }}", "template": "{{ q }}"}
    online.write("t.json", {"name": "t", "models": models, "prompts": [prompt], "test_cases": cases})
    assert online("run", "t.json").returncode == 0
    for combo in range(len(models)):
        found = online.cases(combo).values()
        assert [case["response"] for case in found] == texts
        assert [case["prompt"][0]["content"] for case in found] == [f"As {text}" for text in texts]


# H22


def test_a_prompt_is_no_web_page(desk: Any) -> None:
    variables = {"q": "What's Zara's plan if a < b && c > \"d\"?", "items": ["R&D", "Q<A"]}
    rendered = sent(desk, "Question: {{ q }} | {{ items | join(', ') }}", variables)
    assert rendered == "Question: What's Zara's plan if a < b && c > \"d\"? | R&D, Q<A"


@pytest.mark.parametrize(
    ("template", "wanted"),
    [
        ("{{ q | tojson }}", '"a < b & \\"c\\" \'d\'"'),
        ("{{ items | tojson }}", '["R&D", "Q<A"]'),
        ("{{ q | upper }}", "A < B & \"C\" 'D'"),
        ("{{ q | replace('<', '>') }}", "a > b & \"c\" 'd'"),
        ("{{ items | join(q) }}", "R&Da < b & \"c\" 'd'Q<A"),
        ("{{ '%s!' | format(q) }}", "a < b & \"c\" 'd'!"),
        ("{{ '<b>' ~ q }}", "<b>a < b & \"c\" 'd'"),
    ],
)
def test_no_filter_brings_the_signs_of_web_pages_in(desk: Any, template: str, wanted: str) -> None:
    assert sent(desk, template, {"q": "a < b & \"c\" 'd'", "items": ["R&D", "Q<A"]}) == wanted


# H23


@pytest.mark.parametrize(
    ("template", "value", "wanted"),
    [
        ("Q: {{ q }}\n\nAnswer:\n", "x\r\ny", "Q: x\r\ny\n\nAnswer:\n"),
        ("{{ q }}", "ends\n", "ends\n"),
        ("  {{ q }}  ", " x ", "   x   "),
        ("{{ q }}\r\nAnswer:\r\n", "x", None),
        ("{{ q }}\n\n\n", "x", "x\n\n\n"),
        ("{% if q %}\n{{ q }}\n{% endif %}\n", "x", "\nx\n\n"),
    ],
)
def test_line_ends_are_sent_as_they_are_written(desk: Any, template: str, value: str, wanted: str | None) -> None:
    # How a line of the template itself ends on Windows is not promised, but that it ends is.
    rendered = sent(desk, template, {"q": value})
    assert rendered == wanted if wanted is not None else rendered.split() == ["x", "Answer:"]


def test_the_last_line_end_of_a_block_is_the_authors_choice(desk: Any) -> None:
    for mark, wanted in (("|", "Answer:\n"), ("|-", "Answer:"), ("|+", "Answer:\n\n")):
        desk.write(
            "b.yaml",
            f"name: t\nmodels: [{{id: echo, provider: mock}}]\nprompts:\n  - id: p\n    template: {mark}\n"
            "      Answer:\n\ntest_cases: [{id: c, scorers: [{type: max_words, value: 9}]}]\n",
        )
        assert desk("run", "b.yaml").returncode == 0
        assert desk.cases()["c"]["prompt"][-1]["content"] == wanted


# H24


@pytest.mark.parametrize("command", ["validate", "run"])
@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("Classify: {{ coment }}", "coment"),
        ("{% if lang == 'fr' %}en francais{% endif %}{{ comment }}", "lang"),
        ("{% if not lang %}x{% endif %}{{ comment }}", "lang"),
        ("{{ comment if lang else comment }}", "lang"),
        ("{% for x in itms %}{{ x }}{% endfor %}{{ comment }}", "itms"),
        ("{{ comment.lenght }}", "lenght"),
        ("{{ missing | upper }}{{ comment }}", "missing"),
        ("{{ [missing] | join }}{{ comment }}", "missing"),
        ("{{ missing ~ comment }}", "missing"),
        ("{{ missing == comment }}", "missing"),
    ],
)
def test_a_name_that_nothing_fills_stops_everything(desk: Any, command: str, template: str, name: str) -> None:
    desk.write(
        "t.json",
        {
            "name": "t",
            "models": [{"id": "echo", "provider": "mock"}],
            "prompts": [{"id": "sorter", "template": template}],
            "test_cases": [
                {"id": "late", "variables": {"comment": "late"}, "expected_output": "x", "evaluation": "exact_match"}
            ],
        },
    )
    done = desk(command, "t.json")
    assert (done.returncode, desk.records()) == (1, [])
    assert name in done.said
    assert "sorter" in done.said
    assert "late" in done.said
    if name == "coment":
        assert "did you mean 'comment'?" in done.said


@pytest.mark.parametrize("command", ["validate", "run"])
@pytest.mark.parametrize(
    "model",
    [
        {"provider": "http", "url": "http://127.0.0.1:1/", "body": {"text": "{{ promt }}"}},
        {"provider": "http", "url": "http://127.0.0.1:1/{{ promt }}"},
        {"provider": "http", "url": "http://127.0.0.1:1/", "body": {"deep": [{"text": "x {{ vars.promt }}"}]}},
        {"provider": "command", "command": ["echo", "{{ promt }}"]},
        {"provider": "command", "command": "echo {{ promt }}"},
    ],
)
def test_a_name_that_nothing_fills_in_what_a_service_or_a_program_is_told_stops_everything(
    desk: Any, command: str, model: dict[str, Any]
) -> None:
    scorers = [{"type": "max_words", "value": 9}]
    whole = {
        "name": "t",
        "models": [{"id": "bot", **model}],
        "prompts": [{"id": "p", "template": "x"}],
        "test_cases": [{"id": f"c{n}", "variables": {"prompts": n}, "scorers": scorers} for n in range(30)],
    }
    desk.write("t.json", whole)
    done = desk(command, "t.json")
    assert (done.returncode, desk.records()) == (1, [])
    assert "nothing is called 'promt'; did you mean 'prompt" in done.said
    assert "model 'bot', case 'c0'" in done.said
    assert len(done.said.splitlines()) < 30
    # One that every case has is as good as a prompt.
    for case in whole["test_cases"]:
        case["variables"]["promt"] = "y"
    desk.write("t.json", whole)
    assert desk("validate", "t.json").returncode == 0


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"prompts": [{"id": "p", "system": "Be {{ tonee }}.", "template": "x"}]}, "tonee"),
        ({"prompts": [{"id": "p", "template": "{{ user.nmae }}"}], "variables": {"user": {"name": "x"}}}, "nmae"),
        ({"prompts": [{"id": "p", "template": "{{ user['nmae'] }}"}], "variables": {"user": {"name": "x"}}}, "nmae"),
        ({"prompts": [{"id": "p", "template": "{% if u.vip %}v{% endif %}"}], "variables": {"u": {"name": 1}}}, "vip"),
        ({"prompts": [{"id": "p", "template": "{% if false %}{{ nope }}{% endif %}"}]}, "nope"),
        ({"prompts": [{"id": "p", "template": "{{ q | replace('x', nope) }}"}]}, "nope"),
        ({"prompts": [{"id": "p", "template": "{{ q | uper }}"}]}, "upper"),
        ({"prompts": [{"id": "p", "template": "{% for x in [1] %}{% endfor %}{{ x }}"}]}, "x"),
        ({"prompts": [{"id": "p", "template": "{{ l[3] }}"}], "variables": {"l": ["a"]}}, "3"),
        ({"providers": {"openai": {"base_url": "${NO_SUCH_URL}/v1"}}, "models": ["openai:m"]}, "NO_SUCH_URL"),
        ({"test_cases": {"path": "r.jsonl"}, "case": {"id": "{{ idd }}", "scorers": ["exact_match"]}}, "idd"),
    ],
)
def test_a_name_that_nothing_fills_is_found_wherever_it_stands(desk: Any, changes: dict[str, Any], name: str) -> None:
    desk.write("r.jsonl", '{"id": "a", "q": "x"}\n')
    scorers = [{"type": "max_words", "value": 9}]
    whole = {
        "name": "t",
        "models": [{"id": "echo", "provider": "mock"}],
        "prompts": [{"id": "p", "template": "{{ q }}"}],
        "test_cases": [{"id": "c", "variables": {"q": "x"}, "scorers": scorers}],
        **changes,
    }
    desk.write("t.json", whole)
    for command in ("validate", "run"):
        done = desk(command, "t.json")
        assert (done.returncode, desk.records()) == (1, [])
        assert name in done.stderr


def test_a_name_with_a_default_may_be_missing(desk: Any) -> None:
    template = "{{ lang | default('en') }} {% if lang is defined %}{{ lang }}{% endif %}{{ q }}"
    assert sent(desk, template, {"q": "x"}) == "en x"


def test_a_name_that_is_missing_in_one_row_of_many_is_found_before_anything_is_asked(desk: Any) -> None:
    desk.write("rows.jsonl", '{"id": "a", "q": "x"}\n{"id": "b"}\n')
    desk.write(
        "t.json",
        {
            "name": "t",
            "models": [{"id": "echo", "provider": "mock"}],
            "prompts": [{"id": "p", "template": "{{ q }}"}],
            "test_cases": {"path": "rows.jsonl"},
            "case": {"id": "{{ id }}", "scorers": [{"type": "max_words", "value": 9}]},
        },
    )
    for command in ("validate", "run"):
        done = desk(command, "t.json")
        assert (done.returncode, desk.records()) == (1, [])
        assert "'b'" in done.said
