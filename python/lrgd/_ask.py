"""Ask and tell: for those who own the loop.

The solver runs on a thread of the library's own and hands its questions over.
"""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, Iterator, Optional

import numpy as np

from . import (_abi, _door, _fit, _learn, _limited, _minimize, _options,
               _result)
from ._answers import Outputs, Weighed, residuals, vector
from ._constraints import Limits
from ._errors import check
from ._residuals import ResidualDoor
from ._result import Result
from ._types import Array

KINDS = ("value", "gradient", "slope", "residuals", "outputs")
_ORACLES = (0, 1, 2, 3, 3)


class Question:
    """A request of a run: one batch of evaluations.

    Attributes
    ----------
    kind
        "value", "gradient", "slope", "residuals" or "outputs"
    points
        m × p, the points to evaluate; a single row for gradient and slope
    directions
        k × p, for slopes: one direction a row; else None
    """

    def __init__(self, asker: "Asker", kind: str, points: Array,
                 directions: Optional[Array] = None) -> None:
        self._asker = asker
        self.kind = kind
        self.points = points
        self.directions = directions

    def __len__(self) -> int:
        return len(self.points if self.directions is None else self.directions)

    def tell(self, f: Any, d: Any = None) -> None:
        """Answers the question: f is the values of the points, or the
        residuals or outputs (these also as a dictionary by name) of the one
        point; d is the gradient, or the slopes along the directions.  NaN: it
        cannot be evaluated."""
        self._asker._tell(self, f, d)


class Part(Question):
    """Some of the points of a request for values; parts are told in any order.
    """

    def __init__(self, asker: "Asker", whole: Question, first: int,
                 count: int) -> None:
        super().__init__(asker, whole.kind, whole.points[first:first + count])
        self._whole, self._first = whole, first

    def tell(self, f: Any, d: Any = None) -> None:
        self._asker._tell_part(self, self._whole, self._first, f)


def _question(asker: "Asker", question: _abi.Question) -> Question:
    """Converts a question of the library."""
    kind, directions = asker._kind, None
    m = question.count if kind == "value" else 1
    points = _door.array_at(question.x, m, question.p).copy()
    if kind == "slope":
        directions = _door.array_at(question.U, question.count,
                                    question.p).copy()
    return Question(asker, kind, points, directions)


def _inside(x: Array, lower: Optional[Array],
            upper: Optional[Array]) -> Array:
    """The start, moved into the bounds."""
    if lower is None or upper is None or not (lower <= upper).all():
        return x
    moved: Array = np.clip(x, lower, upper)
    return moved


def _read_limits(kind: str, p: int, answers: Any, constraints: Any,
                 objective: Optional[str],
                 maximize: bool) -> Optional[Limits]:
    """None: one number, or residuals, are told."""
    if answers is not None:
        if kind not in ("value", "outputs"):
            raise ValueError(f"kind is {kind!r}; of answers the values are "
                             "told")
        return Limits.of_answers(constraints, p, answers, objective, maximize)
    if kind == "outputs" or constraints is not None or maximize or (
            objective is not None):
        raise ValueError("give answers=[...], the names of the numbers that "
                         "are told of a point, and constraints as texts, as "
                         "'stress <= 250'")
    return None


