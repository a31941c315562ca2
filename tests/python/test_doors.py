"""Worker processes of Python's own: the same run as the command's, and what
may go wrong in them.  test_suite.py has the runs without them."""
import os
import signal
import subprocess
import sys
import time
import unittest.mock

import numpy as np

import lrgd
from common import (HERE, P, PYTHON, Case, bowl, bowl_gradient, bowl_slope,
                    main)

WORKER = f"{PYTHON} {os.path.join(HERE, 'common.py')}"


def failing(x):
    if x[0] > 0.01:
        raise LookupError("no such point")
    return bowl(x)


def unspeakable(x):
    class Local(Exception):  # cannot be pickled
        pass
    raise Local("hidden")


def dying(x):
    os._exit(5)


def printing(x):
    print("I am here")
    return bowl(x)


def uneven(x):
    time.sleep(0.02 if hash(x.tobytes()) % 9 == 0 else 0.0005)
    return float(((x - 1) ** 2 * np.arange(1, x.size + 1)).sum())


def sleepy(x):
    time.sleep(60 if x[0] != 0 else 0)
    return bowl(x)


class SameCounts(Case):
    def same(self, kind, fun, **how):
        told = self.run_json("minimize", "--worker", f"{WORKER} {kind}",
                             "--oracle", kind, "--dim", P, "--start", 0,
                             "--width", 2)
        found = lrgd.minimize(fun, np.zeros(P), jobs=2, **how)
        self.assertEqual(found.rounds, told["rounds"])
        self.assertEqual(found.nfev, told["evaluations"])
        self.assertEqual(found.counts, told["counts"])
        self.assertEqual(found.nit, told["iterations"])
        self.assertEqual(found.x.tolist(), told["x"])
        self.assertEqual([phase.text for phase in found.phases],
                         [phase["text"] for phase in told["phases"]])
        self.assertEqual([(phase.kind, phase.value) for phase in found.phases],
                         [(phase["kind"], phase.get("value"))
                          for phase in told["phases"]])

    def test_counts_are_the_same_in_worker_processes(self):
        self.same("value", bowl)
        self.same("slope", None, jvp=bowl_slope)
        self.same("gradient", bowl, grad=bowl_gradient)


