"""Fits of data: askers, batches, uncertainty, prior information, losses."""
import warnings

import numpy as np
import scipy.optimize

import lrgd
from common import Case, main
from fitted import (T, TRUE, MISRA_X, MISRA_Y, MISRA, MISRA_DEVIATION, decay,
                    misra, noisy, Y, misfit, Record, Boom, throw, interrupt)


def bent(x, shift=0):
    """At the top of a module: worker processes load it."""
    return x + 0.05 * x ** 2 - np.arange(x.size) % 5 + shift


def bent_rows(X, shift=0):
    return np.array([bent(x, shift) for x in X])


class Many(Case):
    """Several points at once: by worker processes, or by one call."""

    def same(self, one, other):
        self.assertEqual((one.nfev, one.cost, one.message),
                         (other.nfev, other.cost, other.message))
        for name in ("x", "fun", "jac", "grad"):
            self.assertTrue(np.array_equal(one[name], other[name]), name)

    def test_jobs_change_nothing_but_the_time(self):
        how = dict(bounds=(-1, 9), args=(0.5,), weights=np.arange(1, 21))
        alone = lrgd.least_squares(bent, np.zeros(20), **how)
        self.same(lrgd.least_squares(bent, np.zeros(20), jobs=3, **how), alone)
        self.same(lrgd.least_squares(bent, np.zeros(20), jobs=2, x_scale=4,
                                     **how),
                  lrgd.least_squares(bent, np.zeros(20), x_scale=4, **how))

    def test_a_batch_answers_what_comes_together(self):
        sizes = []

        def rows(X, shift):
            sizes.append(len(X))
            return bent_rows(X, shift)
        how = dict(bounds=(-1, 9), kwargs=dict(shift=0.25))
        alone = lrgd.least_squares(bent, np.zeros(20), **how)
        self.same(lrgd.least_squares(rows, np.zeros(20), batch=True, **how),
                  alone)
        self.assertGreater(max(sizes), 10)
        self.assertEqual(sum(sizes), alone.nfev)
        self.same(lrgd.least_squares(None, np.zeros(20), batch=rows, **how),
                  alone)
        with self.assertRaisesRegex(ValueError, "returned 1 rows for"):
            lrgd.least_squares(lambda X: [bent(X[0])], np.zeros(20),
                               bounds=(-1, 9), batch=True)

    def test_journals_of_workers_are_those_of_one_process(self):
        path = self.path("jobs.db")
        lrgd.least_squares(bent, np.zeros(20), bounds=(-1, 9), jobs=3,
                           journal=path, max_nfev=11)
        counted = Record(bent)
        whole = lrgd.least_squares(counted, np.zeros(20), bounds=(-1, 9),
                                   journal=path)
        self.same(whole, lrgd.least_squares(bent, np.zeros(20),
                                            bounds=(-1, 9)))
        self.assertEqual(counted.calls, whole.nfev - 11)
        self.same(lrgd.least_squares(bent, np.zeros(20), bounds=(-1, 9),
                                     jobs=2, journal=path), whole)

    def test_an_exception_in_a_worker_reaches_the_caller(self):
        with self.assertRaisesRegex(TypeError, "did not contain a loop"):
            lrgd.least_squares(bent, np.zeros(4), jobs=2, args=("a",))
        with self.assertRaisesRegex(ValueError, "3 weights were given"):
            lrgd.least_squares(bent, np.zeros(4), jobs=2, weights=[1, 2, 3])


class Askers(Case):
    def test_residuals_are_told_as_vectors(self):
        run = lrgd.Asker(np.array([1.0, 1, 0]), kind="residuals")
        asked = []
        for question in run:
            self.assertEqual(question.kind, "residuals")
            self.assertEqual(question.points.shape, (1, 3))
            asked.append(question.points[0])
            question.tell(misfit(question.points[0]))
        direct = lrgd.least_squares(misfit, [1, 1, 0])
        self.assertTrue(np.array_equal(run.result.x, direct.x))
        self.assertEqual(run.result.nfev, direct.nfev)
        self.assertEqual(len(asked), direct.nfev)
        self.assertTrue(np.allclose(run.result.fun, direct.fun))
        self.assertTrue(np.allclose(run.result.standard_deviation,
                                    direct.standard_deviation))
        run.close()

    def test_another_number_is_refused_and_nan_is_a_failure(self):
        with lrgd.Asker([1.0, 1, 0], kind="residuals",
                        bounds=(0, 10)) as run:
            run.ask().tell(misfit(run.ask().points[0]))
            with self.assertRaisesRegex(ValueError, "2 residuals were told"):
                run.ask().tell([1, 2])
            before = run.ask().points
            run.ask().tell(np.nan)
            self.assertFalse(np.array_equal(run.ask().points, before))
        with self.assertRaises(ValueError):
            lrgd.Asker([1.0], kind="residuals", samples=[[1.0]])


