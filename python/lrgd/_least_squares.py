"""lrgd.least_squares: SciPy's names for a fit by this library.

Knows SciPy's arguments and which of them mean something here.
"""
from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from typing import Any, Callable, Mapping, Optional

import numpy as np

from . import _abi, _complete, _fit, _options, _result
from ._fit import FitResult
from ._journal import Setting, recorded, settings_of
from ._learn import Learned
from ._minimize import PathLike, Session, point, read_bounds, warn_of_widths
from ._residuals import ResidualDoor, read_weights
from ._types import Arguments, Array, Function

_SCIPY_METHODS = ("trf", "dogbox", "lm")
_SCIPY_JACOBIANS = ("2-point", "3-point", "cs")

# Keywords of minimize and of SciPy that mean nothing here, and why.
_REFUSED = {
    "learn_from": "what is known beforehand are values of f, and no residuals "
                  "yet",
    "jobs": "worker processes answer values of f, and no residuals yet",
    "timeout": "worker processes answer values of f, and no residuals yet",
    "batch": "residuals are asked one point at a time",
    "basis": "write x = x0 + W z and fit z",
    "equal": "equations are for minimize",
    "constraints": "equations are for minimize",
}

# SciPy's that have no effect: a run ends by the norm of the gradient (gtol),
# lengths of differences follow from the noise and the curvature that are found,
# and the model is dense, in few directions.
_WITHOUT_EFFECT = ("ftol", "xtol", "diff_step", "jac_sparsity", "tr_solver",
                   "tr_options")


def refuse(options: Mapping[str, Any], who: str) -> None:
    for name, value in options.items():
        if name in _REFUSED and value is not None:
            raise TypeError(f"{who} does not take {name}: {_REFUSED[name]}")
        if name in _WITHOUT_EFFECT or name == "gtol":
            continue
        if name not in _REFUSED and name not in _options.TABLE:
            raise _options.complain(name, ("bounds", "weights", "max_nfev"))


def read_units(x_scale: Any, p: int) -> Optional[Array]:
    """The powers of two next to the sizes of inputs, by which these are
    divided without rounding; None where all are 1."""
    if isinstance(x_scale, str) and x_scale == "jac":
        return None
    if isinstance(x_scale, str):
        raise ValueError(f"x_scale is {x_scale!r}; give numbers, the sizes of "
                         "the inputs")
    sizes = np.asarray(x_scale, dtype=float)
    if sizes.size not in (1, p) or sizes.ndim > 1:
        raise ValueError(f"x_scale has shape {sizes.shape}; x has {p} numbers")
    if not (np.isfinite(sizes).all() and (sizes > 0).all()):
        raise ValueError("x_scale must be positive")
    units = np.broadcast_to(np.exp2(np.round(np.log2(sizes))), (p,))
    return None if (units == 1).all() else np.array(units)


def refuse_loss(loss: Any) -> None:
    if loss != "linear":
        raise ValueError(f"loss is {loss!r}; only 'linear' is known yet")


def own_method(method: str) -> str:
    """Ours for one of SciPy's."""
    return "auto" if method in _SCIPY_METHODS else method


def refuse_jacobian(jac: Any) -> None:
    if jac is None or (isinstance(jac, str) and jac in _SCIPY_JACOBIANS):
        return
    if callable(jac):
        raise TypeError("jac is a function, and Jacobians are not asked for "
                        "yet: leave it out")
    raise ValueError(f"jac is {jac!r}; it must be "
                     f"{', '.join(map(repr, _SCIPY_JACOBIANS))} or None")


def make_options(options: Mapping[str, Any], method: str,
                 max_nfev: Optional[int]) -> _abi.Options:
    given = {name: value for name, value in options.items()
             if name not in _REFUSED and name not in _WITHOUT_EFFECT
             and name != "gtol"}
    if options.get("gtol") is not None and given.get("tol") is None:
        given["tol"] = options["gtol"]
    if max_nfev is not None:
        if given.get("max_evals") is not None:
            raise TypeError("max_nfev and max_evals are two names for one "
                            "thing")
        given["max_evals"] = max_nfev
    return _options.make({**given, "method": own_method(method)})


