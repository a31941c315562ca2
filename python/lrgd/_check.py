"""lrgd.check_gradient: compares a gradient with values of f."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _abi, _door, _inputs, _manners, _options
from ._attempt import attempt
from ._types import Function


class GradientCheck(NamedTuple):
    """What check_gradient found; false where the gradient is not that of f.

    Attributes
    ----------
    agrees
        whether it is, as far as seen
    told, measured, error
        the derivative along the random direction where they differ most, as
        the gradient and as values of f tell it, and the error of the latter
    input
        where they differ, the index from 0 of the input where they differ
        most, or of one of those; else None
    input_told, input_measured, input_error
        the derivative by that input, likewise; NaN without one
    directions
        how many random directions were compared
    evaluations
        paid for it
    """
    agrees: bool
    told: float
    measured: float
    error: float
    input: Optional[int]
    input_told: float
    input_measured: float
    input_error: float
    directions: int
    evaluations: int

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        if self.agrees:
            return (f"the gradient is that of f: along {self.directions} "
                    f"random directions {self.told:.8g} and "
                    f"{self.measured:.8g} at the worst")
        return (f"the gradient is not that of f: by x[{self.input}] it says "
                f"{self.input_told:.8g}, values of f {self.input_measured:.8g} "
                f"(to {self.input_error:.1g})")


@_options.documented
def check_gradient(fun: Optional[Function], x0: Any, grad: Any = None, *,
                   jac: Any = None, jvp: Optional[Function] = None,
                   args: Any = (), bounds: Any = None,
                   **options: Any) -> GradientCheck:
    """Compare a gradient with differences of f.

    Along random directions at x0; where they differ, down to the input where
    they differ most.  Some 20 evaluations, and some 9 log2(p) more then.

    Parameters
    ----------
    fun, grad, jac, jvp, args, bounds
        As in minimize.
    x0 : array of p numbers
        Where to compare; not where the gradient is zero.
    **options
        The library's options, of which seed counts:

    {options}

    Returns
    -------
    GradientCheck

    Examples
    --------
    >>> import numpy as np, lrgd
    >>> bool(lrgd.check_gradient(lambda x: x @ x, np.ones(9), lambda x: 2 * x))
    True
    >>> wrong = lambda x: 2 * x * np.array([1, 1, -1])
    >>> print(lrgd.check_gradient(lambda x: x @ x, np.ones(3), wrong).input)
    2
    """
    made = _options.make(_manners.read_options(options, who="check_gradient"))
    x = _inputs.point(x0)
    lower, upper = _inputs.read_bounds(bounds, x.size)
    found = _abi.GradientCheck()
    door = _door.Door(x.size, fun, args=_manners.read_args(args), jvp=jvp,
                      jac=_inputs.one_gradient(grad, jac))
    attempt(_abi.gradient_check_try, found, door, (lower, upper), made, x)
    none = float("nan")
    known = found.input > 0
    return GradientCheck(
        bool(found.agrees), found.told, found.measured, found.error,
        found.input - 1 if known else None,
        found.input_told if known else none,
        found.input_measured if known else none,
        found.input_error if known else none, found.directions,
        found.evaluations)
