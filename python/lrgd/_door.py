"""The callbacks through which the library evaluates the user's functions.

They are made once for the life of the process; a number identifies the Door,
one for each solve.  The user's function gets copies, and what it raises ends
the run.
"""
from __future__ import annotations

import ctypes
import itertools
from collections import deque
from typing import Any, Callable, Dict, Optional

import numpy as np

from . import _abi
from ._answers import bind, gradient, number, slope, value, vector
from ._types import Arguments, Array, Function

UNANSWERED: float = _abi.unanswered()
_VIEWS = 1024  # addresses remembered; the library uses a few hundred at most
_RECENT = 8  # gradients kept
_DOUBLE = ctypes.sizeof(ctypes.c_double)

_doors: "dict[int, Door]" = {}  # by the number of callbacks
_keys = itertools.count(1)


class _Views(Dict[int, Any]):
    """A cache of objects made of addresses: making an array over the library's
    memory costs more than all the rest of an evaluation."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        self.make = make

    def __missing__(self, address: int) -> Any:
        if len(self) >= _VIEWS:
            self.clear()
        view = self[address] = self.make(address)
        return view


def array_at(address: int, *shape: int) -> Array:
    """An array over a part of the library's memory."""
    count = 1
    for n in shape:
        count *= n
    memory: Any = (ctypes.c_double * count).from_address(address)
    return np.frombuffer(memory).reshape(shape)


def find(key: int) -> "Door":
    """The door with that number."""
    return _doors[key]


