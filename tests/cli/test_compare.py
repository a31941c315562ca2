"""lrgd compare: several methods on one function, with a budget each."""
import csv
import io
import os
import subprocess
import xml.etree.ElementTree

from harness import LRGD, Case, main, worker

TALLY = worker("tally.py")
BUILT_IN = ("quadratic", "--set", "p=30", "--set", "rank=3")


def bench():
    """Peers that were compiled into the lrgd-bench beside the command."""
    program = os.path.join(os.path.dirname(LRGD), "lrgd-bench")
    if not os.access(program, os.X_OK):
        return ""
    return subprocess.run([program, "--list"], text=True, check=True,
                          stdout=subprocess.PIPE).stdout


class Compare(Case):
    def compared(self, *more, **how):
        found = self.run_json("compare", *more, **how)
        return found, {one["method"]: one for one in found["methods"]}

    def test_no_method_evaluates_more_than_the_budget(self):
        _, by = self.compared(*BUILT_IN, "--max-evals", 70)
        self.assertLessEqual({"auto", "quasi-newton", "adaptive", "gd"},
                             set(by))
        for one in by.values():
            self.assertLessEqual(one["evaluations"], 70, one["method"])

    def test_all_methods_begin_at_the_same_point_which_is_evaluated_once(self):
        found, by = self.compared(*BUILT_IN, "--max-evals", 70, "--methods",
                                  "auto,quasi-newton,gd")
        self.assertEqual(found["evaluations"],
                         sum(one["paid"] for one in by.values()))
        self.assertEqual(by["auto"]["paid"], by["auto"]["evaluations"])
        self.assertLess(by["gd"]["paid"], by["gd"]["evaluations"])

    def test_the_count_is_that_of_minimize_with_the_same_budget(self):
        _, by = self.compared(*BUILT_IN, "--max-evals", 200, "--methods",
                              "quasi-newton")
        alone = self.run_json("minimize", *BUILT_IN, "--oracle", "value",
                              "--method", "quasi-newton", "--max-evals", 200,
                              code=None)
        self.assertEqual(by["quasi-newton"]["evaluations"],
                         alone["evaluations"])

    def test_algorithm_1_takes_part_where_a_rank_is_given(self):
        _, by = self.compared(*BUILT_IN, "--max-evals", 70, "--rank", 3)
        self.assertIn("lrgd", by)
        self.assertNotIn("adaptive", by)

    def test_csv_has_a_row_for_each_value_that_was_the_lowest_so_far(self):
        run = self.run_lrgd("compare", *BUILT_IN, "--max-evals", 70,
                            "--methods", "auto,gd", "--csv", "--quiet")
        rows = list(csv.DictReader(io.StringIO(run.stdout)))
        for method in ("auto", "gd"):
            own = [row for row in rows if row["method"] == method]
            best = [float(row["best_f"]) for row in own]
            self.assertEqual(own[0]["evaluations"], "1")
            self.assertEqual(best, sorted(best, reverse=True))
            self.assertLess(best[-1], best[0])

    def test_a_comparison_draws_a_picture(self):
        self.run_lrgd("compare", *BUILT_IN, "--max-evals", 70, "--methods",
                      "auto,gd", "--plot", "both.svg", "--quiet")
        xml.etree.ElementTree.fromstring(self.read("both.svg"))
        for colour in ("rgb(0%,44.7%,69.8%)", "rgb(83.5%,36.9%,0%)"):
            self.assertTrue(colour in self.read("both.svg"), colour)

    def test_with_a_journal_no_point_is_evaluated_twice(self):
        log = self.path("asked")
        how = ("--worker", f"{TALLY} {log}", "--dim", 6, "--start", 0.3,
               "--max-evals", 40, "--methods", "auto,gd", "--journal", "c.db")
        first, _ = self.compared(*how)
        asked = len(self.read("asked"))
        self.assertEqual(asked, first["evaluations"])
        again, _ = self.compared(*how)
        self.assertEqual(len(self.read("asked")), asked)
        self.assertEqual(first["methods"], again["methods"])
        run = self.run_lrgd("resume", "c.db", "--worker", TALLY, code=2)
        self.assertIn("the same lrgd compare command", run.stderr)
        self.run_lrgd("report", "c.db", "--quiet")
        self.assertTrue("lrgd compare" in self.read("c.html"))

    def test_a_journal_refuses_another_comparison(self):
        how = (*BUILT_IN, "--methods", "auto", "--journal", "c.db")
        self.compared(*how, "--max-evals", 30)
        run = self.run_lrgd("compare", *how, "--max-evals", 31, code=7)
        self.assertIn("a journal of its own", run.stderr)

    def test_an_unknown_method_is_refused_with_the_nearest_name(self):
        run = self.run_lrgd("compare", *BUILT_IN, "--methods", "boyqa", code=2)
        self.assertIn("did you mean bobyqa", run.stderr)
        run = self.run_lrgd("compare", *BUILT_IN, "--oracle", "gradient",
                            code=2)
        self.assertIn("compare counts values", run.stderr)

    def test_installed_peers_take_part_within_budget_and_bounds(self):
        there = bench()
        peers = [name for name in ("bobyqa", "l-bfgs-b", "gsl-bfgs2")
                 if f"  {name} " in there]
        found, by = self.compared(
            *BUILT_IN, "--lower", -1, "--upper", 1, "--max-evals", 90,
            "--methods", "auto,bobyqa,l-bfgs-b,gsl-bfgs2")
        for name in ("bobyqa", "l-bfgs-b"):
            if name not in peers:
                self.assertEqual(by[name]["outcome"], "not installed")
                self.assertEqual(by[name]["evaluations"], 0)
                continue
            self.assertEqual(by[name]["evaluations"], 90)
            self.assertLess(by[name]["f"], found["f_start"])
        self.assertEqual(by["gsl-bfgs2"]["outcome"], "no bounds")


main()
