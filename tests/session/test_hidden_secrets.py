"""What a component learns after the start and asks to hide is found nowhere afterwards."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from steelyard._session.redaction import Redactor
from steelyard.api import Completion, Credentials, NoSettings, PluginContext, ProviderSpec, Request, Score
from steelyard.errors import MissingKeyError, ProviderError
from steelyard.testing import make_benchmark, session_with

TOKEN = "token-that-was-fetched"


class FetchesItsToken:
    """Learns its token with the first call, and then shows it wherever it can."""

    def __init__(self, context: PluginContext) -> None:
        self._context = context

    def complete(self, request: Request) -> Completion:
        self._context.hide(TOKEN)
        self._context.warn(f"fetched {TOKEN}")
        if request.messages[0].content == "fail":
            raise ProviderError(f"refused: {TOKEN}")
        return Completion(text=f"you sent {TOKEN}", finish_reason=TOKEN)


class Quotes:
    def score(self, case: Any, output: Any, ask: Any) -> Score:
        return Score(value=0.0, passed=False, reason=f"not wanted: {output.text} {TOKEN}")


def provider(create: Any) -> ProviderSpec[NoSettings]:
    return ProviderSpec(name="fetching", summary="A provider of a test", settings=NoSettings, create=create)


@pytest.mark.parametrize("question", ["hello", "fail"])
def test_a_secret_that_is_learnt_later_is_in_no_record_and_in_no_warning(tmp_path: Path, question: str) -> None:
    warnings: list[str] = []
    spec = provider(lambda _settings, context: FetchesItsToken(context))
    session = session_with(spec, Quotes(), cwd=tmp_path, warn=warnings.append)
    benchmark = make_benchmark(1, prompts=[question], scorers=["fake_scorer"])

    record = session.run(benchmark)

    (warning,) = warnings
    assert warning.endswith(": fetched [redacted]")
    shown = repr([record, *record.results[0].cases])
    assert "[redacted]" in shown
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert TOKEN not in shown + json.dumps([one.decode() for one in written])


def test_secrets_are_learnt_while_text_is_gone_through() -> None:
    redactor = Redactor()
    redactor.add(("the-first-secret",))
    stop = threading.Event()

    def learn() -> None:
        for number in range(300):
            redactor.add((f"secret-number-{number}",))
        stop.set()

    learner = threading.Thread(target=learn)
    learner.start()
    seen = 0
    while not stop.is_set() or not seen:
        seen += 1
        assert redactor("it is the-first-secret") == "it is [redacted]"
        assert redactor.in_bytes(b'"the-first-secret"') == b'"[redacted]"'
    learner.join()
    assert redactor("secret-number-0 secret-number-299") == "[redacted] [redacted]"


class WithoutKey(FetchesItsToken):
    def credentials(self) -> Credentials:
        return Credentials(source="A_KEY", is_set=False, problem="A_KEY is not set")


def test_a_missing_key_is_told_apart_from_other_mistakes(tmp_path: Path) -> None:
    session = session_with(provider(lambda _settings, context: WithoutKey(context)), Quotes(), cwd=tmp_path)

    with pytest.raises(MissingKeyError, match=r"^provider 'fetching': A_KEY is not set$"):
        session.run(make_benchmark(1, scorers=["fake_scorer"]))
