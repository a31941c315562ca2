"""lrgd.diagnose: is a function of low rank, and what would each method cost?
"""
from __future__ import annotations

import ctypes
from contextlib import ExitStack
from functools import partial
from typing import Any, Optional

import numpy as np

from . import (_abi, _bar, _door, _journal, _learn, _manners, _minimize,
               _options)
from ._diagnosis import Diagnosis
from ._errors import check, exception
from ._pool import Pool
from ._signals import Interrupts
from ._types import Arguments, Array, Function
from ._variables import Variables

@_options.documented
def diagnose(fun: Optional[Function], x0: Any = None, *,
             args: Arguments = (), grad: Any = None, jac: Any = None,
             jvp: Optional[Function] = None, batch: Any = None,
             bounds: Any = None, jobs: int = 1,
             timeout: Optional[float] = None, gradients: int = 0,
             held_out: int = 0, radius: Optional[float] = None,
             eta: Optional[float] = None, trial_runs: bool = True,
             learn_from: Any = None, rehearse: Optional[bool] = None,
             scale: Any = None, log: Any = None,
             names: Any = None, journal: "Optional[_minimize.PathLike]" = None,
             progress: bool = False, **options: Any) -> Diagnosis:
    """Say whether a function is of low rank before a long run is paid for.

    Samples gradients in the bounds (or a ball around x0), finds the
    directions f varies along, checks them on held-out points, and makes trial
    runs of the methods to predict what each would cost.

    Parameters
    ----------
    fun, args, grad, jac, jvp, batch, bounds, jobs, timeout, progress
        As in minimize.
    scale, log, names
        As in minimize; directions, spectrum and theorems are about the
        variables that these make.
    journal : path, optional
        Keep every answer in this file as it comes: the same diagnosis again
        asks nothing twice, and minimize and others can learn_from it.
    x0 : array of p numbers
        The start; without it, the middle of finite bounds.
    gradients : int
        Most gradients to sample; 0: as planned.
    held_out : int
        Held-out points; 0: 100.
    radius : float
        Of the ball where there are no bounds, in units of the scale of x
        times the square root of p.
    eta : float
        Directions are good where η is at most this at 95 % of the points.
    trial_runs : bool
        Whether to make trial runs, which predict what each method would
        cost.
    learn_from : optional
        Known evaluations, as in minimize.  Evaluations at exactly these
        points are not repeated, and whole gradients among them become
        samples if they add directions; held-out points are never taken
        from them.  One is evaluated again first, and another value raises
        JournalRefused.
    rehearse : bool, optional
        The former name of trial_runs; deprecated.
    **options
        The library's options; max_evals is kept:

    {options}

    Returns
    -------
    Diagnosis

    Notes
    -----
    The first Ctrl-C ends the diagnosis with what is known so far; what fun
    raises comes out.
    """
    made = _options.make(_manners.read_options(options, who="diagnose"))
    x, sides = _start(x0, bounds)
    want = _abi.diagnosis_options_default()
    want.gradients, want.held_out = gradients, held_out
    want.trial_runs = bool(trial_runs if rehearse is None else rehearse)
    want.confidence = _options.number(made, "confidence")
    for name, value in (("radius", radius), ("eta", eta)):
        if value is not None:
            setattr(want, name, value)
    work = dict(fun=fun, args=_manners.read_args(args),
                jac=_minimize.one_gradient(grad, jac), jvp=jvp)
    variables = Variables(x.size, scale, log, names)
    variables.by_widths(x, sides, made, False)
    with ExitStack() as stack:
        study = _Study(x, sides, made, want, variables, stack)
        study.open(work, batch, journal, jobs, timeout, learn_from)
        if progress:
            study.show()
        found = study.run()
    return found


