"""Options of a component become its settings, or every fault is told with its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from steelyard._config.options import canonical, fill, fill_mapping
from steelyard.api import JsonMapping, JsonValue, NoSettings, option
from steelyard.errors import Problem, UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """A part of the settings."""

    input: float = option(1, doc="Dollars.", above=0)
    unit: str = option(doc="What it is for.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeSettings:
    """One field of each kind."""

    model: str = option(doc="Which model.")
    retries: int = option(3, doc="How often.", minimum=0, maximum=5)
    timeout_s: float | None = option(None, doc="How long.", above=0)
    strict: bool = option(default=False, doc="Whether.")
    mode: Literal["on", "fast", "slow"] = option("fast", doc="How.")
    value: str | tuple[str, ...] | None = option(None, doc="One or several.")
    weights: tuple[float, ...] = option((), doc="How much.", minimum=0)
    anything: JsonValue = option(None, doc="Whatever.")
    params: JsonMapping = option(default_factory=dict, doc="Further fields.")
    headers: Mapping[str, str] = option(default_factory=dict, doc="Sent along.")
    price: Price | None = option(None, doc="What it costs.")
    api_key: str | None = option(None, doc="The key.", secret=True)


RIGHT = """
model: m
retries: 0
timeout_s: 2
strict: true
mode: slow
value: [a, b]
weights: [1, 0.5]
anything: [1, {a: null}, "x"]
params: {top_p: 0.9, stop: [a], nested: {k: 1}}
headers: {X-Team: blue}
price: {unit: token}
api_key: sk-1
_note: mine
x-anchor: mine too
"""


def test_right_options_become_settings_of_the_declared_types(document: Any, problems: list[Problem]) -> None:
    settings = fill(ProbeSettings, document(RIGHT))

    assert problems == []
    assert settings == ProbeSettings(
        model="m",
        retries=0,
        timeout_s=2.0,
        strict=True,
        mode="slow",
        value=("a", "b"),
        weights=(1.0, 0.5),
        anything=[1, {"a": None}, "x"],
        params={"top_p": 0.9, "stop": ["a"], "nested": {"k": 1}},
        headers={"X-Team": "blue"},
        price=Price(unit="token"),
        api_key="sk-1",
    )
    assert [type(weight) for weight in settings.weights] == [float, float]


def test_every_fault_is_told_in_one_go_with_its_place(document: Any, problems: list[Problem]) -> None:
    text = """
