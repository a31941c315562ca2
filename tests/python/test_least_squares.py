"""lrgd.least_squares and lrgd.curve_fit as a caller meets them."""
import signal

import numpy as np
import scipy.optimize

import lrgd
from common import Case, main
from fitted import (T, MISRA_X, MISRA_Y, MISRA, MISRA_DEVIATION, decay, misra,
                    Y, misfit, rosenbrock, Record, Boom, throw, interrupt)
from lrgd import _door


class Fits(Case):
    def test_the_result_has_scipys_names_and_ours(self):
        f = Record(misfit)
        fit = lrgd.least_squares(f, [1, 1, 0])
        theirs = scipy.optimize.least_squares(misfit, [1, 1, 0])
        for name in theirs:
            self.assertIn(name, fit)
        self.assertEqual((fit.nfev, fit.njev), (f.calls, 0))
        self.assertEqual((fit.success, fit.outcome, fit.status),
                         (True, "converged", 1))
        self.assertTrue(np.array_equal(fit.fun, misfit(fit.x)))
        self.assertAlmostEqual(fit.cost, 0.5 * np.sum(fit.fun ** 2), 12)
        self.assertLess(abs(fit.x - theirs.x).max(), 1e-5)
        self.assertLess(abs(fit.jac - theirs.jac).max(), 1e-3)
        self.assertLess(abs(fit.grad).max(), 1e-4)
        self.assertEqual(fit.optimality, abs(fit.grad).max())
        self.assertEqual(fit.active_mask.tolist(), [0, 0, 0])
        self.assertTrue(np.allclose(fit.jac @ fit.basis, fit.jac_basis))
        self.assertEqual(fit.phases[0].kind, "least_squares")
        self.assertIn("cost", repr(fit))
        self.assertEqual(len(_door._doors), 0)

    def test_a_linear_model_of_rank_r_takes_r_evaluations_and_a_few(self):
        random = np.random.default_rng(3)
        for r in (5, 10, 20):
            A, b = random.normal(size=(r, 1000)), random.normal(size=r)
            f = Record(lambda x: A @ x - b)
            fit = lrgd.least_squares(f, np.zeros(1000))
            self.assertLessEqual(f.reaches(1e-6 * f.costs[0]), r + 6)
            self.assertEqual((fit.nfev, fit.supported), (f.calls, r))

    def test_it_finds_what_scipy_finds(self):
        for f, x0 in ((rosenbrock, [-1.2, 1.0]),
                      (rosenbrock, np.full(6, 0.5)), (misfit, [1, 1, 0]),
                      (lambda b: misra(MISRA_X / 100, *b) - MISRA_Y / 100,
                       [5, 0.01])):
            theirs = scipy.optimize.least_squares(f, x0)
            ours = lrgd.least_squares(f, x0, tol=1e-9)
            self.assertLessEqual(ours.cost, theirs.cost * (1 + 1e-9) + 1e-12)
            self.assertLess(np.linalg.norm(ours.x - theirs.x),
                            1e-4 * np.linalg.norm(theirs.x))

    def test_the_start_is_asked_once(self):
        boxes = ((None, [1, 1, 0]), ((-np.inf, np.inf), [1, 1, 0]),
                 ((0, 3), [1, 1, 1]), ((0.2, 3), [1, 1, -7]))
        for bounds, x0 in boxes:
            f = Record(misfit)
            fit = lrgd.least_squares(f, x0, bounds=bounds)
            low, high = (-np.inf, np.inf) if bounds is None else bounds
            first = np.clip(np.array(x0, dtype=float), low, high)
            self.assertEqual(f.points[0].tolist(), first.tolist())
            self.assertEqual(
                sum(np.array_equal(x, first) for x in f.points), 1)
            self.assertEqual(fit.nfev, f.calls)
            self.assertEqual(fit.jac.shape, (40, 3))

    def test_no_point_outside_the_bounds_is_evaluated(self):
        f = Record(misfit)
        fit = lrgd.least_squares(f, [1, 1, 1], bounds=([0, 0, 0.6], [3, 3, 3]))
        theirs = scipy.optimize.least_squares(
            misfit, [1, 1, 1], bounds=([0, 0, 0.6], [3, 3, 3]))
        self.assertGreaterEqual(np.min(f.points, axis=0)[2], 0.6)
        self.assertEqual(fit.active_mask.tolist(), [0, 0, -1])
        self.assertLess(fit.cost, theirs.cost * (1 + 1e-6))
        self.assertTrue(np.array_equal(fit.fun, misfit(fit.x)))
        self.assertEqual(fit.nfev, f.calls)
        self.assertGreater(fit.grad[2], 0.1)  # held back
        self.assertLess(fit.optimality, 1e-4)
        with self.assertRaisesRegex(ValueError, "complete and bounds"):
            lrgd.least_squares(f, [1, 1, 1], bounds=(0, 3), complete=True)

    def test_two_lists_for_two_inputs_are_lower_and_upper_as_in_scipy(self):
        for bounds in (([0, 1], [0.5, 2]), ((0, 1), (0.5, 2))):
            fit = lrgd.least_squares(lambda x: x - 5, [0.2, 1.5],
                                     bounds=bounds)
            np.testing.assert_allclose(fit.x, [0.5, 2], atol=1e-6)

    def test_other_methods_see_the_cost_alone(self):
        f = Record(misfit)
        fit = lrgd.least_squares(f, [1, 1, 1], method="quasi-newton")
        self.assertEqual((fit.outcome, fit.nfev), ("converged", f.calls))
        self.assertTrue(np.array_equal(fit.fun, misfit(fit.x)))
        for nothing in (fit.jac, fit.jac_basis, fit.grad, fit.supported,
                        fit.standard_deviation, fit.identifiability,
                        fit.combinations, fit.variance, fit.covariance()):
            self.assertIsNone(nothing)
        self.assertEqual(fit.optimality, fit.grad_norm)

    def test_residuals_are_those_of_the_point_that_is_returned(self):
        # which need not be the one of the lowest cost
        for start in ([500, 1e-4], [250, 5e-4]):
            f = Record(lambda b: misra(MISRA_X, *b) - MISRA_Y)
            fit = lrgd.least_squares(f, start, x_scale=start,
                                     bounds=([0, 0], [1000, 1]),
                                     method="quasi-newton")
            self.assertTrue(np.array_equal(fit.fun, f.f(fit.x)))

    def test_more_arguments_reach_the_function(self):
        def f(x, target, power=1):
            return x ** power - target
        fit = lrgd.least_squares(f, [2.0, 2.0], args=(8,),
                                 kwargs={"power": 3})
        self.assertLess(abs(fit.x - 2).max(), 1e-3)

    def test_weights_multiply_residuals(self):
        w = np.linspace(0, 2, T.size)
        ours = lrgd.least_squares(misfit, [1, 1, 0], weights=w)
        by_hand = lrgd.least_squares(lambda x: w * misfit(x), [1, 1, 0])
        self.assertEqual(ours.x.tolist(), by_hand.x.tolist())
        self.assertEqual(ours.fun.tolist(), by_hand.fun.tolist())
        self.assertEqual((ours.observations, by_hand.observations),
                         (T.size - 1, T.size))
        self.assertEqual(
            lrgd.least_squares(misfit, [1, 1, 0], weights=2).cost,
            4 * lrgd.least_squares(misfit, [1, 1, 0]).cost)

        def with_a_gap(x):
            r = misfit(x)
            r[0] = np.nan
            return r
        self.assertEqual(
            lrgd.least_squares(with_a_gap, [1, 1, 0], weights=w).x.tolist(),
            ours.x.tolist())

    def test_x_scale_gives_the_sizes_of_inputs(self):
        def f(b):
            return misra(MISRA_X, *b) - MISRA_Y
        heard = []
        f = Record(f)
        fit = lrgd.least_squares(f, [250, 5e-4], x_scale=[250, 5e-4],
                                 callback=lambda news: heard.append(news.x))
        self.assertEqual(f.points[0].tolist(), [250, 5e-4])
        self.assertEqual(fit.start.tolist(), [250, 5e-4])
        self.assertLess(abs(fit.x / MISRA - 1).max(), 1e-6)
        self.assertLess(
            abs(fit.standard_deviation / MISRA_DEVIATION - 1).max(), 1e-3)
        self.assertLess(abs(heard[-1] / MISRA - 1).max(), 1e-3)
        theirs = scipy.optimize.least_squares(f.f, MISRA)
        self.assertLess(abs(fit.jac / theirs.jac - 1).max(), 1e-3)
        # a few inputs have scales of their own
        without = lrgd.least_squares(f.f, [250, 5e-4])
        self.assertLess(without.nfev, 2 * fit.nfev)
        self.assertLess(abs(without.x / MISRA - 1).max(), 1e-4)

    def test_the_budget_is_kept_to_the_call(self):
        for n in (1, 2, 7):
            f = Record(misfit)
            fit = lrgd.least_squares(f, [1, 1, 0], max_nfev=n)
            self.assertEqual((f.calls, fit.nfev, fit.outcome, fit.status),
                             (n, n, "budget", 0))
            self.assertTrue(np.array_equal(fit.fun, misfit(fit.x)))

    def test_a_callback_can_stop_it(self):
        fit = lrgd.least_squares(misfit, [1, 1, 0],
                                 callback=lambda news: news.nfev >= 6)
        self.assertEqual((fit.outcome, fit.status, fit.success),
                         ("stopped", -2, False))

    def test_scipys_words_are_accepted(self):
        plain = lrgd.least_squares(misfit, [1, 1, 0])
        for method in ("trf", "dogbox", "lm"):
            for jac in ("2-point", "3-point", None):
                fit = lrgd.least_squares(misfit, [1, 1, 0], jac, method=method,
                                         loss="linear", f_scale=2.0, ftol=None)
                self.assertEqual(fit.x.tolist(), plain.x.tolist())

    def test_the_complex_step_takes_the_place_of_differences(self):
        kinds = []

        def f(x):
            kinds.append(np.iscomplexobj(x))
            return misfit(x)
        plain = lrgd.least_squares(misfit, [1, 1, 0])
        fit = lrgd.least_squares(f, [1, 1, 0], "cs")
        self.assertTrue(any(kinds))
        self.assertLess(abs(fit.x / plain.x - 1).max(), 1e-5)
        self.assertLess(abs(fit.jac - plain.jac).max(), 1e-3)

    def test_what_fun_does_with_its_arrays_does_no_harm(self):
        own = np.empty(T.size)

        def f(x):
            own[:] = misfit(x)
            x[:] = np.nan
            return own
        self.assertEqual(lrgd.least_squares(f, [1, 1, 0]).x.tolist(),
                         lrgd.least_squares(misfit, [1, 1, 0]).x.tolist())

    def test_a_number_is_one_residual(self):
        for answer in (lambda x: float(x.sum() - 3),
                       lambda x: np.array(x.sum() - 3),
                       lambda x: [x.sum() - 3]):
            fit = lrgd.least_squares(answer, np.zeros(4), max_nfev=30)
            self.assertEqual(fit.fun.shape, (1,))
            self.assertLess(fit.cost, 1e-8)

    def test_names_of_inputs_are_kept(self):
        import pandas
        x0 = pandas.Series({"height": 1.0, "rate": 1.0, "level": 0.0})

        def f(x):
            return decay(T, x["height"], x["rate"], x["level"]) - Y
        fit = lrgd.least_squares(f, x0, complete=True)
        plain = lrgd.least_squares(misfit, [1, 1, 0])
        self.assertEqual(fit.x.tolist(), plain.x.tolist())
        table = fit.to_frame()
        self.assertEqual(list(table.index), fit.names)
        self.assertEqual(table.loc["rate", "x"], fit.x[1])
        self.assertEqual(table["start"].tolist(), [1, 1, 0])
        self.assertEqual(table["standard_deviation"].tolist(),
                         fit.standard_deviation.tolist())
        self.assertEqual(list(plain.to_frame().index), [1, 2, 3])

    def test_a_fit_in_a_fit(self):
        def outer(x):
            inner = lrgd.least_squares(misfit, [1, 1, 0])
            return x - inner.x
        fit = lrgd.least_squares(outer, np.zeros(3), max_nfev=8)
        self.assertLess(fit.cost, 1e-8)
        self.assertEqual(len(_door._doors), 0)


