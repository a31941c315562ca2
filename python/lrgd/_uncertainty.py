"""The uncertainty of a fit's inputs and predictions: the library's linear
estimates."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _abi
from ._errors import check
from ._types import Array


class Prediction(NamedTuple):
    """A prediction, which has no weight in the fit, and its uncertainty."""
    number: int       # from 0
    value: float
    prior: float      # its standard deviation before the data
    deviation: float  # and with them


def _address(array: Optional[Array]) -> Optional[int]:
    return None if array is None else array.ctypes.data


class Uncertainty:
    """Linear (first order, second moment) uncertainty of a fit.

    Attributes
    ----------
    singular_values
        of the Jacobian along the basis, in descending order
    rank
        how many of them stand out from the error of the Jacobian
    supported
        combinations of inputs of which the data say more than was known
        before; without a prior, the rank
    condition
        the largest over the smallest singular value of those of the rank
    variance
        of a residual: 2 cost / (observations - rank), and 1 where as many
        inputs as observations are determined, or where absolute
    estimated
        whether it comes from the residuals
    identifiability
        for each input the squared projection of its axis on the supported
        combinations
    deviation
        the standard deviation of each input, with the data
    predictions
        a Prediction for each of least_squares' predictions

    Notes
    -----
    Derivatives are known along k of p directions.  Along the others the data
    were not shown to say anything: with a prior, it stands there, so that
    deviations are too large rather than too small; without one, they are
    infinite where k < p.
    """

    def __init__(self, basis: Optional[Array], jacobian: Array, cost: float,
                 observations: int, *, prior: Any = None,
                 absolute: bool = False, units: Optional[Array] = None,
                 slopes: Optional[Array] = None,
                 predicted: "Optional[list[tuple[int, float]]]" = None
                 ) -> None:
        m, k = jacobian.shape
        p = k if basis is None else len(basis)
        self._units = np.ones(p) if units is None else units
        self._J = np.ascontiguousarray(jacobian.T)  # a column a row
        self._U = (None if basis is None
                   else np.ascontiguousarray(basis.T))
        self._prior = _read_prior(prior, p, self._units)
        fit = _abi.fit_default()
        fit.dimension, fit.directions, fit.residuals = p, k, m
        fit.basis, fit.jacobian = _address(self._U), _address(self._J)
        fit.observations, fit.f = observations, cost
        fit.deviations = _address(self._prior)
        if absolute:
            fit.variance = 1.0
        self._linear = ctypes.c_void_p()
        check(_abi.uncertainty_create, ctypes.byref(self._linear),
              ctypes.byref(fit))
        weakref.finalize(self, _abi.uncertainty_destroy,
                         ctypes.byref(self._linear))
        told = _abi.uncertainty_summarize(self._linear)
        self.rank, self.supported = told.rank, told.supported
        self.condition: float = told.condition
        self.variance: float = told.variance
        self.estimated = bool(told.estimated)
        self.singular_values = self._numbers(
            _abi.uncertainty_singular_values, k)
        self.identifiability = self._numbers(
            _abi.uncertainty_identifiability, p)
        self.deviation = self._units * self._numbers(
            _abi.uncertainty_deviations, p)
        self.predictions = self._predict_own(slopes, predicted)

    def _numbers(self, ask: Any, *shape: int) -> Array:
        found = np.empty(shape)
        ask(self._linear, found.ctypes.data)
        return found

    def covariance(self) -> Array:
        """The covariance of the inputs, p × p; inf where they are not
        determined."""
        p = len(self._units)
        found: Array = self._numbers(_abi.uncertainty_covariance, p, p)
        return found * np.outer(self._units, self._units)

    def predict(self, slopes: Any,
                factors: Any = None) -> "tuple[Array, Array]":
        """Standard deviations of predictions before the data and with them.

        slopes: n × p, the derivatives of each by the inputs.  factors: m
        numbers by which the rows of the Jacobian are multiplied first: 0
        removes an observation, the root of 2 makes it twice.
        """
        rows = np.atleast_2d(np.asarray(slopes, dtype=float)) * self._units
        if rows.shape[1] != len(self._units):
            raise ValueError(f"slopes has shape {rows.shape}; there are "
                             f"{len(self._units)} inputs")
        along = rows if self._U is None else rows @ self._U.T
        return self._predict(along, factors)

    def _predict(self, along: Array,
                 factors: Any = None) -> "tuple[Array, Array]":
        along = np.ascontiguousarray(along)
        n, m = len(along), self._J.shape[1]
        before, after = np.empty(n), np.empty(n)
        if factors is not None:
            factors = np.ascontiguousarray(factors, dtype=float)
            if factors.shape != (m,):
                raise ValueError(f"factors has shape {factors.shape}; there "
                                 f"are {m} residuals")
        status = _abi.uncertainty_predict(
            self._linear, n, along.ctypes.data, _address(factors),
            before.ctypes.data, after.ctypes.data)
        if status != 0:
            raise ValueError("slopes and factors must be finite")
        return before, after

    def _predict_own(self, slopes: Optional[Array],
                     predicted: "Optional[list[tuple[int, float]]]"
                     ) -> "list[Prediction]":
        if slopes is None or not predicted:
            return []
        before, after = self._predict(slopes)
        return [Prediction(i, value, float(b), float(a))
                for (i, value), b, a in zip(predicted, before, after)]


def _read_prior(prior: Any, p: int, units: Array) -> Optional[Array]:
    """Prior standard deviations in the library's units."""
    if prior is None:
        return None
    read = np.asarray(prior, dtype=float)
    if read.size not in (1, p) or read.ndim > 1:
        raise ValueError(f"prior has shape {read.shape}; x has {p} numbers")
    return np.ascontiguousarray(np.broadcast_to(read, (p,)) / units)
