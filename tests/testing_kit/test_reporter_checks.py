"""The kit finds what is wrong with a reporter: for each fault a reporter that has it, and the check that says so."""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest

from steelyard.api import NoSettings, ReporterSpec
from steelyard.testing import reporter_checks


class Right:
    """Writes one line a case, as JSON."""

    def __init__(self, path):
        self._path = path

    def run_started(self, plan):
        pass

    def case_finished(self, result):
        pass

    def run_finished(self, record):
        lines = [self.line(combo, case) for combo in record.results for case in combo.cases]
        self.write("".join(lines) or "nothing\n")

    def line(self, combo, case):
        return json.dumps([case.id, case.passed, case.runs[0].cost_usd]) + "\n"

    def write(self, text):
        self._path.write_text(text, encoding="utf-8")


def checks_of(reporter, **options):
    spec = ReporterSpec(
        name="one", summary="One", settings=NoSettings, create=lambda _settings, context: reporter(context.output)
    )
    return reporter_checks(spec, file="out.txt", **options)


def breaks(reporter, promise, **options):
    """Whether a reporter breaks a promise."""
    (check,) = [check for check in checks_of(reporter, **options) if str(check) == promise]
    try:
        check()
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("check", checks_of(Right))
def test_a_right_reporter_breaks_no_promise(check):
    check()


class WritesTooEarly(Right):
    def __init__(self, path):
        super().__init__(path)
        self.write("")


class PrintsTooEarly(Right):
    def __init__(self, path):
        super().__init__(path)
        sys.stdout.write("hello")


class WritesNothing(Right):
    def write(self, text):
        pass


class ObeysTheText(Right):
    def line(self, combo, case):
        return f"{case.id}\n".encode("utf-8", "replace").decode()


class StumblesOverSurrogates(Right):
    def line(self, combo, case):
        return f"{case.id}\n"


class AddsUnknownCosts(Right):
    def line(self, combo, case):
        return f"{case.runs[0].cost_usd + 1:.3f} {super().line(combo, case)}"


class NeedsACase(Right):
    def run_finished(self, record):
        record.results[0].cases[0]
        super().run_finished(record)


class DividesByTheScore(Right):
    def line(self, combo, case):
        return f"{combo.score / 100:.2f} {super().line(combo, case)}"


class LeavesErrorsOut(Right):
    def line(self, combo, case):
        return super().line(combo, case) if case.error is None else ""


class ChangesTheRecord(Right):
    def run_finished(self, record):
        super().run_finished(record)
        for combo in record.results:
            for case in combo.cases:
                object.__setattr__(case, "tags", ())


class Swallows(Right):
    def write(self, text):
        try:
            super().write(text)
        except OSError:
            sys.stdout.write("could not write")


class SharesItsLines(Right):
    lines: list[str] = []  # noqa: RUF012 - the fault

    def run_started(self, plan):
        self.lines.clear()

    def case_finished(self, result):
        self.lines.append(f"{json.dumps(result.id)}\n")

    def run_finished(self, record):
        self.write("".join(self.lines))


class Garbled(Right):
    def write(self, text):
        super().write(text + "{")


@pytest.mark.parametrize(
    ("reporter", "promise"),
    [
        (WritesTooEarly, "creating it writes nothing"),
        (PrintsTooEarly, "creating it writes nothing"),
        (WritesNothing, "it reports a pass, a failure and an error"),
        (ObeysTheText, "hostile text is shown and not obeyed"),
        (StumblesOverSurrogates, "it reports hostile text"),
        (AddsUnknownCosts, "it reports unknown costs and tokens"),
        (NeedsACase, "it reports no combo"),
        (NeedsACase, "it reports a combo without cases"),
        (DividesByTheScore, "it reports nothing but errors"),
        (LeavesErrorsOut, "every case is shown"),
        (ChangesTheRecord, "the record stays as it was"),
        (SharesItsLines, "two reporters do not disturb each other"),
        (Swallows, "a file that cannot be written is an error"),
    ],
)
def test_a_wrong_reporter_is_found(reporter, promise):
    assert breaks(reporter, promise)


def test_a_file_that_its_parser_refuses_is_found():
    def read(path):
        return [json.loads(line) for line in path.read_text("utf-8").replace("nothing", "[]").splitlines()]

    for check in checks_of(Right, read=read):
        check()
    assert breaks(Garbled, "it reports a pass, a failure and an error", read=read)


def test_a_summary_need_not_list_the_cases():
    names = {str(check) for check in checks_of(Right, lists_cases=False)}

    assert "every case is shown" not in names


def test_records_differ_in_what_makes_reporting_hard():
    from steelyard.testing.hostile_records import records

    made = records()

    assert len(set(map(repr, made.values()))) == len(made)
    assert all(dataclasses.is_dataclass(record) for record in made.values())


class SaysNothingOfTheVerdict(Right):
    def line(self, combo, case):
        return json.dumps(case.id) + "\n"


def test_a_report_that_is_the_same_for_pass_and_failure_is_found():
    assert breaks(SaysNothingOfTheVerdict, "a failure looks other than a pass")


def test_a_closer_look_finds_what_only_the_author_knows():
    def look(record, text):
        assert text.count("\n") == max(1, sum(len(combo.cases) for combo in record.results))

    class Doubles(Right):
        def line(self, combo, case):
            return 2 * super().line(combo, case)

    assert not breaks(Right, "it reports hostile text", look=look)
    assert breaks(Doubles, "it reports hostile text", look=look)


ARRIVED = []


class Sends(Right):
    """Keeps no file: what it has to say arrives elsewhere."""

    def write(self, text):
        ARRIVED.append(text)


class SendsNoVerdict(SaysNothingOfTheVerdict, Sends):
    pass


class SendsNoErrors(LeavesErrorsOut, Sends):
    pass


def arrived():
    text = "".join(ARRIVED)
    ARRIVED.clear()
    return text


def sending(reporter):
    spec = ReporterSpec(
        name="one", summary="One", settings=NoSettings, create=lambda _settings, _context: reporter(None)
    )
    return reporter_checks(spec, sent=arrived)


@pytest.mark.parametrize("check", sending(Sends), ids=str)
def test_a_report_that_is_sent_elsewhere_is_looked_at_there(check):
    check()


@pytest.mark.parametrize(
    ("reporter", "promise"),
    [(SendsNoVerdict, "a failure looks other than a pass"), (SendsNoErrors, "every case is shown")],
)
def test_a_wrong_report_that_is_sent_elsewhere_is_found(reporter, promise):
    (check,) = [check for check in sending(reporter) if str(check) == promise]

    with pytest.raises(AssertionError):
        check()
