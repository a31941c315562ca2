"""lrgd.minimize as a caller meets it."""
import functools
import math
import os
import signal

import numpy as np

import lrgd
from common import (P, ROWS, Boom, Case, Counter, bowl, bowl_gradient,
                    bowl_slope, main, throw, valley)
from lrgd import _door

START = np.zeros(P)


def answers(what):
    """A function with this one answer, which worker processes can load."""
    return functools.partial(answer_with, what)


def answer_with(what, *given):
    return what


WRONG_ANSWERS = (
    (dict(fun=answers(None)), TypeError,
     "fun returned None where one number was asked: is a `return` missing?"),
    (dict(fun=answers("2")), TypeError,
     "fun returned '2' (str) where one real number was asked"),
    (dict(fun=answers(1 + 2j)), TypeError, "fun returned (1+2j) (complex)"),
    (dict(fun=answers(np.complex128(1))), TypeError, "which is complex128"),
    (dict(fun=answers({})), TypeError, "fun returned {} (dict)"),
    (dict(fun=answers(10 ** 400)), TypeError, "too large"),
    (dict(fun=answers(np.zeros((2, 3)))), ValueError,
     "fun returned an array of shape (2, 3) where one number was asked"),
    (dict(fun=answers([])), ValueError, "shape (0,)"),
    (dict(fun=answers(2.0), jac=True), TypeError,
     "fun returned 2.0 (float) where (f, gradient) was asked"),
    (dict(fun=answers(2.0), grad=answers(np.zeros(3))), ValueError,
     f"the gradient is an array of shape (3,) where {P} numbers were asked"),
    (dict(fun=answers(2.0), grad=answers(None)), TypeError,
     f"the gradient is None where {P} numbers were asked"),
    (dict(fun=answers(2.0), grad=answers(np.zeros(P, complex))), TypeError,
     "which is complex128"),
    (dict(jvp=answers((1.0, 2.0, 3.0))), TypeError,
     "jvp returned (1.0, 2.0, 3.0) (tuple) where (f, slope) was asked"),
    (dict(jvp=answers((1.0, None))), TypeError, "jvp returned None"),
    (dict(jvp=answers(1.0)), TypeError, "there is no fun"),
    (dict(batch=answers(None)), TypeError, "batch returned None"),
    (dict(batch=answers(np.zeros((9, 2)))), ValueError,
     "batch returned an array of shape (9, 2) where"),
    (dict(batch=answers([1.0, None])), ValueError, "batch returned"),
)