class Door:
    """Evaluates the user's functions for one solve."""

    def __init__(self, p: int, fun: Optional[Function], *,
                 args: Arguments = (), jac: Any = None,
                 jvp: Optional[Function] = None, batch: Any = None) -> None:
        self.p = p
        self.kind = "slope" if jvp else "gradient" if jac else "value"
        if batch is True:
            fun, batch = None, fun
        for name, function in (("fun", fun), ("jvp", jvp), ("batch", batch),
                               ("jac", None if jac is True else jac)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} is {function!r}; it must be callable")
        if fun is None and not batch and not jvp:
            raise TypeError("fun is None: nothing can be asked")
        if batch and self.kind != "value":
            raise TypeError("batch goes with values, not with jac or jvp")
        self.fun, self.jac, self.jvp, self.batch = (
            bind(function, args) for function in (fun, jac, jvp, batch))
        self.progress: Optional[Callable[[_abi.Progress], Any]] = None
        self.translate: Optional[
            Callable[[_abi.Progress], _abi.Progress]] = None  # converts names and units
        self.views = _Views(lambda address: array_at(address, p))
        self.closed = False  # no further evaluation is made
        self.error: Optional[BaseException] = None
        self.unanswered = 0  # not reported to the solver yet
        self.stops: "list[Callable[[], None]]" = []
        self.gradients: "deque[tuple[Array, Array]]" = deque(maxlen=_RECENT)
        self.lowest = float("inf")  # the lowest f, and the gradient there
        self.lowest_gradient: "Optional[tuple[Array, Array]]" = None
        self.bar: Any = None  # the progress bar
        self.inner: Any = None  # the problem of a journal
        self.journal: Any = None  # records the progress
        self.pool: Any = None  # if workers evaluate
        self.key = next(_keys)
        _doors[self.key] = self

    @property
    def m(self) -> int:
        """The number of residuals; 0: none, or not known yet."""
        return 0

    def watch(self, problem: _abi.Problem) -> _abi.Problem:
        """Wraps the problem to observe its answers."""
        return problem

    def limit(self, problem: _abi.Problem) -> _abi.Problem:
        """The problem with the limits on its outputs; here there are none."""
        return problem

    def close(self) -> None:
        """Removes the door: no evaluation may follow."""
        _doors.pop(self.key, None)
        self.stops.clear()
        self.views.clear()

    def stop(self) -> None:
        """Refuses further evaluations, and stops the run."""
        self.closed = True
        for stop in self.stops:
            stop()

    def fail(self, error: BaseException) -> None:
        if self.error is None:
            self.error = error
        self.stop()

    def give_up(self, count: int = 1) -> float:
        self.unanswered += count
        return UNANSWERED

    def problem(self, lower: Optional[Array],
                upper: Optional[Array]) -> _abi.Problem:
        """The problem for the library; borrows the bounds."""
        problem = new_problem(self.p, lower, upper)
        problem.user = self.key
        problem.unanswered = GIVEN_UP
        if self.kind == "value":
            problem.values = VALUES
            if self.fun is not None:
                problem.value = VALUE
        elif self.kind == "gradient":
            problem.gradient = GRADIENT
        else:
            problem.slopes = SLOPES
        return problem

    # ---- one question each ----

    def values_one_by_one(self, m: int, address: int,
                          out: Array) -> None:
        asked, stride = 0, self.p * _DOUBLE
        try:
            while asked < m and not self.closed:
                x = self.views[address + asked * stride]
                asked += 1
                out[asked - 1] = value(self.fun, x)
        finally:
            self.unanswered += m - asked  # also if one of them raised

    def values_at(self, m: int, address: int, out: Array) -> None:
        if self.batch is None:
            self.values_one_by_one(m, address, out)
            return
        points = array_at(address, m, self.p).copy()
        out[:] = vector(self.batch(points), m, "batch returned")

    def gradient_at(self, address: int, to: int) -> float:
        x = self.views[address]
        f, g = gradient(self.fun, self.jac, x)
        self.views[to][:] = g
        kept = (x.copy(), np.array(g))
        if f < self.lowest:
            self.lowest, self.lowest_gradient = f, kept
        self.gradients.append(kept)
        return f

    def gradient_at_point(self, x: Array) -> Optional[Array]:
        """The gradient at x, if it was evaluated recently or f was lowest
        there."""
        known = [*self.gradients]
        if self.lowest_gradient is not None:
            known.append(self.lowest_gradient)
        for at, g in known:
            if np.array_equal(at, x):
                return g
        return None

    def count(self, bar: Any) -> None:
        """Makes the bar count the evaluations of the functions."""
        if self.batch is not None:
            self.batch = bar.counting(self.batch, True)
        elif self.jvp is not None:
            self.jvp = bar.counting(self.jvp)
        else:
            self.fun = bar.counting(self.fun)
        self.bar = bar

    def slopes_at(self, address: int, k: int, U: int, to: int) -> float:
        x, f = self.views[address], None
        if k == 0:
            return self.value_of_slopes(x)
        out = array_at(to, k)
        out[:] = UNANSWERED
        asked, stride = 0, self.p * _DOUBLE
        try:
            while asked < k and not self.closed:
                u = self.views[U + asked * stride]
                asked += 1
                f, out[asked - 1] = slope(self.fun, self.jvp, x, u)
        finally:
            self.unanswered += k - asked  # also if one of them raised
        if asked < k:
            return UNANSWERED
        return value(self.fun, x) if f is None else f

    def value_of_slopes(self, x: Array) -> float:
        f, _ = slope(self.fun, self.jvp, x, np.zeros(self.p))
        return value(self.fun, x) if f is None else f


def new_problem(p: int, lower: Optional[Array] = None,
                upper: Optional[Array] = None) -> _abi.Problem:
    """A problem with bounds (borrowed) and no callbacks yet."""
    problem: _abi.Problem = _abi.problem_default(p)
    problem.lower = None if lower is None else lower.ctypes.data
    problem.upper = None if upper is None else upper.ctypes.data
    return problem


# ---- the callbacks: no exception may leave them ----


@_abi.callback(_abi.VALUE)
def VALUE(p: int, x: int, user: int) -> float:
    door = _doors[user]
    if door.closed:
        return door.give_up()
    try:
        f = door.fun(door.views[x].copy())
        return f if isinstance(f, float) else number(f, "fun returned")
    except BaseException as error:
        door.fail(error)
        return UNANSWERED