class Asker:
    """A run whose loop is yours.

    Parameters
    ----------
    x0 : array of p numbers
    kind : "value", "gradient", "slope" or "residuals": what it is told
        Residuals are told as a vector, as many each time as the first time:
        the run is that of least_squares, and its result a FitResult.
    answers, constraints, objective, maximize : as in minimize
        With answers, the names of the numbers that are told of a point, kind is
        "outputs", and constraints are texts as "stress <= 250".
    bounds, samples, **options : as in minimize
    learn_from : optional
        Evaluations that were paid for before, as in minimize: the first
        question is then the lowest known point once more, and `result` raises
        JournalRefused where it was told another value.

    Examples
    --------
    >>> run = Asker(np.zeros(50))
    >>> for question in run:
    ...     question.tell([(x.sum() - 3) ** 2 for x in question.points])
    >>> run.result.outcome
    'converged'

    A queue of n evaluations is kept full with `ask(n)`, which hands out parts
    of a request; see there.
    """

    def __init__(self, x0: Any, *, kind: str = "value", bounds: Any = None,
                 learn_from: Any = None, samples: Any = None,
                 answers: Any = None, constraints: Any = None,
                 objective: Optional[str] = None, maximize: bool = False,
                 **options: Any) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; it must be one of "
                             + ", ".join(KINDS))
        x = _minimize.point(x0)
        self.dimension = x.size
        self._limits = _read_limits(kind, x.size, answers, constraints,
                                    objective, maximize)
        kind = "outputs" if self._limits is not None else kind
        rows = _minimize.read_samples(samples, x.size)
        made = _options.make(options)
        self._options = made
        self._asker = ctypes.c_void_p()
        self._open: Optional[Question] = None
        self._given = 0  # points of it that parts have taken ...
        self._parts: set[Part] = set()  # ... which are not told yet
        self._told = np.empty(0)
        self._bounds = _minimize.read_bounds(bounds, x.size)
        self._kind, self._start, self._m = kind, _inside(x, *self._bounds), 0
        self._end = weakref.finalize(self, _abi.ask_tell_destroy,
                                     ctypes.byref(self._asker))
        if kind in ("residuals", "outputs") and (
                rows is not None or learn_from is not None):
            raise ValueError(f"{kind} go with neither samples nor learn_from")
        if kind == "residuals":  # the first answer determines their number
            self._open = Question(self, kind, self._start[None].copy())
            return
        self._create()
        if rows is not None:
            check(_abi.ask_tell_set_samples, self._asker, len(rows),
                  rows.ctypes.data)
        learned = _learn.begin(learn_from, x.size)
        try:
            learned.teach(_abi.ask_tell_learn, self._asker)
        finally:
            learned.close()

    def _create(self) -> None:
        problem = _door.new_problem(self.dimension, *self._bounds)
        problem.residual_count = self._m
        if self._limits is not None:
            problem.residual_count = self._limits.lower.size
            problem.limits = self._limits.tell(None)
        check(_abi.ask_tell_create, ctypes.byref(self._asker),
              ctypes.byref(problem), _ORACLES[KINDS.index(self._kind)],
              ctypes.byref(self._options), self._start.ctypes.data)

    def ask(self, n: Optional[int] = None) -> Optional[Question]:
        """The next request; the same one until tell is called; None at the
        end.

        With n: up to n points of it that were not handed out yet.  Each such
        part is told by itself, in any order; the path does not depend on n nor
        on the order, but on the option `width` alone.  A part without points
        says that others must be told first."""
        whole = self._ask_whole()
        if n is None:
            if self._given > 0:
                raise ValueError("parts of this question were handed out: go "
                                 "on with ask(n)")
            return whole
        if self._kind != "value":
            raise ValueError(f"ask(n) is for values, not for {self._kind}")
        if n < 1:
            raise ValueError(f"n is {n}; it must be 1 or more")
        return None if whole is None else self._take(whole, n)

    def _take(self, whole: Question, n: int) -> "Part":
        if self._given == 0:
            self._told = np.full(len(whole), np.nan)
        count = min(n, len(whole) - self._given)
        part = Part(self, whole, self._given, count)
        self._given += count
        if count > 0:
            self._parts.add(part)
        return part

    def _tell_part(self, part: "Part", whole: Question, first: int,
                   f: Any) -> None:
        if part not in self._parts:
            raise ValueError("this question is not open: it was told already")
        count = len(part)
        self._told[first:first + count] = vector(f, count, "f was told as")
        self._parts.remove(part)
        if self._given == len(whole) and not self._parts:
            self._given = 0
            self._tell(whole, self._told, None)

    def _ask_whole(self) -> Optional[Question]:
        if not self._end.alive:
            raise ValueError("the run is closed")
        if self._open is None:
            question = _abi.Question()
            check(_abi.ask, self._asker, ctypes.byref(question))
            if question.count > 0:
                self._open = _question(self, question)
        return self._open

    def _tell(self, question: Question, f: Any, d: Any) -> None:
        if question is not self._open or self._given > 0:
            raise ValueError("this question is not open: it was told already")
        if self._kind == "residuals":
            self._tell_residuals(question, f)
            return
        if self._limits is not None:
            self._tell_outputs(self._limits, f)
            return
        values = np.ascontiguousarray(vector(f, len(question.points),
                                             "f was told as"))
        slopes = None
        if question.kind != "value":
            wanted = (self.dimension if question.directions is None
                      else len(question.directions))
            slopes = np.ascontiguousarray(vector(d, wanted, "d was told as"))
        check(_abi.tell, self._asker, values.ctypes.data,
              None if slopes is None else slopes.ctypes.data)
        self._open = None

    def _tell_residuals(self, question: Question, f: Any) -> None:
        told = np.ascontiguousarray(residuals(f))
        if self._m == 0:  # the library asks for the start again
            self._m = told.size
            self._create()
            self._open = None
            again = self.ask()
            assert again is not None
            if not np.array_equal(again.points, question.points):
                return
        if told.size == 1 and self._m > 1 and not np.isfinite(told[0]):
            told = np.full(self._m, np.nan)
        if told.size != self._m:
            raise ValueError(f"{told.size} residuals were told; first there "
                             f"were {self._m}")
        check(_abi.tell, self._asker, told.ctypes.data, None)
        self._open = None

    def _tell_outputs(self, limits: Limits, f: Any) -> None:
        asked = Outputs(None, names=limits.names)
        asked.know([])
        told = np.ascontiguousarray(asked.named(f, "the answer has",
                                                "f was told as"))
        check(_abi.tell, self._asker, told.ctypes.data, None)
        self._open = None

    def __iter__(self) -> Iterator[Question]:
        while True:
            question = self.ask()
            if question is None:
                return
            yield question
            if self._open is question:
                raise RuntimeError("a question was not answered: call "
                                   "question.tell before the next one")

    @property
    def result(self) -> Result:
        """The result, after the end of the run."""
        if not self._end.alive:
            raise ValueError("the run is closed")
        x, told = np.empty(self.dimension), _abi.Result()
        check(_abi.ask_tell_result, self._asker, x.ctypes.data,
              ctypes.byref(told))
        solver = _abi.ask_tell_solver(self._asker)
        if self._kind == "residuals":
            door = ResidualDoor(self.dimension, Weighed(residuals))
            door.asked.m = self._m
            door.close()
            return _fit.make(door, None, self._start, None, x, told, solver,
                             self._options, self._bounds)
        result = _result.make(x, told, solver, self._options, self._bounds)
        if self._limits is not None:
            _limited.add_outputs(result, self._limits, solver)
        return result

    def close(self) -> None:
        """Ends the run, if it has not ended."""
        self._end()

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
