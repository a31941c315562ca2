"""The result of a fit: residuals, their Jacobian, and the uncertainty of the
inputs."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Optional

import numpy as np

from . import _abi, _result
from ._answers import PREDICTION_WEIGHT, product
from ._residuals import ResidualDoor
from ._types import Array
from ._uncertainty import Uncertainty

# As scipy.optimize.least_squares numbers them.
_STATUS = {"converged": 1, "target": 2, "budget": 0, "stopped": -2}


class FitResult(_result.Result):
    """The result of a fit: SciPy's field names, and more.

    Every field is an attribute and a key; what is computed from the Jacobian
    (from singular_values on) is an attribute, computed when it is asked for.

    Attributes
    ----------
    x
        the best point
    cost
        half the sum of squares there, or what the loss makes of it
    fun
        the residuals there, times their weights; those of prior information
        come last
    jac
        their derivatives by x, m × p, as the model had them at the end; None
        where the basis is not all of space, or where there is no model (with
        methods other than auto)
    jac_basis
        derivatives along the columns of the basis, m × k, or None
    basis
        the directions that were looked at, p × k, orthonormal
    grad
        the gradient of the cost as far as it lies in the basis, or None
    optimality
        its largest component of those that no bound holds back; without a
        model the norm of the gradient as last measured
    active_mask
        -1, 0 or 1 for each input: at its lower bound, at none, at its upper
    nfev
        evaluations: calls of fun, jac and jvp
    njev
        calls of jac
    status
        1 converged, 2 reached its target, or ended by ftol or stop_decrease,
        3 by xtol, 4 by both, 0 spent its evaluations, -2 was stopped, -1 ended
        otherwise
    success
        whether status is positive
    message
        why it ended, in a sentence
    outcome
        the same in a word: converged, target, budget, stalled, stopped,
        unbounded or failed
    observations
        residuals whose weight is not zero
    units
        of the inputs, from x_scale; None where all are 1
    start
        where the run began
    names
        of the inputs, where x0 was a Series of pandas; else None
    singular_values
        of jac_basis, in descending order
    supported
        how many of them stand out from the error of the Jacobian: the number
        of combinations of inputs that the data support
    condition
        the largest over the smallest of those
    combinations
        these combinations, p × supported, orthonormal
    combination_deviation
        the standard deviation of each: s over its singular value
    identifiability
        for each input the squared projection of its axis on them: 1 where the
        data determine it, 0 where they say nothing of it; None where k < p
    determined
        whether there are as many of them as inputs
    uncertainty(prior, absolute)
        all of this in one object, with a prior and with predictions
    variance
        s² = 2 cost / (observations - supported); inf where nothing is left
    standard_deviation
        of each input; inf where the data do not determine them
    rank, certificate, phases, counts, stall_reason, hidden_bounds, end, held, \
