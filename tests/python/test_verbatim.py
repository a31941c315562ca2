"""The paper's algorithms as they are written, and samples, from Python: the
transcriptions are numpy's."""
import warnings

import numpy as np

import lrgd
from common import P, Case, bowl, bowl_gradient, bowl_slope, main

START = np.linspace(0.2, -0.1, P)
POINTS = np.random.default_rng(7).normal(size=(4, P)) / 8


class Asked:
    """The bowl of rank 3, with all questions written down."""

    def __init__(self):
        self.slopes, self.gradients, self.values = [], [], []

    def jvp(self, x, u):
        self.slopes.append((x, u))
        return bowl_slope(x, u)

    def grad(self, x):
        self.gradients.append(x)
        return bowl_gradient(x)

    def value(self, x):
        self.values.append(x)
        return bowl(x)


def algorithm_1(points, theta, alpha, steps):
    G = np.array([bowl_gradient(x) for x in points]).T
    U = np.linalg.svd(G / np.linalg.norm(G, axis=0), full_matrices=False)[0]
    path = []
    for _ in range(steps):
        path.append(theta)
        theta = theta - alpha * U @ (U.T @ bowl_gradient(theta))
    return path, theta


class Verbatim(Case):
    def check_path(self, asked, wanted):
        self.assertEqual(len(asked), len(wanted))
        self.assertLess(np.abs(np.array(asked) - np.array(wanted)).max(),
                        1e-12)

    def test_algorithm_1_as_written_call_for_call(self):
        for r in (1, 2, 3, 4):  # of rank 3: the fourth direction is any
            f = Asked()
            result = lrgd.minimize(None, START, jvp=f.jvp, method="lrgd",
                                   rank=r, alpha=2e-4, verbatim=True,
                                   samples=POINTS[:r], max_iterations=15)
            path, theta = algorithm_1(POINTS[:r], START, 2e-4, 15)
            wanted = [x for x in POINTS[:r] for _ in range(P)]
            wanted += [x for x in path for _ in range(r)]
            self.check_path([x for x, _ in f.slopes], wanted + [theta])
            self.check_path([result.x], [theta])
            self.assertEqual(result.oracle_calls, r * P + 15 * r)
            self.assertEqual((result.nit, result.rank), (15, r))
            self.assertIsNone(result.certificate)

    def test_gradients_are_asked_for_at_the_same_points(self):
        f = Asked()
        lrgd.minimize(bowl, START, grad=f.grad, method="lrgd", rank=2,
                      alpha=2e-4, verbatim=True, samples=POINTS[:2],
                      max_iterations=15)
        path, theta = algorithm_1(POINTS[:2], START, 2e-4, 15)
        self.check_path(f.gradients, [*POINTS[:2], *path, theta])

    def test_values_alone_are_a_difference_for_each_slope(self):
        f = Asked()
        result = lrgd.minimize(f.value, START, method="lrgd", rank=2,
                               alpha=2e-4, verbatim=True, samples=POINTS[:2],
                               max_iterations=15)
        self.assertEqual(len(f.values), 2 * (P + 1) + 15 * (2 + 1) + 1)
        _, theta = algorithm_1(POINTS[:2], START, 2e-4, 15)
        self.assertLess(np.abs(result.x - theta).max(), 1e-5)

    def test_a_sample_that_is_lower_than_every_iterate_is_no_iterate(self):
        best = lrgd.minimize(bowl, START, grad=bowl_gradient).x
        result = lrgd.minimize(bowl, START, grad=bowl_gradient, method="lrgd",
                               rank=1, alpha=1e-5, verbatim=True,
                               samples=[best + 1e-3], max_iterations=3)
        self.assertGreater(result.fun, bowl(best + 1e-3) + 0.1)

    def test_verbatim_is_a_switch_and_needs_a_step(self):
        with self.assertRaisesRegex(ValueError, "needs alpha"):
            lrgd.minimize(bowl, START, method="lrgd", rank=2, verbatim=True)
        with self.assertRaisesRegex(ValueError, "0 or 1"):
            lrgd.minimize(bowl, START, method="lrgd", rank=2, verbatim=2)
        with self.assertRaisesRegex(ValueError, "verbatim"):
            lrgd.minimize(bowl, START, method="gd", alpha=2e-4, verbatim=True,
                          learn_from=([START], [bowl(START)]))

    def test_ask_and_tell_asks_for_gradients_at_the_samples(self):
        run = lrgd.Asker(START, kind="gradient", method="lrgd", rank=3,
                         verbatim=True, samples=POINTS[:3], alpha=0.1,
                         max_evals=20)
        asked = []
        for question in run:
            asked.extend(question.points)
            x = question.points[0]
            question.tell(bowl(x), bowl_gradient(x))
        np.testing.assert_array_equal(asked[:3], POINTS[:3])
        with self.assertRaisesRegex(ValueError, "samples has shape"):
            lrgd.Asker(START, samples=POINTS[:, 1:])

    def test_invalid_samples_are_refused(self):
        for wrong, words in ((POINTS[:, :5], "a row of 60 numbers"),
                             (POINTS[0], "a row of 60 numbers"),
                             (POINTS[:1], "1 sample, but rank 2"),
                             (POINTS * np.inf, "of sample 1")):
            with self.assertRaisesRegex(ValueError, words):
                lrgd.minimize(bowl, START, method="lrgd", rank=2,
                              samples=wrong)
        with self.assertRaisesRegex(ValueError, "method lrgd only"):
            lrgd.minimize(bowl, START, samples=POINTS)

    def test_a_journal_records_the_given_samples(self):
        how = dict(method="lrgd", rank=2, alpha=2e-4, verbatim=True,
                   max_iterations=5)
        path = self.path("run.db")
        first = lrgd.minimize(bowl, START, jac=bowl_gradient,
                              samples=POINTS[:2], journal=path, **how)
        with self.assertRaisesRegex(lrgd.JournalRefused, "samples is other"):
            lrgd.minimize(bowl, START, jac=bowl_gradient, samples=POINTS[1:3],
                          journal=path, **how)
        f = Asked()
        again = lrgd.Run(path).resume(bowl, jac=f.grad)
        self.assertEqual(again.x.tolist(), first.x.tolist())
        self.assertEqual(f.gradients, [])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            lrgd.Run(path).resume(bowl, jac=f.grad, samples=POINTS[1:3])
        self.assertIn("samples is other", str(told[0].message))
        self.assertEqual(f.gradients[0].tolist(), POINTS[1].tolist())


if __name__ == "__main__":
    main()
