from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from steelyard._store import Claim, Store
from steelyard.api import RunRecord
from steelyard.errors import RecordError, UsageError
from steelyard.records import write_record

STARTED = datetime(2026, 6, 10, 14, 32, 5, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "results")


def keep(
    store: Store, run_id: str, *, benchmark: str = "Support", timestamp: str = "2026-06-10T14:32:05+00:00"
) -> Path:
    path = store.folder / f"{run_id}.json"
    write_record(path, RunRecord(run_id=run_id, benchmark=benchmark, timestamp=timestamp))
    return path


def finished(store: Store, claim: Claim) -> None:
    write_record(claim.record_path, RunRecord(run_id=claim.run_id, benchmark="S", timestamp="2026-06-10T14:32:05"))
    store.finish(claim)


def test_a_claim_makes_the_folder_and_names_record_and_journal(store: Store) -> None:
    claim = store.claim("Support", STARTED)

    assert claim.run_id == "2026-06-10_143205_support"
    assert claim.record_path == store.folder / "2026-06-10_143205_support.json"
    assert claim.journal_path.read_bytes() == b""


def test_runs_of_the_same_second_get_names_of_their_own_running_or_finished(store: Store) -> None:
    finished(store, store.claim("Support", STARTED))
    store.claim("Support", STARTED)

    third = store.claim("Support", STARTED)

    assert third.run_id == "2026-06-10_143205_support-3"
    assert sorted(path.name for path in store.folder.iterdir()) == [
        "2026-06-10_143205_support-2.journal.jsonl",
        "2026-06-10_143205_support-3.journal.jsonl",
        "2026-06-10_143205_support.json",
    ]


def test_two_names_with_the_same_slug_do_not_share_a_file(store: Store) -> None:
    assert store.claim("🎯", STARTED).run_id != store.claim("✓", STARTED).run_id


def test_a_report_without_its_record_is_not_written_over(store: Store) -> None:
    store.folder.mkdir()
    (store.folder / "2026-06-10_143205_support.md").write_text("kept", "utf-8")

    assert store.claim("Support", STARTED).run_id == "2026-06-10_143205_support-2"


CLAIM_TWENTY = """
import sys
from datetime import datetime
from pathlib import Path
from steelyard._store import Store
from steelyard.api import RunRecord
from steelyard.records import write_record

store = Store(Path(sys.argv[1]))
for _ in range(20):
    claim = store.claim("Support", datetime(2026, 6, 10, 14, 32, 5))
    write_record(claim.record_path, RunRecord(run_id=claim.run_id, benchmark="S", timestamp=""))
    store.finish(claim)
    print(claim.run_id)
"""


def test_processes_that_start_in_the_same_second_never_share_a_name(store: Store) -> None:
    command = [sys.executable, "-c", CLAIM_TWENTY, str(store.folder)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]

    names = [name for process in processes for name in process.communicate(timeout=60)[0].split()]

    assert len(names) == len(set(names)) == 60
    assert len(list(store.folder.iterdir())) == 60, "a record was written over, or a journal was left"


def test_a_file_in_the_folders_place_is_found_before_the_first_call(store: Store) -> None:
    store.folder.write_text("", "utf-8")

    with pytest.raises(UsageError) as caught:
        store.claim("Support", STARTED)

    assert str(caught.value) == f"{store.folder}: is a file, not a folder; move it away or name another folder"


