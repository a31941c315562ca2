"""The callbacks for functions that return residuals.

The library must know their number before it begins: so the start is evaluated
here, and the answer is kept until the library asks for it.
"""
from __future__ import annotations

import ctypes
from typing import Any, Optional, cast

import numpy as np

from . import _abi, _answers
from . import _prior
from ._door import (_DOUBLE, GIVEN_UP, GIVEN_UP_INNER, UNANSWERED, Door, _Views,
                    array_at, find, new_problem)
from ._signals import Interrupts
from ._types import Array, Function

_ROOM = 1 << 22  # numbers of answers that are kept


LOSSES: "dict[str, Function]" = {  # rho' of (r / f_scale)^2, as in SciPy
    "linear": np.ones_like,
    "huber": lambda s: np.where(s <= 1, 1, np.maximum(s, 1) ** -0.5),
    "soft_l1": lambda s: (1 + s) ** -0.5,
    "cauchy": lambda s: 1 / (1 + s),
    "arctan": lambda s: 1 / (1 + s ** 2),
}


def read_correlated(correlated: Any, p: int) -> Any:
    """(coordinates, length) with p rows, or an operator."""
    if correlated is None or callable(correlated):
        return correlated
    if not isinstance(correlated, (tuple, list)) or len(correlated) != 2:
        raise ValueError("correlated must be (coordinates, length) or a "
                         "function v -> C^(1/2) v")
    points = np.array(correlated[0], dtype=float)
    points = points[:, None] if points.ndim == 1 else points
    if points.ndim != 2 or len(points) != p:
        raise ValueError(f"coordinates have shape {points.shape}; x has {p} "
                         "numbers")
    return np.ascontiguousarray(points), float(correlated[1])


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


