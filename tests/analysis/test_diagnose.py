"""lrgd diagnose and lrgd reproduce theorems, from outside."""
import json
import os
import subprocess
import tempfile
import unittest

LRGD = os.environ["LRGD"]


def lrgd(*arguments, code=0):
    run = subprocess.run([LRGD, *map(str, arguments)], capture_output=True,
                         text=True, timeout=60)
    assert run.returncode == code, (arguments, run.returncode, run.stderr)
    return run


def data(*arguments, code=0):
    return json.loads(lrgd(*arguments, "--json", "--quiet", code=code).stdout)


class Diagnose(unittest.TestCase):
    def test_json_has_what_scripts_rely_on(self):
        found = data("diagnose", "ridge", "--set", "p=200", "--set", "rank=3")
        self.assertIs(found["low_rank"], True)
        self.assertEqual(found["recommended_rank"], 3)
        self.assertAlmostEqual(sum(found["spectrum"]), 1, places=9)
        for row in found["eta"]:
            self.assertLessEqual(row["median"], row["p95"])
            self.assertLessEqual(row["p95"], row["max"])
        self.assertEqual([row["r"] for row in found["eta"]], [1, 2, 3])
        self.assertEqual(set(found["predicted_calls"]),
                         {"gd", "lrgd", "iterated", "adaptive", "auto",
                          "lbfgs"})
        self.assertIsInstance(found["verdict"], str)
        self.assertLessEqual(found["evaluations"],
                             found["planned_evaluations"])

    def test_predictions_come_true(self):
        problem = ["quadratic", "--set", "p=300", "--set", "rank=4"]
        found = data("diagnose", *problem)
        for method in ("gd", "lrgd", "iterated", "adaptive", "auto"):
            rank = ["--rank", 4] if method in ("lrgd", "iterated") else []
            run = data("minimize", *problem, "--method", method, *rank)
            ratio = found["predicted_calls"][method] / run["oracle_calls"]
            self.assertTrue(0.5 <= ratio <= 2, (method, ratio))

    def test_the_cost_is_told_before_and_the_budget_is_kept(self):
        run = lrgd("diagnose", "ridge", "--max-evals", 500, code=3)
        self.assertIn("at most 500 evaluations", run.stderr)
        found = data("diagnose", "ridge", "--max-evals", 500, code=3)
        self.assertLessEqual(found["evaluations"], 500)
        found = data("diagnose", "ridge", "--max-evals", 3, code=3)
        self.assertIs(found["low_rank"], False)

    def test_logarithms_are_tried(self):
        found = data("diagnose", "hartmann-mhd", "--try-transforms")
        self.assertEqual(found["transforms"]["log"]["exact_rank"], 2)
        self.assertIs(found["low_rank"], False)

    def test_the_picture_and_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "borehole.svg")
            run = lrgd("diagnose", "borehole", "--plot", picture, "--quiet")
            self.assertIn("Low-rank", run.stdout)
            self.assertGreater(os.path.getsize(picture), 1000)

    def test_a_function_that_cannot_be_evaluated(self):
        found = data("diagnose", "--worker", "sh -c 'while read x; do echo nan; done'",
                     "--dim", 3, code=4)
        self.assertIn("cannot be evaluated", found["verdict"])


class Theorems(unittest.TestCase):
    def test_every_cell_holds(self):
        found = data("reproduce", "theorems")
        self.assertEqual(len(found["cells"]), 36)
        for cell in found["cells"]:
            self.assertIs(cell["conditions_hold"], True)
            self.assertLessEqual(cell["calls"], cell["bound"])
            self.assertGreater(cell["gd_calls"], 0)
            self.assertEqual({cell["p"]} - {50, 200, 1000}, set())

    def test_lrgd_pays_less_where_p_is_large(self):
        for cell in data("reproduce", "theorems")["cells"]:
            if cell["p"] == 1000 and cell["r"] == 5:
                self.assertLess(cell["calls"], 0.5 * cell["gd_calls"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
