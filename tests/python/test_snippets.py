"""Snippets written for scipy.optimize.minimize, with lrgd.minimize in its
place: each finds the same minimum, or is refused in a sentence that says what
to do.  None may give another answer without a word.
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
from scipy.optimize import (Bounds, LinearConstraint, NonlinearConstraint, BFGS,
                            rosen, rosen_der, rosen_hess, rosen_hess_prod)
x0 = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
def sphere(x): return ((x - [1, 2]) ** 2).sum()
def shifted(x, a): return ((x - a) ** 2).sum()
def both(x): return rosen(x), rosen_der(x)
def corner(x): return (x[0] - 3) ** 2 + (x[1] - 2.5) ** 2
def turned(x): return (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2
def tutorial(x): return -(2 * x[0] * x[1] + 2 * x[0] - x[0] ** 2
                          - 2 * x[1] ** 2)
def tutorial_der(x): return np.array([-(-2 * x[0] + 2 * x[1] + 2),
                                      -(2 * x[0] - 4 * x[1])])
def disc(x, r): return r ** 2 - x[0] ** 2 - x[1] ** 2
def saddle(x): return x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
def cons_f(x): return [x[0] ** 2 + x[1], x[0] ** 2 - x[1]]
def cons_J(x): return [[2 * x[0], 1], [2 * x[0], -1]]
def cons_H(x, v): return v[0] * np.array([[2, 0], [0, 0]]) + (
    v[1] * np.array([[2, 0], [0, 0]]))
seen = []
"""