class _Recent:
    """The last answers, by their points, as memory allows."""

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
    """Evaluates the residuals of fun times their weights."""

    def __init__(self, p: int, asked: _answers.Weighed,
                 prior: "Optional[_prior.Prior]" = None,
                 correlated: Any = None) -> None:
        super().__init__(p, asked.fun or asked.batch)
        self.kind = "residuals"
        self.asked = asked
        self.batch = asked.batch
        self.correlated = correlated  # (coordinates, length) or a function
        self.loss = "linear", 1.0
        self.prior = prior
        self.prior_told = None if prior is None else prior.told()
        self.first: Optional[tuple[Array, Array]] = None  # point and answer
        self.early: Optional[BaseException] = None  # raised at the start
        self.recent = _Recent()
        self.rows = _Views(lambda address: array_at(address, self.m))

    @property
    def m(self) -> int:
        """The number of residuals; 0: not known yet."""
        return self.asked.m

    @property
    def weights(self) -> Any:
        return self.asked.weights

    @property
    def predictions(self) -> Array:
        return self.asked.predictions

    def problem(self, lower: Optional[Array],
                upper: Optional[Array]) -> _abi.Problem:
        problem = new_problem(self.p, lower, upper)
        problem.user = self.key
        problem.unanswered = GIVEN_UP
        problem.residual_count = self.m
        problem.residuals = RESIDUALS
        problem.residual_batch = RESIDUAL_BATCH
        if self.asked.jac is not None:
            problem.residual_jacobian = RESIDUAL_JACOBIAN
        if self.asked.jvp is not None:
            problem.residual_slopes = RESIDUAL_SLOPES
        self.add_known(problem)
        return problem

    def add_known(self, problem: _abi.Problem) -> None:
        """Passes prior information and the correlation of inputs to the
        library."""
        if self.prior_told is not None:
            problem.prior = ctypes.addressof(self.prior_told)
        if callable(self.correlated):
            problem.correlate = CORRELATE
        elif self.correlated is not None:
            points, length = self.correlated
            problem.coordinate_count = points.shape[1]
            problem.coordinates = points.ctypes.data
            problem.correlation_length = length

    def watch(self, inner: _abi.Problem) -> _abi.Problem:
        """The problem of a journal or of workers, whose answers are
        remembered; points are asked for one by one."""
        self.inner = inner
        outer = _abi.Problem.from_buffer_copy(inner)
        outer.user = self.key
        outer.unanswered = GIVEN_UP_INNER
        outer.residuals = RESIDUALS_INNER
        outer.residual_batch = RESIDUAL_BATCH_INNER
        outer.residual_count = self.m
        if inner.residual_jacobian:
            outer.residual_jacobian = RESIDUAL_JACOBIAN_INNER
        if inner.residual_slopes:
            outer.residual_slopes = RESIDUAL_SLOPES_INNER
        self.add_known(outer)
        return outer

    def close(self) -> None:
        super().close()
        self.rows.clear()

    @property
    def observations(self) -> int:
        """The number of residuals with a weight, prior information included.
        """
        rows = (0 if self.prior is None
                else int(np.count_nonzero(self.prior.weights)))
        if self.weights is None:
            return self.m + rows - len(self.predictions)
        counting = self.weights != 0
        if counting.size == 1:
            counting = np.repeat(counting, self.m)
        others = self.predictions[self.predictions < len(counting)]
        return rows + int(np.count_nonzero(np.delete(counting, others)))

    def slopes(self, fun: Array) -> Array:
        """The derivatives of the cost with respect to the residuals."""
        name, scale = self.loss
        if name == "linear":
            return fun
        found = fun.copy()
        found[:self.m] *= LOSSES[name]((fun[:self.m] / scale) ** 2)
        return found

    def behind(self, x: Array, answer: Array) -> Array:
        """The residuals of fun at x, with those of prior information."""
        if self.prior is None:
            return answer
        return np.concatenate([answer, self.prior.at(x)])

    def ask_first(self, x: Array) -> None:
        """Evaluates the start.  An exception of fun is kept, and raised when
        the library asks for the start."""
        with Interrupts(self.stop, self.stop):
            try:
                self.first = x.copy(), self.ask(x)
            except BaseException as error:
                self.early = error
                self.asked.m = max(self.m, 1)

    def ask(self, x: Array) -> Array:
        return self.asked.ask(x)

    def take_first(self, x: Array) -> Optional[Array]:
        """The answer that was kept."""
        if self.early is not None:
            early, self.early = self.early, None
            raise early
        if self.first is None or not np.array_equal(self.first[0], x):
            return None
        known, self.first = self.first[1], None
        return known

    def answer(self, x: Array) -> Optional[Array]:
        """The residuals at x; None: no evaluation is made any more."""
        known = self.take_first(x)
        if known is None and self.closed:
            self.give_up()
            return None
        answer = self.ask(x) if known is None else known
        self.recent.add(x, answer)
        return answer

    def residuals_at(self, address: int, to: int) -> None:
        answer = self.answer(self.views[address])
        if answer is not None:
            self.rows[to][:] = answer

    def derived_at(self, x: Array, to: int) -> bool:
        """Writes the residuals at a point where derivatives are asked: they
        are known, as the library has just asked for them.  False: no
        evaluation is made any more."""
        if self.closed:
            return False
        known = self.recent.at(x)
        if known is None:
            known = self.ask(x)
            self.recent.add(x, known)
        self.rows[to][:] = known
        return True

    def jacobian_at(self, address: int, to: int, J: int) -> None:
        x = self.views[address]
        if self.derived_at(x, to):
            try:
                array_at(J, self.m, self.p)[:] = self.asked.jacobian(x)
            except BaseException:
                self.rows[to][:] = UNANSWERED  # a journal is not to keep it
                raise
        else:
            self.rows[to][:] = UNANSWERED
            self.give_up()

    def products_at(self, address: int, U: Array, to: int, D: Array) -> None:
        asked = done = 0
        try:
            if self.derived_at(self.views[address], to):
                for u, d in zip(U, D):
                    if self.closed:
                        break
                    asked += 1
                    d[:] = self.asked.product(self.views[address], u)
                    done += 1
        finally:
            if done < len(U):
                self.rows[to][:] = UNANSWERED
            self.unanswered += len(U) - asked  # also where one of them raised

    def batch_at(self, X: Array, out: Array) -> None:
        """Writes the residuals of n points to the rows of out."""
        if self.batch is not None and not self.closed:
            for x, to, row in zip(X, out, self.asked.ask_many(X)):
                self.recent.add(x, row)
                to[:] = row
            return
        asked = 0
        try:
            for x, to in zip(X, out):
                asked += 1
                one = self.answer(x)
                if one is not None:
                    to[:] = one
        finally:
            self.unanswered += len(X) - asked  # also where one of them raised


