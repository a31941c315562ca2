"""Simulators without a wrapper: templates, answers read from files, files
copied and linked into the folder, folders kept, tied inputs."""
import os

from harness import Case, main

# f = (a - 1)^2 + (b + 2)^2 + 3, from a deck to a file of results
SIM = """#!/bin/sh
pwd >>"$LRGD_ORIGIN/folders"
awk '/^a/ {a = $3} /^b/ {b = $3}
  END {printf "MAX STRESS 77 \\nMAX STRESS %.17g MPa\\n# x y\\n1 2\\n3, %.17g\\n",
       (a - 1)^2 + (b + 2)^2 + 3, (a - 1)^2 + (b + 2)^2 + 3}' deck.inp \\
  >results.dat
"""
REGEX = "f=results.dat:/MAX STRESS +([^ ]+)/"


class Decks(Case):
    def setUp(self):
        super().setUp()
        self.write("deck.in", "a = {{a}}\nb = {{b}}\n")
        self.write("names", "a\nb\n")
        self.write("sim.sh", SIM)
        os.chmod(self.path("sim.sh"), 0o755)
        self.run = ["minimize", "--program", "./sim.sh", "--dim", 2,
                    "--names", "names"]
        self.deck = ["--template", "deck.in:deck.inp"]

    def test_a_deck_is_filled_and_its_answer_read(self):
        for read in (REGEX, "f=results.dat:column 2",
                     "f=results.dat:column 2,row 4"):
            found = self.run_json(*self.run, *self.deck, "--read", read)
            self.assertEqual(found["outcome"], "converged", read)
            self.assertAlmostEqual(found["f"], 3, places=9)
            self.assertAlmostEqual(found["x"][1], -2, places=4)
        self.assertEqual(len(set(self.read("folders").split())) > 10, True)

    def test_inputs_are_those_that_the_decks_name(self):
        run = ["minimize", "--program", "./sim.sh", *self.deck, "--read", REGEX]
        found = self.run_json(*run, "--journal", "own.db")
        self.assertAlmostEqual(found["x"][0], 1, places=4)
        self.assertAlmostEqual(found["x"][1], -2, places=4)
        told = self.run_json(*self.run, *self.deck, "--read", REGEX)
        self.assertEqual(found["x"], told["x"])
        self.assertIn("b: 0 -> -2", self.run_lrgd(*run).stdout)
        # in the order in which they first appear, each once
        self.write("deck.in", "b = {{b}}\na = {{a:12}}\n# {{b}}\n")
        found = self.run_json(*run)
        self.assertAlmostEqual(found["x"][0], -2, places=4)
        # names of a file, and a number of inputs from there
        found = self.run_json(*run, "--names", "names")
        self.assertAlmostEqual(found["x"][0], 1, places=4)
        # x1, x2, ... are the inputs of these numbers
        self.write("deck.in", "b = {{x2}}\na = {{x1}}\n")
        found = self.run_json(*run)
        self.assertAlmostEqual(found["x"][1], -2, places=4)

    def test_numbers_in_a_deck_read_back_as_the_same_double(self):
        self.write("start", "0.1\n0.30000000000000004\n")
        self.write("deck.in", "a = {{a}}\nb = {{b}}\nw=[{{a:8}}]\n")
        self.run_json(*self.run, *self.deck, "--read", REGEX, "--start",
                      "start", "--keep", "all", "--max-evals", 1, code=3)
        deck = self.read("lrgd-kept/evaluation-1/deck.inp")
        self.assertEqual(deck.split()[2::3][:2], ["0.1", "0.30000000000000004"])
        self.assertIn("w=[     0.1]", deck)

    def test_files_are_copied_and_linked(self):
        os.mkdir(self.path("mesh"))
        self.write("mesh/nodes", "n")
        self.write("one.dat", "1")
        self.write("two.dat", "2")
        self.write("sim.sh", SIM + "cat one.dat two.dat mesh/nodes big.bin "
                   ">all\ntest -L big.bin && echo changed >one.dat\n")
        self.write("big.bin", "b")
        self.run_json(*self.run, *self.deck, "--read", REGEX, "--copy",
                      "*.dat,mesh", "--link", "big.bin", "--keep", "best",
                      "--max-evals", 5, code=3)
        self.assertEqual(self.read("lrgd-kept/best/all"), "12nb")
        self.assertEqual(self.read("one.dat"), "1")

    def test_the_best_folder_is_the_one_with_the_lowest_f(self):
        found = self.run_json(*self.run, *self.deck, "--read", REGEX,
                              "--keep", "best", "--journal", "run.db")
        kept = float(self.read("run.kept/best/results.dat").split()[5])
        # a certified point may lie a rounding above it
        self.assertLessEqual(kept, found["f"])
        self.assertAlmostEqual(kept, found["f"], places=12)
        self.assertEqual(os.listdir(self.path("run.kept")), ["best"])

    def test_failed_folders_are_kept(self):
        self.write("sim.sh", SIM + 'test "$LRGD_EVALUATION" != 3\n')
        self.run_json(*self.run, *self.deck, "--read", REGEX, "--keep",
                      "failed", "--max-evals", 6, code=3)
        self.assertEqual(os.listdir(self.path("lrgd-kept")), ["evaluation-3"])

    def test_a_run_with_decks_is_resumed_from_its_journal(self):
        run = [*self.deck, "--read", REGEX, "--journal", "run.db"]
        whole = self.run_json(*self.run, *run[:-1], "whole.db")
        self.run_json(*self.run, *run, "--max-evals", 9, code=3)
        again = self.run_json("resume", "run.db", "--program", "./sim.sh",
                              *run[:-2], "--max-evals", 1000)
        self.assertEqual(again["x"], whole["x"])
        self.assertEqual(again["evaluations"], whole["evaluations"])

    def test_tied_inputs_have_one_value_at_several_places(self):
        self.write("ties", "b\n1\n# the middle\nb\n")
        self.write("w.sh", "read b a c\ntest $b = $c || exit 3\n"
                   "echo $a $b | awk '{print ($1-1)^2 + ($2+2)^2}'\n")
        found = self.run_json("minimize", "--program", "sh w.sh", "--dim", 2,
                              "--names", "names", "--tie", "ties")
        self.assertEqual(found["counts"]["failures"], 0)
        self.assertAlmostEqual(found["x"][0], 1, places=3)

    def test_an_answer_that_cannot_be_read_fails_with_a_message(self):
        for read, why in (
                ("f=results.dat:/MIN STRESS ([^ ]+)/",
                 'f: no line of "results.dat" matches'),
                ("f=other.dat:/x(.)/", 'f: the program left no "other.dat"'),
                ("f=results.dat:column 9",
                 'f: "results.dat" has no column 9 in row 4'),
                ("f=results.dat:/MAX (STRESS)/",
                 "f: 'STRESS' in \"results.dat\" is not a number")):
            run = self.run_lrgd(*self.run, *self.deck, "--read", read, code=4)
            self.assertIn(why, run.stderr)

    def test_wrong_flags_of_decks_are_refused(self):
        self.write("bad.in", "a {{a}}\nc {{c}}\n")
        self.write("half.in", "a {{a}}\n")
        self.write("open.in", "{{a\n}}")
        read = ["--read", REGEX]
        for flags, says in (
                (["--template", "deck.in"], "write IN:OUT"),
                (["--template", "deck.in:../x"], "write IN:OUT"),
                (["--template", "none.in:x"], "none.in"),
                (["--template", "bad.in:x"],
                 "bad.in:2: {{c}} names no input"),
                (["--template", "half.in:x"], "no template has {{b}}, input 2"),
                (["--template", "open.in:x"], "open.in:1: {{ is not closed"),
                (["--read", "f"], "write NAME=FILE:/REGEX/"),
                (["--read", "f=r:/x/"], "has no group"),
                (["--read", "f=r:/(x/"], "--read f: /(x/"),
                (["--read", "f=r:column 0"], "write NAME=FILE"),
                ([*read, *read], "f is read twice"),
                ([*read, "--read", "g=r:column 1"], "given 2 times"),
                (["--copy", "nothing"], 'there is no file "nothing"'),
                (["--keep", "some"], "none of best, failed, all"),
                (["--tie", "deck.in"], "neither the name nor the number"),
                ([*read, "--oracle", "slope"], "is asked for values")):
            self.refused(*self.run, *flags, says=says)
        self.refused("minimize", "--worker", "cat", "--dim", 2, *read,
                     says="--read goes with --program")


if __name__ == "__main__":
    main()
