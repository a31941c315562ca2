"""The benchmark counts what it says: tried from outside, without peers."""
import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
from harness import main  # noqa: E402

BENCH = os.environ.get("LRGD_BENCH", "build/lrgd-bench")
QUADRATIC = "quadratic p=40 rank=3 kappa=10"


def run(*arguments):
    return subprocess.run([BENCH, *map(str, arguments)], text=True, timeout=600,
                          stdin=subprocess.DEVNULL, capture_output=True)


def one(*arguments):
    """The words of the lines one run reports, by the first word."""
    lines = run("--one", "--seeds", 1, *arguments).stdout.splitlines()
    return [line.split() for line in lines]


class Counter(unittest.TestCase):
    def test_a_budget_is_kept_to_the_last_evaluation(self):
        end = one("--problem", QUADRATIC, "--solver", "gd", "--budget", 57)[-1]
        self.assertEqual(end[:3], ["end", "budget", "57"])

    def test_a_run_ends_at_the_last_target(self):
        lines = one("--problem", QUADRATIC, "--rank", 3, "--solver", "lrgd")
        first, second, end = lines
        self.assertEqual([first[:2], second[:2]], [["hit", "0"], ["hit", "1"]])
        self.assertLessEqual(int(first[2]), int(second[2]))
        self.assertEqual(end[:3], ["end", "target", second[2]])
        self.assertLessEqual(float(end[3]), 1e-6)

    def test_the_same_seed_gives_the_same_run(self):
        flags = ("--problem", QUADRATIC, "--noise", "1e-4", "--budget", 500,
                 "--solver", "adaptive+1")
        counts = [[line[:3] for line in one(*flags)] for _ in range(2)]
        self.assertEqual(counts[0], counts[1])

    def test_options_of_the_library_reach_the_method(self):
        end = one("--problem", QUADRATIC, "--to-end", "--solver",
                  "gd:max_iterations=2")[-1]
        self.assertEqual(end[1], "budget")
        self.assertLess(int(end[2]), 200)

    def test_a_row_of_the_policy_reaches_the_method(self):
        flags = ("--problem", QUADRATIC, "--to-end", "--solver", "auto")
        plain = one(*flags)[-1]
        for changed in (one(*flags, "--policy", "embedding_dimension=1000"),
                        one(*flags[:-1], "auto:embedding_dimension=1000")):
            self.assertLess(int(plain[2]), 40)
            self.assertGreater(int(changed[-1][2]), 40)

    def test_rows_of_the_policy_reach_runs_to_their_own_end(self):
        flags = ("--problem", QUADRATIC, "--to-end", "--solvers", "auto",
                 "--seeds", "1", "--csv", "--quiet")
        rows = [word for name in ("embedding_dimension", "model_directions")
                for word in ("--policy", name + "=1000")]
        plain, changed = (
            list(csv.DictReader(io.StringIO(run(*flags, *more).stdout)))[0]
            for more in ((), rows))
        self.assertGreater(int(changed["evaluations"]),
                           int(plain["evaluations"]) + 10)

    def test_a_sweep_compares_values_of_a_row(self):
        told = run("--problem", QUADRATIC, "--seeds", "1-2", "--quiet",
                   "--sweep", "embedding_dimension=15,1000").stdout
        told = told.split("Each value")[1].split("How each was run")[0]
        row = [line for line in told.splitlines()
               if line.startswith("  auto:embedding_dimension=")]
        self.assertEqual([line.split()[0] for line in row],
                         ["auto:embedding_dimension=15",
                          "auto:embedding_dimension=1000"])
        self.assertEqual(float(row[0].split()[1]), 1)
        self.assertGreater(float(row[1].split()[1]), 1)

    def test_an_unknown_row_of_the_policy_is_named(self):
        for flag in ("--policy", "--sweep"):
            told = run("--problem", QUADRATIC, flag, "embeding=1")
            self.assertEqual(told.returncode, 2)
            self.assertIn("no row of the policy is called 'embeding'",
                          told.stderr)

    def test_a_run_to_its_own_end_shows_what_it_claims(self):
        lines = one("--problem", QUADRATIC, "--to-end", "--rank", 3,
                    "--solver", "lrgd:tol=1e-3")
        claims = next(line for line in lines if line[0] == "claims")
        rank, bound, gradient, small = claims[1:]
        self.assertEqual(int(rank), 3)
        self.assertLessEqual(float(gradient), 1e-3)
        self.assertTrue(math.isnan(float(bound)) or float(bound) > 0)
        self.assertGreater(int(small), 0)


