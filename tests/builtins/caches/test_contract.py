from __future__ import annotations

import pytest
from steelyard_builtins.caches import files, memory, sqlite

from steelyard.testing import cache_checks

SQLITE, FILES, MEMORY = (plugin.steelyard_register_caches()[0] for plugin in (sqlite, files, memory))


def spoil(folder):
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(b"\xff\xfe\x00\x9d")


@pytest.mark.parametrize("check", cache_checks(SQLITE, damage=spoil))
def test_the_sqlite_cache_keeps_the_contract(check):
    check()


@pytest.mark.parametrize("check", cache_checks(FILES, damage=spoil))
def test_the_files_cache_keeps_the_contract(check):
    check()


@pytest.mark.parametrize("check", cache_checks(MEMORY, shared=False))
def test_the_memory_cache_keeps_the_contract(check):
    check()