def start_in_box(x0: Any, bounds: Any) -> "tuple[Array, Any, Any]":
    """The start, moved into the bounds, and these; None where there is
    none."""
    x = point(x0)
    lower, upper = read_bounds(bounds, x.size, pairs=False)
    if lower is None or not (np.isfinite(lower) | np.isfinite(upper)).any():
        return x, None, None
    if (lower <= upper).all():  # where not, the library says so
        x = np.clip(x, lower, upper)
    return x, lower, upper


def is_series(x0: Any) -> bool:
    """Whether it has names, as pandas gives them."""
    return hasattr(x0, "to_numpy") and hasattr(x0, "index")


def naming(x0: Any) -> Function:
    """What makes of numbers what x0 was."""
    if not is_series(x0):
        return lambda at: at
    return lambda at: type(x0)(at, index=x0.index)


@_options.documented
def least_squares(fun: Function, x0: Any, jac: Any = "2-point",
                  bounds: Any = None, method: str = "auto", *,
                  weights: Any = None, x_scale: Any = 1.0,
                  loss: Any = "linear", f_scale: float = 1.0,
                  max_nfev: Optional[int] = None, verbose: int = 0,
                  complete: bool = False, predictions: Any = (),
                  journal: "Optional[PathLike]" = None,
                  args: Arguments = (),
                  kwargs: Optional[Mapping[str, Any]] = None,
                  callback: Optional[Callable[[_result.Progress],
                                              Any]] = None,
                  **options: Any) -> FitResult:
    """Fit: minimise half the sum of squares of residuals.

    The arguments are those of scipy.optimize.least_squares.  Each evaluation
    brings all m residuals, of which a model is kept along a growing set of
    random directions: where they depend on r combinations of the p inputs,
    some r + 4 evaluations fit a linear model, whatever p.

    Parameters
    ----------
    fun : callable
        fun(x, *args, **kwargs) -> the m residuals, a vector; a number is one
        residual.  m is known from x0, which is asked first, and stays.  A
        residual that is not finite, or NaN alone in place of the vector, says
        that the point cannot be evaluated.  What it raises comes out of
        least_squares, with the best so far in the exception's attribute
        lrgd_result.
    x0 : array of p numbers
        Where to start.  Where inputs are of different sizes give x_scale.
        Where it is a Series of pandas, fun gets one with the same names.
    jac : {'2-point', '3-point', 'cs'}, optional
        Accepted as SciPy's, and without effect: derivatives are measured along
        directions that the run chooses.  Functions are refused.
    bounds : optional
        As in minimize; SciPy's pair of arrays among them.
    method : str
        'trf', 'dogbox' and 'lm' are accepted as SciPy's, and without effect:
        they stand for auto.  Others than auto minimise the cost as any other
        function, which takes more evaluations, and tell no Jacobian.
    weights : array of m numbers, optional
        Residuals are multiplied by them: the cost is ½ Σ (wᵢ rᵢ)².  What has
        weight zero plays no part, even if it is NaN.
    x_scale : float or array of p numbers
        Sizes of the inputs, of which the next powers of two are taken as their
        units: directions, singular values, tolerance and certificate are about
        inputs in these units.
        'jac' is accepted as SciPy's, and without effect.
    loss : 'linear'
        Accepted as SciPy's; others are refused.
    f_scale : float
        Accepted as SciPy's; it has no effect on the linear loss.
    max_nfev : int, optional
        As max_evals: the most calls of fun, all of them counted.
    gtol : float, optional
        As tol: the run ends where the gradient is certified to be at most this.
    ftol, xtol, diff_step, tr_solver, tr_options, jac_sparsity : optional
        Accepted as SciPy's, and without effect.
    verbose : int
        1 or 2: print the result.
    complete : bool
        Measure at the end, by p - k more evaluations, the derivatives along
        the directions that were not looked at, so that jac, identifiability
        and standard deviations are about all of space.  Not where max_nfev
        does not allow for all of them, and not together with bounds.
    predictions : list of int, optional
        Numbers, from 0, of residuals that do not count, and of which
        uncertainty() says how uncertain they are.
    journal : path, optional
        Keep every answer in this file as it comes.  Where it exists, the run
        is resumed: no recorded evaluation is repeated, and weights,
        predictions, bounds, start and options must be those recorded.
    args, kwargs : tuple, dict
        More arguments for fun.
    callback : callable, optional
        As in minimize; progress.fun is the cost.
    **options
        The library's options, in which f is the cost:

    {options}

    Returns
    -------
    FitResult
        With SciPy's field names and with basis, jac_basis, singular_values,
        identifiability, standard_deviation, certificate, phases.

    Notes
    -----
    Ctrl-C as in minimize.  Worker processes are for minimize.

    Examples
    --------
    >>> import numpy as np, lrgd
    >>> A = np.cos(np.outer(np.arange(1, 5), np.arange(1000)))
    >>> fit = lrgd.least_squares(lambda x: A @ x - 1, np.zeros(1000))
    >>> bool(fit.cost < 1e-12), fit.nfev < 20, fit.supported
    (True, True, 4)
    """
    refuse(options, "least_squares")
    refuse_loss(loss)
    refuse_jacobian(jac)
    made = make_options(options, method, max_nfev)
    x, lower, upper = start_in_box(x0, bounds)
    units = read_units(x_scale, x.size)
    if complete and lower is not None:
        raise ValueError("complete and bounds do not go together: the "
                         "directions that are left may lead outside")
    if units is None:
        warn_of_widths((lower, upper))
    if not callable(fun):
        raise TypeError(f"fun is {fun!r}; it must be callable")
    more, named = dict(kwargs or {}), naming(x0)
    result = fit(lambda at: fun(named(at), *args, **more), x, (lower, upper),
                 units, read_weights(weights), callback, made, complete,
                 list(x0.index) if is_series(x0) else None, predictions,
                 journal)
    if verbose:
        print(result)
    return result