class Predictions(Case):
    def test_a_prediction_is_as_uncertain_as_the_regression_says(self):
        t = np.array([0.0, 1, 2, 3, 10])
        y = np.array([1.1, 2.9, 5.2, 6.8, 0])
        fit = lrgd.least_squares(lambda x: x[0] + x[1] * t - y, [0, 0],
                                 predictions=[4])
        self.assertEqual(fit.observations, 4)
        self.assertEqual(fit.fun[4], 0)
        u = fit.uncertainty()
        one, = u.predictions
        self.assertEqual(one.number, 4)
        self.assertAlmostEqual(one.value, fit.x[0] + 10 * fit.x[1], 8)
        s2 = 2 * fit.cost / 2
        self.assertAlmostEqual(u.variance, s2, 9)
        self.assertAlmostEqual(one.deviation, np.sqrt(s2 * 14.7), 6)
        self.assertTrue(np.isinf(one.prior))
        before, after = u.predict([1, 10])
        self.assertAlmostEqual(after[0], one.deviation, 6)
        with_prior = fit.uncertainty(prior=[0.1, 0.1], absolute=True)
        self.assertAlmostEqual(with_prior.predictions[0].prior,
                               0.1 * np.sqrt(101), 5)
        self.assertTrue((with_prior.deviation < 0.1).all())
        _, alone = u.predict([0, 1], [1, 0, 0, 1, 0])
        self.assertAlmostEqual(alone[0], np.sqrt(2 * s2 / 9), 6)
        with self.assertRaisesRegex(ValueError, "factors has shape"):
            u.predict([0, 1], [1, 2])
        with self.assertRaisesRegex(ValueError, "prior has shape"):
            fit.uncertainty(prior=[1, 2, 3])

    def test_scales_do_not_change_the_uncertainty_of_a_prediction(self):
        t = np.linspace(0, 1, 8)

        def fun(x):
            return np.append(x[0] * t + x[1] / 1000 - t ** 2, x[0])
        plain = lrgd.least_squares(fun, [0, 0], predictions=[8])
        scaled = lrgd.least_squares(fun, [0, 0], predictions=[8],
                                    x_scale=[1, 1024])
        for name in ("deviation",):
            self.assertTrue(np.allclose(
                getattr(plain.uncertainty([1, 1000]), name),
                getattr(scaled.uncertainty([1, 1000]), name), rtol=1e-4))
        self.assertAlmostEqual(
            plain.uncertainty([1, 1000]).predictions[0].deviation,
            scaled.uncertainty([1, 1000]).predictions[0].deviation, 5)


