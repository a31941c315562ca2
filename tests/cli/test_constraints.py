"""lrgd minimize with limits on what a program answers."""
from harness import Case, main, worker

FLAGS = ("--answers", "sum,square,product", "--constraint", "product >= 1",
         "--constraint", "square <= 8", "--dim", 2, "--start", 1.5)


class Constraints(Case):
    def minimize(self, *more, **how):
        return self.run_json("minimize", "--worker", worker("limited.py"),
                             *FLAGS, *more, **how)

    def test_outputs_limits_and_multipliers_are_told(self):
        result = self.minimize("--max-evals", 100)
        self.assertEqual(result["outcome"], "converged")
        self.assertAlmostEqual(result["f"], 2, 6)
        self.assertLessEqual(result["violation"], 1e-6)
        self.assertEqual(list(result["outputs"]), ["sum", "square", "product"])
        self.assertAlmostEqual(result["outputs"]["sum"], sum(result["x"]), 12)
        # min x1 + x2 where x1 x2 >= c is 2 sqrt(c): its slope is 1 at c = 1
        self.assertAlmostEqual(result["multipliers"]["product"], 1, 3)
        self.assertAlmostEqual(result["multipliers"]["square"], 0, 3)

    def test_the_largest_is_found_with_its_own_sign(self):
        result = self.minimize("--maximize", "--max-evals", 100)
        self.assertAlmostEqual(result["f"], 4, 5)
        self.assertAlmostEqual(result["multipliers"]["square"], 0.25, 3)

    def test_ranges_and_an_objective_that_is_not_the_first(self):
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

    def test_limits_that_contradict_each_other_are_told(self):
        result = self.minimize("--constraint", "square <= 1", "--max-evals",
                               200, code=3)
        self.assertEqual(result["stall_reason"], "infeasible")
        self.assertGreater(result["violation"], 0.1)
        self.assertIn("no point within all limits", result["message"])

    def test_what_is_no_limit_is_refused_with_a_sentence(self):
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


if __name__ == "__main__":
    main()
