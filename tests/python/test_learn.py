"""Runs that know what was paid for before: journals, memory, earlier paths."""
import os
import subprocess
import sys
import warnings

import numpy as np

import lrgd
from common import (HERE, P, PYTHON, ROWS, Case, bowl, bowl_gradient,
                    bowl_slope, main)
from lrgd import _learn

START = np.zeros(P)
# of what a run pays that knows nothing
SHARE = 0.9


def dish(x):
    """Of rank 3, and strongly convex in it: its minimum is one point."""
    s = ROWS @ x - np.array([3, -1, 2])
    return float(s @ s + np.cos(s[0]))


def slopes(x):
    s = ROWS @ x - np.array([3, -1, 2])
    return ROWS.T @ (2 * s - np.array([np.sin(s[0]), 0, 0]))


class Counted:
    """Counts, and remembers what was asked."""

    def __init__(self, f):
        self.f, self.asked, self.told = f, [], []

    @property
    def calls(self):
        return len(self.asked)

    def __call__(self, x, *more):
        self.asked.append(x.copy())
        told = self.f(x, *more)
        self.told.append(told)
        return told


def other(x):
    return dish(x) + 1


class Learning(Case):
    def setUp(self):
        super().setUp()
        self.old, self.db = self.path("old.db"), self.path("run.db")
        self.f = Counted(dish)
        self.first = lrgd.minimize(self.f, START, journal=self.old)
        self.X, self.told = np.array(self.f.asked), np.array(self.f.told)

    def assert_cheaper(self, result, f):
        self.assertEqual(result.outcome, "converged")
        self.assertLess(f.calls, SHARE * self.first.nfev)
        self.assertLessEqual(result.fun, self.first.fun + 1e-9)

    def test_a_journal_makes_the_next_run_cheaper(self):
        f = Counted(dish)
        result = lrgd.minimize(f, START, learn_from=self.old)
        self.assert_cheaper(result, f)
        self.assertEqual(result.nfev, f.calls)

    def test_arrays_and_pairs_teach_the_same(self):
        wanted = Counted(dish)
        lrgd.minimize(wanted, START, learn_from=(self.X, self.told))
        f = Counted(dish)
        result = lrgd.minimize(f, START,
                               learn_from=list(zip(self.X, self.told)))
        self.assert_cheaper(result, f)
        self.assertTrue(np.array_equal(f.asked, wanted.asked))

    def test_several_sources_are_taken_in_order(self):
        half = len(self.told) // 2
        parts = [(self.X[:half], self.told[:half]),
                 *zip(self.X[half:], self.told[half:])]
        learned = _learn.begin([self.old, *parts], P)
        self.addCleanup(learned.close)
        f = [one.f for one in learned.evaluations()]
        self.assertTrue(np.array_equal(f[-len(self.told):], self.told))
        self.assertEqual([one.name for one in learned.sources],
                         [os.path.realpath(self.old), "(memory)",
                          "(memory)"])

    def test_gradients_in_memory_are_used(self):
        X = self.X[:3]
        G = np.array([bowl_gradient(x) for x in X])
        f = np.array([bowl(x) for x in X])
        learned = _learn.begin((X, f, G), P)
        self.addCleanup(learned.close)
        for one, g in zip(learned.evaluations(), G):
            there = (_learn.ctypes.c_double * P).from_address(one.gradient)
            self.assertTrue(np.array_equal(there, g))
        triples = _learn.read(list(zip(X, f, G)), P)
        self.assertTrue(np.array_equal(triples[0].gradients, G))

    def test_the_first_question_is_the_lowest_known_point(self):
        f = Counted(dish)
        lrgd.minimize(f, START, learn_from=(self.X, self.told))
        self.assertIn(dish(f.asked[0]), self.told)
        self.assertLess(dish(f.asked[0]), dish(START))

    def test_another_function_is_refused(self):
        f = Counted(other)
        with self.assertRaises(lrgd.JournalRefused):
            lrgd.minimize(f, START, learn_from=self.old)
        self.assertEqual(f.calls, 1)

    def test_another_dimension_is_refused(self):
        with self.assertRaises(lrgd.JournalRefused):
            lrgd.minimize(dish, np.zeros(P + 1), learn_from=self.old)
        with self.assertRaises(ValueError) as caught:
            lrgd.minimize(dish, np.zeros(P + 1),
                          learn_from=(self.X, self.told))
        self.assertIn(f"(n, {P + 1})", str(caught.exception))

    def test_known_evaluations_with_a_basis_are_refused(self):
        with self.assertRaises(ValueError) as caught:
            lrgd.minimize(dish, START, basis=np.eye(P)[:, :4],
                          learn_from=self.old)
        self.assertIn("learn_from", str(caught.exception))

    def test_a_missing_journal_is_reported(self):
        with self.assertRaises(lrgd.Error) as caught:
            lrgd.minimize(dish, START, learn_from=self.path("none.db"))
        self.assertIn("none.db", str(caught.exception))

    def test_bounds_hold_for_what_is_learned(self):
        f = Counted(dish)
        lrgd.minimize(f, START, bounds=(-0.01, 0.01), learn_from=self.old)
        self.assertLessEqual(np.abs(f.asked).max(), 0.01)

    def test_scipys_minimize_accepts_known_evaluations_too(self):
        from scipy.optimize import minimize
        f = Counted(dish)
        found = minimize(f, START, method=lrgd.scipy_method,
                         options={"learn_from": self.old})
        self.assertTrue(found.success)
        self.assertLess(f.calls, SHARE * self.first.nfev)

    def test_workers_learn_too(self):
        result = lrgd.minimize(dish, START, jobs=2, learn_from=self.old)
        self.assertLess(result.nfev, SHARE * self.first.nfev)

    def test_ask_and_tell_accepts_known_evaluations_too(self):
        count = 0
        with lrgd.Asker(START, learn_from=(self.X, self.told)) as run:
            for question in run:
                count += len(question)
                question.tell([dish(x) for x in question.points])
            self.assertEqual(run.result.outcome, "converged")
        self.assertLess(count, SHARE * self.first.nfev)

    def test_a_loop_that_answers_otherwise_is_refused(self):
        with lrgd.Asker(START, learn_from=self.old) as run:
            for question in run:
                question.tell([other(x) for x in question.points])
            with self.assertRaises(lrgd.JournalRefused):
                run.result