retries: 50.5
timeout_s: 0
strict: "yes"
mode: fats
value: 3
weights: [1, -1, .nan, "2"]
anything: {a: [.inf]}
params: [a]
headers: {X-Team: 1}
price: {input: 0, unt: x}
modle: m
"""

    assert fill(ProbeSettings, document(text)) is None
    assert [str(problem) for problem in problems] == [
        "f.yaml:2:10: retries: must be a whole number from 0 to 5, got 50.5",
        "f.yaml:3:12: timeout_s: must be a number above 0, got 0",
        "f.yaml:4:9: strict: must be true or false, got 'yes'",
        "f.yaml:5:7: mode: must be one of 'on', 'fast', 'slow', got 'fats'; did you mean 'fast'?",
        "f.yaml:6:8: value: must be text, a list of texts or null, got 3; quote it",
        "f.yaml:7:14: weights[1]: must be a number of at least 0, got -1",
        "f.yaml:7:18: weights[2]: must be a number of at least 0, got nan",
        "f.yaml:7:24: weights[3]: must be a number of at least 0, got '2'",
        "f.yaml:8:16: anything.a[0]: must be a finite number, got inf",
        "f.yaml:9:9: params: must be a mapping, got ['a']",
        "f.yaml:10:19: headers.X-Team: must be text, got 1; quote it",
        "f.yaml:11:16: price.input: must be a number above 0, got 0",
        "f.yaml:11:19: price.unt: unknown key 'unt'; did you mean 'unit'?",
        "f.yaml:11:1: price: 'unit' is required",
        "f.yaml:12:1: modle: unknown key 'modle'; did you mean 'mode'?",
        "f.yaml:2:1: 'model' is required",
    ]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("retries: true", "must be a whole number from 0 to 5, got true"),
        ("retries: 3.0", "must be a whole number from 0 to 5, got 3.0"),
        ("timeout_s: true", "must be a number above 0, got true"),
        ("timeout_s: .inf", "must be a number above 0, got inf"),
        ("timeout_s: " + "1" * 400, f"must be a number above 0, got {'1' * 59}…"),
        ("model: no", "must be text, got false; quote it"),
        ("mode: on", "must be one of 'on', 'fast', 'slow', got true; quote it"),
        ("price: 3", "must be a mapping, got 3"),
        ("colour: 1", "unknown key 'colour'; known keys: anything, api_key, headers, mode, model, params, price,"),
    ],
)
def test_a_fault_says_what_is_wanted_and_what_was_given(
    document: Any, problems: list[Problem], written: str, said: str
) -> None:
    fill(ProbeSettings, document(f"model: m\n{written}" if "model" not in written else written))

    assert len(problems) == 1
    assert said in str(problems[0])


def test_a_secret_that_is_wrong_is_not_shown(document: Any, problems: list[Problem]) -> None:
    fill(ProbeSettings, document("model: m\napi_key: 123456789"))

    assert [str(problem) for problem in problems] == ["f.yaml:2:10: api_key: must be text"]


def test_null_is_absence_unless_the_option_can_be_null(document: Any, problems: list[Problem]) -> None:
    assert fill(ProbeSettings, document("model: m\nretries:\nvalue: null\n")) == ProbeSettings(model="m")
    assert fill(ProbeSettings, document("model: null")) is None
    assert [problem.message for problem in problems] == ["'model' is required"]


def test_an_absent_block_is_an_empty_one(document: Any, problems: list[Problem]) -> None:
    assert fill(NoSettings, document("")) == NoSettings()
    assert fill(NoSettings, document("[a]")) is None
    assert [str(problem) for problem in problems] == ["f.yaml:1:1: must be a mapping, got ['a']"]


def test_keys_of_somebody_else_are_left_alone(document: Any, problems: list[Problem]) -> None:
    settings = fill(ProbeSettings, document("type: probe\nweight: 2\nmodel: m"), ignore=("type", "weight"))

    assert settings == ProbeSettings(model="m")
    assert problems == []


def test_a_plain_mapping_is_told_by_its_place_and_path(problems: list[Problem]) -> None:
    given = {"retries": -1, "price": {"unit": 1}}

    assert fill_mapping(ProbeSettings, given, "f.yaml:3:5", "models[1]", problems.append) is None
    assert [str(problem) for problem in problems] == [
        "f.yaml:3:5: models[1].retries: must be a whole number from 0 to 5, got -1",
        "f.yaml:3:5: models[1].price.unit: must be text, got 1; quote it",
        "f.yaml:3:5: models[1]: 'model' is required",
    ]
    assert fill_mapping(ProbeSettings, {"model": "m"}, "", "", pytest.fail) == ProbeSettings(model="m")


@pytest.mark.parametrize("error", [ValueError("low is above high"), UsageError("low is above high")])
def test_what_the_class_itself_refuses_is_a_fault_like_any_other(
    document: Any, problems: list[Problem], error: Exception
) -> None:
    @dataclass(frozen=True, kw_only=True)
    class RangeSettings:
        low: float = option(0, doc="From.")

        def __post_init__(self) -> None:
            raise error

    assert fill(RangeSettings, document("low: 1")) is None
    assert [str(problem) for problem in problems] == ["f.yaml:1:1: low is above high"]


def test_a_field_that_no_file_can_fill_is_the_authors_mistake(document: Any) -> None:
    @dataclass(frozen=True, kw_only=True)
    class OddSettings:
        when: complex = option(0, doc="Never.")

    with pytest.raises(TypeError, match=r"^option 'when': an option cannot be of the type complex; use str"):
        fill(OddSettings, document("when: 1"))


def test_numbers_of_a_union_keep_the_type_that_the_file_gives(document: Any) -> None:
    @dataclass(frozen=True, kw_only=True)
    class UnionSettings:
        either: int | str | float = option(0, doc="Any of them.")

    found = [fill(UnionSettings, document(f"either: {text}")) for text in ("1", "1.5", "'1'")]

    assert [settings.either for settings in found if settings] == [1, 1.5, "1"]


def test_an_exponent_without_a_point_makes_a_number_only_where_no_text_may_stand(
    document: Any, problems: list[Problem]
) -> None:
    """YAML 1.1 reads 1e3 as text; YAML 1.2, JSON and people read a number."""
    document = document(
        "model: 1e3\ntimeout_s: 1e-6\nvalue: 2e1\nweights: [1E5, .5e+1, 2.e0]\nprice: {unit: x, input: 1e-3}"
    )
    settings = fill(ProbeSettings, document)

    assert problems == []
    assert (settings.model, settings.timeout_s, settings.value) == ("1e3", 0.000001, "2e1")
    assert (settings.weights, settings.price) == ((100000.0, 5.0, 2.0), Price(input=0.001, unit="x"))


@pytest.mark.parametrize("text", ["retries: 1e0", "timeout_s: -1e1", "timeout_s: 1e999", "timeout_s: '1 e1'"])
def test_a_number_with_an_exponent_keeps_the_bounds_of_its_option(
    document: Any, problems: list[Problem], text: str
) -> None:
    fill(ProbeSettings, document(f"model: m\n{text}"))

    assert len(problems) == 1


def test_the_canonical_form_leaves_secrets_out() -> None:
    settings = ProbeSettings(model="m", api_key="sk-1", price=Price(unit="u"), params={"b": 1, "a": (1, 2)})

    assert canonical(settings) == {
        "model": "m",
        "retries": 3,
        "timeout_s": None,
        "strict": False,
        "mode": "fast",
        "value": None,
        "weights": [],
        "anything": None,
        "params": {"a": [1, 2], "b": 1},
        "headers": {},
        "price": {"input": 1, "unit": "u"},
    }
    assert canonical(settings, secrets=True)["api_key"] == "sk-1"  # type: ignore[call-overload, index]


def test_equal_settings_have_equal_canonical_forms(document: Any) -> None:
    one = canonical(fill(ProbeSettings, document("{model: m, timeout_s: 1, headers: {a: x, b: y}}")))
    other = canonical(fill(ProbeSettings, document("{headers: {b: y, a: x}, timeout_s: 1.0, model: m}")))

    assert repr(one) == repr(other)
