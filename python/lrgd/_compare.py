"""lrgd.compare: several methods on one function, with a budget each.

Ours go through minimize; those of SciPy, NLopt and cma through their own
packages, where these are installed.  A point that one of them paid for is
known to the next.
"""
from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Sequence

import numpy as np

from . import _manners
from ._inputs import point, read_bounds
from ._minimize import minimize
from ._types import Array, Function

OURS = ("auto", "quasi-newton", "lrgd", "iterated", "adaptive", "gd")
MARKS = (0.1, 0.01, 0.001)
GRADIENTS = 10  # default budget, in gradients by differences


class _Spent(Exception):
    """A budget has been spent."""


@dataclass
class Contender:
    """What one method asked for, and what it reached.

    Attributes
    ----------
    method, family : str
        Its name, and whose it is: lrgd, SciPy, NLopt, cma.
    outcome : str
        How it ended: as a run of minimize does, or "ended" by itself, "budget"
        or "failed" with a sentence.
    fun, x : float, array
        The lowest value, and where.
    nfev, paid : int
        Values that were asked for; those that no method before had paid for.
    evaluations, best : arrays
        The lowest value after so many, at each value that lowered it and at
        the end.
    """
    method: str
    family: str
    outcome: str = ""
    fun: float = float("inf")
    x: Optional[Array] = None
    nfev: int = 0
    paid: int = 0
    evaluations: "list[int]" = field(default_factory=list)
    best: "list[float]" = field(default_factory=list)


class Comparison:
    """Methods beside each other; printed as a table.

    Attributes
    ----------
    contenders : list of Contender
        In the order in which they ran.
    lowest, first : float
        The lowest value that any of them found, and that of the start.
    """

    def __init__(self, contenders: "list[Contender]", first: float) -> None:
        self.contenders = contenders
        self.first = first
        self.lowest = min((one.fun for one in contenders),
                          default=float("inf"))

    def reached(self, one: Contender, gap: float) -> Optional[int]:
        """The evaluations after which the gap to the lowest value was `gap`
        times that at the start; None: never."""
        goal = self.lowest + gap * (self.first - self.lowest)
        for n, f in zip(one.evaluations, one.best):
            if f <= goal:
                return n
        return None

    def __getitem__(self, method: str) -> Contender:
        for one in self.contenders:
            if one.method == method:
                return one
        raise KeyError(method)

    def __repr__(self) -> str:
        lines = [f"{'method':<14} {'of':<6} {'10 %':>8} {'1 %':>8} "
                 f"{'0.1 %':>8} {'values':>8}  {'lowest f':<13} ended"]
        for one in self.contenders:
            marks = (self.reached(one, gap) for gap in MARKS)
            lines.append(
                f"{one.method:<14} {one.family:<6} "
                + " ".join(f"{'-' if n is None else n:>8}" for n in marks)
                + f" {one.nfev:>8}  {one.fun:<13.6g} {one.outcome}")
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """A DataFrame of pandas: a row for each value that lowered f."""
        import pandas
        return pandas.DataFrame(
            [(one.method, one.family, n, f) for one in self.contenders
             for n, f in zip(one.evaluations, one.best)],
            columns=["method", "family", "evaluations", "best_f"])

    def plot(self, ax: Any = None) -> Any:
        """The gap to the lowest value against evaluations; returns the axes of
        matplotlib, which are made unless given."""
        if ax is None:
            from matplotlib import pyplot
            ax = pyplot.subplots()[1]
        least = 1e-16 * max(self.first - self.lowest, 1e-300)
        for one in self.contenders:
            if one.best:
                gaps = np.maximum(np.array(one.best) - self.lowest, least)
                ax.step(one.evaluations, gaps, where="post",
                        label=f"{one.method} ({one.family})")
        ax.set(xscale="log", yscale="log", xlabel="evaluations",
               ylabel="best f − lowest f found")
        ax.legend()
        return ax


class _Shared:
    """fun with a memory, a budget and a count of its evaluations."""

    def __init__(self, fun: Function, args: "tuple[Any, ...]") -> None:
        self.fun, self.args = fun, args
        self.known: "dict[bytes, float]" = {}
        self.one = Contender("", "")
        self.most = 0
        self.error: Optional[Exception] = None  # raised by fun

    def begin(self, one: Contender, most: int) -> None:
        self.one, self.most = one, most

    def __call__(self, x: Array) -> float:
        one = self.one
        if one.nfev >= self.most:
            raise _Spent
        x = np.array(x, dtype=float) + 0.0
        key = x.tobytes()
        if key not in self.known:
            try:
                self.known[key] = float(self.fun(x.copy(), *self.args))
            except Exception as error:
                self.error = error
                raise
            one.paid += 1
        f = self.known[key]
        one.nfev += 1
        if f < one.fun:
            one.fun, one.x = f, x
            one.evaluations.append(one.nfev)
            one.best.append(f)
        return f

    def end(self) -> None:
        one = self.one
        if one.best and one.evaluations[-1] != one.nfev:
            one.evaluations.append(one.nfev)
            one.best.append(one.fun)


def _scipy(method: str) -> "Callable[..., None]":
    def run(shared: _Shared, x: Array, box: Any, seed: int) -> None:
        from scipy.optimize import minimize as peer
        pairs = None if box[0] is None else list(zip(*box))
        peer(shared, x, method=method, bounds=pairs, tol=1e-15,
             options={"maxiter": 10 ** 9})
    return run


