"""lrgd as a method of scipy.optimize.minimize."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._minimize import minimize
from ._types import Arguments, Function


def scipy_method(fun: Function, x0: Any, args: Arguments = (),
                 jac: Any = None, hess: Any = None, hessp: Any = None,
                 bounds: Any = None, constraints: Any = (),
                 callback: Optional[Function] = None,
                 **options: Any) -> Any:
    """For scipy.optimize.minimize(fun, x0, method=lrgd.scipy_method).

    jac is a function or True; bounds are kept; constraints are as in
    lrgd.minimize, which then asks values alone.  tol, maxiter and
    maxfev mean what they do there, and every option and keyword of
    lrgd.minimize can be given in options={...}: jvp, jobs, journal,
    learn_from.  hess and hessp are not used, and SciPy keeps "2-point" and
    the like to itself.

    >>> from scipy.optimize import minimize
    >>> minimize(lambda x: (x.sum() - 3) ** 2, np.zeros(50),
    ...          method=scipy_method, options={"maxfev": 500}).success
    True
    """
    from scipy.optimize import OptimizeResult
    given = {name: value for name, value in options.items()
             if value is not None}
    hear = None
    if callback is not None:
        tell = callback
        hear = lambda progress: tell(progress.x)  # noqa: E731
    result = minimize(fun, x0, args=args, jac=jac or None, bounds=bounds,
                      callback=hear, constraints=constraints, **given)
    return OptimizeResult(result)
