"""SciPy's methods for constraints, for lrgd-bench: peers.py calls them."""
import numpy as np


class Outputs:
    """All outputs of a point, and their derivatives, asked once."""

    def __init__(self, ask, slopes, limits):
        self.ask, self.slopes = ask, slopes
        self.lower, self.upper, self.scale = limits
        self.x = self.y = self.J = None

    def at(self, x):
        if self.x is None or not np.array_equal(x, self.x):
            self.x, self.y, self.J = x.copy(), self.ask(x), None
        return self.y

    def derivatives(self, x):
        self.at(x)
        if self.J is None:
            self.J = self.slopes(x)
        return self.J

    def f(self, x):
        return self.at(x)[0]

    def gradient(self, x):
        return self.derivatives(x)[0]

    def rows(self, equal):
        """(output, sign, limit) of sign (y - limit) >= 0, or = 0."""
        for i, (low, high) in enumerate(zip(self.lower, self.upper)):
            if (low == high) != equal:
                continue
            if np.isfinite(low):
                yield i, 1, low
            if np.isfinite(high) and not equal:
                yield i, -1, high

    def dictionaries(self):
        found = []
        for kind, equal in (('ineq', False), ('eq', True)):
            rows = list(self.rows(equal))
            if not rows:
                continue
            at = np.array([i for i, _, _ in rows])
            sign = np.array([s for _, s, _ in rows]) / self.scale[at]
            limit = np.array([one for _, _, one in rows])
            found.append({
                'type': kind,
                'fun': lambda x, a=at, s=sign, b=limit: s * (self.at(x)[a] - b),
                'jac': lambda x, a=at, s=sign:
                    s[:, None] * self.derivatives(x)[a]})
        return found


def slsqp(outputs, x, bounds):
    from scipy.optimize import minimize
    minimize(outputs.f, x, jac=outputs.gradient, method='SLSQP',
             bounds=None if bounds is None else list(zip(*bounds)),
             constraints=outputs.dictionaries(),
             options=dict(maxiter=10**6, ftol=1e-16))


def cobyla(outputs, x, bounds):
    """It takes no bounds: they are constraints too."""
    from scipy.optimize import minimize
    constraints = [{'type': 'ineq', 'fun': one['fun']}
                   for one in outputs.dictionaries()]
    for one in outputs.dictionaries():
        if one['type'] == 'eq':
            constraints.append({'type': 'ineq',
                                'fun': lambda x, c=one['fun']: -c(x)})
    if bounds is not None:
        low, high = (np.isfinite(side) for side in bounds)
        constraints.append({'type': 'ineq', 'fun': lambda x: np.r_[
            (x - bounds[0])[low], (bounds[1] - x)[high]]})
    minimize(outputs.f, x, method='COBYLA', constraints=constraints, tol=1e-12,
             options=dict(maxiter=10**9, catol=1e-10))


def trust_constr(outputs, x, bounds):
    from scipy.optimize import BFGS, Bounds, NonlinearConstraint, minimize
    limited = np.isfinite(outputs.lower) | np.isfinite(outputs.upper)
    scale = outputs.scale[limited]
    constraint = NonlinearConstraint(
        lambda x: outputs.at(x)[limited] / scale,
        outputs.lower[limited] / scale, outputs.upper[limited] / scale,
        jac=lambda x: outputs.derivatives(x)[limited] / scale[:, None],
        hess=BFGS())
    minimize(outputs.f, x, jac=outputs.gradient, hess=BFGS(),
             method='trust-constr', constraints=[constraint],
             bounds=None if bounds is None else Bounds(*bounds),
             options=dict(gtol=1e-15, xtol=1e-15, maxiter=10**6))


METHODS = {'scipy-slsqp': slsqp, 'scipy-cobyla': cobyla,
           'trust-constr': trust_constr}
