"""lrgd.diagnose: is a function of low rank, and what would each method cost?
"""
from __future__ import annotations

import ctypes
from contextlib import ExitStack
from functools import partial
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _abi, _door, _learn, _minimize, _options, _result
from ._errors import check, exception
from ._pool import Pool
from ._signals import Interrupts
from ._types import Arguments, Array, Function

_PREDICTED = [_abi.predicted_text(i).decode()
              for i in range(_abi.PREDICTIONS)]


class Eta(NamedTuple):
    """The first r directions at the held-out points: quantiles of
    η = ‖g − Πg‖ / ‖g‖, and ε, the largest ‖g − Πg‖; `energy` is their share in
    the samples."""
    r: int
    energy: float
    median: float
    p95: float
    max: float
    epsilon: float


class Diagnosis:
    """What diagnose found; str() of it is a page of text.

    Attributes
    ----------
    low_rank
        whether to use low rank; None where that cannot be said
    conclusive
        False where there is no answer (f is NaN everywhere, noise hides
        it, the budget was too small); verdict says why
    recommended_rank
        which rank, where one is used; p where f has no low rank, 0 where
        nothing can be said
    exact_rank
        the rank, where f is exactly low-rank as far as seen, or None
    verdict
        what was found, in a sentence
    reason
        why
    region
        where f was sampled
    spectrum
        squared singular values of the sampled gradients, summing to one
    band_low
        lower edge of a bootstrap band of the spectrum
    band_high
        its upper edge
    eta
        list of Eta, for r = 1, 2, ...
    directions
        p × len(spectrum), the directions f varies along, best first; with
        finite bounds, in the inputs scaled to -1 ... 1
    predicted_evaluations
        evaluations each method would need to the end of its run, by name; None
        where that cannot be known
    predicted_calls
        the same in oracle calls
    predicted_outcome
        how those runs would end
    not_known_because
        why there is no prediction, by name
    seen_evaluations
        where a trial run was cut off: it takes more than these
    seen_calls
        the same in oracle calls
    certificate
        dict: at most `share` of the region has η above `eta`, with
        `confidence`
    constants
        dict of L, mu, Delta0, grad_norm, sigma_r, least_sample, mu_seen, delta
        as measured around the start (NaN where not)
    local
        dict: so many directions (rank) of the Hessian at the start stay good
        for `lasts` steps of length one; 0: fewer than all never do
    invariance
        largest change of f off the directions, as a share of its spread
    points
        f and the first two active coordinates of the held-out points, n × 3
    evaluations
        paid for all this
    failures
        those of them that had no finite answer
    oracle_calls
        the same in the paper's unit
    counts
        both by kind and purpose
    known_before
        questions besides that learn_from answered: they cost nothing
    known_gradients
        samples that came from there
    samples
        gradients sampled
    held_out
        held-out points
    failed
        points given up, as they could not be evaluated
    noise
        of f, as given or as found
    tolerance
        below this share of ‖g‖ nothing can be seen
    outcome
        converged, or what cut it short
    """

    def __init__(self, study: Any, p: int) -> None:
        found = _abi.diagnosis_get(study).contents
        counts, failures = found.counts, found.failures
        n = found.count
        self.dimension = p
        self.outcome = _abi.outcome_text(found.outcome).decode()
        self.conclusive = bool(found.conclusive)
        self.low_rank = bool(found.low_rank) if self.conclusive else None
        self.recommended_rank: int = found.recommended_rank
        self.exact_rank: Optional[int] = found.exact_rank or None
        self.verdict = found.verdict.decode(errors="replace")
        self.reason = found.reason.decode(errors="replace")
        self.region = found.region.decode(errors="replace")
        self.spectrum, self.band_low, self.band_high = (
            np.array(values[:n]) for values in
            (found.spectrum, found.band_low, found.band_high))
        self.eta = [Eta(*(getattr(row, name) for name in Eta._fields))
                    for row in found.eta[:n]]
        (self.predicted_evaluations, self.seen_evaluations,
         self.predicted_calls, self.seen_calls) = (
            {name: None if np.isnan(calls) else float(np.ceil(calls))
             for name, calls in zip(_PREDICTED, values)}
            for values in (found.predicted_evaluations,
                           found.evaluations_floor,
                           found.predicted_calls, found.calls_floor))
        self.not_known_because = {
            name: why.value.decode(errors="replace") for name, why
            in zip(_PREDICTED, found.predicted_why) if why.value}
        self.predicted_outcome = {
            name: _abi.outcome_text(outcome).decode() for name, outcome
            in zip(_PREDICTED, found.predicted_outcome)}
        self.certificate = {"eta": found.certified_eta,
                            "share": found.certified_share,
                            "confidence": found.confidence,
                            "points": found.held_out}
        self.constants = {name: getattr(found, name) for name in
                          ("L", "mu", "Delta0", "grad_norm", "sigma_r",
                           "least_sample", "mu_seen", "delta")}
        self.local = {"rank": found.local_rank, "sigma": found.local_sigma,
                      "M": found.local_M, "lasts": found.local_lasts}
        self.invariance: float = found.invariance
        self.tolerance: float = found.tolerance
        self.noise: float = found.noise
        self.samples: int = found.samples
        self.held_out: int = found.held_out
        self.failed: int = found.failed
        self.known_before: int = _abi.diagnosis_recalled(study)
        self.known_gradients: int = _abi.diagnosis_known_gradients(study)
        self.evaluations: int = max(
            found.evaluations - self.known_before, 0)
        self.failures: int = failures
        self.oracle_calls = sum(counts.oracle_calls)
        self.counts = _result.counts_dict(counts)
        self.directions = _directions(study, n, p)
        self.points = _points(study, found.held_out)

    def __repr__(self) -> str:
        return (f"<lrgd.Diagnosis of {self.dimension} inputs: "
                f"low_rank={self.low_rank}, "
                f"recommended_rank={self.recommended_rank}>")

    def __str__(self) -> str:
        lines = [self.verdict, "", f"  region       {self.region}",
                 f"  paid         {self.evaluations:,} evaluations: "
                 f"{self.samples} gradients, {self.held_out} points held out",
                 "", "    r    energy  eta median       95 %        max"]
        for row in self.eta[:max(10, self.recommended_rank + 1)]:
            lines.append(f"{row.r:5d}  {row.energy:8.4f}  {row.median:10.2g} "
                         f"{row.p95:10.2g} {row.max:10.2g}")
        lines += ["", "  evaluations each method would need:"]
        lines += [f"    {name:10} " + (f"{told:,.0f}" if told is not None else
                                       self.not_known_because[name])
                  for name, told in self.predicted_evaluations.items()]
        return "\n".join(lines)

    def plot_spectrum(self, ax: Any = None) -> Any:
        """Draws the spectrum with its band; returns the axes."""
        from . import _plots
        return _plots.spectrum(self, ax)

    def plot_eta(self, ax: Any = None) -> Any:
        """Draws η at the held-out points over r; returns the axes."""
        from . import _plots
        return _plots.eta(self, ax)

    def plot_summary(self, ax: Any = None, coordinate: int = 0) -> Any:
        """Draws f over the first (or second) active coordinate of the held-out
        points; returns the axes."""
        from . import _plots
        return _plots.summary(self, ax, coordinate)

    def plot(self, figure: Any = None) -> Any:
        """Draws all three side by side; returns the figure."""
        from . import _plots
        return _plots.diagnosis(self, figure)


