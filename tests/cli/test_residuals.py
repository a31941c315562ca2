"""lrgd minimize --residuals and lrgd fit: programs that answer many numbers."""
import json
import os
import signal
import sqlite3
import struct
import subprocess
import time

from harness import LRGD, PLUGIN, main, worker
from observed import Base, OBSERVATIONS
import sums


class Minimize(Base):
    def test_residuals_and_cost_are_those_of_x(self):
        for kind in ("--worker", "--program"):
            result = self.run_json(
                "minimize", "--residuals", kind, self.sums("residuals"),
                "--dim", 6, "--max-evals", 12, code=None)
            expected = [s - o for s, o in
                        zip(sums.values(result["x"]), sums.OBSERVED)]
            for told, true in zip(result["residuals"], expected):
                self.assertAlmostEqual(told, true, delta=1e-12)
            self.assertEqual(len(result["residuals"]), 4)
            self.assertEqual(result["cost"], result["f"])
            self.assertAlmostEqual(result["f"],
                                   sum(r * r for r in expected) / 2, 12)
            self.assertEqual(self.count(), result["evaluations"])
            os.unlink(self.path("count"))

    def test_with_residuals_a_run_takes_fewer_evaluations(self):
        scalar = worker("bowl.py", "value")
        script = self.write("bowl.py", """import sys
for line in sys.stdin:
    x = [float(w) for w in line.split()]
    print(*[v - i for i, v in enumerate(x)], sum(x) - 1, flush=True)
""")
        ours = self.run_json("minimize", "--residuals", "--worker",
                             f"/usr/bin/python3 {script}", "--dim", 10)
        theirs = self.run_json("minimize", "--worker", scalar, "--dim", 10)
        self.assertEqual(ours["outcome"], "converged")
        self.assertLess(ours["evaluations"], 0.7 * theirs["evaluations"])
        self.assertEqual(ours["phases"][0]["kind"], "least_squares")

    def test_the_text_output_lists_residuals(self):
        run = self.run_lrgd("minimize", "--residuals", "--worker",
                            self.sums("residuals"), "--dim", 6,
                            "--max-evals", 10, code=3)
        self.assertRegex(run.stdout, r"  residuals     4, rms \S+, the largest "
                         r"\S+ \(number [1-4]\)\n")

    def test_every_evaluation_is_counted_with_scaled_inputs_too(self):
        start = self.write("start", "1\n2\n0.3\n4\n5\n0.7\n")
        a, b = self.write("a", "1 1 1 1 1 2\n"), self.write("b", "3\n")
        for more in (["--scale", 0.3, "--start", start],
                     ["--log", "all", "--start", start],
                     ["--lower", 0.5, "--upper", 4, "--start", start],
                     ["--equal", a, b], ["--method", "quasi-newton"]):
            result = self.minimize("--max-evals", 30, *more, code=None)
            self.assertEqual(self.count(), result["evaluations"], more)
            self.assertEqual(len(result["residuals"]), 4)
            os.unlink(self.path("count"))

    def test_problems_and_oracles_without_residuals_are_refused(self):
        program = ("--worker", self.sums("residuals"), "--dim", 6)
        for more in (("rosenbrock",), ("--plugin", PLUGIN), ("mlp",), ()):
            self.refused("minimize", "--residuals", *more,
                         says="--residuals is for programs")
        self.refused("minimize", "--residuals", *program, "--oracle",
                     "complex", says="values, gradients or slopes")
        self.refused("diagnose", "--residuals", *program, says="--residuals")
        self.assertEqual(self.count(), 0)

    def test_a_start_that_fails_ends_the_run_as_it_does_for_f(self):
        for retries in (0, 2):
            result = self.run_json(
                "minimize", "--residuals", "--program",
                self.sums("residuals", "count", 0, 1), "--dim", 6, "--retries",
                retries, "--journal", f"{retries}.db", code=4)
            self.assertEqual(result["outcome"], "failed")
            self.assertIn("oops", result["failure"])
            self.assertIn("not a finite number", result["failure"])
            self.assertEqual(result["residuals"], [])
            self.assertEqual(result["evaluations"], 1 + retries)
            self.assertEqual(result["journal"]["evaluations"], 1 + retries)
            self.assertEqual(self.count(), 1 + retries)
            os.unlink(self.path("count"))

    def test_a_start_that_fails_once_is_asked_again(self):
        result = self.run_json(
            "minimize", "--residuals", "--worker",
            self.sums("residuals", "count", 0, 1), "--dim", 6, "--retries", 1,
            "--max-evals", 10, code=3)
        self.assertEqual(len(result["residuals"]), 4)
        self.assertEqual(result["counts"]["failures"], 1)
        self.assertEqual(self.count(), result["evaluations"])


