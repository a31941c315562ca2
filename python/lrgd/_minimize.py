"""lrgd.minimize: one solve from beginning to end.

This file knows the order in which journal, workers and solver are opened and
closed, and how their errors are reported.
"""
from __future__ import annotations

import warnings
from contextlib import ExitStack
from functools import partial
from typing import Any, Callable, Mapping, Optional

import numpy as np

from . import _abi, _bar, _constraints, _door, _journal, _learn, _limited
from . import _manners, _options, _result, _tensor_run, _tensors
from ._errors import InvalidArgument, JournalRefused, exception
from ._inputs import one_gradient as one_gradient
from ._inputs import point as point
from ._inputs import read_bounds as read_bounds
from ._inputs import read_samples as read_samples
from ._inputs import warn_of_widths as warn_of_widths
from ._result import Result
from ._session import PathLike as PathLike
from ._session import Session as Session
from ._types import Array, Function
from ._variables import Variables


@_options.documented
def minimize(fun: Optional[Function], x0: Any, args: Any = (),
             method: Any = None, jac: Any = None, hess: Any = None,
             hessp: Any = None, bounds: Any = None, constraints: Any = None,
             tol: Optional[float] = None, callback: Optional[Function] = None,
             options: Optional[Mapping[str, Any]] = None, *, grad: Any = None,
             jvp: Optional[Function] = None, batch: Any = None,
             basis: Any = None, equal: Any = None, answers: Any = None,
             objective: Optional[str] = None, maximize: bool = False,
             samples: Any = None, scale: Any = None, log: Any = None, names: Any = None,
             progress: bool = False, disp: Any = False, jobs: int = 1,
             timeout: Optional[float] = None,
             journal: Optional[PathLike] = None, learn_from: Any = None,
             **more: Any) -> Result:
    """Minimise a function of many variables that varies along few directions.

    What was written for scipy.optimize.minimize runs, or is refused in a
    sentence that says what to do.

    Parameters
    ----------
    fun : callable
        fun(x, *args) -> f, one number.  x is an array of its own, to keep or
        to change.  NaN says that the point cannot be evaluated, -inf that f
        is unbounded below (in worker processes that it failed).  What it
        raises comes out of minimize, with the best so far in the exception's
        attribute lrgd_result.
    x0 : array of p numbers, or a tensor
        Where to start.  From a vector of PyTorch, on the host or on a GPU,
        vectors stay where it is: functions get tensors, and x and basis of the
        result are tensors.
    args : tuple
        More arguments for fun, grad, jvp and batch; what is no tuple is the
        one argument.

    What else f tells
    -----------------
    grad, jac : callable or True, optional
        grad(x) -> the p numbers of the gradient; True: fun returns (f, g).
        jac is SciPy's name for the same: give one of them.  '2-point' is
        without, '3-point' differences="central", 'cs' the complex step.
    hess, hessp : optional
        Accepted as SciPy's, and not used, with a warning.
    jvp : callable, optional
        jvp(x, u) -> (f, d), d the derivative of f along u: forward-mode
        differentiation, or complex_step(fun).  One evaluation each.
        It may return d alone; then fun is called for f besides.
        With a tensor x0, True: PyTorch's forward mode takes the derivatives of
        fun, of many directions in one pass.
    batch : callable or True, optional
        batch(X) -> m values, for the m rows of X; True: fun does that.

    Where to look
    -------------
    bounds : optional
        A tuple (lower, upper) of numbers or arrays, scipy.optimize.Bounds, or
        a (low, high) pair for each input.  With two inputs ((0, 1), (0, 2))
        is two pairs, as in SciPy.  No point outside is ever evaluated.
    scale : number or array of p numbers, optional
        The size of each input: the solver works on x / scale, and tol,
        basis and certificate are about that; fun gets x.  Without it, where
        the widths of the bounds differ by more than a hundred times, methods
        auto and quasi-newton take these widths, and say so (scale=1: inputs
        as they are); not where tol, log, basis, mu or epsilon is given, nor
        where an input starts within a thousandth of its box from a bound.
    log : True, or a list of indices or names, optional
        Inputs whose logarithm the solver works on: they stay positive.
    names : list of p names, optional
        Of the inputs, for messages, phases and journals.
    basis : array, p × q, optional
        Move only in x0 + its span.
    equal : (A, b), optional
        Keep A x = b at every point that is evaluated; the start is moved to the
        nearest point that does.  Together with bounds the methods auto and
        quasi-newton keep both.
    samples : array, n × p, optional
        The points of Algorithm 1 (method "lrgd"), a row each, at least as many
        as the rank; with verbatim exactly as many.

    Constraints
    -----------
    constraints : optional
        SciPy's NonlinearConstraint, LinearConstraint and dictionaries, alone
        or in a list.  One evaluation is one point: f is asked there, then each
        function; all are modelled.  They may be violated on the way, and hold
        at the end to 1e-6 of their size (at x0, where the limit is 0); with
        keep_feasible a LinearConstraint holds at every point.  Linear
        equations alone, also as (A, b), are kept as with equal (a dictionary's
        function is called p + 5 times beforehand).
    answers : list of names, optional
        fun returns these numbers, in this order, or as a dictionary;
        constraints are texts then: ["stress <= 250", "1 <= tip <= 3"].
    objective, maximize : str, bool
        Which of the answers to minimise (the first) or to maximise.
    What is shown
    -------------
    callback : callable, optional
        callback(progress) after every iteration and decision; see Progress.
        One whose argument is called xk or x gets the point, and one with
        intermediate_result the progress by that name, as in SciPy.
        The run stops where it returns True or raises StopIteration.
    progress : bool
        Show how the run stands: a line in a terminal or in a notebook, and
        now and then a line on standard error elsewhere.
    disp : bool
        Print the result.

    Workers and journals
    --------------------
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

    More keywords
    -------------
    options : dict, optional
        More keywords, as SciPy has them.
    **more
        The library's options.  SciPy's maxiter, maxfev, gtol, ftol and
        workers stand for max_iterations, max_evals, tol, stop_decrease and
        jobs; its methods for auto.

    {options}

    Returns
    -------
    Result
        With SciPy's field names and oracle_calls, rank, basis, certificate,
        phases; with constraints constr, constr_violation, v, outputs and
        multipliers too.  How the run ended is `result.outcome`, and never an error.

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
    own: "dict[str, Any]" = dict(
        grad=grad, jvp=jvp, batch=batch, basis=basis, equal=equal,
        samples=samples, scale=scale, log=log, names=names, progress=progress,
        disp=disp, timeout=timeout, journal=journal, learn_from=learn_from)
    found = _manners.read_options(
        {"method": _manners.read_method(method), "tol": tol,
         "jobs": None if jobs == 1 else jobs, **more, **dict(options or {})},
        (*own, "jobs"))
    how = {name: found.pop(name, value) for name, value in own.items()}
    jobs = 1 if found["jobs"] is None else found["jobs"]
    del found["jobs"]
    if found.get("width") is None:
        found["width"] = first_width(jobs, how["journal"])
    _manners.warn_of_hessians(hess, hessp)
    if _tensors.is_tensor(x0):
        others = dict(constraints=constraints, answers=answers,
                      objective=objective, maximize=maximize or None,
                      jobs=jobs if jobs != 1 else None)
        rest = {name: how.pop(name)
                for name in ("grad", "jvp", "batch", "progress", "disp")}
        _tensor_run.refuse({**how, **others})
        return _tensor_run.minimize(fun, x0, args=args, jac=jac, bounds=bounds,
                                    callback=callback, options=found, **rest)
    x = point(x0)
    wanted_jvp = how["jvp"]
    jac, jvp = _manners.read_jac(one_gradient(how.pop("grad"), jac),
                                 how.pop("jvp"), fun, found)
    equal = how.pop("equal")
    made, box = _options.make(found), read_bounds(bounds, x.size)
    equations, limits = _read_limits(x, constraints, equal, answers, objective,
                                     maximize)
    variables = Variables(x.size, *map(how.pop, ("scale", "log", "names")))
    variables.by_widths(x, box, made, how["basis"] is not None)
    if variables.scale is None and variables.log is None:
        warn_of_widths(box)
    show = how.pop("disp")
    how["samples"] = read_samples(how["samples"], x.size)
    common: "dict[str, Any]" = dict(args=_manners.read_args(args), bounds=box,
                  variables=variables, jobs=jobs, options=made,
                  callback=_manners.read_callback(callback))
    if limits is not None:
        _limited.refuse({**how, "jvp": wanted_jvp}, equal)
        result = _limited.solve(
            x, fun, limits, gradient=_limited.read_gradient(jac),
            timeout=how["timeout"], journal=how["journal"],
            progress=how["progress"], **common)
    else:
        result = solve(x, fun, jac=jac, jvp=jvp, constraints=equations,
                       **common, **how)
        _constraints.add_violation(result, equations)
    if show:
        print(f"{result.message}\n{result!r}")
    return result


def _read_limits(x: Array, constraints: Any, equal: Any, answers: Any,
                 objective: Optional[str], maximize: bool
                 ) -> "tuple[Any, Optional[_constraints.Limits]]":
    """Linear equations that are kept at every point, and limits; None."""
    if answers is not None:
        return None, _constraints.Limits.of_answers(
            constraints, x.size, answers, objective, maximize)
    if objective is not None or maximize:
        raise TypeError("objective and maximize are about answers; without "
                        "them minimize fun, or its negative")
    equations, parts = _constraints.read(constraints, x)
    if parts and _constraints.tells_derivatives(constraints):
        warnings.warn("jac of a constraint is not used: values are asked, of "
                      "f and all constraints at one point", stacklevel=3)
    if parts:
        return None, _constraints.Limits(parts, x.size)
    if equal is not None and equations is not None:
        raise TypeError("equal and constraints are two names for one thing")
    if equal is not None:
        equations, parts = _constraints.read(equal, x)
    if parts:
        raise ValueError("equal keeps linear equations A x = b; give other "
                         "constraints as constraints")
    return equations, None


def first_width(jobs: int, journal: Optional[PathLike]) -> int:
    """The number of simultaneous evaluations: as in the journal, if there is
    one, so that jobs may change; else as many as there are jobs."""
    if journal is not None:
        if _journal.recorded(journal, "method"):
            return int(_journal.recorded(journal, "width") or 1)
    return max(jobs, 1)  # a wrong value is reported when workers start


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
    """One minimisation, which may take several paths of a journal."""

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
        self.variables: Variables = how["variables"]
        if self.in_subspace and self.variables.log is not None or (
                how["basis"] is not None and self.variables.scale is not None):
            raise InvalidArgument("basis and equal are about x: give them "
                                  "without log, and basis without scale")

    def learn(self, learn_from: Any) -> None:
        """Collects the evaluations known before the run, without the journal's
        own."""
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
        """Runs one path.  None: a new path has begun in the journal."""
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
            session.variables = self.variables
            session.make = partial(_result.make, variables=self.variables)
            hear = how["callback"]
            if how.get("progress"):
                hear = session.show(_bar.Bar(options), hear)
            session.prepare(lower, upper, options, hear, self.x)
            session.restrict(how["basis"], how["constraints"])
            session.sample(how["samples"])
            if not self.in_subspace:
                self.learned.teach(_abi.solver_learn, session.solver,
                                   self.variables)
            result = None
            try:
                result = session.run(self.x, options)
                _result.add_gradient(result, door.gradient_at_point(result.x))
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
                     samples=how["samples"], **self.variables.settings()),
                self.learned)
            if self.variables.names:
                self.settings["names"] = _journal.Setting(
                    self.variables.names_text(), True)
        session.open_journal(path, self.settings, how["jobs"], self.resumes)
        journal = session.journal
        if journal.departs():
            self.begin_path(journal)
        journal.spend(options)
        self.learned.add_own(journal.journal,
                             _journal.summarize(journal.journal).path_first)

    def depart(self, session: "Session", refused: JournalRefused) -> None:
        """If the run asks for points other than the stored ones: begins a new
        path, or raises an error that says how to."""
        journal = session.journal
        why = journal.departs() if journal else ""
        if not why:
            raise refused
        if not self.resumes:
            raise JournalRefused(f"{refused}; lrgd.Run(...).resume goes on, "
                                 "as a new path") from None
        self.begin_path(journal)

    def begin_path(self, journal: _journal.Journal) -> None:
        """Begins a new path at the best stored point, with all stored
        evaluations known; one point is evaluated again, to check that f is the
        same."""
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