class Limits(unittest.TestCase):
    """The class `constrained`: one evaluation answers all outputs."""

    BEAM = ("--class", "constrained", "--problem", "design part=welded-beam")

    def test_a_target_is_reached_within_the_limits_alone(self):
        lines = one(*self.BEAM, "--solver", "auto")
        self.assertEqual([line[:2] for line in lines],
                         [["hit", "0"], ["hit", "1"], ["end", "target"]])
        # an eighth of the cost is met far outside of the limits alone
        cheap = one(*self.BEAM, "--minimum", 0.3, "--budget", 60,
                    "--solver", "auto")
        self.assertEqual([line[0] for line in cheap], ["end"])
        self.assertGreater(float(cheap[-1][3]), 0.4)

    def test_objective_and_constraints_cost_one_evaluation_together(self):
        for solver in ("nlopt-cobyla", "nlopt-slsqp"):
            if solver not in run("--list").stdout:
                self.skipTest("there is no NLopt")
            lines = one(*self.BEAM, "--solver", solver)
            self.assertEqual(lines[-1][:2], ["end", "target"], solver)
            # one by one they would be seven times as many
            self.assertLess(int(lines[-1][2]), 150, solver)

    def test_solvers_without_equations_are_left_out_where_there_are_some(self):
        if "nlopt-mma" not in run("--list").stdout:
            self.skipTest("there is no NLopt")
        table = run("constrained", "--only", "HS 6", "--solver", "nlopt-mma",
                    "--seconds", 2, "--csv").stdout
        rows = list(csv.DictReader(io.StringIO(table)))
        tried = {row["problem"] for row in rows if int(row["evaluations"])}
        self.assertNotIn("HS 6", tried)
        self.assertIn("HS 65", tried)


    def test_without_limits_other_classes_judge_the_problem(self):
        free = "limited-quadratic p=20 rank=5 limits=0"
        lines = one("--class", "exact", "--problem", free, "--solver", "auto",
                    "--to-end")
        claims, end = lines[-2:]
        self.assertEqual(end[:2], ["end", "converged"])
        self.assertLess(abs(float(end[3])), 1e-10)
        # the analytic gradient agrees that this is the minimum
        self.assertLess(float(claims[3]), 1e-3)

    def test_a_problem_of_another_class_is_refused(self):
        for judge, limits, reason in (
                ("exact", 5, "only --class constrained"),
                ("constrained", 0, "no limits on outputs")):
            told = run("--one", "--class", judge, "--solver", "auto",
                       "--problem", f"limited-quadratic p=20 limits={limits}")
            self.assertEqual(told.returncode, 2)
            self.assertIn(reason, told.stderr)


class Reference(unittest.TestCase):
    def minimum(self, problem, *flags):
        out = run("--reference", "--seeds", 1, "--problem", problem, *flags)
        self.assertEqual(out.returncode, 0, out.stderr)
        return float(out.stdout.split()[1])

    def test_known_results_are_not_computed_again(self):
        self.assertEqual(self.minimum(QUADRATIC), 0)
        self.assertEqual(self.minimum(QUADRATIC, "--box", 2), 0)

    def test_no_solver_goes_below_the_reference_minimum_in_a_box(self):
        problem = "quadratic p=12 rank=12 kappa=10"
        least = self.minimum(problem, "--box", 0.4)
        self.assertGreater(least, 0)
        end = one("--problem", problem, "--box", 0.4, "--to-end",
                  "--budget", 4000, "--solver", "gd")[-1]
        self.assertGreater(float(end[3]), -1e-9)
        self.assertLess(float(end[3]), 1e-3)

    def test_regression_without_a_known_minimum_gets_one(self):
        problem = "logistic p=20 rank=3 n=50 lambda=1e-3"
        end = one("--problem", problem, "--rank", 3, "--solver", "lrgd")[-1]
        self.assertEqual(end[1], "target")
        self.assertGreater(float(end[3]), -1e-9)


