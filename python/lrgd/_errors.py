"""The exceptions for failed calls.

How a run *ended* is result.outcome, and raises nothing; what the user's own
function raises is passed on unchanged.
"""
from __future__ import annotations

import ctypes
from typing import Any

from . import _abi


class Error(Exception):
    """A call that failed; `status` says in two words what kind of failure."""

    status = ""


class InvalidArgument(Error, ValueError):
    """An argument or option is out of its range."""


class StorageError(Error, OSError):
    """A journal cannot be read or written."""


class JournalRefused(Error):
    """A journal is damaged, foreign, or of another run."""


class JournalInUse(Error):
    """Another process is writing this journal."""


class WorkerError(Error, OSError):
    """A worker process cannot be started."""


_CLASSES = {
    "invalid argument": InvalidArgument,
    "the program cannot be started": WorkerError,
    "storage failed": StorageError,
    "the journal was refused": JournalRefused,
    "the journal is in use": JournalInUse,
}


def exception(status: int, error: _abi.Error) -> Exception:
    """The exception for a status that is not ok."""
    kind = _abi.status_text(status).decode()
    text = error.text.decode(errors="replace") or kind
    if kind == "out of memory":
        return MemoryError(text)
    raised = _CLASSES.get(kind, Error)(text)
    raised.status = kind
    return raised


def check(function: Any, *arguments: Any) -> None:
    """Calls a function of the library that takes an lrgd_error last."""
    error = _abi.Error()
    status = function(*arguments, ctypes.byref(error))
    if status != 0:
        raise exception(status, error)
