"""Snippets in the style of SciPy's documentation, its tests and answers on
StackOverflow: least_squares, curve_fit and minimize with this package's
functions in their place.  Each finds what SciPy finds, or is refused in a
sentence that says what to do.  What has no effect is told in a warning.
"""
import contextlib
import io
import re
import warnings

import numpy as np
import scipy.optimize

import lrgd
from common import Case, main

SETUP = """
import numpy as np
from scipy import sparse
from scipy.optimize import (BFGS, Bounds, LinearConstraint,
                            NonlinearConstraint, rosen, rosen_der, rosen_hess,
                            rosen_hess_prod)
def rosenbrock(x): return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])
def rosenbrock_jac(x): return np.array([[-20 * x[0], 10], [-1, 0]])
def quad(x): return ((x - np.arange(1, 5)) ** 2 * np.arange(1, 5)).sum()
def plain(x): return float(((np.real(x) - 1) ** 2).sum())
def bowl(x): return (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2
rng = np.random.default_rng(1)
t = np.linspace(0, 10, 60)
def decay(t, a, b, c): return a + b * np.exp(-c * t)
y = decay(t, 0.5, 2, 0.7) + 0.05 * rng.standard_normal(60)
y_out = y + 1.5 * (np.arange(60) % 9 == 0)
def fun(x, t=t, y=y): return decay(t, *x) - y
def curve(x, a, b, c): return a * np.exp(-b * x) + c
def curve_jac(x, a, b, c): return np.stack(
    [np.exp(-b * x), -a * x * np.exp(-b * x), np.ones_like(x)], axis=1)
xdata = np.linspace(0, 4, 50)
ydata = curve(xdata, 2.5, 1.3, 0.5) + 0.2 * rng.normal(size=50)
holes = np.where(np.arange(50) % 10 == 3, np.nan, ydata)
def broyden(x):
    f = (3 - x) * x + 1
    f[1:] -= x[:-1]
    f[:-1] -= 2 * x[1:]
    return f
one = np.ones(3)
seen = []
"""

SAME = None  # as SciPy's


class Told:
    """As SciPy's, with a warning that says this."""

    def __init__(self, says):
        self.says = says


class Alike:
    """As another snippet, of a SciPy that is older than the one written for.
    """

    def __init__(self, code):
        self.code = code


