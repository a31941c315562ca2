"""The examples run, and the pages show them as they are."""
import os
import re
import subprocess
import sys

from common import HERE, Case, main

TOP = os.path.join(HERE, "..", "..")
EXAMPLES = os.path.join(TOP, "examples", "python")


def text(*names):
    with open(os.path.join(TOP, *names), encoding="utf-8") as file:
        return file.read()


class Examples(Case):
    def said(self, name, *arguments):
        run = subprocess.run(
            [sys.executable, os.path.join(EXAMPLES, name), *arguments],
            cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=600)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_the_first_program_finds_the_minimum(self):
        said = self.said("first.py")
        self.assertLess(float(re.search(r"f = (\S+),", said)[1]), 1e-8)
        self.assertLess(int(re.search(r"(\d+) evaluations", said)[1]), 1000)

    def test_the_program_of_the_first_page_converges(self):
        said = self.said(os.path.join("..", "doors", "three.py"))
        self.assertIn("confidence 0.95", said)
        self.assertLess(int(re.search(r"after (\d+) values", said)[1]), 1000)

    def test_bars_are_made_as_light_as_their_stress_allows(self):
        said = self.said("limits.py")
        self.assertTrue(said.startswith("5.888"), said)
        self.assertIn("1 more allowed of c1[1] saves 1.47", said)

    def test_a_comparison_names_auto_first(self):
        lines = self.said("compare.py").split("\n")
        self.assertEqual(lines[1].split()[0], "auto")

    def test_the_complex_step_is_exact_and_saves_evaluations(self):
        said = self.said("complex_step.py")
        error, rough = (float(n) for n in re.search(
            r"slope: (\S+) by the complex step, (\S+) by", said).groups())
        self.assertLess(error, 1e-6 * rough)
        exact, plain = (int(n) for n in re.findall(r"(\d+) evaluations", said))
        self.assertLess(exact, plain)
        self.assertEqual(said.count("converged"), 2)

    def test_forward_mode_fits_the_rod(self):
        said = self.said("torch_forward.py")
        self.assertIn("converged", said)
        self.assertLess(float(re.search(r"misfit (\S+)", said)[1]), 1e-4)
        self.assertRegex(said, r"converged: error \S+ after \d+ slopes of "
                         r"[0-9,]+ parameters on (cpu|cuda:0)")

    def test_the_calibration_fits_and_draws(self):
        said = self.said("calibrate.py", self.folder)
        self.assertLess(float(re.search(r"error of the fit (\S+)", said)[1]),
                        1e-3)
        self.assertGreater(os.path.getsize(self.path("calibrate.png")), 10000)

    def test_the_rod_is_fitted_from_its_residuals(self):
        said = self.said("fit_rod.py")
        self.assertRegex(said, r"(?m)^target: cost 3788 -> [23]\d")
        few, more = (int(n) for n in re.findall(r"(\d+) simulations", said))
        self.assertLess(few, 90)  # one gradient by differences takes 60
        self.assertLess(more, 200)
        inside = int(re.search(r"(\d+) of 60 true inputs", said)[1])
        self.assertGreater(inside, 53)

    def test_the_tour_goes_through_every_door(self):
        said = self.said("tour.py", self.folder)
        self.assertRegex(said, r"curve \[2\. +1\.5\]")
        # one Jacobian by differences takes 100
        self.assertLess(int(re.search(r"fit (\d+) ", said)[1]), 100)
        self.assertIn("exactly of rank 3 of 100", said)
        self.assertRegex(said, r"(?m)^converged \S+$")  # as the run tells it

    def test_no_example_is_left_out(self):
        with open(__file__, encoding="utf-8") as file:
            tried = re.findall(r'said\("(\w+\.py)"', file.read())
        there = [name for name in os.listdir(EXAMPLES)
                 if name.endswith(".py")]
        self.assertEqual(sorted(tried), sorted(there))

    def test_the_readme_shows_the_first_program_word_for_word(self):
        self.assertIn(f"```python\n{text('examples', 'python', 'first.py')}",
                      text("README.md"))

    def test_the_tutorial_shows_its_program_word_for_word(self):
        tutorial = text("docs", "tutorial-ode.md")
        shown = re.findall(r"```python\n(.*?)```", tutorial, re.DOTALL)
        self.assertEqual(len(shown), 5)
        for block in shown:
            self.assertIn(block, text("examples", "python", "calibrate.py"))


if __name__ == "__main__":
    main()
