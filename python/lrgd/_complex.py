"""The complex step: derivatives of functions that take complex numbers."""
from __future__ import annotations

import warnings
from typing import Any, Callable

import numpy as np

from ._types import Array, Function

_H = 1e-50  # its square is below all rounding


_LOST: Any = (getattr(np, "exceptions", None) or np).ComplexWarning


def _ask(fun: Function, x: Array, u: Array, args: Any, kwargs: Any) -> Any:
    """fun(x + ihu), refused where fun has lost the imaginary part: the
    derivative would be zero, and any point a minimum."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", _LOST)
        try:
            y = fun(x + 1j * _H * u, *args, **kwargs)
        except _LOST as lost:
            raise _refused(f"it says: {lost}") from None
    if not np.iscomplexobj(y):
        raise _refused(f"fun returned {type(y).__name__}")
    return y


def _refused(why: str) -> TypeError:
    return TypeError("the complex step needs a function that keeps complex "
                     f"numbers, and {why}; make it of analytic operations (no "
                     "abs, no float), or let derivatives be measured without "
                     "jac")


def complex_step(fun: Function) -> Callable[..., Any]:
    """A jvp for a function that takes complex numbers: the complex step.

    f(x + ihu) = f(x) + ih ∂ᵤf(x) + O(h²), so with a tiny h one evaluation
    gives the value and a slope that is exact to rounding.  fun must be made
    of analytic operations (no abs, no conj, no comparison of values); one
    that returns a real number is refused.

    >>> jvp = complex_step(lambda x: (x ** 3).sum())
    >>> jvp(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    (9.0, 3.0)
    """
    def jvp(x: Array, u: Array, *args: Any) -> "tuple[float, float]":
        y = complex(_ask(fun, x, u, args, {}))
        return y.real, y.imag / _H

    return jvp


def residual_step(fun: Function) -> Callable[..., Any]:
    """The same for residuals: jvp(x, u, ...) -> their derivatives along u."""
    def jvp(x: Array, u: Array, *args: Any,
            **kwargs: Any) -> Array:
        y = np.asarray(_ask(fun, x, u, args, kwargs))
        found: Array = y.imag / _H
        return found

    return jvp
