"""Folders in the temporary directory that end with their process.

Each is locked by whoever made it.  The lock ends with the process, by
whatever death; what nobody holds is swept by the next one.
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
                return  # else it was swept before we held it
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
    """With the machine in it: on some shared file systems a lock is known to
    its own machine only."""
    host = zlib.crc32(os.fsencode(socket.gethostname()))
    return f"lrgd-jobs-{host:08x}-"


def _hold(path: str) -> Optional[int]:
    """A descriptor that holds the lock; None: another has it, or it is gone.
    Where there are no locks the folder is not held, nor can it be swept."""
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
    """Removes what killed processes of this user left behind."""
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
