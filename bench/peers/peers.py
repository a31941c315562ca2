"""SciPy's L-BFGS-B and least_squares, and cmaes for lrgd-bench; python.c says what is exchanged."""
import os
import sys

import numpy as np

from limits import METHODS, Outputs


def read(count):
    """Doubles from standard input; the other side may be gone: so are we."""
    need, parts = 8 * count, []
    while need > 0:
        part = os.read(0, need)
        if not part:
            sys.exit(0)
        parts.append(part)
        need -= len(part)
    return np.frombuffer(b''.join(parts))


def write(numbers):
    data = memoryview(np.ascontiguousarray(numbers, dtype=float).tobytes())
    while data:
        data = data[os.write(1, data):]


def value(x):
    write(np.r_[0.0, x])
    return read(1)[0]


def both(x):
    write(np.r_[1.0, x])
    answer = read(x.size + 1)
    return answer[0], answer[1:].copy()


def l_bfgs_b(x, bounds, step, seed):
    from scipy.optimize import minimize
    options = dict(maxcor=10, ftol=0, gtol=0, maxls=50, maxfun=10**9, maxiter=10**9)
    for _ in range(6):
        x = minimize(both, x, jac=True, method='L-BFGS-B', options=options,
                     bounds=None if bounds is None else list(zip(*bounds))).x


class Residuals:
    """F, and its Jacobian by differences from the F of the same point."""

    def __init__(self, m):
        self.m, self.x, self.r = m, None, None

    def __call__(self, x):
        write(np.r_[2.0, x])
        self.x, self.r = x.copy(), read(self.m).copy()
        return self.r

    def jacobian(self, x):
        """The harness has the F that was asked for last; where that was at
        another point (a step that was refused), F is asked again."""
        if self.x is None or not np.array_equal(x, self.x):
            self(x)
        write(np.r_[3.0, x])
        return read(self.m + self.m * x.size)[self.m:].reshape(x.size, -1).T.copy()


def least_squares(method):
    def run(x, bounds, step, seed, m):
        from scipy.optimize import least_squares as minimise
        fun = Residuals(m)
        minimise(fun, x, jac=fun.jacobian, method=method, ftol=1e-15, xtol=1e-15,
                 gtol=1e-15, max_nfev=10**9,
                 bounds=(-np.inf, np.inf) if bounds is None else bounds)
    return run


def cma_es(x, bounds, step, seed):
    from cmaes import CMA, SepCMA
    kind = CMA if x.size <= 400 else SepCMA
    optimizer = kind(mean=x.copy(), sigma=step, seed=seed,
                     bounds=None if bounds is None else np.array(bounds).T)
    while True:
        points = [optimizer.ask() for _ in range(optimizer.population_size)]
        optimizer.tell([(point, value(point)) for point in points])


def main():
    p, seed, step, has_bounds, m, limited = read(6)
    x = read(int(p)).copy()
    bounds = read(2 * int(p)).reshape(2, -1) if has_bounds else None
    name = sys.argv[1]
    try:
        if limited:
            limits = read(3 * int(m)).reshape(3, -1).copy()
            asked = Residuals(int(m))
            x = x if bounds is None else np.clip(x, *bounds)
            METHODS[name](Outputs(asked, asked.jacobian, limits), x, bounds)
        elif m > 0:
            least_squares(name)(x, bounds, step, int(seed), int(m))
        else:
            {'l-bfgs-b': l_bfgs_b, 'cma-es': cma_es}[name](x, bounds, step, int(seed))
    except BrokenPipeError:
        pass


main()
