"""The result of a run."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, NamedTuple, Optional

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from . import _abi, _options
from ._door import array_at
from ._types import Array
from ._variables import Variables

_SUCCESS = ("converged", "target")

# fields of SciPy's results that may be unknown here
_UNKNOWN = {
    "jac": "jac is not known: the gradient at x was not measured along all "
           "inputs; certificate bounds its norm, and "
           "scipy.optimize.approx_fprime(result.x, fun) measures it by one "
           "evaluation for each input",
    "hess_inv": "hess_inv is not known: curvature is measured along the "
                "directions of basis alone",
    "hess": "hess is not known: curvature is measured along the directions of "
            "basis alone"}


def _words(text: Callable[[int], bytes], count: int) -> "list[str]":
    return [text(i).decode() for i in range(count)]


KINDS = _words(_abi.kind_text, _abi.KINDS)
PURPOSES = _words(_abi.purpose_text, _abi.PURPOSES)


class Certificate(NamedTuple):
    """‖∇f(x)‖ is at most `grad_norm_bound`, with probability `confidence`;
    `probes` slopes outside the subspace were spent on it.  With bounds it is
    about the `projected` gradient: without what they hold back; with
    constraints about that of the Lagrangian."""
    grad_norm_bound: float
    confidence: float
    probes: int
    projected: bool


class Decision(NamedTuple):
    """What was decided, as data.  `kind` says what the others mean (lrgd.h
    lists them); those that it does not have are None.  Inputs count from 1, as
    in the sentence."""
    kind: str
    cause: Optional[str] = None
    norm: Optional[str] = None
    input: Optional[int] = None
    side: Optional[str] = None
    count: Optional[int] = None  # type: ignore[assignment]
    value: Optional[float] = None
    level: Optional[float] = None
    limit: Optional[float] = None


class Phase(NamedTuple):
    """What was decided, when, and why: a sentence, and the same as data."""
    iteration: int
    evaluations: int
    rank: int
    f: float
    text: str
    decision: Decision

    @property
    def kind(self) -> str:
        return self.decision.kind

    @property
    def cause(self) -> Optional[str]:
        return self.decision.cause

    @property
    def input(self) -> Optional[int]:
        return self.decision.input

    @property
    def side(self) -> Optional[str]:
        return self.decision.side

    @property
    def count(self) -> Optional[int]:  # type: ignore[override]
        return self.decision.count

    @property
    def value(self) -> Optional[float]:
        return self.decision.value

    @property
    def level(self) -> Optional[float]:
        return self.decision.level

    @property
    def limit(self) -> Optional[float]:
        return self.decision.limit


@dataclass(frozen=True, eq=False, repr=False)
class Progress(NDArrayOperatorsMixin):
    """How a run stands, as passed to a callback after every iteration and
    decision.

    Where it is used as an array it is its x, which is what SciPy passes:
    progress[0], len(progress), progress.copy(), np.linalg.norm(progress).

    Attributes
    ----------
    x
        the point where the run stands: an array of its own
    fun
        f there
    best
        lowest f so far
    grad_norm
        norm of the gradient as last measured, in the subspace in use; NaN
        before
    nit
        iterations so far
    nfev
        evaluations so far
    oracle_calls
        the same in the paper's unit
    rank
        directions in use; p where all inputs are
    phase
        what was decided last, in a sentence
    seconds
        wall time so far
    decision
        what was decided last, as data (Decision), or None
    """
    x: Array
    fun: float
    best: float
    grad_norm: float
    nit: int
    nfev: int
    oracle_calls: int
    rank: int
    phase: str
    seconds: float
    decision: Optional[Decision] = None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.array(self.x, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any,
                        **more: Any) -> Any:
        return getattr(ufunc, method)(
            *(one.x if isinstance(one, Progress) else one for one in inputs),
            **more)

    def __getitem__(self, index: Any) -> Any:
        return self.x[index]

    def __len__(self) -> int:
        return len(self.x)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.x)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"Progress has no {name}; it has "
                                 + ", ".join(self.__dataclass_fields__))
        return getattr(self.x, name)

    def __repr__(self) -> str:
        return (f"<lrgd.Progress: iteration {self.nit}, {self.nfev:,} "
                f"evaluations, f {self.fun:.6g}, best {self.best:.6g}, "
                f"|grad f| {self.grad_norm:.3g}, {self.rank} directions>")


class Result(Dict[str, Any]):
    """The result of a run: SciPy's field names, and more.

    Every field is an attribute and a key.

    Attributes
    ----------
    x
        the best point
    fun
        f there
    success
        whether it converged, reached its target, or ended by stop_decrease
        (SciPy's ftol); with constraints also where no step was left at a point
        that meets them, the gradient of the Lagrangian being within tol
    status
        the outcome as a number
    message
        why it ended, in a sentence
    outcome
        converged, target, budget, stalled, stopped, unbounded or failed
    nfev
        evaluations of any kind
    njev
        gradients among them
    nit
        iterations
    evaluations
        as nfev
    oracle_calls
        the same in the paper's unit: a slope is 1 however obtained, a gradient
        p, a value 0
    counts
        both by kind and by purpose
    rounds
        of up to width evaluations that were asked for together
    constr_violation
        with constraints: the largest amount by which one is violated at x, in
        its own units
    constr, v
        with constraints of SciPy's: the values of each at x, a list of arrays,
        and their multipliers as trust-constr has them: f + v c is stationary,
        positive at an upper limit and negative at a lower one; None for a
        LinearConstraint with keep_feasible
    outputs
        with constraints: all that was answered at x, by name (f, c1, c2[1], ...
        for the functions of constraints)
    multipliers
        with constraints: how much f gains for one unit by which an active
        limit is relaxed, by name; of an equation for each unit by which its
        target is raised
    violation
        with constraints: the largest violation in units of its scale, which is
        the larger of the limits by size, or the value at x0 where they are 0;
        x counts as feasible up to 1e-6
    rank
        directions in use at the end
    basis
        an orthonormal basis of them, p × rank; None for gradient descent
    certificate
        how small the gradient was shown to be, or None
    jac
        the gradient at x, where grad was given and asked there; without it
        the attribute says what to do
    phases
        what was decided, when, and why
    stall_reason
        why the run has stalled: "constant", "noise", "rounding",
        "no_decrease", "slow", "elsewhere", "unevaluable", "rank" or
        "uncertified"; None where it ended otherwise
    hidden_bounds
        bounds on inputs that the run found, as they stood at its end: f cannot
        be evaluated or jumps up beyond `value`
    active_bounds
        inputs at a bound that was given: (number from 1, "lower" or "upper")
    end
        why the run ended, as a Decision
    held
        the hidden bound or surface that is active at x, or None
    grad_norm
        of the gradient as last measured in the subspace
    sigma_r
        smallest singular value kept when directions were last identified
    noise
        of f, as given or as found
    seconds
        wall time
    method
        as given
    seed
        as given
    """

    x: Array
    fun: float
    success: bool
    status: int
    message: str
    outcome: str
    nfev: int
    njev: int
    nit: int
    evaluations: int
    oracle_calls: int
    counts: "dict[str, Any]"
    rounds: int
    rank: int
    basis: Optional[Array]
    certificate: Optional[Certificate]
    phases: "list[Phase]"
    stall_reason: Optional[str]
    hidden_bounds: "list[Decision]"
    active_bounds: "list[tuple[int, str]]"
    end: Optional[Decision]
    held: Optional[Decision]
    grad_norm: float
    sigma_r: float
    noise: float
    seconds: float
    method: str
    seed: int

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(_UNKNOWN.get(name, name)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> "list[str]":
        return [*super().__dir__(), *self.keys()]

    def __repr__(self) -> str:
        shown = ("message", "outcome", "fun", "x", "constr_violation",
                 "outputs", "multipliers", "nfev", "oracle_calls", "nit",
                 "rank", "certificate")
        width = 16 if "constr_violation" in self else 13
        with np.printoptions(threshold=8, edgeitems=3, precision=6):
            return "\n".join(f"{name:>{width}}: {self[name]!r}"
                             for name in shown if name in self)


def counts_dict(counts: _abi.Counts) -> "dict[str, Any]":
    """The counts as nested dictionaries, as in the command's JSON."""
    by_kind = {kind: dict(zip(PURPOSES, counts.evaluations[i]))
               for i, kind in enumerate(KINDS)}
    return {"evaluations": by_kind,
            "oracle_calls": dict(zip(PURPOSES, counts.oracle_calls)),
            "failures": counts.failures, "rounds": counts.rounds}


def total(counts: _abi.Counts) -> int:
    return sum(sum(kind) for kind in counts.evaluations)


def decision(told: _abi.Decision) -> Optional[Decision]:
    """A decision; None if there is none."""
    kind = told.kind
    if kind == 0:
        return None

    def has(member: bytes) -> bool:
        return bool(_abi.decision_kind_has(kind, member))
    return Decision(
        _abi.decision_kind_text(kind).decode(),
        _abi.cause_text(told.cause).decode() if has(b"w") else None,
        _abi.norm_text(told.norm).decode() if has(b"n") else None,
        told.input if has(b"i") else None,
        ("upper" if told.side > 0 else "lower") if has(b"s") else None,
        told.count if has(b"c") else None,
        told.value if has(b"v") else None,
        told.level if has(b"l") else None,
        told.limit if has(b"m") else None)


def hidden_bounds(solver: Any,
                  variables: Variables) -> "list[Decision]":
    found = [decision(variables.decision(
        _abi.solver_hidden_bound(solver, i).contents))
        for i in range(_abi.solver_hidden_bound_count(solver))]
    return [one for one in found if one is not None]


def active_bounds(solver: Any, p: int) -> "list[tuple[int, str]]":
    sides = ((i, _abi.solver_active_bound(solver, i)) for i in range(1, p + 1))
    return [(i, "upper" if side > 0 else "lower") for i, side in sides if side]


def stall_reason(told: _abi.Result) -> Optional[str]:
    if _abi.outcome_text(told.outcome) != b"stalled":
        return None
    return str(_abi.stall_text(told.stall).decode())


def phases(solver: Any, variables: Variables) -> "list[Phase]":
    found = []
    for i in range(_abi.solver_phase_count(solver)):
        phase = _abi.solver_phase(solver, i).contents
        told = variables.decision(phase.decision)
        found.append(Phase(phase.iteration, phase.evaluations, phase.rank,
                           phase.f, phase.text.decode() if variables.plain
                           else variables.sentence(told),
                           decision(told) or Decision("none")))
    return found


def basis(solver: Any, p: int) -> Optional[Array]:
    count = _abi.solver_basis_size(solver)
    if count == 0:
        return None
    U = np.empty((count, p))
    return U.T if _abi.solver_basis(solver, U.ctypes.data) == 0 else None


def _is_success(outcome: str, told: _abi.Result) -> bool:
    return outcome in _SUCCESS or stall_reason(told) == "slow"


def make(x: Array, told: _abi.Result, solver: Any,
         options: _abi.Options, bounds: "tuple[Any, Any]",
         variables: Optional[Variables] = None, **known: Any) -> Result:
    """The Result of a solve, from what the library wrote.  known: fields that
    were read in another way."""
    variables = variables or Variables(len(x))
    projected = any(side is not None and bool(np.isfinite(side).any())
                    for side in bounds)
    counts, proof = told.counts, told.certificate
    outcome = _abi.outcome_text(told.outcome).decode()
    evaluations = total(counts)
    certificate = Certificate(proof.grad_norm_bound, proof.confidence,
                              proof.probes, projected) if proof.valid else None
    if "basis" not in known:
        known["basis"] = basis(solver, len(x))
    if "active_bounds" not in known:
        known["active_bounds"] = (active_bounds(solver, len(x)) if projected
                                  else [])
    return Result(
        x=x, fun=told.f, success=_is_success(outcome, told), status=told.outcome,
        message=variables.end(told), outcome=outcome,
        nfev=evaluations, njev=sum(counts.evaluations[2]),
        nit=told.iterations, evaluations=evaluations,
        oracle_calls=sum(counts.oracle_calls), counts=counts_dict(counts),
        rounds=counts.rounds,
        rank=told.rank, certificate=certificate,
        phases=phases(solver, variables), stall_reason=stall_reason(told),
        hidden_bounds=hidden_bounds(solver, variables),
        end=decision(told.end),
        held=decision(variables.decision(told.held)), grad_norm=told.grad_norm,
        sigma_r=told.sigma_r, noise=told.noise, seconds=told.seconds,
        method=_options.read(options, "method"),
        seed=int(_options.read(options, "seed")), **known)


def add_gradient(result: Result, gradient: Optional[Array]) -> None:
    """jac, if the gradient at x is known along all inputs."""
    if gradient is not None:
        result["jac"] = gradient


def progress(news: _abi.Progress, p: int,
             variables: Optional[Variables] = None) -> Progress:
    """The progress for a callback, with its own copy of x."""
    counts = news.counts.contents
    x = array_at(news.x, p).copy()
    if variables is not None:
        x = variables.back(x)
    return Progress(x, news.f, news.best_f, news.grad_norm, news.iteration,
                    total(counts), sum(counts.oracle_calls), news.rank,
                    news.phase.decode() if news.phase else "", news.seconds,
                    decision(news.decision.contents) if news.decision
                    else None)
