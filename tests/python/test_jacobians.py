"""lrgd.least_squares with the user's Jacobian, or its products."""
import numpy as np
import scipy.optimize

import lrgd
from common import Case, main
from fitted import (MISRA_X, MISRA_Y, T, Boom, Record, misfit, misra,
                    throw)


def slopes(x):
    """The Jacobian of misfit, by hand."""
    a, b, _ = x
    e = np.exp(-b * T)
    return np.stack([e, -a * T * e, np.ones(T.size)], axis=1)


def difference(f, x, u):
    h = 1e-6
    return (f(x + h * u) - f(x - h * u)) / (2 * h)


class Jacobians(Case):
    def test_the_jacobian_by_hand_is_that_of_the_model(self):
        x = np.array([1.2, 0.8, 0.3])
        for i in range(3):
            np.testing.assert_allclose(
                slopes(x)[:, i], difference(misfit, x, np.eye(3)[i]),
                atol=1e-8)

    def test_a_jacobian_makes_it_levenberg_and_marquardts(self):
        f, J = Record(misfit), Record(slopes)
        fit = lrgd.least_squares(f, [1, 1, 0], J)
        theirs = scipy.optimize.least_squares(misfit, [1, 1, 0], slopes)
        self.assertEqual(fit.phases[0].kind, "levenberg_marquardt")
        self.assertIn("Levenberg-Marquardt", fit.phases[0].text)
        self.assertEqual((fit.outcome, fit.njev, fit.nfev),
                         ("converged", J.calls, f.calls + J.calls))
        self.assertEqual(fit.counts["evaluations"]["values"]["descend"]
                         + fit.counts["evaluations"]["values"]["check"],
                         f.calls)
        self.assertLess(abs(fit.x - theirs.x).max(), 1e-5)
        self.assertLessEqual(J.calls, theirs.njev + 3)
        np.testing.assert_allclose(fit.jac, slopes(fit.x), atol=1e-9)

    def test_units_weights_predictions_and_bounds_reach_the_jacobian(self):
        w = np.linspace(0, 2, T.size)
        units = np.array([4.0, 0.5, 1.0])
        for more in ({}, {"bounds": ([0, 0, 0.2], [3, 3, 3])},
                     {"weights": w}, {"x_scale": units},
                     {"weights": w, "x_scale": units, "predictions": [3]},
                     {"loss": "soft_l1", "f_scale": 0.1}):
            with self.subTest(**more):
                with_J = lrgd.least_squares(misfit, [1, 1, 0.5], slopes,
                                            **more)
                without = lrgd.least_squares(misfit, [1, 1, 0.5], **more)
                products = lrgd.least_squares(
                    misfit, [1, 1, 0.5],
                    jvp=lambda x, u: slopes(x) @ u, **more)
                for fit in (with_J, products):
                    self.assertEqual(fit.outcome, "converged", fit.message)
                    self.assertAlmostEqual(fit.cost, without.cost, 8)
                    self.assertLess(abs(fit.x - without.x).max(), 1e-3)

    def test_products_take_the_place_of_differences(self):
        random = np.random.default_rng(3)
        A, b = random.normal(size=(8, 500)), random.normal(size=8)
        f, d = Record(lambda x: A @ x - b), Record(lambda x: 0)
        asked = []

        def jvp(x, u, factor):
            asked.append(u)
            return factor * (A @ u)
        fit = lrgd.least_squares(lambda x, factor: f(x), np.zeros(500),
                                 jvp=jvp, args=(1.0,))
        kinds = fit.counts["evaluations"]
        self.assertEqual(fit.outcome, "converged")
        self.assertEqual((fit.nfev, sum(kinds["slopes"].values())),
                         (f.calls + len(asked), len(asked)))
        self.assertLess(fit.cost, 1e-10)
        self.assertEqual(d.calls, 0)
        self.assertLessEqual(fit.nfev, 30)

    def test_many_inputs_and_few_residuals_need_no_square_matrix(self):
        random = np.random.default_rng(4)
        A, b = random.normal(size=(6, 20000)), random.normal(size=6)
        fit = lrgd.least_squares(lambda x: A @ x - b, np.zeros(20000),
                                 lambda x: A)
        self.assertEqual((fit.outcome, fit.basis.shape), ("converged",
                                                          (20000, 6)))
        self.assertLessEqual(fit.nfev, 6)

    def test_curve_fit_takes_scipys_jacobian(self):
        def jac(x, a, b):
            return np.stack([1 - np.exp(-b * x),
                             a * x * np.exp(-b * x)], axis=1)
        sigma = np.linspace(0.5, 1.5, MISRA_X.size)
        for scale in (None, sigma, np.diag(sigma ** 2)):
            ours = lrgd.curve_fit(misra_of, MISRA_X, MISRA_Y, [250, 5e-4],
                                  sigma=scale, jac=jac)
            theirs = scipy.optimize.curve_fit(
                misra_of, MISRA_X, MISRA_Y, [250, 5e-4], sigma=scale, jac=jac)
            np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-5)
            np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-3)

    def test_a_matrix_of_scipy_sparse_is_a_jacobian(self):
        import scipy.sparse
        fit = lrgd.least_squares(
            misfit, [1, 1, 0], lambda x: scipy.sparse.csr_matrix(slopes(x)))
        self.assertEqual(fit.outcome, "converged")

    def test_other_methods_have_the_gradient(self):
        f, J = Record(misfit), Record(slopes)
        fit = lrgd.least_squares(f, [1, 1, 1], J, method="quasi-newton")
        self.assertEqual((fit.outcome, fit.njev), ("converged", J.calls))

    def test_an_exception_in_a_jacobian_reaches_the_caller(self):
        with self.assertRaises(Boom) as caught:
            lrgd.least_squares(misfit, [1, 1, 0], lambda x: throw())
        self.assertLessEqual(caught.exception.lrgd_result.nfev, 2)

    def test_workers_and_a_journal_take_the_same_path(self):
        for more in (dict(jac=slopes), dict(jvp=products)):
            alone = lrgd.least_squares(misfit, [1, 1, 0], **more)
            path = self.path(f"{next(iter(more))}.db")
            for where in (dict(jobs=2), dict(timeout=60),
                          dict(journal=path), dict(journal=path, jobs=3)):
                with self.subTest(**more, **where):
                    fit = lrgd.least_squares(misfit, [1, 1, 0], **more,
                                             **where)
                    self.assertEqual(
                        (fit.cost, fit.nfev, fit.njev, fit.counts),
                        (alone.cost, alone.nfev, alone.njev, alone.counts))
                    np.testing.assert_array_equal(fit.jac, alone.jac)

    def test_a_journal_answers_for_the_jacobian_too(self):
        for name, derivative in (("jac", slopes), ("jvp", products)):
            path = self.path(f"{name}.db")
            f, D = Record(misfit), Record(derivative)
            first = lrgd.least_squares(f, [1, 1, 0], journal=path,
                                       **{name: D})
            asked = f.calls, D.calls
            again = lrgd.least_squares(f, [1, 1, 0], journal=path,
                                       **{name: D})
            self.assertEqual((f.calls, D.calls), asked)
            self.assertEqual((again.cost, again.nfev), (first.cost,
                                                        first.nfev))
            self.assertEqual(self.run_lrgd("report", path).returncode, 0)

    def test_a_run_that_was_cut_goes_on_where_it_was(self):
        for name, derivative in (("jac", slopes), ("jvp", products)):
            path = self.path(f"{name}.db")
            whole = lrgd.least_squares(misfit, [1, 1, 0], **{name: derivative})
            for most in (1, 2, 5, 9, None):
                D = Record(derivative)
                fit = lrgd.least_squares(misfit, [1, 1, 0], journal=path,
                                         max_nfev=most, **{name: D})
                self.assertLessEqual(fit.nfev, most or whole.nfev)
            self.assertEqual((fit.cost, fit.nfev), (whole.cost, whole.nfev))

    def test_an_exception_in_a_jacobian_is_not_kept_in_a_journal(self):
        path = self.path("run.db")
        with self.assertRaises(Boom):
            lrgd.least_squares(misfit, [1, 1, 0], lambda x: throw(),
                               journal=path)
        fit = lrgd.least_squares(misfit, [1, 1, 0], slopes, journal=path)
        self.assertEqual(fit.outcome, "converged")
        with self.assertRaisesRegex(ValueError, "jac returned"):
            lrgd.least_squares(misfit, [1, 1, 0], no_numbers, jobs=2)

    def test_unusable_jacobians_are_refused_with_a_message(self):
        for more, error, text in (
                (dict(jac=lambda x: np.ones((2, 2))), ValueError,
                 r"jac returned an array of shape \(2, 2\)"),
                (dict(jac=slopes, jvp=lambda x, u: 0), TypeError, "one of"),
                (dict(jvp=3), TypeError, "jvp is 3"),
                (dict(jvp=lambda x, u: [1.0]), ValueError, "jvp returned"),
                (dict(jac="4-point"), ValueError, "jac is '4-point'")):
            with self.assertRaisesRegex(error, text):
                lrgd.least_squares(misfit, [1, 1, 0], **more)

    def test_a_jacobian_that_contradicts_the_residuals_is_reported(self):
        fit = lrgd.least_squares(misfit, [1, 1, 0],
                                 lambda x: slopes(x) * [1, -1, 1])
        self.assertFalse(fit.success)
        self.assertIn("not that of the residuals", fit.message)


def products(x, u):
    return slopes(x) @ u


def no_numbers(x):
    return None


def misra_of(x, a, b):
    return misra(x, a, b)


if __name__ == "__main__":
    main()