class Journal(Base):
    def test_a_resumed_fit_ends_as_an_uninterrupted_one(self):
        whole = self.minimize("--max-evals", 40, code=None)
        paid = self.count()
        os.unlink(self.path("count"))
        self.minimize("--max-evals", 1, "--journal", "run.db", code=3)
        self.minimize("--max-evals", 7, "--journal", "run.db", code=3)
        last = self.run_json("resume", "run.db", "--worker",
                             self.sums("residuals"), "--max-evals", 40,
                             code=None)
        self.assertEqual(last["x"], whole["x"])
        self.assertEqual(last["residuals"], whole["residuals"])
        self.assertEqual(last["journal"]["replayed"], 7)
        self.assertEqual(self.count(), paid)
        state = json.loads(self.run_lrgd("status", "run.db", "--json").stdout)
        self.assertAlmostEqual(state["f"], whole["f"], 12)
        self.assertEqual(state["settings"]["residuals"], "yes")
        self.run_lrgd("report", "run.db", "-o", "page.html")
        page = self.read("page.html")
        self.assertIn("least squares", page)
        self.assertNotIn("could not be run again", page)

    def test_a_journal_of_residuals_refuses_a_run_of_values(self):
        self.minimize("--max-evals", 5, "--journal", "run.db", code=3)
        run = self.run_lrgd("minimize", "--worker", self.sums("residuals"),
                            "--dim", 6, "--journal", "run.db", code=7)
        self.assertIn("residuals is yes there, not set here", run.stderr)
        self.assertIn("lrgd resume goes on with others", self.run_lrgd(
            "minimize", "--residuals", "--worker", self.sums("residuals"),
            "--dim", 6, "--journal", "run.db", "--seed", 3, code=7).stderr)

    def test_a_changed_program_is_checked_at_a_stored_point_first(self):
        self.minimize("--max-evals", 5, "--journal", "run.db", code=3)
        run = self.run_lrgd("resume", "run.db", "--worker",
                            self.sums("values"), "--max-evals", 8, code=7)
        self.assertIn("is of another function", run.stderr)
        self.run_json("resume", "run.db", "--worker",
                      self.sums("residuals", "other"), "--max-evals", 8,
                      code=3)

    def test_a_new_path_begins_at_the_best_point(self):
        first = self.minimize("--max-evals", 12, "--journal", "run.db", code=3)
        run = self.run_lrgd("resume", "run.db", "--worker",
                            self.sums("residuals"), "--seed", 5, "--max-evals",
                            24, "--json", code=None)
        self.assertIn("a new path, from the best point stored", run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["journal"]["path"], 2)
        self.assertLessEqual(result["f"], first["f"])
        self.assertEqual([phase["kind"] for phase in result["phases"][:2]],
                         ["warm_start", "least_squares"])
        self.assertEqual(self.count(), result["evaluations"])

    def test_killed_runs_lose_nothing(self):
        command = [LRGD, "minimize", "--residuals", "--worker",
                   self.sums("residuals", "count", 0.01), "--dim", "6",
                   "--max-evals", "25", "--journal", "run.db", "--json",
                   "--quiet"]
        for pause in (0.05, 0.12, 0.2, 0.3):
            run = subprocess.Popen(command, cwd=self.folder,
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(pause)
            run.kill()
            run.wait()
        done = subprocess.run(command, cwd=self.folder, text=True,
                              stdout=subprocess.PIPE, check=False)
        last = json.loads(done.stdout)
        self.assertLessEqual(self.count() - last["evaluations"], 4)
        whole = self.run_json("minimize", "--residuals", "--worker",
                              self.sums("residuals", "other"), "--dim", 6,
                              "--max-evals", 25, code=3)
        self.assertEqual(last["x"], whole["x"])

    def test_jobs_answer_side_by_side_and_change_nothing(self):
        script = self.write("bent.py", """import os, sys, time
for line in sys.stdin:
    x = [float(w) for w in line.split()]
    r = [v + 0.05 * v * v - (i % 5) for i, v in enumerate(x)]
    with open("log", "a") as file:
        file.write(f"{time.monotonic()} {os.getpid()}\\n")
    time.sleep(0.01)
    print(*r, flush=True)
""")
        runs, pids = [], []
        for jobs in (1, 4):
            runs.append(self.run_json(
                "minimize", "--residuals", "--worker",
                f"/usr/bin/python3 {script}", "--dim", 24, "--lower", 0,
                "--jobs", jobs, "--journal", f"{jobs}.db"))
            with open(self.path("log"), encoding="ascii") as file:
                pids.append({line.split()[1] for line in file})
            os.unlink(self.path("log"))
        self.assertEqual([len(some) for some in pids], [1, 4])
        for key in ("x", "f", "evaluations"):
            self.assertEqual(runs[0][key], runs[1][key])
        points = [list(sqlite3.connect(self.path(name)).execute(
            "SELECT sequence, answer FROM evaluations ORDER BY sequence"))
            for name in ("1.db", "4.db")]
        self.assertEqual(*points)

    def test_an_interrupt_while_the_start_is_asked(self):
        command = [LRGD, "minimize", "--residuals", "--worker",
                   self.sums("residuals", "count", 0.5), "--dim", "6",
                   "--journal", "run.db", "--json"]
        run = subprocess.Popen(command, cwd=self.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not self.count():
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 128 + signal.SIGINT)
        result = json.loads(out)
        self.assertEqual((result["outcome"], result["evaluations"],
                          result["journal"]["evaluations"]),
                         ("stopped", 1, 1))
        self.assertEqual(self.count(), 1)
        more = ("--max-evals", 9)
        last = self.run_json("resume", "run.db", "--worker",
                             self.sums("residuals"), *more, code=3)
        self.assertEqual((last["journal"]["replayed"], self.count()), (1, 9))
        # one evaluation went to the question whether it is the same program
        whole = self.minimize("--max-evals", 8, code=3)
        self.assertEqual(last["x"], whole["x"])


class Fit(Base):
    def test_groups_and_observations_are_reported(self):
        result = self.fit("--max-evals", 30, code=None)
        simulated = sums.values(result["x"])
        self.assertEqual([o["name"] for o in result["observations"]],
                         ["total", "moment", "product", "spread"])
        for i, (told, true) in enumerate(zip(result["observations"],
                                             simulated)):
            self.assertAlmostEqual(told["simulated"], true, delta=1e-12)
            self.assertEqual(told["observed"], sums.OBSERVED[i])
            self.assertEqual(told["weight"], (1, 3, 1, 0)[i])
            self.assertAlmostEqual(
                told["residual"],
                told["weight"] * (true - told["observed"]), 12)
            self.assertAlmostEqual(result["residuals"][i], told["residual"],
                                   12)
        groups = {group["name"]: group for group in result["groups"]}
        self.assertEqual({n: g["count"] for n, g in groups.items()},
                         {"all": 1, "moments": 2, "unused": 1})
        self.assertAlmostEqual(sum(g["f"] for g in groups.values()),
                               result["f"], 12)
        self.assertAlmostEqual(sum(g["f_start"] for g in groups.values()),
                               result["f_start"], 12)
        # the start is 0: no sum is met
        self.assertAlmostEqual(groups["moments"]["f_start"],
                               (6 * 6 + 0.3 * 0.3) / 2, 12)
        worst = groups["moments"]["worst"]
        self.assertEqual(abs(worst["residual"]), max(
            abs(o["residual"]) for o in result["observations"][1:3]))
        self.assertLess(result["f"], 0.1 * result["f_start"])
        self.assertEqual(self.count(), result["evaluations"])

    def test_the_text_has_a_line_for_each_group(self):
        self.write("obs", OBSERVATIONS)
        run = self.run_lrgd("fit", "--program", self.sums("values"),
                            "--observations", "obs", "--dim", 6, "--max-evals",
                            12, code=3)
        for name in ("all", "moments", "unused"):
            self.assertRegex(run.stdout, rf"(?m)^    {name} +[12] ")
        self.assertRegex(run.stdout, r"worst\n    all .* total: \S+, observed 1")

    def test_the_journal_keeps_what_was_simulated(self):
        self.fit("--max-evals", 9, "--journal", "run.db", code=3)
        with sqlite3.connect(self.path("run.db")) as file:
            rows = file.execute("SELECT answer FROM evaluations ORDER BY "
                                "sequence").fetchall()
        self.assertEqual(len(rows), 9)
        f, *simulated = struct.unpack("<5d", rows[0][0])
        self.assertEqual(simulated, [*sums.values([0.0] * 6)])
        self.assertAlmostEqual(f, (1 + 36 + 0.09) / 2, 12)

    def test_a_fit_is_resumed_without_its_file_of_observations(self):
        whole = self.fit("--max-evals", 25, code=None)
        self.fit("--max-evals", 8, "--journal", "run.db", code=3)
        os.unlink(self.path("obs"))
        last = self.run_json("resume", "run.db", "--worker",
                             self.sums("values"), "--max-evals", 25, code=None)
        self.assertEqual(last["x"], whole["x"])
        self.assertEqual(last["groups"], whole["groups"])
        self.assertEqual(last["journal"]["replayed"], 8)
        state = json.loads(self.run_lrgd("status", "run.db", "--json").stdout)
        self.assertAlmostEqual(state["f"], last["f"], 12)
        self.assertNotIn("observation_names", state["settings"])
        self.run_lrgd("report", "run.db", "-o", "page.html")
        page = self.read("page.html")
        self.assertIn("least squares", page)
        self.assertIn("What was observed", page)
        self.assertRegex(page, r'<th scope="row">moments</th><td class="n">2<')
        self.assertIn('id="observed-chart"', page)

    def test_other_weights_make_another_run_and_other_names_do_not(self):
        self.fit("--max-evals", 5, "--journal", "run.db", code=3)
        self.write("obs", OBSERVATIONS.replace("moments", "sums"))
        self.fit("--max-evals", 6, "--journal", "run.db", code=3)
        self.write("obs", OBSERVATIONS.replace("3  moments", "2  moments"))
        run = self.run_lrgd("fit", "--worker", self.sums("values"),
                            "--observations", "obs", "--dim", 6, "--journal",
                            "run.db", code=7)
        self.assertIn("weights is other numbers there", run.stderr)
        self.assertIn("lrgd resume goes on with others", run.stderr)
        self.assertEqual(self.count(), 6)

    def test_resume_takes_other_observations_and_keeps_what_was_paid(self):
        self.fit("--max-evals", 12, "--journal", "run.db", code=3)
        self.write("other", OBSERVATIONS.replace("2    3", "-1   0.5"))
        run = self.run_lrgd("resume", "run.db", "--worker",
                            self.sums("values"), "--observations", "other",
                            "--max-evals", 16, "--json", code=3)
        self.assertIn("a new path, from the best point stored", run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual((self.count(), result["evaluations"]), (16, 16))
        self.assertEqual(result["observations"][1]["observed"], -1)
        with sqlite3.connect(self.path("run.db")) as file:
            rows = file.execute("SELECT f, answer FROM evaluations ORDER BY "
                                "sequence").fetchall()

        def cost(simulated):
            return sum((w * (s - o)) ** 2 for s, o, w in zip(
                simulated, (1, -1, 0.3, 0), (1, 0.5, 1, 0))) / 2
        costs = []
        for column, answer in rows:
            f, *simulated = struct.unpack("<5d", answer)
            self.assertEqual(f, column)
            self.assertAlmostEqual(f, cost(simulated), 12)
            costs.append(f)
        # it began where the new f was least, whatever the old one was
        self.assertAlmostEqual(result["f_start"], min(costs[:12]), 9)
        self.assertLessEqual(result["f"], result["f_start"])
        state = json.loads(self.run_lrgd("status", "run.db", "--json").stdout)
        self.assertEqual((state["f"], state["paths"]), (min(costs), 2))
        self.run_lrgd("report", "run.db", "-o", "page.html")
        again = self.run_json("resume", "run.db", "--worker",
                              self.sums("values"), "--max-evals", 16, code=3)
        self.assertEqual((again["x"], self.count()), (result["x"], 16))

    def test_the_command_and_the_observations_change_one_at_a_time(self):
        self.fit("--max-evals", 6, "--journal", "run.db", code=3)
        self.write("other", OBSERVATIONS.replace("2    3", "-1   0.5"))
        run = self.run_lrgd("resume", "run.db", "--worker",
                            self.sums("values", "more"), "--observations",
                            "other", "--max-evals", 9, code=7)
        self.assertIn("change one at a time", run.stderr)
        self.assertEqual((self.count(), self.count("more")), (6, 0))
        self.run_json("resume", "run.db", "--worker",
                      self.sums("values", "more"), "--max-evals", 9, code=3)
        self.assertEqual(self.count("more"), 3)  # one of them the check

    def test_as_many_observations_must_be_given_as_before(self):
        self.fit("--max-evals", 5, "--journal", "run.db", code=3)
        self.write("fewer", "a 1\nb 2\n")
        self.refused("resume", "run.db", "--worker", self.sums("values"),
                     "--observations", "fewer",
                     says="2 observations; the program of the journal answered "
                     "4 values")
        self.minimize("--max-evals", 5, "--journal", "other.db", code=3)
        self.refused("resume", "other.db", "--worker", self.sums("residuals"),
                     "--observations", "fewer", says="has none")

    def test_a_wrong_line_is_named(self):
        for text, says in (
                ("a 1\nb\n", "obs:2: \"b\" has no value"),
                ("a 1\nb two\n", "obs:2: \"two\" is not a finite number"),
                ("a nan\n", "obs:1: \"nan\" is not a finite number"),
                ("# c\na 1 -2\n", "obs:2: \"-2\" is not a weight"),
                ("a 1 x\n", "obs:1: \"x\" is not a weight"),
                ("a 1 2 g more\n", "obs:1: \"more\" is one word too many"),
                ("a 1\nb 1\na 2\n", "obs: \"a\" is there twice"),
                ("# nothing\n\n", "obs: no observation is in it"),
                ("a 1 0\nb 2 0\n", "obs: every weight is 0"),
                ("n" * 64 + " 1\n", "is too long a name"),
                ("a 1 1 " + "g" * 64 + "\n", "is too long a name"),
                ("a " + "1" * 600 + "\n", "obs:1: a line of text has at most")):
            self.write("obs", text)
            self.refused("fit", "--worker", self.sums("values"), "--dim", 6,
                         "--observations", "obs", says=says)
        self.refused("fit", "--worker", self.sums("values"), "--dim", 6,
                     "--observations", "nowhere", says="cannot be read")
        self.assertEqual(self.count(), 0)

    def test_missing_flags_of_a_fit_are_named(self):
        self.write("obs", OBSERVATIONS)
        self.refused("fit", "--observations", "obs", says="fit what?")
        self.refused("fit", "--worker", "true", "--dim", 2,
                     says="fit to what? give --observations FILE")
        self.refused("fit", "rosenbrock", "--observations", "obs",
                     says="fit takes a program")
        self.refused("fit", "--worker", "a", "--program", "b",
                     "--observations", "obs", says="not both")

    def test_an_answer_with_another_number_of_values_fails(self):
        self.write("obs", "a 1\nb 2\n")
        run = self.run_lrgd("fit", "--worker", self.sums("values"),
                            "--observations", "obs", "--dim", 6, code=4)
        self.assertIn("2 numbers expected, 4 answered", run.stdout)

    def test_a_damaged_list_of_observations_is_refused(self):
        self.fit("--max-evals", 5, "--journal", "run.db", code=3)
        names = "observation_names"
        with sqlite3.connect(self.path("run.db")) as file:
            file.execute("DELETE FROM settings WHERE key = ?", (names,))
        run = self.run_lrgd("resume", "run.db", "--worker",
                            self.sums("values"), code=7)
        self.assertIn("\"observations\" is not one that lrgd wrote",
                      run.stderr)


if __name__ == "__main__":
    main()