# name, the call, and None where the answer is SciPy's; else what is said
SNIPPETS = [
    ("the first lines of the tutorial", "minimize(rosen, x0)", None),
    ("a method by name", "minimize(rosen, x0, method='BFGS')", None),
    ("a method by position", "minimize(rosen, x0, (), 'L-BFGS-B')", None),
    ("Nelder-Mead with its tolerance",
     "minimize(rosen, x0, method='nelder-mead', "
     "options={'fatol': 1e-14, 'xatol': 1e-9})", r"does not take xatol: "),
    ("Nelder-Mead with a budget",
     "minimize(sphere, [0, 0], method='Nelder-Mead', "
     "options={'maxfev': 400})", None),
    ("Nelder-Mead, adaptive", "minimize(sphere, [0, 0], method='Nelder-Mead', "
     "options={'adaptive': True})", None),
    ("Powell", "minimize(sphere, [0., 0.], method='Powell')", None),
    ("CG with jac", "minimize(rosen, x0, method='CG', jac=rosen_der)", None),
    ("BFGS with jac and display", "minimize(rosen, x0, method='BFGS', "
     "jac=rosen_der, options={'disp': True})", None),
    ("fun returns the gradient too",
     "minimize(both, x0, method='BFGS', jac=True)", None),
    ("Newton-CG with a Hessian", "minimize(rosen, x0, method='Newton-CG', "
     "jac=rosen_der, hess=rosen_hess)", None),
    ("Newton-CG with products", "minimize(rosen, x0, method='Newton-CG', "
     "jac=rosen_der, hessp=rosen_hess_prod)", None),
    ("trust-exact", "minimize(rosen, x0, method='trust-exact', "
     "jac=rosen_der, hess=rosen_hess, options={'gtol': 1e-8})", None),
    ("a tolerance", "minimize(rosen, x0, jac=rosen_der, tol=1e-8)", None),
    ("iterations", "minimize(rosen, x0, jac=rosen_der, "
     "options={'maxiter': 500})", None),
    ("ftol and gtol", "minimize(sphere, [0, 0], method='L-BFGS-B', "
     "options={'ftol': 1e-15, 'gtol': 1e-8})", None),
    ("xtol", "minimize(sphere, [0, 0], method='Newton-CG', "
     "jac=lambda x: 2 * (x - [1, 2]), options={'xtol': 1e-8})",
     r"does not take xtol: .*tol .*stop_decrease"),
    ("the step of differences", "minimize(sphere, [0, 0], "
     "options={'eps': 1e-6})", r"does not take eps: .*leave it out"),
    ("all iterates returned", "minimize(sphere, [0, 0], method='BFGS', "
     "options={'return_all': True})", r"return_all: callback hears"),
    ("corrections of L-BFGS", "minimize(rosen, x0, method='L-BFGS-B', "
     "options={'maxcor': 20, 'maxls': 30})", None),
    ("one argument that is no tuple",
     "minimize(shifted, [0., 0.], args=4.0)", None),
    ("arguments", "minimize(shifted, [0., 0.], args=(np.array([1., -2]),))",
     None),
    ("arguments by position", "minimize(shifted, [0., 0.], (2.5,))", None),
    ("a start that is a number", "minimize(lambda x: (x - 2) ** 2, 0.5)",
     None),
    ("a start of integers", "minimize(sphere, [5, 5])", None),
    ("a start that is a matrix",
     "minimize(lambda x: (x ** 2).sum(), np.ones((2, 2)))",
     r"x0 .*must be a vector"),
    ("bounds as pairs of two inputs",
     "minimize(corner, (2, 0), bounds=((0, 1), (0, 2)))", None),
    ("bounds as a list with None",
     "minimize(corner, (2, 0), method='SLSQP', "
     "bounds=[(None, 1), (2.7, None)])", None),
    ("bounds as an object",
     "minimize(corner, (2, 0), bounds=Bounds([0, 0], [2, 2]))", None),
    ("bounds of numbers",
     "minimize(corner, (2, 0), bounds=Bounds(-1, 1.5))", None),
    ("differences of two points", "minimize(rosen, x0, jac='2-point')", None),
    ("differences of three points", "minimize(rosen, x0, jac='3-point')",
     None),
    ("the complex step",
     "minimize(lambda x: ((x - 1) ** 4).sum() + (x ** 2).sum(), x0, "
     "method='BFGS', jac='cs')", None),
    ("jac=False", "minimize(rosen, x0, jac=False)", None),
    ("a callback of the point",
     "minimize(rosen, x0, callback=lambda xk: seen.append(xk[0]))", None),
    ("a callback that keeps copies", "minimize(rosen, x0, "
     "callback=lambda x: seen.append(np.copy(x)))", None),
    ("a linear equation", "minimize(corner, (2, 0), method='trust-constr', "
     "constraints=LinearConstraint([[1, 1]], 1, 1))", None),
    ("a linear equation as a dictionary", "minimize(corner, (2., 0.), "
     "constraints={'type': 'eq', 'fun': lambda x: x[0] + 2 * x[1] - 3})",
     None),
    ("two of them with bounds", "minimize(lambda x: (x ** 2).sum(), "
     "[1., 0.2, 1.5], method='SLSQP', bounds=[(0, 9)] * 3, constraints=("
     "{'type': 'eq', 'fun': lambda x: x[0] + x[1] + x[2] - 3}, "
     "{'type': 'eq', 'fun': lambda x, a: x[0] - a, 'args': (2,)}))", None),
    ("an equation that is not linear", "minimize(corner, (2., 0.), "
     "constraints={'type': 'eq', 'fun': lambda x: x[0] ** 2 + x[1] - 3})",
     None),
    ("the inequalities of the tutorial", "minimize(corner, (2, 0), "
     "method='SLSQP', constraints=({'type': 'ineq', "
     "'fun': lambda x: x[0] - 2 * x[1] + 2},))", None),
    ("a linear inequality", "minimize(corner, (2, 0), "
     "constraints=LinearConstraint([[1, 1]], -np.inf, 1))", None),
    ("a nonlinear constraint", "minimize(corner, (2, 0), "
     "constraints=[NonlinearConstraint(lambda x: x[0] ** 2, 0, 1)])", None),
    ("the documentation's three inequalities with bounds",
     "minimize(turned, (2, 0), method='SLSQP', bounds=((0, None), (0, None)), "
     "constraints=({'type': 'ineq', 'fun': lambda x: x[0] - 2 * x[1] + 2}, "
     "{'type': 'ineq', 'fun': lambda x: -x[0] - 2 * x[1] + 6}, "
     "{'type': 'ineq', 'fun': lambda x: -x[0] + 2 * x[1] + 2}))", None),
    ("the tutorial's constraints with derivatives",
     "minimize(tutorial, [1.5, 2.0], jac=tutorial_der, method='SLSQP', "
     "constraints=({'type': 'eq', "
     "'fun': lambda x: np.array([x[0] ** 3 - x[1]]), "
     "'jac': lambda x: np.array([3.0 * x[0] ** 2, -1.0])}, "
     "{'type': 'ineq', 'fun': lambda x: np.array([x[1] - 1]), "
     "'jac': lambda x: np.array([0.0, 1.0])}), options={'disp': True})", None),
    ("Rosenbrock with trust-constr", "minimize(rosen, [0.5, 0], "
     "method='trust-constr', jac=rosen_der, hess=rosen_hess, "
     "constraints=[LinearConstraint([[1, 2], [2, 1]], [-np.inf, 1], [1, 1]), "
     "NonlinearConstraint(cons_f, -np.inf, 1, jac=cons_J, hess=cons_H)], "
     "options={'verbose': 0}, bounds=Bounds([0, -0.5], [1.0, 2.0]))", None),
    ("Rosenbrock with SLSQP's dictionaries", "minimize(rosen, [0.5, 0], "
     "method='SLSQP', jac=rosen_der, constraints=[{'type': 'ineq', "
     "'fun': lambda x: np.array([1 - x[0] - 2 * x[1], 1 - x[0] ** 2 - x[1], "
     "1 - x[0] ** 2 + x[1]])}, {'type': 'eq', "
     "'fun': lambda x: np.array([2 * x[0] + x[1] - 1])}], "
     "options={'ftol': 1e-9}, bounds=Bounds([0, -0.5], [1.0, 2.0]))", None),
    ("a disc with args", "minimize(corner, (0.5, 0.5), method='SLSQP', "
     "constraints={'type': 'ineq', 'fun': disc, 'args': (2.0,)})", None),
    ("COBYLA", "minimize(corner, (0.5, 0.5), method='COBYLA', "
     "constraints=[{'type': 'ineq', 'fun': lambda x: disc(x, 2)}], "
     "tol=1e-6, options={'rhobeg': 0.5, 'maxiter': 900, 'catol': 1e-8})", None),
    ("a ring", "minimize(lambda x: x[0] + x[1], (1.5, 0.5), "
     "constraints=NonlinearConstraint(lambda x: x[0] ** 2 + x[1] ** 2, 1, 2))",
     None),
    ("an equation as a NonlinearConstraint",
     "minimize(lambda x: (x ** 2).sum(), (2., 1., 1.), constraints="
     "NonlinearConstraint(lambda x: x[0] * x[1] * x[2], 8, 8))", None),
    ("a vector of limits", "minimize(lambda x: (x ** 2).sum(), [3., 3., 3.], "
     "method='SLSQP', constraints=NonlinearConstraint("
     "lambda x: [x[0] * x[1], x[1] * x[2]], [1, 4], [np.inf, np.inf]))", None),
    ("Hock and Schittkowski's 71", "minimize(saddle, [1., 5., 5., 1.], "
     "method='SLSQP', bounds=[(1, 5)] * 4, constraints=["
     "{'type': 'ineq', 'fun': lambda x: np.prod(x) - 25}, "
     "{'type': 'eq', 'fun': lambda x: (x ** 2).sum() - 40}])", None),
    ("a budget with constraints", "minimize(corner, (0.5, 0.5), "
     "method='SLSQP', options={'maxiter': 200, 'ftol': 1e-10}, "
     "constraints={'type': 'ineq', 'fun': lambda x: 1 - x.sum()})", None),
    ("fun returns the gradient too, with a constraint",
     "minimize(lambda x: (corner(x), np.array([2 * (x[0] - 3), "
     "2 * (x[1] - 2.5)])), (0.5, 0.5), jac=True, method='SLSQP', "
     "constraints={'type': 'ineq', 'fun': lambda x: 4 - x[0] * x[1]})", None),
    ("a portfolio", "minimize(lambda w: w @ np.diag([4., 2., 1.]) @ w, "
     "np.full(3, 1 / 3), method='SLSQP', bounds=((0, 1),) * 3, constraints=("
     "{'type': 'eq', 'fun': lambda w: w.sum() - 1}, "
     "{'type': 'ineq', 'fun': lambda w: w @ [0.12, 0.08, 0.05] - 0.09}))",
     None),
    ("a constraint that a callback watches", "minimize(corner, (0.5, 0.5), "
     "method='SLSQP', callback=lambda xk: seen.append(xk), "
     "constraints={'type': 'ineq', 'fun': lambda x: disc(x, 1)})", None),
    ("keep_feasible of a linear one", "minimize(corner, (0, 0), "
     "method='trust-constr', constraints=LinearConstraint([[1, 1]], -np.inf, "
     "1, keep_feasible=True))", None),
    ("a sparse LinearConstraint", "minimize(corner, (0, 0), "
     "method='trust-constr', constraints=[LinearConstraint("
     "__import__('scipy.sparse').sparse.csr_matrix([[1., 2.], [1., 0.]]), "
     "[-np.inf, 0], [2, 1])])", None),
    ("an inequality with no function", "minimize(corner, (2, 0), "
     "constraints={'type': 'ineq', 'fun': None})",
     r"fun of a constraint is None"),
    ("a type that is neither", "minimize(corner, (2, 0), "
     "constraints={'type': 'leq', 'fun': lambda x: x[0]})",
     r"must be 'eq' .*or 'ineq'"),
    ("keep_feasible of a function", "minimize(corner, (2, 0), "
     "constraints=NonlinearConstraint(lambda x: x[0], 0, 1, "
     "keep_feasible=True))", r"leave keep_feasible out, and return NaN"),
    ("no constraints", "minimize(rosen, x0, constraints=())", None),
    ("a method that is a function",
     "minimize(sphere, [0, 0], method=lambda fun, x0, args, **o: fun(x0))",
     r"method is a function; .*by name: auto"),
]

