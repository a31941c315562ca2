"""lrgd.minimize: one solve from beginning to end.

Knows the order in which journal, workers and solver are opened and closed,
and who is told of what went wrong.
"""
from __future__ import annotations

import ctypes
import os
import warnings
from contextlib import ExitStack
from functools import partial
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _abi, _door, _journal, _learn, _options, _result
from ._errors import InvalidArgument, JournalRefused, check, exception
from ._pool import Pool
from ._result import Result
from ._signals import Interrupts
from ._types import Arguments, Array, Function

PathLike = Union[str, "os.PathLike[str]"]


def point(x0: Any, name: str = "x0") -> Array:
    """A copy of x0 as the library wants it."""
    x = np.array(x0, dtype=float, ndmin=1)
    if x.ndim != 1 or x.size == 0:
        raise ValueError(f"{name} has shape {x.shape}; it must be a vector")
    return x


def read_bounds(bounds: Any, p: int, pairs: bool = True) -> "tuple[Any, Any]":
    """Lower and upper from SciPy's Bounds, a pair of them, or a (low, high)
    pair for each input, in which None is no bound.

    Two tuples or lists of two numbers at p = 2 are ambiguous: they are a pair
    for each input, as in scipy.optimize.minimize; with pairs=False they are
    lower and upper, as in scipy.optimize.least_squares and curve_fit."""
    if bounds is None:
        return None, None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        low, high = bounds.lb, bounds.ub
    elif _is_lower_and_upper(bounds, p, pairs):
        low, high = bounds
    else:
        rows = [tuple(np.atleast_1d(pair)) for pair in bounds]
        if len(rows) != p or any(len(pair) != 2 for pair in rows):
            raise ValueError(f"bounds: {len(rows)} pairs for {p} numbers; "
                             "give (low, high) for each, or two arrays as a "
                             "tuple")
        low, high = zip(*rows)
    return _side(low, -np.inf, p, "lower"), _side(high, np.inf, p, "upper")


def _is_lower_and_upper(bounds: Any, p: int, pairs: bool) -> bool:
    """Whether a tuple of two is (lower, upper), and no pair for each input."""
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return False
    if not pairs or p != 2:
        return True
    return not all(isinstance(side, (tuple, list)) and len(side) == 2
                   for side in bounds)


def warn_of_widths(bounds: "tuple[Any, Any]") -> None:
    """Says where inputs are measured in units that do not go together."""
    lower, upper = bounds
    if lower is None:
        return
    with np.errstate(over="ignore"):
        widths = np.atleast_1d(upper - lower)
    widths = widths[widths > 0]
    if not widths.size or not np.isfinite(widths).all():
        return
    times = widths.max() / widths.min()
    if times > 100:
        warnings.warn(f"the widths of the bounds differ by {times:.3g} times, "
                      "and inputs are taken as they are: where they are of "
                      "such different sizes, give them in units in which "
                      "they are alike", stacklevel=3)


def _side(values: Any, none: float, p: int, name: str) -> Array:
    if values is None:
        values = none
    if np.ndim(values) > 0:
        values = [none if v is None else v for v in values]
    side = np.array(values, dtype=float)
    if side.ndim > 1 or (side.ndim == 1 and side.size not in (1, p)):
        raise ValueError(f"the {name} bounds have shape {side.shape}; x has "
                         f"{p} numbers")
    return np.array(np.broadcast_to(side, (p,)))


def read_samples(samples: Any, p: int) -> Optional[Array]:
    """A row for each point, or None."""
    if samples is None:
        return None
    rows = np.array(samples, dtype=float, order="C")
    if rows.ndim != 2 or rows.shape[1] != p or not rows.size:
        raise ValueError(f"samples has shape {rows.shape}; it must have a row "
                         f"of {p} numbers for each point")
    return rows


def one_gradient(grad: Any, jac: Any) -> Any:
    if grad is not None and jac is not None:
        raise TypeError("grad and jac are two names for one thing")
    return jac if grad is None else grad


