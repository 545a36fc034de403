from __future__ import annotations

import pytest

CASES = """
    - {id: a, variables: {q: one, doc: 7}, expected_output: x, evaluation: exact_match}
    - {id: b, variables: {q: two}, metadata: {doc: "7"}, expected_output: x, evaluation: exact_match}
    - {id: c, variables: {q: three}, expected_output: x, evaluation: exact_match}
"""


def test_cases_are_clustered_by_a_variable_or_by_metadata(read, sound):
    cases = list(read(sound(cluster="doc", test_cases=CASES)).sound.cases)

    assert [case.cluster for case in cases] == ["7", "7", None]


def test_without_the_key_every_case_stands_for_itself(read, sound):
    assert [case.cluster for case in read(sound(test_cases=CASES)).sound.cases] == [None, None, None]


def test_a_variable_that_all_cases_share_makes_no_cluster(read, sound):
    reading = read(sound(cluster="doc", variables="{doc: all}", test_cases=CASES))

    assert [case.cluster for case in reading.sound.cases] == ["7", "7", None]


def test_rows_are_clustered_by_their_column(read, sound):
    rows = {"rows.csv": "id,q,doc,expected_output,evaluation\n1,a,x,y,exact_match\n2,b,x,y,exact_match\n"}

    cases = list(read(sound(cluster="doc", test_cases="rows.csv"), rows).sound.cases)

    assert [case.cluster for case in cases] == ["x", "x"]


@pytest.mark.parametrize(
    ("cluster", "said"),
    [
        ("dco", "cluster: no case has a variable or metadata key 'dco'; name one that they have, or leave it out"),
        ('""', "cluster: must not be empty"),
        ("7", "cluster: must be text, got 7; quote it"),
    ],
)
def test_a_cluster_that_no_case_has_is_refused(read, sound, cluster, said):
    (error,) = read(sound(cluster=cluster, test_cases=CASES)).errors

    assert error.endswith(said)


def test_what_is_neither_text_nor_number_is_no_cluster(read, sound):
    case = "[{id: a, variables: {q: x, doc: [1]}, expected_output: x, evaluation: exact_match}]"

    errors = read(sound(cluster="doc", test_cases=case)).errors

    assert "test_cases[0].variables.doc: must be text or a number to cluster by, got [1]" in errors[0]