def _nlopt(name: str) -> "Callable[..., None]":
    def run(shared: _Shared, x: Array, box: Any, seed: int) -> None:
        import nlopt
        opt = nlopt.opt(getattr(nlopt, name), x.size)
        opt.set_min_objective(lambda z, g: shared(z))
        if box[0] is not None:
            opt.set_lower_bounds(box[0])
            opt.set_upper_bounds(box[1])
        opt.optimize(x)
    return run


def _cma(shared: _Shared, x: Array, box: Any, seed: int) -> None:
    import cma
    options: "dict[str, Any]" = {"verbose": -9, "seed": seed, "tolfun": 0,
                                 "tolx": 0}
    if box[0] is not None:
        options["bounds"] = list(box)
    cma.fmin(shared, x, 0.5, options)


# name, family, module, whether it runs if no methods are named, function
PEERS: "list[tuple[str, str, str, bool, Callable[..., None]]]" = [
    ("l-bfgs-b", "SciPy", "scipy", True, _scipy("L-BFGS-B")),
    ("nelder-mead", "SciPy", "scipy", True, _scipy("Nelder-Mead")),
    ("powell", "SciPy", "scipy", True, _scipy("Powell")),
    ("bobyqa", "NLopt", "nlopt", True, _nlopt("LN_BOBYQA")),
    ("sbplx", "NLopt", "nlopt", True, _nlopt("LN_SBPLX")),
    ("praxis", "NLopt", "nlopt", False, _nlopt("LN_PRAXIS")),
    ("cma-es", "cma", "cma", False, _cma),
]


def _installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _choose(methods: Optional[Sequence[str]], ranked: bool) -> "list[str]":
    """The methods to compare; with a rank also Algorithm 1, which needs one.
    """
    if methods is None:
        return ["auto", "quasi-newton", "lrgd" if ranked else "adaptive", "gd",
                *(name for name, _, module, usual, _ in PEERS
                  if usual and _installed(module))]
    known = [*OURS, *(peer[0] for peer in PEERS)]
    for name in methods:
        if name not in known:
            raise ValueError(f"there is no method {name!r} to compare; there "
                             f"are {', '.join(known)}")
    return list(methods)


def _run_peer(name: str, shared: _Shared, x: Array, box: Any,
              seed: int) -> None:
    _, family, module, _, run = next(p for p in PEERS if p[0] == name)
    one = shared.one
    one.family = family
    if not _installed(module):
        one.outcome = f"not installed: {module}"
        return
    try:
        run(shared, x.copy(), box, seed)
        one.outcome = "ended"
    except _Spent:
        one.outcome = "budget"
    except Exception as error:  # a peer may give up by an exception
        if shared.error is not None:
            raise shared.error
        one.outcome = f"failed: {error}"


def compare(fun: Function, x0: Any, methods: Optional[Sequence[str]] = None, *,
            bounds: Any = None, max_evals: Optional[int] = None,
            args: Any = (), **options: Any) -> Comparison:
    """Run several methods on fun, from the same start, with a budget each.

    Parameters
    ----------
    fun : callable
        fun(x, *args) -> f.  A point that several methods ask for is paid once.
    x0 : array of p numbers
        Where all of them start.
    methods : list of str, optional
        Of ours "auto", "quasi-newton", "lrgd", "iterated", "adaptive", "gd";
        of others, where their packages are installed, "l-bfgs-b",
        "nelder-mead", "powell" (SciPy), "bobyqa", "sbplx", "praxis" (nlopt),
        "cma-es" (cma).  Without it the usual ones of those that are there.
    bounds : optional
        As in minimize; all keep them.
    max_evals : int, optional
        Values for each, 10 (p + 1) unless told.  Gradients are made of
        differences, and counted.
    **options
        For ours: rank, seed, tol, noise, and what else minimize takes.

    Returns
    -------
    Comparison
        Prints as a table; plot() and to_frame() have all of it.

    Examples
    --------
    >>> import numpy as np, lrgd
    >>> w = np.ones(30)
    >>> both = lrgd.compare(lambda x: (w @ x - 3) ** 2, np.zeros(30),
    ...                     ["auto", "gd"], max_evals=100)
    >>> both["auto"].nfev <= 100
    True
    """
    x = point(x0)
    lower, upper = read_bounds(bounds, x.size)
    box = (None, None) if lower is None and upper is None else (
        np.full(x.size, -np.inf if lower is None else lower),
        np.full(x.size, np.inf if upper is None else upper))
    most = GRADIENTS * (x.size + 1) if max_evals is None else int(max_evals)
    if not callable(fun):
        raise TypeError(f"fun is {fun!r}; it must be callable")
    shared = _Shared(fun, _manners.read_args(args))
    contenders, first = [], float("inf")
    for name in _choose(methods, options.get("rank") is not None):
        one = Contender(name, "lrgd")
        contenders.append(one)
        shared.begin(one, most)
        if name in OURS:
            result = minimize(shared, x, method=name, bounds=bounds,
                              max_evals=most, **options)
            one.outcome = result.outcome
        else:
            _run_peer(name, shared, x, box, int(options.get("seed") or 1))
        shared.end()
        if one.best and not np.isfinite(first):
            first = one.best[0]
    return Comparison(contenders, first)
