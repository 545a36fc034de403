"""What ``plan`` says about the size of a suite; no model is asked."""

from __future__ import annotations

import json

import pytest

SUITE = """
name: sized
models:
  - {id: one, provider: mock, default: "yes", pricing: {input_per_mtok: 1, output_per_mtok: 2}}
prompts: [{id: v1, template: "{{ q }}"}]
inference: {max_tokens: 100}
repeat: 2
test_cases:
  - {id: a, variables: {q: 1234}, expected_output: "yes", evaluation: exact_match}
  - {id: b, variables: {q: 1234}, expected_output: "yes", evaluation: exact_match}
"""
M, N = ("one", "v1"), ("two", "v1")
RUN = "2026-06-08_101500_b"


@pytest.fixture
def suite(desk):
    return str(desk.write("sized.yaml", SUITE))


def read(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_without_a_record_the_usual_scatter_is_assumed_and_said(desk, suite):
    done = desk("plan", suite, "--detect", "3")
    found = read(desk("plan", suite, "--detect", "3", "--format", "json"))

    assert done.stdout.startswith("To show a difference of 3 points in 80 % of comparisons, 95 % sure:\n")
    # Miller 2024, section 5: ω² = 1/9 and σ² = 1/6 for each of two combos.
    assert [size["cases"] for size in found["sizes"] if size["repeat"] == 1] == [3876]
    assert "3,876" in done.stdout
    assert "assumed, for want of a record" in done.stdout
    assert (found["cases"], found["repeat"]) == (2, 2)


def test_the_cost_is_that_of_the_estimate_for_so_many_answers(desk, suite):
    found = read(desk("plan", suite, "--format", "json"))

    # One token in (4 characters) and 100 out: 0.000001 + 0.0002 USD an answer.
    for size in found["sizes"]:
        assert size["answers"] == size["repeat"] * size["cases"]
        assert size["cost_usd"] == pytest.approx(size["answers"] * 0.000201)


def test_a_past_run_shows_scatter_and_cost(desk, suite, keep):
    # Gains 1, 1, 0, -1, 0: mean 0.2, variance 0.7; 7.848880 · 0.7 / 0.01 = 549.4 cases. 0.001 USD an answer.
    keep(RUN, {M: "PPPFF"})
    alone = read(desk("plan", suite, "--detect", "10", "--record", RUN, "--format", "json"))
    keep(RUN, {M: "PPPFF", N: "FFPPF"})

    done = desk("plan", suite, "--detect", "10", "--record", RUN)
    found = read(desk("plan", suite, "--detect", "10", "--record", "2026", "--format", "json"))

    assert [(size["repeat"], size["cases"]) for size in found["sizes"]] == [(1, 550)]
    assert found["variance_within"] is None
    assert f"measured between one / v1 and two / v1 in 5 cases of {RUN}" in done.stdout
    assert "the record has one run of each" in done.stdout
    assert alone["sizes"][0]["cost_usd"] == pytest.approx(0.001 * alone["sizes"][0]["answers"])


FOUR = """
name: four
models:
  - {id: big, provider: mock, default: "yes"}
  - {id: small, provider: mock, default: "yes"}
prompts: [{id: v1, template: "{{ q }}"}, {id: v2, template: "{{ q }}!"}]
inference: {max_tokens: 100}
test_cases: [{id: a, variables: {q: 1}, expected_output: "yes", evaluation: exact_match}]
"""
OF_FOUR = {("big", "v1"): "PPPPP", ("big", "v2"): "PPPPP", ("small", "v1"): "PPPFF", ("small", "v2"): "FFPPF"}


@pytest.mark.parametrize(
    ("filters", "basis", "combos"),
    [
        (("-m", "small"), "measured between small / v1 and small / v2 in 5 cases", 2),
        (("-p", "v2"), "measured between big / v2 and small / v2 in 5 cases", 2),
        (("-m", "small", "-p", "v1"), "from 5 cases of small / v1 in", 1),
        ((), "measured between big / v1 and big / v2 in 5 cases", 4),
    ],
)
def test_scatter_and_costs_of_a_record_are_those_of_the_combos_asked_for(desk, keep, filters, basis, combos):
    desk.write("four.yaml", FOUR)
    keep(RUN, OF_FOUR)

    found = read(desk("plan", "four.yaml", "--record", RUN, *filters, "--format", "json"))

    assert found["basis"].startswith(basis)
    assert found["cost_basis"] == f"as in {RUN}"
    # Each answer in the record cost 0.001 USD.
    assert found["sizes"][0]["cost_usd"] == pytest.approx(0.001 * combos * found["sizes"][0]["cases"])


def test_a_record_without_the_combos_asked_for_is_refused_with_those_it_has(desk, keep):
    desk.write("four.yaml", FOUR)
    keep(RUN, {("big", "v1"): "PPF"})

    done = desk("plan", "four.yaml", "--record", RUN, "-m", "small")

    assert (done.returncode, done.stdout) == (1, "")
    assert f"{RUN}: no combo of those models and prompts; it has big / v1" in done.stderr


def test_a_record_of_another_benchmark_is_warned_about(desk, suite, keep):
    keep(RUN, {M: "PPPFF"}, benchmark="other")
    other = desk("plan", suite, "--record", RUN)
    keep(RUN, {M: "PPPFF"}, benchmark="sized")
    same = desk("plan", suite, "--record", RUN)

    assert f"{RUN} is a run of another benchmark, 'other' and not 'sized'" in other.stderr
    assert "another benchmark" not in same.stderr


def test_a_record_in_which_no_case_tells_combos_apart_gives_the_least_sizes_and_says_so(desk, suite, keep):
    keep(RUN, {M: "PPPFF", N: "PPPFF"})

    done = desk("plan", suite, "--record", RUN)
    found = read(desk("plan", suite, "--record", RUN, "--format", "json"))

    # Of verdicts that differ by 5 points on average the variance is at least 0.05 · 0.95: 7.848880 · 0.0475 / 0.0025.
    assert [size["cases"] for size in found["sizes"]] == [150]
    assert (found["variance_between"], found["least"]) == (0.0, True)
    assert "these are the fewest cases that any such difference takes" in done.stdout


def test_a_record_whose_cases_scatter_is_not_called_the_least(desk, suite, keep):
    keep(RUN, {M: "PPPFF", N: "FFPPF"})

    assert read(desk("plan", suite, "--record", RUN, "--format", "json"))["least"] is False
    assert "fewest cases" not in desk("plan", suite, "--record", RUN).stdout


def test_a_suite_too_small_for_anything_says_so(desk, suite):
    assert "too few to show any difference" in desk("plan", suite).stdout
    assert read(desk("plan", suite, "--format", "json"))["detectable"] is None


def test_more_power_takes_more_cases(desk, suite):
    usual, more = (read(desk("plan", suite, "--format", "json", "--power", power)) for power in ("0.8", "0.9"))

    assert all(two["cases"] > one["cases"] for one, two in zip(usual["sizes"], more["sizes"], strict=True))


def test_a_record_that_tells_nothing_is_refused_in_one_line(desk, suite, keep):
    keep(RUN, {M: "E"})

    done = desk("plan", suite, "--record", RUN)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[-1].startswith(f"error: {RUN}: fewer than two scored cases")


@pytest.mark.parametrize("arguments", [("--detect", "0"), ("--detect", "101"), ("--power", "80"), ("--power", "1")])
def test_what_cannot_be_wished_for_is_wrong_usage(desk, suite, arguments):
    assert desk("plan", suite, *arguments).returncode == 2


def test_a_file_that_cannot_be_run_is_refused_with_its_problems(desk):
    desk.write("bad.yaml", "name: bad\nmodels: []\n")

    assert desk("plan", "bad.yaml").returncode == 1