@_options.documented
def minimize(fun: Optional[Function], x0: Any, *, args: Arguments = (),
             grad: Any = None, jac: Any = None,
             jvp: Optional[Function] = None, batch: Any = None,
             bounds: Any = None, basis: Any = None, equal: Any = None,
             constraints: Any = None, samples: Any = None,
             callback: Optional[Callable[[_result.Progress], Any]] = None,
             jobs: int = 1, timeout: Optional[float] = None,
             journal: Optional[PathLike] = None, learn_from: Any = None,
             **options: Any) -> Result:
    """Minimise a function of many variables that varies along few directions.

    Parameters
    ----------
    fun : callable
        fun(x, *args) -> f, one number.  x is an array of its own, to keep or
        to change.  NaN says that the point cannot be evaluated, -inf that f
        is unbounded below (in worker processes that it failed).  What it
        raises comes out of minimize, with the best so far in the exception's
        attribute lrgd_result.
    x0 : array of p numbers
        Where to start.
    args : tuple
        More arguments for fun, grad, jvp and batch.
    grad, jac : callable or True, optional
        grad(x) -> the p numbers of the gradient; True: fun returns (f, g).
        jac is SciPy's name for the same: give one of them.
    jvp : callable, optional
        jvp(x, u) -> (f, d), d the derivative of f along u: forward-mode
        differentiation, or complex_step(fun).  One evaluation each.
        It may return d alone; then fun is called for f besides.
    batch : callable or True, optional
        batch(X) -> m values, for the m rows of X; True: fun does that.
    bounds : optional
        A tuple (lower, upper) of numbers or arrays, scipy.optimize.Bounds, or
        a (low, high) pair for each input.  With two inputs ((0, 1), (0, 2))
        is two pairs, as in SciPy.  No point outside is ever evaluated.
        Inputs are taken as they are: give them in units in which the widths
        of their bounds are alike.
    basis : array, p × q, optional
        Move only in x0 + its span.
    equal : (A, b), optional
        Keep A x = b at every point that is evaluated; the start is moved to the
        nearest point that does.  Together with bounds the methods auto and
        quasi-newton keep both.
    constraints : (A, b), optional
        The same by an older name.
    samples : array, n × p, optional
        The points of Algorithm 1 (method "lrgd"), a row each, at least as many
        as the rank; with verbatim exactly as many.
    callback : callable, optional
        callback(progress) after every iteration and decision; see Progress.
        The run stops where it returns true or raises StopIteration.
    jobs : int
        Evaluations at once, in so many worker processes (spawned, so a script
        needs `if __name__ == "__main__":`).  The path is the same.
    timeout : float, optional
        Seconds for one evaluation, which then counts as failed; it too runs
        in a worker process.
    journal : path, optional
        Keep every answer in this file as it comes.  Where it exists, the run
        is resumed: no recorded evaluation is repeated.
    learn_from : optional
        Evaluations of the same f that were paid for before: the path of a
        journal (of minimize, diagnose or the command), or a list of them; or
        from memory a pair (X, f) of arrays, n × p and n, or a list of pairs
        (x, f); a third part is a gradient each.  The run begins at the lowest
        of them that the bounds allow, whatever x0 is, and its models with
        what they tell.  That point is evaluated once more; where the value is
        another one, JournalRefused is raised.  Not with basis or equal.
    **options
        The library's options:

    {options}

    Returns
    -------
    Result
        With SciPy's field names and oracle_calls, rank, basis, certificate,
        phases.  How the run ended is `result.outcome`, and never an error.

    Notes
    -----
    The first Ctrl-C stops the run and returns the best so far, with outcome
    "stopped"; the second raises KeyboardInterrupt inside the evaluation.

    Examples
    --------
    >>> import numpy as np, lrgd
    >>> w = np.ones(100)
    >>> lrgd.minimize(lambda x: (w @ x - 3) ** 2, np.zeros(100)).outcome
    'converged'
    """
    for name in options:
        if name not in _options.TABLE:
            raise _options.complain(name, ("journal", "jobs", "bounds",
                                           "learn_from", "samples",
                                           "equal"))
    if equal is not None and constraints is not None:
        raise TypeError("equal and constraints are two names for one thing")
    constraints = constraints if equal is None else equal
    x = point(x0)
    box = read_bounds(bounds, x.size)
    warn_of_widths(box)
    return solve(x, fun, args=args, jac=one_gradient(grad, jac), jvp=jvp,
                 batch=batch, bounds=box, basis=basis,
                 constraints=constraints, samples=read_samples(samples, x.size),
                 callback=callback, jobs=jobs, timeout=timeout,
                 journal=journal, learn_from=learn_from,
                 options=_options.make(options))


