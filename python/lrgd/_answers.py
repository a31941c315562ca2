"""Calls a function, and converts what it returned to the numbers required.

Knows what people return (numpy's numbers, arrays of one, tensors) and says
what is wrong with the rest.  Used by the door and by worker processes, which
load this file by itself: it needs numpy and nothing of the package.
"""
from typing import Any, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

_DOUBLE = np.dtype(float)
_REAL = "biuf"  # kinds of numpy's dtypes
_WRONG = (TypeError, ValueError, RuntimeError, OverflowError)


def product(A: NDArray[Any], x: NDArray[Any]) -> NDArray[Any]:
    """A @ x with sums that do not hang on the kernels of NumPy's BLAS."""
    added: NDArray[Any] = (A * x).sum(axis=1)
    return added


def number(answer: Any, who: str) -> float:
    """One real number.  who: as in "fun returned"."""
    if isinstance(answer, float):
        return answer
    if answer is None:
        raise TypeError(f"{who} None where one number was asked: is a "
                        "`return` missing?")
    if isinstance(answer, (np.ndarray, np.generic, list, tuple)):
        return float(vector(answer, 1, who)[0])
    if isinstance(answer, (str, bytes, complex)):
        raise TypeError(f"{who} {_shown(answer)} where one real number was "
                        "asked")
    try:
        return float(answer)  # an int, a tensor, a fraction
    except _WRONG as error:
        raise TypeError(f"{who} {_shown(answer)} where one number was asked "
                        f"({error})") from None


def vector(answer: Any, count: int, who: str) -> NDArray[np.float64]:
    """So many real numbers, whatever shape they had."""
    if type(answer) is np.ndarray and answer.shape == (count,) and (
            answer.dtype == _DOUBLE):
        return answer  # NaN and inf are left to the library
    asked = "one number was" if count == 1 else f"{count} numbers were"
    if answer is None:
        raise TypeError(f"{who} None where {asked} asked")
    try:
        numbers = np.asarray(answer)
        if numbers.dtype.kind == "O":  # fractions; or None among them
            numbers = numbers.astype(float)
    except _WRONG as error:
        raise TypeError(f"{who} {_shown(answer)} where {asked} asked "
                        f"({error})") from None
    if numbers.dtype.kind not in _REAL:
        raise TypeError(f"{who} {_shown(answer)}, which is {numbers.dtype}, "
                        f"where {asked} asked")
    if numbers.size != count:
        raise ValueError(f"{who} an array of shape {numbers.shape} where "
                         f"{asked} asked")
    return numbers.reshape(count).astype(float, copy=False)


def residuals(answer: Any) -> NDArray[np.float64]:
    """The residuals that a function returned; a number is one of them."""
    who = "fun returned"
    if answer is None:
        raise TypeError(f"{who} None where residuals were asked: is a "
                        "`return` missing?")
    try:
        numbers = np.asarray(answer)
        if numbers.dtype.kind == "O":
            numbers = numbers.astype(float)
    except _WRONG as error:
        raise TypeError(f"{who} {_shown(answer)} where residuals were asked "
                        f"({error})") from None
    if numbers.dtype.kind not in _REAL:
        raise TypeError(f"{who} {_shown(answer)}, which is {numbers.dtype}, "
                        "where residuals were asked")
    if numbers.ndim > 1 or numbers.size == 0:
        hint = "; return its .ravel()" if numbers.size else ""
        raise ValueError(f"{who} an array of shape {numbers.shape}; residuals "
                         f"are a vector{hint}")
    return numbers.reshape(numbers.size).astype(float, copy=False)


# The weight that predictions have for the solver, whose Jacobian then has their
# rows too; squares of the order of 1e-120 change no sum with another term.
PREDICTION_WEIGHT = 2.0 ** -200


