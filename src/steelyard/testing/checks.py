"""What a contract check is, and the checks that every kind of component shares.

A check is a function without arguments that raises ``AssertionError`` when a promise is broken. Lists of them are made
to be parametrised over::

    @pytest.mark.parametrize("check", scorer_checks(SPEC, WANTED))
    def test_the_scorer_keeps_the_contract(check):
        check()

Nothing here needs pytest: ``for check in scorer_checks(SPEC, WANTED): check()`` does as well.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable
from typing import Any

from ..session import option_faults

_NAME = re.compile(r"[a-z][a-z0-9_-]*")


class Check:
    """One promise that can be put to the test. ``str(check)`` and ``check.__name__`` say which."""

    def __init__(self, name: str, run: Callable[[], None]) -> None:
        self.__name__ = name
        self._run = run

    def __call__(self) -> None:
        """Raise ``AssertionError`` when the promise is broken, also where the component broke something else."""
        try:
            self._run()
        except AssertionError:
            raise
        except Exception as error:
            raise AssertionError(f"{self.__name__}: {type(error).__name__}: {error}") from error

    def __repr__(self) -> str:
        return self.__name__


def require(condition: object, message: str) -> None:
    """Raise ``AssertionError`` with the message unless the condition holds, also where Python runs without asserts."""
    if not condition:
        raise AssertionError(message)


def named(checks: Iterable[Callable[[], None]]) -> list[Check]:
    """Make checks of functions: their names, with spaces, are the promises."""
    return [Check(check.__name__.strip("_").replace("_", " "), check) for check in checks]


def spec_checks(spec: Any) -> list[Check]:
    """Check what a spec says about its component: its name, its summary, its options."""

    def the_name_can_be_written_in_a_file() -> None:
        require(_NAME.fullmatch(spec.name), f"{spec.name!r}: use lower case letters, digits, '_' and '-'")

    def the_summary_is_one_line() -> None:
        require(spec.summary.strip(), "the summary is empty")
        require("\n" not in spec.summary, "the summary has several lines")
        require(not spec.summary.endswith("."), "the summary ends with a full stop")

    def the_settings_are_a_frozen_dataclass() -> None:
        parameters = getattr(spec.settings, "__dataclass_params__", None)
        require(parameters is not None, f"{spec.settings!r} is no dataclass")
        require(getattr(parameters, "frozen", False), f"{spec.settings.__name__} is not frozen: settings are shared")

    def every_option_is_documented() -> None:
        for option in dataclasses.fields(spec.settings):
            require(option.metadata.get("doc"), f"option {option.name!r}: declare it with option(..., doc=...)")

    def a_file_can_give_every_option_and_every_default() -> None:
        faults = option_faults(spec)
        require(not faults, "; ".join(faults))

    checks: list[Callable[[], None]] = [the_name_can_be_written_in_a_file, the_summary_is_one_line]
    if hasattr(spec, "settings"):
        checks += [the_settings_are_a_frozen_dataclass, every_option_is_documented]
        checks.append(a_file_can_give_every_option_and_every_default)
    return named(checks)