class Uncertainty(Case):
    def test_deviations_are_scipys_where_the_basis_is_all_of_space(self):
        fit = lrgd.least_squares(misfit, [1, 1, 0])
        _, theirs = scipy.optimize.curve_fit(decay, T, Y, [1, 1, 0])
        self.assertEqual(fit.basis.shape, (3, 3))
        self.assertLess(abs(fit.covariance() / theirs - 1).max(), 1e-3)
        self.assertTrue(np.allclose(fit.standard_deviation ** 2,
                                    np.diag(fit.covariance())))
        self.assertTrue(np.allclose(fit.covariance(absolute=True)
                                    * fit.variance, fit.covariance()))
        self.assertAlmostEqual(fit.variance, 2 * fit.cost / 37)
        self.assertTrue(np.allclose(fit.identifiability, 1))
        self.assertTrue(np.allclose(fit.singular_values, np.linalg.svd(
            fit.jac, compute_uv=False)))
        self.assertAlmostEqual(fit.condition, np.linalg.cond(fit.jac))

    def test_intervals_cover_the_truth_as_often_as_they_say(self):
        quantile = 2.026  # of Student's t, 37 degrees of freedom, 95 %
        hits = np.zeros(3)
        for seed in range(500):
            y = noisy(seed)
            fit = lrgd.least_squares(lambda x: decay(T, *x) - y, [1, 1, 1])
            hits += abs(fit.x - TRUE) < quantile * fit.standard_deviation
        self.assertLess(abs(hits / 500 - 0.95).max(), 0.03)

    def test_an_input_without_influence_is_reported_as_undetermined(self):
        def f(x):
            return misfit(x[:3]) + 0 * x[3]
        fit = lrgd.least_squares(f, [1, 1, 0, 1])
        if fit.basis.shape[1] < 4:
            self.skipTest("fewer directions were enough")
        self.assertEqual(fit.supported, 3)
        self.assertTrue(np.allclose(fit.identifiability, [1, 1, 1, 0],
                                    atol=1e-6))
        self.assertFalse(fit.determined)
        self.assertTrue(np.isinf(fit.standard_deviation).all())
        self.assertTrue(np.isinf(fit.covariance()).all())

    def test_uncertainty_is_infinite_outside_the_basis(self):
        random = np.random.default_rng(4)
        A = random.normal(size=(5, 300))
        B = random.normal(size=(20, 5))
        noise = 0.1 * random.normal(size=20)
        fit = lrgd.least_squares(lambda x: B @ (A @ x - 1) - noise,
                                 np.zeros(300))
        self.assertLess(fit.basis.shape[1], 300)
        self.assertEqual(fit.supported, 5)
        self.assertIsNone(fit.jac)
        self.assertTrue(np.isinf(fit.standard_deviation).all())
        self.assertFalse(fit.determined)
        self.assertIsNone(fit.identifiability)
        W = fit.combinations
        self.assertTrue(np.allclose(W.T @ W, np.eye(5)))
        # along a combination the data say so much, and no more
        J = B @ A @ W
        self.assertTrue(np.allclose(np.linalg.svd(J, compute_uv=False),
                                    fit.singular_values[:5], rtol=1e-5))
        self.assertTrue(np.allclose(
            fit.combination_deviation,
            np.sqrt(fit.variance) / fit.singular_values[:5]))

    def test_the_jacobian_can_be_completed(self):
        random = np.random.default_rng(4)
        A, scale = random.normal(size=(5, 80)), np.linspace(1, 9, 80)
        f = Record(lambda x: np.append(A @ x - 1, x[7] - 2))
        plain = lrgd.least_squares(f.f, np.zeros(80), x_scale=scale)
        fit = lrgd.least_squares(f, np.zeros(80), x_scale=scale, complete=True)
        self.assertLess(plain.basis.shape[1], 80)
        self.assertEqual(fit.nfev, f.calls)
        self.assertEqual(fit.nfev, plain.nfev + 80 - plain.basis.shape[1])
        self.assertEqual(sum(fit.counts["evaluations"]["values"].values()),
                         f.calls)
        self.assertTrue(np.array_equal(fit.x, plain.x))
        self.assertTrue(np.allclose(fit.basis.T @ fit.basis, np.eye(80)))
        wanted = np.vstack([A, np.eye(80)[7]])
        self.assertLess(abs(fit.jac - wanted).max(), 1e-5)
        # the squared projections of the axes on the rows, in their units
        Q = np.linalg.qr((wanted * fit.units).T)[0]
        self.assertLess(abs(fit.identifiability - (Q ** 2).sum(axis=1)).max(),
                        1e-4)
        self.assertGreater(fit.identifiability[7], 0.999)
        self.assertEqual(fit.supported, 6)

    def test_a_completed_fit_keeps_its_budget_and_its_callback(self):
        A = np.random.default_rng(4).normal(size=(5, 80))

        def f(x):
            return A @ x - 1
        n = lrgd.least_squares(f, np.zeros(80)).nfev

        def fit(*how, **more):
            self.f = Record(f, *how)
            return lrgd.least_squares(self.f, np.zeros(80), complete=True,
                                      **more)
        self.assertEqual((fit(max_nfev=n + 9).jac, self.f.calls), (None, n))
        self.assertEqual((fit(n + 2, interrupt).nfev, self.f.calls),
                         (n + 2, n + 2))
        with self.assertRaises(Boom) as raised:
            fit(n + 3, throw)
        self.assertEqual(raised.exception.lrgd_result.nfev, n + 3)

        def walled(x):  # on one side
            return A @ x - 1 if sided.calls <= n or sided.calls % 2 else np.nan
        sided = Record(walled)
        found = lrgd.least_squares(sided, np.zeros(80), complete=True)
        self.assertEqual(found.nfev, sided.calls)
        self.assertLess(abs(found.jac - A).max(), 1e-5)

    def test_with_no_more_data_than_unknowns_there_is_no_variance(self):
        fit = lrgd.least_squares(lambda x: np.exp(x) - [1.5, 2, 3],
                                 np.zeros(3), max_nfev=200)
        self.assertEqual(fit.variance, np.inf)
        self.assertTrue(np.isinf(fit.covariance()).all())
        self.assertTrue(np.isfinite(fit.covariance(absolute=True)).all())