class Diagnosing(Case):
    HOW = dict(held_out=10, trial_runs=False)

    def gradients(self):
        X = np.random.default_rng(3).normal(size=(3, P)) * 0.1
        return (X, np.array([dish(x) for x in X]),
                np.array([slopes(x) for x in X]))

    def test_gradients_known_before_are_not_sampled_again(self):
        plain = lrgd.diagnose(dish, START, **self.HOW)
        told = lrgd.diagnose(dish, START, learn_from=self.gradients(),
                             **self.HOW)
        self.assertEqual((told.known_gradients, told.exact_rank), (3, 3))
        self.assertEqual(plain.exact_rank, 3)
        self.assertLess(told.evaluations, plain.evaluations - P)

    def test_known_gradients_of_few_directions_do_not_end_the_sampling(self):
        X, f, G = self.gradients()
        many = (np.tile(X[:1], (20, 1)), np.tile(f[:1], 20),
                np.tile(G[:1], (20, 1)))
        told = lrgd.diagnose(dish, START, learn_from=many, **self.HOW)
        self.assertEqual((told.known_gradients, told.exact_rank), (1, 3))

    def test_differences_along_all_inputs_are_a_gradient(self):
        x = np.full(P, 0.05)
        points = [x]
        for i in range(P):
            points.append(x.copy())
            points[-1][i] += 2e-8
        known = (np.array(points), np.array([dish(x) for x in points]))
        told = lrgd.diagnose(dish, START, learn_from=known, **self.HOW)
        self.assertEqual((told.known_gradients, told.exact_rank), (1, 3))

    def test_what_was_asked_is_answered_from_memory(self):
        f = Counted(dish)
        lrgd.diagnose(f, START, **self.HOW)
        known = (np.array(f.asked), np.array(f.told))
        again = Counted(dish)
        told = lrgd.diagnose(again, START, learn_from=known, **self.HOW)
        self.assertEqual(told.evaluations, again.calls)
        self.assertGreater(told.known_before, 0.5 * f.calls)

    def test_another_function_is_refused(self):
        with self.assertRaises(lrgd.JournalRefused):
            lrgd.diagnose(other, START, learn_from=self.gradients(),
                          **self.HOW)


