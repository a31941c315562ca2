"""Gradients that are not those of f are told, with both numbers."""
import json
import sys

import numpy as np

import lrgd
from common import Case, main

P = 40
A = np.cos(np.outer(np.arange(P), np.arange(P)) / 3)
H = A @ A.T / P + np.eye(P)


def f(x):
    return float(0.5 * x @ H @ x - x.sum() + np.cosh(x[0]))


def gradient(x):
    g = H @ x - 1
    g[0] += np.sinh(x[0])
    return g


def without(index, factor):
    """The gradient with one number wrong."""
    return lambda x: gradient(x) * np.where(np.arange(P) == index, factor, 1)


START = np.linspace(1, 2, P)
WORKER = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from test_check import f, gradient, without
told = without(5, -1) if sys.argv[2] == "wrong" else gradient
for line in sys.stdin:
    x = np.array(line.split(), dtype=float)
    print(f(x), *told(x).tolist(), flush=True)
"""


class Checks(Case):
    def test_a_right_gradient_agrees_for_a_few_evaluations(self):
        found = lrgd.check_gradient(f, START, gradient)
        self.assertTrue(found)
        self.assertIsNone(found.input)
        self.assertLess(abs(found.told - found.measured),
                        1e-3 * abs(found.told) + 3 * found.error)
        self.assertLess(found.evaluations, 25)
        self.assertTrue(lrgd.check_gradient(
            None, START, jvp=lambda x, u: (f(x), gradient(x) @ u)))

    def test_the_wrong_input_is_found_with_both_numbers(self):
        for index in (0, 17, P - 1):
            for factor in (-1, 0, 1.5):
                found = lrgd.check_gradient(f, START, without(index, factor))
                self.assertFalse(found)
                self.assertEqual(found.input, index)
                right = gradient(START)[index]
                self.assertAlmostEqual(found.input_told, factor * right, 9)
                self.assertLess(abs(found.input_measured - right),
                                1e-4 * abs(right))
                self.assertIn(f"by x[{index}] it says", str(found))

    def test_all_of_the_wrong_sign_or_size_is_reported(self):
        for factor in (-1, 0.5, 2):
            found = lrgd.check_gradient(f, START,
                                        lambda x: factor * gradient(x))
            self.assertFalse(found)
            self.assertLess(abs(found.input_told
                                - factor * found.input_measured), 1e-4)

    def test_beside_bounds_the_differences_stay_inside(self):
        asked = []

        def watched(x):
            asked.append(x)
            return f(x)
        found = lrgd.check_gradient(watched, START, gradient,
                                    bounds=(START.copy(), START + 1))
        self.assertTrue(found)
        wrong = lrgd.check_gradient(watched, START, without(3, -1),
                                    bounds=(START.copy(), START + 1))
        self.assertEqual(wrong.input, 3)
        self.assertGreaterEqual((np.array(asked) - START).min(), 0)

    def test_a_problem_without_derivatives_is_refused(self):
        with self.assertRaisesRegex(lrgd.InvalidArgument, "nothing to check"):
            lrgd.check_gradient(f, START)


class Runs(Case):
    def test_a_run_that_stalls_says_what_contradicts_what(self):
        for method in ("auto", "quasi-newton", "gd"):
            result = lrgd.minimize(f, START, jac=lambda x: -gradient(x),
                                   method=method)
            self.assertEqual(result.stall_reason, "no_decrease")
            self.assertEqual(result.end.kind, "gradient_contradicted", method)
            norm = float(np.linalg.norm(gradient(result.x)))
            self.assertLess(abs(result.end.level - norm), 1e-3 * norm)
            self.assertLess(abs(result.end.value + norm), 1e-3 * norm)
            self.assertIn("is not that of f", result.message)

    def test_a_kink_is_no_wrong_gradient(self):
        def kink(x):
            return float(np.abs(x).sum() + (x ** 2).sum())
        result = lrgd.minimize(kink, START,
                               jac=lambda x: np.sign(x) + 2 * x)
        self.assertNotEqual(result.end.kind, "gradient_contradicted")

    def test_a_budget_is_kept(self):
        for most in range(60, 80):
            result = lrgd.minimize(f, START, jac=lambda x: -gradient(x),
                                   max_evals=most)
            self.assertLessEqual(result.nfev, most)


class Command(Case):
    def worker(self, kind):
        import os
        path = self.write("worker.py", WORKER)
        here = os.path.dirname(os.path.abspath(__file__))
        self.write("start", "".join(f"{x!r}\n" for x in START.tolist()))
        return ("--worker", f"{sys.executable} {path} {here} {kind}",
                "--oracle", "gradient", "--start", self.path("start"))

    def test_the_command_check_gives_exit_status_4_for_wrong_gradients(self):
        run = self.run_lrgd("check", *self.worker("right"))
        self.assertIn("The gradient is that of f.", run.stdout)
        run = self.run_lrgd("check", *self.worker("wrong"), "--json", code=4)
        told = json.loads(run.stdout)
        self.assertFalse(told["agrees"])
        self.assertEqual((told["input"]["input"], told["input"]["name"]),
                         (6, "x6"))
        self.assertLess(abs(told["input"]["told"]
                            + told["input"]["measured"]), 1e-4)
        run = self.run_lrgd("check", *self.worker("wrong"), code=4)
        self.assertIn("by x6 (input 6)", run.stdout)
        run = self.run_lrgd("check", "quadratic", code=2)
        self.assertIn("nothing to check", run.stderr)


if __name__ == "__main__":
    main()
