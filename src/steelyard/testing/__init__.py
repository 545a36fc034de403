"""The kit for those who write plugins: the same that steelyard tests its own components with.

::

    from steelyard.testing import make_case, scorer_checks, wanted

Contract checks (``scorer_checks`` and its like) find what a component breaks its contract by; builders make cases,
outputs and records with as little as a test has to say about them; fakes play models, caches and reporters; a
:class:`~steelyard.testing.fake_api.FakeAPI` plays a model's server; and ``session_with`` opens a session with exactly
the components that are given. Nothing needs pytest, but ``pytest_plugins = ["steelyard.testing.fixtures"]`` in a
``conftest.py`` adds fixtures.
"""

from __future__ import annotations

from .answer_contract import answer_checks
from .builders import FixedPrompt, make_benchmark, make_case, make_context, make_output, make_uses
from .cache_contract import cache_checks
from .calling import Calls, settled
from .checks import Check, spec_checks
from .command_contract import command_checks
from .fake_api import FakeAPI, Reply
from .fakes import DictCache, FakeAsk, RecordingReporter, ScriptedProvider
from .format_contract import format_checks
from .hostile_records import hostile_record
from .provider_contract import SECRET, Reach, provider_checks
from .provider_trial import Asked, asked
from .reporter_contract import reporter_checks
from .run_builders import make_case_result, make_case_run, make_combo, make_plan, make_record
from .scorer_contract import scorer_checks
from .scorer_trial import Wanted, wanted
from .sessions import session_with

__all__ = [
    "SECRET",
    "Asked",
    "Calls",
    "Check",
    "DictCache",
    "FakeAPI",
    "FakeAsk",
    "FixedPrompt",
    "Reach",
    "RecordingReporter",
    "Reply",
    "ScriptedProvider",
    "Wanted",
    "answer_checks",
    "asked",
    "cache_checks",
    "command_checks",
    "format_checks",
    "hostile_record",
    "make_benchmark",
    "make_case",
    "make_case_result",
    "make_case_run",
    "make_combo",
    "make_context",
    "make_output",
    "make_plan",
    "make_record",
    "make_uses",
    "provider_checks",
    "reporter_checks",
    "scorer_checks",
    "session_with",
    "settled",
    "spec_checks",
    "wanted",
]
