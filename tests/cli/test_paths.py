"""Journals as knowledge: new paths, changed commands, links, other outputs."""
import json
import os
import sqlite3
import subprocess
import sys

from harness import LRGD, main
from kept import Kept


class Paths(Kept):
    def test_resume_with_other_settings_goes_on_as_a_new_path(self):
        self.run_json(*self.command("--max-evals", 40), code=3)
        paid, known = self.asked(), self.status()
        for more in (["--seed", 5], ["--method", "adaptive"],
                     ["--tol", "1e-2"], ["--lower", -9], ["--start", 1]):
            with self.subTest(more):
                run = self.run_lrgd(
                    *self.command(*more, "--max-evals", paid + 40, "--json",
                                  verb="resume"), code=None)
                self.assertIn(run.returncode, (0, 3), run.stderr)
                said = [line for line in run.stderr.splitlines()
                        if "new path" in line]
                self.assertEqual(len(said), 1, run.stderr)
                self.assertIn(more[0][2:], said[0])
                self.assertIn(f"knows the {paid} evaluations", said[0])
                result = json.loads(run.stdout)
                self.assertEqual(result["evaluations"], self.asked())
                self.assertLessEqual(self.asked(), paid + 40)
                self.assertEqual(result["journal"]["earlier_paths"], paid)
                now = self.status()
                self.assertEqual(now["evaluations"], self.asked())
                self.assertGreater(now["paths"], known["paths"])
                self.assertLessEqual(now["f"], known["f"])
                paid, known = self.asked(), now

    def test_a_new_path_starts_at_the_best_point_and_is_itself_replayed(self):
        self.run_json(*self.command("--max-evals", 40), code=3)
        best = self.status()
        result = self.run_json(*self.command("--seed", 5, "--max-evals", 70,
                                             verb="resume"), code=None)
        # the first question may be a difference there, or the next step of
        # a path that is known up to there
        first = result["phases"][0]
        self.assertEqual((first["kind"], first["count"]),
                         ("warm_start", best["evaluations"]))
        self.assertEqual(first["value"], best["f"])
        self.assertLessEqual(result["f"], best["f"])
        asked = self.asked()
        # once more, as it is and with the same word again: nothing is asked
        for more in ([], ["--seed", 5]):
            again = self.run_lrgd(*self.command(*more, verb="resume"),
                                  "--json", code=None)
            self.assertNotIn("new path", again.stderr)
            self.assertEqual(self.asked(), asked)
            self.assertEqual(json.loads(again.stdout)["evaluations"], asked)
        self.run_json(*self.command("--max-evals", asked + 30, verb="resume"),
                      code=None)
        self.assertLessEqual(self.asked(), asked + 30)

    def test_a_new_path_killed_anywhere_loses_nothing(self):
        self.run_json(*self.command("--max-evals", 40, delay=0.002), code=3)
        paid = self.asked()
        how = {"delay": 0.002, "verb": "resume"}
        more = ["--seed", 5, "--max-evals", paid + 60]
        for point in (paid + 1, paid + 9, paid + 30):
            self.kill_at(self.command(*more, **how), point)
            self.assertEqual(self.status()["paths"], 2)
        result = self.run_json(*self.command(*more, **how), code=None)
        self.assertEqual(result["journal"]["path"], 2)
        self.assertLessEqual(result["evaluations"], paid + 60)
        self.assertLessEqual(self.asked(), result["evaluations"] + 3)

    def test_a_used_budget_begins_no_new_path(self):
        self.run_json(*self.command("--max-evals", 40), code=3)
        asked, before = self.asked(), self.status()
        run = self.run_lrgd(*self.command("--seed", 5, verb="resume"), code=2)
        self.assertIn("give more", run.stderr)
        self.assertEqual((self.asked(), self.status()), (asked, before))

    def test_another_dimension_is_refused(self):
        self.run_json("minimize", "quadratic", "--dim", 20, "--max-evals", 30,
                      "--journal", "run.db", code=3)
        before = self.digest()
        self.write("start", "1\n" * 21)
        run = self.run_lrgd("resume", "run.db", "quadratic", "--start",
                            "start", code=2)
        self.assertIn("21", run.stderr)
        self.assertEqual(self.digest(), before)

    def test_a_journal_of_the_former_format_gets_paths(self):
        self.run_json(*self.command("--max-evals", 40), code=3)
        database = sqlite3.connect(self.path("run.db"))
        database.executescript("DROP TABLE checks; DROP TABLE paths;"
                               "DROP TABLE decisions;"
                               "PRAGMA user_version = 2; VACUUM")
        database.close()
        paid, before = self.asked(), self.digest()
        self.assertEqual(self.status()["paths"], 1)
        self.assertEqual(self.digest(), before)
        again = self.run_json(*self.command("--max-evals", 50), code=None)
        self.assertEqual(again["journal"]["replayed"], paid)
        self.run_json(*self.command("--seed", 5, "--max-evals", 80,
                                    verb="resume"), code=None)
        self.assertEqual(self.status()["paths"], 2)

    def test_an_option_that_came_later_is_no_difference(self):
        self.run_json(*self.command("--max-evals", 40), code=3)
        database = sqlite3.connect(self.path("run.db"))
        database.execute("DELETE FROM settings WHERE key IN "
                         "('verbatim', 'stop_decrease')")
        database.commit()
        database.close()
        paid = self.asked()
        run = self.run_lrgd(*self.command("--max-evals", 50,
                                          "--stop-decrease", 1e-3), code=7)
        self.assertIn("stop_decrease is not set there, 0.001 here", run.stderr)
        self.assertEqual(self.asked(), paid)
        again = self.run_json(*self.command("--max-evals", 50), code=None)
        self.assertEqual(again["journal"]["replayed"], paid)
        self.assertEqual(self.status()["paths"], 1)