class Keeping(Case):
    """A journal of a run that learned."""

    def setUp(self):
        super().setUp()
        self.old, self.db = self.path("old.db"), self.path("run.db")
        f = Counted(bowl)
        lrgd.minimize(f, START, journal=self.old, max_iterations=1)
        self.memory = (np.array(f.asked), np.array(f.told))
        self.wanted = lrgd.minimize(bowl, START, learn_from=self.old)

    def test_nothing_is_asked_again_when_it_is_resumed(self):
        for most in (1, 5, 80):
            with self.subTest(most):
                db = self.path(f"{most}.db")
                lrgd.minimize(bowl, START, journal=db, learn_from=self.old,
                              max_evals=most)
                f, rows = Counted(bowl), lrgd.Run(db).evaluations
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    result = lrgd.Run(db).resume(f, max_evals=None)
                self.assertEqual(f.calls, self.wanted.nfev - rows)
                self.assertTrue(np.array_equal(result.x, self.wanted.x))

    def test_the_same_call_resumes_although_the_source_has_grown(self):
        lrgd.minimize(bowl, START, journal=self.db, learn_from=self.old,
                      max_evals=80)
        lrgd.Run(self.old).resume(bowl, max_iterations=None)
        self.assertGreater(lrgd.Run(self.old).evaluations,
                           len(self.memory[1]))
        f, rows = Counted(bowl), lrgd.Run(self.db).evaluations
        lrgd.minimize(f, START, journal=self.db, learn_from=self.old)
        self.assertEqual(f.calls, self.wanted.nfev - rows)

    def test_a_journal_that_learned_is_refused_without_its_source(self):
        lrgd.minimize(bowl, START, journal=self.db, learn_from=self.old,
                      max_evals=80)
        with self.assertRaises(lrgd.JournalRefused) as caught:
            lrgd.minimize(bowl, START, journal=self.db)
        self.assertIn("learned", str(caught.exception))

    def test_known_arrays_are_recorded_by_hash_and_passed_again(self):
        lrgd.minimize(bowl, START, journal=self.db, learn_from=self.memory,
                      max_evals=80)
        run = lrgd.Run(self.db)
        name, told, rows = run.settings["learned"].strip().split("\t")
        self.assertEqual((name, int(rows), len(told)),
                         ("(memory)", len(self.memory[1]), 32))
        f, kept = Counted(bowl), run.evaluations
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = run.resume(f, learn_from=self.memory, max_evals=None)
        self.assertEqual(f.calls, result.nfev - kept)

    def test_a_source_that_is_gone_is_said_and_the_run_goes_on(self):
        lrgd.minimize(bowl, START, journal=self.db, learn_from=self.old,
                      max_evals=80)
        os.remove(self.old)
        with self.assertWarnsRegex(UserWarning, "not known any more"):
            result = lrgd.Run(self.db).resume(bowl, max_evals=None)
        self.assertEqual(result.outcome, "converged")
        self.assertEqual(lrgd.Run(self.db).paths, 2)

    def worker(self):
        return f"{PYTHON} {os.path.join(HERE, 'common.py')} value"

    def test_a_run_of_the_commands_that_learned_goes_on_in_python(self):
        self.run_lrgd("minimize", "--worker", self.worker(), "--dim", P,
                      "--start", 0, "--journal", self.db, "--max-evals", 80,
                      "--learn-from", self.old, "--quiet", code=3)
        f, rows = Counted(bowl), lrgd.Run(self.db).evaluations
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = lrgd.Run(self.db).resume(f, max_evals=None)
        self.assertEqual(f.calls, result.nfev - rows)

    def test_a_command_that_learned_is_resumed_with_the_same_path(self):
        self.run_lrgd("minimize", "--worker", self.worker(), "--dim", P,
                      "--start", 0, "--journal", self.db, "--max-evals", 80,
                      "--learn-from", self.old, "--quiet", code=3)
        told = self.run_lrgd("resume", self.db, "--worker", self.worker(),
                             "--max-evals", 5000)
        self.assertNotIn("new path", told.stderr)
        self.assertEqual(lrgd.Run(self.db).paths, 1)


