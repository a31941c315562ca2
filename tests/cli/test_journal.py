"""Runs that are kept: journals and resume."""
import json
import os
import re
import signal
import subprocess
import sys
import time

from harness import LRGD, PLUGIN, main, worker
from kept import Kept


class Kills(Kept):
    def whole(self, *more, **how):
        """The uninterrupted run, without and then with a journal."""
        command = self.command(*more, **how)
        at = command.index("--journal")
        plain = self.run_json(*command[:at], *command[at + 2:])
        self.assertEqual(self.asked(), plain["evaluations"])
        self.forget()
        kept = self.run_json(*command)
        self.assertEqual(self.asked(), kept["evaluations"])
        for key in ("f", "x", "evaluations", "iterations", "counts"):
            self.assertEqual(plain[key], kept[key])
        self.forget()
        return plain

    def check_same(self, whole, result, in_flight):
        for key in ("outcome", "f", "x", "evaluations", "counts",
                    "oracle_calls", "iterations", "phases", "certificate"):
            self.assertEqual(whole[key], result[key], key)
        self.assertLessEqual(result["evaluations"], self.asked())
        self.assertLessEqual(self.asked(), result["evaluations"] + in_flight)

    def try_kills(self, *more, jobs=1, oracle="value", verb="resume"):
        whole = self.whole(*more, oracle=oracle, jobs=jobs)
        total = whole["evaluations"]
        how = {"oracle": oracle, "jobs": jobs, "delay": 0.002}
        points = [1, total // 3, total // 2, total - 2]
        for k, point in enumerate(points):
            go_on = verb if k else "minimize"
            self.kill_at(self.command(*more, verb=go_on, **how), point)
            # on a busy machine the last kill may come after the end
            late = ("converged",) if point == points[-1] else ()
            self.assertIn(self.status()["state"], ("interrupted", *late))
        # once more while it replays
        process = self.start(self.command(*more, verb=verb, **how))
        time.sleep(0.03)
        process.kill()
        process.communicate()
        result = self.run_json(*self.command(*more, verb=verb, **how))
        self.check_same(whole, result, jobs * (len(points) + 1))
        self.assertGreater(result["journal"]["replayed"], 0)

    def test_a_run_killed_anywhere_ends_as_the_run_that_was_not_killed(self):
        self.try_kills()

    def test_minimize_continues_a_journal_as_resume_does(self):
        self.try_kills(verb="minimize")

    def test_a_killed_run_with_three_jobs_goes_on(self):
        self.try_kills(jobs=3)

    def test_a_killed_run_on_gradients_or_slopes_goes_on(self):
        for oracle in ("gradient", "slope"):
            self.try_kills(oracle=oracle)
            self.forget()

    def test_a_killed_run_of_auto_goes_on(self):
        self.options = ("--tol", "1e-4")
        self.try_kills()

    def test_a_killed_run_in_scaled_logarithms_goes_on(self):
        self.options = ("--method", "lrgd", "--rank", 2, "--start", 0.5,
                        "--log", "all", "--scale", 2, "--lower", 1e-3)
        self.try_kills()

    def test_a_killed_run_of_programs_goes_on(self):
        self.options = ("--method", "lrgd", "--rank", 1, "--max-evals", 25)
        whole = self.run_json(*self.command("program"), code=3)
        self.forget()
        self.kill_at(self.command("program"), 7)
        result = self.run_json(*self.command("program", verb="resume"), code=3)
        self.check_same(whole, result, 1)

    def test_after_a_signal_evaluations_are_kept_and_the_run_resumes(self):
        whole = self.whole()
        process = self.start(self.command(delay=0.005))
        self.wait_for(20, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, err)
        stopped = json.loads(out)
        self.assertEqual(stopped["evaluations"], self.asked())
        self.assertEqual(self.status()["state"], "stopped")
        result = self.run_json(*self.command(verb="resume", delay=0.005))
        self.check_same(whole, result, 0)

    def test_a_signal_loses_no_failure(self):
        self.write("moody.py", """
import sys, time
for n, line in enumerate(sys.stdin):
    time.sleep(0.01)
    x = [float(word) for word in line.split()]
    f = sum((i + 1) * (y - 1) ** 2 for i, y in enumerate(x))
    print("nan" if n % 7 == 5 else f, flush=True)
    open("count", "a").write(".")
""")
        process = self.start(["minimize", "--worker",
                              f"{sys.executable} moody.py", "--dim", 60,
                              "--start", 0, "--journal", "run.db"])
        self.wait_for(100, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 130, err)
        failures = json.loads(out)["counts"]["failures"]
        self.assertGreaterEqual(failures, 10)
        self.assertEqual(self.status()["failures"], failures)

    def test_resuming_a_finished_run_evaluates_nothing(self):
        one = self.run_json(*self.command())
        asked = self.asked()
        two = self.run_json(*self.command(verb="resume"))
        self.assertEqual(asked, self.asked())
        self.assertEqual((one["f"], one["x"]), (two["f"], two["x"]))
        self.assertEqual(two["journal"]["replayed"], asked)


class Others(Kept):
    def test_a_journal_of_another_run_is_refused_and_not_altered(self):
        self.run_json(*self.command())
        before = self.digest()
        for more in (["--seed", 2], ["--rank", 3], ["--method", "adaptive"],
                     ["--tol", "1e-3"], ["--noise", "1e-3"],
                     ["--step", "bfgs"], ["--lower", -9], ["--upper", 9],
                     ["--start", 1], ["--scale", 2], ["--differences",
                                                      "central"],
                     ["--identify", "qr"], ["--oversample", 2],
                     ["--sample-radius", 0.2], ["--rank-cut", "1e-3"],
                     ["--growth", "double"], ["--probes", 3],
                     ["--confidence", 0.9], ["--stall-iterations", 9],
                     ["--retries", 2], ["--alpha", 0.1], ["--momentum", 0.5],
                     ["--epsilon", 1], ["--mu", 1],
                     ["--oracle", "gradient"]):
            run = self.run_lrgd(*self.command(*more), code=7)
            self.assertIn(more[0][2:].replace("-", "_"), run.stderr)
            self.assertIn("--learn-from", run.stderr)
            self.assertEqual(run.stdout, "")
            self.assertEqual(run.stderr.count("\n"), 1)
            self.assertEqual(self.digest(), before, more)
        self.dim = 11
        run = self.run_lrgd(*self.command(), code=7)
        self.assertIn("10", run.stderr)
        self.assertIn("11", run.stderr)
        self.assertNotIn("--learn-from", run.stderr)  # it cannot
        self.dim = 10
        run = self.run_lrgd(*self.command("program"), code=7)
        self.assertIn("kind", run.stderr)
        self.assertEqual(self.digest(), before)

    def test_all_settings_that_differ_are_named(self):
        self.run_json(*self.command())
        run = self.run_lrgd(*self.command("--seed", 2, "--tol", "1e-3",
                                          "--start", 1), code=7)
        for key in ("seed", "tol", "start"):
            self.assertIn(key, run.stderr)

    def test_settings_that_may_change_between_sessions_do(self):
        one = self.run_json(*self.command("--max-evals", 20), code=3)
        two = self.run_json(*self.command(
            "--max-evals", 1000, "--jobs", 2, "--timeout", 60, "--target",
            -5, "--max-seconds", 1000, "--max-failures", 3, delay=0.0001))
        self.assertEqual(two["outcome"], "converged")
        self.assertEqual(two["journal"]["replayed"], one["evaluations"])
        self.assertEqual(self.asked(), two["evaluations"])

    def test_files_that_are_no_journals_are_refused_and_not_altered(self):
        for text in ("garbage" * 200, "SQLite format 3\0" + "x" * 4000):
            self.write("run.db", text)
            before = self.digest()
            for command in (self.command(), ["status", "run.db"],
                            self.command(verb="resume")):
                run = self.run_lrgd(*command, code=7)
                self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
                self.assertEqual(self.digest(), before)
        self.assertEqual(self.asked(), 0)

    def test_a_second_run_at_once_is_turned_away(self):
        process = self.start(self.command(delay=0.05))
        self.wait_for(2, process)
        for verb in ("minimize", "resume"):
            run = self.run_lrgd(*self.command(verb=verb), code=8)
            self.assertIn(f"process {process.pid}", run.stderr)
        self.assertIsNone(process.poll())
        process.kill()
        process.communicate()
        self.run_json(*self.command())

    def test_unwritable_storage_gives_exit_status_6_before_any_evaluation(
            self):
        command = self.command()
        command[command.index("run.db")] = "nowhere/run.db"
        run = self.run_lrgd(*command, code=6)
        self.assertIn("nowhere/run.db", run.stderr)
        self.assertEqual(self.asked(), 0)
        self.run_lrgd("status", "nowhere.db", code=6)
        self.run_lrgd("resume", "nowhere.db", "--worker", "cat", code=6)

    def test_a_read_only_folder_gives_exit_status_6(self):
        os.mkdir(self.path("shut"))
        command = self.command()
        command[command.index("run.db")] = "shut/run.db"
        if os.geteuid() == 0:  # root may write anywhere but here
            command[command.index("shut/run.db")] = "/proc/run.db"
        else:
            os.chmod(self.path("shut"), 0o555)
            self.addCleanup(os.chmod, self.path("shut"), 0o755)
        self.run_lrgd(*command, code=6)
        self.assertEqual(self.asked(), 0)

    def test_a_full_disk_gives_exit_status_6_and_the_best_point(self):
        command = self.command("--storage-wait", 0.1)
        run = subprocess.run(
            ["sh", "-c", 'ulimit -f 100; exec "$@"', "sh", LRGD,
             *map(str, command), "--json", "--quiet"], cwd=self.folder,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(run.returncode, 6, run.stderr)
        self.assertIn("f", json.loads(run.stdout))
        result = self.run_json(*self.command())
        self.assertLessEqual(result["evaluations"], self.asked())


class Resume(Kept):
    def test_resume_without_a_command_shows_the_recorded_one_and_runs_nothing(
            self):
        self.run_json(*self.command("--max-evals", 5), code=3)
        before = self.asked(), self.digest()
        run = self.run_lrgd("resume", "run.db", code=2)
        self.assertIn("tally.py", run.stderr)
        self.assertIn("--worker", run.stderr)
        self.assertEqual(before, (self.asked(), self.digest()))
        self.refused("resume", says="which journal")

    def test_resume_names_the_built_in_problem_of_a_journal(self):
        command = ["minimize", "quadratic", "--set", "rank=3", "--set",
                   "p=50", "--method", "lrgd", "--rank", 3, "--oracle",
                   "gradient", "--journal", "run.db"]
        whole = self.run_json(*command)
        self.forget()
        self.run_json(*command, "--max-evals", 5, code=3)
        told = self.run_lrgd("resume", "run.db", code=2).stderr
        self.assertIn("lrgd resume run.db quadratic", told)
        self.assertNotIn("--worker", told, "a built-in problem has no command")
        one = self.run_json("resume", "run.db", "quadratic", "--max-evals",
                            "none")
        self.assertEqual((one["f"], one["x"]), (whole["f"], whole["x"]))
        command[2:6] = ["--dim", 50, "--set", "rank=3"]
        two = self.run_json(*command)
        self.assertEqual(one["x"], two["x"])
        command[5] = "rank=4"
        self.assertIn("set", self.run_lrgd(*command, code=7).stderr)

    def test_a_run_of_a_plugin_is_resumed(self):
        command = ["minimize", "--plugin", PLUGIN, "--dim", 6, "--method",
                   "gd", "--journal", "run.db"]
        self.run_json(*command, "--max-evals", 3, code=3)
        result = self.run_json("resume", "run.db", "--plugin", PLUGIN,
                               "--max-evals", 1000)
        self.assertEqual(result["outcome"], "converged")
        self.assertGreater(result["journal"]["replayed"], 0)

    WALL = """
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    f = sum((1 + i % 3) * (y - 1) ** 2 for i, y in enumerate(x)) + sum(x) ** 2
    print("nan" if x[1] > 0.1 else f, flush=True)
    open("count", "a").write(".")
"""

    def wall(self, verb, *more, **how):
        if verb == "minimize":
            self.write("wall.py", self.WALL)
            more = ("--dim", 12, "--start", -0.5, *more)
        run = [verb, *(["run.db"] if verb == "resume" else
                       ["--journal", "run.db"]),
               "--worker", f"{sys.executable} wall.py", "--quiet"]
        return self.run_lrgd(*run, *more, **how)

    def test_a_limit_on_failures_is_raised_and_the_run_goes_on(self):
        self.wall("minimize", "--max-failures", 8, code=4)
        paid = len(self.read("count"))
        more = json.loads(self.wall("resume", "--max-failures", 500, "--json",
                                    code=3).stdout)
        held = more["held"]
        self.assertEqual((held["kind"], held["input"], held["side"]),
                         ("held_bound", 2, "upper"))
        self.assertAlmostEqual(held["value"], 0.1, delta=1e-5)
        self.assertEqual(more["journal"]["replayed"], paid)
        self.assertEqual(len(self.read("count")), more["evaluations"])

    def test_failures_are_numbered_over_sessions(self):
        first = self.wall("minimize", "--max-failures", 8, code=4)
        paid = len(self.read("count"))
        self.assertIn(f"last failure: evaluation {paid}:", first.stderr)
        more = self.wall("resume", "--max-failures", 500, code=3)
        told = re.search(r"last failure: evaluation (\d+):", more.stderr)
        self.assertGreater(int(told[1]), paid)
        self.assertLessEqual(int(told[1]), len(self.read("count")))

    def test_a_budget_below_what_was_spent_is_refused(self):
        self.run_json(*self.command("--max-evals", 20), code=3)
        before = self.digest()
        run = self.run_lrgd(*self.command("--max-evals", 5, verb="resume"),
                            code=2)
        self.assertRegex(run.stderr, r"--max-evals 5: run\.db has \d+ ")
        self.run_lrgd(*self.command("--max-evals", 5), code=2)
        self.assertEqual(self.digest(), before)

    def test_a_run_goes_on_with_more_processors_or_fewer(self):
        run = ["minimize", "chained-rosenbrock", "--set", "p=40", "--set",
               "n=40", "--lower", -3, "--upper", 3, "--journal", "run.db",
               "--quiet"]
        for threads, evals in ((2, 300), (1, 600), (2, 900)):
            result = self.run_lrgd(*run, "--max-evals", evals, "--json",
                                   code=3, env={"OPENBLAS_NUM_THREADS":
                                                str(threads)}).stdout
            self.assertEqual(json.loads(result)["outcome"], "budget")

    def test_evaluations_count_over_sessions(self):
        self.run_json(*self.command("--max-evals", 20), code=3)
        used = self.asked()
        self.assertLessEqual(used, 20)
        self.assertRegex(
            self.run_lrgd(*self.command("--max-evals", 20), code=3).stderr,
            r"to go on: lrgd resume run\.db --worker .* --max-evals 40\n")
        again = self.run_json(*self.command(verb="resume"), code=3)
        self.assertEqual(again["outcome"], "budget")
        self.assertEqual(self.asked(), used)
        more = self.run_json(*self.command("--max-evals", 30, verb="resume"),
                             code=3)
        self.assertLessEqual(self.asked(), 30)
        self.assertEqual(more["evaluations"], self.asked())

    def test_time_counts_over_sessions(self):
        slow = {"delay": 0.05}
        one = self.run_json(*self.command("--max-seconds", 0.4, **slow),
                            code=3)
        asked = self.asked()
        self.assertGreater(asked, 1)
        two = self.run_json(*self.command("--max-seconds", 0.2, **slow),
                            code=3)
        self.assertEqual(self.asked(), asked)
        self.assertEqual(two["outcome"], "budget")
        self.assertEqual((one["f"], one["x"]), (two["f"], two["x"]))


if __name__ == "__main__":
    main()
