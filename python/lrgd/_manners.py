"""Reads the arguments that people write for scipy.optimize.minimize.

Each argument either means here what it does there, or is refused in a sentence
that says what to do.  None is ignored silently.
"""
from __future__ import annotations

import inspect
import os
import warnings
from typing import Any, Callable, Mapping, Optional

import numpy as np

from . import _options
from ._complex import complex_step
from ._types import Function

# SciPy's methods: local minima all of them, which auto finds too
METHODS = ("nelder-mead", "powell", "cg", "bfgs", "newton-cg", "l-bfgs-b",
           "tnc", "cobyla", "cobyqa", "slsqp", "trust-constr", "dogleg",
           "trust-ncg", "trust-exact", "trust-krylov")

# SciPy's names of options, and ours
ALIASES = {"maxiter": "max_iterations", "maxfev": "max_evals",
           "maxfun": "max_evals", "gtol": "tol", "ftol": "stop_decrease",
           "fatol": "stop_decrease", "workers": "jobs",
           "f_target": "target"}

_XTOL = ("a run ends by tol (the norm of the gradient), stop_decrease (how "
         "little a step lowers f), target or max_evals, and not by the length "
         "of steps: leave it out")
_STEPS = ("lengths of differences follow from the noise and the curvature "
          "that are found: leave it out, or give noise")
REFUSED = {
    "xtol": _XTOL, "xatol": _XTOL, "xrtol": _XTOL, "eps": _STEPS,
    "finite_diff_rel_step": _STEPS,
    "return_all": "callback hears of every iterate, and journal keeps every "
                  "evaluation: leave it out",
    "norm": "norms of the gradient are Euclidean here: leave it out",
}

# options that tune SciPy's methods, and do not change the minimum
_TUNING = ("adaptive", "initial_simplex", "maxcor", "maxls", "iprint",
           "direc", "rhobeg", "catol", "c1", "c2", "offset", "maxCGit",
           "eta", "stepmx", "accuracy", "minfev", "rescale", "verbose",
           "initial_tr_radius", "final_tr_radius", "max_trust_radius",
           "initial_trust_radius", "line_search", "feasibility_tol",
           "barrier_tol", "initial_constr_penalty",
           "initial_barrier_parameter", "initial_barrier_tolerance",
           "factorization_method", "sparse_jacobian", "hess_inv0", "inexact")


# values of other solvers' options that change nothing here
_HARMLESS = {"return_all": (False,), "norm": (2,), "xrtol": (0,),
             "scale": (True, False)}


def _is_harmless(name: str, value: Any) -> bool:
    """scale=True is COBYQA's, which scales by the bounds, and scale=1 ours."""
    return any(value is one or (name != "scale" and value == one)
               for one in _HARMLESS.get(name, ()) if np.ndim(value) == 0)


def read_args(args: Any) -> "tuple[Any, ...]":
    """As in SciPy, an args that is not a tuple is the only argument."""
    return args if isinstance(args, tuple) else (args,)


def read_method(method: Any) -> Any:
    """The library's method for one of SciPy's."""
    if isinstance(method, str) and method.lower() in METHODS:
        return "auto"
    if callable(method):
        raise TypeError("method is a function; lrgd.minimize has methods of "
                        "its own, by name: "
                        + ", ".join(_options.TABLE["method"].choices))
    return method


def read_options(given: Mapping[str, Any], own: "tuple[str, ...]" = (),
                 who: str = "minimize") -> "dict[str, Any]":
    """Options under our names.  own: keywords of the caller that are none of
    the library's options."""
    found: "dict[str, Any]" = {}
    for name, value in given.items():
        if _is_harmless(name, value):
            continue
        if name in REFUSED and value is not None:
            raise TypeError(f"{who} does not take {name}: {REFUSED[name]}")
        if name in REFUSED:
            continue
        if name in _TUNING:
            warnings.warn(f"{name} belongs to one of SciPy's methods, and has "
                          "no effect here", stacklevel=3)
            continue
        key = _options.own_name(ALIASES.get(name, name))
        if key not in _options.TABLE and key not in own:
            raise _options.complain(name, (*own, *ALIASES))
        if None not in (value, found.get(key)):
            raise TypeError(f"{name} and another of the arguments are two "
                            f"names for {key}")
        if value is not None or found.get(key) is None:
            found[key] = value
    if found.get("jobs") is not None:
        found["jobs"] = read_workers(found["jobs"])
    return found


def read_workers(workers: Any) -> int:
    """The number of jobs; -1: as many as there are processors."""
    if callable(workers):
        raise TypeError("workers is a function; give the number of worker "
                        "processes (jobs), or batch, which answers many "
                        "points at once")
    found: int = (os.cpu_count() or 1) if workers == -1 else workers
    return found


def warn_of_hessians(hess: Any, hessp: Any) -> None:
    for name, given in (("hess", hess), ("hessp", hessp)):
        if given is not None:
            warnings.warn(f"{name} is not used: curvature is measured where "
                          "it matters", stacklevel=3)


def read_jac(jac: Any, jvp: Any, fun: Any,
             options: "dict[str, Any]") -> "tuple[Any, Any]":
    """Converts SciPy's words for differences to jac and jvp."""
    if not isinstance(jac, str):
        return (None if jac is False else jac), jvp
    if jac == "2-point":
        return None, jvp
    if jac == "3-point":
        options.setdefault("differences", "central")
        return None, jvp
    if jac == "cs":
        return None, jvp or complex_step(fun)
    raise ValueError(f"jac is {jac!r}; it must be a function, True, '2-point', "
                     "'3-point' or 'cs'")


# ---- callbacks ----

_POINTS = ("xk", "x", "xi", "x_k", "xs", "xopt", "theta", "params",
           "parameters", "point")


def read_callback(callback: Any) -> Optional[Callable[[Any], Any]]:
    """One that is called with a Progress: ours are; SciPy's callback(xk), by
    the name of its argument, gets x, and callback(intermediate_result) the
    progress by that name."""
    if callback is None:
        return None
    if not callable(callback):
        raise TypeError(f"callback is {callback!r}; it must be callable")
    names = _arguments(callback)
    if names == ["intermediate_result"]:
        return lambda news: _is_true(callback(intermediate_result=news))
    if len(names) == 1 and names[0] in _POINTS:
        return lambda news: _is_true(callback(news.x))
    if len(names) == 2:  # as trust-constr calls it
        return lambda news: _is_true(callback(news.x, news))
    return lambda news: _is_true(callback(news))


def _is_true(answer: Any) -> bool:
    """Whether a callback stops the run: True does, and no other value that it
    may return."""
    return isinstance(answer, (bool, np.bool_)) and bool(answer)


def _arguments(function: Any) -> "list[str]":
    """The names of its required arguments; [] if they cannot be found."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in found if one.default is one.empty
            and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD,
                             one.KEYWORD_ONLY)]