class Curves(Case):
    def test_curve_fit_returns_what_scipys_does(self):
        sigma = np.linspace(0.04, 0.06, T.size)
        full = np.diag(sigma ** 2) + 2e-4
        for more in (dict(), dict(sigma=sigma),
                     dict(sigma=sigma, absolute_sigma=True),
                     dict(sigma=full, absolute_sigma=True),
                     dict(bounds=([0, 0, 0], [5, 5, 5]))):
            popt, pcov = lrgd.curve_fit(decay, T, Y, [1, 1, 0.1], **more)
            slow, same = lrgd.curve_fit(decay, T, Y, [1, 1, 0.1],
                                        method="quasi-newton", **more)
            self.assertLess(abs(slow - popt).max(), 1e-4)
            self.assertLess(abs(pcov / same - 1).max(), 2e-3)
            theirs = scipy.optimize.curve_fit(decay, T, Y, [1, 1, 0.1], **more)
            deviations = np.sqrt(np.diag(theirs[1]))
            self.assertLess((abs(popt - theirs[0]) / deviations).max(), 1e-3)
            self.assertLess(abs(pcov / theirs[1] - 1).max(), 2e-3)

    def test_nists_values_are_found_from_both_starts(self):
        for start in ([500, 1e-4], [250, 5e-4]):
            popt, pcov = lrgd.curve_fit(misra, MISRA_X, MISRA_Y, start)
            self.assertLess(abs(popt / MISRA - 1).max(), 1e-6)
            self.assertLess(abs(np.sqrt(np.diag(pcov)) / MISRA_DEVIATION
                                - 1).max(), 1e-4)

    def test_the_number_of_parameters_may_come_from_the_signature(self):
        popt, _ = lrgd.curve_fit(decay, T, Y)
        self.assertLess(abs(popt - TRUE).max(), 0.2)
        box = ([0, 0, 0], [5, np.inf, 2])
        popt, _ = lrgd.curve_fit(decay, T, Y, bounds=box)
        self.assertLess(abs(popt - TRUE).max(), 0.2)
        with self.assertRaisesRegex(ValueError, "give p0"):
            lrgd.curve_fit(lambda *all_of_them: 0, T, Y)

    def test_every_call_is_reported(self):
        for how in (dict(), dict(bounds=([0, 0, 0], [5, 5, 5])),
                    dict(method="quasi-newton")):
            calls = []

            def f(t, *b):
                calls.append(b)
                return decay(t, *b)
            popt, _, told, message, status = lrgd.curve_fit(
                f, T, Y, [1, 1, 0.1], full_output=True, **how)
            self.assertEqual(told["nfev"], len(calls))
            self.assertTrue(np.array_equal(told["fvec"], decay(T, *popt) - Y))
            self.assertEqual((message, status), (told["result"].message,
                                                 told["result"].status))

    def test_what_is_not_determined_is_warned_of(self):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            _, pcov = lrgd.curve_fit(lambda t, a, b, c, d: decay(t, a, b, c),
                                     T, Y, [1, 1, 0.1, 1])
        self.assertTrue(np.isinf(pcov).all())
        self.assertIn("could not be estimated", str(heard[0].message))
        self.assertEqual(heard[0].filename, __file__)

    def test_a_run_that_was_cut_off_is_an_error(self):
        with self.assertRaisesRegex(RuntimeError, "not found") as raised:
            lrgd.curve_fit(decay, T, Y, [1, 1, 0.1], maxfev=4)
        self.assertEqual(raised.exception.lrgd_result.nfev, 4)

    def test_data_that_do_not_go_together_are_refused(self):
        gap = np.append(Y[1:], np.nan)
        for x, y, more, said in (
                (T, Y[:7], dict(), "f returned 40 numbers; ydata has 7"),
                (T, gap, dict(), "ydata must be finite"),
                (gap, Y, dict(), "xdata must be finite"),
                (T, [], dict(), "ydata is empty"),
                (T, Y, dict(sigma=[1, 2]), "sigma has shape (2,)"),
                (T, Y, dict(sigma=0), "sigma must be positive"),
                (T, Y, dict(sigma=-np.eye(40)), "positive definite")):
            with self.assertRaises(ValueError) as raised:
                lrgd.curve_fit(decay, x, y, [1, 1, 0.1], **more)
            self.assertIn(said, str(raised.exception))


