"""lrgd diagnose and lrgd reproduce theorems, from outside."""
import functools
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

LRGD = os.environ["LRGD"]


def lrgd(*arguments, code=0):
    run = subprocess.run([LRGD, *map(str, arguments)], capture_output=True,
                         text=True, timeout=600)
    assert run.returncode == code, (arguments, run.returncode, run.stderr)
    return run


def data(*arguments, code=0):
    return json.loads(lrgd(*arguments, "--json", "--quiet", code=code).stdout)


# f of rank 2: value, value and slope, value and gradient, or with noise
RIDGE = """
import random, sys
random.seed(1)
A = [[random.gauss(0, 0.14) for _ in range(50)] for _ in range(2)]
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    s, t = (sum(a * b for a, b in zip(row, x)) for row in A)
    f = (s - 1)**2 + 3 * (t - 0.5)**2 + 0.2 * (s - 1)**4
    ds, dt = 2 * (s - 1) + 0.8 * (s - 1)**3, 6 * (t - 0.5)
    g = [ds * a + dt * b for a, b in zip(*A)]
    if sys.argv[1] == "noisy":
        f += random.gauss(0, 1e-6)
    more = []
    if sys.argv[1] == "gradient":
        more = g
    if sys.argv[1] == "slope":
        more = [sum(a * b for a, b in zip(g, x[50:]))]
    print(*map(repr, [f, *more]), flush=True)
"""


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

    def test_the_propositions_are_tried_on_any_function(self):
        found = data("propositions", "quadratic", "--set", "p=12", "--set",
                     "rank=3")
        self.assertEqual(found["rank"], 3)
        self.assertTrue(found["lemma"]["holds"])
        self.assertIn("exactly of rank 3",
                      found["proposition_2_2"]["not_tried_because"])
        self.assertEqual([row["rank"] for row in found["algebra"]],
                         [3, 5, 5, 3])
        full = data("propositions", "quadratic", "--set", "p=6", "--set",
                    "rank=2", "--set", "tail=1")
        self.assertGreater(full["lemma"]["alignment"], 0.999)
        self.assertLess(full["lemma"]["distance"], full["lemma"]["delta"])
        self.assertTrue(full["proposition_2_2"]["holds"])
        self.assertGreater(
            full["proposition_2_2"]["epsilon"][2]["least_epsilon"], 0)
        page = lrgd("propositions", "quadratic", "--set", "p=6", "--set",
                    "rank=2").stdout
        self.assertIn("Algebra, with g of rank 2: holds", page)

    def test_predictions_come_true(self):
        problem = ["quadratic", "--set", "p=300", "--set", "rank=4"]
        found = data("diagnose", *problem)
        for method in ("gd", "lrgd", "iterated", "adaptive", "auto"):
            rank = ["--rank", 4] if method in ("lrgd", "iterated") else []
            run = data("minimize", *problem, "--method", method, *rank)
            for told, paid in (("predicted_calls", "oracle_calls"),
                               ("predicted_evaluations", "evaluations")):
                ratio = found[told][method] / run[paid]
                self.assertTrue(0.5 <= ratio <= 2, (method, told, ratio))

    def test_evaluations_are_reported_for_every_oracle(self):
        for oracle in ("value", "slope", "gradient"):
            worker = [sys.executable, "-c", RIDGE, oracle]
            problem = ["--worker", " ".join(map(shlex.quote, worker)), "--dim",
                       50, "--oracle", oracle]
            found = data("diagnose", *problem)
            for method in ("lrgd", "auto"):
                rank = ["--rank", 2] if method == "lrgd" else []
                run = data("minimize", *problem, "--method", method, *rank)
                ratio = (found["predicted_evaluations"][method] /
                         run["evaluations"])
                self.assertTrue(0.5 <= ratio <= 2, (oracle, method, ratio))

    def test_a_run_that_is_cut_off_has_a_lower_bound(self):
        # where f has stopped falling too: it may measure anew, and fall again
        found = data("diagnose", "otl-circuit")
        run = data("minimize", "otl-circuit", "--method", "iterated", "--rank",
                   found["recommended_rank"], code=3)
        self.assertIsNone(found["predicted_evaluations"]["iterated"])
        self.assertIn("was cut off", found["not_known_because"]["iterated"])
        floor = found["more_evaluations_than"]["iterated"]
        self.assertTrue(0 < floor <= run["evaluations"], floor)

    def test_a_quantity_that_is_unknown_has_its_reason(self):
        found = data("diagnose", "ridge", "--max-evals", 2500)
        self.assertEqual(found["recommended_rank"], 5)
        unknown = [name for name, calls in found["predicted_calls"].items()
                   if calls is None]
        self.assertIn("auto", unknown)
        self.assertEqual(sorted(found["not_known_because"]), sorted(unknown))
        self.assertIn("the budget was spent",
                      found["not_known_because"]["auto"])
        page = lrgd("diagnose", "ridge", "--max-evals", 2500, "--quiet").stdout
        self.assertIn("not known: the budget was spent before", page)

    def test_a_trial_run_without_a_gradient_predicts_nothing(self):
        worker = " ".join(map(shlex.quote, [sys.executable, "-c", RIDGE,
                                            "value"]))
        early = 0
        for budget in (550, 700, 800):
            found = data("diagnose", "--worker", worker, "--dim", 50,
                         "--held-out", 10, "--max-evals", budget)
            self.assertNotIn("more than 1.", found["verdict"])
            for name, why in found["not_known_because"].items():
                least = found["more_evaluations_than"].get(name)
                if least is None:
                    self.assertRegex(why, "the budget|it was cut off")
                    early += 1
                else:
                    self.assertGreater(least, 50, name)
        self.assertGreater(early, 6)

    def test_noise_decides_where_a_run_ends(self):
        noisy = [sys.executable, "-c", RIDGE, "noisy"]
        found = data("diagnose", "--worker",
                     " ".join(map(shlex.quote, noisy)), "--dim", 50)
        self.assertEqual(found["recommended_rank"], 2)
        self.assertIsNone(found["predicted_calls"]["adaptive"])
        self.assertIn("decides where it ends",
                      found["not_known_because"]["adaptive"])

    def test_no_cost_is_predicted_where_the_path_leaves_the_bounds(self):
        # the minimum of the ridge lies outside of the box
        worker = [sys.executable, "-c", RIDGE, "value"]
        found = data("diagnose", "--worker", " ".join(map(shlex.quote, worker)),
                     "--dim", 50, "--lower", -0.1, "--upper", 0.1)
        self.assertIsNone(found["predicted_calls"]["lrgd"])
        self.assertIn("leaves the bounds", found["not_known_because"]["lrgd"])

    def test_a_diagnosis_works_in_logarithms(self):
        found = data("diagnose", "hartmann-mhd", "--log", "all")
        self.assertEqual(found["exact_rank"], 2)

    def test_the_cost_is_announced_and_the_budget_is_kept(self):
        run = lrgd("diagnose", "ridge", "--max-evals", 500, code=3)
        self.assertIn("at most 500 evaluations", run.stderr)
        run = lrgd("diagnose", "ridge", "--set", "p=1000", "--max-evals", 3,
                   code=3)
        self.assertIn("5 r gradients' worth at most", run.stderr)
        found = data("diagnose", "ridge", "--max-evals", 500, code=3)
        self.assertLessEqual(found["evaluations"], 500)
        found = data("diagnose", "ridge", "--max-evals", 3, code=3)
        self.assertIs(found["low_rank"], False)

    def test_logarithms_are_tried(self):
        found = data("diagnose", "hartmann-mhd", "--try-transforms")
        self.assertEqual(found["transforms"]["log"]["exact_rank"], 2)
        self.assertIs(found["low_rank"], False)
        self.assertTrue(found["verdict"].startswith(
            "Low-rank in logarithms: f is exactly of rank 2 of 4"),
            found["verdict"])
        page = lrgd("diagnose", "hartmann-mhd", "--try-transforms", "--quiet")
        self.assertIn("exactly of rank 2 of 4",
                      page.stdout.splitlines()[2])

    def test_directions_are_saved_and_moved_along(self):
        problem = ["quadratic", "--set", "p=60", "--set", "rank=3"]
        with tempfile.TemporaryDirectory() as folder:
            basis = os.path.join(folder, "A.txt")
            lrgd("diagnose", *problem, "--save", basis, "--quiet")
            with open(basis) as file:
                self.assertEqual(len(file.readlines()), 3 * 60)
            # inside them a gradient costs 3 slopes, and f has its minimum
            run = data("minimize", *problem, "--basis", basis, "--method",
                       "gd", "--step", "bfgs")
            self.assertLess(run["f"], 1e-9)
            self.assertLess(run["evaluations"], 5 * 60)
            journal = os.path.join(folder, "run.db")
            kept = data("minimize", *problem, "--basis", basis, "--method",
                        "gd", "--journal", journal, "--max-evals", 20, code=3)
            self.assertEqual(kept["evaluations"], 20)
            run = data("resume", journal, "quadratic", "--max-evals", 5000)
            self.assertLess(run["f"], 1e-6)
            self.assertLess(run["evaluations"], 60 * 60)
            lrgd("report", journal, "-o", os.path.join(folder, "r.html"))
            other = lrgd("minimize", *problem, "--method", "gd", "--journal",
                         journal, code=7)
            self.assertIn("basis", other.stderr)
            wrong = lrgd("minimize", *problem, "--set", "p=50", "--basis",
                         basis, code=2)
            self.assertIn("180 numbers", wrong.stderr)

    def test_saved_directions_are_those_of_the_inputs_as_given(self):
        with tempfile.TemporaryDirectory() as folder:
            basis = os.path.join(folder, "A.txt")
            low = os.path.join(folder, "low.txt")
            high = os.path.join(folder, "high.txt")
            with open(low, "w") as lows, open(high, "w") as highs:
                for i in range(50):
                    lows.write(f"{-1 - i}\n")
                    highs.write(f"{1 + i}\n")
            worker = " ".join(map(shlex.quote, [sys.executable, "-c", RIDGE,
                                                "value"]))
            lrgd("diagnose", "--worker", worker, "--dim", 50, "--lower", low,
                 "--upper", high, "--save", basis, "--quiet")
            run = data("minimize", "--worker", worker, "--dim", 50, "--basis",
                       basis)
            self.assertLess(run["f"], 1e-9)

    def test_a_diagnosis_draws_its_spectrum_and_writes_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "borehole.svg")
            run = lrgd("diagnose", "borehole", "--plot", picture, "--quiet")
            self.assertIn("f is nearly of rank 1 of 8", run.stdout)
            self.assertGreater(os.path.getsize(picture), 1000)

    def test_the_picture_of_two_coordinates_is_in_colours(self):
        with tempfile.TemporaryDirectory() as folder:
            picture = os.path.join(folder, "branin.svg")
            lrgd("diagnose", "branin", "--set", "p=20", "--plot", picture,
                 "--quiet")
            with open(picture) as file:
                drawn = file.read().replace(" ", "")
        for colour in ("rgb(15%,7%,35%)", "rgb(98%,83%,20%)"):
            self.assertTrue(colour in drawn, colour)  # ends of the ramp

    def test_propositions_are_reported(self):
        found = data("diagnose", "quadratic", "--set", "p=60", "--set",
                     "rank=4", "--set", "tail=0.01")
        told = found["proposition_2_3"]
        self.assertAlmostEqual(told["mu"], 0.01, delta=0.002)
        self.assertAlmostEqual(told["least_epsilon"],
                               told["mu"] * told["delta"], places=9)
        self.assertGreater(told["sampled_epsilon"], 0)
        for row in found["trade_off"]:
            self.assertAlmostEqual(
                row["least_epsilon"],
                told["least_epsilon"] * (1 - row["eta"]), places=9)
        self.assertIn("Proposition 2.3", lrgd(
            "diagnose", "quadratic", "--set", "p=60", "--set", "rank=4",
            "--set", "tail=0.01", "--quiet").stdout)
        # exactly low-rank: not strongly convex, nothing to say
        found = data("diagnose", "quadratic")
        self.assertIsNone(found["proposition_2_3"])
        # lambda 100 .. 1: the third is 1/10 of the first, below 1/sqrt(10)
        self.assertEqual(found["local"]["rank"], 3)
        self.assertGreater(found["local"]["lasts"], 1000)

    def test_an_unbounded_function_is_reported(self):
        self.assertIn("without end", data("diagnose", "linear")["verdict"])

    def test_a_function_that_cannot_be_evaluated_is_reported(self):
        found = data("diagnose", "--worker", "sh -c 'while read x; do echo nan; done'",
                     "--dim", 3, code=4)
        self.assertIn("cannot be evaluated", found["verdict"])
        self.assertIs(found["conclusive"], False)
        self.assertIs(data("diagnose", "constant")["conclusive"], True)

    def test_a_malformed_storage_wait_is_refused(self):
        run = lrgd("diagnose", "branin", "--storage-wait", "soon", code=2)
        self.assertIn("--storage-wait", run.stderr)


