"""SciPy's ftol and xtol of least_squares and curve_fit."""
import os
import tempfile

import numpy as np

import lrgd
from common import Case, main
from fitted import T, Y, Record, decay, misfit

TIGHT = 1e-14  # a gradient that rounding lets nobody certify
rng = np.random.default_rng(5)
A = rng.normal(size=(4, 100))


def jacobian(x):
    e = np.exp(-x[1] * T)
    return np.stack([e, -x[0] * T * e, np.ones_like(T)], axis=1)


def bent(x):
    s = A @ x
    return np.concatenate([np.sinh(s / 10) - np.arange(4), 0.1 * s])


class Costs:
    """The costs and points of a run's iterations."""

    def __init__(self):
        self.seen = []

    def __call__(self, news):
        lower = not self.seen or news.fun < self.seen[-1][0]
        if np.isfinite(news.fun) and lower:
            self.seen.append((news.fun, news.x))


class Tolerances(Case):
    def test_ftol_ends_at_the_first_step_that_lowers_the_cost_by_less(self):
        for f, x0 in ((misfit, [1, 1, 0.0]), (bent, np.zeros(100))):
            for ftol in (1e-2, 1e-5, 1e-8):
                costs = Costs()
                fit = lrgd.least_squares(f, x0, ftol=ftol, gtol=TIGHT,
                                         callback=costs)
                F = np.array([cost for cost, _ in costs.seen])
                fell = (F[:-1] - F[1:]) / F[:-1]
                self.assertLess(fell[-1], ftol)
                self.assertTrue((fell[:-1] >= ftol).all())
                self.assertEqual((fit.success, fit.status, fit.outcome),
                                 (True, 2, "stalled"))
                self.assertIn("ftol", fit.message)

    def test_xtol_ends_at_the_first_step_that_is_shorter(self):
        for units in (1.0, [4.0, 0.25, 1.0]):
            costs = Costs()
            fit = lrgd.least_squares(misfit, [1, 1, 0.0], xtol=1e-4,
                                     gtol=TIGHT, x_scale=units, callback=costs)
            X = [x for _, x in costs.seen]
            short = [np.linalg.norm(b - a) < 1e-4 * (1e-4 + np.linalg.norm(b))
                     for a, b in zip(X, X[1:])]
            self.assertEqual(short, [False] * (len(short) - 1) + [True])
            self.assertEqual((fit.success, fit.status), (True, 3))
            self.assertIn("xtol", fit.message)

    def test_they_save_evaluations_and_not_accuracy(self):
        f, plain = Record(misfit), Record(misfit)
        lrgd.least_squares(plain, [1, 1, 0.0], gtol=1e-8)
        fit = lrgd.least_squares(f, [1, 1, 0.0], ftol=1e-8, xtol=1e-8,
                                 gtol=1e-8)
        self.assertTrue(fit.success)
        self.assertLess(f.calls, plain.calls)
        self.assertLess(fit.cost, min(plain.costs) * (1 + 1e-8))

    def test_a_run_that_can_lower_the_cost_no_further_meets_ftol(self):
        told = dict(x0=[1, 1, 0.0], gtol=TIGHT, jac=jacobian)
        bare = lrgd.least_squares(misfit, **told)
        self.assertEqual((bare.success, bare.status), (False, -1))
        fit = lrgd.least_squares(misfit, ftol=1e-15, **told)
        self.assertEqual((fit.success, fit.status), (True, 2))
        self.assertEqual(fit.message, bare.message)
        below = lrgd.least_squares(misfit, ftol=1e-17, **told)
        self.assertFalse(below.success)  # rounding would hide such a step

    def test_noise_and_a_wrong_jacobian_are_no_success(self):
        noise = np.random.default_rng(2)
        fit = lrgd.least_squares(
            lambda x: misfit(x) + 1e-4 * noise.normal(size=len(T)),
            [1, 1, 0.0], ftol=1e-8, gtol=TIGHT)
        self.assertFalse(fit.success)
        fit = lrgd.least_squares(misfit, [1, 1, 0.0], ftol=1e-8,
                                 jac=lambda x: -jacobian(x))
        self.assertFalse(fit.success)

    def test_the_callers_callback_is_heard_and_still_stops_the_run(self):
        heard = []
        fit = lrgd.least_squares(misfit, [1, 1, 0.0], ftol=1e-8,
                                 callback=lambda news: len(heard) > 1
                                 or heard.append(news.fun))
        self.assertEqual((fit.outcome, fit.success, len(heard)),
                         ("stopped", False, 2))

    def test_a_journal_resumes_to_the_same_end(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        path = os.path.join(folder, "fit.db")
        first = lrgd.least_squares(misfit, [1, 1, 0.0], ftol=1e-8, gtol=TIGHT,
                                   journal=path)
        f = Record(misfit)
        again = lrgd.least_squares(f, [1, 1, 0.0], ftol=1e-8, gtol=TIGHT,
                                   journal=path)
        self.assertEqual((again.nfev, again.status, again.message),
                         (first.nfev, first.status, first.message))
        self.assertEqual(f.calls, 0)

    def test_curve_fit_takes_them(self):
        *_, message, status = lrgd.curve_fit(
            decay, T, Y, p0=[1, 1, 0.5], ftol=1e-6, gtol=TIGHT,
            full_output=True)
        self.assertEqual(status, 2)
        self.assertIn("ftol", message)

    def test_none_and_zero_are_no_rule_and_others_are_refused(self):
        plain = lrgd.least_squares(misfit, [1, 1, 0.0])
        for none in (None, 0):
            fit = lrgd.least_squares(misfit, [1, 1, 0.0], ftol=none, xtol=none)
            self.assertEqual((fit.nfev, fit.status), (plain.nfev, 1))
        for wrong in (-1, float("nan"), "small", [1e-8]):
            with self.assertRaisesRegex(ValueError, "ftol is .*negative"):
                lrgd.least_squares(misfit, [1, 1, 0.0], ftol=wrong)


if __name__ == "__main__":
    main()