def solve(x: Array, fun: Optional[Function], *, journal: Optional[PathLike],
          options: _abi.Options, learn_from: Any = None, settings: Any = None,
          keep_start: bool = False, **how: Any) -> Result:
    """minimize with its arguments read.  settings: those of a journal that
    must exist, where a run is resumed; it then goes on as a new path where it
    is not the one recorded, from the best point stored unless keep_start."""
    with ExitStack() as stack:
        task = _Task(x, fun, journal, options, settings, keep_start, how)
        task.learn(learn_from)
        stack.callback(task.learned.close)
        result = task.sit()
        if result is None:  # a new path has begun
            result = task.sit()
    assert result is not None  # a path that has just begun cannot depart
    return result


class _Task:
    """What is to be solved, over the sessions that this takes."""

    def __init__(self, x: Array, fun: Optional[Function],
                 journal: Optional[PathLike], options: _abi.Options,
                 settings: Any, keep_start: bool,
                 how: "dict[str, Any]") -> None:
        self.x, self.fun, self.path, self.how = x, fun, journal, how
        self.options = options
        self.settings = settings
        self.resumes = settings is not None
        self.keep_start = keep_start
        self.learned = _learn.Learned(x.size)

    def learn(self, learn_from: Any) -> None:
        """What is known beforehand, as far as it is not the journal's own."""
        p, before, verified = self.x.size, "", False
        if self.path is not None:
            before = _journal.recorded(self.path, "learned")
            verified = bool(_journal.recorded(self.path, "verified"))
        if self.resumes:
            self.learned = _learn.resume(learn_from, p, before)
            self.learned.verify = verified
            _journal.record_learned(self.settings, self.learned)
        else:
            self.learned = _learn.begin(learn_from, p, before)
            self.learned.verify |= verified
        if self.in_subspace:
            _learn.refuse_subspace(self.learned)
        if learn_from is not None and _options.number(self.options,
                                                      "verbatim"):
            raise InvalidArgument("learn_from and verbatim do not go "
                                  "together: the paper's algorithms know "
                                  "nothing beforehand")

    @property
    def in_subspace(self) -> bool:
        return (self.how["basis"] is not None
                or self.how["constraints"] is not None)

    def sit(self) -> Optional[Result]:
        """None: a new path has begun in the journal."""
        how, options = self.how, _abi.Options.from_buffer_copy(self.options)
        work = {name: how[name] for name in ("args", "jac", "jvp")}
        door = _door.Door(self.x.size, self.fun, batch=how["batch"], **work)
        with ExitStack() as stack:
            stack.callback(door.close)
            session = Session(door, stack)
            if self.path is not None:
                self.open_journal(self.path, session, options)
            if how["jobs"] != 1 or how["timeout"] is not None:
                if how["batch"] is not None:
                    raise TypeError("batch answers many points by itself; it "
                                    "takes neither jobs nor timeout")
                session.start_workers(dict(fun=self.fun, **work), how["jobs"],
                                      how["timeout"])
            lower, upper = how["bounds"]
            session.prepare(lower, upper, options, how["callback"])
            session.restrict(how["basis"], how["constraints"])
            session.sample(how["samples"])
            if not self.in_subspace:
                self.learned.teach(_abi.solver_learn, session.solver)
            result = None
            try:
                result = session.run(self.x, options)
            except JournalRefused as refused:
                self.depart(session, refused)
        return result

    def open_journal(self, path: PathLike, session: "Session",
                     options: _abi.Options) -> None:
        how = self.how
        lower, upper = how["bounds"]
        if self.settings is None:
            self.settings = _journal.settings_of(
                session.door, self.x, lower, upper, options,
                dict(_subspace_settings(how["basis"], how["constraints"]),
                     samples=how["samples"]), self.learned)
        session.open_journal(path, self.settings, how["jobs"], self.resumes)
        journal = session.journal
        if journal.departs():
            self.begin_path(journal)
        journal.spend(options)
        self.learned.add_own(journal.journal,
                             _journal.summarize(journal.journal).path_first)

    def depart(self, session: "Session", refused: JournalRefused) -> None:
        """Where a run asks for other points than are stored: it goes on as a
        new path, or says how it could."""
        journal = session.journal
        why = journal.departs() if journal else ""
        if not why:
            raise refused
        if not self.resumes:
            raise JournalRefused(f"{refused}; lrgd.Run(...).resume goes on, "
                                 "as a new path") from None
        self.begin_path(journal)

    def begin_path(self, journal: _journal.Journal) -> None:
        """The best stored point becomes the start, and all that is stored is
        known; that f is the same is asked, as nothing here could tell."""
        why, settings = journal.departs(), self.settings
        best = None if self.keep_start else journal.best(*self.how["bounds"])
        if best is not None:
            self.x = best
            settings["start"] = _journal.Setting(best)
        self.learned.verify = not self.in_subspace
        _journal.record_learned(settings, self.learned)
        journal.begin_path(settings, why)
        count = _journal.summarize(journal.journal).rows
        warnings.warn(f"{why}: going on as a new path that knows the {count:,} "
                      f"evaluation{'s' if count != 1 else ''} stored",
                      stacklevel=2)


