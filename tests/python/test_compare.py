"""lrgd.compare: several methods on one function."""
import importlib.util

import lrgd
import numpy as np

from common import P, Case, bowl, main


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.asked = 0

    def fun(self, x):
        self.asked += 1
        return bowl(x)

    def test_nobody_asks_for_more_than_the_budget_and_points_are_shared(self):
        found = lrgd.compare(self.fun, np.zeros(P), max_evals=150)
        for one in found.contenders:
            self.assertLessEqual(one.nfev, 150, one.method)
            self.assertEqual(one.best, sorted(one.best, reverse=True))
        self.assertEqual(sum(one.paid for one in found.contenders), self.asked)
        self.assertLess(found["gd"].paid, found["gd"].nfev)
        self.assertEqual(found.first, bowl(np.zeros(P)))

    def test_auto_takes_as_many_evaluations_in_a_comparison_as_alone(self):
        alone = lrgd.minimize(bowl, np.zeros(P), max_evals=300)
        found = lrgd.compare(bowl, np.zeros(P), ["auto"], max_evals=300)
        self.assertEqual(found["auto"].nfev, alone.nfev)
        self.assertEqual(found["auto"].outcome, alone.outcome)

    def test_scipys_methods_keep_bounds_and_budget(self):
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("no SciPy")
        found = lrgd.compare(bowl, np.full(P, 0.1),
                             ["l-bfgs-b", "nelder-mead", "powell"],
                             bounds=(0, 1), max_evals=150)
        for one in found.contenders:
            self.assertEqual((one.nfev, one.outcome), (150, "budget"))
            self.assertTrue(((one.x >= 0) & (one.x <= 1)).all(), one.method)
            self.assertLess(one.fun, found.first)

    def test_what_is_not_installed_is_reported(self):
        found = lrgd.compare(bowl, np.zeros(P), ["auto", "cma-es"],
                             max_evals=30)
        if importlib.util.find_spec("cma") is None:
            self.assertEqual(found["cma-es"].outcome, "not installed: cma")

    def test_an_exception_in_fun_reaches_the_caller(self):
        def bad(x):
            raise ZeroDivisionError("here")
        for method in ("auto", "powell"):
            with self.assertRaisesRegex(ZeroDivisionError, "here"):
                lrgd.compare(bad, np.zeros(4), [method])

    def test_an_unknown_method_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no method 'adam'"):
            lrgd.compare(bowl, np.zeros(P), ["adam"])

    def test_it_prints_a_table_and_makes_a_frame(self):
        found = lrgd.compare(bowl, np.zeros(P), ["auto", "gd"], max_evals=90)
        self.assertEqual([line.split()[0] for line in repr(found).split("\n")],
                         ["method", "auto", "gd"])
        if importlib.util.find_spec("pandas") is not None:
            frame = found.to_frame()
            self.assertEqual(set(frame.method), {"auto", "gd"})


main()