# f of rank 2; a dot is written for every evaluation that is paid
WORKER = """
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    with open(sys.argv[1], "a") as dots:
        dots.write(".")
    s, t = x[0] + 2 * x[1], x[2] - x[3]
    print(s * s + t**4 + t * t, flush=True)
"""


# the same; every 25th evaluation fails, and a dot is written for that
MOODY = """
import sys
for n, line in enumerate(sys.stdin):
    x = [float(word) for word in line.split()]
    s, t = x[0] + 2 * x[1], x[2] - x[3]
    if n % 25 == 9:
        with open(sys.argv[1], "a") as dots:
            dots.write(".")
    print("nan" if n % 25 == 9 else s * s + t**4 + t * t, flush=True)
"""


class Kept(unittest.TestCase):
    """Ctrl-C and --journal: nothing that was paid is lost."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.journal = os.path.join(folder.name, "study.db")
        self.dots = os.path.join(folder.name, "dots")
        worker = os.path.join(folder.name, "worker.py")
        with open(worker, "w") as file:
            file.write(WORKER)
        self.command = f"{sys.executable} {worker} {self.dots}"
        self.words = ["diagnose", "--worker", self.command, "--dim", "12",
                      "--start", "1", "--held-out", "20", "--journal",
                      self.journal, "--json"]

    def paid(self):
        return os.path.getsize(self.dots) if os.path.exists(self.dots) else 0

    def test_a_stopped_diagnosis_reports_and_can_be_continued(self):
        run = subprocess.Popen([LRGD, *self.words], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 30
        while self.paid() < 100 and time.monotonic() < deadline:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 128 + signal.SIGINT, err)
        found = json.loads(out)
        self.assertEqual(found["outcome"], "stopped")
        self.assertEqual(found["recommended_rank"], 2)
        self.assertEqual(found["evaluations"], self.paid())
        self.assertIn("goes on", err)
        before = self.paid()
        found = data(*self.words[:-1])
        self.assertEqual(found["outcome"], "converged")
        self.assertEqual(found["from_journal"], before)
        self.assertEqual(found["evaluations"], self.paid())
        again = data(*self.words[:-1])
        self.assertEqual(again["from_journal"], found["evaluations"])
        self.assertEqual(again["predicted_calls"], found["predicted_calls"])
        self.assertEqual(found["evaluations"], self.paid())

    def test_a_diagnosis_is_continued_with_a_larger_budget(self):
        first = data(*self.words[:-1], "--max-evals", 300)
        self.assertEqual(first["evaluations"], 300)
        found = data(*self.words[:-1], "--max-evals", 400)
        self.assertEqual(found["from_journal"], 300)
        self.assertEqual(self.paid(), found["evaluations"])

    def test_a_diagnosis_counts_as_many_failures_as_status(self):
        worker = self.dots + ".py"
        with open(worker, "w") as file:
            file.write(MOODY)
        words = ["diagnose", "--worker",
                 f"{sys.executable} {worker} {self.dots}", "--dim", 12,
                 "--start", 1, "--held-out", 20, "--retries", 2]
        found = data(*words)
        self.assertGreater(found["failures"], 10)
        self.assertEqual(found["failures"], self.paid())
        os.remove(self.dots)
        words += ["--journal", self.journal]
        run = lrgd(*words, "--quiet")
        self.assertIn(f" {self.paid()} of which failed", run.stdout)
        status = json.loads(lrgd("status", self.journal, "--json").stdout)
        self.assertEqual(status["failures"], self.paid())
        self.assertEqual(data(*words)["failures"], self.paid())

    def test_the_report_of_a_diagnosis_names_the_inputs(self):
        names, page = self.dots + ".names", self.dots + ".html"
        with open(names, "w") as file:
            file.writelines(f"knob{i}\n" for i in range(12))
        data(*self.words[:-1], "--names", names)
        lrgd("report", self.journal, "-o", page)
        with open(page) as file:
            self.assertIn("knob11", file.read())

    def test_a_diagnosis_is_not_taken_for_a_run(self):
        data(*self.words[:-1], "--max-evals", 120)
        run = lrgd("resume", self.journal, "--worker", self.command, code=2)
        self.assertIn("journal of a diagnosis", run.stderr)
        run = lrgd("minimize", "--worker", self.command, "--dim", 12,
                   "--start", 1, "--journal", self.journal, code=7)
        self.assertIn("diagnosis", run.stderr)


@functools.cache
def theorem_cells():
    """The cells of `lrgd reproduce theorems`, which takes some seconds."""
    return data("reproduce", "theorems")["cells"]


class Theorems(unittest.TestCase):
    def test_the_bound_of_each_theorem_holds_in_every_cell(self):
        cells = theorem_cells()
        self.assertEqual(len(cells), 216)
        ways = {(cell["theorem"], cell["p"], cell["r"], cell["samples"],
                 cell["accuracy"]) for cell in cells}
        self.assertEqual(len(ways), 216)
        for cell in cells:
            self.assertIs(cell["conditions_hold"], True)
            self.assertLessEqual(cell["calls"], cell["bound"])
            self.assertGreater(cell["gd_calls"], 0)
            self.assertEqual({cell["p"]} - {50, 200, 1000}, set())

    def test_the_epsilon_of_definition_2_2_is_measured(self):
        for cell in theorem_cells():
            if cell["theorem"] in ("3.2", "3.4"):
                self.assertLess(cell["epsilon_measured"],
                                0.9 * cell["epsilon_allowed"])
                self.assertGreaterEqual(cell["eta_share"], 0.5)

    def test_what_is_exactly_low_rank_is_not_strongly_convex(self):
        found = data("diagnose", "quadratic", "--set", "p=30", "--set",
                     "rank=2")
        self.assertEqual(found["exact_rank"], 2)
        holds = {row["theorem"]: row["conditions_hold"]
                 for row in found["theorems"]}
        self.assertEqual(holds, {"3.1": True, "3.2": False, "3.3": True,
                                 "3.4": True})
        text = lrgd("diagnose", "quadratic", "--set", "p=30", "--set",
                    "rank=2").stdout
        self.assertIn("Theorem 3.2 says nothing: f is flat outside H", text)

    def test_sigma_r_is_that_of_r_unit_columns(self):
        for problem, more in (("quadratic", "rank=2"), ("ridge", "rank=3"),
                              ("log-sum-exp", "rank=4")):
            found = data("diagnose", problem, "--set", "p=30", "--set", more)
            self.assertTrue(0 < found["constants"]["sigma_r"] <= 1,
                            found["constants"])

    def test_no_condition_compares_a_number_with_itself(self):
        found = data("diagnose", "quadratic", "--set", "p=20", "--set",
                     "rank=3", "--set", "tail=1e-3")
        for row in found["theorems"]:
            for one in row["conditions"]:
                if one["left"]:
                    self.assertNotAlmostEqual(one["left"] / one["right"], 1)

    def test_lrgd_pays_less_where_p_is_large(self):
        for cell in theorem_cells():
            if cell["p"] == 1000 and cell["r"] == 5:
                self.assertLess(cell["calls"], 0.5 * cell["gd_calls"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
