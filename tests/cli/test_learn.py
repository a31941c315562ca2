"""Runs that learn from the journals of others."""
import json
import os
import shutil
import sys

from harness import main
from kept import Kept

OTHER = """
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    s, t = sum(x) - 3, x[0] - x[1] - 1
    open("count", "a").write(".")
    print(s * s + t * t + 0.2 * t ** 4 + {shift}, flush=True)
"""


class Learning(Kept):
    """old.db holds the first evaluations of a run with another seed."""
    options = ("--method", "auto", "--seed", 3)
    dim = 12

    def setUp(self):
        super().setUp()
        self.known = self.learn_old("old.db", 40)

    def learn_old(self, name, most, *more, seed=1):
        result = self.run_json(*self.plain(
            "--seed", seed, "--journal", name, "--max-evals", most, *more),
            code=None)
        self.forget_count()
        return result["evaluations"]

    def forget_count(self):
        if os.path.exists(self.path("count")):
            os.remove(self.path("count"))

    def plain(self, *more, delay=0, oracle="value"):
        """Without a journal of its own."""
        command = self.command(delay=delay, oracle=oracle)
        at = command.index("--journal")
        return [*command[:at], *more]

    def said(self, run):
        return [line for line in run.stderr.splitlines() if "known" in line]


class Learn(Learning):
    def test_a_run_that_learned_ends_lower_for_less(self):
        fresh = self.run_json(*self.plain("--target", 1e-3))
        self.assertEqual(fresh["evaluations"], self.asked())
        self.forget_count()
        run = self.run_lrgd(*self.plain("--target", 1e-3, "--learn-from",
                                        "old.db"), "--json")
        learned = json.loads(run.stdout)
        self.assertEqual(len(self.said(run)), 1, run.stderr)
        self.assertIn(f"{self.known} evaluations are known", run.stderr)
        self.assertEqual(learned["evaluations"], self.asked())
        self.assertLess(learned["evaluations"], fresh["evaluations"])
        self.assertEqual(learned["outcome"], "target")
        first = learned["phases"][0]
        self.assertEqual((first["kind"], first["count"]),
                         ("warm_start", self.known))

    def test_evaluations_of_two_journals_are_combined(self):
        more = self.learn_old("second.db", 25, seed=2)
        run = self.run_lrgd(*self.plain("--learn-from", "old.db",
                                        "--learn-from", "second.db",
                                        "--max-evals", 5), code=None)
        self.assertIn(f"{self.known + more} evaluations are known", run.stderr)
        self.assertLessEqual(self.asked(), 5)
        again = self.run_lrgd(*self.plain("--learn-from", "old.db",
                                          "--learn-from", "old.db",
                                          "--max-evals", 5), code=None)
        self.assertIn(f"{2 * self.known} evaluations are known", again.stderr)

    def test_learning_twice_gives_one_path_and_keeps_the_source(self):
        before = self.read("old.db", "rb")
        runs = [self.run_json(*self.plain("--learn-from", "old.db"), code=None)
                for _ in range(2)]
        for key in ("f", "x", "evaluations", "phases", "certificate"):
            self.assertEqual(runs[0][key], runs[1][key], key)
        self.assertEqual(self.read("old.db", "rb"), before)

    def test_every_oracle_learns_from_every_other(self):
        for old in ("value", "slope", "gradient"):
            self.forget()
            words = [*self.command(oracle=old), "--max-evals", 30]
            words[words.index("run.db")] = "old.db"
            self.run_json(*words, code=None)
            low = json.loads(self.run_lrgd("status", "old.db", "--json")
                             .stdout)["f"]
            for new in ("value", "slope", "gradient"):
                with self.subTest(old=old, new=new):
                    self.forget_count()
                    result = self.run_json(
                        *self.plain("--learn-from", "old.db", "--max-evals",
                                    60, oracle=new), code=None)
                    self.assertEqual(result["evaluations"], self.asked())
                    self.assertLessEqual(result["f"], low)