REFUSALS = (TypeError, ValueError)


def run(minimize, code):
    space = dict(minimize=minimize)
    exec(SETUP, space)
    with contextlib.redirect_stdout(io.StringIO()):
        return eval(code, space), space


class Snippets(Case):
    def test_the_list_has_sixty_calls_or_more(self):
        self.assertGreaterEqual(len(SNIPPETS), 60)
        limited = [code for _, code, _ in SNIPPETS if "onstraint" in code]
        self.assertGreaterEqual(len(limited), 22)
        self.assertEqual(len({name for name, _, _ in SNIPPETS}),
                         len(SNIPPETS))

    def test_each_call_gives_scipys_result_or_is_refused_with_a_message(self):
        for name, code, refusal in SNIPPETS:
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                if refusal is None:
                    self.agrees(code)
                else:
                    self.refuses(code, refusal)

    def agrees(self, code):
        theirs, _ = run(scipy.optimize.minimize, code)
        ours, space = run(lrgd.minimize, code)
        self.assertTrue(ours.success, ours.message)
        self.assertLess(abs(ours.x - theirs.x).max(), 2e-3)
        self.assertLess(ours.fun, theirs.fun + 1e-6)
        self.assertEqual("seen" in code, bool(space["seen"]))
        if "onstraint" in code and "constraints=()" not in code:
            self.assertLess(ours.constr_violation, 1e-5)

    def refuses(self, code, sentence):
        with self.assertRaises(REFUSALS) as caught:
            run(lrgd.minimize, code)
        said = str(caught.exception)
        self.assertRegex(said, sentence)
        self.assertNotIn("\n", said)
        self.assertLess(len(re.findall(r"\. [A-Z]", said)), 1, said)