class Prior(Case):
    """Linear equations beside the residuals."""

    def rough(self, p=12):
        rng = np.random.default_rng(5)
        A = rng.normal(size=(6, p))
        D = np.diff(np.eye(p), axis=0)
        return A, D, (lambda x: A @ x + 0.1 * np.sin(A @ x) - 1)

    def test_prior_equations_give_what_scipy_finds_with_rows_appended(self):
        A, D, fun = self.rough()
        w = np.linspace(0.1, 1, len(D))
        for scale in (1.0, 4.0):
            ours = lrgd.least_squares(fun, np.ones(12), prior=(D, 0.2, w),
                                      x_scale=scale)
            theirs = scipy.optimize.least_squares(
                lambda x: np.concatenate([fun(x), w * (D @ x - 0.2)]),
                np.ones(12), xtol=1e-14, ftol=1e-14, gtol=1e-14)
            self.assertAlmostEqual(ours.cost, theirs.cost, delta=1e-9)
            self.assertEqual(ours.fun.size, 6 + 11)
            self.assertAlmostEqual(ours.cost, 0.5 * ours.fun @ ours.fun, 12)
            np.testing.assert_allclose(ours.fun[6:], w * (D @ ours.x - 0.2),
                                       atol=1e-13)
            self.assertEqual(ours.jac.shape, (17, 12))
            np.testing.assert_allclose(ours.jac[6:], w[:, None] * D,
                                       atol=1e-12)

    def test_sparse_rows_are_the_same_rows(self):
        import scipy.sparse
        A, D, fun = self.rough()
        dense = lrgd.least_squares(fun, np.ones(12), prior=(D, 0))
        for kind in (scipy.sparse.csr_matrix, scipy.sparse.coo_matrix):
            sparse = lrgd.least_squares(fun, np.ones(12), prior=(kind(D), 0))
            np.testing.assert_array_equal(sparse.x, dense.x)

    def test_completing_a_jacobian_includes_prior_rows(self):
        A, D, fun = self.rough(40)
        done = lrgd.least_squares(fun, np.ones(40), prior=(0.01 * D, 0),
                                  tol=1e3, complete=True)
        self.assertEqual(done.jac.shape, (6 + 39, 40))
        np.testing.assert_allclose(done.jac[6:], 0.01 * D, atol=1e-8)

    def test_malformed_prior_information_is_refused(self):
        fun, x = (lambda x: x), np.zeros(3)
        for prior, says in (((np.eye(2), 0), "shape"), (np.eye(3), "prior"),
                            ((np.eye(3), [1, 2]), "b has shape"),
                            ((np.eye(3), 0, [1, 2]), "weights"),
                            ((np.eye(3), 0, -1), "weight")):
            with self.assertRaisesRegex(ValueError, says):
                lrgd.least_squares(fun, x, prior=prior)


