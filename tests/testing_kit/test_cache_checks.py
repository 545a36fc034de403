"""The kit finds what is wrong with a cache: for each fault a cache that has it, and the check that says so."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from steelyard.api import CacheSpec
from steelyard.testing import cache_checks


@pytest.fixture(autouse=True)
def _broken_caches_can_be_imported(monkeypatch):
    # Other processes import a cache by its module's name, as they do a plugin's.
    monkeypatch.syspath_prepend(Path(__file__).parent)
    yield
    sys.modules.pop("broken_caches", None)


def checks_of(kind, **options):
    caches = importlib.import_module("broken_caches")
    spec = CacheSpec(name="one", summary="One", settings=caches.Fault, create=caches.create)
    return cache_checks(spec, settings=caches.Fault(kind=kind), **options)


def breaks(kind, promise, **options):
    """Whether a cache breaks a promise."""
    (check,) = [check for check in checks_of(kind, **options) if str(check) == promise]
    try:
        check()
    except AssertionError:
        return True
    return False


def spoil(folder):
    for path in folder.rglob("*.entry"):
        path.write_bytes(b"spoilt")


def test_a_right_cache_breaks_no_promise():
    for check in checks_of("right", damage=spoil):
        check()


@pytest.mark.parametrize(
    ("name", "promise"),
    [
        ("forgets", "what was put comes back byte for byte"),
        ("text", "what was put comes back byte for byte"),
        ("strips", "what was put comes back byte for byte"),
        ("raises", "what was put comes back byte for byte"),
        ("keeps the first", "a second put replaces the first"),
        ("creates", "creating and counting leave no trace"),
        ("miscounts", "clear forgets everything and counts it"),
        ("lingers", "clear forgets everything and counts it"),
        ("ages", "prune forgets by age"),
        ("races", "threads do not disturb each other"),
    ],
)
def test_a_wrong_cache_is_found(name, promise):
    assert breaks(name, promise, shared=False)


@pytest.mark.parametrize("promise", ["another process sees the entries", "two processes may write at once"])
def test_a_cache_of_one_process_that_claims_to_be_shared_is_found(promise):
    assert breaks("alone", promise)


def test_torn_entries_are_found():
    assert breaks("tears", "a killed process leaves whole entries")


def test_a_damaged_entry_that_breaks_the_cache_is_found():
    assert breaks("believes", "a damaged entry counts as absent", damage=spoil)
