"""Whether a file is in use by a running process. A process that dies, however it does, lets go of what it held."""

from __future__ import annotations

import errno
import sys
from typing import BinaryIO

IN_USE = (errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK)

if sys.platform == "win32":
    import msvcrt

    FAR_BEYOND = 2**40
    """Windows locks keep others from the locked bytes, so the lock is put where there are none."""

    def _lock(file: BinaryIO) -> None:
        position = file.tell()
        file.seek(FAR_BEYOND)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        finally:
            file.seek(position)

else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def hold(file: BinaryIO) -> bool:
    """Hold an open file until it is closed. Returns ``False`` when another process holds it.

    Where the file system knows no locks nobody can tell, and the answer is ``True``.
    """
    try:
        _lock(file)
    except OSError as error:
        return error.errno not in IN_USE
    return True
