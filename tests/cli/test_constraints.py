"""lrgd minimize with limits on what a program answers."""
import csv
import io
import json

from harness import Case, main, worker

FLAGS = ("--answers", "sum,square,product", "--constraint", "product >= 1",
         "--constraint", "square <= 8", "--dim", 2, "--start", 1.5)


class Constraints(Case):
    def minimize(self, *more, **how):
        return self.run_json("minimize", "--worker", worker("limited.py"),
                             *FLAGS, *more, **how)

    def test_outputs_limits_and_multipliers_are_reported(self):
        result = self.minimize("--max-evals", 100)
        self.assertEqual(result["outcome"], "converged")
        self.assertAlmostEqual(result["f"], 2, 6)
        self.assertLessEqual(result["violation"], 1e-6)
        self.assertEqual(list(result["outputs"]), ["sum", "square", "product"])
        self.assertAlmostEqual(result["outputs"]["sum"], sum(result["x"]), 12)
        # min x1 + x2 where x1 x2 >= c is 2 sqrt(c): its slope is 1 at c = 1
        self.assertAlmostEqual(result["multipliers"]["product"], 1, 3)
        self.assertAlmostEqual(result["multipliers"]["square"], 0, 3)

    def test_a_maximised_objective_is_reported_with_the_users_sign(self):
        result = self.minimize("--maximize", "--max-evals", 100)
        self.assertAlmostEqual(result["f"], 4, 5)
        self.assertAlmostEqual(result["multipliers"]["square"], 0.25, 3)

    def test_ranges_are_kept_and_the_objective_may_be_any_output(self):
        result = self.minimize("--objective", "square", "--constraint",
                               "3 <= sum <= 3.5", "--max-evals", 100)
        self.assertAlmostEqual(result["f"], 4.5, 5)

    def test_linear_limits_are_kept(self):
        self.write("A", "1 0\n")
        self.write("b", "0.8\n")
        result = self.minimize("--at-most", "A", "b", "--max-evals", 100,
                               code=None)
        self.assertLessEqual(result["x"][0], 0.8)
        self.assertAlmostEqual(result["f"], 0.8 + 1 / 0.8, 5)

    def test_limits_that_contradict_each_other_are_reported(self):
        result = self.minimize("--constraint", "square <= 1", "--max-evals",
                               200, code=3)
        self.assertEqual(result["stall_reason"], "infeasible")
        self.assertGreater(result["violation"], 0.1)
        self.assertIn("no point within all limits", result["message"])

    def test_a_malformed_limit_is_refused_with_a_message(self):
        for text, words in (("height <= 1", "no answer height"),
                            ("sum", "is none of"),
                            ("sum <= 1 <= 2", "is none of"),
                            ("sum <= 1e", "no answer 1e")):
            self.assertIn(words, self.run_lrgd(
                "minimize", "--worker", worker("limited.py"), *FLAGS,
                "--constraint", text, code=2).stderr)
        self.assertIn("at least 3 and at most 2", self.run_lrgd(
            "minimize", "--worker", worker("limited.py"), *FLAGS,
            "--constraint", "sum >= 3", "--constraint", "sum <= 2",
            code=2).stderr)

    def test_a_journal_with_limits_is_resumed_with_them_only(self):
        short = self.run_lrgd("minimize", "--worker", worker("limited.py"),
                              *FLAGS, "--journal", "run.db", "--max-evals", 8,
                              code=3)
        self.assertIn("the same command again, with --max-evals 16",
                      short.stderr)
        self.refused("resume", "run.db", "--worker", worker("limited.py"),
                     "--max-evals", 100, says="limits on its outputs (sum")
        result = self.run_json("resume", "run.db", "--worker",
                               worker("limited.py"), *FLAGS[:6],
                               "--max-evals", 100)
        self.assertEqual(result["outcome"], "converged")
        self.assertAlmostEqual(result["f"], 2, 6)

    def test_limits_that_are_met_to_their_tolerance_are_not_violated(self):
        run = self.run_lrgd("minimize", "--worker", worker("limited.py"),
                            "--answers", "sum,square,product", "--dim", 2,
                            "--start", 1.5, "--constraint", "product = 0",
                            "--constraint", "square <= 8", "--max-evals", 100)
        self.assertIn("all limits are met", run.stdout)
        self.assertNotIn("violated", run.stdout)

    def test_a_journal_goes_on_with_the_same_limits_only(self):
        self.minimize("--journal", "run.db", "--max-evals", 8, code=3)
        result = self.minimize("--journal", "run.db", "--max-evals", 100)
        self.assertAlmostEqual(result["f"], 2, 6)
        self.run_lrgd("minimize", "--worker", worker("limited.py"), *FLAGS,
                      "--constraint", "sum >= 1", "--journal", "run.db",
                      "--max-evals", 100, code=7)


