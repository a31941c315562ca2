"""lrgd.least_squares: fits by this library under SciPy's names.

This file knows SciPy's arguments, and what each of them means here.
"""
from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Mapping, Optional

import numpy as np

from . import (_abi, _complete, _fit, _known, _manners, _options, _prior,
               _result, _tolerances)
from ._fit import FitResult
from ._journal import Setting, recorded, settings_of
from ._learn import Learned
from ._minimize import PathLike, Session, point, read_bounds, warn_of_widths
from ._answers import Weighed
from ._complex import residual_step
from ._residuals import (LOSSES, ResidualDoor, read_correlated,
                         read_weights)
from ._signals import Interrupts
from ._types import Arguments, Array, Function

_SCIPY_METHODS = ("trf", "dogbox", "lm")
_SCIPY_JACOBIANS = ("2-point", "3-point", "cs")

# Keywords of minimize and of SciPy that have no meaning here, and why.
_REFUSED = {
    "basis": "write x = x0 + W z and fit z",
    "equal": "equations are for minimize",
    "constraints": "equations are for minimize",
    "diag": "give x_scale, the sizes of the inputs, which are 1 / diag",
    "col_deriv": "give jac with a row for each residual",
    "Dfun": "give jac",
}

_STEPS = "lengths of differences follow from the noise and the curvature found"
_MODEL = "the model is dense, in few directions"

# SciPy's that have no effect, and why.
_WITHOUT_EFFECT = {"diff_step": _STEPS, "epsfcn": _STEPS,
                   "jac_sparsity": _MODEL,
                   "tr_solver": _MODEL, "tr_options": _MODEL,
                   "factor": "the first step follows from the model"}


def refuse(options: Mapping[str, Any], who: str) -> None:
    for name, value in options.items():
        if name in _REFUSED and value is not None:
            raise TypeError(f"{who} does not take {name}: {_REFUSED[name]}")
        if name in _WITHOUT_EFFECT or name == "gtol":
            if value is not None and name != "gtol":
                warnings.warn(f"{name} has no effect in {who}: "
                              + _WITHOUT_EFFECT[name], stacklevel=4)
            continue
        if name not in _REFUSED and (
                _options.own_name(name) not in _options.TABLE):
            raise _options.complain(name, ("bounds", "weights", "max_nfev"))


def read_jobs(jobs: int, workers: Any) -> int:
    """SciPy's workers are jobs."""
    if workers is None:
        return jobs
    if jobs != 1:
        raise TypeError("jobs and workers are two names for one thing")
    return _manners.read_workers(workers)


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


def read_loss(loss: Any, f_scale: float) -> "tuple[str, float]":
    """The loss by SciPy's name, and the residual size up to which squares
    count."""
    if callable(loss):
        raise ValueError("loss is a function; losses here are known by name: "
                         f"{', '.join(map(repr, LOSSES))}")
    if not isinstance(loss, str) or loss not in LOSSES:
        raise ValueError(f"loss is {loss!r}; it must be "
                         f"{', '.join(map(repr, LOSSES))}")
    scale = float(f_scale)
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"f_scale is {f_scale!r}; it must be positive")
    return loss, scale


def own_method(method: str) -> str:
    """The library's method for one of SciPy's."""
    return "auto" if method in _SCIPY_METHODS else method


def read_complex(jac: Any, jvp: Any, fun: Any, batch: Any) -> "tuple[Any, Any]":
    """Converts jac='cs', the complex step, to a jvp."""
    if not isinstance(jac, str) or jac != "cs" or jvp is not None:
        return jac, jvp
    if not callable(fun) or batch:
        raise TypeError("jac='cs' calls fun for one point at a time: give fun "
                        "without batch, or no jac")
    return None, residual_step(fun)


def read_jacobian(jac: Any, jvp: Any) -> Optional[Function]:
    """The user's Jacobian, or None."""
    if jvp is not None and not callable(jvp):
        raise TypeError(f"jvp is {jvp!r}; it must be callable")
    told: Optional[Function] = jac if callable(jac) else None
    if told is not None and jvp is not None:
        raise TypeError("jac and jvp: give one of them")
    if told is None and jac is not None and not (
            isinstance(jac, str) and jac in _SCIPY_JACOBIANS):
        raise ValueError(f"jac is {jac!r}; it must be a function, "
                         f"{', '.join(map(repr, _SCIPY_JACOBIANS))} or None")
    return told


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
    """The start, moved into the bounds, and the bounds; None: there are none.
    """
    x = point(x0)
    lower, upper = read_bounds(bounds, x.size, pairs=False)
    if lower is None or not (np.isfinite(lower) | np.isfinite(upper)).any():
        return x, None, None
    if (lower <= upper).all():  # otherwise the library reports it
        x = np.clip(x, lower, upper)
    return x, lower, upper


