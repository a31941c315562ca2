"""Uncertainty of fits and predictions, and PEST cases, through the command."""
import math
import os
import shutil
import subprocess

from harness import Case, HERE, LRGD, PYTHON, main

# a + b t at 0, 1, 2, 3, and at 10, which was not measured
LINE = """import sys
for line in sys.stdin:
    a, b = map(float, line.split())
    print(*[a + b * t for t in (0, 1, 2, 3, 10)], flush=True)
"""
OBSERVED = """t0 1.1 1 early
t1 2.9 1 early
t2 5.2 1 late
t3 6.8 1 late
t10 0 0 later
"""


class Line(Case):
    def fit(self, *more, **how):
        self.write("line.py", LINE)
        self.write("obs", OBSERVED)
        return self.run_json("fit", "--worker", f"{PYTHON} line.py",
                             "--observations", "obs", "--dim", 2, *more, **how)

    def test_deviations_are_those_of_a_regression(self):
        told = self.fit()["uncertainty"]
        self.assertEqual((told["directions"], told["dimension"], told["rank"],
                          told["supported"], told["observations"]),
                         (2, 2, 2, 2, 4))
        self.assertTrue(told["variance_estimated"])
        self.assertIsNone(told["prior"])
        # by hand: residuals of the regression line, s^2 = sum / 2
        t, y = [0, 1, 2, 3], [1.1, 2.9, 5.2, 6.8]
        b = sum((u - 1.5) * v for u, v in zip(t, y)) / 5
        a = sum(y) / 4 - 1.5 * b
        s2 = sum((a + b * u - v) ** 2 for u, v in zip(t, y)) / 2
        self.assertAlmostEqual(told["variance"], s2, 8)
        first, second = told["inputs"]
        self.assertAlmostEqual(first["deviation"], math.sqrt(.7 * s2), 6)
        self.assertAlmostEqual(second["deviation"], math.sqrt(.2 * s2), 6)
        self.assertAlmostEqual(second["identifiability"], 1, 9)
        low, high = second["interval"]
        self.assertAlmostEqual(high - low, 2 * 1.96 * second["deviation"], 4)
        self.assertAlmostEqual(second["value"], b, 6)

    def test_predictions_and_what_constrains_them(self):
        result = self.fit("--predictions", "t10", "--lower", -10, "--upper",
                          10)
        told = result["uncertainty"]
        self.assertEqual(told["prior"], "bounds")
        self.assertAlmostEqual(told["inputs"][0]["prior_deviation"], 5, 9)
        one, = told["predictions"]
        self.assertEqual(one["name"], "t10")
        self.assertAlmostEqual(one["simulated"],
                               result["x"][0] + 10 * result["x"][1], 9)
        self.assertAlmostEqual(one["prior_deviation"],
                               5 * math.sqrt(101), 6)
        # nearly (J'J)^-1 s^2: the prior is wide
        s = math.sqrt(told["variance"])
        self.assertAlmostEqual(one["deviation"] / s,
                               math.sqrt(.7 - 6 + 20), 1)
        groups = {g["name"]: g for g in one["groups"]}
        self.assertEqual(set(groups), {"early", "late"})
        for g in groups.values():
            self.assertGreater(g["only"], one["deviation"])
            self.assertGreater(g["without"], one["deviation"])
            self.assertLess(g["again"], one["deviation"])
            self.assertLess(g["without"], one["prior_deviation"])
        # with two groups, one without the other is the other alone
        self.assertAlmostEqual(groups["early"]["only"],
                               groups["late"]["without"], 9)
        most = max(groups.values(), key=lambda g: g["without"])
        self.assertEqual(one["constrained_by"], most["name"])
        best = min(groups.values(), key=lambda g: g["again"])
        self.assertEqual(one["measure_next"], best["name"])
        # what is predicted is no part of f, and its residual is 0
        self.assertEqual(result["residuals"][4], 0)
        self.assertEqual(result["f"], self.fit("--lower", -10, "--upper",
                                               10)["f"])

    def test_predictions_have_weight_0(self):
        run = self.run_lrgd("fit", "--worker", "true", "--observations",
                            self.write("obs", OBSERVED), "--dim", 2,
                            "--predictions", "t0", code=2)
        self.assertIn("t0 has weight 1", run.stderr)
        run = self.run_lrgd("fit", "--worker", "true", "--observations", "obs",
                            "--dim", 2, "--predictions", "later,t11", code=2)
        self.assertIn('"t11"', run.stderr)

    def test_text_says_how_many_directions_were_measured(self):
        self.fit()
        run = self.run_lrgd("fit", "--worker", f"{PYTHON} line.py",
                            "--observations", "obs", "--dim", 2,
                            "--predictions", "later", "--quiet")
        self.assertIn("estimated in 2 of 2 directions", run.stdout)
        self.assertRegex(run.stdout, r"data support  2 combinations of inputs")
        self.assertRegex(run.stdout, r"t10 .* late \(without it [\d.]+\); "
                         "measure next")

    def test_covariance_and_jacobian_are_written_to_files(self):
        self.fit("--covariance", "C", "--jacobian", "J", "--start", 1)
        rows = [line.split() for line in self.read("C").splitlines()]
        self.assertEqual(rows[0], ["#", "x1", "x2"])
        C = [[float(w) for w in row] for row in rows[1:]]
        self.assertAlmostEqual(C[0][1] / C[0][0], -.3 / .7, 5)
        self.assertAlmostEqual(C[0][1], C[1][0], 12)
        J = [[float(w) for w in line.split()]
             for line in self.read("J").splitlines() if line[0] != "#"]
        for row, wanted in zip(J, [[1, 0], [1, 1], [1, 2], [1, 3], [0, 0]]):
            for told, true in zip(row, wanted):
                self.assertAlmostEqual(told, true, 5)
        run = self.run_lrgd("minimize", "rosenbrock", "--covariance", "C",
                            "--max-evals", 5, code=None)
        self.assertIn("there is no Jacobian", run.stderr)

    def test_uncertainties_of_logarithms_are_reported_as_such(self):
        told = self.fit("--log", "all", "--start", 1, "--lower", .01,
                        "--upper", 100)["uncertainty"]["inputs"][1]
        self.assertTrue(told["log"])
        self.assertAlmostEqual(told["prior_deviation"], 1, 9)  # 4 decades
        low, high = told["interval"]
        self.assertAlmostEqual(math.log10(high / told["value"]),
                               1.96 * told["deviation"], 4)
        self.assertAlmostEqual(low * high, told["value"] ** 2, 6)

    def test_a_fit_in_few_directions_says_so(self):
        self.write("sum.py", """import sys
for line in sys.stdin:
    x = [float(w) for w in line.split()]
    print(sum(x), sum(x[:20]) - 1, flush=True)
""")
        told = self.run_json("minimize", "--residuals", "--worker",
                             f"{PYTHON} sum.py", "--dim", 40,
                             "--lower", -4, "--upper", 4)["uncertainty"]
        self.assertLess(told["directions"], 40)
        self.assertEqual(told["rank"], 2)
        # the prior stands but for two combinations
        known = sum(1 - (one["deviation"] / 2) ** 2 for one in told["inputs"])
        self.assertGreater(known, 1)
        self.assertLessEqual(known, 2 + 1e-9)
        for one in told["inputs"]:
            self.assertLessEqual(one["deviation"], 2 + 1e-9)


