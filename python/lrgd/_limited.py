"""A run with constraints: its door, its journal and what comes of it."""
from __future__ import annotations

import warnings
from contextlib import ExitStack
from functools import partial
from typing import Any, Optional

import numpy as np

from . import _abi, _bar, _journal, _options, _result
from ._answers import Outputs
from ._constraints import Limits
from ._door import array_at, find
from ._errors import InvalidArgument
from ._learn import Learned
from ._residuals import ResidualDoor
from ._session import PathLike, Session
from ._signals import Interrupts
from ._types import Array, Function
from ._variables import Variables

_TOGETHER = "f and all constraints are asked together, one point at a time"


class OutputDoor(ResidualDoor):
    """Answers with f and what the functions of constraints give."""

    def __init__(self, p: int, asked: Outputs, limits: Limits,
                 variables: Variables) -> None:
        super().__init__(p, asked)  # type: ignore[arg-type]
        self.kind = "outputs"
        self.limits = limits
        self.variables = variables

    def add_known(self, problem: _abi.Problem) -> None:
        self.limit(problem)

    def limit(self, problem: _abi.Problem) -> _abi.Problem:
        """Adds the limits, which live as long as the door does."""
        problem.limits = self.limits.tell(self.variables.scale)
        return problem

    def count(self, bar: Any) -> None:
        ask: Any = self.asked
        ask.ask = bar.counting(ask.ask)
        self.bar = bar


@_abi.callback(_abi.COST)
def COST(m: int, y: int, user: int) -> float:
    """Returns f of an answer, for a journal."""
    found: Any = find(user)
    outputs = array_at(y, m)
    if not np.isfinite(outputs).all():
        return float("nan")
    return float(outputs[found.limits.objective])


# ---- what goes together ----


def refuse(how: "dict[str, Any]", equal: Any) -> None:
    """Refuses what a run with constraints does not take."""
    if equal is not None:
        raise InvalidArgument(
            "equal keeps A x = b at every point, which goes with bounds alone: "
            "give it as LinearConstraint(A, b, b) among the constraints, which "
            "holds at the end")
    for name, why in (
            ("basis", "write x = x0 + basis z, and minimise over z"),
            ("samples", "they are the points of another method"),
            ("batch", f"{_TOGETHER}; jobs evaluates several"),
            ("jvp", f"values are asked: {_TOGETHER}; give fun alone"),
            ("learn_from", "values of f say nothing of the constraints; "
                           "journal goes on with a run")):
        if how.get(name) is not None:
            raise InvalidArgument(f"{name} does not go with constraints: "
                                  f"{why}")


def read_gradient(jac: Any) -> bool:
    """Returns whether fun returns the gradient behind f; it is not used."""
    if jac is not None and jac is not False and not isinstance(jac, str):
        warnings.warn("jac is not used with constraints: values are asked, "
                      f"as {_TOGETHER}", stacklevel=3)
    return jac is True


# ---- the run ----


def solve(x: Array, fun: Optional[Function], limits: Limits, *,
          args: "tuple[Any, ...]", gradient: bool,
          bounds: "tuple[Any, Any]", variables: Variables,
          callback: Optional[Function], options: _abi.Options, jobs: int,
          timeout: Optional[float], journal: Optional[PathLike],
          progress: bool) -> _result.Result:
    """Minimises under constraints, the arguments of minimize being read."""
    if not callable(fun):
        raise TypeError(f"fun is {fun!r}; with constraints it must be callable")
    if variables.log is not None and len(limits.A):
        raise InvalidArgument("a LinearConstraint with keep_feasible is about "
                              "x: give it without log, or without "
                              "keep_feasible")
    x = _inside(x, bounds)
    with ExitStack() as stack:
        asked = limits.asked(fun, args, gradient)
        door = OutputDoor(x.size, asked, limits, variables)
        stack.callback(door.close)
        measure(door, x, journal)
        session = Session(door, stack)
        if journal is not None:
            open_journal(session, door, journal, x, bounds, options, jobs)
        if jobs != 1 or timeout is not None:
            session.start_workers(work_of(asked), jobs, timeout)
        session.variables = variables
        session.make = partial(make, session, limits, variables)
        hear = callback
        if progress:
            hear = session.show(_bar.Bar(options), hear)
        session.prepare(*bounds, options, hear, x)
        result = session.run(x, options)
    return result