class Failures(Case):
    def test_a_residual_that_is_not_finite_fails_the_point(self):
        def walled(value, x):
            return misfit(x) if x[0] < 2.2 else value
        for value in (np.full(T.size, np.nan), np.nan,
                      np.append(misfit([1, 1, 0])[1:], np.inf)):
            f = Record(lambda x: walled(value, x))
            fit = lrgd.least_squares(f, [1, 1, 0], max_nfev=100)
            self.assertEqual(fit.nfev, f.calls)
            self.assertLess(fit.x[0], 2.2)
            self.assertTrue(np.array_equal(fit.fun, misfit(fit.x)))

    def test_a_start_that_cannot_be_evaluated_is_reported(self):
        for value in (np.nan, np.full(5, np.nan)):
            f = Record(lambda x: value)
            fit = lrgd.least_squares(f, np.zeros(3))
            self.assertEqual((fit.outcome, fit.status, fit.nfev, f.calls),
                             ("failed", -1, 1, 1))
            self.assertTrue(np.isnan(fit.fun).all())

    def test_another_number_of_residuals_is_an_error_with_both(self):
        f = Record(lambda x: misfit(x)[:40 if f.calls < 4 else 7])
        with self.assertRaisesRegex(ValueError, "7 residuals; at x0 it "
                                    "returned 40") as raised:
            lrgd.least_squares(f, [1, 1, 0])
        self.assertEqual(raised.exception.lrgd_result.nfev, 4)

    def test_what_is_no_vector_of_residuals_is_refused(self):
        for answer, kind, said in (
                (None, TypeError, "None where residuals were asked: is a"),
                ("2", TypeError, "'2' (str), which is"),
                (np.zeros(3, complex), TypeError, "which is complex128"),
                (np.zeros((2, 3)), ValueError, "shape (2, 3); residuals are "
                                               "a vector; return its .ravel()"),
                ([], ValueError, "shape (0,)"),
                ([1.0, None, {}], TypeError, "where residuals were asked")):
            with self.assertRaises(kind) as raised:
                lrgd.least_squares(lambda x: answer, np.zeros(3))
            self.assertIn(said, str(raised.exception))

    def test_exceptions_come_out_with_the_best_so_far(self):
        for n in (1, 2, 9):
            f = Record(misfit, n, throw)
            with self.assertRaises(Boom) as raised:
                lrgd.least_squares(f, [1, 1, 0])
            self.assertEqual(f.calls, n)
            known = raised.exception.lrgd_result
            self.assertEqual((known.nfev, known.outcome), (n, "stopped"))
            if n > 1:
                self.assertTrue(np.array_equal(known.fun, misfit(known.x)))
        self.assertEqual(len(_door._doors), 0)

    def test_ctrl_c_stops_with_the_best_so_far(self):
        for n in (1, 2, 9):
            f = Record(misfit, n, interrupt)
            fit = lrgd.least_squares(f, [1, 1, 0])
            self.assertEqual((fit.outcome, fit.nfev, f.calls),
                             ("stopped", n, n))
            self.assertTrue(np.array_equal(fit.fun, misfit(fit.x)))
            self.assertIs(signal.getsignal(signal.SIGINT),
                          signal.default_int_handler)

    def test_the_second_ctrl_c_comes_out_of_the_evaluation(self):
        def twice():
            interrupt()
            interrupt()
        for n in (1, 9):
            f = Record(misfit, n, twice)
            with self.assertRaises(KeyboardInterrupt) as raised:
                lrgd.least_squares(f, [1, 1, 0])
            self.assertEqual(f.calls, n)
            self.assertEqual(raised.exception.lrgd_result.outcome, "stopped")

    def test_unknown_keywords_are_refused_with_a_message(self):
        for given, kind, said in (
                (dict(loss="square"), ValueError, "'soft_l1', 'cauchy'"),
                (dict(loss="huber", f_scale=0), ValueError, "f_scale is 0"),
                (dict(jac=3), ValueError, "jac is 3"),
                (dict(jac="4-point"), ValueError, "jac is '4-point'"),
                (dict(x_scale="auto"), ValueError, "x_scale is 'auto'"),
                (dict(x_scale=[1, 2]), ValueError, "x has 3 numbers"),
                (dict(x_scale=[1, 0, 2]), ValueError, "must be positive"),
                (dict(jobs=2, batch=misfit), TypeError, "takes neither jobs"),
                (dict(predictions=[40]), ValueError, "from 0 to 39"),
                (dict(predictions=[1, 1]), ValueError, "there twice"),
                (dict(max_nfev=3, max_evals=3), TypeError, "two names"),
                (dict(weights=[1, 2]), ValueError, "2 weights were given; fun "
                                                   "returned 40 residuals"),
                (dict(weights=[[1]]), ValueError, "weights have shape (1, 1)"),
                (dict(weights=-1), ValueError, "not negative"),
                (dict(weight=2), TypeError, "did you mean weights?"),
                (dict(method="newton"), ValueError, "method"),
                (dict(bounds=(1, 0)), ValueError, "has no values")):
            with self.assertRaises(kind) as raised:
                lrgd.least_squares(misfit, [1, 1, 0], **given)
            self.assertIn(said, str(raised.exception))
        with self.assertRaisesRegex(TypeError, "must be callable"):
            lrgd.least_squares(None, [1, 1, 0])
        self.assertEqual(len(_door._doors), 0)


