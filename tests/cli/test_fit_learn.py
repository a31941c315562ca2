"""Runs on residuals that begin with what other runs were answered."""
import os
import sqlite3

from harness import main
from observed import OBSERVATIONS, Base

OTHER = OBSERVATIONS.replace("0.3  1", "0.25  2").replace("2    3", "2.2  1")


class Learns(Base):
    def asked(self):
        """The questions of a run so far, which are forgotten."""
        count = self.count()
        if count:
            os.unlink(self.path("count"))
        return count

    def first(self):
        self.fit("--max-evals", 60, "--journal", "old.db", code=None)
        self.asked()
        self.write("obs", OTHER)

    def test_a_fit_to_other_observations_uses_values_already_simulated(self):
        self.first()
        fresh = self.fit("--max-evals", 60, code=None)
        paid = self.asked()
        new = self.fit("--max-evals", 60, "--learn-from", "old.db",
                       "--journal", "new.db", code=None)
        self.assertEqual(self.asked(), new["evaluations"])
        self.assertLess(new["evaluations"], paid)
        self.assertEqual(new["phases"][0]["kind"], "warm_start")
        self.assertLessEqual(new["f"], fresh["f"] + 1e-9)
        self.assertLess(new["f_start"], fresh["f_start"])
        again = self.run_json("resume", "new.db", "--worker",
                              self.sums("values"), "--max-evals", 60,
                              code=None)
        self.assertEqual((again["x"], again["evaluations"], self.asked()),
                         (new["x"], new["evaluations"], 0))

    def test_a_run_that_is_cut_learns_the_same_when_resumed(self):
        self.first()
        how = ("--learn-from", "old.db", "--tol", 1e-9)
        whole = self.fit(*how, "--max-evals", 30, code=None)
        self.asked()
        self.fit(*how, "--max-evals", 3, "--journal", "new.db", code=3)
        last = self.run_json("resume", "new.db", "--worker",
                             self.sums("values"), "--max-evals", 30,
                             code=None)
        self.assertEqual((last["x"], last["evaluations"], self.asked()),
                         (whole["x"], whole["evaluations"],
                          whole["evaluations"]))

    def test_a_new_path_knows_the_earlier_ones(self):
        self.first()
        other = self.run_json("resume", "old.db", "--worker",
                              self.sums("values"), "--observations", "obs",
                              "--max-evals", 120, code=None)
        self.assertEqual(other["journal"]["path"], 2)
        paid = self.asked()
        with sqlite3.connect(self.path("old.db")) as file:
            points = file.execute("SELECT x, count(*) FROM evaluations "
                                  "GROUP BY x HAVING count(*) > 1").fetchall()
        self.assertEqual(points, [])  # no point is there twice
        fresh = self.fit("--max-evals", 60, code=None)
        self.assertLess(paid, self.asked())
        self.assertLessEqual(other["f"], fresh["f"] + 1e-9)

    def test_known_residuals_also_tell_their_number(self):
        self.minimize("--max-evals", 20, "--journal", "old.db", code=None)
        first = self.asked()
        run = self.minimize("--max-evals", 20, "--learn-from", "old.db",
                            "--seed", 4, code=None)
        self.assertEqual(self.asked(), run["evaluations"])
        self.assertLess(run["evaluations"], first)

    def test_a_changed_program_and_known_values_alone_are_refused(self):
        self.minimize("--max-evals", 10, "--journal", "old.db", code=None)
        self.asked()
        script = self.write("other.py", """import sys
for line in sys.stdin:
    x = [float(w) for w in line.split()]
    print(1 + x[0], x[1], x[2] - 4, sum(x), flush=True)
""")
        run = self.run_lrgd("minimize", "--residuals", "--worker",
                            f"/usr/bin/python3 {script}", "--dim", 6,
                            "--learn-from", "old.db", code=7)
        self.assertIn("it is another function", run.stderr)
        self.run_json("minimize", "rosenbrock", "--set", "p=6", "--max-evals",
                      5, "--journal", "scalar.db", code=None)
        self.refused("minimize", "--residuals", "--worker",
                     self.sums("residuals"), "--dim", 6, "--learn-from",
                     "scalar.db", "--quiet", says="answered f alone")
        self.write("obs", "a 1\n")
        self.refused("fit", "--worker", self.sums("values"), "--dim", 6,
                     "--observations", "obs", "--learn-from", "old.db",
                     "--quiet", says="answered 4")


if __name__ == "__main__":
    main()
