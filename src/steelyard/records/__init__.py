"""Records on disk: writing them, reading them again, and reading those of older versions and other tools.

For reporters and everything else that turns results into files. The names of the fields are described in the reference
of the record.
"""

from __future__ import annotations

from .cases import decode_case, encode_case
from .combos import SCHEMA_VERSION
from .files import write_file
from .journal import JournalEntry, JournalHead, JournalReader
from .read import read_record
from .task_results import is_task_record
from .write import CaseLines, record_chunks, write_record

__all__ = [
    "SCHEMA_VERSION",
    "CaseLines",
    "JournalEntry",
    "JournalHead",
    "JournalReader",
    "decode_case",
    "encode_case",
    "is_task_record",
    "read_record",
    "record_chunks",
    "write_file",
    "write_record",
]