class Scipys(Case):
    """Calls written for scipy.optimize, with lrgd in its place."""

    def same(self, call, tolerance=1e-4):
        ours, theirs = call(lrgd), call(scipy.optimize)
        self.assertTrue(np.allclose(ours.x, theirs.x, rtol=tolerance,
                                    atol=tolerance), (ours.x, theirs.x))
        self.assertAlmostEqual(ours.cost, theirs.cost, 6)
        for name in ("x", "cost", "fun", "jac", "grad", "optimality",
                     "active_mask", "nfev", "njev", "status", "message",
                     "success"):
            self.assertIn(name, ours)
        return ours, theirs

    def test_rosenbrock_as_in_the_manual(self):
        def fun(x):
            return np.array([10 * (x[1] - x[0] ** 2), (1 - x[0])])
        ours, theirs = self.same(
            lambda o: o.least_squares(fun, np.array([2, 2])))
        self.assertTrue(ours.success)
        self.same(lambda o: o.least_squares(
            fun, np.array([2, 2]), bounds=([-np.inf, 1.5], np.inf)))
        ours, theirs = self.same(lambda o: o.least_squares(
            fun, [2, 2], bounds=([-np.inf, 1.5], np.inf), method="dogbox",
            x_scale="jac", ftol=1e-12, xtol=1e-12, gtol=1e-10))
        self.assertEqual(list(ours.active_mask), list(theirs.active_mask))

    def test_lm_and_options_of_scipys(self):
        for more in (dict(method="lm"), dict(method="trf", tr_solver="exact"),
                     dict(diff_step=1e-6), dict(jac="3-point"),
                     dict(x_scale=[1.0, 2.0, 0.5]), dict(max_nfev=200),
                     dict(ftol=1e-10, xtol=1e-10, gtol=1e-9)):
            self.same(lambda o: o.least_squares(misfit, [1, 1, 0.0], **more),
                      1e-3)

    def test_args_and_kwargs_reach_the_function(self):
        def fun(x, t, y, power=1):
            return (x[0] * np.exp(-x[1] * t) + x[2] - y) ** power
        self.same(lambda o: o.least_squares(fun, [1, 1, 0], args=(T, Y),
                                            kwargs={"power": 1}))

    def test_broydens_example_in_scipys_manual_has_the_same_result(self):
        def fun(x):
            f = (3 - x) * x + 1
            f[1:] -= x[:-1]
            f[:-1] -= 2 * x[1:]
            return f
        self.same(lambda o: o.least_squares(fun, -np.ones(30)))

    def test_curves_of_scipys_manual_are_fitted(self):
        def func(x, a, b, c):
            return a * np.exp(-b * x) + c
        x = np.linspace(0, 4, 50)
        rng = np.random.default_rng(3)
        y = func(x, 2.5, 1.3, 0.5) + 0.2 * rng.normal(size=x.size)
        for more in (dict(), dict(p0=[1, 1, 1]),
                     dict(bounds=(0, [3., 2., 0.6])),
                     dict(sigma=np.full(50, 0.2), absolute_sigma=True),
                     dict(sigma=np.linspace(0.1, 0.3, 50)),
                     dict(sigma=0.04 * np.eye(50), absolute_sigma=True),
                     dict(method="trf", maxfev=500)):
            if more.get("bounds") is not None:
                ours, _ = lrgd.curve_fit(func, x, y, **more)
                theirs, _ = scipy.optimize.curve_fit(func, x, y, **more)
                self.assertTrue(np.allclose(ours, theirs, rtol=1e-3), more)
                continue
            ours, cov = lrgd.curve_fit(func, x, y, **more)
            theirs, other = scipy.optimize.curve_fit(func, x, y, **more)
            self.assertTrue(np.allclose(ours, theirs, rtol=1e-3), more)
            self.assertTrue(np.allclose(cov, other, rtol=2e-2,
                                        atol=1e-5), more)
        popt, pcov, info, message, status = lrgd.curve_fit(
            func, x, y, full_output=True)
        self.assertTrue({"nfev", "fvec"} <= set(info) and status > 0)