class Fits(unittest.TestCase):
    LINEAR = "linear-residuals p=60 m=20 rank=4"

    def test_a_vector_of_residuals_is_one_evaluation(self):
        lines = one("--class", "fit-low-rank", "--problem", self.LINEAR,
                    "--minimum", 0, "--solver", "auto")
        self.assertEqual([line[:2] for line in lines[:3]],
                         [["hit", "2"], ["hit", "0"], ["hit", "1"]])
        self.assertLessEqual(int(lines[2][2]), 12)
        told = one("--class", "fit-low-rank", "--problem", self.LINEAR,
                   "--minimum", 0, "--solver", "auto-f")
        self.assertGreater(int(told[2][2]), 12)

    def test_every_installed_solver_for_residuals_reaches_the_target(self):
        names = [line.split()[0] for line in run("--list").stdout.splitlines()
                 if line.startswith("  ")]
        peers = [name for name in ("trf", "dogbox", "lm", "tao-pounders",
                                   "tao-brgn", "gsl-multifit") if name in names]
        for peer in peers:
            lines = one("--class", "fit-full-rank", "--problem",
                        "more-garbow-hillstrom function=broyden-tridiagonal n=8",
                        "--minimum", 0, "--solver", peer)
            self.assertEqual(lines[-1][1], "target", peer)
            # a Jacobian is eight evaluations: two of them, and a few values
            self.assertLess(int(lines[-1][2]), 60, peer)
            self.assertGreaterEqual(int(lines[-1][2]), 10, peer)

    def test_a_local_minimum_beside_the_start_is_the_one_to_reach(self):
        flags = ("--reference", "--seeds", 1, "--problem",
                 "more-garbow-hillstrom function=freudenstein-roth")
        near = run(*flags, "--class", "fit-small").stdout
        self.assertAlmostEqual(float(near.split()[1]), 48.98425 / 2, places=4)
        stated = run(*flags, "--class", "exact").stdout
        self.assertEqual(float(stated.split()[1]), 0)

    def test_the_two_halves_of_a_class_are_disjoint_and_complete(self):
        def labels(suite):
            out = run(suite, "--solvers", "gd", "--seeds", 1, "--seconds", 1,
                      "--only", "p40", "--csv", "--quiet")
            return [row["problem"] for row in
                    csv.DictReader(io.StringIO(out.stdout))]
        tune, report = labels("fit-full-rank-tune"), labels("fit-full-rank-report")
        self.assertEqual(tune, ["banded p40"])
        self.assertEqual(report, ["powell p40"])
        self.assertEqual(sorted(labels("fit-full-rank")), sorted(tune + report))

    def test_a_collection_shows_which_solver_solves_how_many(self):
        with tempfile.TemporaryDirectory() as folder:
            data = os.path.join(folder, "data.svg")
            out = run("collection-report", "--only", "wood", "--solvers",
                      "auto,quasi-newton", "--seeds", "101-102", "--data-plot",
                      data).stdout
            xml.etree.ElementTree.parse(data)
            again = subprocess.run(
                [os.path.abspath(BENCH), "profiles", "collection-report", "--only",
                 "wood", "--solvers", "auto", "--seeds", "101"], cwd=folder,
                capture_output=True, text=True, timeout=600)
            self.assertEqual(again.returncode, 0, again.stderr)
            for name in ("performance.svg", "data.svg"):
                xml.etree.ElementTree.parse(os.path.join(folder, name))
        self.assertIn("Per cent of runs that arrive within 10 (p + 1)", out)
        self.assertRegex(out, r"p up to 24: 1 problems, 2 runs each")
        self.assertRegex(out, r"\n  auto +\d+, +\d+ ")


