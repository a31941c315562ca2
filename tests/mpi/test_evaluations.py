"""mpirun -n N lrgd minimize: the same run on any number of ranks, whatever dies
in between.

LRGD names the command, MPIRUN what starts ranks.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LRGD = os.environ["LRGD"]
MPIRUN = os.environ.get("MPIRUN", "mpirun")
HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = "/usr/bin/python3 " + os.path.join(HERE, "sphere.py")
PROBLEM = ["--worker", WORKER, "--dim", "40", "--start", "1"]


def command(ranks, *arguments):
    start = [] if ranks == 0 else [MPIRUN, "--oversubscribe", "--bind-to",
                                   "none", "-n", str(ranks)]
    return [*start, LRGD, *map(str, arguments)]


def minimize(ranks, *arguments, env=None):
    """(what was found, what was said); ranks 0: without MPI."""
    run = subprocess.run(command(ranks, *arguments, "--json"), text=True,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=100,
                         env={**os.environ, **(env or {})})
    if run.returncode != 0:
        raise AssertionError(f"{arguments}: {run.returncode}\n{run.stdout}"
                             f"\n{run.stderr}")
    return json.loads(run.stdout), run.stderr


class Evaluations(unittest.TestCase):
    """Rank 0 asks, the others answer."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def same(self, one, other):
        for key in ("outcome", "f", "x", "evaluations", "iterations"):
            self.assertEqual(one[key], other[key], key)

    def test_the_path_is_that_of_the_plain_command(self):
        plain, _ = minimize(0, "minimize", *PROBLEM)
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.same(minimize(ranks, "minimize", *PROBLEM)[0], plain)

    def test_built_in_problems_are_shared_with_any_oracle(self):
        for oracle in ("value", "gradient", "slope"):
            with self.subTest(oracle=oracle):
                words = ["minimize", "quadratic", "--set", "p=60", "--oracle",
                         oracle]
                two, plain = minimize(2, *words)[0], minimize(0, *words)[0]
                self.same(minimize(4, *words)[0], two)
                # many slopes at once are rounded otherwise than one by one
                self.assertEqual(two["evaluations"], plain["evaluations"])
                self.assertLess(abs(two["f"] - plain["f"]), 1e-12)

    def test_a_program_is_run_on_the_ranks(self):
        program = self.path("f.sh")
        with open(program, "w", encoding="utf-8") as file:
            file.write("read a b; echo $((a * a + b * b))")
        words = ["minimize", "--program", "/bin/sh " + program, "--dim", "2",
                 "--start", "0", "--max-evals", "1"]
        run = subprocess.run(command(2, *words, "--json"), text=True,
                             capture_output=True, timeout=60)
        self.assertEqual(json.loads(run.stdout)["f"], 0, run.stderr)

    def test_a_worker_that_dies_costs_one_question(self):
        runs = [minimize(ranks, "minimize", *PROBLEM, "--retries", 1,
                         env={"DIE": self.path(f"died-{ranks}")})[0]
                for ranks in (0, 2)]
        for ranks in (0, 2):
            self.assertTrue(os.path.exists(self.path(f"died-{ranks}")))
        self.assertEqual(runs[1]["counts"]["failures"], 1)
        self.assertEqual(runs[1]["outcome"], "converged")
        self.same(*runs)

    def test_a_rank_that_fails_is_rested(self):
        plain, _ = minimize(0, "minimize", *PROBLEM)
        found, said = minimize(3, "minimize", *PROBLEM, "--retries", 8,
                               env={"BAD_RANK": "1"})
        self.assertEqual(found["x"], plain["x"])
        self.assertIn("rested", said)
        # few of the questions went to the rank that cannot answer
        self.assertLess(found["evaluations"], 1.5 * plain["evaluations"])

    def test_killed_and_resumed_on_other_ranks_it_is_the_same_run(self):
        plain, _ = minimize(0, "minimize", *PROBLEM)
        journal = self.path("run.db")
        job = subprocess.Popen(
            command(3, "minimize", *PROBLEM, "--journal", journal),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "SLOW": "0.05"})
        for _ in range(400):  # until something is recorded
            time.sleep(0.05)
            rows = self.rows(journal)
            if rows >= 5 or job.poll() is not None:
                break
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        self.assertGreaterEqual(rows, 5)
        self.assertLess(rows, plain["evaluations"])
        found = self.resume(2, journal)
        self.same(found, plain)
        self.assertEqual(self.rows(journal), plain["evaluations"])

    def rows(self, journal):
        run = subprocess.run([LRGD, "status", journal, "--json"], text=True,
                             capture_output=True, timeout=30)
        if run.returncode != 0:
            return 0
        told = json.loads(run.stdout)
        return told.get("evaluations", 0)

    def resume(self, ranks, journal):
        """Waits until the ranks that lost their job have ended."""
        for _ in range(60):
            run = subprocess.run(
                command(ranks, "resume", journal, "--worker", WORKER,
                        "--json"), text=True, capture_output=True, timeout=60)
            if run.returncode != 8:
                break
            time.sleep(0.5)
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)


if __name__ == "__main__":
    program = unittest.main(exit=False, verbosity=2)
    bad = len(program.result.failures) + len(program.result.errors)
    bad = min(bad, program.result.testsRun)
    print(f"{program.result.testsRun - bad} passed, {bad} failed")
    sys.exit(bad > 0)
