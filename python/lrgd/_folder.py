"""Temporary folders that are removed with their process.

Each is locked by its owner, and the lock ends with the process, however that
ends; the next process removes folders without a lock.
"""
from __future__ import annotations

import fcntl
import os
import re
import shutil
import socket
import tempfile
import zlib
from contextlib import suppress
from typing import Optional

_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class Folder:
    """A folder that only this user can enter."""

    def __init__(self) -> None:
        place = tempfile.gettempdir()
        _sweep(place)
        for _ in range(10):
            self.path = tempfile.mkdtemp(prefix=_prefix(), dir=place)
            self.hold = _hold(self.path)
            if self.hold is not None and os.path.isdir(self.path):
                return  # another process removed it before we locked it
            self._let_go()
        raise OSError(f"folders in {place} vanish")

    def close(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        self._let_go()

    def _let_go(self) -> None:
        if self.hold is not None:
            os.close(self.hold)
        self.hold = None


def _prefix() -> str:
    """The prefix contains the machine: on some shared file systems a lock is
    visible on its own machine only."""
    host = zlib.crc32(os.fsencode(socket.gethostname()))
    return f"lrgd-jobs-{host:08x}-"


def _hold(path: str) -> Optional[int]:
    """A descriptor that holds the lock; None: another process has it, or the
    folder is gone.  Without locks the folder is not held, and never removed.
    """
    with suppress(FileNotFoundError):
        fd = os.open(path, _FLAGS)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return None
        except OSError:
            pass
        return fd
    return None


def _sweep(place: str) -> None:
    """Removes the folders of this user's processes that were killed."""
    pattern = re.compile(re.escape(_prefix()) + r"\w{8}\Z")
    with suppress(OSError):
        for name in os.listdir(place):
            if pattern.match(name):
                _sweep_one(os.path.join(place, name))


def _sweep_one(path: str) -> None:
    with suppress(OSError):
        fd = os.open(path, _FLAGS)
        try:
            if os.fstat(fd).st_uid == os.getuid():
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(fd)
