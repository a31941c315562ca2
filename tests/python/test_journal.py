"""Journals through Python: kept, resumed, read, refused."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import unittest.mock
from pathlib import Path

import numpy as np

import lrgd
from common import (HERE, P, PYTHON, Case, bowl, bowl_gradient, bowl_slope,
                    main)

START = np.zeros(P)

KILLED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import lrgd, numpy as np
from common import P, bowl, bowl_slope
def count():
    with open("asked", "a") as file: file.write(".")
    if os.path.getsize("asked") == 50: os.kill(os.getpid(), signal.SIGKILL)
def f(x):
    count()
    return bowl(x)
def jvp(x, u):
    count()
    return bowl_slope(x, u)
if sys.argv[2] == "value": lrgd.minimize(f, np.zeros(P), journal="run.db")
else: lrgd.minimize(None, np.zeros(P), jvp=jvp, journal="run.db")
"""


class Boom(Exception):
    pass


class Counted:
    """Counts, and fails at the n-th call."""

    def __init__(self, f, n=0):
        self.f, self.n, self.calls = f, n, 0

    def __call__(self, *given):
        self.calls += 1
        if self.calls == self.n:
            raise Boom
        return self.f(*given)


class Journals(Case):
    def setUp(self):
        super().setUp()
        self.db = self.path("run.db")

    def test_nothing_that_was_answered_is_asked_again(self):
        wanted = lrgd.minimize(bowl, START)
        for n in (1, 20, 61, wanted.nfev):
            with self.subTest(n):
                first, second = Counted(bowl, n), Counted(bowl)
                if os.path.exists(self.db):
                    os.remove(self.db)
                with self.assertRaises(Boom):
                    lrgd.minimize(first, START, journal=self.db)
                self.assertEqual(lrgd.Run(self.db).evaluations, n - 1)
                result = lrgd.minimize(second, START, journal=self.db)
                self.assertEqual(second.calls, wanted.nfev - n + 1)
                self.assertEqual(result.nfev, wanted.nfev)
                self.assertTrue(np.array_equal(result.x, wanted.x))

    def killed(self, kind):
        script = self.write("script.py", KILLED)
        run = subprocess.run([sys.executable, script, HERE, kind],
                             cwd=self.folder)
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.assertEqual(os.path.getsize(self.path("asked")), 50)
        self.assertEqual(lrgd.Run(self.db).evaluations, 49)

    def test_a_kill_loses_one_value_at_most(self):
        self.killed("value")
        f = Counted(bowl)
        result = lrgd.Run(self.db).resume(f)
        self.assertEqual(f.calls, result.nfev - 49)
        self.assertEqual(result.nfev, lrgd.minimize(bowl, START).nfev)

    def test_a_kill_loses_one_slope_at_most(self):
        self.killed("slope")
        jvp = Counted(bowl_slope)
        result = lrgd.Run(self.db).resume(None, jvp=jvp)
        self.assertEqual(jvp.calls, result.nfev - 49)
        self.assertEqual(result.nfev,
                         lrgd.minimize(None, START, jvp=bowl_slope).nfev)

    def test_a_journal_changes_nothing_for_any_kind_of_function(self):
        for kind, fun, how in (
                ("value", bowl, {}), ("gradient", bowl,
                                      dict(grad=bowl_gradient)),
                ("slope", None, dict(jvp=bowl_slope)),
                ("batch", None, dict(batch=lambda X: [bowl(x) for x in X])),
                ("jobs", bowl, dict(jobs=2))):
            with self.subTest(kind):
                db = self.path(kind + ".db")
                kept = lrgd.minimize(fun, START, journal=db, **how)
                plain = lrgd.minimize(fun, START, **how)
                self.assertEqual(kept.counts, plain.counts)
                self.assertEqual(lrgd.Run(db).evaluations, plain.nfev)
                again = lrgd.minimize(fun, START, journal=db, **how)
                self.assertEqual(again.counts, plain.counts)
                self.assertEqual(lrgd.Run(db).evaluations, plain.nfev)

    def test_budgets_may_change_and_the_rest_may_not(self):
        lrgd.minimize(bowl, START, journal=self.db, max_evals=30)
        run = lrgd.Run(self.db)
        self.assertEqual((run.outcome, run.settings["max_evals"]),
                         ("budget", "30"))
        with self.assertRaises(lrgd.JournalRefused) as caught:
            lrgd.minimize(bowl, START, journal=self.db, seed=2)
        self.assertIn("seed", str(caught.exception))
        with self.assertRaises(lrgd.JournalRefused):
            lrgd.minimize(bowl, START + 1, journal=self.db)
        with self.assertRaises(ValueError):
            run.resume(bowl, grad=bowl_gradient)
        more = run.resume(bowl, max_evals=40)
        self.assertEqual((more.outcome, more.nfev <= 40), ("budget", True))
        self.assertEqual(run.resume(bowl, max_evals=None).nfev,
                         lrgd.minimize(bowl, START).nfev)

    def test_an_option_that_came_later_is_no_difference(self):
        lrgd.minimize(bowl, START, journal=self.db, max_evals=30)
        with contextlib.closing(sqlite3.connect(self.db)) as database:
            database.execute("DELETE FROM settings WHERE key = "
                             "'stop_decrease'")
            database.commit()
        with self.assertRaises(lrgd.JournalRefused) as caught:
            lrgd.minimize(bowl, START, journal=self.db, stop_decrease=1e-3)
        self.assertIn("stop_decrease", str(caught.exception))
        more = lrgd.minimize(bowl, START, journal=self.db, max_evals=40)
        self.assertEqual((more.outcome, more.nfev <= 40), ("budget", True))

    def test_a_basis_and_constraints_are_resumed(self):
        W = np.random.default_rng(1).normal(size=(P, 4))
        A, b = np.ones((1, P)), np.array([2.0])
        for name, how in (("basis", dict(basis=W)),
                          ("constraints", dict(constraints=(A, b))),
                          ("equal", dict(equal=(A, b), bounds=(-1, 1))),
                          ("bounds", dict(bounds=(-0.2, 0.3)))):
            with self.subTest(name):
                db = self.path(name + ".db")
                lrgd.minimize(bowl, START, journal=db, max_evals=20, **how)
                result = lrgd.Run(db).resume(bowl, max_evals=None)
                wanted = lrgd.minimize(bowl, START, **how)
                self.assertEqual(result.nfev, wanted.nfev)
                self.assertTrue(np.array_equal(result.x, wanted.x))

    def test_a_run_of_the_commands_goes_on_in_python(self):
        worker = f"{PYTHON} {os.path.join(HERE, 'common.py')} value"
        self.run_lrgd("minimize", "--worker", worker, "--dim", P, "--start", 0,
                      "--journal", self.db, "--max-evals", 30, "--quiet",
                      code=3)
        f = Counted(bowl)
        result = lrgd.Run(self.db).resume(f, max_evals=None)
        self.assertEqual(result.nfev, lrgd.minimize(bowl, START).nfev)
        self.assertLess(f.calls, result.nfev)

    def test_the_command_reads_what_python_wrote(self):
        result = lrgd.minimize(bowl, START, journal=self.db)
        told = self.run_lrgd("status", self.db, "--json")
        told = json.loads(told.stdout)
        self.assertEqual(told["evaluations"], result.nfev)

    def test_what_is_in_use_or_not_a_journal_says_so(self):
        def inside(x):
            with self.assertRaises(lrgd.JournalInUse):
                lrgd.minimize(bowl, START, journal=self.db)
            return bowl(x)
        lrgd.minimize(inside, START, journal=self.db, max_evals=1)
        with self.assertRaises(lrgd.JournalRefused):
            lrgd.Run(self.write("text", "no journal at all, " * 100))
        with self.assertRaises(lrgd.Error):
            lrgd.Run(self.path("nothing.db"))

    def test_wall_time_is_for_all_sessions(self):
        lrgd.minimize(bowl, START, journal=self.db, max_evals=30)
        result = lrgd.minimize(Counted(bowl, 1), START, journal=self.db,
                               max_seconds=1e-9)
        self.assertEqual(result.outcome, "budget")