def is_series(x0: Any) -> bool:
    """Whether x0 is a pandas Series, which has names."""
    return hasattr(x0, "to_numpy") and hasattr(x0, "index")


@_options.documented
def least_squares(fun: Optional[Function], x0: Any, jac: Any = "2-point",
                  bounds: Any = None, method: str = "auto", ftol: Any = None,
                  xtol: Any = None, gtol: Optional[float] = None,
                  x_scale: Any = 1.0, loss: Any = "linear",
                  f_scale: float = 1.0, diff_step: Any = None,
                  tr_solver: Any = None, tr_options: Any = None,
                  jac_sparsity: Any = None, max_nfev: Optional[int] = None,
                  verbose: int = 0, args: Arguments = (),
                  kwargs: Optional[Mapping[str, Any]] = None,
                  callback: Optional[Callable[[_result.Progress],
                                              Any]] = None,
                  workers: Any = None, *, jvp: Optional[Function] = None,
                  weights: Any = None, prior: Any = None,
                  correlated: Any = None, complete: bool = False,
                  predictions: Any = (),
                  journal: "Optional[PathLike]" = None,
                  learn_from: Any = None, jobs: int = 1,
                  timeout: Optional[float] = None,
                  batch: Any = None, **options: Any) -> FitResult:
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
    jac : callable or {'2-point', '3-point', 'cs'}, optional
        jac(x, *args, **kwargs) -> the Jacobian of the residuals, m × p, an
        array or a matrix of scipy.sparse.  The run is then Levenberg and
        Marquardt's, and a Jacobian is asked for wherever it moves to: one
        evaluation each (njev).  'cs': the complex step, for a fun that takes
        complex numbers.  Without any of these derivatives are measured along
        directions that the run chooses; '2-point' and '3-point' have no effect.
    jvp : callable, optional
        jvp(x, u, *args, **kwargs) -> the derivatives of the residuals along u,
        m numbers, which take the place of differences: one evaluation each.
    bounds : optional
        As in minimize; SciPy's pair of arrays among them.
    method : str
        'trf', 'dogbox' and 'lm' are accepted as SciPy's, and without effect:
        they stand for auto.  Others than auto minimise the cost as any other
        function, which takes more evaluations, and tell no Jacobian.

    Losses and weights
    ------------------
    weights : array of m numbers, optional
        Residuals are multiplied by them: the cost is ½ Σ (wᵢ rᵢ)².  What has
        weight zero plays no part, even if it is NaN.
    prior : (A, b) or (A, b, weights), optional
        Prior information, or Tikhonov's terms: q linear equations A x = b, A
        being an array or a matrix of scipy.sparse, q × p.  Their residuals
        wᵢ (A x - b)ᵢ come behind those of fun and count in the cost; their
        derivatives are known, and cost no evaluation.
    correlated : (coordinates, length) or callable, optional
        Inputs that are likely to be alike where they are near, as the cells of
        a field: a row of coordinates for each input, and the distance at which
        the correlation is 1/e; or a function that returns C^(1/2) v for a
        vector v, C being their covariance.  Directions are drawn accordingly;
        the cost does not change.
    x_scale : float or array of p numbers
        Sizes of the inputs, of which the next powers of two are taken as their
        units: directions, singular values, tolerance and certificate are about
        inputs in these units.
        'jac' is accepted as SciPy's, and without effect.
    loss : {'linear', 'huber', 'soft_l1', 'cauchy', 'arctan'}
        What large residuals count, as in SciPy: the cost is
        ½ Σ f_scale² rho((rᵢ/f_scale)²).  Functions are refused.  Prior
        information counts by its squares in any case.
    f_scale : float
        Residuals up to some this size count by their squares; without effect
        on the linear loss.

    SciPy's names
    -------------
    max_nfev : int, optional
        As max_evals: the most calls of fun, all of them counted.
    gtol : float, optional
        As tol: the run ends where the gradient is certified to be at most this.
    ftol : float, optional
        The run ends, with success and status 2, where a step lowers the cost by
        less than ftol times the cost.  That says nothing about the gradient:
        such a run has no certificate.  None or 0, the default: no such rule.
    xtol : float, optional
        Likewise, with status 3, where a step s to x has
        |s| < xtol (xtol + |x|).
    diff_step, tr_solver, tr_options, jac_sparsity : optional
        Accepted as SciPy's, and without effect, with a warning.
    verbose : int
        1 or 2: print the result.

    What is told of the fit
    -----------------------
    complete : bool
        Measure at the end, by p - k more evaluations, the derivatives along
        the directions that were not looked at, so that jac, identifiability
        and standard deviations are about all of space.  Not where max_nfev
        does not allow for all of them, and not together with bounds.
    predictions : list of int, optional
        Numbers, from 0, of residuals that do not count, and of which
        uncertainty() says how uncertain they are.

    Workers and journals
    --------------------
    journal : path, optional
        Keep every answer in this file as it comes.  Where it exists, the run
        is resumed: no recorded evaluation is repeated, and weights,
        predictions, bounds, start and options must be those recorded.
    learn_from : path, (X, R), or a list of these, optional
        What fun returned before: the journal of a least_squares with the same
        fun and x_scale, or n points and n vectors.  The run begins at the
        lowest of them, by the weights, prior and loss that are given now, with
        the Jacobian and curvature that they show.  That point is asked again,
        and another answer refused; no other is.  Journals written by lrgd fit
        have what was simulated, and no residuals.
    jobs, timeout : int, float, optional
        Worker processes, as in minimize: where derivatives are measured anew,
        and for certificates, so many points are evaluated at a time.  The path
        of the run does not depend on their number.  jac and jvp are called
        there too, one at a time.
    batch : callable or True, optional
        batch(X, *args, **kwargs) -> n × m residuals, for the n rows of X; True:
        fun does that.  Such points come together.

    More keywords
    -------------
    args, kwargs : tuple, dict
        More arguments for fun.
    callback : callable, optional
        As in minimize; progress.fun is the cost.
    workers : int, optional
        SciPy's name for jobs; -1: as many as there are processors.
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
    Ctrl-C as in minimize.

    Examples
    --------
    >>> import numpy as np, lrgd
    >>> A = np.cos(np.outer(np.arange(1, 5), np.arange(1000)))
    >>> fit = lrgd.least_squares(lambda x: A @ x - 1, np.zeros(1000))
    >>> bool(fit.cost < 1e-12), fit.nfev < 20, fit.supported
    (True, True, 4)
    """
    options.update(gtol=gtol, diff_step=diff_step, tr_solver=tr_solver,
                   tr_options=tr_options, jac_sparsity=jac_sparsity)
    refuse(options, "least_squares")
    jobs = read_jobs(jobs, workers)
    rules, callback = _tolerances.watch(_tolerances.read(ftol, "ftol"),
                                        _tolerances.read(xtol, "xtol"),
                                        _manners.read_callback(callback))
    robust = read_loss(loss, f_scale)
    jac, jvp = read_complex(jac, jvp, fun, batch)
    jac = read_jacobian(jac, jvp)
    made = make_options({**options, "loss": robust[0],
                         "loss_scale": robust[1]}, method, max_nfev)
    x, lower, upper = start_in_box(x0, bounds)
    units = read_units(x_scale, x.size)
    if complete and lower is not None:
        raise ValueError("complete and bounds do not go together: the "
                         "directions that are left may lead outside")
    if units is None:
        warn_of_widths((lower, upper))
    if batch is True:
        fun, batch = None, fun
    for name, function in (("fun", fun), ("batch", batch)):
        if not callable(function) and (function, batch) != (None, batch):
            raise TypeError(f"{name} is {function!r}; it must be callable")
    if fun is None and batch is None:
        raise TypeError("fun is None; it must be callable")
    if batch is not None and (jobs != 1 or timeout is not None):
        raise TypeError("batch answers many points by itself; it takes "
                        "neither jobs nor timeout")
    asked = dict(fun=fun, units=units,
                 index=x0.index if is_series(x0) else None,
                 weights=read_weights(weights), predictions=predictions,
                 batch=batch, args=args, kwargs=kwargs, jac=jac, jvp=jvp)
    result = fit(asked, x, (lower, upper), _prior.read(prior, x.size),
                 read_correlated(correlated, x.size), robust, callback, made,
                 complete, journal, jobs, timeout,
                 _known.read(learn_from, x.size, units))
    if rules is not None:
        rules.tell(result)
    if verbose:
        print(result)
    return result


def fit(asked: "dict[str, Any]", x: Array, box: "tuple[Any, Any]",
        prior: "Optional[_prior.Prior]", correlated: Any,
        loss: "tuple[str, float]", callback: Optional[Function],
        options: _abi.Options, complete: bool,
        journal: "Optional[PathLike]", jobs: int, timeout: Optional[float],
        learned: "Optional[_known.Known]" = None) -> FitResult:
    """least_squares with its arguments converted."""
    units = asked["units"]
    if units is not None:
        x = x / units
        box = (None, None) if box[0] is None else (box[0] / units,
                                                   box[1] / units)
        callback = _in_units(callback, units)
        prior = None if prior is None else prior.in_units(units)
    names = None if asked["index"] is None else list(asked["index"])
    workers = jobs != 1 or timeout is not None
    with ExitStack() as stack:
        door = ResidualDoor(x.size, Weighed(**asked), prior, correlated)
        door.loss = loss
        stack.callback(door.close)
        known = recorded(journal, "residual_count") if journal else ""
        if known.isdigit():
            door.asked.know(int(known))
        elif learned is not None:
            door.asked.know(learned.R.shape[1])
        elif not workers:
            door.ask_first(x)
        session = Session(door, stack)
        if workers and door.m == 0:
            session.start_workers(asked, jobs, timeout)
            count_residuals(session, door, x, options)
        if journal is not None:
            open_journal(session, door, journal, x, box, options, jobs,
                         learned)
        if workers and session.pool is None:
            session.start_workers(asked, jobs, timeout)
        session.make = partial(_fit.make, door, units, x.copy(), names)
        session.prepare(*box, options, callback)
        if learned is not None:
            learned.teach(session.solver, door.asked)
        told = session.run(x, options)
        assert isinstance(told, FitResult)  # as session.make made it
        result: FitResult = told
        if complete:
            most = _options.number(options, "max_evals")
            _complete.complete(door, result,
                               None if most is None else most - result.nfev)
    return result


def count_residuals(session: Session, door: ResidualDoor, x: Array,
                    options: _abi.Options) -> None:
    """Finds the number of residuals by a worker; if the start cannot be
    evaluated, the run is to fail there."""
    tries = 1 + int(_options.number(options, "retries") or 0)
    with Interrupts(door.stop, session.pool.kill):
        m = session.pool.count_residuals(x, tries)
    if door.error is not None:
        raise door.error
    door.asked.know(m or 1)


def open_journal(session: Session, door: ResidualDoor, path: "PathLike",
                 x: Array, box: "tuple[Any, Any]",
                 options: _abi.Options, jobs: int,
                 learned: "Optional[_known.Known]") -> None:
    """Adds the weights to the journal's settings, as it stores weighted
    residuals."""
    if door.early is not None:
        raise door.early
    more = {} if door.weights is None else {"weights": door.weights}
    if door.prior is not None:
        more["prior_columns"] = door.prior.column.astype(float)
        more["prior_rows"] = door.prior.rows.astype(float)
        more["prior_entries"] = door.prior.entry
        more["prior_values"] = np.concatenate([door.prior.b,
                                               door.prior.weights])
    if len(door.predictions) > 0:
        more["prediction_numbers"] = door.predictions.astype(float)
    settings = settings_of(door, x, *box, options, more, Learned(x.size))
    if learned is not None:
        settings["learned"] = Setting(learned.text)
    settings["residuals"] = Setting("yes")
    settings["residual_count"] = Setting(str(door.m))
    session.open_journal(path, settings, jobs, False)
    session.journal.spend(options)


def _in_units(callback: Optional[Function],
              units: Array) -> Optional[Function]:
    """The user's callback, with inputs converted to the user's units."""
    if callback is None:
        return None
    tell = callback
    return lambda news: tell(replace(news, x=news.x * units))
