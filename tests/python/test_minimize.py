"""lrgd.minimize as a caller meets it."""
import math
import os
import signal
import threading
import time

import numpy as np

import lrgd
from common import (P, ROWS, Case, bowl, bowl_gradient, bowl_slope, main,
                    valley)
from lrgd import _door

START = np.zeros(P)


class Boom(Exception):
    pass


class Counter:
    """Calls f, counts, and does something at the n-th call."""

    def __init__(self, f, n=0, act=None):
        self.f, self.n, self.act, self.calls = f, n, act, 0

    def __call__(self, *given):
        self.calls += 1
        if self.calls == self.n:
            self.act()
        return self.f(*given)


def throw():
    raise Boom("half way")


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
        self.assertIn("nfev", repr(result))
        with self.assertRaises(AttributeError):
            result.nothing

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

    def test_a_basis_and_linear_constraints_are_kept_to(self):
        W = np.eye(P)[:, :5]
        result = lrgd.minimize(bowl, START, basis=W)
        self.assertEqual(abs(result.x[5:]).max(), 0)
        A, b = np.ones((1, P)), [4.0]
        result = lrgd.minimize(bowl, START, constraints=(A, b))
        self.assertAlmostEqual(result.x.sum(), 4, places=9)
        with self.assertRaises(ValueError):
            lrgd.minimize(bowl, START, basis=np.eye(3))

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
    def test_what_is_wrong_is_said_with_the_numbers(self):
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

    def test_answers_of_the_wrong_shape_are_refused(self):
        for wrong in (dict(fun=bowl, grad=lambda x: x[:3]),
                      dict(fun=None, batch=lambda X: [1.0, 2.0, 3.0]),
                      dict(fun=lambda x: x)):
            fun = wrong.pop("fun")
            with self.assertRaises((ValueError, TypeError)):
                lrgd.minimize(fun, START, **wrong)
        for nothing in (lambda x: None, lambda x: "f"):
            with self.assertRaises((TypeError, ValueError)):
                lrgd.minimize(nothing, START)
        with self.assertRaises(TypeError):
            lrgd.minimize(None, START, jvp=lambda x, u: 1.0)


class Exceptions(Case):
    def test_what_the_function_raises_comes_out_as_itself(self):
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

    def test_the_best_so_far_comes_with_it(self):
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
        def nested(x):
            inner = lrgd.minimize(lambda y: (y.sum() - x[0]) ** 2, [0.0, 0.0])
            return bowl(x) + inner.fun
        self.assertTrue(lrgd.minimize(nested, START, max_evals=30).nfev > 0)


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

    def test_the_second_comes_out_of_the_evaluation(self):
        def twice():
            self.interrupt()
            self.interrupt()
        f = Counter(valley, 50, twice)
        with self.assertRaises(KeyboardInterrupt) as caught:
            lrgd.minimize(f, -np.ones(P))
        self.assertEqual(f.calls, 50)
        self.assertLess(caught.exception.lrgd_result.fun, valley(-np.ones(P)))

    def test_a_handler_of_ones_own_is_left_alone(self):
        heard = []
        before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
        self.addCleanup(signal.signal, signal.SIGINT, before)
        f = Counter(bowl, 5, self.interrupt)
        self.assertEqual(lrgd.minimize(f, START).outcome, "converged")
        self.assertEqual(heard, [1])


class Threads(Case):
    def test_two_solves_at_once_are_right(self):
        wanted = {name: lrgd.minimize(f, x0) for name, f, x0 in (
            ("bowl", bowl, START), ("valley", valley, -np.ones(P)))}
        found = {}

        def work(name, f, x0):
            found[name] = [lrgd.minimize(f, x0) for _ in range(5)]
        threads = [threading.Thread(target=work, args=given) for given in (
            ("bowl", bowl, START), ("valley", valley, -np.ones(P)))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for name, results in found.items():
            self.assertEqual(len(results), 5)
            for result in results:
                self.assertEqual(result.nfev, wanted[name].nfev)
                self.assertTrue(np.array_equal(result.x, wanted[name].x))

    def test_a_failure_in_one_thread_stays_there(self):
        raised = []

        def work():
            try:
                lrgd.minimize(Counter(bowl, 9, throw), START)
            except Boom as error:
                raised.append(error)
        thread = threading.Thread(target=work)
        thread.start()
        result = lrgd.minimize(bowl, START)
        thread.join()
        self.assertEqual((len(raised), result.outcome), (1, "converged"))

    def test_other_threads_run_while_a_function_waits(self):
        ticks = []

        def slow(x):
            time.sleep(0.01)
            return bowl(x)
        thread = threading.Thread(
            target=lrgd.minimize, args=(slow, START),
            kwargs=dict(max_evals=20))
        thread.start()
        while thread.is_alive():
            ticks.append(1)
            time.sleep(0.001)
        self.assertGreater(len(ticks), 20)


class Cost(Case):
    def test_the_door_costs_no_more_than_a_few_calls(self):
        """The unit is a Python call with a copy of x, some 0.4 µs here: 12 of
        them are 5 µs.  CPU time, and the best of some: others are at work."""
        x = np.zeros(100)

        def f(x):
            return 1e-9 * x[0]

        def cpu(work):
            best = math.inf
            for _ in range(5):
                began = time.process_time()
                work()
                best = min(best, time.process_time() - began)
            return best
        n = 20000
        unit = cpu(lambda: [f(x.copy()) for _ in range(n)])
        bare = cpu(lambda: [f(x) for _ in range(n)])
        through = cpu(lambda: lrgd.minimize(
            f, np.ones(100), method="gd", step="fixed", alpha=1e-3,
            tol=1e-300, max_evals=n, stall_iterations=10 ** 9))
        self.assertLess(through - bare, 12 * unit)


class Leaks(Case):
    def resident(self):
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def test_ten_thousand_solves_leave_nothing_behind(self):
        w = np.ones(20)

        def line(x):
            return (w @ x - 3) ** 2

        def solve(i):
            try:
                if i % 2:
                    lrgd.minimize(Counter(line, 9, throw), np.zeros(20))
                else:
                    lrgd.minimize(line, np.zeros(20))
            except Boom:
                pass
        for i in range(1000):
            solve(i)
        before = self.resident()
        for i in range(10000):
            solve(i)
        self.assertLess(self.resident() - before, 1 << 20)
        self.assertEqual(len(_door._doors), 0)


if __name__ == "__main__":
    main()
