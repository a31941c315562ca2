"""A run that does not wait for whole rounds: answers are used in the order in
which they come, and the journal keeps that order."""
import os
import random
import unittest

from harness import main, worker
from kept import Kept


class Async(Kept):
    dim = 30

    def command(self, *more, jobs=8, verb="minimize", kind="low", spread=100,
                median=0.003, seed=1):
        what = ["--worker", worker("uneven.py", self.path("log"), seed, spread,
                                   median, kind), "--jobs", jobs]
        if verb == "resume":
            return ["resume", "run.db", *what, *more]
        start = "0.7" if kind == "box" else "0.1"
        sides = ["--lower", "-1", "--upper", "1"] if kind == "box" else []
        return ["minimize", *what, "--dim", self.dim, "--start", start, *sides,
                "--async", "--journal", "run.db", *more]

    def asked(self):
        try:
            return self.read("log").count("?")
        except OSError:
            return 0

    def answered(self):
        return self.read("log").count("!")

    def same(self, one, other):
        for key in ("outcome", "f", "x", "evaluations", "rounds", "width",
                    "phases", "certificate"):
            self.assertEqual(one[key], other[key], key)

    def test_a_run_of_any_kind_is_replayed_from_its_journal(self):
        for kind in ("low", "full", "box"):
            with self.subTest(kind):
                self.forget()
                found = self.run_json(*self.command(kind=kind))
                self.assertEqual(found["outcome"], "converged")
                self.assertLess(found["certificate"]["grad_norm_bound"], 1e-2)
                paid = self.asked()
                self.assertEqual(found["evaluations"], paid)
                for jobs in (1, 3, 8):
                    again = self.run_json(*self.command(
                        jobs=jobs, kind=kind, verb="resume"))
                    self.same(found, again)
                    self.assertEqual(again["journal"]["replayed"], paid)
                self.assertEqual(self.asked(), paid)
                report = self.run_lrgd("report", "run.db", "-o", "run.html")
                self.assertEqual(report.returncode, 0)

    def test_runs_that_are_killed_at_random_lose_nothing(self):
        chance = random.Random(26)
        for kind in ("low", "full", "box"):
            with self.subTest(kind):
                self.forget()
                kills = 6
                for _ in range(kills):
                    at = self.asked() + chance.randrange(1, 40)
                    verb = "resume" if os.path.exists(
                        self.path("run.db")) else "minimize"
                    process = self.start(self.command(kind=kind, verb=verb))
                    while self.asked() < at and process.poll() is None:
                        pass
                    process.kill()
                    process.communicate()
                found = self.run_json(*self.command(kind=kind, verb="resume"))
                self.assertEqual(found["outcome"], "converged")
                # only what was under way at a kill is asked once more
                self.assertGreaterEqual(self.asked(), found["evaluations"])
                self.assertLessEqual(self.asked(),
                                     found["evaluations"] + 8 * kills)
                again = self.run_json(*self.command(kind=kind, verb="resume"))
                self.same(found, again)
                self.assertEqual(again["journal"]["replayed"],
                                 found["evaluations"])

    def test_a_stop_waits_for_evaluations_under_way_and_counts_them(self):
        process = self.start(self.command(median=0.02))
        self.wait_for(30, process)
        process.terminate()
        process.communicate()
        self.assertEqual(self.status()["evaluations"], self.answered())
        found = self.run_json(*self.command(median=0.001, verb="resume"))
        self.assertEqual(found["outcome"], "converged")
        self.assertEqual(found["evaluations"], self.asked())

    def test_a_budget_is_met_and_raised_on_the_same_path(self):
        found = self.run_json(*self.command("--max-evals", 50), code=3)
        self.assertEqual(found["evaluations"], 50)
        self.assertEqual(self.asked(), 50)
        found = self.run_json(*self.command("--max-evals", 9999,
                                            verb="resume"))
        self.assertEqual(found["outcome"], "converged")
        self.assertEqual(found["journal"]["replayed"], 50)
        self.assertEqual(found["evaluations"], self.asked())

    def test_workers_are_busy_where_times_differ_a_hundredfold(self):
        # by what the workers themselves wrote down: rounds of eight keep some
        # 2.4 of them busy, which the same run without --async shows
        busy = {}
        for flag in ("--async", None):
            self.forget()
            command = [word for word in self.command(kind="full", median=0.01)
                       if word != "--async"]
            more = ["--max-evals", 240] + ([flag] if flag else [])
            found = self.run_json(*command, *more, code=3)
            took = found["workers"]["seconds"]
            busy[flag] = took["busy"] / took["elapsed"]
        self.assertGreater(busy["--async"], 1.5 * busy[None])

    def test_failed_evaluations_do_not_end_an_asynchronous_run(self):
        fails = self.write("fails.py", (
            "import sys\n"
            "n = 0\n"
            "for line in sys.stdin:\n"
            "    x = [float(w) for w in line.split()]\n"
            "    n += 1\n"
            "    bad = n % 7 == 0\n"
            "    print('nan' if bad else sum((v - 1)**2 for v in x),\n"
            "          flush=True)\n"))
        found = self.run_json("minimize", "--worker", f"/usr/bin/python3 {fails}",
                              "--dim", 20, "--start", 0, "--jobs", 4,
                              "--async", "--retries", 3,
                              "--journal", "run.db")
        self.assertEqual(found["outcome"], "converged")
        self.assertGreater(self.status()["failures"], 0)
        self.assertLess(found["f"], 1e-6)

    def test_a_function_that_cannot_be_started_is_refused(self):
        run = self.run_lrgd("minimize", "rosenbrock", "--async", "--width", 4,
                            code=2)
        self.assertIn("async needs evaluations", run.stderr)
        run = self.run_lrgd(*self.command("--oracle", "gradient"), code=2)
        self.assertIn("async needs evaluations", run.stderr)


if __name__ == "__main__":
    main()
