from __future__ import annotations

import subprocess
import sys

import pytest
from steelyard_builtins.caches._file_lock import file_lock

HOLDER = """
import sys
from pathlib import Path
sys.path[:] = sys.argv[2:]
from steelyard_builtins.caches._file_lock import file_lock
with file_lock(Path(sys.argv[1]), 1.0):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "guard.lock"


@pytest.fixture
def holder(lock):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(lock), *sys.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout.readline().strip() == b"held"
    yield process
    process.kill()
    process.communicate()


def test_a_lock_that_another_process_holds_is_waited_for_and_then_given_up(lock, holder):
    with pytest.raises(TimeoutError, match="another process has held this lock"), file_lock(lock, 0.1):
        pass

    assert lock.exists(), "the lock of the other process was taken away"


def test_a_lock_ends_with_the_process_that_held_it(lock, holder):
    holder.kill()
    holder.wait()

    with file_lock(lock, 5.0):
        assert lock.exists()


def test_a_lock_leaves_nothing_behind(lock):
    with file_lock(lock, 1.0):
        pass

    assert not lock.exists()