class Departures(Kept):
    """A journal that does not fit its run: that of another machine."""
    WORKER = """
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    print(sum((i + 1) * (y - 1) ** 2 for i, y in enumerate(x)) + sum(x) ** 4,
          flush=True)
    open("count", "a").write(".")
"""

    def depart(self, most):
        """A journal whose run asks for other points than it says: the setting
        that tells its start is changed, with the sum that belongs to it."""
        self.write("wave.py", self.WORKER)
        self.go("minimize", "--journal", "run.db", "--dim", 6, "--max-evals",
                most, "--method", "gd", code=3)
        other = ["--start", 0.25, "--journal", "other.db"]
        self.go("minimize", *other, "--dim", 6, "--max-evals", 3, "--method",
                "gd", code=3)
        paid = self.asked()
        mine = sqlite3.connect(self.path("run.db"))
        theirs = sqlite3.connect(self.path("other.db"))
        key = "SELECT numbers, sum FROM settings WHERE key = 'start'"
        mine.execute("UPDATE settings SET numbers = ?, sum = ? "
                     "WHERE key = 'start'", theirs.execute(key).fetchone())
        mine.commit()
        mine.close()
        theirs.close()
        return paid

    def test_resume_continues_a_departed_run_where_minimize_refuses(self):
        paid = self.depart(60)
        run = self.go("minimize", "--journal", "run.db", "--dim", 6,
                      "--start", 0.25, "--max-evals", 200, "--method", "gd",
                      code=7)
        self.assertIn("evaluation 1 was made at another point", run.stderr)
        self.assertIn("lrgd resume", run.stderr)
        self.assertEqual(self.asked(), paid)
        run = self.go("resume", "run.db", "--max-evals", 200, "--json")
        self.assertIn(run.returncode, (0, 3), run.stderr)
        self.assertIn("departs from the journal at evaluation 1 (coordinate",
                      run.stderr)
        result = json.loads(run.stdout)
        self.assertEqual(result["journal"]["path"], 2)
        self.assertEqual(self.asked() - paid,
                         result["evaluations"] -
                         result["journal"]["earlier_paths"])
        self.assertLessEqual(result["evaluations"], 200)
        self.go("report", "run.db", code=0)

    def go(self, verb, *more, code=None):
        words = [verb, *more]
        if verb != "report":
            words += ["--worker", f"{sys.executable} wave.py"]
        return self.run_lrgd(*words, code=code)


