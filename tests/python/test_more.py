"""Diagnosis, ask and tell, SciPy, pictures, and what the docstrings show."""
import doctest
import gc
import importlib
import os
import pkgutil
import signal
import subprocess
from random import Random

import matplotlib
import numpy as np

import lrgd
from common import (HERE, P, PYTHON, Case, bowl, bowl_gradient, bowl_slope,
                    main, valley)

matplotlib.use("Agg")
START = np.zeros(P)


def threads():
    return len(os.listdir("/proc/self/task"))


class Propositions(Case):
    def test_propositions_are_what_the_command_prints(self):
        worker = f"{PYTHON} {os.path.join(HERE, 'common.py')} value"
        told = self.run_json("propositions", "--worker", worker, "--dim", P,
                             "--start", 0)
        found = lrgd.propositions(bowl, START)
        for name in ("rank", "algebra", "evaluations"):
            self.assertEqual(found[name], told[name])
        self.assertEqual(found["lemma"]["alignment"],
                         told["lemma"]["alignment"])
        self.assertTrue(found["lemma"]["holds"])

    def test_an_exception_in_fun_reaches_the_caller(self):
        def fails(x):
            raise ZeroDivisionError
        with self.assertRaises(ZeroDivisionError):
            lrgd.propositions(fails, START)


