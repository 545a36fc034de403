from __future__ import annotations

import pytest
import steelyard_readability as plugin
from steelyard_readability import ReadabilitySettings

from steelyard.api import ScorerUse
from steelyard.errors import UsageError
from steelyard.testing import make_benchmark, make_context, scorer_checks, session_with, wanted
from steelyard.testing.fakes import ScriptedProvider

(SPEC,) = plugin.steelyard_register_scorers()

# Sentences with the values that Wikipedia's page on Flesch's tests publishes for them.
CAT = "The cat sat on the mat."  # ease 116
PASSAGE = "This sentence, taken as a reading passage unto itself, is being used to prove a point."  # ease 69
PLATYPUS = "The Australian platypus is seemingly a hybrid of a mammal and reptilian creature."  # ease 37.5, grade 11.3

PLAIN = ReadabilitySettings(at_least=60)
SCHOOL = ReadabilitySettings(measure="grade", at_most=8)

WANTED = [
    wanted(CAT, passed=True, value=1.0, says="reading ease 116.1, wanted at least 60"),
    wanted(PASSAGE, passed=True, value=1.0, says="reading ease 69.0"),
    # 13 words, 24 syllables: 206.835 - 13.195 - 156.184615 = 37.455385, which is 22.544615 below 60.
    wanted(
        PLATYPUS,
        passed=False,
        value=1 - (60 - (206.835 - 1.015 * 13 - 84.6 * 24 / 13)) / 50,
        says="13 words, 1 sentences, 24 syllables",
    ),
    # 5.07 + 21.784615 - 15.59 = 11.264615, which is 3.264615 above 8.
    wanted(
        PLATYPUS,
        passed=False,
        value=1 - (0.39 * 13 + 11.8 * 24 / 13 - 15.59 - 8) / 10,
        says="grade 11.3",
        settings=SCHOOL,
    ),
    wanted(CAT, passed=True, settings=SCHOOL),
    wanted(
        CAT, passed=False, says="at least 60 and at most 100", settings=ReadabilitySettings(at_least=60, at_most=100)
    ),
    wanted(PASSAGE, passed=True, settings=ReadabilitySettings(at_least=60, at_most=100)),
    wanted("Antidisestablishmentarianism notwithstanding.", passed=False, value=0.0),
    wanted(" ... ", passed=False, value=0.0, says="no word"),
]


@pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED, settings=PLAIN))
def test_the_scorer_keeps_the_contract(check):
    check()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (ReadabilitySettings(), "give 'at_least', 'at_most' or both"),
        (ReadabilitySettings(at_least=70, at_most=60), "'at_least' 70 is above 'at_most' 60"),
    ],
)
def test_bounds_between_which_nothing_lies_are_refused(settings, message):
    with pytest.raises(UsageError, match=message):
        SPEC.create(settings, make_context())


def test_a_benchmark_uses_it_by_its_name(tmp_path):
    session = session_with(ScriptedProvider(lambda request: CAT), plugin, cwd=tmp_path, settings={"cache": False})
    use = ScorerUse(type="readability", options={"at_least": 60})

    record = session.run(make_benchmark(2, scorers=[use]))

    assert [case.passed for case in record.results[0].cases] == [True, True]
