"""What is written in place of files, and what is said of a program that
fails or of a flag that does nothing."""
from harness import PYTHON, Case, main

SHIFTED = """
import sys
for line in sys.stdin:
    print(sum((float(word) - i) ** 2 for i, word in enumerate(line.split(), 1)),
          flush=True)
"""
FAILING = """
import sys
print("no licence", file=sys.stderr)
sys.exit(3)
"""


class Lists(Case):
    """--start 1,2,3 in place of a file."""

    def shifted(self, *more):
        script = self.write("shifted.py", SHIFTED)
        return ("minimize", "--worker", f"{PYTHON} {script}", *more)

    def test_numbers_with_commas_need_no_file(self):
        result = self.run_json(*self.shifted("--start", "4, 5,6", "--max-evals",
                                             1), code=3)
        self.assertEqual(result["x"], [4, 5, 6])
        result = self.run_json(*self.shifted("--start", "4,5,6", "--lower",
                                             "2,-inf,3.5"))
        for x, best in zip(result["x"], (2, 2, 3.5)):
            self.assertAlmostEqual(x, best, places=4)

    def test_log_takes_inputs_and_names_without_a_file(self):
        names = ("--names", "a,b,c", "--start", "4,5,6")
        for log in ("1,3", "a,c", "b", "2"):
            result = self.run_json(*self.shifted(*names, "--log", log))
            self.assertAlmostEqual(result["x"][1], 2, places=3)

    def test_what_is_wrong_in_them_is_said(self):
        for more, says in (
                (("--start", "1,x,3"), '--start:2: "x" is not'),
                (("--start", "1,nan"), '--start:2: "nan" is not'),
                (("--dim", 3, "--start", "1,2"), "the list ends after 2"),
                (("--dim", 1, "--start", "1,2"), "one number too many"),
                (("--start", "4,5", "--log", "1,7"), '--log:2: "7" is neither'),
                (("--start", "4,5", "--log", "k"), "an input's number or name"),
                (("--start", "4,5", "--names", "a"), "names with commas")):
            self.refused(*self.shifted(*more), says=says)

    def test_a_file_named_like_numbers_is_read_in_place_of_them(self):
        self.write("1,2", "7\n8\n")
        result = self.run_json(*self.shifted("--start", "1,2", "--max-evals",
                                             1), code=3)
        self.assertEqual(result["x"], [7, 8])


class Failures(Case):
    def failing(self, command, *more, code):
        script = self.write("failing.py", FAILING)
        run = self.run_lrgd(command, "--worker", f"{PYTHON} {script}", "--dim",
                            2, *more, code=code)
        self.assertIn("last failure: evaluation 1: exit status 3", run.stderr)
        self.assertEqual(run.stderr.count("no licence"), 1)
        return run

    def test_each_command_tells_what_the_program_said(self):
        self.failing("minimize", code=4)
        self.failing("diagnose", code=4)
        self.failing("check", "--oracle", "gradient", code=4)
        run = self.failing("compare", code=4)
        self.assertIn("nothing to compare", run.stderr)
        self.assertEqual(run.stdout, "")

    def test_an_answer_that_is_nan_is_said_not_to_be_finite(self):
        for word in ("nan", "-inf", "NaN"):
            run = self.run_lrgd("minimize", "--program", f"echo {word}",
                                "--dim", 2, code=4)
            self.assertIn(f"not a finite number at byte 1 of the answer: "
                          f"'{word}'", run.stderr)

    def test_check_says_what_it_needs(self):
        self.refused("check", "--worker", "cat", "--dim", 2,
                     says="--oracle gradient or slope")


class Alone(Case):
    def test_async_with_one_evaluation_at_a_time_is_said_to_do_nothing(self):
        said = "--async has no effect"
        script = self.write("shifted.py", SHIFTED)
        run = ("minimize", "--worker", f"{PYTHON} {script}", "--dim", 3,
               "--async")
        self.assertIn(said, self.run_lrgd(*run).stderr)
        self.assertNotIn(said, self.run_lrgd(*run, "--quiet").stderr)
        for more in (("--width", 4), ("--jobs", 2)):
            self.assertNotIn(said, self.run_lrgd(*run, *more).stderr)


if __name__ == "__main__":
    main()