class Journals(Case):
    def test_a_fit_is_resumed_without_repeating(self):
        path = self.path("fit.db")
        first = Record(misfit)
        short = lrgd.least_squares(first, [1, 1, 0], journal=path, max_nfev=6)
        self.assertEqual((short.outcome, first.calls), ("budget", 6))
        second = Record(misfit)
        whole = lrgd.least_squares(second, [1, 1, 0], journal=path,
                                   max_nfev=100)
        direct = lrgd.least_squares(misfit, [1, 1, 0], max_nfev=100)
        self.assertEqual(whole.outcome, direct.outcome)
        self.assertTrue(np.allclose(whole.x, direct.x, rtol=1e-7))
        self.assertEqual(second.calls, whole.nfev - 6)
        third = Record(misfit)
        again = lrgd.least_squares(third, [1, 1, 0], journal=path,
                                   max_nfev=100)
        self.assertEqual((third.calls, again.cost), (0, whole.cost))
        self.assertTrue(np.array_equal(again.fun, whole.fun))

    def test_a_run_that_is_opened_says_how_a_fit_goes_on(self):
        path = self.path("fit.db")
        lrgd.least_squares(misfit, [1, 1, 0], journal=path, max_nfev=5)
        with self.assertRaisesRegex(ValueError, "least_squares.*goes on"):
            lrgd.Run(path).resume(misfit)

    def test_other_weights_are_refused(self):
        path = self.path("fit.db")
        lrgd.least_squares(misfit, [1, 1, 0], journal=path, max_nfev=5)
        with self.assertRaises(lrgd.JournalRefused):
            lrgd.least_squares(misfit, [1, 1, 0], journal=path, max_nfev=9,
                               weights=2)

    def test_an_exception_in_fun_reaches_the_caller(self):
        def fun(x):
            raise OSError("no licence")
        with self.assertRaisesRegex(OSError, "no licence"):
            lrgd.least_squares(fun, [1, 1, 0], journal=self.path("fit.db"))


if __name__ == "__main__":
    main()