def _directions(study: Any, count: int, p: int) -> Array:
    U = np.zeros((count, p))
    if count and _abi.diagnosis_directions(study, count, U.ctypes.data) != 0:
        raise RuntimeError("the directions cannot be read")
    return U.T


def _points(study: Any, count: int) -> Array:
    f, z = ctypes.c_double(), (ctypes.c_double * 2)()
    found = [(f.value, z[0], z[1]) for i in range(count)
             if _abi.diagnosis_point(study, i, ctypes.byref(f), z)]
    return np.array(found).reshape(-1, 3)


@_options.documented
def diagnose(fun: Optional[Function], x0: Any = None, *,
             args: Arguments = (), grad: Any = None, jac: Any = None,
             jvp: Optional[Function] = None, batch: Any = None,
             bounds: Any = None, jobs: int = 1,
             timeout: Optional[float] = None, gradients: int = 0,
             held_out: int = 0, radius: Optional[float] = None,
             eta: Optional[float] = None, trial_runs: bool = True,
             learn_from: Any = None, rehearse: Optional[bool] = None,
             **options: Any) -> Diagnosis:
    """Say whether a function is of low rank before a long run is paid for.

    Samples gradients in the bounds (or a ball around x0), finds the
    directions f varies along, checks them on held-out points, and makes trial
    runs of the methods to predict what each would cost.

    Parameters
    ----------
    fun, args, grad, jac, jvp, batch, bounds, jobs, timeout
        As in minimize.
    x0 : array of p numbers
        The start; without it, the middle of finite bounds.
    gradients : int
        Most gradients to sample; 0: as planned.
    held_out : int
        Held-out points; 0: 100.
    radius : float
        Of the ball where there are no bounds, in units of the scale of x
        times the square root of p.
    eta : float
        Directions are good where η is at most this at 95 % of the points.
    trial_runs : bool
        Whether to make trial runs, which predict what each method would
        cost.
    learn_from : optional
        Known evaluations, as in minimize.  Evaluations at exactly these
        points are not repeated, and whole gradients among them become
        samples if they add directions; held-out points are never taken
        from them.  One is evaluated again first, and another value raises
        JournalRefused.
    rehearse : bool, optional
        The former name of trial_runs; deprecated.
    **options
        The library's options; max_evals is kept:

    {options}

    Returns
    -------
    Diagnosis

    Notes
    -----
    The first Ctrl-C ends the diagnosis with what is known so far; what fun
    raises comes out.
    """
    made = _options.make(options)
    x, sides = _start(x0, bounds)
    want = _abi.diagnosis_options_default()
    want.gradients, want.held_out = gradients, held_out
    want.trial_runs = bool(trial_runs if rehearse is None else rehearse)
    want.confidence = _options.number(made, "confidence")
    for name, value in (("radius", radius), ("eta", eta)):
        if value is not None:
            setattr(want, name, value)
    jac = _minimize.one_gradient(grad, jac)
    door = _door.Door(x.size, fun, args=args, jac=jac, jvp=jvp, batch=batch)
    with ExitStack() as stack:
        stack.callback(door.close)
        maker: Any = door
        if jobs != 1 or timeout is not None:
            work = dict(fun=fun, jac=jac, jvp=jvp, args=args)
            maker = Pool(door, work, jobs, timeout, None)
            stack.callback(maker.close)
        learned = _learn.begin(learn_from, x.size)
        stack.callback(learned.close)
        found = _study(door, maker, x, sides, made, want, stack, learned)
    return found