class Results(Case):
    def test_the_result_has_scipys_names_and_ours(self):
        f = Counter(bowl)
        result = lrgd.minimize(f, START)
        self.assertTrue(result.success)
        self.assertEqual(result.outcome, "converged")
        self.assertEqual((result.nfev, result.evaluations),
                         (f.calls, f.calls))
        self.assertEqual(result["fun"], bowl(result.x))
        self.assertLess(np.linalg.norm(bowl_gradient(result.x)), 1e-3)
        self.assertEqual(result.oracle_calls,
                         sum(result.counts["oracle_calls"].values()))
        self.assertEqual(result.basis.shape[0], P)
        self.assertLess(abs(result.basis.T @ result.basis
                            - np.eye(result.basis.shape[1])).max(), 1e-12)
        self.assertGreaterEqual(result.certificate.grad_norm_bound,
                                np.linalg.norm(bowl_gradient(result.x)))
        self.assertTrue(result.phases and result.phases[0].text)
        self.assertEqual(result.phases[-1].decision, result.end)
        self.assertEqual((result.hidden_bounds, result.held), ([], None))
        self.assertIn("nfev", repr(result))
        with self.assertRaises(AttributeError):
            result.nothing

    def test_noise_and_active_bounds_are_reported_as_data(self):
        result = lrgd.minimize(bowl, np.full(P, 0.5), bounds=(0.4, 0.6),
                               method="quasi-newton")
        self.assertEqual(result.active_bounds, [
            (i + 1, "lower" if x == 0.4 else "upper")
            for i, x in enumerate(result.x) if x in (0.4, 0.6)])
        self.assertTrue(result.active_bounds)
        random = np.random.default_rng(1)
        result = lrgd.minimize(lambda x: bowl(x) + 1e-4 * random.normal(),
                               np.full(P, 0.5), max_evals=300)
        found = [one.value for one in result.phases
                 if one.kind == "noise_found"]
        self.assertEqual(len(found), 1)
        self.assertTrue(2e-5 < found[0] < 5e-4, found)

    def test_a_hidden_bound_is_found_and_reported(self):
        def f(x):
            return float("nan") if x[2] > 0.5 else float(
                sum((i + 1) * (y - 1) ** 2 for i, y in enumerate(x)))
        result = lrgd.minimize(f, np.zeros(12))
        self.assertEqual((result.outcome, result.stall_reason),
                         ("stalled", "unevaluable"))
        self.assertEqual((result.held.kind, result.held.input,
                          result.held.side, result.held.cause),
                         ("held_bound", 3, "upper", "unevaluable"))
        bound, = result.hidden_bounds
        self.assertEqual((bound.kind, bound.input, bound.value),
                         ("hidden_bound", 3, result.held.value))
        self.assertAlmostEqual(bound.value, 0.5, 3)
        self.assertIn("hidden_bound", [one.kind for one in result.phases])

    def test_a_budget_is_kept_and_is_no_error(self):
        f = Counter(valley)
        result = lrgd.minimize(f, -np.ones(P), max_evals=100)
        self.assertEqual((result.outcome, result.success), ("budget", False))
        self.assertLessEqual(f.calls, 100)
        self.assertEqual(result.nfev, f.calls)

    def test_gradients_slopes_batches_and_complex_steps_agree(self):
        wanted = lrgd.minimize(bowl, START).fun
        grad = Counter(bowl_gradient)
        jvp = Counter(bowl_slope)
        ways = {
            "grad": lrgd.minimize(bowl, START, grad=grad),
            "jac=True": lrgd.minimize(
                lambda x: (bowl(x), bowl_gradient(x)), START, jac=True),
            "jvp": lrgd.minimize(None, START, jvp=jvp),
            "jvp alone": lrgd.minimize(
                bowl, START, jvp=lambda x, u: bowl_slope(x, u)[1]),
            "batch": lrgd.minimize(
                None, START, batch=lambda X: [bowl(x) for x in X]),
            "batch=True": lrgd.minimize(
                lambda X: [bowl(x) for x in X], START, batch=True),
            "complex": lrgd.minimize(None, START, jvp=lrgd.complex_step(
                lambda x: (ROWS[0] @ x - 3) ** 2 + 2 * (ROWS[1] @ x + 1) ** 2
                + (ROWS[2] @ x - 2) ** 4)),
        }
        for name, result in ways.items():
            with self.subTest(name):
                self.assertEqual(result.outcome, "converged")
                self.assertLess(abs(result.fun - wanted), 1e-4)
        self.assertEqual(ways["grad"].njev, grad.calls)
        self.assertEqual(ways["grad"].nfev, ways["jac=True"].nfev)
        self.assertEqual(ways["jvp"].nfev, jvp.calls)
        self.assertEqual(ways["batch"].nfev, ways["batch=True"].nfev)

    def test_the_function_gets_its_own_copy_of_x(self):
        kept = []

        def greedy(x):
            f = bowl(x)
            kept.append(x)
            x[:] = np.nan
            return f
        result = lrgd.minimize(greedy, START, guard_callbacks=1)
        self.assertEqual(result.nfev, lrgd.minimize(bowl, START).nfev)
        self.assertEqual(len({id(x) for x in kept}), len(kept))
        self.assertTrue(all(x.flags.owndata for x in kept))

    def test_units_that_do_not_go_together_are_reported(self):
        with self.assertWarnsRegex(UserWarning, "differ by 1e.06 times"):
            lrgd.minimize(bowl, START, max_evals=3, bounds=(
                -1, [1e6 - 1 if i else 0 for i in range(P)]))

    def test_bounds_come_in_three_forms_and_are_kept(self):
        from scipy.optimize import Bounds
        seen = []

        def watched(x):
            seen.append(x)
            return bowl(x)
        found = [lrgd.minimize(watched, START, bounds=bounds).fun
                 for bounds in ((-0.1, 0.1), Bounds(-0.1, 0.1),
                                [(-0.1, 0.1)] * P)]
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        self.assertLessEqual(abs(np.array(seen)).max(), 0.1)
        half = lrgd.minimize(bowl, START, bounds=[(None, 0.2)] * P)
        self.assertLessEqual(half.x.max(), 0.2)
        with self.assertRaises(ValueError):
            lrgd.minimize(bowl, START, bounds=[(0, 1)] * 3)

    def test_two_tuples_for_two_inputs_are_pairs_as_in_scipy(self):
        from scipy.optimize import minimize

        def far(x):
            return (x[0] - 5) ** 2 + (x[1] - 5) ** 2
        for bounds in (((0, 1), (0, 2)), ([0, 1], [0, 2]), [(0, 1), (0, 2)],
                       np.array([[0, 1], [0, 2]]), ((None, 1), (0, 2))):
            with self.subTest(bounds=bounds):
                expected = minimize(far, [0.5, 0.5], bounds=bounds).x
                found = lrgd.minimize(far, [0.5, 0.5], bounds=bounds).x
                np.testing.assert_allclose(found, expected, atol=1e-6)
                np.testing.assert_allclose(found, [1, 2], atol=1e-6)
        arrays = (np.array([0, 1]), np.array([0.5, 2]))
        found = lrgd.minimize(far, [0.2, 1.5], bounds=arrays).x
        np.testing.assert_allclose(found, [0.5, 2], atol=1e-6)
        one_sided = lrgd.minimize(far, [0.2, 1.5], bounds=(0, [0.5, 2])).x
        np.testing.assert_allclose(one_sided, [0.5, 2], atol=1e-6)

    def test_a_diagnosis_takes_a_tuple_of_pairs_without_a_start(self):
        for bounds in (((0, 1),) * P, [(0, 1)] * P, ((0, 1), (0, 2))):
            with self.subTest(inputs=len(bounds)):
                found = lrgd.diagnose(lambda x: float(x @ x), bounds=bounds)
                self.assertGreater(found.evaluations, 0)

    def test_a_basis_and_linear_constraints_are_kept_to(self):
        W = np.eye(P)[:, :5]
        result = lrgd.minimize(bowl, START, basis=W)
        self.assertEqual(abs(result.x[5:]).max(), 0)
        A, b = np.ones((1, P)), [4.0]
        result = lrgd.minimize(bowl, START, constraints=(A, b))
        self.assertAlmostEqual(result.x.sum(), 4, places=9)
        with self.assertRaises(ValueError):
            lrgd.minimize(bowl, START, basis=np.eye(3))

    def test_equations_and_bounds_are_kept_at_every_point(self):
        asked = []

        def seen(x):
            asked.append(x)
            return bowl(x)

        A = np.vstack([np.ones(P), np.arange(P) % 3])
        b = A @ np.full(P, 0.1)
        result = lrgd.minimize(seen, START, equal=(A, b), bounds=(0, 0.5))
        points = np.array(asked)
        self.assertEqual(result.outcome, "converged")
        self.assertLess(abs(points @ A.T - b).max(), 1e-12)
        self.assertTrue((points >= 0).all() and (points <= 0.5).all())
        with self.assertRaisesRegex(ValueError, "0 to .*, and b is 99"):
            lrgd.minimize(bowl, START, equal=(A[:1], [99]), bounds=(0, 0.5))
        with self.assertRaisesRegex(ValueError, "auto and quasi-newton can"):
            lrgd.minimize(bowl, START, equal=(A, b), bounds=(0, 0.5),
                          method="gd")
        with self.assertRaises(TypeError):
            lrgd.minimize(bowl, START, equal=(A, b), constraints=(A, b))

    def test_a_callback_hears_of_iterations_and_can_stop_the_run(self):
        heard = []
        result = lrgd.minimize(bowl, START, callback=heard.append)
        self.assertGreaterEqual(len(heard), result.nit)
        self.assertEqual([h.nfev for h in heard],
                         sorted(h.nfev for h in heard))
        self.assertEqual(heard[-1].best, result.fun)
        stopped = lrgd.minimize(valley, -np.ones(P),
                                callback=lambda news: news.nit >= 3)
        self.assertEqual((stopped.outcome, stopped.nit), ("stopped", 3))

        def stop(news):
            raise StopIteration
        self.assertEqual(
            lrgd.minimize(valley, -np.ones(P), callback=stop).outcome,
            "stopped")

    def test_nan_is_a_failed_evaluation_and_not_an_error(self):
        result = lrgd.minimize(
            lambda x: math.nan if ROWS[0] @ x > 2 else bowl(x), START)
        self.assertGreater(result.counts["failures"], 0)
        self.assertLess(result.fun, bowl(START))

    def test_args_reach_the_function(self):
        result = lrgd.minimize(lambda x, a, b: (x.sum() - a) ** 2 + b,
                               START, args=(3, 7))
        self.assertAlmostEqual(result.fun, 7)


