"""mpirun -n N lrgd minimize: the same run on any number of ranks, whatever dies
or is late in between.

LRGD names the command, LRGD_PLUGIN a plugin, MPIRUN what starts ranks.
"""
import json
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from harness import LRGD, PLUGIN, PYTHON, Case, main  # noqa: E402

MPIRUN = os.environ.get("MPIRUN", "mpirun")
WORKER = " ".join([PYTHON, os.path.join(HERE, "sphere.py")])
PROBLEM = ["--worker", WORKER, "--dim", "40", "--start", "1"]


def command(ranks, *arguments):
    """ranks 0: without MPI."""
    start = [] if ranks == 0 else [MPIRUN, "--oversubscribe", "--bind-to",
                                   "none", "-n", str(ranks)]
    return [*start, LRGD, *map(str, arguments)]


class Evaluations(Case):
    """Rank 0 asks, the others answer."""

    def ask(self, ranks, *arguments, code=0, env=None):
        """What was found."""
        run = subprocess.run(
            command(ranks, *arguments, "--json", "--quiet"), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600, cwd=self.folder,
            env={**os.environ, **(env or {})})
        self.assertEqual(run.returncode, code,
                         f"{arguments}\n{run.stdout}\n{run.stderr}")
        return json.loads(run.stdout)

    def same(self, one, other):
        for key in ("outcome", "f", "x", "evaluations", "iterations"):
            self.assertEqual(one[key], other[key], key)

    def asked(self, log):
        return os.path.getsize(self.path(log))

    # ---- the path ----

    def test_the_path_is_that_of_the_plain_command(self):
        for width in (1, 8):
            words = ["minimize", *PROBLEM, "--width", width]
            plain = self.ask(0, *words)
            for ranks in (1, 3, 8):
                with self.subTest(width=width, ranks=ranks):
                    self.same(self.ask(ranks, *words), plain)

    def test_ranks_that_are_killed_go_on_with_the_width_they_began_with(self):
        words = ["minimize", *PROBLEM]
        plain = self.ask(0, *words, "--width", 8)
        for evaluations in (5, 40):
            self.setUp()  # another folder
            self.ask(9, *words, "--journal", "run.db", "--max-evals",
                     evaluations, code=3)
            self.same(self.resume(3, "--worker", WORKER, "--max-evals",
                                  100000), plain)

    def test_built_in_problems_are_shared_with_any_oracle(self):
        for oracle in ("value", "gradient", "slope"):
            with self.subTest(oracle=oracle):
                words = ["minimize", "quadratic", "--set", "p=60", "--oracle",
                         oracle, "--width", "3"]
                two, plain = self.ask(2, *words), self.ask(0, *words)
                self.same(self.ask(4, *words), two)
                # many slopes at once are rounded otherwise than one by one
                self.assertEqual(two["evaluations"], plain["evaluations"])
                self.assertLess(abs(two["f"] - plain["f"]), 1e-12)

    def test_a_program_is_run_on_the_ranks(self):
        program = self.write("f.sh", "read a b; echo $((a * a + b * b))")
        found = self.ask(2, "minimize", "--program", "/bin/sh " + program,
                         "--dim", 2, "--start", 0, "--max-evals", 1, code=3)
        self.assertEqual(found["f"], 0)

    # ---- failures ----

    def test_a_worker_that_dies_costs_one_question(self):
        runs = [self.ask(ranks, "minimize", *PROBLEM, "--retries", 1,
                         env={"DIE": self.path(f"died-{ranks}")})
                for ranks in (0, 2)]
        for ranks in (0, 2):
            self.assertTrue(os.path.exists(self.path(f"died-{ranks}")))
        self.assertEqual(runs[1]["counts"]["failures"], 1)
        self.assertIn("SIGKILL", runs[1]["failure"])
        self.assertEqual(runs[1]["outcome"], "converged")
        self.same(*runs)

    def test_a_rank_that_fails_is_rested(self):
        plain = self.ask(0, "minimize", *PROBLEM)
        found = self.ask(3, "minimize", *PROBLEM, "--retries", 8,
                         env={"BAD_RANK": "1"})
        self.assertEqual(found["x"], plain["x"])
        self.assertGreater(found["ranks"]["rested"], 0)
        # few of the questions went to the rank that cannot answer
        self.assertLess(found["evaluations"], 1.5 * plain["evaluations"])

    # ---- who is late ----

    def test_a_rank_that_never_answers_is_not_waited_for(self):
        plain = self.ask(0, "minimize", *PROBLEM)
        found = self.ask(3, "minimize", *PROBLEM, "--reissue", 1,
                         env={"STUCK": self.path("stuck")})
        self.assertTrue(os.path.exists(self.path("stuck")))
        self.assertEqual(found["ranks"]["reissued"], 1)
        self.assertEqual(found["evaluations"], plain["evaluations"] + 1)
        found["evaluations"] -= 1
        self.same(found, plain)

    def test_questions_asked_twice_stay_within_the_budget(self):
        plain = self.ask(0, "minimize", *PROBLEM, "--max-evals", 30, code=3)
        found = self.ask(3, "minimize", *PROBLEM, "--max-evals", 36,
                         "--reissue", 6, code=3,
                         env={"SLOW_RANK": "1", "LOG": self.path("log")})
        twice = found["ranks"]["reissued"]
        self.assertIn(twice, range(1, 7))
        self.assertEqual(self.asked("log"), 30 + twice)
        self.assertEqual(found["evaluations"], 30 + twice)
        found["evaluations"] -= twice
        self.assertIn(" of 30 evaluations used", found["message"])
        self.assertIn("6 of the 36 are kept for --reissue", found["message"])
        self.same(found, plain)

    def test_counts_include_evaluations_of_earlier_sessions(self):
        plain = self.ask(0, "minimize", *PROBLEM)
        slow = {"SLOW_RANK": "1"}
        first = self.ask(3, "minimize", *PROBLEM, "--journal", "run.db",
                         "--max-evals", 32, "--reissue", 1, code=3, env=slow)
        self.assertEqual(first["ranks"]["reissued"], 1)
        self.assertEqual(self.rows(), first["evaluations"])
        again = self.ask(3, "resume", "run.db", "--worker", WORKER,
                         "--max-evals", 62, code=3, env=slow)
        self.assertEqual(again["ranks"]["reissued"], 1)
        self.assertLessEqual(again["evaluations"], 62)
        last = self.ask(0, "resume", "run.db", "--worker", WORKER,
                        "--max-evals", 100000)
        self.assertEqual(last["evaluations"], plain["evaluations"] + 1)
        last["evaluations"] -= 1
        self.same(last, plain)

    def test_a_reserve_as_large_as_the_budget_is_refused(self):
        self.refused_by_ranks(
            LRGD, "minimize", *PROBLEM, "--max-evals", 5, "--reissue", 5,
            says="--reissue 5 leaves nothing of --max-evals 5")
        self.refused("minimize", *PROBLEM, "--reissue", "few", says="\"few\"")

    def test_repeating_late_evaluations_without_ranks_is_refused(self):
        self.refused("minimize", *PROBLEM, "--max-evals", 200, "--reissue",
                     150, says="--reissue 150: there is no second rank")
        self.ask(0, "minimize", *PROBLEM, "--reissue", 0, "--max-evals", 5,
                 code=3)

    # ---- what is not shared ----

    def refused_by_ranks(self, *words, says):
        run = subprocess.run(
            [*command(2)[:-1], *map(str, words)], cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("lrgd: " + says, run.stderr)

    def test_a_diagnosis_on_several_ranks_is_refused(self):
        for program in (LRGD, LRGD + "-mpi"):
            with self.subTest(program=program):
                self.refused_by_ranks(
                    program, "diagnose", "quadratic", "--journal", "run.db",
                    says="diagnose is not shared among ranks")
                self.assertFalse(os.path.exists(self.path("run.db")))

    # ---- the whole job ----

    def start(self, ranks, *arguments, env):
        job = subprocess.Popen(
            command(ranks, *arguments), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            cwd=self.folder, start_new_session=True,
            env={**os.environ, **env})
        self.addCleanup(job.stdout.close)
        for _ in range(400):  # until it is well under way
            time.sleep(0.05)
            if job.poll() is not None or (
                    os.path.exists(self.path("log"))
                    and self.asked("log") >= 30):
                break
        self.assertIsNone(job.poll())
        return job

    def rows(self):
        run = self.run_lrgd("status", "run.db", "--json")
        return json.loads(run.stdout)["evaluations"]

    def resume(self, ranks, *arguments, **more):
        """Waits until the ranks that lost their job have ended."""
        for _ in range(60):
            try:
                return self.ask(ranks, "resume", "run.db", *arguments, **more)
            except AssertionError as error:
                if "in use" not in str(error):
                    raise
            time.sleep(0.5)
        raise AssertionError("the journal is still in use")

    def test_a_killed_job_loses_only_evaluations_in_flight(self):
        # slopes by the batch, so that a kill comes in the middle of one
        problem = [*PROBLEM, "--method", "lrgd", "--rank", "2"]
        plain = self.ask(0, "minimize", *problem)
        job = self.start(3, "minimize", *problem, "--journal", "run.db",
                         env={"SLOW": "0.05", "LOG": self.path("log")})
        os.killpg(job.pid, signal.SIGKILL)
        job.wait()
        time.sleep(0.5)  # ranks end when their job has gone
        self.assertLess(self.rows(), plain["evaluations"])
        found = self.resume(2, "--worker", WORKER,
                            env={"LOG": self.path("log")})
        self.same(found, plain)
        self.assertEqual(self.rows(), plain["evaluations"])
        self.assertLessEqual(self.asked("log"), plain["evaluations"] + 2)

    def test_programs_terminated_with_the_job_are_no_failures(self):
        plain = self.ask(0, "minimize", *PROBLEM)
        job = self.start(3, "minimize", *PROBLEM, "--journal", "run.db",
                         "--json", env={"SLOW": "0.05",
                                        "LOG": self.path("log"),
                                        "PIDS": self.path("pids")})
        with open(f"/proc/{job.pid}/task/{job.pid}/children",
                  encoding="ascii") as ranks:
            pids = self.read("pids").split() + ranks.read().split()
        for pid in pids:  # all of them, as Slurm does
            os.kill(int(pid), signal.SIGTERM)
        found = json.loads(job.communicate(timeout=600)[0])
        self.assertEqual(found["outcome"], "stopped")
        self.assertEqual(found["counts"]["failures"], 0)
        self.assertEqual(found["evaluations"], self.rows())
        self.assertGreaterEqual(self.rows(), self.asked("log") - 2)
        self.same(self.resume(4, "--worker", WORKER), plain)

    def test_problems_without_a_program_are_resumed_too(self):
        plugin = ["--plugin", PLUGIN, "--dim", "30", "--oracle", "value"]
        built_in = ["quadratic", "--set", "p=60"]
        for problem, which in ((plugin, plugin[:2]), (built_in, built_in[:1])):
            with self.subTest(problem=problem[0]):
                self.setUp()  # another folder
                plain = self.ask(2, "minimize", *problem, "--width", 3)
                first = self.ask(4, "minimize", *problem, "--journal",
                                 "run.db", "--max-evals", 20, code=3)
                found = self.resume(3, *which, "--max-evals", 100000)
                self.assertEqual(found["journal"]["replayed"],
                                 first["evaluations"])
                self.same(found, plain)


if __name__ == "__main__":
    main()
