"""lrgd.curve_fit: parameters of a curve from data, as SciPy's.

Knows what sigma means, and where the covariance comes from.
"""
from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable, Optional

import numpy as np

from ._fit import FitResult, covariance_of
from ._least_squares import least_squares
from ._minimize import point, read_bounds
from ._types import Array, Function

# Ends that leave no parameters to be used; a run that has stalled is at the
# minimum as far as rounding or noise let it be seen.
_NOT_FOUND = ("budget", "failed", "unbounded", "stopped")


def curve_fit(f: Function, xdata: Any, ydata: Any, p0: Any = None,
              sigma: Any = None, absolute_sigma: bool = False,
              check_finite: bool = True, bounds: Any = None,
              method: Optional[str] = None, *, full_output: bool = False,
              maxfev: Optional[int] = None, **kwargs: Any) -> Any:
    """Fit the parameters of a curve to data by least squares.

    The arguments are those of scipy.optimize.curve_fit.

    Parameters
    ----------
    f : callable
        f(xdata, *parameters) -> as many numbers as ydata has.
    xdata : any
        Handed to f as it is given, as an array where it is a list.
    ydata : array
        What was measured.
    p0 : array, optional
        Parameters to start from.  Without it their number is that of f's
        arguments after the first, and each is 1, or within its bounds.
    sigma : array, optional
        Standard deviations of ydata, or their covariance as a matrix.
    absolute_sigma : bool
        Whether sigma is meant as it is: if not, only as ratios, and the
        covariance is scaled to the residuals of the fit.
    check_finite : bool
        Refuse data that are not finite.
    bounds : optional
        As in least_squares.
    method : str, optional
        As in least_squares.
    full_output : bool
        Return (popt, pcov, infodict, message, status): infodict has nfev,
        fvec (the residuals over sigma) and result (the FitResult).
    maxfev : int, optional
        As max_nfev.
    **kwargs
        Further keywords of least_squares; jac is jac(xdata, *parameters), as
        in SciPy.

    Returns
    -------
    tuple
        (popt, pcov): the parameters and their covariance, s² (JᵀJ)⁻¹, which is
        inf, with a warning, where the data do not determine them.

    Raises
    ------
    RuntimeError
        If the run ended before it had found them; its attribute lrgd_result
        is the FitResult.

    Notes
    -----
    Unless x_scale is given, parameters are measured in the sizes of their
    start, so that these may differ.  The Jacobian is the model's, which
    costs nothing; where there is none in all directions (as fewer were enough,
    or with methods other than auto) it takes one more call of f for each
    parameter.

    Examples
    --------
    >>> import numpy as np, lrgd
    >>> t = np.linspace(0, 4, 50)
    >>> y = 2.5 * np.exp(-1.3 * t) + 0.5
    >>> popt, pcov = lrgd.curve_fit(lambda t, a, b, c: a * np.exp(-b * t) + c,
    ...                             t, y, p0=[1, 1, 1])
    >>> print(popt.round(4))
    [2.5 1.3 0.5]
    """
    if maxfev is not None:
        if kwargs.get("max_nfev") is not None:
            raise TypeError("maxfev and max_nfev are two names for one thing")
        kwargs["max_nfev"] = maxfev
    start = read_start(f, p0, bounds)
    x, y = read_data(xdata, ydata, check_finite)
    whiten = read_sigma(sigma, y.size)
    if callable(kwargs.get("jac")):
        kwargs["jac"] = jacobian_of(kwargs["jac"], x, whiten)
    kwargs.setdefault("x_scale", np.where(start == 0, 1.0, abs(start)))

    def residuals(parameters: Array) -> Array:
        simulated = np.asarray(f(x, *parameters), dtype=float).ravel()
        if simulated.size not in (1, y.size):
            raise ValueError(f"f returned {simulated.size} numbers; ydata has "
                             f"{y.size}")
        return whiten(simulated - y)

    result = least_squares(residuals, start, bounds=bounds,
                           method=method or "auto", **kwargs)
    if result.outcome in _NOT_FOUND:
        failed = RuntimeError(f"parameters were not found: {result.message}")
        failed.lrgd_result = result  # type: ignore[attr-defined]
        raise failed
    upper = read_bounds(bounds, start.size, pairs=False)[1]
    pcov, more = covariance(residuals, result, upper,
                            absolute_sigma and sigma is not None)
    if not full_output:
        return result.x, pcov
    told = {"nfev": result.nfev + more, "fvec": result.fun, "result": result}
    return result.x, pcov, told, result.message, result.status