class Refusals(Case):
    def test_wrong_arguments_are_refused_with_their_numbers(self):
        for wrong, error, says in (
                (dict(tol=-1), ValueError, "tol is -1; it must be > 0"),
                (dict(rank=P + 1), ValueError, f"rank {P + 1}"),
                (dict(method="newton"), ValueError, "auto|gd|lrgd"),
                (dict(max_eval=3), TypeError, "did you mean max_evals?"),
                (dict(tol=[1]), TypeError, "tol is [1]"),
                (dict(batch=3), TypeError, "batch is 3"),
                (dict(grad=bowl_gradient, jac=True), TypeError, "two names"),
                (dict(batch=True, jobs=2), TypeError, "batch"),
                (dict(jobs=0), ValueError, "jobs is 0")):
            with self.subTest(wrong), self.assertRaises(error) as caught:
                lrgd.minimize(bowl, START, **wrong)
            self.assertIn(says, str(caught.exception))

    def test_f_may_return_any_kind_of_number(self):
        import decimal
        import fractions
        wanted = lrgd.minimize(bowl, START).nfev
        for kind in (np.array, lambda f: np.array([[f]]), lambda f: [f],
                     fractions.Fraction, decimal.Decimal):
            with self.subTest(kind):
                found = lrgd.minimize(lambda x: kind(bowl(x)), START)
                self.assertEqual(found.nfev, wanted)
        for kind in (np.float32, round, lambda f: f > 5, lambda f: np.int8(3)):
            with self.subTest(kind):
                found = lrgd.minimize(lambda x: kind(bowl(x)), START,
                                      max_evals=100)
                self.assertEqual(found.counts["failures"], 0)

    def test_a_value_that_is_no_number_is_refused_in_a_sentence(self):
        """With the numbers in it; by worker processes in the same words."""
        for i, (how, error, says) in enumerate(WRONG_ANSWERS):
            for jobs in (1, 2) if i % 3 == 0 and "batch" not in how else (1,):
                with self.subTest(says, jobs=jobs), \
                        self.assertRaises(error) as caught:
                    given = dict(how)
                    lrgd.minimize(given.pop("fun", None), START, jobs=jobs,
                                  **given)
                self.assertIn(says, str(caught.exception))
                self.assertNotIn("\n", str(caught.exception))


