"""The example of examples/mpi: its path on 1, 2 and 4 ranks.

RIDGE names the program, MPIRUN what starts ranks.
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
from harness import main  # noqa: E402

RIDGE = os.environ["RIDGE"]
MPIRUN = os.environ.get("MPIRUN", "mpirun")
P = 3001


def path(ranks, *flags):
    """[(iteration, evaluations, value as text)], and the last lines."""
    run = subprocess.run(
        [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(ranks),
         RIDGE, *flags], text=True, capture_output=True, timeout=600)
    if run.returncode != 0:
        raise AssertionError(run.stdout + run.stderr)
    lines = run.stdout.splitlines()
    return [tuple(line.split()) for line in lines[:-2]], lines[-2:]


def sent(last):
    return [int(n) for n in re.findall(r"(\d+) (?:reductions|bytes)", last)]


class Paths(unittest.TestCase):
    """Sums in order, and in any order."""

    def test_sums_in_order_give_the_same_path_to_the_bit(self):
        for how in ([], ["--gradient"]):
            alone, end = path(1, f"--p={P}", "--blocks=64", *how)
            self.assertGreater(len(alone), 3)
            self.assertIn("converged", end[0])
            for ranks in (2, 4):
                with self.subTest(how=how, ranks=ranks):
                    found, last = path(ranks, f"--p={P}", "--blocks=64", *how)
                    self.assertEqual(found, alone)
                    self.assertEqual(last[0], end[0])

    def test_with_other_sums_counts_are_the_same_and_values_nearly(self):
        alone, end = path(1, f"--p={P}", "--gradient")
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                found, last = path(ranks, f"--p={P}", "--gradient")
                self.assertEqual([row[:2] for row in found],
                                 [row[:2] for row in alone])
                first = float(alone[0][2])
                for one, other in zip(found, alone):
                    self.assertLess(abs(float(one[2]) - float(other[2])),
                                    1e-10 * first)

    def test_the_size_of_messages_does_not_depend_on_p(self):
        small = sent(path(2, "--p=1000", "--gradient")[1][1])
        large = sent(path(2, "--p=64000", "--gradient")[1][1])
        asked = [path(2, f"--p={p}", "--gradient")[1][0] for p in
                 (1000, 64000)]
        n = [int(re.search(r"(\d+) evaluations", text)[1]) for text in asked]
        for a, b in zip(small, large):
            self.assertLess(abs(a / n[0] - b / n[1]), 0.5 * a / n[0])


if __name__ == "__main__":
    main()