class _Study:
    """The resources of a diagnosis; the stack closes them, the last one first.
    """

    def __init__(self, x: Array, sides: "tuple[Any, Any]",
                 options: _abi.Options, want: _abi.DiagnosisOptions,
                 variables: Variables, stack: ExitStack) -> None:
        self.x, self.sides, self.options, self.want = x, sides, options, want
        self.variables, self.stack = variables, stack
        self.journal: Any = None

    def open(self, work: "dict[str, Any]", batch: Any, journal: Any,
             jobs: int, timeout: Optional[float], learn_from: Any) -> None:
        self.door = _door.Door(self.x.size, batch=batch, **work)
        self.stack.callback(self.door.close)
        self.learned = _learn.begin(learn_from, self.x.size)
        self.stack.callback(self.learned.close)
        if journal is not None:
            self.open_journal(journal, jobs)
        self.maker: Any = self.door
        if jobs != 1 or timeout is not None:
            kept = self.journal
            self.maker = Pool(self.door, work, _manners.read_workers(jobs),
                              timeout, kept.run_id if kept else None,
                              kept.length() if kept else 0)
            self.stack.callback(self.maker.close)

    def open_journal(self, path: "_minimize.PathLike", jobs: int) -> None:
        settings = _journal.settings_of(
            self.door, self.x, *self.sides, self.options,
            self.variables.settings(), self.learned)
        want = self.want
        settings["diagnosis"] = _journal.Setting(
            f"gradients={want.gradients} held-out={want.held_out} "
            f"radius={want.radius:.17g}")
        if self.variables.names:
            settings["names"] = _journal.Setting(self.variables.names_text(),
                                                 True)
        self.journal = _journal.Journal(path, self.x.size, settings, jobs=jobs,
                                        must_exist=False)
        self.stack.callback(self.journal.close)

    def show(self) -> None:
        bar = _bar.Bar(self.options)
        self.door.count(bar)
        self.stack.callback(bar.end)

    def run(self) -> Diagnosis:
        problem = self.maker.problem(*self.sides)
        pool = self.maker.pool if self.maker is not self.door else None
        if self.journal is not None:
            problem = self.journal.wrap(self.door, problem, pool)
        self.variables.open(problem, self.x)
        self.stack.callback(self.variables.close)
        problem, z = self.variables.wrap(problem), self.variables.into(self.x)
        study = ctypes.c_void_p()
        check(_abi.diagnosis_open, ctypes.byref(study), ctypes.byref(problem),
              ctypes.byref(self.options), ctypes.byref(self.want),
              z.ctypes.data)
        self.stack.callback(_abi.diagnosis_destroy, ctypes.byref(study))
        self.learned.teach(_abi.diagnosis_learn, study, self.variables)
        self.ask(study)
        replayed = 0
        if self.journal is not None:
            self.journal.check()
            replayed = _journal.summarize(self.journal.journal).replayed
        found = Diagnosis(study, self.x.size, self.options, replayed)
        if self.journal is not None:
            self.journal.finish(found.outcome)
        return found

    def ask(self, study: Any) -> None:
        door, error = self.door, _abi.Error()
        door.stops.append(partial(_abi.diagnosis_stop, study))
        pooled = self.maker is not door
        with Interrupts(door.stop, self.maker.kill if pooled else door.stop):
            status = _abi.diagnosis_run(study, ctypes.byref(error))
        raised, door.error = door.error, None
        if raised is not None:
            try:
                raise raised
            finally:
                del raised
        if status != 0:
            raise exception(status, error)
        if pooled:
            self.maker.check()


def _start(x0: Any, bounds: Any) -> "tuple[Array, tuple[Any, Any]]":
    if x0 is None:
        if bounds is None:
            raise TypeError("where? give x0, or bounds")
        two = isinstance(bounds, tuple) and len(bounds) == 2
        low = getattr(bounds, "lb", bounds[0] if two else None)
        p = np.size(low) if low is not None else len(bounds)
        lower, upper = _minimize.read_bounds(bounds, p)
        if not np.all(np.isfinite(lower) & np.isfinite(upper)):
            raise ValueError("without x0 all bounds must be finite")
        return (lower + upper) / 2, (lower, upper)
    x = _minimize.point(x0)
    return x, _minimize.read_bounds(bounds, x.size)