class Kept(Case):
    """What a journal tells of a run with limits."""

    def run_for(self, evaluations, *more):
        return self.run_lrgd("minimize", "--worker", worker("limited.py"),
                             *FLAGS, *more, "--journal", "run.db",
                             "--max-evals", evaluations, code=None)

    def status(self):
        return json.loads(self.run_lrgd("status", "run.db", "--json").stdout)

    def test_status_shows_the_best_point_within_the_limits(self):
        result = json.loads(self.run_for(100, "--json").stdout)
        told = self.status()  # the run may return a point beside it
        self.assertAlmostEqual(told["f"], result["f"], 4)
        self.assertLessEqual(told["f"], result["f"])
        self.assertEqual(list(told["outputs"]), list(result["outputs"]))
        self.assertEqual(told["multipliers"], result["multipliers"])
        self.assertLessEqual(told["violation"], 1e-6)
        self.assertAlmostEqual(told["outputs"]["sum"], sum(told["x"]), 12)
        rows = csv.DictReader(io.StringIO(self.run_lrgd(
            "status", "run.db", "--csv").stdout))
        self.assertLess(min(float(row["f"]) for row in rows), told["f"] - 1e-5)
        text = self.run_lrgd("status", "run.db").stdout
        self.assertIn("all limits are met", text)
        self.assertRegex(text, r"product +\S+  >= 1  active: 1 more allowed "
                         r"saves (1|1\.0\d*|0\.99\d*) of sum\n")
        self.assertRegex(text, r"square +\S+  <= 8\n")

    def test_the_best_point_of_a_maximised_objective_has_the_largest(self):
        result = json.loads(self.run_for(100, "--json",
                                         "--maximize").stdout)
        told = self.status()
        self.assertGreaterEqual(told["f"], result["f"])
        self.assertAlmostEqual(told["f"], 4, 4)
        self.assertRegex(self.run_lrgd("status", "run.db").stdout,
                         r"adds 0\.2[45]\d* of sum")

    def test_where_no_point_meets_the_limits_the_closest_is_reported(self):
        self.run_for(60, "--constraint", "square <= 1")
        told = self.status()
        self.assertGreater(told["violation"], 0.1)
        self.assertEqual(told["multipliers"], {})
        text = self.run_lrgd("status", "run.db").stdout
        self.assertIn("least outside", text)
        self.assertRegex(text, r"NOT within their limits: outside by \S+ "
                         "of their size")
        self.assertIn("violated", text)

    def test_an_unfinished_run_has_no_multipliers(self):
        self.write("slow.py", "import os, sys\n"
                   "for n, line in enumerate(sys.stdin):\n"
                   "    if n == 9: os.kill(os.getppid(), 9)\n"
                   "    x = [float(w) for w in line.split()]\n"
                   "    print(sum(x), sum(v * v for v in x), x[0] * x[1], "
                   "flush=True)\n")
        self.run_lrgd("minimize", "--worker", "python3 slow.py", *FLAGS,
                      "--journal", "run.db", code=None)
        told = self.status()
        self.assertEqual(told["state"], "interrupted")
        self.assertEqual(told["multipliers"], {})
        self.assertEqual(len(told["outputs"]), 3)

    def test_names_of_outputs_given_by_read_are_recorded(self):
        self.write("deck.in", "{{x1}} {{x2}}\n")
        self.write("model.sh", "awk '{print \"sum\", $1 + $2; "
                   "print \"part\", $1}' deck > out\n")
        self.run_lrgd("minimize", "--program", "sh model.sh", "--template",
                      "deck.in:deck", "--read", "sum=out:/sum +([^ ]+)/",
                      "--read", "part=out:/part +([^ ]+)/", "--copy",
                      "model.sh", "--constraint", "part >= 1", "--constraint",
                      "sum >= 2.5", "--dim", 2, "--start", 2, "--lower", 0,
                      "--journal", "run.db", "--max-evals", 40, code=None)
        self.assertEqual(list(self.status()["outputs"]), ["sum", "part"])

    def test_the_report_fits_its_journal(self):
        result = json.loads(self.run_for(100, "--json").stdout)
        self.run_lrgd("report", "run.db", "-o", "run.html")
        page = open(self.path("run.html"), encoding="utf-8").read()
        self.assertNotIn("own view of this run is not", page)
        self.assertIn("Outputs and their limits", page)
        self.assertIn("All limits are met at the best point", page)
        self.assertRegex(page, "1 more allowed saves (1|0.99)")
        self.assertIn("gradient of the Lagrangian", page)
        self.assertIn(f"f = <strong>{result['f']!r}</strong>", page)
        self.assertNotIn("A lower value", page)
        self.assertNotIn("What gradient descent would have paid", page)
        self.assertIn("outside the limits", page)

    def test_the_report_of_an_infeasible_run_says_so(self):
        self.run_for(60, "--constraint", "square <= 1")
        self.run_lrgd("report", "run.db", "-o", "run.html")
        page = open(self.path("run.html"), encoding="utf-8").read()
        self.assertIn("No point within all limits was found", page)
        self.assertIn("NOT within its limits", page)


if __name__ == "__main__":
    main()