def _subspace_settings(basis: Any, constraints: Any) -> "dict[str, Any]":
    A, b = (None, None) if constraints is None else constraints
    found = {"basis": basis, "constraints": A, "constraint_values": b}
    return {key: None if value is None else np.asarray(value, dtype=float)
            for key, value in found.items()}


class Session:
    """What is open during a solve; the stack closes it, last first."""

    def __init__(self, door: _door.Door, stack: ExitStack) -> None:
        self.door = door
        self.stack = stack
        self.journal: Any = None
        self.pool: Any = None
        self.solver = ctypes.c_void_p()
        self.make: Callable[..., Result] = _result.make

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

    def prepare(self, lower: Any, upper: Any, options: _abi.Options,
                callback: Optional[Function]) -> None:
        """The solver, its problem wrapped in whatever there is."""
        door, maker = self.door, self.pool or self.door
        problem = maker.problem(lower, upper)
        if self.journal:
            problem = self.journal.wrap(door, problem,
                                        self.pool and self.pool.pool)
        self.kept = (problem, lower, upper)  # borrowed by the library
        if callback is not None:
            p = door.p
            hear = callback
            door.progress = lambda news: hear(_result.progress(news, p))
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
            check(_abi.solver_set_constraints, self.solver, len(A),
                  A.ctypes.data, b.ctypes.data)

    def sample(self, samples: Optional[Array]) -> None:
        """Hands the points of Algorithm 1 over."""
        if samples is not None:
            check(_abi.solver_set_samples, self.solver, len(samples),
                  samples.ctypes.data)

    def run(self, x: Array, options: _abi.Options) -> Result:
        best, told, error = x.copy(), _abi.Result(), _abi.Error()
        kill = self.pool.kill if self.pool else self.door.stop
        with Interrupts(self.door.stop, kill):
            status = _abi.solver_solve(self.solver, x.ctypes.data,
                                       best.ctypes.data, ctypes.byref(told),
                                       ctypes.byref(error))
        if self.journal:
            self.journal.settle(best, told.noise)
        result = self.make(best, told, self.solver, options, self.kept[1:])
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

    def raise_failure(self, result: Result) -> None:
        """What the user's function raised, with what was known by then."""
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


def complex_step(fun: Function) -> Callable[..., Any]:
    """A jvp for a function that takes complex numbers: the complex step.

    f(x + ihu) = f(x) + ih ∂ᵤf(x) + O(h²), so with a tiny h one evaluation
    gives the value and a slope that is exact to rounding.  fun must be made
    of analytic operations (no abs, no conj, no comparison of values).

    >>> jvp = complex_step(lambda x: (x ** 3).sum())
    >>> jvp(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    (9.0, 3.0)
    """
    h = 1e-50

    def jvp(x: Array, u: Array, *args: Any) -> "tuple[float, float]":
        y = complex(fun(x + 1j * h * u, *args))
        return y.real, y.imag / h

    return jvp