class Reading(Case):
    def setUp(self):
        super().setUp()
        self.db = self.path("run.db")
        self.asked = []

        def f(x):
            self.asked.append(x)
            return np.nan if len(self.asked) == 7 else bowl(x)
        self.result = lrgd.minimize(f, START, journal=self.db)
        self.run_read = lrgd.Run(self.db)

    def test_a_run_shows_settings_evaluations_and_result(self):
        run = self.run_read
        self.assertEqual((run.dimension, run.evaluations, run.failures,
                          run.sessions, run.outcome),
                         (P, len(self.asked), 1, 1, "converged"))
        self.assertEqual(run.best_f, bowl(run.best_x))
        self.assertTrue(np.array_equal(run.settings["start"], START))
        self.assertEqual(run.settings["method"], "auto")
        self.assertIn(f"{len(self.asked)} evaluations", repr(run))
        self.assertTrue(run.phase)
        self.assertEqual(run.sittings, run.sessions)  # the former name

    def test_a_run_is_a_data_frame(self):
        frame = self.run_read.to_frame(points=True)
        self.assertEqual(len(frame), len(self.asked))
        points = frame[[f"x{i}" for i in range(P)]].to_numpy()
        self.assertLess(abs(points - np.array(self.asked)).max(), 1e-9)
        f = frame["f"].to_numpy()
        self.assertTrue(np.isnan(f[6]))
        self.assertEqual(np.nanmin(f), frame["best"].iloc[-1])
        self.assertEqual(set(frame["kind"]), {"values"})
        self.assertTrue((np.diff(frame["best"]) <= 0).all())

    def test_without_pandas_there_are_arrays(self):
        with unittest.mock.patch.dict(sys.modules, {"pandas": None}):
            records = self.run_read.to_records()
            self.assertEqual(records.dtype.names[:3],
                             ("sequence", "session", "kind"))
            self.assertTrue((records["sitting"] == records["session"]).all())
            with self.assertRaises(ImportError) as caught:
                self.run_read.to_frame()
            self.assertIn("python3-pandas", str(caught.exception))
            self.assertIn("to_records", str(caught.exception))

    def test_a_report_is_written_by_the_command(self):
        page = self.path("run.html")
        # a sanitized command has in it what Python is started with
        clean = unittest.mock.patch.dict(os.environ, {"LD_PRELOAD": ""})
        clean.start()
        self.addCleanup(clean.stop)
        self.assertEqual(self.run_read.report(page), page)
        self.assertIn("<html", self.read("run.html"))
        with self.assertRaises(RuntimeError) as caught:
            self.run_read.report(self.path("no/such/folder.html"))
        self.assertIn("no/such", str(caught.exception))
        with unittest.mock.patch.object(lrgd._library, "_folders", list), \
                unittest.mock.patch.object(lrgd._library, "HERE",
                                           Path("/a/b/c/d/e/f")), \
                unittest.mock.patch.dict(os.environ, {"PATH": ""}), \
                self.assertRaises(FileNotFoundError):
            self.run_read.report(page)


if __name__ == "__main__":
    main()
