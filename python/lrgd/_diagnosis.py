"""The result of a diagnosis."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _abi, _result
from ._types import Array

_ETAS = (0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)  # of a trade-off
_THEOREMS = ("3.1", "3.2", "3.3", "3.4")
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


class Condition(NamedTuple):
    """One condition of a theorem: left <= right."""
    name: str
    left: float
    right: float
    holds: bool


class Theorem(NamedTuple):
    """A theorem of the paper for this function: `bound` on oracle calls to the
    accuracy `accuracy` (in f for 3.1 and 3.2, in ‖∇f‖ for 3.3 and 3.4), which
    holds where all `conditions` do."""
    name: str
    bound: float
    accuracy: float
    conditions_hold: bool
    conditions: "list[Condition]"


class TradeOff(NamedTuple):
    """Definition 2.2: r directions keep ‖g − Πg‖ <= eta ‖g‖ + epsilon at the
    held-out points; `least_epsilon` is what Proposition 2.3 allows at the
    least (NaN: it does not apply)."""
    eta: float
    epsilon: float
    least_epsilon: float


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
    trade_off
        list of TradeOff, for recommended_rank directions
    theorems
        list of Theorem: 3.1 to 3.4 with the constants found here
    transforms
        dict: whether logarithms of the inputs, or other units, would lower
        the rank ("log" and "scale"), found without evaluations
    from_journal
        answers that the journal had
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

    def __init__(self, study: Any, p: int, options: _abi.Options,
                 from_journal: int = 0) -> None:
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
        self.from_journal = from_journal
        self.trade_off = _trade_off(study, found)
        self.theorems = [_theorem(study, i, options)
                         for i in range(len(_THEOREMS))]
        self.transforms = _transforms(study)
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
        lines += ["", "  theorems of the paper, in oracle calls:"]
        lines += [f"    {one.name}  at most {one.bound:,.0f}"
                  if one.conditions_hold else f"    {one.name}  " + _unmet(one)
                  for one in self.theorems]
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


def _unmet(theorem: Theorem) -> str:
    """The first condition that does not hold, with its numbers."""
    for one in theorem.conditions:
        if not one.holds:
            return (f"does not apply: {one.name} ({one.left:.3g} and "
                    f"{one.right:.3g})")
    return "does not apply"


def _trade_off(study: Any,
               found: _abi.DiagnosisResult) -> "list[TradeOff]":
    r = found.recommended_rank
    if not 0 < r <= found.count:
        return []
    return [TradeOff(eta, _abi.diagnosis_epsilon(study, r, eta),
                     _abi.least_epsilon(found.mu_seen, found.delta, eta))
            for eta in _ETAS]


def _theorem(study: Any, number: int, options: _abi.Options) -> Theorem:
    accuracy = ctypes.c_double()
    bound = _abi.diagnosis_theorem(study, number, ctypes.byref(options),
                                   ctypes.byref(accuracy))
    conditions = [Condition(one.name.decode(), one.left, one.right,
                            bool(one.holds))
                  for one in bound.condition[:bound.conditions]]
    return Theorem(_THEOREMS[number], bound.bound, accuracy.value,
                   bool(bound.holds), conditions)


def _transforms(study: Any) -> "dict[str, Any]":
    logs, scaling = _abi.Logarithms(), _abi.Scaling()
    if _abi.diagnosis_logarithms(study, ctypes.byref(logs)) != 0 or (
            _abi.diagnosis_scaling(study, ctypes.byref(scaling)) != 0):
        return {}
    return {"log": {"inputs": logs.taken,
                    "exact_rank": logs.exact_rank or None,
                    "rank": logs.rank or None, "p95": logs.p95},
            "scale": {"units": "own" if scaling.own_units else "start",
                      "rank": scaling.rank or None,
                      "plain_rank": scaling.plain_rank or None,
                      "p95": scaling.p95}}


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
