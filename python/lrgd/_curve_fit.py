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
from ._residuals import LOSSES
from ._types import Array, Function

# Ends that leave no parameters to be used; a run that has stalled is at the
# minimum as far as rounding or noise let it be seen.
_NOT_FOUND = ("budget", "failed", "unbounded", "stopped")


def curve_fit(f: Function, xdata: Any, ydata: Any, p0: Any = None,
              sigma: Any = None, absolute_sigma: bool = False,
              check_finite: Optional[bool] = None, bounds: Any = None,
              method: Optional[str] = None, jac: Any = None, *,
              full_output: bool = False, nan_policy: Optional[str] = None,
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
    check_finite : bool, optional
        Refuse data that are not finite; the default, unless nan_policy is
        given.
    bounds : optional
        As in least_squares.
    method : str, optional
        As in least_squares.
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        jac(xdata, *parameters) -> the derivatives of f by the parameters.
    nan_policy : {'raise', 'omit'}, optional
        Refuse data with a NaN, or leave these points out.
    full_output : bool
        Return (popt, pcov, infodict, message, status): infodict has nfev,
        fvec (the residuals over sigma) and result (the FitResult).
    maxfev : int, optional
        As max_nfev.
    **kwargs
        Further keywords of least_squares.

    Returns
    -------
    tuple
        (popt, pcov): the parameters and their covariance, s² (JᵀJ)⁻¹, which is
        inf, with a warning, where the data do not determine them.  With a loss
        J has SciPy's factors, by which JᵀJ is about the Hessian of the cost.

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
    xdata, ydata, sigma = read_policy(nan_policy, xdata, ydata, sigma)
    if check_finite is None:
        check_finite = nan_policy is None
    x, y = read_data(xdata, ydata, check_finite)
    whiten = read_sigma(sigma, y.size)
    if jac is not None:
        kwargs["jac"] = (jacobian_of(jac, x, whiten) if callable(jac) else jac)
    kwargs.setdefault("x_scale", np.where(start == 0, 1.0, abs(start)))

    def residuals(parameters: Array) -> Array:
        simulated = np.ravel(f(x, *parameters))
        if simulated.dtype.kind != "c" or not np.iscomplexobj(parameters):
            simulated = np.asarray(simulated, dtype=float)
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
    loss = kwargs.get("loss", "linear"), float(kwargs.get("f_scale", 1.0))
    pcov, more = covariance(residuals, result, upper, loss,
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


def read_policy(policy: Optional[str], xdata: Any, ydata: Any,
                sigma: Any) -> "tuple[Any, Any, Any]":
    """The data without the points that have a NaN, if these are to be left
    out."""
    if policy not in (None, "raise", "omit"):
        raise ValueError(f"nan_policy is {policy!r}; it must be 'raise' or "
                         "'omit', as no fit is left where NaN propagates")
    if policy is None:
        return xdata, ydata, sigma
    x, y = np.asarray(xdata, dtype=float), np.asarray(ydata, dtype=float)
    lost = np.isnan(y) | np.isnan(x).any(axis=tuple(range(x.ndim - 1)))
    if policy == "raise" and lost.any():
        raise ValueError("xdata or ydata contains NaN; nan_policy='omit' "
                         "leaves these points out")
    kept = ~lost
    if sigma is not None and np.size(sigma) > 1:
        sigma = np.asarray(sigma)[kept]
        sigma = sigma[:, kept] if sigma.ndim == 2 else sigma
    return x[..., kept], y[kept], sigma


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


# The second derivatives of losses rho(z), z the square of a residual over
# f_scale, as SciPy has them.
_BENDS: "dict[str, Callable[[Array], Array]]" = {
    "linear": np.zeros_like,
    "huber": lambda z: np.where(z <= 1, 0, -0.5 * np.maximum(z, 1) ** -1.5),
    "soft_l1": lambda z: -0.5 * (1 + z) ** -1.5,
    "cauchy": lambda z: -1 / (1 + z) ** 2,
    "arctan": lambda z: -2 * z / (1 + z * z) ** 2,
}


def loss_factors(fun: Array, loss: "tuple[str, float]") -> Array:
    """SciPy's factors of the rows of J, by which JᵀJ is about the Hessian of
    the cost: the roots of rho' + 2 z rho'', kept positive."""
    name, scale = loss
    z = (fun / scale) ** 2
    squares = LOSSES[name](z) + 2 * z * _BENDS[name](z)
    found: Array = np.sqrt(np.maximum(squares, np.finfo(float).eps))
    return found


def covariance(residuals: Function, result: FitResult, upper: Optional[Array],
               loss: "tuple[str, float]",
               absolute: bool) -> "tuple[Array, int]":
    """The covariance of the parameters, and the calls of f that it took."""
    calls, p = 0, len(result.x)
    units = np.ones(p) if result.units is None else result.units
    if result.jac is not None:
        J: Array = result.jac
    else:
        J, calls = differences(residuals, result, units, upper), p
    if loss[0] != "linear":
        J = J * loss_factors(result.fun, loss)[:, np.newaxis]
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