class Exceptions(Case):
    def test_an_exception_in_fun_reaches_the_caller_unchanged(self):
        ways = (("value", lambda f: dict(fun=f), bowl),
                ("gradient", lambda f: dict(fun=bowl, grad=f), bowl_gradient),
                ("slope", lambda f: dict(fun=None, jvp=f), bowl_slope),
                ("batch", lambda f: dict(fun=None, batch=f),
                 lambda X: [bowl(x) for x in X]))
        for name, way, f in ways:
            with self.subTest(name):
                broken = Counter(f, 3, throw)
                given = way(broken)
                with self.assertRaises(Boom) as caught:
                    lrgd.minimize(given.pop("fun"), START, **given)
                self.assertEqual(broken.calls, 3)  # nothing after it
                self.assertIs(type(caught.exception), Boom)
                self.assertIn("lrgd_result", vars(caught.exception))

    def test_an_exception_carries_the_best_point_so_far(self):
        broken = Counter(bowl, 40, throw)
        with self.assertRaises(Boom) as caught:
            lrgd.minimize(broken, START)
        best = caught.exception.lrgd_result
        self.assertLess(best.fun, bowl(START))
        self.assertEqual(best.fun, bowl(best.x))

    def test_a_callback_may_raise_too(self):
        def callback(news):
            raise Boom
        with self.assertRaises(Boom):
            lrgd.minimize(bowl, START, callback=callback)

    def test_a_solve_may_run_inside_another(self):
        inner = Counter(lambda y: (y.sum() - 1) ** 2)
        alone = lrgd.minimize(Counter(inner.f), [0.0] * 9)
        wanted = lrgd.minimize(bowl, START)

        def nested(x):
            found = lrgd.minimize(inner, [0.0] * 9)
            self.assertEqual((found.nfev, found.fun), (alone.nfev, alone.fun))
            return bowl(x)
        outer = lrgd.minimize(nested, START)
        self.assertEqual(outer.counts, wanted.counts)
        self.assertTrue(np.array_equal(outer.x, wanted.x))
        self.assertEqual(inner.calls, outer.nfev * alone.nfev)

    def test_the_outer_solve_can_catch_an_exception_of_an_inner_one(self):
        def caught(x):
            with self.assertRaises(Boom):
                lrgd.minimize(Counter(bowl, 3, throw), START)
            return bowl(x)
        self.assertEqual(lrgd.minimize(caught, START).nfev,
                         lrgd.minimize(bowl, START).nfev)

        def passed_on(x):
            return lrgd.minimize(Counter(bowl, 3, throw), START).fun
        with self.assertRaises(Boom) as raised:
            lrgd.minimize(passed_on, START)
        self.assertEqual(raised.exception.lrgd_result.nfev, 1)  # the outer's
        self.assertEqual(len(_door._doors), 0)


