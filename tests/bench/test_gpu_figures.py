"""The tables of docs/gpu.md, from results made up: a card is not needed."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench" / "gpu"), str(ROOT / "tests" / "cli")]
sys.dont_write_bytecode = True

import figures  # noqa: E402
from harness import Case, main  # noqa: E402


def made_up():
    row = {key: 100.0 for _, key in figures.SLOPES}
    vectors = {f"{key}, {scalar}, share of a copy": 1.0
               for _, key in figures.OPERATIONS
               for scalar in ("double", "float")}
    return {
        "card": "a card", "torch": "2", "jax": None,
        "slopes": {"errors": {"TF32": 5e-4, "FP32": 4e-7},
                   "k = 10, microseconds": {**row, "lrgd TF32": 125.0,
                                            "JAX jit": None},
                   "k = 100, microseconds": {**row, "JAX jit": 250.0}},
        "training": {"epochs": 20,
                     "lrgd, seed 0": {"seconds": 1.25, "accuracy": 0.98}},
        "vectors": {"copy, GB/s": 4100.0, **vectors},
        "minimize": {"processors": 16, "images": "MNIST",
                     "784-32-10, cuda": {"passes a second": 300000.0},
                     "784-32-10, cpu": {"passes a second": 5000.0}}}


class Figures(Case):
    def test_ratios_are_those_of_the_figures(self):
        page = figures.page(made_up())
        self.assertIn("| lrgd over the product alone, TF32 | 1.25 | 1.00 |",
                      page)
        self.assertIn("| JAX over lrgd | – | 2.50 |", page)
        self.assertIn("| 784-32-10 | 300,000 | 5,000 | 60 |", page)
        self.assertIn("| lrgd, seed 0 | 1.25 | 98.00 % |", page)

    def test_what_was_not_measured_is_said(self):
        found = made_up()
        del found["training"]
        self.assertIn("<!-- training -->\n(not measured)",
                      figures.page(found))

    def test_the_page_shows_parts_that_the_figures_have(self):
        shown = re.findall(r"^:(?:start-after|end-before): (<!-- \w+ -->)$",
                           (ROOT / "docs" / "gpu.md").read_text(), re.M)
        written = (ROOT / "bench" / "gpu" / "figures.md").read_text()
        self.assertEqual(len(shown), 10)
        for mark in shown:
            self.assertIn(mark, figures.page(made_up()))
            self.assertIn(mark, written)


if __name__ == "__main__":
    main()
