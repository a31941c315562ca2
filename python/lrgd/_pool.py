"""Worker processes for jobs=: the library's pool, running this Python.

They are spawned, never forked, by the code that runs the command's workers.
Functions are pickled.
"""
from __future__ import annotations

import ctypes
import os
import pickle
import shlex
import sys
from pathlib import Path
from typing import Any, Optional

import numpy as np

from . import _abi, _door
from ._errors import check
from ._folder import Folder
from ._types import Array

_ORACLES = {"value": 0, "gradient": 1, "slope": 2, "residuals": 0,
            "outputs": 0}
_FOUND = -1  # residuals: as many as the first answer has
_DRAIN, _KILL = 1, 2
_TICK_S = 0.1  # the longest delay until Ctrl-C is handled


class WorkerTraceback(Exception):
    """The traceback of an exception in a worker, as the cause of the one here.
    """

    def __init__(self, story: str) -> None:
        super().__init__(story)
        self.story = story

    def __str__(self) -> str:
        return "\n\n" + self.story


class Pool:
    """The pool of one solve."""

    def __init__(self, door: _door.Door, work: "dict[str, Any]", jobs: int,
                 timeout: Optional[float], run_id: Optional[bytes],
                 before: int = 0) -> None:
        self.door = door
        self.pool = ctypes.c_void_p()
        self.held = Folder()
        self.folder = self.held.path
        try:
            _write(Path(self.folder) / "work",
                   {**work, "kind": door.kind, "p": door.p})
            options = _abi.pool_options_default()
            options.command = _command(self.folder)
            options.oracle = _ORACLES[door.kind]
            if door.kind == "residuals":
                options.residuals = door.m or _FOUND
                options.oracle = (1 if work["jac"] is not None else
                                  2 if work["jvp"] is not None else 0)
                options.residuals_beside = int(options.oracle != 0)
            if door.kind == "outputs":
                from ._limited import COST
                options.residuals = door.m
                options.cost = ctypes.cast(COST, ctypes.c_void_p)
                options.cost_user = door.key
            options.jobs = jobs
            options.timeout_s = timeout or 0
            options.run_id, options.before = run_id, before
            options.event, options.event_user = EVENT, door.key
            options.tick, options.tick_user = TICK, door.key
            options.tick_s = _TICK_S
            check(_abi.pool_create, ctypes.byref(self.pool),
                  ctypes.byref(options))
        except BaseException:
            self.close()
            raise
        door.pool = self
        door.stops.append(self.drain)
        _abi.pool_on_fatal(self.pool, _door.FATAL, door.key)

    def problem(self, lower: Optional[Array],
                upper: Optional[Array]) -> _abi.Problem:
        problem: _abi.Problem = _abi.pool_problem(self.pool, self.door.p)
        bounds = _door.new_problem(self.door.p, lower, upper)
        problem.lower, problem.upper = bounds.lower, bounds.upper
        if self.door.kind == "outputs":
            self.door.limit(problem)
        return problem

    def count_residuals(self, x: Array, tries: int) -> int:
        """The number of residuals; 0: x could not be evaluated."""
        count = ctypes.c_size_t()
        check(_abi.pool_find_residuals, self.pool, self.door.p, x.ctypes.data,
              tries, ctypes.byref(count))
        return count.value

    def drain(self) -> None:
        _abi.pool_interrupt(self.pool, _DRAIN)

    def kill(self) -> None:
        _abi.pool_interrupt(self.pool, _KILL)

    def last_cause(self) -> bytes:
        """Why the last evaluation failed, in a line; empty: none has."""
        cause: bytes = _abi.pool_last_cause(self.pool) or b""
        return cause.split(b"\n")[0]

    def check(self) -> None:
        """Raises where the pool had to give up."""
        check(_abi.pool_status, self.pool)

    def close(self) -> None:
        _abi.pool_destroy(ctypes.byref(self.pool))
        self.held.close()

    def collect(self) -> None:
        """Ends the run with the exception that a worker process raised, if one
        did."""
        for name in sorted(os.listdir(self.folder)):
            if not name.endswith(".error"):
                continue
            with open(os.path.join(self.folder, name), "rb") as file:
                error, story = pickle.load(file)
            error.__cause__ = WorkerTraceback(story)
            self.door.fail(error)
            return


def _command(folder: str) -> bytes:
    worker = Path(__file__).with_name("_worker.py")
    words = (sys.executable, str(worker), folder)
    return os.fsencode(" ".join(shlex.quote(word) for word in words))


def _write(path: Path, work: "dict[str, Any]") -> None:
    from multiprocessing import spawn
    prepare = spawn.get_preparation_data("lrgd")
    prepare.pop("authkey", None)  # a worker communicates with nobody
    if _typed_in():
        prepare.pop("init_main_from_path", None)
    with open(path, "wb") as file:
        pickle.dump(prepare, file)
        file.write(_pickle(work))


def _typed_in() -> bool:
    """Whether __main__ has no file that a worker could load: a notebook, a
    prompt, python -c."""
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    return getattr(main, "__spec__", None) is None and (
        file is None or not os.path.exists(file))


def _pickle(work: "dict[str, Any]") -> bytes:
    """Lambdas, inner functions and those typed in need cloudpickle."""
    try:
        if _typed_in() and any(getattr(part, "__module__", "") == "__main__"
                               for part in work.values()):
            raise TypeError("it was typed in and is in no file")
        return pickle.dumps(work)
    except Exception as error:
        try:
            import cloudpickle
        except ImportError:
            raise TypeError(
                "with jobs the function goes to other processes by pickle, "
                f"which cannot take it ({error}): define it at the top of a "
                "module, or install python3-cloudpickle") from None
        return bytes(cloudpickle.dumps(work))


@_abi.callback(_abi.POOL_EVENT)
def EVENT(event: Any, user: int) -> None:
    door = _door._doors[user]
    try:
        if event.contents.why is not None and door.error is None:
            door.pool.collect()
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.POOL_TICK)
def TICK(counts: Any, user: int) -> None:
    """Called from time to time, so that Python handles signals."""
    bar = _door._doors[user].bar
    if bar is not None:
        bar.count = max(bar.count, counts.contents.answered)
        bar.refresh()
