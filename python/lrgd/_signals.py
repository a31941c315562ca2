"""Ctrl-C during a run: the first stops it with the best so far, the second
interrupts the evaluation and comes out as KeyboardInterrupt.

Only where nobody else handles the signal, and only in the main thread, where
Python handles signals at all.
"""
from __future__ import annotations

import signal
import threading
from pathlib import Path
from types import FrameType
from typing import Any, Callable, Optional

_OURS = str(Path(__file__).resolve().parent)


class Interrupts:
    """Context in which Ctrl-C calls `first`, and then `second`."""

    def __init__(self, first: Callable[[], None],
                 second: Callable[[], None]) -> None:
        self.calls = [first, second]
        self.seen = 0
        self.before: Any = None

    def __enter__(self) -> "Interrupts":
        if (threading.current_thread() is threading.main_thread()
                and signal.getsignal(signal.SIGINT)
                is signal.default_int_handler):
            self.before = signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        if self.before is not None:
            signal.signal(signal.SIGINT, self.before)
        self.before = None
        self.calls.clear()  # release references to the run

    def _heard(self, number: int, frame: Optional[FrameType]) -> None:
        self.seen += 1
        self.calls[min(self.seen, 2) - 1]()
        # never into a callback's own lines: nobody could catch it there
        if self.seen > 1 and not _is_ours(frame):
            raise KeyboardInterrupt


def _is_ours(frame: Optional[FrameType]) -> bool:
    return frame is None or frame.f_code.co_filename.startswith(_OURS)