class Paths(Case):
    def setUp(self):
        super().setUp()
        self.db = self.path("run.db")
        lrgd.minimize(bowl, START, journal=self.db, max_evals=200)
        self.run_read = lrgd.Run(self.db)
        self.rows = self.run_read.evaluations

    def begin(self, **other):
        with self.assertWarnsRegex(
                UserWarning, "going on as a new path that knows the "
                f"{self.rows} evaluations stored"):
            return self.run_read.resume(bowl, **other)

    def test_other_settings_go_on_as_a_new_path(self):
        result = self.begin(seed=2, max_evals=None)
        self.assertEqual(result.outcome, "converged")
        self.assertEqual((self.run_read.paths, self.run_read.settings["seed"]),
                         (2, "2"))

    def test_a_new_path_is_replayed_when_it_is_resumed(self):
        self.begin(seed=2, max_evals=300)
        rows = self.run_read.evaluations
        f = Counted(bowl)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = self.run_read.resume(f, max_evals=None)
        self.assertEqual(f.calls, self.run_read.evaluations - rows)
        self.assertEqual(f.calls, result.nfev - (rows - self.rows))

    def test_a_new_path_starts_at_the_given_point_or_at_the_best(self):
        self.begin(seed=2, max_evals=300)
        self.assertLess(bowl(self.run_read.settings["start"]), bowl(START))
        self.run_read = lrgd.Run(self.db)
        with self.assertWarns(UserWarning):
            self.run_read.resume(bowl, x0=START + 1, max_evals=500)
        self.assertTrue(np.array_equal(self.run_read.settings["start"],
                                       START + 1))

    def test_a_new_path_keeps_new_bounds(self):
        f = Counted(bowl)
        with self.assertWarns(UserWarning):
            self.run_read.resume(f, bounds=(-0.05, 0.05), max_evals=None)
        self.assertLessEqual(np.abs(f.asked).max(), 0.05)

    def test_a_new_path_needs_something_left_of_the_budget(self):
        with self.assertRaises(ValueError) as caught:
            self.run_read.resume(bowl, seed=2, max_evals=self.rows)
        self.assertIn(f"max_evals={self.rows}", str(caught.exception))
        self.assertEqual(self.run_read.paths, 1)

    def test_another_function_is_refused_by_a_new_path(self):
        with self.assertWarns(UserWarning), \
                self.assertRaises(lrgd.JournalRefused):
            self.run_read.resume(dish, seed=2, max_evals=None)

    def test_a_run_that_departs_goes_on_as_a_new_path(self):
        script = self.write("other.py", DEPARTS)
        self.run_python(script)
        with self.assertWarnsRegex(UserWarning, "departs from the journal at "
                                   "evaluation .*: going on as a new path"):
            result = lrgd.Run(self.path("other.db")).resume(bowl)
        self.assertEqual(result.outcome, "converged")
        self.assertEqual(lrgd.Run(self.path("other.db")).paths, 2)

    def run_python(self, script):
        subprocess.run([sys.executable, script, HERE], cwd=self.folder,
                       check=True)

    def test_minimize_says_how_a_run_that_departs_can_go_on(self):
        self.run_python(self.write("other.py", DEPARTS))
        with self.assertRaises(lrgd.JournalRefused) as caught:
            lrgd.minimize(bowl, START, journal=self.path("other.db"))
        self.assertIn("resume goes on", str(caught.exception))

    def test_a_run_by_slopes_is_resumed_on_a_new_path(self):
        db = self.path("slopes.db")
        lrgd.minimize(None, START, jvp=bowl_slope, journal=db, max_evals=20)
        with self.assertWarns(UserWarning):
            result = lrgd.Run(db).resume(None, jvp=bowl_slope, seed=3,
                                         max_evals=None)
        self.assertEqual(result.outcome, "converged")

    def test_a_run_by_workers_is_resumed_on_a_new_path(self):
        self.run_python(self.write("other.py", DEPARTS))
        with self.assertWarns(UserWarning):
            result = lrgd.Run(self.path("other.db")).resume(bowl, jobs=2)
        self.assertEqual(result.outcome, "converged")

    def test_a_path_of_pythons_goes_on_with_the_command(self):
        self.begin(seed=2, max_evals=300)
        worker = f"{PYTHON} {os.path.join(HERE, 'common.py')} value"
        self.run_lrgd("resume", self.db, "--worker", worker, "--max-evals",
                      5000)


# a journal whose run a resumed one departs from: seeds that the settings hide
DEPARTS = """
import sys
sys.path.insert(0, sys.argv[1])
import lrgd, numpy as np
from lrgd import _journal, _options
from common import P, bowl
told = _journal.option_settings
_journal.option_settings = lambda options: told(_options.make({}))
lrgd.minimize(bowl, np.zeros(P), journal="other.db", seed=5, method="lrgd",
              rank=3, max_iterations=4)
"""


if __name__ == "__main__":
    main()