def fit(fun: Function, x: Array, box: "tuple[Any, Any]",
        units: Optional[Array], weights: Optional[Array],
        callback: Optional[Function], options: _abi.Options,
        complete: bool, names: "Optional[list[Any]]", predictions: Any,
        journal: "Optional[PathLike]") -> FitResult:
    """least_squares with its arguments read."""
    if units is not None:
        x = x / units
        box = (None, None) if box[0] is None else (box[0] / units,
                                                   box[1] / units)
        fun, callback = _in_units(fun, callback, units)
    with ExitStack() as stack:
        door = ResidualDoor(x.size, fun, weights, predictions)
        stack.callback(door.close)
        known = recorded(journal, "residual_count") if journal else ""
        if known.isdigit():
            door.m = int(known)
            door.check_weights()
            door.check_predictions()
        else:
            door.ask_first(x)
        session = Session(door, stack)
        if journal is not None:
            open_journal(session, door, journal, x, box, options)
        session.make = partial(_fit.make, door, units, x.copy(), names)
        session.prepare(*box, options, callback)
        told = session.run(x, options)
        assert isinstance(told, FitResult)  # as session.make made it
        result: FitResult = told
        if complete:
            most = _options.number(options, "max_evals")
            _complete.complete(door, result,
                               None if most is None else most - result.nfev)
    return result


def open_journal(session: Session, door: ResidualDoor, path: "PathLike",
                 x: Array, box: "tuple[Any, Any]",
                 options: _abi.Options) -> None:
    """The journal keeps residuals times their weights, which belong to it."""
    if door.early is not None:
        raise door.early
    more = {} if door.weights is None else {"weights": door.weights}
    if len(door.predictions) > 0:
        more["prediction_numbers"] = door.predictions.astype(float)
    settings = settings_of(door, x, *box, options, more, Learned(x.size))
    settings["residuals"] = Setting("yes")
    settings["residual_count"] = Setting(str(door.m))
    session.open_journal(path, settings, 1, False)
    session.journal.spend(options)


def _in_units(fun: Function, callback: Optional[Function],
              units: Array) -> "tuple[Function, Optional[Function]]":
    """The user's functions for inputs in the library's units."""
    if callback is None:
        return lambda z: fun(z * units), None
    tell = callback
    return (lambda z: fun(z * units),
            lambda news: tell(news._replace(x=news.x * units)))