# name, code, and what is expected: SAME, Told, Alike or how it is refused
SNIPPETS = [
    # least_squares
    ("Rosenbrock, as the documentation begins",
     "least_squares(rosenbrock, np.array([2., 2.]))", SAME),
    ("its Jacobian and a bound", "least_squares(rosenbrock, [2., 2.], "
     "jac=rosenbrock_jac, bounds=([-np.inf, 1.5], np.inf))", SAME),
    ("Bounds", "least_squares(rosenbrock, [2., 2.], "
     "bounds=Bounds([-np.inf, 1.5], [np.inf, np.inf]))", SAME),
    ("the complex step", "least_squares(rosenbrock, [2., 2.], jac='cs')", SAME),
    ("the complex step with args and bounds", "least_squares(fun, one, "
     "jac='cs', args=(t, y), bounds=(0, 3))", SAME),
    ("the complex step of a function that drops it",
     "least_squares(lambda x: np.array([float(x[0]) - 1, x[1]]), [2., 2.], "
     "jac='cs')", r"complex step .*without jac"),
    ("differences of three points",
     "least_squares(rosenbrock, [2., 2.], jac='3-point')", SAME),
    ("one residual of one number", "least_squares(lambda x: x[0] - 3, 5.)",
     SAME),
    ("a robust loss", "least_squares(fun, one, loss='soft_l1', f_scale=0.1, "
     "args=(t, y_out))", SAME),
    ("another one, and kwargs", "least_squares(fun, one, loss='cauchy', "
     "f_scale=0.1, kwargs={'y': y_out})", SAME),
    ("huber in a box", "least_squares(fun, one, bounds=(0, [1, 3, 2]), "
     "loss='huber', f_scale=0.1, kwargs={'y': y_out})", SAME),
    ("a loss that is a function", "least_squares(fun, one, "
     "loss=lambda z: np.array([z, np.ones_like(z), 0 * z]))",
     r"loss is a function; .*by name"),
    ("a start at an active bound",
     "least_squares(fun, one, bounds=(0, [1, 1, 1]))", SAME),
    ("a bound that holds back", "least_squares(fun, [.1, .2, .9], "
     "bounds=([0, 0, 0], [1, 1, 1]))", SAME),
    ("MINPACK", "least_squares(fun, one, method='lm', x_scale='jac')", SAME),
    ("dogbox with scales", "least_squares(fun, one, method='dogbox', "
     "x_scale=[1, 1, 0.1])", SAME),
    ("all arguments by position", "least_squares(fun, one, '2-point', "
     "(-np.inf, np.inf), 'trf', 1e-8, 1e-8, 1e-6, 1.0, 'linear')",
     SAME),
    ("tolerances", "least_squares(fun, one, xtol=1e-10, gtol=1e-6)", SAME),
    ("no tolerances", "least_squares(fun, one, ftol=None, xtol=None, "
     "gtol=1e-7)", SAME),
    ("the length of differences", "least_squares(fun, one, diff_step=1e-4)",
     Told("diff_step has no effect")),
    ("a sparse Jacobian's structure", "least_squares(broyden, -np.ones(30), "
     "jac_sparsity=sparse.diags([1, 1, 1], [-1, 0, 1], shape=(30, 30)))",
     Told("jac_sparsity has no effect")),
    ("lsmr", "least_squares(fun, one, tr_solver='lsmr', "
     "tr_options={'regularize': False})", Told("tr_solver has no effect")),
    ("a report", "least_squares(fun, one, verbose=2)", SAME),
    ("workers and a callback, of SciPy 1.16", "least_squares(fun, one, "
     "workers=1, callback=lambda intermediate_result: seen.append("
     "intermediate_result.x))", Alike("least_squares(fun, one)")),
    # curve_fit
    ("the documentation's curve", "curve_fit(curve, xdata, ydata)", SAME),
    ("its bounds", "curve_fit(curve, xdata, ydata, bounds=(0, [3., 1., .5]))",
     SAME),
    ("errors that are absolute", "curve_fit(curve, xdata, ydata, p0=one, "
     "sigma=0.2 * np.ones(50), absolute_sigma=True)", SAME),
    ("errors that are relative",
     "curve_fit(curve, xdata, ydata, sigma=0.1 + xdata)", SAME),
    ("their covariance", "curve_fit(curve, xdata, ydata, "
     "sigma=0.04 * np.eye(50) + 0.01, absolute_sigma=True)", SAME),
    ("a budget", "curve_fit(curve, xdata, ydata, p0=one, maxfev=5)",
     r"parameters were not found: 5 of 5 evaluations"),
    ("a budget that is enough", "curve_fit(curve, xdata, ydata, maxfev=5000)",
     SAME),
    ("derivatives", "curve_fit(curve, xdata, ydata, jac=curve_jac)", SAME),
    ("derivatives by position", "curve_fit(curve, xdata, ydata, one, None, "
     "False, True, (-np.inf, np.inf), None, curve_jac)", SAME),
    ("outliers", "curve_fit(curve, xdata, ydata, loss='soft_l1', f_scale=.1, "
     "method='trf')", SAME),
    ("outliers, by another loss", "curve_fit(curve, xdata, ydata, "
     "method='trf', loss='cauchy', f_scale=0.3, bounds=(-9, 9))", SAME),
    ("two variables", "curve_fit(lambda xy, a, b: a * xy[0] + b * xy[1], "
     "(xdata, xdata ** 2), 3 * xdata - 2 * xdata ** 2 + ydata)", SAME),
    ("missing data, of SciPy 1.11", "curve_fit(curve, xdata, holes, "
     "nan_policy='omit')", Alike("curve_fit(curve, xdata[holes == holes], "
                                 "holes[holes == holes])")),
    ("missing data", "curve_fit(curve, xdata, holes)",
     r"ydata must be finite"),
    ("MINPACK's step", "curve_fit(curve, xdata, ydata, epsfcn=1e-8)",
     Told("epsfcn has no effect")),
    ("parameters that cannot be told apart",
     "curve_fit(lambda x, a, b: a * x + 0 * b, xdata, 2 * xdata)",
     Told("covariance of the parameters could not")),
    # minimize
    ("the complex step of a function that casts",
     "minimize(plain, np.zeros(4), jac='cs')",
     r"complex step .*without jac"),
    ("a function that cannot be complex",
     "minimize(lambda x: abs(x - 1).sum() + (x ** 2).sum().real, "
     "np.zeros(4), jac='cs')", r"complex step .*without jac"),
    ("trust-constr with quasi-Newton", "minimize(quad, np.zeros(4), "
     "method='trust-constr', jac='2-point', hess=BFGS())",
     Told("hess is not used")),
    ("bounds with None", "minimize(quad, np.zeros(4), method='L-BFGS-B', "
     "bounds=[(None, .5), (-1, None), (None, None), (5, 6)])", SAME),
    ("a fixed input", "minimize(quad, np.zeros(4), method='L-BFGS-B', "
     "bounds=[(0, 0)] + [(None, None)] * 3)", SAME),
    ("bounds that are zipped", "minimize(quad, np.zeros(4), "
     "bounds=zip([0] * 4, [2] * 4))", SAME),
    ("too few bounds", "minimize(quad, np.zeros(4), bounds=[(0, 1)] * 3)",
     r"3 pairs for 4 numbers; give \(low, high\)"),
    ("bounds the wrong way round", "minimize(quad, np.zeros(4), "
     "bounds=[(1, 0)] * 4)", r"lower bound is 1, its upper bound 0"),
    ("options of BFGS as they are", "minimize(rosen, [1.3, 0.7], "
     "method='BFGS', options={'gtol': 1e-6, 'return_all': False, "
     "'disp': False, 'norm': 2, 'xrtol': 0})", SAME),
    ("options of Nelder-Mead", "minimize(rosen, [1.3, 0.7], "
     "method='Nelder-Mead', options={'maxiter': 1000, 'adaptive': True, "
     "'fatol': 1e-12})", Told("adaptive .*no effect")),
    ("options of trust-ncg", "minimize(rosen, [1.3, 0.7], "
     "method='trust-ncg', jac=rosen_der, hessp=rosen_hess_prod, "
     "options={'initial_trust_radius': 1., 'eta': .15})",
     Told("initial_trust_radius .*no effect")),
    ("L-BFGS-B's step", "minimize(rosen, [1.3, .7], method='L-BFGS-B', "
     "options={'eps': 1e-8, 'maxfun': 15000})", r"does not take eps: "),
    ("an unknown method", "minimize(rosen, [1.3, .7], method='_custom')",
     r"method is '_custom'.*auto"),
    ("a callback with a name of its own", "minimize(rosen, [1.3, .7], "
     "callback=lambda p: seen.append(p[0] + p @ p + len(p.copy())))", SAME),
    ("a callback that returns a number", "minimize(rosen, [1.3, .7], "
     "callback=lambda w: seen.append(w) or np.linalg.norm(w))", SAME),
    ("a list that hears", "minimize(rosen, [1.3, .7], callback=seen.append)",
     SAME),
    ("limits with args", "minimize(bowl, (2, 0), method='SLSQP', "
     "bounds=((0, None), (0, None)), constraints=[{'type': 'ineq', 'fun': "
     "lambda x, c: c - x[0] - x[1], 'args': (2,)}])", SAME),
    ("a LinearConstraint of one side", "minimize(bowl, (2, 0), "
     "constraints=LinearConstraint([1, 1], ub=1))", SAME),
    ("an equation and an inequality", "minimize(bowl, (2, 0), constraints=["
     "{'type': 'eq', 'fun': lambda x: x[0] + x[1] - 1}, "
     "{'type': 'ineq', 'fun': lambda x: x[1] - x[0] ** 2}])", SAME),
    ("a start that is complex", "minimize(quad, [1 + 1j, 2, 3, 4])",
     r"not 'complex'"),
    ("args that are a list", "minimize(lambda x, a: ((x - a[0]) ** 2).sum() "
     "+ a[1], [1., 1], [np.array([2., 3]), 1])", SAME),
    ("a function that forgets to return", "minimize(lambda x: None, [1., 1])",
     r"is a `return` missing"),
]