class Commands(Kept):
    """Where the text of the command changes, one stored point is asked."""
    OTHER = """
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    s, t = sum(x) - 3, x[0] - x[1] - 1
    open("count", "a").write(".")
    print((s * s + t * t + 0.2 * t ** 4) * {factor} + {shift}, flush=True)
"""

    def other(self, factor=1, shift=0, name="other.py"):
        self.write(name, self.OTHER.format(factor=factor, shift=shift))
        return ["--worker", f"{sys.executable} {name}"]

    def setUp(self):
        super().setUp()
        self.run_json(*self.command("--max-evals", 30), code=3)
        self.paid = self.asked()

    def test_a_changed_command_of_the_same_function_is_checked_once(self):
        result = self.run_json("resume", "run.db", *self.other(),
                               "--max-evals", 50, code=None)
        self.assertEqual(result["journal"]["checks"], 1)
        self.assertEqual(result["evaluations"], self.asked())
        self.assertLessEqual(self.asked(), 50)
        self.assertEqual(self.status()["evaluations"], self.asked())
        asked = self.asked()
        told = self.run_lrgd("resume", "run.db", *self.other(), "--max-evals",
                             50, "--quiet", code=None)  # confirmed once
        self.assertIn("  checks        1: a stored point asked again",
                      told.stdout)
        self.assertEqual(self.status()["checks"], 1)
        self.assertEqual(self.asked(), asked)

    def test_a_command_of_another_function_is_refused_with_both_values(self):
        before = self.status()
        for how in ({"factor": 1.000001}, {"shift": 1e-3},
                    {"factor": "float('nan')"}):
            for verb in (["resume", "run.db"],
                         self.command()[:1] + ["--dim", 10, *self.options,
                                               "--journal", "run.db"]):
                paid = self.asked()
                run = self.run_lrgd(*verb, *self.other(**how), "--max-evals",
                                    60, code=7)
                self.assertEqual(run.stdout, "")
                self.assertIn("another function", run.stderr)
                self.assertIn(repr(before["f"])[:12], run.stderr)
                self.assertEqual(self.asked(), paid + 1)
        after = self.status()
        self.assertEqual(after["evaluations"], before["evaluations"] + 6)
        for key in ("sessions", "state", "settings", "paths", "f"):
            self.assertEqual(after[key], before[key], key)

    def test_values_that_agree_within_noise_are_of_the_same_function(self):
        for name in os.listdir(self.folder):
            os.remove(self.path(name))
        self.options = (*self.options, "--noise", 1e-3)
        self.run_json(*self.command("--max-evals", 30), code=3)
        self.run_json("resume", "run.db", *self.other(shift=3e-3),
                      "--max-evals", 40, code=None)
        self.run_lrgd("resume", "run.db", *self.other(shift=0.1, name="far.py"),
                      "--max-evals", 50, code=7)

    def test_with_a_used_budget_a_changed_command_is_not_checked(self):
        self.run_json("resume", "run.db", *self.other(), "--max-evals",
                      self.paid, code=3)
        self.assertEqual(self.asked(), self.paid)