class Weighed:
    """The residuals of fun times their weights, as many as the first time.

    jac, jvp: their Jacobian, or its product with a vector, or None.
    units: of inputs, or None; index: that of a Series of pandas, which fun
    gets then, or None; batch: many points to as many vectors, or None.
    """

    def __init__(self, fun: Any, units: Any = None, index: Any = None,
                 weights: Any = None, predictions: Any = (), batch: Any = None,
                 args: Tuple[Any, ...] = (), kwargs: Any = None,
                 jac: Any = None, jvp: Any = None) -> None:
        self.jac, self.jvp = jac, jvp
        self.fun, self.batch = fun, batch
        self.units, self.index = units, index
        self.args, self.kwargs = args, dict(kwargs or {})
        self.weights = weights
        self.predictions: NDArray[Any] = np.asarray(predictions,
                                                    dtype=int).ravel()
        self.m = 0  # not known yet

    def point(self, x: NDArray[Any]) -> Any:
        """Calls the function with a copy of x in its own units."""
        own = x.copy() if self.units is None else x * self.units
        if self.index is None:
            return own
        import pandas
        return pandas.Series(own, index=self.index)

    def ask(self, x: NDArray[Any]) -> NDArray[np.float64]:
        if self.batch is not None:
            return self.ask_many(x[None])[0]
        return self.take(self.fun(self.point(x), *self.args, **self.kwargs))

    def ask_many(self, X: NDArray[Any]) -> "list[NDArray[np.float64]]":
        """Calls the batch function with the rows of X."""
        answer = self.batch(X.copy() if self.units is None else X * self.units,
                            *self.args, **self.kwargs)
        if answer is None or len(answer) != len(X):
            shape = "None" if answer is None else f"{len(answer)} rows"
            raise ValueError(f"batch returned {shape} for {len(X)} points")
        return [self.take(row) for row in answer]

    def jacobian(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """The Jacobian by x in its own units, m × p."""
        returned = self.jac(self.point(x), *self.args, **self.kwargs)
        if hasattr(returned, "toarray"):  # of scipy.sparse
            returned = returned.toarray()
        shape = np.shape(returned)
        if shape != (self.m, x.size) and (self.m > 1 or shape != (x.size,)):
            raise ValueError(f"jac returned an array of shape {shape} where "
                             f"({self.m}, {x.size}) was asked")
        J = vector(returned, self.m * x.size,
                   "jac returned").reshape(self.m, x.size)
        rows = self.row_weights()
        if rows is not None:
            with np.errstate(invalid="ignore"):
                J = np.where(rows[:, None] == 0, 0, rows[:, None] * J)
        own: NDArray[np.float64] = J if self.units is None else J * self.units
        return own

    def product(self, x: NDArray[Any],
                u: NDArray[Any]) -> NDArray[np.float64]:
        """The derivatives of the residuals along u."""
        own = u.copy() if self.units is None else u * self.units
        d = vector(self.jvp(self.point(x), own, *self.args, **self.kwargs),
                   self.m, "jvp returned")
        rows = self.row_weights()
        if rows is None:
            return d
        with np.errstate(invalid="ignore"):
            weighed: NDArray[np.float64] = np.where(rows == 0, 0, rows * d)
        return weighed

    def row_weights(self) -> Any:
        """What residuals are multiplied by, m numbers; None: all by 1."""
        if self.weights is None and len(self.predictions) == 0:
            return None
        rows = np.ones(self.m) if self.weights is None else np.broadcast_to(
            self.weights, (self.m,)).copy()
        rows[self.predictions] = PREDICTION_WEIGHT
        return rows

    def take(self, returned: Any) -> NDArray[np.float64]:
        answer = residuals(returned)
        if self.m == 0:
            self.know(answer.size)
        if answer.size != self.m:
            return self.another_number(answer)
        weighed = answer if self.weights is None else self.weigh(answer)
        if len(self.predictions) > 0:
            weighed = weighed.copy()
            weighed[self.predictions] = (PREDICTION_WEIGHT
                                         * answer[self.predictions])
        return weighed

    def know(self, m: int) -> None:
        """Sets the number of residuals to m."""
        self.m, many = m, "s" if m != 1 else ""
        if self.weights is not None and self.weights.size not in (1, m):
            raise ValueError(f"{self.weights.size} weights were given; fun "
                             f"returned {m} residual{many}")
        rows = self.predictions
        if len(rows) > 0 and not ((rows >= 0) & (rows < m)).all():
            raise ValueError(f"predictions must be from 0 to {m - 1}: "
                             f"fun returned {m} residuals")
        if len(set(rows.tolist())) < len(rows):
            raise ValueError("a prediction is there twice")

    def another_number(self,
                       answer: NDArray[np.float64]) -> NDArray[np.float64]:
        """Expands a single NaN, which says that the point cannot be evaluated.
        """
        if answer.size == 1 and not np.isfinite(answer[0]):
            return np.full(self.m, np.nan)
        raise ValueError(f"fun returned {answer.size} "
                         f"residual{'s' if answer.size != 1 else ''}; at x0 "
                         f"it returned {self.m}")

    def weigh(self, answer: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sets residuals of weight 0 to 0, whatever they are."""
        with np.errstate(invalid="ignore"):
            weighed: NDArray[np.float64] = np.where(
                self.weights == 0, 0, self.weights * answer)
        return weighed


class Derived:
    """Answers a worker's lines: p numbers by the residuals, a point with a
    direction behind it by residuals and their derivatives along that, a point
    that is marked by residuals and their Jacobian."""

    def __init__(self, asked: Weighed, p: int) -> None:
        self.asked, self.p = asked, p
        self.last: Optional[Tuple[NDArray[Any], NDArray[Any]]] = None

    def residuals(self, x: NDArray[Any]) -> NDArray[np.float64]:
        """The residuals at x, which may just have been asked for."""
        if self.last is None or not np.array_equal(self.last[0], x):
            self.last = x.copy(), self.asked.ask(x)
        return self.last[1]

    def ask(self, numbers: NDArray[Any], marked: bool) -> NDArray[np.float64]:
        x, u = numbers[:self.p], numbers[self.p:]
        r = self.residuals(x)
        if not marked and u.size == 0:
            return r
        count = self.p if marked else 1
        if not np.isfinite(r).all():  # nothing is asked of a point without f
            return np.full(r.size * (1 + count), np.nan)
        d = self.asked.jacobian(x) if marked else self.asked.product(x, u)
        return np.concatenate([r, d.ravel()])


class Outputs:
    """f and the functions of constraints at one point, one after another: one
    evaluation.  names: of what fun returns, where it answers all of them.

    functions: (fun, args, A) of each constraint; A x where it is linear.
    """

    def __init__(self, fun: Any, args: Tuple[Any, ...] = (),
                 functions: Any = (), gradient: bool = False,
                 names: Any = None) -> None:
        self.fun, self.args, self.functions = fun, args, list(functions)
        self.gradient, self.names = gradient, names
        self.m = 0  # not known yet
        self.sizes: "list[int]" = []
        self.known: Any = None  # a point, and the constraints there
        self.batch = self.weights = self.jac = self.jvp = None
        self.predictions: NDArray[Any] = np.empty(0, dtype=int)

    def measure(self, x: NDArray[Any]) -> "list[int]":
        """Returns how many numbers each constraint has, by calling them at x;
        the values are kept until x is asked for."""
        if self.names is not None:
            self.know([])
            return []
        found = self.constraints(x)
        self.know([part.size for part in found])
        self.known = x.copy(), found
        return self.sizes

    def know(self, sizes: "list[int]") -> None:
        self.sizes, self.m = sizes, 1 + sum(sizes)
        if self.names is not None:
            self.m = len(self.names)

    def constraints(self, x: NDArray[Any]) -> "list[NDArray[np.float64]]":
        found = []
        for i, (fun, args, A) in enumerate(self.functions):
            if A is not None:
                found.append(product(A, x))
                continue
            answer = np.atleast_1d(fun(x.copy(), *args))
            size = self.sizes[i] if self.sizes else answer.size
            found.append(vector(answer, size, "the fun of a constraint "
                                "returned"))
        return found

    def ask(self, x: NDArray[Any]) -> NDArray[np.float64]:
        answer = self.fun(x.copy(), *self.args)
        if self.names is not None:
            return self.named(answer)
        if self.gradient:
            answer = _pair(answer, "fun returned", "(f, gradient)")[0]
        f = number(answer, "fun returned")
        if not np.isfinite(f):  # nothing is asked of a point that has no f
            return np.full(self.m, np.nan)
        known, self.known = self.known, None
        found = (known[1] if known is not None and np.array_equal(known[0], x)
                 else self.constraints(x))
        return np.concatenate([[f], *found])

    def named(self, answer: Any, lacks: str = "fun returned",
              who: str = "fun returned") -> NDArray[np.float64]:
        """Converts an answer to numbers in the order of the names."""
        if isinstance(answer, dict):
            missing = [name for name in self.names if name not in answer]
            if missing:
                raise ValueError(f"{lacks} no " + ", ".join(missing))
            answer = [answer[name] for name in self.names]
        elif isinstance(answer, float) and not np.isfinite(answer):
            return np.full(self.m, np.nan)
        return vector(answer, len(self.names), who)


def value(fun: Any, x: NDArray[Any]) -> float:
    """f; the function gets a copy of x, here and below."""
    return number(fun(x.copy()), "fun returned")


def gradient(fun: Any, jac: Any,
             x: NDArray[Any]) -> Tuple[float, NDArray[np.float64]]:
    """f and its gradient; jac is True where fun returns both."""
    f, g = fun(x.copy()), None
    if jac is True:
        f, g = _pair(f, "fun returned", "(f, gradient)")
    else:
        g = jac(x.copy())
    return number(f, "fun returned"), vector(g, x.size, "the gradient is")


def slope(fun: Any, jvp: Any, x: NDArray[Any],
          u: NDArray[Any]) -> Tuple[Optional[float], float]:
    """f and its slope along u; f is None where jvp gives the slope alone, and
    fun can be asked."""
    answer = jvp(x.copy(), u.copy())
    if isinstance(answer, (tuple, list)):
        f, d = _pair(answer, "jvp returned", "(f, slope)")
        return number(f, "jvp returned"), number(d, "jvp returned")
    d = number(answer, "jvp returned")
    if fun is None:
        raise TypeError("jvp returned a slope alone, and there is no fun to "
                        "ask for f: return (f, slope)")
    return None, d


def bind(function: Any, args: Tuple[Any, ...]) -> Any:
    """The function with its additional arguments bound; jac=True stays as it
    is."""
    if not args or not callable(function):
        return function
    return lambda *given: function(*given, *args)


def _pair(answer: Any, who: str, parts: str) -> Tuple[Any, Any]:
    try:
        first, second = answer
    except _WRONG:
        raise TypeError(f"{who} {_shown(answer)} where {parts} was "
                        "asked") from None
    return first, second


def _shown(answer: Any) -> str:
    text = " ".join(repr(answer).split())
    if len(text) > 60:
        text = f"{text[:40]} ..."
    return f"{text} ({type(answer).__name__})"
