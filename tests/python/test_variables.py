"""Scales, logarithms and names of inputs; the widths of bounds; the bar."""
import contextlib
import io
import os
import sys
import warnings

import numpy as np

import lrgd
from common import Case, main

P = 12
SIZES = 10.0 ** (np.arange(P) % 5)  # 1 to 10,000
GOAL = SIZES * np.linspace(0.2, 0.8, P)


def wide(x):
    """Alike in x / SIZES, and hopeless in x."""
    z = (x - GOAL) / SIZES
    return float((z ** 2).sum() + 3 * z.sum() ** 2 + z[0] ** 4)


def wide_gradient(x):
    z = (x - GOAL) / SIZES
    g = 2 * z + 6 * z.sum()
    g[0] += 4 * z[0] ** 3
    return g / SIZES


def rates(x):
    """Least where each rate is what it is, over orders of magnitude."""
    return float((np.log(x / np.logspace(-4, 4, len(x))) ** 2).sum())


BOX = (np.zeros(P), SIZES)
START = 0.5 * SIZES


class Scales(Case):
    def test_widths_are_scales_where_they_differ_much_and_it_is_said(self):
        with self.assertWarnsRegex(UserWarning,
                                   "1e.04 times: each input") as caught:
            result = lrgd.minimize(wide, START, bounds=BOX)
        self.assertEqual(caught.filename, __file__)
        self.assertEqual(result.outcome, "converged")
        self.assertLess(abs((result.x - GOAL) / SIZES).max(), 1e-4)

    def test_scaling_by_widths_gives_the_same_run_as_the_command(self):
        worker = self.write("wide.py", (
            "import sys\nsys.path.insert(0, sys.argv[1])\n"
            "import numpy as np\nfrom test_variables import wide\n"
            "for line in sys.stdin:\n"
            "    print(repr(wide(np.array(line.split(), dtype=float))), "
            "flush=True)\n"))
        for name, column in (("lower", BOX[0]), ("upper", BOX[1]),
                             ("start", START)):
            self.write(name, "".join(f"{x!r}\n" for x in column.tolist()))
        here = os.path.dirname(os.path.abspath(__file__))
        told = self.run_lrgd(
            "minimize", "--worker", f"{sys.executable} {worker} {here}",
            "--dim", str(P), "--lower", self.path("lower"), "--upper",
            self.path("upper"), "--start", self.path("start"), "--json")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = lrgd.minimize(wide, START, bounds=BOX)
        import json
        theirs = json.loads(told.stdout)
        self.assertEqual(theirs["evaluations"], result.nfev)
        self.assertEqual(theirs["f"], result.fun)

    def test_scale_is_the_same_given_and_one_is_none(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = lrgd.minimize(wide, START, bounds=BOX)
            plain = lrgd.minimize(wide, START, bounds=BOX, scale=1,
                                  max_evals=found.nfev)
        given = lrgd.minimize(wide, START, bounds=BOX, scale=SIZES)
        self.assertEqual(given.nfev, found.nfev)
        np.testing.assert_array_equal(given.x, found.x)
        self.assertGreater(plain.fun, found.fun)

    def test_a_tolerance_is_about_inputs_as_they_are(self):
        with self.assertWarnsRegex(UserWarning, "inputs are taken as they"):
            lrgd.minimize(wide, START, bounds=BOX, tol=1e-3, max_evals=20)

    def test_scale_goes_with_gradients_slopes_and_known_evaluations(self):
        known = [START, 0.3 * START + 0.7 * GOAL]
        for more in (dict(jac=wide_gradient),
                     dict(jvp=lambda x, u: (wide(x), wide_gradient(x) @ u)),
                     dict(learn_from=[(x, wide(x)) for x in known])):
            result = lrgd.minimize(wide, START, scale=SIZES, **more)
            self.assertEqual(result.outcome, "converged", more)
            self.assertLess(abs((result.x - GOAL) / SIZES).max(), 1e-4)
        result = lrgd.minimize(wide, START, jac=wide_gradient, scale=SIZES)
        np.testing.assert_array_equal(result.jac, wide_gradient(result.x))

    def test_equations_hold_for_x_and_not_for_scaled_inputs(self):
        A, b = np.ones((1, P)), [GOAL.sum() + 100]
        result = lrgd.minimize(wide, START, scale=SIZES, equal=(A, b))
        self.assertLess(abs(A @ result.x - b).max(), 1e-7 * b[0])
        with self.assertRaisesRegex(lrgd.InvalidArgument, "without log"):
            lrgd.minimize(rates, np.ones(P), log=True, equal=(A, b))
        with self.assertRaisesRegex(lrgd.InvalidArgument, "basis without"):
            lrgd.minimize(wide, START, scale=SIZES, basis=np.eye(P)[:, :2])

    def test_callbacks_and_bounds_are_in_units_of_x(self):
        seen = []

        def cliff(x):
            return np.nan if x[1] > 2.0 else wide(x)
        result = lrgd.minimize(cliff, 0.1 * SIZES, scale=SIZES,
                               names=[f"in{i}" for i in range(P)],
                               callback=lambda news: seen.append(news.x))
        self.assertGreater(abs(seen[-1]).max(), 1000)
        walls = result.hidden_bounds
        self.assertEqual([wall.input for wall in walls], [2])
        self.assertLess(abs(walls[0].value - 2), 0.01)
        self.assertIn("in1", " ".join(phase.text for phase in result.phases))
        self.assertIn("in1", result.message)

    def test_scales_that_are_not_positive_numbers_are_refused(self):
        for scale, why in ((np.ones(3), "x has 12 numbers"),
                           (-1.0, "input 1 is -1; it must be > 0")):
            with self.assertRaisesRegex(ValueError, why):
                lrgd.minimize(wide, START, scale=scale)


class Logarithms(Case):
    def test_rates_over_orders_of_magnitude_are_found(self):
        x0 = np.ones(9)
        for log in (True, "all", range(9), [True] * 9):
            result = lrgd.minimize(rates, x0, log=log)
            self.assertEqual(result.outcome, "converged")
            self.assertLess(
                abs(np.log(result.x / np.logspace(-4, 4, 9))).max(), 1e-4)

    def test_inputs_are_named_or_numbered_from_zero(self):
        asked = []

        def f(x):
            asked.append(x.copy())
            return float(np.log(x[1] / 50) ** 2 + (x[0] - 1) ** 2)
        for log in ([1], ["k"], "k", [False, True]):
            result = lrgd.minimize(f, [0.0, 1.0], log=log, names=["a", "k"])
            self.assertLess(abs(result.x - [1, 50]).max(), 1e-2)
        self.assertGreater(np.array(asked)[:, 1].min(), 0)
        with self.assertRaisesRegex(ValueError, "'b' is neither an index"):
            lrgd.minimize(f, [0.0, 1.0], log=["b"], names=["a", "k"])
        with self.assertRaisesRegex(lrgd.InvalidArgument,
                                    "log: k starts at -1; it must be > 0"):
            lrgd.minimize(f, [0.0, -1.0], log=["k"], names=["a", "k"])

    def test_names_must_be_names(self):
        for names, why in ((["a"], "1 names; x has 2"),
                           (["a", "b c"], "'b c' is not a name"),
                           (["a", "a"], "there twice")):
            with self.assertRaisesRegex(ValueError, why):
                lrgd.minimize(rates, [1.0, 1.0], names=names)


class Kept(Case):
    def test_a_journal_keeps_them_and_the_run_goes_on(self):
        path = self.path("run.db")
        whole = lrgd.minimize(rates, np.ones(9), log=True, scale=2)
        lrgd.minimize(rates, np.ones(9), log=True, scale=2, journal=path,
                      max_evals=15, names=[f"k{i}" for i in range(9)])
        run = lrgd.Run(path)
        self.assertEqual(run.settings["names"].split()[3], "k3")
        result = run.resume(rates, max_evals=None)
        self.assertEqual(result.nfev, whole.nfev)
        np.testing.assert_array_equal(result.x, whole.x)
        again = lrgd.minimize(rates, np.ones(9), log=True, scale=2,
                              journal=path)
        self.assertEqual(again.fun, whole.fun)
        with self.assertRaisesRegex(lrgd.JournalRefused, "scale"):
            lrgd.minimize(rates, np.ones(9), log=True, scale=3, journal=path)

    def test_a_run_of_the_commands_with_scales_goes_on(self):
        worker = self.write("rates.py", (
            "import sys\nsys.path.insert(0, sys.argv[1])\n"
            "import numpy as np\nfrom test_variables import rates\n"
            "for line in sys.stdin:\n"
            "    print(repr(rates(np.array(line.split(), dtype=float))), "
            "flush=True)\n"))
        here = os.path.dirname(os.path.abspath(__file__))
        path = self.path("run.db")
        self.run_lrgd("minimize", "--worker",
                      f"{sys.executable} {worker} {here}", "--dim", "9",
                      "--start", "1", "--log", "all", "--journal", path,
                      "--max-evals", "12", code=3)
        result = lrgd.Run(path).resume(rates, max_evals=None)
        self.assertEqual(result.nfev,
                         lrgd.minimize(rates, np.ones(9), log=True).nfev)


class Diagnoses(Case):
    def test_logarithms_scales_and_theorems(self):
        def product(x):
            return float(np.prod(x ** np.linspace(-1, 1, x.size)))
        x0 = np.full(8, 2.0)
        plain = lrgd.diagnose(product, x0, rehearse=False, bounds=(1, 4))
        self.assertEqual(plain.transforms["log"]["exact_rank"], 1)
        found = lrgd.diagnose(product, x0, rehearse=False, log=True)
        self.assertEqual(found.exact_rank, 1)
        self.assertEqual([one.name for one in found.theorems],
                         ["3.1", "3.2", "3.3", "3.4"])
        for one in found.theorems:
            self.assertEqual(one.conditions_hold,
                             all(c.holds for c in one.conditions))
            for c in one.conditions:
                self.assertEqual(c.holds, c.left <= c.right, c)
        etas = [row.eta for row in found.trade_off]
        self.assertEqual(etas[0], 0)
        epsilons = [row.epsilon for row in found.trade_off]
        self.assertEqual(epsilons, sorted(epsilons, reverse=True))
        self.assertIn("theorems of the paper", str(found))

    def test_a_journal_asks_nothing_twice(self):
        asked = []

        def f(x):
            asked.append(1)
            return rates(x)
        path = self.path("study.db")
        first = lrgd.diagnose(f, np.ones(6), log=True, journal=path,
                              rehearse=False)
        count = len(asked)
        self.assertEqual(first.from_journal, 0)
        again = lrgd.diagnose(f, np.ones(6), log=True, journal=path,
                              rehearse=False)
        self.assertEqual((len(asked), again.from_journal), (count, count))
        np.testing.assert_array_equal(first.spectrum, again.spectrum)
        with self.assertRaises(lrgd.JournalRefused):
            lrgd.diagnose(f, np.ones(6), journal=path, rehearse=False)


class Screen(io.StringIO):
    def __init__(self, terminal):
        super().__init__()
        self.terminal = terminal

    def isatty(self):
        return self.terminal


class Bars(Case):
    def shown(self, terminal, **more):
        from lrgd import _bar
        screen = Screen(terminal)
        before = os.environ.get("TERM")
        os.environ["TERM"] = "xterm"
        every = _bar._Terminal.every, _bar._FIRST_LINE_S, _bar._LINES_S
        _bar._Terminal.every = _bar._FIRST_LINE_S = _bar._LINES_S = 0
        try:
            with contextlib.redirect_stderr(screen):
                result = lrgd.minimize(wide, START, scale=SIZES,
                                       progress=True, **more)
        finally:
            (_bar._Terminal.every, _bar._FIRST_LINE_S,
             _bar._LINES_S) = every
            if before is None:
                del os.environ["TERM"]
            else:
                os.environ["TERM"] = before
        return result, screen.getvalue()

    def test_progress_on_a_terminal_is_one_line_erased_at_the_end(self):
        result, text = self.shown(True, max_evals=40)
        self.assertNotIn("\n", text)
        self.assertTrue(text.endswith("\r\x1b[K"))
        self.assertIn(f"{result.nfev} of 40 evaluations", text)
        self.assertIn("|grad f|", text)
        counts = [int(part.split(" of 40")[0].split()[-1])
                  for part in text.split("\r\x1b[K") if " of 40" in part]
        self.assertEqual(counts, sorted(counts))
        self.assertGreater(len(set(counts)), 20)  # of evaluations, one by one

    def test_a_file_has_lines_and_the_run_is_the_same(self):
        result, text = self.shown(False)
        self.assertIn(" evaluations  f ", text.splitlines()[-1])
        self.assertEqual(result.nfev,
                         lrgd.minimize(wide, START, scale=SIZES).nfev)


if __name__ == "__main__":
    main()