@_abi.callback(_abi.CORRELATE)
def CORRELATE(p: int, v: int, y: int, user: int) -> None:
    """On failure the library gets NaN, and the run ends."""
    door = cast(ResidualDoor, find(user))
    to = array_at(y, p)
    to[:] = np.nan
    try:
        to[:] = door.correlated(array_at(v, p).copy())
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.RESIDUALS)
def RESIDUALS(p: int, x: int, m: int, r: int, user: int) -> None:
    """The library has filled r with NaN: a function that raises has no value
    at this point."""
    door = cast(ResidualDoor, find(user))
    try:
        door.residuals_at(x, r)
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.RESIDUAL_JACOBIAN)
def RESIDUAL_JACOBIAN(p: int, x: int, m: int, r: int, J: int,
                      user: int) -> None:
    door = cast(ResidualDoor, find(user))
    try:
        door.jacobian_at(x, r, J)
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.RESIDUAL_SLOPES)
def RESIDUAL_SLOPES(p: int, x: int, k: int, U: int, m: int, r: int, D: int,
                    user: int) -> None:
    door = cast(ResidualDoor, find(user))
    try:
        door.products_at(x, array_at(U, k, p), r, array_at(D, k, m))
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.RESIDUAL_BATCH)
def RESIDUAL_BATCH(p: int, n: int, X: int, m: int, R: int, user: int) -> None:
    door = cast(ResidualDoor, find(user))
    out = array_at(R, n, m)
    out[:] = UNANSWERED
    try:
        door.batch_at(array_at(X, n, p), out)
    except BaseException as error:
        door.fail(error)


# ---- where a journal or workers are in between ----


@_abi.callback(_abi.RESIDUALS)
def RESIDUALS_INNER(p: int, x: int, m: int, r: int, user: int) -> None:
    door = cast(ResidualDoor, find(user))
    try:
        door.inner.residuals(p, x, m, r, door.inner.user)
        door.recent.add(array_at(x, p), array_at(r, m))
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.RESIDUAL_JACOBIAN)
def RESIDUAL_JACOBIAN_INNER(p: int, x: int, m: int, r: int, J: int,
                            user: int) -> None:
    door = cast(ResidualDoor, find(user))
    try:
        door.inner.residual_jacobian(p, x, m, r, J, door.inner.user)
        door.recent.add(array_at(x, p), array_at(r, m))
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.RESIDUAL_SLOPES)
def RESIDUAL_SLOPES_INNER(p: int, x: int, k: int, U: int, m: int, r: int,
                          D: int, user: int) -> None:
    """Each answer is recorded when it arrives."""
    door = cast(ResidualDoor, find(user))
    try:
        for j in range(k):
            door.inner.residual_slopes(p, x, 1, U + j * p * _DOUBLE, m, r,
                                       D + j * m * _DOUBLE, door.inner.user)
        door.recent.add(array_at(x, p), array_at(r, m))
    except BaseException as error:
        door.fail(error)


@_abi.callback(_abi.RESIDUAL_BATCH)
def RESIDUAL_BATCH_INNER(p: int, n: int, X: int, m: int, R: int,
                         user: int) -> None:
    """If the inner problem has no batches, each answer is recorded when it
    arrives."""
    door = cast(ResidualDoor, find(user))
    try:
        if door.inner.residual_batch:
            door.inner.residual_batch(p, n, X, m, R, door.inner.user)
        else:
            for i in range(n):
                door.inner.residuals(p, X + i * p * _DOUBLE, m,
                                     R + i * m * _DOUBLE, door.inner.user)
        for x, r in zip(array_at(X, n, p), array_at(R, n, m)):
            door.recent.add(x, r)
    except BaseException as error:
        door.fail(error)
