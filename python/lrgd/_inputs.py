"""Checks and converts the arguments of minimize and similar functions."""
from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np

from ._types import Array


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
        if pairs and p == 2:
            _warn_of_readings(low, high)
    else:
        rows = [tuple(np.atleast_1d(pair)) for pair in bounds]
        if len(rows) != p or any(len(pair) != 2 for pair in rows):
            raise ValueError(f"bounds: {len(rows)} pairs for {p} numbers; "
                             "give (low, high) for each, or two arrays as a "
                             "tuple")
        low, high = zip(*rows)
    return _side(low, -np.inf, p, "lower"), _side(high, np.inf, p, "upper")


def _is_lower_and_upper(bounds: Any, p: int, pairs: bool) -> bool:
    """Whether a tuple of two is (lower, upper), rather than a pair for each
    input."""
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return False
    if not pairs or p != 2:
        return True
    return not all(isinstance(side, (tuple, list)) and len(side) == 2
                   for side in bounds)


def _warn_of_readings(low: Any, high: Any) -> None:
    """Two arrays of two numbers are lower and upper here, and a pair for each
    input in SciPy: warns where both can be meant."""
    if np.shape(low) != (2,) or np.shape(high) != (2,):
        return
    both = np.array([low, high], dtype=float)
    if (both[:, 0] <= both[:, 1]).all() and both[0, 1] != both[1, 0]:
        warnings.warn("bounds: two arrays are taken as lower and upper bounds; "
                      "SciPy takes them as a (low, high) pair for each of two "
                      "inputs: give Bounds(lower, upper), or a list of pairs",
                      stacklevel=4)


def warn_of_widths(bounds: "tuple[Any, Any]") -> None:
    """Warns if inputs are measured in units of very different size."""
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