@_abi.callback(_abi.VALUES)
def VALUES(p: int, m: int, X: int, f: int, user: int) -> None:
    door = _doors[user]
    try:
        out = array_at(f, m)
        out[:] = UNANSWERED
        if door.closed:
            door.give_up(m)
        else:
            door.values_at(m, X, out)
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.GRADIENT)
def GRADIENT(p: int, x: int, g: int, user: int) -> float:
    door = _doors[user]
    if door.closed:
        return door.give_up()
    try:
        return door.gradient_at(x, g)
    except BaseException as error:
        door.fail(error)
        return UNANSWERED


@_abi.callback(_abi.SLOPES)
def SLOPES(p: int, x: int, k: int, U: int, d: int, user: int) -> float:
    door = _doors[user]
    if door.closed:
        return door.give_up(k)
    try:
        return door.slopes_at(x, k, U, d)
    except BaseException as error:
        door.fail(error)
        return UNANSWERED


@_abi.callback(_abi.UNANSWERED)
def GIVEN_UP(user: int) -> int:
    """The evaluations that were not made since this was last called."""
    door = _doors[user]
    news, door.unanswered = door.unanswered, 0
    return news


@_abi.callback(_abi.PROGRESS)
def PROGRESS(news: int, user: int) -> None:
    door = _doors[user]
    try:
        told = _abi.Progress.from_address(news)
        if door.translate is not None:
            told = door.translate(told)
        if door.journal is not None:
            _abi.journal_note(door.journal, ctypes.byref(told))
        if door.progress is not None and not door.closed:
            if door.progress(told):
                door.stop()
    except StopIteration:
        door.stop()
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.FATAL)
def FATAL(status: int, user: int) -> None:
    _doors[user].stop()


# ---- a journal's side of the door ----
#
# A journal records a batch when it returns.  Here each answer is recorded as
# it comes: the batch is taken apart before the journal sees it, so a process
# that is killed has lost one evaluation, not a batch of them.


@_abi.callback(_abi.VALUES)
def VALUES_ONE_BY_ONE(p: int, m: int, X: int, f: int, user: int) -> None:
    door, stride = _doors[user], p * _DOUBLE
    try:
        out, inner = array_at(f, m), door.inner
        out[:] = UNANSWERED
        for i in range(m):
            out[i] = inner.value(p, X + i * stride, inner.user)
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.SLOPES)
def SLOPES_ONE_BY_ONE(p: int, x: int, k: int, U: int, d: int,
                      user: int) -> float:
    door, stride, f = _doors[user], p * _DOUBLE, UNANSWERED
    try:
        array_at(d, k)[:] = UNANSWERED
        for j in range(k):
            f = door.inner.slopes(p, x, 1, U + j * stride, d + j * _DOUBLE,
                                  door.inner.user)
    except BaseException as error:
        door.fail(error)
    return f


@_abi.callback(_abi.VALUE)
def VALUE_INNER(p: int, x: int, user: int) -> float:
    inner = _doors[user].inner
    return float(inner.value(p, x, inner.user))


@_abi.callback(_abi.GRADIENT)
def GRADIENT_INNER(p: int, x: int, g: int, user: int) -> float:
    inner = _doors[user].inner
    return float(inner.gradient(p, x, g, inner.user))


@_abi.callback(_abi.UNANSWERED)
def GIVEN_UP_INNER(user: int) -> int:
    inner = _doors[user].inner
    return int(inner.unanswered(inner.user))


def one_by_one(door: Door, wrapped: _abi.Problem) -> _abi.Problem:
    """The journal's problem, evaluated one answer at a time."""
    door.inner = wrapped
    outer = _abi.Problem.from_buffer_copy(wrapped)
    outer.user = door.key
    outer.unanswered = GIVEN_UP_INNER
    if wrapped.value:
        outer.value, outer.values = VALUE_INNER, VALUES_ONE_BY_ONE
    if wrapped.gradient:
        outer.gradient = GRADIENT_INNER
    if wrapped.slopes:
        outer.slopes = SLOPES_ONE_BY_ONE
    return outer