OURS = lrgd.minimize, lrgd.least_squares, lrgd.curve_fit
THEIRS = (scipy.optimize.minimize, scipy.optimize.least_squares,
          scipy.optimize.curve_fit)
REFUSALS = TypeError, ValueError, RuntimeError


def run(functions, code):
    """What the snippet finds, and the warnings it gives."""
    space = dict(zip(("minimize", "least_squares", "curve_fit"), functions))
    exec(SETUP, space)
    with contextlib.redirect_stdout(io.StringIO()), \
            warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = eval(code, space)
    return found, [str(one.message) for one in told], space["seen"]


class Snippets(Case):
    def test_there_are_forty_and_more(self):
        self.assertGreaterEqual(len(SNIPPETS), 60)
        self.assertEqual(len({name for name, _, _ in SNIPPETS}),
                         len(SNIPPETS))

    def test_each_finds_what_scipy_finds_or_is_refused_in_a_sentence(self):
        for name, code, expected in SNIPPETS:
            with self.subTest(name):
                if isinstance(expected, str):
                    self.refuses(code, expected)
                else:
                    self.agrees(code, expected)

    def agrees(self, code, expected):
        other = expected.code if isinstance(expected, Alike) else code
        theirs, _, _ = run(THEIRS, other)
        ours, told, seen = run(OURS, code)
        if isinstance(expected, Told):
            self.assertRegex("\n".join(told), expected.says)
        else:
            self.assertEqual(told, [])
        self.assertEqual("seen" in code, bool(seen))
        if isinstance(theirs, tuple):
            self.same_curve(theirs, ours)
        else:
            self.same_minimum(theirs, ours)

    def same_minimum(self, theirs, ours):
        self.assertTrue(ours.success, ours.message)
        self.assertLess(abs(ours.x - theirs.x).max(), 2e-3)
        f, g = (one.get("cost", one.fun) for one in (ours, theirs))
        self.assertLess(f, g + 1e-6)

    def same_curve(self, theirs, ours):
        error = np.sqrt(np.diag(theirs[1]))
        if not np.isfinite(error).all():
            self.assertTrue(np.isinf(ours[1]).all())
            return
        self.assertLess((abs(ours[0] - theirs[0]) / error).max(), 1e-2)
        self.assertLess(abs(np.sqrt(np.diag(ours[1])) / error - 1).max(), 1e-2)

    def refuses(self, code, sentence):
        with self.assertRaises(REFUSALS) as caught:
            run(OURS, code)
        said = str(caught.exception)
        self.assertRegex(said, sentence)
        self.assertNotIn("\n", said)
        self.assertLess(len(re.findall(r"\. [A-Z]", said)), 1, said)