def _inside(x: Array, bounds: "tuple[Any, Any]") -> Array:
    lower, upper = bounds
    if lower is None or not (lower <= upper).all():
        return x
    moved: Array = np.clip(x, lower, upper)
    return moved


def measure(door: OutputDoor, x: Array,
            journal: Optional[PathLike]) -> None:
    """Finds how many numbers the constraints have: from the journal, or else
    by calling their functions at the start, whose values are kept."""
    asked: Any = door.asked
    known = (_journal.recorded(journal, "constraint_sizes") if journal
             else "")
    if known:
        asked.know([int(word) for word in known.split()])
    else:
        with Interrupts(door.stop, door.stop):
            asked.measure(x)
    door.limits.know(asked.sizes)


def work_of(asked: Outputs) -> "dict[str, Any]":
    """Returns what workers need.  Functions are listed by themselves too, so
    that it is seen whether a worker can load them."""
    functions = {f"constraint_{i}": fun
                 for i, (fun, _, _) in enumerate(asked.functions)}
    return dict(fun=asked.fun, args=asked.args, functions=asked.functions,
                gradient=asked.gradient, names=asked.names, sizes=asked.sizes,
                **functions)


def open_journal(session: Session, door: OutputDoor, path: PathLike, x: Array,
                 box: "tuple[Any, Any]", options: _abi.Options,
                 jobs: int) -> None:
    told = door.limits.settings()
    texts = {key: value for key, value in told.items()
             if isinstance(value, str)}
    more = {key: value for key, value in told.items() if key not in texts}
    variables = door.variables
    settings = _journal.settings_of(door, x, *box, options,
                                    {**more, **variables.settings()},
                                    Learned(x.size))
    settings["oracle"] = _journal.Setting("value")
    settings["residuals"] = _journal.Setting("yes")
    settings["residual_count"] = _journal.Setting(str(door.m))
    for key, value in texts.items():
        settings[key] = _journal.Setting(value, key == "answers")
    if variables.names:
        settings["names"] = _journal.Setting(variables.names_text(), True)
    session.open_journal(path, settings, jobs, False)
    session.journal.spend(options)


# ---- what comes of it ----


def make(session: Session, limits: Limits, variables: Variables, x: Array,
         told: _abi.Result, solver: Any, options: _abi.Options,
         bounds: "tuple[Any, Any]") -> _result.Result:
    """Makes the Result, with the fields about constraints."""
    result = _result.make(x, told, solver, options, bounds, variables)
    multipliers = add_outputs(result, limits, solver)
    if session.journal and multipliers is not None:
        _abi.journal_keep_multipliers(session.journal.journal,
                                      multipliers.size,
                                      multipliers.ctypes.data)
    return result


def add_outputs(result: _result.Result, limits: Limits,
                solver: Any) -> Optional[Array]:
    """Adds the fields about constraints; returns the multipliers if they are
    known."""
    m = limits.lower.size
    outputs, multipliers = np.full(m, np.nan), np.full(m, np.nan)
    known = (_abi.solver_residual_count(solver) == m
             and _abi.solver_residuals(solver, outputs.ctypes.data) == 0)
    priced = known and _abi.solver_multipliers(
        solver, multipliers.ctypes.data) == 0
    if known and np.isfinite(outputs).all():
        result["fun"] = float(outputs[limits.objective])
    v = limits.signed(multipliers, outputs)
    names = limits.output_names()
    limited = [i for i in range(m) if np.isfinite(limits.lower[i])
               or np.isfinite(limits.upper[i])]
    end = result.end
    if (end is not None and end.kind == "kkt_stalled" and end.value is not None
            and end.limit is not None and end.value <= end.limit):
        result["success"] = True  # it is there, and not certified
    result.update(
        message=limits.worded(result.message),
        constr_violation=limits.violation(outputs, result.x),
        violation=float(_abi.solver_violation(solver)),
        outputs=dict(zip(names, outputs.tolist())),
        multipliers={names[i]: float(multipliers[i]) for i in limited}
        if priced else {})
    if limits.names is None:
        result["constr"] = limits.split(outputs, result.x)
        result["v"] = [part if size else None for part, size in zip(
            limits.split(v, result.x),
            [not part.rows for part in limits.parts])]
    return multipliers if priced else None
