"""Completes the Jacobian of a fit after the run, by differences along the
directions that the run has not measured."""
from __future__ import annotations

from typing import Optional

import numpy as np

from ._fit import FitResult, optimality
from ._residuals import ResidualDoor
from ._signals import Interrupts
from ._types import Array

# Relative length of a difference: of the third root of the rounding error, so
# that residuals may be wrong by 1e-9 of their size and the derivative by 1e-3
# at most.
_LENGTH = float(np.finfo(float).eps) ** (1 / 3)


def complete(door: ResidualDoor, result: FitResult,
             left: Optional[float]) -> None:
    """Makes one evaluation for each missing direction, if `left` allows for
    all of them.  If one direction cannot be evaluated on either side, or the
    run is stopped, only the count of evaluations in the result changes."""
    basis, J = result.basis, result.jac_basis
    if basis is None or J is None or door.closed:
        return
    p, k = basis.shape
    if k == p or (left is not None and p - k > left):
        return
    rest: Array = np.linalg.qr(basis, mode="complete")[0][:, k:]
    columns = _columns(door, result, rest)
    if columns is not None:
        _extend(result, np.hstack([basis, rest]), np.hstack([J, columns]),
                door.slopes(result.fun))


def _columns(door: ResidualDoor, result: FitResult,
             rest: Array) -> Optional[Array]:
    z = result.x if result.units is None else result.x / result.units
    h = _LENGTH * max(1.0, float(np.linalg.norm(z)) / np.sqrt(len(z)))
    found = []
    with Interrupts(door.stop, door.stop):
        for u in rest.T:
            column = _difference(door, result, z, h * u)
            if column is None:
                return None
            found.append(column / h)
    return np.array(found).T


def _difference(door: ResidualDoor, result: FitResult, z: Array,
                step: Array) -> Optional[Array]:
    for side in (1, -1):
        if door.closed:
            return None
        result.nfev += 1
        result.evaluations += 1
        result.counts["evaluations"]["values"]["identify"] += 1
        try:
            answer = door.behind(z + side * step, door.ask(z + side * step))
        except BaseException as error:
            error.lrgd_result = result  # type: ignore[attr-defined]
            raise
        if np.isfinite(answer).all():
            change: Array = side * (answer - result.fun)
            return change
    return None


def _extend(result: FitResult, basis: Array, J: Array,
            slopes: Array) -> None:
    jac: Array = J @ basis.T
    if result.units is not None:
        jac = jac / result.units
    grad: Array = jac.T @ slopes
    result.update(basis=basis, jac_basis=J, jac=jac, grad=grad,
                  optimality=optimality(grad, result.active_mask))