class KeptLearning(Learning):
    """With a journal of its own."""

    def learning(self, *more, **how):
        return self.command("--learn-from", "old.db", *more, **how)

    def test_a_resumed_run_pays_for_nothing_twice(self):
        whole = self.run_json(*self.plain("--learn-from", "old.db"), code=None)
        self.forget_count()
        half = whole["evaluations"] // 2
        self.run_json(*self.learning("--max-evals", half), code=3)
        paid = self.asked()
        result = self.run_json(*self.command("--max-evals", 10 ** 6,
                                             verb="resume"), code=None)
        for key in ("outcome", "f", "x", "evaluations", "counts", "phases",
                    "certificate"):
            self.assertEqual(result[key], whole[key], key)
        self.assertEqual(self.asked(), whole["evaluations"])
        self.assertEqual(result["journal"]["replayed"], paid)
        self.assertEqual(self.status()["paths"], 1)
        # and minimize, once more
        again = self.run_json(*self.learning("--max-evals", 10 ** 6),
                              code=None)
        self.assertEqual(again["x"], whole["x"])
        self.assertEqual(self.asked(), whole["evaluations"])

    def test_a_learning_run_killed_anywhere_ends_as_one_never_killed(self):
        how = {"delay": 0.002}
        whole = self.run_json(*self.plain("--learn-from", "old.db", **how),
                              code=None)
        self.forget_count()
        total = whole["evaluations"]
        self.kill_at(self.learning(**how), 1)
        self.kill_at(self.command(verb="resume", **how), total // 3)
        self.kill_at(self.learning(**how), 2 * total // 3)
        result = self.run_json(*self.command(verb="resume", **how), code=None)
        for key in ("outcome", "f", "x", "evaluations", "counts", "phases",
                    "certificate"):
            self.assertEqual(result[key], whole[key], key)
        self.assertLessEqual(self.asked(), total + 3)

    def test_a_run_that_verified_a_known_point_is_resumed_to_the_same_end(self):
        """Its command is another than the old journal's."""
        more = {"delay": 0.0001}
        whole = self.run_json(*self.plain("--learn-from", "old.db", **more),
                              code=None)
        self.forget_count()
        for half in (1, whole["evaluations"] // 2):
            self.run_json(*self.learning("--max-evals", half, **more), code=3)
        result = self.run_json(*self.command("--max-evals", 10 ** 6,
                                             verb="resume", **more), code=None)
        for key in ("f", "x", "evaluations", "counts", "phases"):
            self.assertEqual(result[key], whole[key], key)
        self.assertEqual(self.asked(), whole["evaluations"])
        self.assertEqual(self.status()["paths"], 1)

    def test_a_command_may_change_while_it_goes_on(self):
        self.run_json(*self.learning("--max-evals", 20), code=3)
        paid = self.asked()
        result = self.run_json(*self.learning("--max-evals", paid + 20,
                                              delay=0.0001), code=None)
        self.assertEqual(result["journal"]["checks"], 1)
        self.assertEqual(self.status()["paths"], 1)
        self.assertEqual(result["evaluations"], self.asked())

    def test_rows_added_to_the_old_journal_do_not_change_a_resumed_run(self):
        whole = self.run_json(*self.plain("--learn-from", "old.db"), code=None)
        self.forget_count()
        half = whole["evaluations"] // 2
        self.run_json(*self.learning("--max-evals", half), code=3)
        paid = self.asked()
        self.learn_old("old.db", self.known + 20)
        result = self.run_json(*self.command("--max-evals", 10 ** 6,
                                             verb="resume"), code=None)
        self.assertEqual(result["x"], whole["x"])
        self.assertEqual(self.asked() + paid, whole["evaluations"])

    def test_a_missing_old_journal_is_reported_and_the_run_goes_on(self):
        self.run_json(*self.learning("--max-evals", 20), code=3)
        paid, before = self.asked(), self.status()
        os.rename(self.path("old.db"), self.path("elsewhere.db"))
        run = self.run_lrgd(*self.command("--max-evals", paid + 30,
                                          verb="resume"), "--json", code=None)
        self.assertIn(run.returncode, (0, 3), run.stderr)
        self.assertIn("is not known any more", run.stderr)
        self.assertIn("old.db", run.stderr)
        self.assertIn("new path", run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["journal"]["earlier_paths"], paid)
        self.assertEqual(result["evaluations"], self.asked())
        self.assertLessEqual(result["f"], before["f"])
        # another run's file under its name is not it
        shutil.copy(self.path("run.db"), self.path("old.db"))
        asked = self.asked()
        again = self.run_lrgd(*self.command("--max-evals", asked + 5,
                                            verb="resume"), code=None)
        self.assertNotIn("new path", again.stderr)
        self.assertLessEqual(self.asked(), asked + 5)

    def test_another_run_under_the_name_of_the_old_journal_is_reported(self):
        self.run_json(*self.learning("--max-evals", 20), code=3)
        paid = self.asked()
        os.remove(self.path("old.db"))
        self.run_json(*self.plain("--seed", 9, "--journal", "old.db",
                                  "--max-evals", 20), code=3)
        run = self.run_lrgd(*self.command("--max-evals", paid + 30,
                                          verb="resume"), code=None)
        self.assertIn("another run's now", run.stderr)
        self.assertIn("new path", run.stderr)

    def test_minimize_refuses_a_journal_that_learned_from_other_sources(self):
        self.run_json(*self.learning("--max-evals", 20), code=3)
        asked = self.asked()
        run = self.run_lrgd(*self.command("--max-evals", 30), code=7)
        self.assertIn("learned", run.stderr)
        self.assertEqual(self.asked(), asked)

    def test_learning_from_the_runs_own_journal_is_refused(self):
        run = self.run_lrgd(*self.command("--learn-from", "run.db"),
                            code=None)
        self.assertNotEqual(run.returncode, 0)
        self.assertFalse(os.path.exists(self.path("run.db")))
        self.run_json(*self.command("--max-evals", 20), code=3)
        before, asked = self.digest(), self.asked()
        run = self.run_lrgd(*self.command("--learn-from", "run.db"), code=2)
        self.assertIn("run.db", run.stderr)
        self.assertEqual((self.digest(), self.asked()), (before, asked))

    def test_a_second_path_knows_what_the_first_had_learned(self):
        self.run_json(*self.learning("--max-evals", 20), code=3)
        paid = self.asked()
        run = self.run_lrgd(*self.command("--seed", 8, "--max-evals",
                                          paid + 40, verb="resume"), "--json",
                            code=None)
        result = json.loads(run.stdout)
        first = result["phases"][0]
        self.assertEqual((first["kind"], first["count"]),
                         ("warm_start", self.known + paid))
        self.assertLessEqual(self.asked(), paid + 40)


class Diagnosis(Learning):
    """A run that is known is no reason to spend more on trial runs."""
    PROBLEM = ("rosenbrock", "--set", "p=50", "--set", "n=4")

    def test_a_diagnosis_uses_the_evaluations_of_a_runs_journal(self):
        for method in ("auto", "quasi-newton"):
            with self.subTest(method):
                name = method + ".db"
                self.run_json("minimize", *self.PROBLEM, "--method", method,
                              "--journal", name)
                fresh = self.run_json("diagnose", *self.PROBLEM, code=None)
                told = self.run_json("diagnose", *self.PROBLEM,
                                     "--learn-from", name, code=None)
                self.assertEqual(told["exact_rank"], 4)
                self.assertGreater(told["known_gradients"], 0)
                self.assertLess(told["evaluations"],
                                fresh["evaluations"] - 200)


class Refused(Learning):
    def test_a_basis_together_with_known_evaluations_is_refused(self):
        self.write("basis", "1\n" * self.dim)
        self.refused(*self.plain("--learn-from", "old.db", "--basis", "basis"),
                     says="--basis")
        self.assertEqual(self.asked(), 0)

    def test_a_journal_of_another_dimension_is_refused(self):
        self.dim = 13
        run = self.run_lrgd(*self.plain("--learn-from", "old.db"), code=7)
        self.assertIn("12 inputs", run.stderr)
        self.assertIn("13", run.stderr)
        self.assertEqual(self.asked(), 0)

    def test_learning_from_a_file_that_is_no_journal_is_refused(self):
        self.write("text", "no journal\n" * 1000)
        for name, code in ("text", 7), ("nowhere.db", 6):
            run = self.run_lrgd(*self.plain("--learn-from", name), code=code)
            self.assertIn(name, run.stderr)
            self.assertEqual(run.stdout, "")
        self.assertEqual(self.asked(), 0)
        self.assertFalse(os.path.exists(self.path("nowhere.db")))

    def test_another_function_is_refused_with_both_values(self):
        self.write("other.py", OTHER.format(shift=1))
        before = self.read("old.db", "rb")
        low = json.loads(self.run_lrgd("status", "old.db", "--json").stdout)
        words = ["minimize", "--worker", f"{sys.executable} other.py", "--dim",
                 self.dim, *self.options, "--learn-from", "old.db"]
        run = self.run_lrgd(*words, code=7)
        self.assertEqual(run.stdout, "")
        self.assertIn("another function", run.stderr)
        self.assertIn(repr(low["f"])[:8], run.stderr)
        self.assertEqual(self.asked(), 1)
        self.assertEqual(self.read("old.db", "rb"), before)

    def test_another_command_of_the_same_function_costs_one_check(self):
        self.write("other.py", OTHER.format(shift=0))
        same = self.run_json(*self.plain("--learn-from", "old.db"), code=None)
        self.forget_count()
        words = ["minimize", "--worker", f"{sys.executable} other.py", "--dim",
                 self.dim, *self.options, "--learn-from", "old.db"]
        other = self.run_json(*words, code=None)
        self.assertEqual(other["evaluations"], self.asked())
        self.assertEqual(other["evaluations"], same["evaluations"] + 1)
        self.assertEqual(other["x"], same["x"])

    def test_learning_from_an_empty_journal_changes_nothing(self):
        self.learn_old("empty.db", 0)
        fresh = self.run_json(*self.plain("--max-evals", 50), code=None)
        run = self.run_lrgd(*self.plain("--max-evals", 50, "--learn-from",
                                        "empty.db"), "--json", code=None)
        self.assertEqual(json.loads(run.stdout)["x"], fresh["x"])
        self.assertEqual(self.said(run), [])


class Variables(Learning):
    """Under --scale, --log and bounds the user's own x is what is known."""

    def low(self, name):
        return json.loads(self.run_lrgd("status", name, "--json").stdout)["f"]

    def check(self, *more):
        self.forget_count()
        result = self.run_json(*self.plain("--learn-from", "old.db",
                                           "--max-evals", 40, *more),
                               code=None)
        self.assertEqual(result["evaluations"], self.asked())
        self.assertLessEqual(self.asked(), 40)
        return result

    def test_known_evaluations_serve_a_scaled_run(self):
        self.write("scale", "".join(f"{i + 1}\n" for i in range(12)))
        for scale in ("3", "scale"):
            with self.subTest(scale):
                result = self.check("--scale", scale)
                self.assertLessEqual(result["f"], self.low("old.db"))

    def test_known_evaluations_serve_a_run_in_logarithms(self):
        self.learn_old("old.db.log", 40, "--start", 0.5, "--lower", 0.01,
                       "--upper", 9)
        os.replace(self.path("old.db.log"), self.path("old.db"))
        result = self.check("--log", "all", "--start", 0.5, "--lower", 0.01,
                            "--upper", 9)
        self.assertLessEqual(result["f"], self.low("old.db") * (1 + 1e-9))

    def test_known_evaluations_serve_a_run_in_a_box(self):
        result = self.check("--lower", -0.2, "--upper", 0.6)
        self.assertTrue(all(-0.2 <= x <= 0.6 for x in result["x"]))


if __name__ == "__main__":
    main()
