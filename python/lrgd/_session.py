"""The resources of one solve: journal, workers, solver, and how their errors
are reported."""
from __future__ import annotations

import ctypes
import os
from contextlib import ExitStack
from functools import partial
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _abi, _bar, _door, _journal, _options, _result
from ._errors import check, exception
from ._pool import Pool
from ._result import Result
from ._signals import Interrupts
from ._types import Array, Function
from ._variables import Variables

PathLike = Union[str, "os.PathLike[str]"]


class Session:
    """The resources of one solve; the stack closes them, the last one first.
    """

    def __init__(self, door: _door.Door, stack: ExitStack) -> None:
        self.door = door
        self.stack = stack
        self.journal: Any = None
        self.pool: Any = None
        self.solver = ctypes.c_void_p()
        self.make: Callable[..., Result] = _result.make
        self.variables: Optional[Variables] = None

    def open_journal(self, path: PathLike, settings: Any, jobs: int,
                     must_exist: bool) -> None:
        self.journal = _journal.Journal(path, self.door.p, settings,
                                        jobs=jobs, must_exist=must_exist)
        self.stack.callback(self.journal.close)

    def start_workers(self, work: "dict[str, Any]", jobs: int,
                      timeout: Optional[float]) -> None:
        run_id = self.journal.run_id if self.journal else None
        before = self.journal.length() if self.journal else 0
        self.pool = Pool(self.door, work, jobs, timeout, run_id, before)
        self.stack.callback(self.pool.close)

    def show(self, bar: _bar.Bar,
             callback: Optional[Function]) -> Callable[[Any], Any]:
        """Makes the progress bar count evaluations; returns a progress
        callback that also updates it."""
        self.door.count(bar)
        self.stack.callback(bar.end)

        def hear(news: _result.Progress) -> Any:
            bar.hear(news)
            return callback(news) if callback is not None else None
        return hear

    def prepare(self, lower: Any, upper: Any, options: _abi.Options,
                callback: Optional[Function],
                start: Optional[Array] = None) -> None:
        """The solver, on the problem wrapped by workers, journal and
        variables. start: for variables that need one."""
        door, maker = self.door, self.pool or self.door
        problem = maker.problem(lower, upper)
        if self.journal:
            problem = self.journal.wrap(door, problem,
                                        self.pool and self.pool.pool)
        if self.journal or self.pool:
            problem = door.watch(problem)
        variables = self.variables
        if variables is not None and start is not None:
            variables.open(problem, start)
            self.stack.callback(variables.close)
            problem = variables.wrap(problem)
            door.translate = variables.translate
        self.kept = (problem, lower, upper)  # borrowed by the library
        if callback is not None:
            p = door.p
            hear = callback
            door.progress = lambda news: hear(_result.progress(news, p,
                                                               variables))
        _options.hook(options, _door.PROGRESS, door.key)
        check(_abi.solver_create, ctypes.byref(self.solver),
              ctypes.byref(problem), ctypes.byref(options))
        self.stack.callback(_abi.solver_destroy, ctypes.byref(self.solver))
        door.stops.append(partial(_abi.solver_stop, self.solver))

    def restrict(self, basis: Any, constraints: Any) -> None:
        if basis is not None:
            W = np.ascontiguousarray(np.asarray(basis, dtype=float).T)
            if W.ndim != 2 or W.shape[1] != self.door.p:
                raise ValueError(f"basis has shape {W.T.shape}; it must have "
                                 f"{self.door.p} rows")
            check(_abi.solver_set_basis, self.solver, len(W), W.ctypes.data)
        if constraints is not None:
            A, b = (np.ascontiguousarray(m, dtype=float) for m in constraints)
            A, b = np.atleast_2d(A), np.atleast_1d(b)
            if A.shape != (b.size, self.door.p):
                raise ValueError(f"constraints: A has shape {A.shape} and b "
                                 f"{b.size} numbers; x has {self.door.p}")
            if self.variables is not None and self.variables.scale is not None:
                A = A * self.variables.scale
            check(_abi.solver_set_constraints, self.solver, len(A),
                  A.ctypes.data, b.ctypes.data)

    def sample(self, samples: Optional[Array]) -> None:
        """Passes the sample points of Algorithm 1 to the solver."""
        if samples is not None:
            if self.variables is not None:
                samples = self.variables.into(samples)
            check(_abi.solver_set_samples, self.solver, len(samples),
                  samples.ctypes.data)

    def run(self, x: Array, options: _abi.Options) -> Result:
        if self.variables is not None:
            x = self.variables.into(x)
        best, told, error = x.copy(), _abi.Result(), _abi.Error()
        kill = self.pool.kill if self.pool else self.door.stop
        with Interrupts(self.door.stop, kill):
            status = _abi.solver_solve(self.solver, x.ctypes.data,
                                       best.ctypes.data, ctypes.byref(told),
                                       ctypes.byref(error))
        if self.variables is not None:
            best = self.variables.back(best)
        if self.journal:
            self.journal.settle(best, told.noise)
        result = self.make(best, told, self.solver, options, self.kept[1:])
        if result.outcome == "failed" and self.pool:
            result["message"] = self._why(told) or result.message
        self.raise_failure(result)
        if status != 0:
            raise exception(status, error)
        if self.journal:
            self.journal.check()
        if self.pool:
            self.pool.check()
        if self.journal:
            self.journal.finish(result.outcome)
        return result

    def _why(self, told: _abi.Result) -> str:
        """Why the run failed, with what is known of the last evaluation: its
        first line, as of "exit status 3" and the output before it."""
        variables = self.variables or Variables(self.door.p)
        return variables.end(told, self.pool.last_cause())

    def raise_failure(self, result: Result) -> None:
        """Raises what the user's function raised, with the result so far
        attached."""
        raised, self.door.error = self.door.error, None
        if raised is None:
            return
        try:
            raised.lrgd_result = result  # type: ignore[attr-defined]
        except AttributeError:
            pass  # an exception with slots
        try:
            raise raised
        finally:
            del raised  # or its traceback would hold itself
