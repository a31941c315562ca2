"""Fits with prior information, correlated inputs, robust losses."""
from harness import main, worker
from observed import Base
import sums


PRIOR = """# name equation = value weight group
low    1.0 * x1 - 1e0*x2 = 0.5 2 pairs   # a comment
high   x3 = -1
sum    x1 + x2 - 2.5e-1*x6 = 1  0.1 pairs
"""


class Prior(Base):
    def rows(self, x):
        return [2 * (x[0] - x[1] - 0.5), x[2] + 1,
                0.1 * (x[0] + x[1] - 0.25 * x[5] - 1)]

    def test_prior_equations_are_part_of_f_and_are_reported_by_group(self):
        self.write("prior", PRIOR)
        result = self.fit("--prior", "prior", "--max-evals", 40, code=None)
        x = result["x"]
        simulated = sums.values(x)
        rows = self.rows(x)
        ours = [s * w for s, w in zip(
            [a - b for a, b in zip(simulated, (1, 2, 0.3, 0))], (1, 3, 1, 0))]
        self.assertAlmostEqual(
            result["f"], sum(r * r for r in ours + rows) / 2, delta=1e-9)
        for told, true in zip(result["residuals"][4:], rows):
            self.assertAlmostEqual(told, true, delta=1e-12)
        groups = {g["name"]: g for g in result["groups"]}
        self.assertEqual(groups["pairs"]["count"], 2)
        self.assertEqual(groups["prior"]["count"], 1)
        self.assertAlmostEqual(groups["pairs"]["f"],
                               (rows[0] ** 2 + rows[2] ** 2) / 2, delta=1e-12)
        self.assertEqual([p["name"] for p in result["prior"]],
                         ["low", "high", "sum"])
        self.assertEqual(result["prior"][0]["weight"], 2)
        self.assertEqual(self.count(), result["evaluations"])

    def test_logarithms_are_to_base_ten_and_of_inputs_under_log(self):
        from math import log10
        self.write("prior", "a log(x1) - log(x2) = 1 3\nb x3 = 2\n")
        self.write("logs", "1\n2\n")
        result = self.minimize("--prior", "prior", "--log", "logs", "--start",
                               0.5, "--scale", 0.25, "--max-evals", 30,
                               code=None)
        x = result["x"]
        self.assertAlmostEqual(result["residuals"][4],
                               3 * (log10(x[0]) - log10(x[1]) - 1), 10)
        self.assertAlmostEqual(result["residuals"][5], x[2] - 2, 10)
        for text, says in (("a x1 = 1", "must have log"),
                           ("a log(x3) = 1", "must have it as it is")):
            self.write("wrong", text + "\n")
            self.refused("minimize", "--residuals", "--worker",
                         self.sums("residuals"), "--dim", 6, "--log", "logs",
                         "--start", 0.5, "--prior", "wrong", says=says)

    def test_wrong_lines_of_a_prior_file_are_reported(self):
        for text, says in (("a", "no equation"), ("a x1", "no equation"),
                           ("a = 1", "no input"), ("a x7 = 1", "x7"),
                           ("a x1 = one", "one"), ("a x1 = 1 -1", "-1"),
                           ("a x1 = 1 1 g more", "more"),
                           ("a y*x1 = 1", "coefficient"), ("# a", "no equat")):
            self.write("wrong", "\n" + text + "\n")
            run = self.refused("minimize", "--residuals", "--worker",
                               self.sums("residuals"), "--dim", 6, "--prior",
                               "wrong", says=says)
        self.refused("minimize", "rosenbrock", "--prior", "wrong",
                     says="--prior goes with residuals")
        self.assertEqual(self.count(), 0)

    def test_a_journal_records_prior_equations_others_begin_a_path(self):
        self.write("prior", PRIOR)
        self.fit("--prior", "prior", "--max-evals", 12, "--journal", "f.db",
                 code=None)
        command = ("--worker", self.sums("values"))
        same = self.run_json("resume", "f.db", *command, "--max-evals", 20,
                             code=None)
        self.assertEqual(same["journal"]["replayed"], 12)
        self.assertEqual(len(same["residuals"]), 7)
        whole = self.fit("--prior", "prior", "--max-evals", 20, code=None)
        self.assertEqual(same["x"], whole["x"])
        self.write("other", PRIOR.replace("x3 = -1", "x3 = 3 10"))
        other = self.run_json("resume", "f.db", *command, "--prior", "other",
                              "--max-evals", 40, code=None)
        self.assertEqual(other["journal"]["path"], 2)
        self.assertEqual(other["prior"][1]["weight"], 10)
        self.assertLess(abs(other["x"][2] - 3), 0.5)


class Correlated(Base):
    def test_coordinates_change_the_directions_and_are_kept(self):
        self.write("where", "0 0\n0 1\n0 2\n1 0\n1 1\n1 2\n")
        near = ("--correlated", "where", "--length", 2)
        plain = self.minimize("--max-evals", 10, code=None)
        ours = self.minimize("--max-evals", 10, *near, "--journal", "c.db",
                             code=None)
        self.assertNotEqual(plain["x"], ours["x"])
        whole = self.minimize("--max-evals", 16, *near, code=None)
        more = self.run_json("resume", "c.db", "--worker",
                             self.sums("residuals"), "--max-evals", 16,
                             code=None)
        self.assertEqual(more["journal"]["replayed"], 10)
        self.assertEqual(more["x"], whole["x"])

    def test_flags_that_exclude_prior_information_are_refused(self):
        self.write("where", "0\n1\n2\n3\n4\n")
        run = ("minimize", "--residuals", "--worker", self.sums("residuals"),
               "--dim", 6)
        self.refused(*run, "--correlated", "where", "--length", 1,
                     says="5 numbers are no whole number of coordinates of 6")
        self.refused(*run, "--correlated", "where", says="needs --length")
        self.refused(*run, "--length", 1, says="goes with --correlated")
        self.refused(*run, "--correlated", "where", "--length", 0,
                     says="not a number > 0")
        self.refused("minimize", "rosenbrock", "--correlated", "where",
                     "--length", 1, says="--correlated goes with residuals")
        self.assertEqual(self.count(), 0)


class Loss(Base):
    def test_f_and_its_groups_are_by_the_loss(self):
        from math import log1p
        result = self.fit("--loss", "cauchy", "--loss-scale", 0.5,
                          "--max-evals", 40, "--journal", "l.db", code=None)
        costs = [0.125 * log1p((r / 0.5) ** 2) for r in result["residuals"]]
        self.assertAlmostEqual(result["f"], sum(costs), delta=1e-12)
        self.assertAlmostEqual(sum(g["f"] for g in result["groups"]),
                               result["f"], delta=1e-12)
        self.refused("fit", "--worker", self.sums("values"), "--observations",
                     "obs", "--dim", 6, "--loss", "square", says="soft_l1")
        run = self.run_lrgd("fit", "--worker", self.sums("values"),
                            "--observations", "obs", "--dim", 6, "--journal",
                            "l.db", code=7)
        self.assertIn("loss is cauchy there", run.stderr)


main()


if __name__ == "__main__":
    main()