class Output(unittest.TestCase):
    FLAGS = ("smoke", "--solvers", "lrgd,adaptive+1", "--seeds", "1-2")

    def test_a_table_has_a_row_for_each_solver_and_says_how_it_ran(self):
        out = run(*self.FLAGS).stdout
        self.assertIn("exactly low rank", out)
        self.assertRegex(out, r"\n  lrgd +\d+ / \d+\n")
        self.assertIn("Algorithm 1, told the rank", out)
        self.assertIn("BLAS kernels:", out)

    def test_csv_has_a_line_for_each_run(self):
        rows = list(csv.DictReader(io.StringIO(run(*self.FLAGS, "--csv").stdout)))
        self.assertEqual(len(rows), 2 * 2 * 2)
        for row in rows:
            self.assertEqual(row["outcome"], "target")
            self.assertEqual(row["to_1e-6"], row["evaluations"])

    def test_runs_made_before_are_taken_as_they_are(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            lines = run(*self.FLAGS, "--csv").stdout.splitlines()
            changed = [line.replace(",target,", ",other,") for line in lines
                       if '"lrgd"' in line]
            file.write("\n".join([lines[0], *changed]) + "\n")
            file.flush()
            again = run(*self.FLAGS, "--csv", "--runs", file.name).stdout
        rows = list(csv.DictReader(io.StringIO(again)))
        first = list(csv.DictReader(io.StringIO("\n".join(lines))))
        for row, before in zip(rows, first):
            known = row["solver"] == "lrgd"
            self.assertEqual(row["outcome"], "other" if known else "target")
            self.assertEqual(row["to_1e-6"], before["to_1e-6"])
            if known:
                self.assertEqual({**row, "outcome": ""}, {**before, "outcome": ""})

    def test_json_and_pictures_hold_the_same_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "profile.svg")
            out = json.loads(run(*self.FLAGS, "--json", "--plot", path).stdout)
            xml.etree.ElementTree.parse(path)
        self.assertEqual(len(out["problems"]), 2)
        score = out["problems"][0]["scores"][0]
        self.assertEqual(score["failed_1e-6"], 0)
        self.assertEqual(len(score["runs"]), 2)


    def height(self, count):
        """Of a picture of so many solvers; its texts are outlines."""
        solvers = [word for n in range(count)
                   for word in ("--solver", f"gd:max_iterations={n + 1}")]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "profile.svg")
            out = run("--problem", QUADRATIC, "--seeds", 1, *solvers,
                      "--plot", path)
            self.assertEqual(out.returncode, 0, out.stderr)
            root = xml.etree.ElementTree.parse(path).getroot()
        return float(root.get("viewBox").split()[3])

    def test_a_picture_names_the_solvers_that_it_has_no_room_for(self):
        self.assertGreater(self.height(15), self.height(14))


