"""An operating system's lock on a file, held until its holder lets go or its process ends."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _try_lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _share(_descriptor: int) -> bool:
        """Keep it alone: there are no shared locks here."""
        return True

    def _try_to_share(_descriptor: int) -> bool:
        return False

    _look_at = _try_lock

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        return _flock(descriptor, fcntl.LOCK_EX)

    def _share(descriptor: int) -> bool:
        """Let others have the lock as well; False where one took it in that moment."""
        return _flock(descriptor, fcntl.LOCK_SH)

    _try_to_share = _look_at = _share

    def _flock(descriptor: int, how: int) -> bool:
        try:
            fcntl.flock(descriptor, how | fcntl.LOCK_NB)
        except OSError as error:
            # a file system without locks must not look like one where everything is in use
            return error.errno not in (errno.EWOULDBLOCK, errno.EACCES)
        return True


class FileLock:
    """A lock that is held until it is released."""

    __slots__ = ("_descriptor",)

    def __init__(self, descriptor: int) -> None:
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Let go. A second time does nothing."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def take_lock(path: Path) -> FileLock | None:
    """Lock ``path``, made where it is missing; None while somebody else has it.

    Where the file system knows no locks everybody gets one. Raises ``OSError`` where the file
    cannot be opened.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _try_lock(descriptor):
        return FileLock(descriptor)
    os.close(descriptor)
    return None


def take_to_share(path: Path) -> FileLock | None:
    """Lock ``path`` as the first, and let those join who :func:`join_lock`; None where it is held.

    Raises like :func:`take_lock`.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _try_lock(descriptor) and _share(descriptor):
        return FileLock(descriptor)
    os.close(descriptor)
    return None


def join_lock(path: Path) -> FileLock | None:
    """Hold the lock beside whoever took it; None where the system has no shared locks.

    Raises like :func:`take_lock`.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if _try_to_share(descriptor):
        return FileLock(descriptor)
    os.close(descriptor)
    return None


def is_held(path: Path) -> bool:
    """Tell whether somebody has the lock that :func:`take_lock` gives; False where it is missing.

    Those who look are not in each other's way, only in that of who takes it in that moment. (On
    Windows in each other's too.)
    """
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return False
    try:
        return not _look_at(descriptor)
    finally:
        os.close(descriptor)