AQUIFER = os.path.join(HERE, "..", "..", "examples", "pest")


class Pest(Case):
    """A small case: a curve c1 exp(-c2 t) in a file, by a shell script."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("case"))
        for name, text in {
                "m.tpl": "ptf ~\n~  c1          ~ ~  c2          ~\n"
                         "~  c3          ~\n",
                "m.ins": "pif @\n@values@\nl1 !y0! !y1! !y2!\n"
                         "@later@ !y9!\n",
                "model.py": """import math
a, b, c = open("m.in").read().split()
a, b, c = float(a), float(b), float(c)
y = [a * math.exp(-b * t) + c for t in (0, 1, 2, 9)]
if a > 90: raise SystemExit("too large")
print("chatter on standard output")
open("m.out", "w").write("values\\n %r %r %r\\nlater %r\\n" % tuple(y))
""",
                "c.pst": """pcf
* control data
restart estimation
4 4 1 1 3
1 1 double point 1 0 0
5 2 0.3 0.01 10
* singular value decomposition
1
* parameter groups
g relative 0.01 0 switch 2 parabolic
* parameter data
c1 log factor 5 0.1 100 g 1 0 1
C2 none relative 0.5 0 5 g 2 0 1
c3 tied factor 2.5 0.1 100 g 1 0 1
c4 fixed factor 7 0 10 g 1 0 1
c3 c1
* observation groups
data
future
prior
* observation data
y0 12 10 data
Y1 6.943035529 10 data
y2 5.082682266 10 data
y9 0 0 future
* model command line
%s model.py
* model input/output
m.tpl m.in
m.ins m.out
* prior information
p1 1.0 * log(c1) = 0.9 0.001 prior
++ pestpp_option(3)
""" % PYTHON}.items():
            self.write(os.path.join("case", name), text)

    def test_a_pest_case_runs_unmodified(self):
        result = self.run_json("fit", "--pest", "case/c.pst", "--predictions",
                               "future", "--save", "end.par",
                               "--max-evals", 100, code=None)
        # c1 = 8, c3 = c1 / 2, and the model gets 2 c2 = 1
        self.assertEqual(result["names"], ["c1", "c2"])
        self.assertAlmostEqual(result["x"][0], 8, 3)
        self.assertAlmostEqual(result["x"][1], .5, 3)
        self.assertEqual([o["name"] for o in result["observations"]],
                         ["y0", "y1", "y2", "y9"])
        self.assertEqual([o["name"] for o in result["prior"]], ["p1"])
        self.assertAlmostEqual(result["prior"][0]["simulated"],
                               math.log10(result["x"][0]), 9)
        told = result["uncertainty"]["inputs"]
        self.assertTrue(told[0]["log"] and not told[1]["log"])
        self.assertAlmostEqual(told[1]["prior_deviation"], 1.25, 9)
        self.assertEqual(result["uncertainty"]["predictions"][0]["name"], "y9")
        lines = self.read("end.par").splitlines()
        self.assertEqual(lines[0], "double point")
        values = {line.split()[0]: float(line.split()[1])
                  for line in lines[1:]}
        self.assertEqual(values["c4"], 7)
        self.assertAlmostEqual(values["c3"], values["c1"] / 2, 9)

    def test_jobs_of_a_pest_case_run_in_copies_of_its_folder(self):
        before = set(os.listdir(self.path("case")))
        self.run_json("fit", "--pest", "case/c.pst", "--jobs", 2,
                      "--max-evals", 12, code=None,
                      env={"TMPDIR": self.folder})
        self.assertEqual(set(os.listdir(self.path("case"))), before)
        left = [n for n in os.listdir(self.folder) if n.startswith("lrgd-")]
        self.assertEqual(left, [])

    def test_a_pest_case_is_resumed_from_its_journal(self):
        self.run_json("fit", "--pest", "case/c.pst", "--journal", "run.db",
                      "--max-evals", 6, code=3)
        result = self.run_json("resume", "run.db", "--pest", "case/c.pst",
                               "--max-evals", 10, code=None)
        self.assertEqual(result["journal"]["replayed"], 6)
        self.assertEqual(result["names"], ["c1", "c2"])

    def test_a_model_that_fails_is_reported_with_its_words(self):
        self.write("case/model.py", "raise SystemExit('no licence')")
        run = self.run_lrgd("fit", "--pest", "case/c.pst", "--quiet", code=4)
        self.assertIn("the model ended with exit status 1", run.stderr)
        self.assertIn("no licence", run.stderr)
        self.write("case/model.py", "open('m.out', 'w').write('values\\n1\\n')")
        run = self.run_lrgd("fit", "--pest", "case/c.pst", "--quiet", code=4)
        self.assertIn("m.out:2: the line ends before a number", run.stderr)
        self.assertIn("m.ins:3", run.stderr)

    def test_outputs_of_earlier_runs_are_not_read(self):
        self.run_lrgd("fit", "--pest", "case/c.pst", "--max-evals", 2,
                      "--quiet", code=None)
        self.assertTrue(os.path.exists(self.path("case/m.out")))
        self.write("case/model.py", "")
        run = self.run_lrgd("fit", "--pest", "case/c.pst", "--quiet", code=4)
        self.assertIn("m.out", run.stderr)

    def test_errors_in_pest_files_are_reported_with_file_and_line(self):
        text = self.read("case/c.pst")
        for old, new, says in (
                ("restart estimation", "restart regularisation",
                 "d.pst:3: pestmode"),
                ("y9 0 0 future\n", "", "d.pst:"),
                ("m.ins m.out", "n.ins m.out", "n.ins"),
                ("c3 c1\n", "c3 c9\n", 'd.pst:16: c3 is tied to "c9"')):
            self.write("case/d.pst", text.replace(old, new))
            run = self.run_lrgd("fit", "--pest", "case/d.pst", code=2)
            self.assertIn(says, run.stderr)
            self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)
        run = self.run_lrgd("fit", "--pest", "case/c.pst", "--dim", 3, code=2)
        self.assertIn("--dim and --pest", run.stderr)

    def test_the_command_pest_answers_lines_typed_by_hand(self):
        run = subprocess.run([LRGD, "pest", "case/c.pst"], cwd=self.folder,
                             input="8 0.5\n95 0.5\n", text=True,
                             capture_output=True, check=True)
        first, second = run.stdout.splitlines()
        values = [float(word) for word in first.split()]
        self.assertAlmostEqual(values[0], 12, 12)
        self.assertAlmostEqual(values[3], 8 * math.exp(-9) + 4, 12)
        self.assertEqual(len(values), 4)
        self.assertEqual(second, "nan")
        self.assertIn("chatter", run.stderr)

    def test_the_example_of_uncertainty_runs(self):
        shutil.copytree(AQUIFER, self.path("aquifer"))
        result = self.run_json("fit", "--pest", "aquifer/aquifer.pst",
                               "--predictions", "future", "--max-evals", 25,
                               code=3)
        self.assertLess(result["f"], 0.1 * result["f_start"])
        self.assertEqual(len(result["x"]), 14)
        names = [one["name"] for one in result["uncertainty"]["predictions"]]
        self.assertEqual(names, ["flow_new", "wetland_new"])


main()