class Report(unittest.TestCase):
    def test_tables_of_the_documentation_are_made_from_runs(self):
        script = os.path.join(os.path.dirname(__file__), "../../bench/report.py")
        begin, end = "<!-- results: begin -->", "<!-- results: end -->"
        with tempfile.TemporaryDirectory() as folder:
            doc, runs = (os.path.join(folder, n) for n in ("doc.md", "runs.csv"))
            rows = run("smoke", "--solvers", "auto,lrgd", "--seeds", "101-102",
                       "--csv").stdout
            plate = run("--problem", "plate length=4 width=2", "--simulator",
                        "--solvers", "auto,quasi-newton", "--seeds", "101-102",
                        "--csv").stdout
            with open(runs, "w") as file:  # a peer that needs 1,000
                file.write(rows + plate + 'exact,"r5 p100","other",101,500,1000,'
                           "target,1000,1e-6,1,1,0,,,,,,,,,,,,,\n")
            with open(doc, "w") as file:
                file.write(f"before\n{begin}\nold\n{end}\nafter\n")
            subprocess.run(["/usr/bin/python3", script, doc, "COMMIT", runs],
                           check=True, timeout=600)
            with open(doc) as file:
                text = file.read()
        auto = [int(r["to_1e-6"]) for r in csv.DictReader(io.StringIO(rows))
                if (r["problem"], r["solver"]) == ("r5 p100", "auto")]
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)
        self.assertIn("Measured at COMMIT, seeds 101–102", text)
        self.assertIn("500 other / 1,000 other", text)
        self.assertIn(f"{1000 / (sum(auto) / 2):.2f} |", text)
        self.assertRegex(text, r"within 1.5 p of quasi-newton\* \| [012] of 2")


class LimitsReport(unittest.TestCase):
    def test_tables_of_limits_are_made_from_runs(self):
        script = os.path.join(os.path.dirname(__file__),
                              "../../bench/report_limits.py")
        with tempfile.TemporaryDirectory() as folder:
            doc, runs = (os.path.join(folder, n) for n in ("doc.md", "runs.csv"))
            rows = "".join(run("constrained", "--only", name, "--solvers",
                               "auto", "--csv").stdout
                           for name in ("HS 71", "HS 72", "welded"))
            with open(runs, "w") as file:
                file.write(rows)
            with open(doc, "w") as file:
                file.write("before\n<!-- limits: begin -->\nold\n"
                           "<!-- limits: end -->\nafter\n")
            subprocess.run(["/usr/bin/python3", script, doc, "COMMIT", runs],
                           check=True, timeout=600)
            with open(doc) as file:
                text = file.read()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)
        self.assertIn("| 1, odd places, used while tuning | 1e-3 | 1.00 / 1.00",
                      text)
        beam = [row for row in csv.DictReader(io.StringIO(rows))
                if row["problem"] == "welded beam"][-1]
        self.assertIn(f"| welded beam | 4 | {beam['to_1e-3']} / "
                      f"{beam['to_1e-6']} |", text)


class FitReport(unittest.TestCase):
    def test_tables_of_fits_are_made_from_runs(self):
        script = os.path.join(os.path.dirname(__file__),
                              "../../bench/report_fits.py")
        with tempfile.TemporaryDirectory() as folder:
            doc, runs = (os.path.join(folder, n) for n in ("doc.md", "runs.csv"))
            fits = run("fit-small-report", "--only", "wood", "--solvers", "auto",
                       "--seeds", "101-103", "--csv").stdout
            found = run("collection-report", "--only", "wood", "--solvers",
                        "auto,quasi-newton", "--seeds", "101-103",
                        "--csv").stdout
            with open(runs, "w") as file:  # a peer that needs 400, and one that
                file.write(fits + found +  # could not take part
                           'fit-small,"wood","other",101,200,400,target,400,1e-6,'
                           "1,1,0,,,,,,,,,,,,,,100,,4\n"
                           'fit-small,"wood","none",101,,,,0,,0,0,0,,,,,,,,,,,,,,,,0\n')
            with open(doc, "w") as file:
                file.write("before\n<!-- fits: begin -->\nold\n"
                           "<!-- fits: end -->\nafter\n")
            subprocess.run(["/usr/bin/python3", script, doc, "COMMIT", runs],
                           check=True, timeout=600)
            with open(doc) as file:
                text = file.read()
        hits = sorted(int(r["to_1e-6"]) for r in csv.DictReader(io.StringIO(fits)))
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        self.assertNotIn("old", text)
        self.assertIn("100 other / 200 other / 400 other", text)
        self.assertIn(f" / {400 / hits[1]:.2f} |", text)
        self.assertIn(f"{400 / hits[1]:.2f} (1)", text)
        self.assertRegex(text, r"1 free, p up to 24 \| 1e-1 \| \d+, \d+ \|")