class Correlated(Case):
    """Directions that are drawn as inputs are correlated."""

    def setUp(self):
        super().setUp()
        self.t = np.linspace(0, 1, 150)
        rng = np.random.default_rng(2)
        blur = np.exp(-np.abs(self.t[:, None] - rng.random(20)) / 0.1).T
        truth = np.sin(5 * self.t) + self.t
        self.fun = lambda x: np.tanh(blur @ (x - truth) / 30)
        self.start = np.zeros(150)

    def evaluations(self, **more):
        counts = []
        for seed in range(1, 6):
            record = Record(self.fun)
            lrgd.least_squares(record, self.start, seed=seed, max_nfev=150,
                               **more)
            first = record.costs[0]
            counts.append(next((i for i, c in enumerate(record.costs)
                                if c < 1e-3 * first), 150))
        return sorted(counts)[2]

    def test_smooth_truth_is_found_with_fewer_evaluations(self):
        C = np.exp(-np.abs(self.t[:, None] - self.t) / 0.3)
        root = np.linalg.cholesky(C)
        plain = self.evaluations()
        self.assertLess(self.evaluations(correlated=(self.t, 0.3)), plain)
        self.assertLess(self.evaluations(correlated=lambda v: root @ v), plain)

    def test_an_exception_in_the_operator_reaches_the_caller(self):
        def wrong(v):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            lrgd.least_squares(self.fun, self.start, correlated=wrong)

    def test_what_are_no_coordinates_is_refused(self):
        for wrong, says in (((self.t[1:], 1), "shape"), (self.t, "correlated"),
                            ((self.t, 0), "length")):
            with self.assertRaisesRegex(ValueError, says):
                lrgd.least_squares(self.fun, self.start, correlated=wrong)


class Losses(Case):
    """Residuals that are far off count less."""

    LOSSES = ("linear", "huber", "soft_l1", "cauchy", "arctan")

    def test_minima_and_costs_are_scipys(self):
        rng = np.random.default_rng(0)
        y = Y.copy()
        y[::7] += 3 * rng.random(6)

        def fun(x):
            return decay(T, *x) - y
        for loss in self.LOSSES:
            for scale in (0.1, 1.0):
                ours = lrgd.least_squares(fun, np.ones(3), loss=loss,
                                          f_scale=scale)
                theirs = scipy.optimize.least_squares(
                    fun, np.ones(3), loss=loss, f_scale=scale, xtol=1e-12,
                    ftol=1e-12, gtol=1e-12)
                self.assertEqual(ours.outcome, "converged")
                self.assertAlmostEqual(ours.cost / theirs.cost, 1, 7)
                np.testing.assert_allclose(ours.x, theirs.x, atol=1e-4)
                np.testing.assert_allclose(ours.fun, fun(ours.x), atol=1e-14)
                self.assertLess(abs(ours.grad).max(), 1e-5)

    def test_outliers_do_not_bend_a_linear_model_of_low_rank(self):
        rng = np.random.default_rng(1)
        A = rng.normal(size=(60, 5)) @ rng.normal(size=(5, 200))
        truth = rng.normal(size=200)
        b = A @ truth
        b[::10] += 100
        for loss in ("huber", "soft_l1", "cauchy"):
            fit = lrgd.least_squares(lambda x: A @ x - b, np.zeros(200),
                                     loss=loss, f_scale=0.1)
            self.assertLess(fit.nfev, 100)
            self.assertLess(np.median(abs(fit.fun)), 0.1)

    def test_bounds_hold_with_losses(self):
        low, high = np.array([0, 0, 0.8]), np.array([2.2, 5, 2])
        ours = lrgd.least_squares(misfit, np.ones(3), bounds=(low, high),
                                  loss="soft_l1", f_scale=0.1)
        theirs = scipy.optimize.least_squares(
            misfit, np.ones(3), bounds=(low, high), loss="soft_l1",
            f_scale=0.1, xtol=1e-12, ftol=1e-12, gtol=1e-12)
        self.assertAlmostEqual(ours.cost / theirs.cost, 1, 5)

    def test_prior_information_keeps_its_squares(self):
        prior = (np.eye(3), [10, 10, 10], 0.01)
        fit = lrgd.least_squares(misfit, np.ones(3), loss="cauchy",
                                 f_scale=0.1, prior=prior)
        r, rows = fit.fun[:-3], fit.fun[-3:]
        self.assertAlmostEqual(
            fit.cost, 0.5 * (0.01 * np.log1p((r / 0.1) ** 2).sum()
                             + rows @ rows), 10)


if __name__ == "__main__":
    main()