class Interrupts(Case):
    def interrupt(self):
        os.kill(os.getpid(), signal.SIGINT)

    def test_the_first_ctrl_c_stops_with_the_best_so_far(self):
        f = Counter(valley, 50, self.interrupt)
        result = lrgd.minimize(f, -np.ones(P))
        self.assertEqual(result.outcome, "stopped")
        self.assertEqual((result.nfev, f.calls), (50, 50))
        self.assertLess(result.fun, valley(-np.ones(P)))
        self.assertIs(signal.getsignal(signal.SIGINT),
                      signal.default_int_handler)

    def test_the_second_ctrl_c_is_raised_from_the_evaluation(self):
        def twice():
            self.interrupt()
            self.interrupt()
        f = Counter(valley, 50, twice)
        with self.assertRaises(KeyboardInterrupt) as caught:
            lrgd.minimize(f, -np.ones(P))
        self.assertEqual(f.calls, 50)
        self.assertLess(caught.exception.lrgd_result.fun, valley(-np.ones(P)))

    def test_ctrl_c_inside_an_inner_solve_stops_the_outer_one(self):
        inner = Counter(bowl, 70, self.interrupt)

        def nested(x):
            self.assertEqual(lrgd.minimize(inner, START).outcome, "converged")
            return valley(x)
        result = lrgd.minimize(nested, -np.ones(P))
        self.assertEqual(result.outcome, "stopped")
        self.assertEqual(result.nfev * lrgd.minimize(bowl, START).nfev,
                         inner.calls)

    def test_a_signal_handler_of_the_user_is_kept(self):
        heard = []
        before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        self.addCleanup(signal.signal, signal.SIGINT, before)
        f = Counter(bowl, 5, self.interrupt)
        self.assertEqual(lrgd.minimize(f, START).outcome, "converged")
        self.assertEqual(heard, [1])


if __name__ == "__main__":
    main()