class Manners(Case):
    def test_callbacks_get_what_scipy_gives_by_the_names_of_arguments(self):
        told = {}

        def of_point(xk):
            told["xk"] = xk

        def by_name(intermediate_result):
            told["news"] = intermediate_result

        def of_two(xk, state):
            told["two"] = (xk, state)

        def ours(progress):
            told["ours"] = progress
        for hear in (of_point, by_name, of_two, ours):
            lrgd.minimize(lambda x: (x ** 2).sum(), [1.0, 2.0], callback=hear)
        self.assertIsInstance(told["xk"], np.ndarray)
        self.assertLess(told["news"].fun, 1e-9)
        self.assertLess(abs(told["news"].x).max(), 1e-4)
        self.assertLess(abs(told["two"][0]).max(), 1e-4)
        self.assertIsInstance(told["ours"], lrgd.Progress)
        np.testing.assert_array_equal(np.asarray(told["ours"]),
                                      told["ours"].x)

    def test_progress_is_one_short_line_when_printed(self):
        told = []
        lrgd.minimize(lambda x: (x ** 2).sum(), np.ones(300),
                      callback=lambda news: told.append(repr(news)))
        self.assertRegex(told[-1], r"^<lrgd.Progress: iteration \d+, \d+ "
                         r"evaluations, f \S+, best \S+, .*>$")
        self.assertLess(max(map(len, told)), 130)

    def test_jac_is_the_gradient_at_x_where_it_was_given(self):
        f = scipy.optimize.rosen
        g = scipy.optimize.rosen_der
        result = lrgd.minimize(f, np.full(6, 0.5), jac=g)
        np.testing.assert_array_equal(result.jac, g(result.x))
        plain = lrgd.minimize(f, np.full(6, 0.5))
        self.assertNotIn("jac", plain)
        with self.assertRaisesRegex(AttributeError, "approx_fprime"):
            plain.jac
        with self.assertRaisesRegex(AttributeError, "directions of basis"):
            plain.hess_inv

    def test_aliases_mean_the_same_and_are_not_given_twice(self):
        def f(x):
            return float((x ** 4).sum())
        x0 = np.ones(5)
        self.assertEqual(lrgd.minimize(f, x0, maxfev=9).nfev, 9)
        self.assertEqual(lrgd.minimize(f, x0, maxiter=2).nit, 2)
        slow = lrgd.minimize(f, x0, ftol=0.05)
        self.assertEqual(slow.stall_reason, "slow")
        self.assertEqual(lrgd.minimize(f, x0, stop_decrease=0.05).nfev,
                         slow.nfev)
        with self.assertRaisesRegex(TypeError, "two names for max_evals"):
            lrgd.minimize(f, x0, max_evals=9, options={"maxfev": 8})
        with self.assertRaisesRegex(TypeError, "did you mean maxiter"):
            lrgd.minimize(f, x0, maxitr=3)
        with self.assertRaisesRegex(TypeError, "workers is a function"):
            lrgd.minimize(f, x0, workers=map)

    def test_tuning_and_hessians_are_reported_to_have_no_effect(self):
        def f(x):
            return float((x ** 2).sum())
        with self.assertWarnsRegex(UserWarning, "maxcor .*no effect"):
            lrgd.minimize(f, [1.0], options={"maxcor": 5})
        with self.assertWarnsRegex(UserWarning, "hess is not used") as caught:
            lrgd.minimize(f, [1.0], hess=lambda x: np.eye(1))
        self.assertEqual(caught.filename, __file__)


if __name__ == "__main__":
    main()
