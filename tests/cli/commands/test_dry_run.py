"""What ``run --dry-run`` says a run would cost. Sums are worked out by hand from the prices of the catalog."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from steelyard.testing.fake_api import Reply, catalog_entry

SEED = Path(__file__).parents[2] / "fixtures" / "quickstart-seed.yaml"


def benchmark(**top: object) -> str:
    """Four characters of prompt, one case."""
    return json.dumps(
        {
            "name": "Tiny",
            "models": ["vendor/small"],
            "prompts": [{"id": "v1", "template": "abcd"}],
            "inference": {"max_tokens": 100},
            "test_cases": [{"id": "a", "expected_output": "x", "evaluation": "exact_match"}],
            **top,
        }
    )


JUDGED = {"test_cases": [{"id": "a", "criteria": "Polite", "evaluation": "llm_judge"}]}


def cells(done: Any) -> dict[tuple[str, str], list[str]]:
    """Return prompt tokens, completion tokens and cost of each combo in the table."""
    lines = done.stdout.splitlines()
    heading = next(number for number, line in enumerate(lines) if line.startswith("Model"))
    rows: dict[tuple[str, str], list[str]] = {}
    for line in lines[heading + 1 :]:
        if line.startswith(("Judge cost", "Estimated")):
            break
        model, prompt, *figures = line.split()
        rows[model, prompt] = figures
    return rows


def without_judge(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    path.write_text(
        text.replace('evaluation: "llm_judge"', 'evaluation: "exact_match"\n    expected_output: x'), "utf-8"
    )


def test_the_quickstart_of_the_seed_has_its_promised_tokens(keyless):
    shutil.copy(SEED, keyless.folder / "b.yaml")

    done = keyless("run", "b.yaml", "--dry-run")

    assert done.returncode == 0, done.stderr
    rows = cells(done)
    assert len(rows) == 6
    for (_model, prompt), (prompt_tokens, completion_tokens, _cost) in rows.items():
        assert (prompt_tokens, completion_tokens) == ("191" if prompt == "v1" else "246", "800")


def test_the_calls_of_a_model_cost_what_its_prices_say_before_a_judge_takes_its_share(keyless):
    shutil.copy(SEED, keyless.folder / "b.yaml")
    without_judge(keyless.folder / "b.yaml")

    done = keyless("run", "b.yaml", "--dry-run", "-m", "openai/gpt-4o-mini")

    # (191 x 0.15 + 800 x 0.60) / 1e6 = 0.00050865, and with 246: 0.0005169.
    assert cells(done) == {
        ("openai/gpt-4o-mini", "v1"): ["191", "800", "$0.000509"],
        ("openai/gpt-4o-mini", "v2"): ["246", "800", "$0.000517"],
    }
    assert "Judge cost" not in done.stdout
    assert "Estimated total cost: $0.001026" in done.stdout  # 0.00102555


def test_the_judges_share_is_in_the_cost_of_each_combo_and_named_apart(keyless):
    shutil.copy(SEED, keyless.folder / "b.yaml")

    done = keyless("run", "b.yaml", "--dry-run")

    judge = float(line_of(done, "Judge cost (llm_judge cases): $"))
    total = float(line_of(done, "Estimated total cost: $"))
    rows = [float(row[2].removeprefix("$")) for row in cells(done).values()]
    # Four times 800 tokens at 0.60, two at 15, and the prompts at 0.15 and 3: without judging.
    own = 4 * 800 * 0.60e-6 + 2 * 800 * 15e-6 + 2 * (191 + 246) * 0.15e-6 + (191 + 246) * 3e-6
    assert total == pytest.approx(sum(rows), abs=1e-5)
    assert total - judge == pytest.approx(own, abs=1e-6)
    # Each judgement may take its whole budget: 4096 tokens at 2.50; the question comes on top.
    assert judge > 6 * 4096 * 2.5e-6


def line_of(done: Any, start: str) -> str:
    return next(line for line in done.stdout.splitlines() if line.startswith(start)).removeprefix(start)


def test_no_model_is_asked_and_the_catalog_is_kept_for_the_next_time(keyless, api, write):
    write("b.json", benchmark())
    api.catalog([catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=1.0)])

    first, second = keyless("run", "b.json", "--dry-run"), keyless("run", "b.json", "--dry-run")

    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert first.stdout == second.stdout
    assert [request.path for request in api.requests] == ["/v1/models"]
    assert (keyless.folder / ".steelyard_cache" / "models.json").is_file()
    assert not (keyless.folder / "results").exists()


def test_a_free_judge_needs_no_line_of_its_own(keyless, api, write):
    write("b.json", benchmark(evaluation={"judge_model": "vendor/judge:free"}, **JUDGED))
    api.catalog(
        [
            catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0),
            catalog_entry("vendor/judge:free", input_per_mtok=0.0, output_per_mtok=0.0),
        ]
    )

    done = keyless("run", "b.json", "--dry-run")

    assert "Judge cost" not in done.stdout
    assert "Estimated total cost: $0.001001" in done.stdout  # 1 token at 1 and 100 tokens at 10 per million


def test_an_unknown_model_is_taken_for_a_typo(keyless, write):
    write("b.json", benchmark(models=["openai/gpt-4o-mni"]))

    done = keyless("run", "b.json", "--dry-run")

    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "✗ Unknown model 'openai/gpt-4o-mni': not in the OpenRouter catalog — did you mean 'openai/gpt-4o-mini'?"
    ]


@pytest.mark.parametrize("price", ["-1", "depends", "", None])
def test_a_model_without_a_price_is_left_out_and_named(keyless, api, write, price):
    odd = {**catalog_entry("vendor/router", input_per_mtok=1.0, output_per_mtok=1.0)}
    odd["pricing"] = {"prompt": price, "completion": price}
    api.catalog([odd, catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0)])
    write("b.json", benchmark(models=["vendor/router", "vendor/small"], max_cost_usd=1))

    done = keyless("run", "b.json", "--dry-run")

    assert done.returncode == 0
    assert done.stderr == "warning: No pricing for 'vendor/router' — excluded from the estimate.\n"
    assert cells(done)["vendor/router", "v1"] == ["1", "100", "-"]
    assert "Estimated total cost: $0.001001" in done.stdout


def test_a_budget_above_what_a_model_can_write_is_capped_and_warned_about(keyless, api, write):
    small = catalog_entry(
        "vendor/small", input_per_mtok=0.0, output_per_mtok=1.0, top_provider={"max_completion_tokens": 2048}
    )
    api.catalog([small])
    write("b.json", benchmark(inference={"max_tokens": 5000}))

    done = keyless("run", "b.json", "--dry-run")

    assert done.returncode == 0
    assert cells(done)["vendor/small", "v1"] == ["1", "2048", "$0.002048"]
    assert done.stderr.strip() == (
        "warning: inference.max_tokens (5000) is above vendor/small's output limit (2048 tokens)"
        " — lower it to 2048 or less."
    )


def test_a_judges_budget_above_what_it_can_write_is_warned_about_once(keyless, api, write):
    judge = catalog_entry(
        "vendor/judge", input_per_mtok=0.0, output_per_mtok=1.0, top_provider={"max_completion_tokens": 1000}
    )
    api.catalog([catalog_entry("vendor/small", input_per_mtok=0.0, output_per_mtok=0.0), judge])
    write("b.json", benchmark(evaluation={"judge_model": "vendor/judge"}, inference={"max_tokens": 200}, **JUDGED))

    done = keyless("run", "b.json", "--dry-run")

    assert "Judge cost (llm_judge cases): $0.001000" in done.stdout
    said = [line for line in done.stderr.splitlines() if "output limit" in line]
    assert said == [
        "warning: evaluation.judge_max_tokens (4096) is above vendor/judge's output limit (1000 tokens)"
        " — lower it to 1000 or less."
    ]


@pytest.mark.parametrize(
    ("limit", "code", "line"),
    [
        # 1 prompt token at 1 and 100 at 10 per million: 0.001001.
        (10, 0, "✓ Within budget: estimate $0.001001 ≤ max_cost_usd $10.000000."),
        (0.001001, 0, "✓ Within budget: estimate $0.001001 ≤ max_cost_usd $0.001001."),
        (0.001, 1, "✗ Over budget: estimate $0.001001 > max_cost_usd $0.001000."),
        (0.0010009, 1, "✗ Over budget: estimate $0.0010010 > max_cost_usd $0.0010009."),
    ],
)
def test_the_budget_is_compared_exactly_and_the_line_never_contradicts_itself(keyless, api, write, limit, code, line):
    api.catalog([catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0)])
    write("b.json", benchmark(max_cost_usd=limit))

    done = keyless("run", "b.json", "--dry-run")

    assert (done.returncode, done.stdout.splitlines()[-1]) == (code, line)


def test_a_budget_on_the_command_line_wins_and_without_one_nothing_is_said(keyless, api, write):
    api.catalog([catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0)])
    write("b.json", benchmark(max_cost_usd=10))
    write("c.json", benchmark())

    assert keyless("run", "b.json", "--dry-run", "--max-cost", "0.001").returncode == 1
    assert "budget" not in keyless("run", "c.json", "--dry-run").stdout


def test_repeats_and_slices_are_reckoned_with(keyless, api, write):
    cases = [{"id": f"c{n}", "expected_output": "x", "evaluation": "exact_match"} for n in range(3)]
    api.catalog([catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0)])
    write("b.json", benchmark(test_cases=cases))

    done = keyless("run", "b.json", "--dry-run", "--limit", "2", "-n", "5")

    # Eight characters are 2 tokens; two cases, five times each.
    assert cells(done)["vendor/small", "v1"][:2] == ["10", "1000"]


def test_answers_without_a_limit_have_no_ceiling_to_reckon_with(keyless, api, write):
    open_ended = catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0, top_provider={})
    api.catalog([open_ended])
    write("b.json", benchmark(inference={}))

    done = keyless("run", "b.json", "--dry-run")

    assert cells(done)["vendor/small", "v1"] == ["1", "-", "-"]
    assert done.stderr == (
        "warning: No output limit for 'vendor/small' — excluded from the estimate; set inference.max_tokens.\n"
    )


def test_a_catalog_that_cannot_be_had_is_a_warning_and_not_an_unknown_model(keyless, api, write):
    api.catalog(Reply(status=500, error="down"))
    write("b.json", benchmark())

    done = keyless("run", "b.json", "--dry-run")

    assert done.returncode == 0
    assert "no model catalog from provider 'openrouter'" in done.stderr
    assert "Unknown model" not in done.stderr


def test_a_key_that_no_header_can_hold_is_told_before_it_costs_a_run(keyless, api, write):
    api.catalog([catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0)])
    write("b.json", benchmark())

    done = keyless("run", "b.json", "--dry-run", env={"OPENROUTER_API_KEY": "sk-or-abc…"})

    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("warning: provider 'openrouter': OPENROUTER_API_KEY holds")


def test_a_model_played_by_rules_costs_nothing(desk, write):
    write("b.json", benchmark(models=[{"id": "parrot", "provider": "mock"}], inference={}, max_cost_usd=0))

    done = desk("run", "b.json", "--dry-run")

    assert (done.returncode, done.stderr) == (0, "")
    assert "Estimated total cost: $0.000000" in done.stdout
    assert "✓ Within budget" in done.stdout


def test_a_mistaken_file_is_refused_as_by_a_run(keyless, api, write):
    write("b.json", benchmark(modles=[]))

    done = keyless("run", "b.json", "--dry-run")

    assert (done.returncode, done.stdout, api.count) == (1, "", 0)
    assert "did you mean 'models'?" in done.stderr
    assert done.stderr.splitlines()[-1] == "error: b.json: 1 error"


def test_a_judge_without_an_output_budget_has_an_unknown_price_and_breaks_nothing(keyless, api, write):
    open_ended = catalog_entry("vendor/judge", input_per_mtok=1.0, output_per_mtok=10.0, top_provider={})
    api.catalog([catalog_entry("vendor/small", input_per_mtok=1.0, output_per_mtok=10.0), open_ended])
    scorer = {"type": "llm_judge", "model": "vendor/judge", "max_tokens": None, "criteria": "Polite"}
    write("b.json", benchmark(test_cases=[{"id": "a", "scorers": [scorer]}]))

    done = keyless("run", "b.json", "--dry-run")

    assert done.returncode == 0, done.stderr
    assert "Judge cost" not in done.stdout


def turns(*texts: str | None) -> list[dict[str, str | None]]:
    return [{"role": "user" if number % 2 == 0 else "assistant", "content": text} for number, text in enumerate(texts)]


CONVERSATION = {
    "models": [{"id": "m", "provider": "mock", "pricing": {"input_per_mtok": 10, "output_per_mtok": 1000}}],
    "test_cases": [
        {
            "id": "a",
            "turns": turns("w" * 400, None, "x" * 40, "It is.", "y" * 34, None),
            "expected_output": "x",
            "evaluation": "exact_match",
        }
    ],
}


def test_every_answer_of_a_conversation_is_counted_with_all_that_was_said_before(desk):
    desk.write("b.yaml", benchmark(**CONVERSATION))
    desk.write("r.yaml", benchmark(**CONVERSATION, repeat=2))

    once, twice = desk("run", "b.yaml", "--dry-run"), desk("run", "r.yaml", "--dry-run")

    # 400 characters for the first answer, 400 + 40 + 6 + 34 and the first answer of 100 tokens for the second:
    # 880 / 4 + 100 = 320 tokens; two answers of 100. (320 x 10 + 200 x 1000) / 1e6 = 0.2032.
    assert cells(once) == {("m", "v1"): ["320", "200", "$0.203200"]}
    assert cells(twice) == {("m", "v1"): ["640", "400", "$0.406400"]}


def test_a_conversation_that_ends_with_the_user_has_one_answer_more(desk):
    case = {**CONVERSATION["test_cases"][0], "turns": turns("w" * 400, "It is.", "y" * 34)}
    desk.write("b.yaml", benchmark(models=CONVERSATION["models"], test_cases=[case]))

    assert cells(desk("run", "b.yaml", "--dry-run"))["m", "v1"][:2] == ["110", "100"]


def test_a_judge_of_a_conversation_reads_all_of_it(desk):
    judge = {"id": "j", "provider": "mock", "pricing": {"input_per_mtok": 1_000_000, "output_per_mtok": 0}}
    costs = []
    for texts in (("w" * 400, None), ("w" * 400, None, "x" * 400, None)):
        case = {"id": "a", "turns": turns(*texts), "criteria": "Polite", "evaluation": "llm_judge"}
        suite = benchmark(
            models=CONVERSATION["models"], judges=[judge], evaluation={"judge_model": "j"}, test_cases=[case]
        )
        desk.write("b.yaml", suite)
        done = desk("run", "b.yaml", "--dry-run")
        line = next(line for line in done.stdout.splitlines() if line.startswith("Judge cost"))
        costs.append(float(line.rpartition("$")[2]))

    # At a dollar a token: another answer of 100 tokens, and 400 characters with "user: " and a blank line before them.
    assert costs[1] - costs[0] == pytest.approx(100 + 408 / 4, abs=1)


def test_a_plan_counts_the_turns_too(desk):
    desk.write("b.yaml", benchmark(**CONVERSATION))

    planned = json.loads(desk("plan", "b.yaml", "--format", "json").stdout)

    (size, *_) = planned["sizes"]
    assert size["cost_usd"] == pytest.approx(0.2032 * size["cases"])


def test_the_turns_of_a_suite_of_the_eval_tool_are_counted(desk):
    suite = {
        "name": "s",
        "provider": "mock",
        "model": "m",
        "max_tokens": 10,
        "cases": [
            {"turns": turns("w" * 400, None, "x" * 400, None), "criteria": [{"type": "contains", "value": "x"}]},
        ],
    }
    desk.write("s.yaml", json.dumps(suite))

    # 100 tokens, then 200 and the answer of 10; two answers.
    assert cells(desk("run", "s.yaml", "--dry-run"))["mock:m", "default"][:2] == ["310", "20"]


PAID = {"id": "paid", "provider": "mock", "default": "x", "cost_usd": 0.05}


def test_a_fixed_cost_of_each_call_is_what_it_is_estimated_by(desk, write):
    cases = [{"id": name, "expected_output": "x", "evaluation": "exact_match"} for name in "ab"]
    write("b.json", benchmark(models=[PAID], test_cases=cases, repeat=3, max_cost_usd=0.29))

    done = desk("run", "b.json", "--dry-run")

    # Two cases, three times each: 6 · 0.05.
    assert "Estimated total cost: $0.300000" in done.stdout
    assert done.stdout.splitlines()[-1] == "✗ Over budget: estimate $0.300000 > max_cost_usd $0.290000."
    assert done.returncode == 1


def test_a_fixed_cost_wins_over_prices_of_tokens_as_it_does_in_a_run(desk, write):
    priced = {**PAID, "pricing": {"input_per_mtok": 1, "output_per_mtok": 2}}
    write("b.json", benchmark(models=[priced]))

    assert "Estimated total cost: $0.050000" in desk("run", "b.json", "--dry-run").stdout
    record = desk.folder / "record.json"
    assert desk("run", "b.json", "-o", str(record)).returncode == 0
    assert json.loads(record.read_text("utf-8"))["results"][0]["total_cost"] == 0.05


def test_a_judge_with_a_fixed_cost_is_estimated_by_it_too(desk, write):
    judge = {**PAID, "id": "judge", "default": '{"reasoning": "", "score": 5}', "cost_usd": 0.02}
    write("b.json", benchmark(models=[PAID], judges=[judge], evaluation={"judge_model": "judge"}, **JUDGED))

    done = desk("run", "b.json", "--dry-run")

    assert "Judge cost (llm_judge cases): $0.020000" in done.stdout
    assert "Estimated total cost: $0.070000" in done.stdout


def test_a_model_without_any_cost_is_free(desk, write):
    write("b.json", benchmark(models=[{**PAID, "cost_usd": 0}]))

    assert "Estimated total cost: $0.000000" in desk("run", "b.json", "--dry-run").stdout