class Readings(Case):
    def test_the_complex_step_is_taken_in_worker_processes(self):
        def residuals(x):
            return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])

        fit = lrgd.least_squares(residuals, [2., 2.], jac="cs", jobs=2)
        np.testing.assert_allclose(fit.x, [1, 1], rtol=1e-4)

    def test_two_arrays_at_two_inputs_warn_where_both_can_be_meant(self):
        def f(x):
            return float((x ** 2).sum())
        with self.assertWarnsRegex(UserWarning, "lower and upper.*Bounds"):
            lrgd.minimize(f, [1, 1], bounds=(np.zeros(2), np.ones(2)))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lrgd.minimize(f, [1, 1], bounds=(np.array([0, -1]), np.ones(2)))
            lrgd.minimize(f, [1, 1], bounds=([0, 1], [0, 1]))
            lrgd.minimize(f, [1, 1, 1], bounds=(np.zeros(3), np.ones(3)))

    def test_a_progress_is_its_point_where_an_array_is_used(self):
        told = []
        lrgd.minimize(lambda x: float(((x - 1) ** 2).sum()), np.zeros(3),
                      callback=told.append)
        last = told[-1]
        np.testing.assert_array_equal(last + 1, last.x + 1)
        np.testing.assert_array_equal(list(last), last.x)
        self.assertEqual((len(last), last.shape, last[0]),
                         (3, (3,), last.x[0]))
        with self.assertRaisesRegex(AttributeError, "it has x, fun, best"):
            last.f


if __name__ == "__main__":
    main()