class Simulators(unittest.TestCase):
    PLATE = ("--problem", "plate length=4 width=2", "--simulator")

    def test_the_best_value_is_noted_up_to_thirty_times_p(self):
        lines = one(*self.PLATE, "--solver", "quasi-newton")
        marks = [float(line[2]) for line in lines if line[0] == "mark"]
        self.assertEqual(len(marks), 8)
        self.assertEqual(marks, sorted(marks, reverse=True))
        self.assertLess(marks[-1], 0.01 * float(lines[0][1]))
        self.assertLessEqual(int(lines[-1][2]), 30 * 8)

    def test_after_a_solver_ends_its_best_value_stays(self):
        lines = one(*self.PLATE, "--solver", "quasi-newton:max_evals=25")
        marks = [float(line[2]) for line in lines if line[0] == "mark"]
        self.assertEqual(len(marks), 8)
        self.assertEqual(len(set(marks[1:])), 1)  # 25 is between 2.5 p and 4 p

    def test_table_and_json_say_who_is_ahead(self):
        flags = (*self.PLATE, "--solver", "quasi-newton", "--solver",
                 "quasi-newton:max_evals=25", "--seeds", "1-2")
        table = run(*flags).stdout
        self.assertIn("Simulators: the best value", table)
        self.assertRegex(table, r"within 1.5 p of quasi-newton:max_evals=25 +2 of 2")
        scores = json.loads(run(*flags, "--json").stdout)["problems"][0]["scores"]
        first, second = (s["runs"][0]["best_after"] for s in scores)
        self.assertEqual(first["2.5p"], second["2.5p"])
        self.assertLess(first["30p"], second["30p"])

    @unittest.skipUnless(shutil.which("ngspice"), "there is no ngspice")
    def test_ngspice_finds_the_levels_that_our_formulas_give(self):
        ends = []
        for problem in ("ngspice", "ladder p=72"):
            lines = one("--problem", problem, "--simulator", "--budget", 3,
                        "--solver", "gd")
            self.assertEqual(lines[-1][:3], ["end", "budget", "3"])
            ends.append((float(lines[0][1]), float(lines[-1][3])))
        self.assertGreater(ends[0][0], 1)
        for own, other in zip(*ends):
            self.assertLess(abs(own - other), 1e-4 * abs(own))


@unittest.skipIf(os.environ.get("LRGD_SANITIZED"),
                 "Python loads no library that needs a sanitizer's runtime")
class Width(unittest.TestCase):
    def test_rounds_are_counted_beside_peers(self):
        out = run("width", "--only", "exact", "--seeds", 1, "--widths", "1,16",
                  "--solvers", "lrgd")
        if "needs" in out.stderr:
            self.skipTest(out.stderr)
        row = next(r for r in out.stdout.splitlines() if r.startswith("| lrgd"))
        one, sixteen = [cell.split("·")[1].split() for cell in row.split("|")[2:4]]
        self.assertEqual(one[0], one[1].strip("()"), "a round is an evaluation")
        self.assertLessEqual(5 * int(sixteen[0]), int(one[0]), row)


class Refusals(unittest.TestCase):
    def test_an_unknown_name_is_refused_in_one_line(self):
        for arguments, says in ((["nonsense"], "no suite"),
                                (["--solver", "nobody"], "no solver"),
                                (["--seeds", "x"], "not a number"),
                                (["--plot", "a.gif"], ".svg or .png"),
                                (["--frob"], "no flag"),
                                (["--one"], "needs a --problem")):
            out = run(*arguments)
            self.assertEqual(out.returncode, 2, arguments)
            self.assertEqual(out.stderr.count("\n"), 1, out.stderr)
            self.assertIn(says, out.stderr)


if __name__ == "__main__":
    main()
