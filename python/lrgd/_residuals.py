"""The door for functions that answer many numbers: residuals.

How many there are is known from the first answer, which the library needs to
be told before it asks: so the start is asked here, and the answer is kept
until the library asks for it.
"""
from __future__ import annotations

from typing import Any, Optional, cast

import numpy as np

from . import _abi, _answers
from ._door import GIVEN_UP, Door, _Views, array_at, find, new_problem
from ._signals import Interrupts
from ._types import Array, Function

_ROOM = 1 << 22  # numbers of answers that are kept


def read_weights(weights: Any) -> Optional[Array]:
    """Numbers that are not negative, one for each residual or one for all."""
    if weights is None:
        return None
    read = np.array(weights, dtype=float)
    if read.ndim > 1:
        raise ValueError(f"weights have shape {read.shape}; give a number for "
                         "each residual")
    if not (np.isfinite(read).all() and (read >= 0).all()):
        raise ValueError("weights must be finite, and not negative")
    return read


# The weight that predictions have for the solver, whose Jacobian then has their
# rows too; squares of the order of 1e-120 change no sum with another term.
PREDICTION_WEIGHT = 2.0 ** -200


class _Recent:
    """The last answers, by their points: as many as there is room for."""

    def __init__(self) -> None:
        self.answers: "dict[int, Array]" = {}
        self.size = 0

    def add(self, x: Array, answer: Array) -> None:
        key = hash(x.tobytes())
        if key not in self.answers:
            self.size += answer.size
        self.answers[key] = answer.copy()
        while self.size > _ROOM and len(self.answers) > 1:
            oldest = next(iter(self.answers))
            self.size -= self.answers.pop(oldest).size

    def at(self, x: Array) -> Optional[Array]:
        return self.answers.get(hash(x.tobytes()))


class ResidualDoor(Door):
    """Answers with the residuals of fun times their weights."""

    def __init__(self, p: int, fun: Function, weights: Optional[Array] = None,
                 predictions: Any = ()) -> None:
        super().__init__(p, fun)
        self.weights = weights
        self.predictions: Array = np.asarray(predictions, dtype=int).ravel()
        self.m = 0  # not known yet
        self.first: Optional[tuple[Array, Array]] = None  # point and answer
        self.early: Optional[BaseException] = None  # raised at the start
        self.recent = _Recent()
        self.rows = _Views(lambda address: array_at(address, self.m))

    def problem(self, lower: Optional[Array],
                upper: Optional[Array]) -> _abi.Problem:
        problem = new_problem(self.p, lower, upper)
        problem.user = self.key
        problem.unanswered = GIVEN_UP
        problem.residual_count = self.m
        problem.residuals = RESIDUALS
        return problem

    def close(self) -> None:
        super().close()
        self.rows.clear()

    @property
    def observations(self) -> int:
        """Residuals that count: those of weight zero do not."""
        if self.weights is None:
            return self.m - len(self.predictions)
        counting = self.weights != 0
        if counting.size == 1:
            counting = np.repeat(counting, self.m)
        rows = self.predictions[self.predictions < len(counting)]
        return int(np.count_nonzero(np.delete(counting, rows)))

    def ask_first(self, x: Array) -> None:
        """Asks at the start.  What fun raises is kept too: it comes out where
        all else does, when the library asks."""
        with Interrupts(self.stop, self.stop):
            try:
                self.first = x.copy(), self.ask(x)
            except BaseException as error:
                self.early = error
                self.m = max(self.m, 1)

    def ask(self, x: Array) -> Array:
        answer = _answers.residuals(self.fun(x.copy()))
        if self.m == 0:
            self.m = answer.size
            self.check_weights()
            self.check_predictions()
        if answer.size != self.m:
            return self.another_number(answer)
        weighed = answer if self.weights is None else self.weigh(answer)
        if len(self.predictions) > 0:
            weighed = weighed.copy()
            weighed[self.predictions] = (PREDICTION_WEIGHT
                                         * answer[self.predictions])
        return weighed

    def check_weights(self) -> None:
        if self.weights is not None and self.weights.size not in (1, self.m):
            raise ValueError(f"{self.weights.size} weights were given; fun "
                             f"returned {self.m} "
                             f"residual{'s' if self.m != 1 else ''}")

    def check_predictions(self) -> None:
        rows = self.predictions
        if len(rows) > 0 and not ((rows >= 0) & (rows < self.m)).all():
            raise ValueError(f"predictions must be from 0 to {self.m - 1}: "
                             f"fun returned {self.m} residuals")
        if len(set(rows.tolist())) < len(rows):
            raise ValueError("a prediction is there twice")

    def another_number(self, answer: Array) -> Array:
        """One NaN says of a point that it cannot be evaluated."""
        if answer.size == 1 and not np.isfinite(answer[0]):
            return np.full(self.m, np.nan)
        raise ValueError(f"fun returned {answer.size} "
                         f"residual{'s' if answer.size != 1 else ''}; at x0 "
                         f"it returned {self.m}")

    def weigh(self, answer: Array) -> Array:
        """What has no weight plays no part, whatever it is."""
        assert self.weights is not None
        with np.errstate(invalid="ignore"):
            weighed: Array = np.where(self.weights == 0, 0,
                                      self.weights * answer)
        return weighed

    def take_first(self, x: Array) -> Optional[Array]:
        """The answer that is known already."""
        if self.early is not None:
            early, self.early = self.early, None
            raise early
        if self.first is None or not np.array_equal(self.first[0], x):
            return None
        known, self.first = self.first[1], None
        return known

    def residuals_at(self, address: int, to: int) -> None:
        x = self.views[address]
        known = self.take_first(x)
        if known is None and self.closed:
            self.give_up()
            return
        answer = self.ask(x) if known is None else known
        self.recent.add(x, answer)
        self.rows[to][:] = answer


@_abi.callback(_abi.RESIDUALS)
def RESIDUALS(p: int, x: int, m: int, r: int, user: int) -> None:
    """Where nothing is written the library has NaN."""
    door = cast(ResidualDoor, find(user))
    try:
        door.residuals_at(x, r)
    except BaseException as error:
        door.fail(error)