class Links(Kept):
    def test_a_symbolic_link_to_a_journal_opens_that_journal(self):
        self.kill_at(self.command(delay=0.002), 20)
        os.symlink("run.db", self.path("alias.db"))
        os.mkdir(self.path("below"))
        os.symlink("../alias.db", self.path("below/more.db"))
        told = self.status()
        self.assertGreater(told["evaluations"], 5)
        for name in ("alias.db", "below/more.db"):
            other = json.loads(self.run_lrgd("status", name, "--json").stdout)
            self.assertEqual(other, told)
        process = self.start(self.command(delay=0.02))
        self.wait_for(25, process)
        command = self.command()
        command[command.index("run.db")] = "alias.db"
        asked = self.asked()
        run = self.run_lrgd(*command, code=8)
        self.assertIn(f"process {process.pid}", run.stderr)
        self.assertTrue(json.loads(self.run_lrgd(
            "status", "alias.db", "--json").stdout)["running"])
        process.kill()
        process.communicate()
        self.assertLessEqual(self.asked(), asked + 60)
        result = self.run_json(*command)
        self.assertGreaterEqual(result["journal"]["replayed"], 20)

    def test_a_link_to_nothing_yet_makes_the_file_it_names(self):
        os.symlink("later.db", self.path("run.db"))
        self.run_json(*self.command("--max-evals", 20), code=3)
        self.assertTrue(os.path.isfile(self.path("later.db")))
        self.assertTrue(os.path.islink(self.path("run.db")))

    def test_a_hard_link_is_refused_before_anything_is_paid(self):
        process = self.start(self.command(delay=0.02))
        self.wait_for(5, process)
        os.link(self.path("run.db"), self.path("twin.db"))
        command = self.command()
        command[command.index("run.db")] = "twin.db"
        for words in (command, ["resume", "twin.db", "--worker", "cat"],
                      ["status", "twin.db"]):
            run = self.run_lrgd(*words, code=7)
            self.assertIn("2 names", run.stderr)
        process.kill()
        process.communicate()
        self.assertFalse(os.path.exists(self.path("twin.db-wal")))
        asked = self.asked()
        self.run_lrgd("status", "twin.db", code=7)
        self.run_lrgd(*self.command(), code=7)
        self.assertEqual(self.asked(), asked)
        os.remove(self.path("twin.db"))
        self.assertGreaterEqual(self.status()["evaluations"], asked - 1)


class Outputs(Kept):
    def test_nothing_is_written_onto_a_journal(self):
        self.run_json(*self.command("--max-evals", 30), code=3)
        before, asked = self.digest(), self.asked()
        os.symlink("run.db", self.path("alias.txt"))
        os.symlink("run.db", self.path("alias.svg"))
        for name in ("run.db", "./run.db", "alias.txt", "run.db-wal",
                     "run.db-shm", "run.db.lock"):
            for words in (["minimize", "quadratic", "--dim", 5],
                          self.command("--max-evals", 90),
                          self.command("--max-evals", 90, verb="resume"),
                          ["diagnose", "quadratic", "--dim", 5]):
                self.refused(*words, "--save", name, says="journal")
            self.refused(*self.command(), "--events", name, says="journal")
        self.refused(*self.command(), "--plot", "alias.svg", says="journal")
        for words in (("reproduce", "figure-1"), ("bench", "smoke"),
                      ("diagnose", "quadratic", "--dim", 5)):
            self.refused(*words, "--plot", "alias.svg", says="journal")
        self.refused("report", "run.db", "-o", "run.db", says="journal")
        self.assertEqual((self.digest(), self.asked()), (before, asked))

    def test_nothing_is_written_onto_a_journal_that_is_yet_to_be_created(self):
        os.symlink("run.db", self.path("alias"))
        for name in ("run.db", "./run.db", "alias", "run.db-wal"):
            self.refused(*self.command(), "--save", name, says="journal")
            self.refused(*self.command(), "--events", name, says="journal")
        self.assertEqual(self.asked(), 0)


class Storage(Kept):
    def test_after_a_full_disk_the_count_equals_the_programs_own(self):
        self.dim = 60
        self.options = ("--method", "gd")
        self.fill(80, 100, 140, 200)

    def test_those_under_way_when_a_disk_is_full_have_no_answer(self):
        self.dim = 60
        self.options = ("--async", "--width", "4")
        self.fill(80, 90, 100, 120, 140, 170, 200, under_way=1)

    def fill(self, *sizes, under_way=0):
        for blocks in sizes:
            for name in os.listdir(self.folder):
                os.remove(self.path(name))
            command = self.command("--storage-wait", 0, jobs=2)
            run = subprocess.run(
                ["sh", "-c", f'ulimit -f {blocks}; exec "$@"', "sh", LRGD,
                 *map(str, command), "--json", "--quiet"], cwd=self.folder,
                text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(run.returncode, 6, run.stderr)
            if run.stdout:
                counted = json.loads(run.stdout)["evaluations"]
                self.assertLessEqual(counted, self.asked(), blocks)
                self.assertGreaterEqual(counted, self.asked() - under_way,
                                        blocks)


if __name__ == "__main__":
    main()