def test_a_folder_that_cannot_be_made_is_found_before_the_first_call(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")

    with pytest.raises(UsageError, match=r"cannot be written to: .*; name another folder"):
        Store(tmp_path / "file" / "results").claim("Support", STARTED)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is read-only for this user")
def test_a_read_only_folder_is_found_before_the_first_call(store: Store) -> None:
    store.folder.mkdir(mode=0o500)

    with pytest.raises(UsageError, match="cannot be written to: Permission denied"):
        store.claim("Support", STARTED)


def test_a_claim_that_came_to_nothing_leaves_nothing_behind(store: Store) -> None:
    store.release(store.claim("Support", STARTED))

    assert not store.folder.exists()


def test_releasing_keeps_a_folder_that_was_there_before(store: Store) -> None:
    store.folder.mkdir()

    store.release(store.claim("Support", STARTED))

    assert list(store.folder.iterdir()) == []


def test_releasing_keeps_cases_that_were_paid_for(store: Store) -> None:
    claim = store.claim("Support", STARTED)
    claim.journal_path.write_bytes(b"{}\n")

    store.release(claim)

    assert store.unfinished() == [claim.journal_path]


def test_history_goes_from_the_oldest_to_the_newest_across_time_zones(store: Store) -> None:
    keep(store, "b", timestamp="2026-06-10T14:00:00+02:00")  # 12:00 UTC
    keep(store, "a", timestamp="2026-06-10T13:00:00+00:00")
    keep(store, "c", timestamp="2026-06-10T11:00:00+00:00")

    assert [run.record.run_id for run in store.runs()] == ["c", "b", "a"]


def test_runs_of_one_second_are_ordered_by_their_number(store: Store) -> None:
    for suffix in ("-10", "", "-9", "-2"):
        keep(store, f"2026-06-10_143205_support{suffix}")

    assert [run.record.run_id[25:] for run in store.runs()] == ["", "-2", "-9", "-10"]


def test_history_skips_what_is_no_record_and_says_why(store: Store) -> None:
    keep(store, "good")
    (store.folder / "bad.json").write_text("[]", "utf-8")
    (store.folder / "note.txt").write_text("", "utf-8")
    (store.folder / "x.journal.jsonl").write_text("{}", "utf-8")
    reasons: list[str] = []

    runs = store.runs(reasons.append)

    assert [run.record.run_id for run in runs] == ["good"]
    assert reasons == [f"{store.folder / 'bad.json'}: not a run record: must be a JSON object, got a list"]


def test_a_record_with_an_odd_timestamp_is_the_oldest(store: Store) -> None:
    keep(store, "a")
    keep(store, "b", timestamp="last Tuesday")

    assert [run.record.run_id for run in store.runs()] == ["b", "a"]


def test_the_latest_record_may_be_asked_for_by_benchmark(store: Store) -> None:
    keep(store, "a", benchmark="Support", timestamp="2026-06-10T10:00:00+00:00")
    keep(store, "b", benchmark="Billing", timestamp="2026-06-10T11:00:00+00:00")

    latest, latest_support = store.latest(), store.latest("Support")

    assert latest is not None
    assert latest_support is not None
    assert (latest.record.run_id, latest_support.record.run_id) == ("b", "a")
    assert store.latest("Other") is None


def test_a_folder_that_is_not_there_has_no_runs(store: Store) -> None:
    assert (store.runs(), store.latest(), store.unfinished()) == ([], None, [])


def test_a_record_is_found_by_path_by_id_and_by_a_unique_beginning(store: Store, tmp_path: Path) -> None:
    wanted = keep(store, "2026-06-10_143205_support")
    keep(store, "2026-06-11_090000_support")
    elsewhere = keep(Store(tmp_path / "baseline"), "kept")

    assert store.find(str(elsewhere)) == elsewhere
    assert store.find("2026-06-10_143205_support") == wanted
    assert store.find("2026-06-10") == wanted
    assert store.find(str(store.folder / "2026-06-10_14")) == wanted


def test_an_id_that_begins_another_is_itself(store: Store) -> None:
    wanted = keep(store, "2026-06-10_143205_support")
    keep(store, "2026-06-10_143205_support-2")

    assert store.find("2026-06-10_143205_support") == wanted


def test_a_beginning_that_several_runs_share_names_them_all(store: Store) -> None:
    keep(store, "2026-06-10_a")
    keep(store, "2026-06-10_b")

    with pytest.raises(RecordError) as caught:
        store.find("2026-06-10")

    assert str(caught.value) == "'2026-06-10': 2 runs begin with it; write more of one: 2026-06-10_a, 2026-06-10_b"


@pytest.mark.parametrize("wanted", ["2027", "", "no/such.json", "n" * 5000, "\0"])
def test_what_no_run_begins_with_is_one_line(store: Store, wanted: str) -> None:
    keep(store, "2026-06-10_a")

    with pytest.raises(RecordError, match="no such record file, and no run in"):
        store.find(wanted)