def jacobian_of(jac: Function, x: Any,
                whiten: "Callable[[Array], Array]") -> Function:
    """The derivatives of the residuals by parameters, from those of f."""
    def told(parameters: Array) -> Array:
        J = np.asarray(jac(x, *parameters), dtype=float)
        if J.ndim != 2 or J.shape[1] != len(parameters):
            raise ValueError(f"jac returned an array of shape {J.shape}; "
                             f"there are {len(parameters)} parameters")
        return np.stack([whiten(column) for column in J.T], axis=1)
    return told


def read_start(f: Function, p0: Any, bounds: Any) -> Array:
    if p0 is not None:
        return point(p0, "p0")
    names = [one for one in inspect.signature(f).parameters.values()
             if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if len(names) < 2:
        raise ValueError("f does not tell by its arguments how many "
                         "parameters there are: give p0")
    count = len(names) - 1
    lower, upper = read_bounds(bounds, count, pairs=False)
    if lower is None:
        return np.ones(count)
    return within(lower, upper)


def within(lower: Array, upper: Array) -> Array:
    """The middle of two bounds, one away from a single one, or 1."""
    low, high = np.isfinite(lower), np.isfinite(upper)
    start = np.ones(len(lower))
    start[low & high] = 0.5 * (lower + upper)[low & high]
    start[low & ~high] = lower[low & ~high] + 1
    start[~low & high] = upper[~low & high] - 1
    return start


def read_data(xdata: Any, ydata: Any, check: bool) -> "tuple[Any, Array]":
    y = np.asarray(ydata, dtype=float).ravel()
    x = np.asarray(xdata, dtype=float) if isinstance(
        xdata, (list, tuple, np.ndarray)) else xdata
    if y.size == 0:
        raise ValueError("ydata is empty")
    if check and not np.isfinite(y).all():
        raise ValueError("ydata must be finite")
    if check and isinstance(x, np.ndarray) and not np.isfinite(x).all():
        raise ValueError("xdata must be finite")
    return x, y


def read_sigma(sigma: Any, m: int) -> "Callable[[Array], Array]":
    """The factor that scales residuals to variance one, if sigma is absolute.
    """
    if sigma is None:
        return lambda r: r
    read = np.asarray(sigma, dtype=float)
    if read.size == 1 or read.shape == (m,):
        if not (read > 0).all():
            raise ValueError("sigma must be positive")
        inverse = 1 / read.ravel()
        return lambda r: np.asarray(r * inverse)
    if read.shape != (m, m):
        raise ValueError(f"sigma has shape {read.shape}; ydata has {m} "
                         "numbers")
    try:
        whitening = np.linalg.inv(np.linalg.cholesky(read))
    except np.linalg.LinAlgError:
        raise ValueError("sigma must be positive definite") from None
    return lambda r: np.asarray(whitening @ r)


def covariance(residuals: Function, result: FitResult, upper: Optional[Array],
               absolute: bool) -> "tuple[Array, int]":
    """The covariance of the parameters, and the calls of f that it took."""
    J, calls, p = result.jac, 0, len(result.x)
    units = np.ones(p) if result.units is None else result.units
    if J is None:
        J, calls = differences(residuals, result, units, upper), p
    pcov = covariance_of(J, result.cost, units, absolute)
    if not np.isfinite(pcov).all():
        warnings.warn("the covariance of the parameters could not be "
                      "estimated", stacklevel=3)
    return pcov, calls


def differences(residuals: Function, result: FitResult, units: Array,
                upper: Optional[Array]) -> Array:
    """The Jacobian at the result by forward differences, or backward ones at
    an upper bound; their length balances rounding and curvature."""
    x, columns = result.x, []
    for i, at in enumerate(x):
        h = np.sqrt(np.finfo(float).eps) * max(units[i], abs(at))
        if upper is not None and at + h > upper[i]:
            h = -h
        moved = x.copy()
        moved[i] += h
        columns.append((residuals(moved) - result.fun) / (moved[i] - at))
    return np.array(columns).T
