"""progress=True: the progress of a run on the screen.

In a terminal one line is overwritten, in a notebook one display is updated,
and elsewhere (a log file) a line is written from time to time.  It counts
evaluations as they are made.
"""
from __future__ import annotations

import math
import os
import sys
import time
from typing import Any, Optional

from . import _abi, _options
from ._result import Progress
from ._types import Function

_TERMINAL_S, _NOTEBOOK_S = 0.1, 0.5
_FIRST_LINE_S, _LINES_S = 10.0, 30.0
_WIDTH = 20  # of the bar


class _Lines:
    """Progress for a file or a pipe: a line after ten seconds, and then every
    thirty."""

    def __init__(self) -> None:
        self.every = _FIRST_LINE_S

    def show(self, text: str) -> None:
        self.every = _LINES_S
        print(text, file=sys.stderr, flush=True)

    def end(self, text: str) -> None:
        pass


class _Terminal:
    """Progress for a terminal: one line, written over."""
    every = _TERMINAL_S

    def show(self, text: str) -> None:
        try:
            width = os.get_terminal_size(sys.stderr.fileno()).columns
        except (OSError, ValueError):
            width = 80
        sys.stderr.write("\r\x1b[K" + text[:width - 1])
        sys.stderr.flush()

    def end(self, text: str) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class _Notebook:
    """A display that is updated, and stays at the end."""
    every = _NOTEBOOK_S

    def __init__(self, display: Any) -> None:
        self.display = display
        self.handle: Any = None

    def show(self, text: str) -> None:
        data = {"text/plain": text}
        if self.handle is None:
            self.handle = self.display(data, raw=True, display_id=True)
        else:
            self.handle.update(data, raw=True)

    def end(self, text: str) -> None:
        self.show(text)


def _screen() -> Any:
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell else None
    if running is not None and hasattr(running, "kernel"):
        from IPython.display import display
        return _Notebook(display)
    if sys.stderr is not None and sys.stderr.isatty() and (
            os.environ.get("TERM", "dumb") != "dumb"):
        return _Terminal()
    return _Lines()


class Bar:
    """The progress of one run."""

    def __init__(self, options: _abi.Options) -> None:
        self.screen = _screen()
        self.began = time.monotonic()
        self.shown = self.began
        self.count = 0
        self.news: Optional[Progress] = None
        self.first = math.nan  # the first norm of a gradient
        self.most, self.seconds, self.tol = (
            _options.number(options, name)
            for name in ("max_evals", "max_seconds", "tol"))

    def counting(self, function: Any, batch: bool = False) -> Function:
        """Wraps the function, to count its evaluations."""
        def call(*given: Any) -> Any:
            answer = function(*given)
            self.add(len(given[0]) if batch else 1)
            return answer
        return call

    def add(self, count: int) -> None:
        self.count += count
        self.refresh()

    def hear(self, news: Progress) -> None:
        self.news = news
        self.count = max(self.count, news.nfev)
        if math.isnan(self.first):
            self.first = news.grad_norm
        self.refresh()

    def refresh(self) -> None:
        now = time.monotonic()
        if now - self.shown >= self.screen.every:
            self.shown = now
            self.screen.show(self.text())

    def end(self) -> None:
        self.screen.end(self.text())

    def share(self) -> float:
        """The progress from 0 to 1: of the gradient norm to its tolerance, on
        a logarithmic scale, or of a budget, whichever is larger."""
        shares = [0.0]
        norm = self.news.grad_norm if self.news else math.nan
        tol = 1e-6 * self.first if self.tol is None else self.tol
        if norm > 0 and self.first > tol > 0:
            shares.append(math.log(self.first / norm)
                          / math.log(self.first / tol))
        if self.most:
            shares.append(self.count / self.most)
        if self.seconds:
            shares.append((time.monotonic() - self.began) / self.seconds)
        return min(max(shares), 1.0)

    def text(self) -> str:
        done = int(_WIDTH * self.share())
        parts = ["[" + "#" * done + "." * (_WIDTH - done) + "]",
                 f"{self.count:,} evaluations"]
        if self.most:
            parts[-1] = f"{self.count:,} of {self.most:,.0f} evaluations"
        if self.news is not None and not math.isnan(self.news.best):
            parts.append(f"f {self.news.best:.6g}")
        if self.news is not None and not math.isnan(self.news.grad_norm):
            parts.append(f"|grad f| {self.news.grad_norm:.2g}")
        parts.append(f"{time.monotonic() - self.began:.0f} s")
        return "  ".join(parts)