grad_norm, noise, seconds, method, seed
        as in Result

    Notes
    -----
    These are linear estimates: J is taken as constant over the width of the
    uncertainty, the residuals as independent, with one variance, and bounds
    play no part.  J is the
    model's, put together from differences and updates on the way, at no
    evaluation of its own.

    k = basis.shape[1] of p directions were looked at.  Outside of the basis no
    derivative was measured, and where k < p all of this is conditional: if x
    is in x0 + the span of the basis, then its combinations are known to
    combination_deviation.  The data may see more of the inputs, or see them
    along other combinations; so identifiability is not told, and standard
    deviations of inputs are infinite.  least_squares(..., complete=True)
    measures the other p - k derivatives.

    Basis, singular values, combinations, identifiability and certificate are
    about inputs in their units (x_scale): x = units * z.
    """

    cost: float
    fun: Array  # type: ignore[assignment]
    jac: Optional[Array]
    jac_basis: Optional[Array]
    grad: Optional[Array]
    optimality: float
    active_mask: Array
    observations: int
    units: Optional[Array]
    start: Array
    names: "Optional[list[Any]]"

    @cached_property
    def _linear(self) -> Optional[Uncertainty]:
        return self.uncertainty()

    def uncertainty(self, prior: Any = None,
                    absolute: bool = False) -> Optional[Uncertainty]:
        """What the data say of the inputs and of least_squares' predictions.

        prior: standard deviations of the inputs before the data, p numbers or
        one for all.  absolute: the residuals are in units of their standard
        deviation.  None where there is no Jacobian.
        """
        if self.jac_basis is None or self.basis is None:
            return None
        return Uncertainty(self.basis, self.jac_basis, self.cost,
                           self.observations, prior=prior, absolute=absolute,
                           units=self.units,
                           slopes=self.get("prediction_slopes"),
                           predicted=self.get("predicted"))

    @property
    def singular_values(self) -> Optional[Array]:
        return None if self._linear is None else self._linear.singular_values

    @property
    def supported(self) -> Optional[int]:
        return None if self._linear is None else self._linear.rank

    @property
    def condition(self) -> Optional[float]:
        if self._linear is None or self._linear.rank == 0:
            return None
        return self._linear.condition

    @property
    def combinations(self) -> Optional[Array]:
        if self.jac_basis is None or self.basis is None:
            return None
        rows = np.linalg.svd(self.jac_basis, full_matrices=False)[2]
        found: Array = self.basis @ rows[:self.supported].T
        return found

    @property
    def variance(self) -> Optional[float]:
        if self._linear is None:
            return None
        return (self._linear.variance if self._linear.estimated
                else float("inf"))

    @property
    def combination_deviation(self) -> Optional[Array]:
        values, variance = self.singular_values, self.variance
        if values is None or variance is None:
            return None
        found: Array = np.sqrt(variance) / values[:self.supported]
        return found

    @property
    def identifiability(self) -> Optional[Array]:
        if self._linear is None or self.jac is None:
            return None
        return self._linear.identifiability

    @property
    def determined(self) -> bool:
        return self.supported == len(self.x)

    @property
    def standard_deviation(self) -> Optional[Array]:
        if self._linear is None:
            return None
        if not self._linear.estimated:
            return np.full(len(self.x), np.inf)
        return self._linear.deviation

    def covariance(self, absolute: bool = False) -> Optional[Array]:
        """The covariance of the inputs, p × p: s² (JᵀJ)⁻¹.

        All of it is inf, as in SciPy's curve_fit, where the data do not
        determine the inputs.  absolute: the residuals are in units of their
        standard deviation, so that s² is 1.  None where there is no Jacobian.
        """
        known = self.uncertainty(absolute=absolute)
        if known is None:
            return None
        if not absolute and not known.estimated:
            return np.full((len(self.x), len(self.x)), np.inf)
        return known.covariance()

    def to_frame(self) -> Any:
        """The inputs as a DataFrame of pandas: start, x, active (-1, 0 or 1),
        identifiability and standard_deviation, where they are known."""
        import pandas
        columns = {"start": self.start, "x": self.x,
                   "active": self.active_mask,
                   "identifiability": self.identifiability,
                   "standard_deviation": self.standard_deviation}
        rows = self.names or range(1, len(self.x) + 1)
        return pandas.DataFrame({name: column for name, column
                                 in columns.items() if column is not None},
                                index=rows)

    def __repr__(self) -> str:
        shown = ("message", "outcome", "cost", "x", "fun", "nfev", "rank",
                 "certificate")
        with np.printoptions(threshold=8, edgeitems=3, precision=6):
            return "\n".join(f"{name:>13}: {self[name]!r}" for name in shown
                             if name in self)


def covariance_of(J: Array, cost: float, units: Array,
                  absolute: bool) -> Array:
    """The uncertainty of p inputs, of sizes `units`, from an m × p Jacobian.
    """
    fitted = FitResult(jac_basis=J * units, basis=np.eye(J.shape[1]),
                       cost=cost, observations=len(J), units=units, x=units)
    found = fitted.covariance(absolute)
    assert found is not None  # as there is a Jacobian
    return found


def residuals(door: ResidualDoor, solver: Any, x: Array) -> Array:
    """The residuals at x.  The library has those of the lowest cost, and x may
    be another point: the certified one.  NaN if nothing was evaluated."""
    known = door.recent.at(x)
    if known is not None:
        return door.behind(x, known)
    r = np.full(_abi.solver_residual_count(solver), np.nan)
    _abi.solver_residuals(solver, r.ctypes.data)
    return r


def jacobian(solver: Any, m: int, basis: Optional[Array]) -> Optional[Array]:
    """The Jacobian along the columns of the basis; None: there is no model."""
    if basis is None:
        return None
    J = np.empty((basis.shape[1], m))
    return J.T if _abi.solver_jacobian(solver, J.ctypes.data) == 0 else None


def optimality(grad: Array, mask: Array) -> float:
    """The largest component along which the cost falls within the bounds."""
    held = grad * mask < 0
    return float(np.where(held, 0, abs(grad)).max())


def active_mask(told: _result.Result) -> Array:
    mask = np.zeros(len(told.x), dtype=int)
    for number, side in told.active_bounds:
        mask[number - 1] = 1 if side == "upper" else -1
    return mask


def make(door: ResidualDoor, units: Optional[Array], start: Array,
         names: "Optional[list[Any]]", x: Array, told: _abi.Result,
         solver: Any, options: _abi.Options,
         bounds: "tuple[Any, Any]") -> FitResult:
    """The FitResult of a solve, from what the library wrote."""
    plain = _result.make(x, told, solver, options, bounds)
    fun, basis = residuals(door, solver, x), plain.basis
    J, jac, grad = jacobian(solver, fun.size, basis), None, None
    predicted, slopes = take_predictions(door, fun, J)
    if J is not None and basis is not None:
        grad = product(basis, product(J.T, door.slopes(fun)))
        if basis.shape[1] == len(x):
            jac = J @ basis.T
    mask = active_mask(plain)
    plain.update(
        cost=plain.pop("fun"), fun=fun, jac=jac, jac_basis=J, grad=grad,
        optimality=(plain.grad_norm if grad is None
                    else optimality(grad, mask)),
        active_mask=mask, observations=door.observations,
        status=(2 if plain.stall_reason == "slow"
                else _STATUS.get(plain.outcome, -1)),
        units=units, start=start, names=names, predicted=predicted,
        prediction_slopes=slopes)
    return FitResult(plain if units is None else _in_inputs(plain, units))


def take_predictions(door: ResidualDoor, fun: Array, J: Optional[Array]
                     ) -> "tuple[list[tuple[int, float]], Optional[Array]]":
    """The values of the predictions and their slopes along the basis, which
    are removed from fun and J."""
    rows = door.predictions  # which were checked, unless fun has raised
    rows = rows[(rows >= 0) & (rows < len(fun))]
    values = [(int(i), float(fun[i] / PREDICTION_WEIGHT)) for i in rows]
    slopes = None
    if len(rows) > 0:
        fun[rows] = 0
        if J is not None:
            slopes = J[rows] / PREDICTION_WEIGHT
            J[rows] = 0
    return values, slopes


def _in_inputs(told: _result.Result, units: Array) -> _result.Result:
    """Converts a result for z to x = units * z."""
    told.x, told.start = told.x * units, told.start * units
    told.jac = None if told.jac is None else told.jac / units
    told.grad = None if told.grad is None else told.grad / units
    told.hidden_bounds = [
        one._replace(value=one.value * units[one.input - 1])
        if one.value is not None and one.input is not None else one
        for one in told.hidden_bounds]
    return told