class Diagnosis(Case):
    def test_a_diagnosis_is_what_the_command_prints(self):
        worker = f"{PYTHON} {os.path.join(HERE, 'common.py')} value"
        told = self.run_json("diagnose", "--worker", worker, "--dim", P,
                             "--start", 0, "--lower", -1, "--upper", 1)
        found = lrgd.diagnose(bowl, START, bounds=(-1, 1))
        for name in ("low_rank", "recommended_rank", "exact_rank", "verdict",
                     "evaluations", "samples", "held_out", "outcome",
                     "predicted_calls"):
            self.assertEqual(getattr(found, name), told[name], name)
        self.assertEqual(found.spectrum.tolist(), told["spectrum"])
        self.assertEqual([row.p95 for row in found.eta],
                         [row["p95"] for row in told["eta"]])
        self.assertEqual(found.certificate["share"],
                         told["certificate"]["share"])

    def test_directions_span_what_f_varies_along(self):
        from common import ROWS
        found = lrgd.diagnose(bowl, START, grad=bowl_gradient)
        # of rank 3, which is of no use where a gradient costs one evaluation
        self.assertEqual((found.low_rank, found.exact_rank), (False, 3))
        self.assertTrue(found.verdict.startswith("Do not use low rank"))
        self.assertIs(lrgd.diagnose(bowl, START).low_rank, True)
        U = found.directions[:, :3]
        self.assertLess(abs(U.T @ U - np.eye(3)).max(), 1e-9)
        self.assertLess(abs(ROWS.T - U @ (U.T @ ROWS.T)).max(), 1e-6)
        self.assertIn(found.verdict, str(found))

    def test_without_a_start_it_begins_in_the_middle(self):
        found = lrgd.diagnose(bowl, bounds=(np.full(P, -1), np.full(P, 1)),
                              jvp=bowl_slope, trial_runs=False, held_out=20)
        self.assertEqual(found.held_out, 20)
        with self.assertRaises(TypeError):
            lrgd.diagnose(bowl)
        with self.assertRaises(ValueError):
            lrgd.diagnose(bowl, bounds=[(0, None)] * P)

    def test_a_diagnosis_that_measured_nothing_says_so(self):
        blind = lrgd.diagnose(lambda x: np.nan, START)
        poor = lrgd.diagnose(bowl, START, max_evals=10)
        for found in (blind, poor):
            self.assertIsNone(found.low_rank)
            self.assertIn("Nothing can be said", found.verdict)
            self.assertIn(found.verdict, str(found))
            self.assertEqual(found.recommended_rank, 0)
        self.assertIs(lrgd.diagnose(lambda x: 7.0, START).low_rank, False)

    def test_an_exception_in_the_function_reaches_the_caller(self):
        calls = []

        def broken(x):
            calls.append(1)
            if len(calls) == 30:
                raise KeyError("thirty")
            return bowl(x)
        with self.assertRaises(KeyError):
            lrgd.diagnose(broken, START)
        self.assertEqual(len(calls), 30)

    def test_a_diagnosis_stopped_anywhere_counts_its_evaluations(self):
        calls = []
        asked = lrgd.diagnose(bowl, START).evaluations

        def stopping(x):
            calls.append(1)
            if len(calls) == stop:
                os.kill(os.getpid(), signal.SIGINT)
            return bowl(x)
        # in the first gradient, the samples, the checks, the trial runs
        for stop in (P // 2, 2 * P + 5, asked // 2, asked - 20):
            calls.clear()
            found = lrgd.diagnose(stopping, START)
            self.assertEqual(found.outcome, "stopped")
            self.assertEqual(found.evaluations, len(calls), stop)
            parts = sum(sum(kind.values()) for kind
                        in found.counts["evaluations"].values())
            self.assertLessEqual(parts, len(calls))
            self.assertEqual(found.counts["failures"], 0)
            self.assertEqual(found.failures, 0)

    def test_failures_are_counted(self):
        answers = []

        def moody(x):
            answers.append(np.nan if len(answers) % 25 == 9 else bowl(x))
            return answers[-1]
        found = lrgd.diagnose(moody, START, retries=2)
        self.assertEqual(found.evaluations, len(answers))
        self.assertEqual(found.failures, np.isnan(answers).sum())

    def test_every_panel_is_drawn_on_the_axes_given(self):
        import matplotlib.pyplot as plt
        found = lrgd.diagnose(bowl, START)
        figure, axes = plt.subplots(1, 3)
        for draw, ax in zip((found.plot_spectrum, found.plot_eta,
                             found.plot_summary), axes):
            self.assertIs(draw(ax), ax)
            self.assertTrue(ax.get_xlabel() and ax.get_ylabel())
            self.assertTrue(ax.lines)
        spectrum = axes[0].lines[0].get_ydata()
        self.assertTrue(np.allclose(spectrum, found.spectrum, atol=1e-15))
        self.assertEqual(len(axes[2].lines[0].get_xdata()), found.held_out)
        self.assertEqual(len(found.plot().axes), 3)
        plt.close("all")

    def test_a_run_is_drawn(self):
        import matplotlib.pyplot as plt
        lrgd.minimize(bowl, START, journal=self.path("run.db"))
        run = lrgd.Run(self.path("run.db"))
        ax = run.plot()
        best = ax.lines[1].get_ydata()
        self.assertEqual((len(best), best[-1]), (run.evaluations, run.best_f))
        plt.close("all")


class AskTell(Case):
    def test_the_loop_can_be_the_callers(self):
        wanted = lrgd.minimize(bowl, START)
        with lrgd.Asker(START) as run:
            asked = 0
            for question in run:
                asked += len(question)
                question.tell([bowl(x) for x in question.points])
            self.assertEqual(asked, wanted.nfev)
            self.assertEqual(run.result.counts, wanted.counts)
            self.assertTrue(np.array_equal(run.result.x, wanted.x))
            self.assertEqual([phase.text for phase in run.result.phases],
                             [phase.text for phase in wanted.phases])

    def test_answers_need_not_lie_side_by_side(self):
        run = lrgd.Asker(START, kind="gradient")
        for question in run:
            x, = question.points
            g = np.repeat(bowl_gradient(x), 2)[::2]
            self.assertFalse(g.flags.c_contiguous)
            question.tell([bowl(x)], g)
        self.assertEqual(run.result.nfev, lrgd.minimize(
            bowl, START, grad=bowl_gradient).nfev)
        self.assertEqual(run.result.nfev, lrgd.minimize(
            bowl, START, grad=lambda x: np.repeat(bowl_gradient(x), 2)[::2]
        ).nfev)

    def test_gradients_and_slopes_can_be_told(self):
        run = lrgd.Asker(START, kind="gradient")
        for question in run:
            x, = question.points
            question.tell(bowl(x), bowl_gradient(x))
        self.assertEqual(run.result.nfev, lrgd.minimize(
            bowl, START, grad=bowl_gradient).nfev)
        run = lrgd.Asker(START, kind="slope", bounds=(-9, 9))
        for question in run:
            x, = question.points
            question.tell(bowl(x), question.directions @ bowl_gradient(x))
        self.assertEqual(run.result.outcome, "converged")

    def test_answers_of_wrong_shape_are_refused(self):
        run = lrgd.Asker(START)
        question = run.ask()
        self.assertIs(run.ask(), question)
        with self.assertRaises(ValueError) as caught:
            question.tell([1.0] * (len(question) + 1))
        self.assertIn("f was told as an array of shape",
                      str(caught.exception))
        with self.assertRaises(lrgd.Error):
            run.result
        question.tell([1.0] * len(question))
        with self.assertRaises(ValueError):
            question.tell([1.0] * len(question))
        with self.assertRaises(RuntimeError):
            for _ in run:
                pass
        run.close()
        with self.assertRaises(ValueError):
            run.ask()
        with self.assertRaises(ValueError):
            lrgd.Asker(START, kind="hessian")

    def test_parts_of_a_question_are_told_in_any_order(self):
        x0 = np.full(40, 0.5)

        def curved(x):
            z = x[:20].sum() - 3, (x[::3] * np.arange(14)).sum() / 9 + 1
            return sum(np.sqrt(1 + 4 * v * v) - 1 for v in z)
        for width in (1, 8):
            whole = lrgd.minimize(curved, x0, width=width)
            for n in (1, 3, 8, 20):
                with self.subTest(width=width, n=n):
                    run, random = lrgd.Asker(x0, width=width), Random(n)
                    out = []
                    while (part := run.ask(n)) is not None:
                        if len(part):
                            out.append(part)
                        if not len(part) or random.random() < 0.3:
                            part = out.pop(random.randrange(len(out)))
                            part.tell([curved(x) for x in part.points])
                    self.assertEqual(run.result.nfev, whole.nfev)
                    self.assertEqual(run.result.fun, whole.fun)
                    np.testing.assert_array_equal(run.result.x, whole.x)

    def test_parts_that_do_not_fit_are_refused(self):
        run = lrgd.Asker(START, width=8)
        while len(run.ask()) < 3:
            question = run.ask()
            question.tell([bowl(x) for x in question.points])
        part = run.ask(2)
        self.assertEqual(len(part), 2)
        for wrong in (lambda: run.ask(0), run.ask, lambda: part.tell([1.0])):
            with self.assertRaises(ValueError):
                wrong()
        part.tell([1.0, 2.0])
        with self.assertRaises(ValueError):
            part.tell([1.0, 2.0])
        with self.assertRaises(ValueError):
            lrgd.Asker(START, kind="gradient").ask(1)

    def test_abandoned_runs_end_their_threads(self):
        gc.collect()
        before = threads()
        for _ in range(20):
            lrgd.Asker(START).ask()
        gc.collect()
        self.assertEqual(threads(), before)


class SciPy(Case):
    def setUp(self):
        super().setUp()
        from scipy.optimize import minimize
        self.minimize = minimize

    def test_lrgd_is_a_method_of_scipys_minimize(self):
        from scipy.optimize import OptimizeResult
        result = self.minimize(bowl, START, method=lrgd.scipy_method)
        self.assertIsInstance(result, OptimizeResult)
        self.assertTrue(result.success)
        self.assertEqual(result.nfev, lrgd.minimize(bowl, START).nfev)

    def test_derivatives_reach_the_library(self):
        for jac, fun in ((bowl_gradient, bowl),
                         (True, lambda x: (bowl(x), bowl_gradient(x)))):
            result = self.minimize(fun, START, method=lrgd.scipy_method,
                                   jac=jac)
            self.assertEqual(result.njev, lrgd.minimize(
                bowl, START, grad=bowl_gradient).njev)
        result = self.minimize(bowl, START, method=lrgd.scipy_method,
                               options=dict(jvp=bowl_slope))
        self.assertEqual(result.nfev, lrgd.minimize(
            None, START, jvp=bowl_slope).nfev)

    def test_scipys_words_for_limits(self):
        result = self.minimize(valley, -np.ones(P), tol=1e3,
                               method=lrgd.scipy_method)
        self.assertEqual(result.nfev,
                         lrgd.minimize(valley, -np.ones(P), tol=1e3).nfev)
        result = self.minimize(valley, -np.ones(P), method=lrgd.scipy_method,
                               options=dict(maxfev=90, seed=3))
        self.assertEqual((result.outcome, result.nfev <= 90),
                         ("budget", True))
        result = self.minimize(valley, -np.ones(P), method=lrgd.scipy_method,
                               options=dict(maxiter=4))
        self.assertEqual(result.nit, 4)

    def test_bounds_and_linear_equalities(self):
        from scipy.optimize import Bounds, LinearConstraint
        result = self.minimize(bowl, START, method=lrgd.scipy_method,
                               bounds=Bounds(-0.1, 0.1))
        self.assertLessEqual(abs(result.x).max(), 0.1)
        equal = LinearConstraint(np.ones((1, P)), 4, 4)
        result = self.minimize(bowl, START, method=lrgd.scipy_method,
                               constraints=equal)
        self.assertAlmostEqual(result.x.sum(), 4, places=9)
        result = self.minimize(bowl, START, method=lrgd.scipy_method,
                               constraints=LinearConstraint(np.ones((1, P)),
                                                            4, 5),
                               options=dict(maxfev=400))
        self.assertLess(abs(result.x.sum() - 4.5), 0.5 + 1e-5)

    def test_a_callback_gets_the_point(self):
        seen = []
        self.minimize(bowl, START, method=lrgd.scipy_method,
                      callback=lambda x: seen.append(x.shape) or False)
        self.assertEqual(set(seen), {(P,)})


class Words(Case):
    def test_the_type_hints_hold_together(self):
        run = subprocess.run(
            ["mypy", "--cache-dir", self.folder], text=True,
            cwd=os.path.join(HERE, "..", "..", "python"),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_examples_in_docstrings_give_what_they_show(self):
        tried = 0
        for module in pkgutil.iter_modules(lrgd.__path__):
            if module.name == "_worker":
                continue
            loaded = importlib.import_module("lrgd." + module.name)
            found = doctest.testmod(loaded, extraglobs={"lrgd": lrgd,
                                                        "np": np})
            self.assertEqual(found.failed, 0, module.name)
            tried += found.attempted
        tried += doctest.testmod(lrgd).attempted
        self.assertGreater(tried, 8)

    def test_every_public_name_says_what_it_is(self):
        for name in lrgd.__all__:
            self.assertTrue(getattr(lrgd, name).__doc__, name)


if __name__ == "__main__":
    main()