def _start(x0: Any, bounds: Any) -> "tuple[Array, tuple[Any, Any]]":
    if x0 is None:
        if bounds is None:
            raise TypeError("where? give x0, or bounds")
        two = isinstance(bounds, tuple) and len(bounds) == 2
        low = getattr(bounds, "lb", bounds[0] if two else None)
        p = np.size(low) if low is not None else len(bounds)
        lower, upper = _minimize.read_bounds(bounds, p)
        if not np.all(np.isfinite(lower) & np.isfinite(upper)):
            raise ValueError("without x0 all bounds must be finite")
        return (lower + upper) / 2, (lower, upper)
    x = _minimize.point(x0)
    return x, _minimize.read_bounds(bounds, x.size)


def _study(door: _door.Door, maker: Any, x: Array,
           sides: "tuple[Any, Any]", options: _abi.Options,
           want: _abi.DiagnosisOptions, stack: ExitStack,
           learned: _learn.Learned) -> Diagnosis:
    problem = maker.problem(*sides)
    study, error = ctypes.c_void_p(), _abi.Error()
    check(_abi.diagnosis_open, ctypes.byref(study), ctypes.byref(problem),
          ctypes.byref(options), ctypes.byref(want), x.ctypes.data)
    stack.callback(_abi.diagnosis_destroy, ctypes.byref(study))
    learned.teach(_abi.diagnosis_learn, study)
    door.stops.append(partial(_abi.diagnosis_stop, study))
    kill = maker.kill if maker is not door else door.stop
    with Interrupts(door.stop, kill):
        status = _abi.diagnosis_run(study, ctypes.byref(error))
    raised, door.error = door.error, None
    if raised is not None:
        try:
            raise raised
        finally:
            del raised
    if status != 0:
        raise exception(status, error)
    if maker is not door:
        maker.check()
    return Diagnosis(study, x.size)
