"""Ask and tell: for those who own the loop.

The solver runs on a thread of the library's own and hands its questions over.
"""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, Iterator, Optional

import numpy as np

from . import _abi, _door, _learn, _minimize, _options, _result
from ._answers import vector
from ._errors import check
from ._result import Result
from ._types import Array

KINDS = ("value", "gradient", "slope")


class Question:
    """A request of a run: one batch of evaluations.

    Attributes
    ----------
    kind
        "value", "gradient" or "slope"
    points
        m × p, the points to evaluate; a single row for gradient and slope
    directions
        k × p, for slopes: one direction a row; else None
    """

    def __init__(self, asker: "Asker", question: _abi.Question) -> None:
        self._asker = asker
        self.kind = KINDS[question.kind]
        p, count = question.p, question.count
        m = count if self.kind == "value" else 1
        self.points = _door.array_at(question.x, m, p).copy()
        self.directions: Optional[Array] = None
        if self.kind == "slope":
            self.directions = _door.array_at(question.U, count, p).copy()

    def __len__(self) -> int:
        return len(self.points if self.directions is None else self.directions)

    def tell(self, f: Any, d: Any = None) -> None:
        """The answer: f, the values of the points; and d, the gradient or the
        slopes along the directions.  NaN: it cannot be evaluated."""
        self._asker._tell(self, f, d)


class Asker:
    """A run whose loop is yours.

    Parameters
    ----------
    x0 : array of p numbers
    kind : "value", "gradient" or "slope": what it is told
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
    """

    def __init__(self, x0: Any, *, kind: str = "value", bounds: Any = None,
                 learn_from: Any = None, samples: Any = None,
                 **options: Any) -> None:
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; it must be one of "
                             + ", ".join(KINDS))
        x = _minimize.point(x0)
        self.dimension = x.size
        rows = _minimize.read_samples(samples, x.size)
        made = _options.make(options)
        self._options = made
        self._asker = ctypes.c_void_p()
        self._open: Optional[Question] = None
        self._bounds = _minimize.read_bounds(bounds, x.size)
        problem = _door.new_problem(x.size, *self._bounds)
        check(_abi.ask_tell_create, ctypes.byref(self._asker),
              ctypes.byref(problem), KINDS.index(kind), ctypes.byref(made),
              x.ctypes.data)
        self._end = weakref.finalize(self, _abi.ask_tell_destroy,
                                     ctypes.byref(self._asker))
        if rows is not None:
            check(_abi.ask_tell_set_samples, self._asker, len(rows),
                  rows.ctypes.data)
        learned = _learn.begin(learn_from, x.size)
        try:
            learned.teach(_abi.ask_tell_learn, self._asker)
        finally:
            learned.close()

    def ask(self) -> Optional[Question]:
        """The next request; the same one until tell is called; None at the
        end."""
        if not self._end.alive:
            raise ValueError("the run is closed")
        if self._open is None:
            question = _abi.Question()
            check(_abi.ask, self._asker, ctypes.byref(question))
            if question.count > 0:
                self._open = Question(self, question)
        return self._open

    def _tell(self, question: Question, f: Any, d: Any) -> None:
        if question is not self._open:
            raise ValueError("this question is not open: it was told already")
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
        """After the end: what came of the run."""
        if not self._end.alive:
            raise ValueError("the run is closed")
        x, told = np.empty(self.dimension), _abi.Result()
        check(_abi.ask_tell_result, self._asker, x.ctypes.data,
              ctypes.byref(told))
        return _result.make(x, told, _abi.ask_tell_solver(self._asker),
                            self._options, self._bounds)

    def close(self) -> None:
        """Ends the run, if it still goes on."""
        self._end()

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