class Workers(Case):
    def test_answers_in_any_order_are_replayed_from_a_journal(self):
        journal = self.path("async.db")
        how = dict(jobs=3, width=4, async_=True, journal=journal)
        found = lrgd.minimize(uneven, np.zeros(20), **how)
        self.assertEqual(found.outcome, "converged")
        again = lrgd.minimize(uneven, np.zeros(20), **{**how, "jobs": 2})
        self.assertEqual(found.x.tobytes(), again.x.tobytes())
        self.assertEqual(found.nfev, again.nfev)
        self.assertEqual(lrgd.Run(journal).settings["async"], "1")
        self.assertEqual(lrgd.Run(journal).resume(uneven, jobs=2).nfev,
                         found.nfev)
        with self.assertRaisesRegex(ValueError, "start and finish"):
            lrgd.minimize(uneven, np.zeros(20), width=4, async_=True)

    def test_an_exception_in_a_worker_reaches_the_caller_unchanged(self):
        with self.assertRaises(LookupError) as caught:
            lrgd.minimize(failing, np.zeros(P), jobs=2)
        self.assertEqual(caught.exception.args, ("no such point",))
        self.assertIn("in failing", str(caught.exception.__cause__))
        with self.assertRaises(RuntimeError) as caught:
            lrgd.minimize(unspeakable, np.zeros(P), jobs=2)
        self.assertIn("Local: hidden", str(caught.exception))

    def test_a_worker_that_dies_at_the_start_is_told_with_its_status(self):
        result = lrgd.minimize(dying, np.zeros(P), jobs=2)
        self.assertEqual(result.outcome, "failed")
        self.assertIn("exit status 5", result.message)
        fit = lrgd.least_squares(dying, np.zeros(P), jobs=2)
        self.assertEqual(fit.outcome, "failed")
        self.assertIn("exit status 5", fit.message)

    def test_what_a_function_prints_is_not_taken_for_an_answer(self):
        result = lrgd.minimize(printing, np.zeros(P), jobs=2, max_evals=20)
        self.assertEqual(result.counts["failures"], 0)
        self.assertTrue(0 < result.nfev <= 20, result.nfev)

    def test_an_evaluation_that_takes_too_long_has_failed(self):
        result = lrgd.minimize(sleepy, np.zeros(P), timeout=1.0, max_evals=2)
        self.assertEqual(result.counts["failures"], 1)

    def script(self, text, *arguments, **more):
        path = self.write("script.py", text)
        return subprocess.Popen(
            [sys.executable, path, *arguments], cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def test_functions_of_a_script_reach_the_workers(self):
        run = self.script(
            "import lrgd, numpy as np\n"
            "def f(x): return float((x.sum() - 3) ** 2)\n"
            "if __name__ == '__main__':\n"
            "    print(lrgd.minimize(f, np.zeros(9), jobs=2).outcome)\n")
        out, err = run.communicate(timeout=600)
        self.assertEqual((out, run.returncode), ("converged\n", 0), err)

    def test_what_a_kill_left_is_swept_by_the_next_run(self):
        text = ("import sys, time, lrgd, numpy as np\n"
                "def f(x):\n"
                "    open('asked', 'w').close()\n"
                "    time.sleep(float(sys.argv[1]))\n"
                "    return float((x.sum() - 3) ** 2)\n"
                "if __name__ == '__main__':\n"
                "    lrgd.minimize(f, np.zeros(9), jobs=2, max_evals=3)\n")
        os.mkdir(self.path("temporary"))
        more = {"env": {**os.environ, "TMPDIR": self.path("temporary")}}

        def left():
            return set(os.listdir(self.path("temporary")))

        def started():
            run = self.script(text, "60", **more)
            while not os.path.exists(self.path("asked")):
                time.sleep(0.02)
            os.remove(self.path("asked"))
            return run

        dead = started()
        dead.kill()
        dead.communicate()
        self.assertEqual(len(left()), 1)
        alive = started()
        lives = left()
        self.assertEqual(len(lives), 1)  # the dead one's is gone
        run = self.script(text, "0", **more)
        _, err = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 0, err)
        self.assertEqual(left(), lives)
        alive.kill()
        alive.communicate()
        self.assertEqual(self.script(text, "0", **more).wait(60), 0)
        self.assertEqual(left(), set())

    def typed(self, how, before=""):
        """What comes of a run whose function is in no file."""
        text = ("import sys, lrgd, numpy as np\n" + before +
                "def f(x): return float((x.sum() - 3) ** 2)\n"
                "print(lrgd.minimize(f, np.zeros(9), jobs=2).outcome)\n")
        arguments = ["-c", text] if how == "-c" else []
        return subprocess.run([sys.executable, *arguments], input=text,
                              text=True, capture_output=True, timeout=600)

    def test_what_was_typed_in_reaches_the_workers(self):
        for how in ("-c", "stdin"):
            run = self.typed(how)
            self.assertEqual(run.stdout, "converged\n", run.stderr)

    def test_without_cloudpickle_it_is_said_what_to_do(self):
        run = self.typed("-c", "sys.modules['cloudpickle'] = None\n")
        self.assertEqual(run.returncode, 1)
        self.assertIn("it was typed in and is in no file): define it at the "
                      "top of a module, or install", run.stderr)
        with unittest.mock.patch.dict(sys.modules, {"cloudpickle": None}), \
                self.assertRaises(TypeError) as caught:
            lrgd.minimize(lambda x: 0.0, np.zeros(P), jobs=2)
        self.assertIn("python3-cloudpickle", str(caught.exception))

    def test_lambdas_and_closures_travel_by_cloudpickle(self):
        shift = 2.0
        result = lrgd.minimize(lambda x: bowl(x - shift), np.zeros(P), jobs=2)
        self.assertEqual(result.counts, lrgd.minimize(
            lambda x: bowl(x - shift), np.zeros(P), width=2).counts)

    def test_a_script_without_its_guard_gets_an_error(self):
        run = self.script(
            "import lrgd, numpy as np\n"
            "def f(x): return float((x.sum() - 3) ** 2)\n"
            "lrgd.minimize(f, np.zeros(9), jobs=2)\n")
        _, err = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 1)
        self.assertIn("if __name__ == '__main__':", err)

    def test_ctrl_c_is_heard_while_workers_compute(self):
        run = self.script(
            "import lrgd, numpy as np, time\n"
            "def f(x):\n"
            "    time.sleep(0.2)\n"
            "    return float((x.sum() - 3) ** 2 + (x ** 4).sum())\n"
            "if __name__ == '__main__':\n"
            "    print('go', flush=True)\n"
            "    r = lrgd.minimize(f, np.ones(40), jobs=2)\n"
            "    print(r.outcome, r.nfev < 30, r.counts['failures'])\n")
        self.assertEqual(run.stdout.readline(), "go\n")
        time.sleep(1.5)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=600)
        self.assertEqual((out, run.returncode), ("stopped True 0\n", 0), err)


if __name__ == "__main__":
    main()
