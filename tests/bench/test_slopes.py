"""lrgd-slopes: what it runs, and that its figure says where it loses."""
import os
import random
import struct
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
from harness import Case, main  # noqa: E402

SLOPES = os.path.abspath(os.environ.get("LRGD_SLOPES", "build/lrgd-slopes"))
WAYS = ("low-rank", "forward-gradient", "two-point")
BUDGETS = (60, 100, 150)


def run(*arguments):
    return subprocess.run([SLOPES, *map(str, arguments)], text=True,
                          timeout=600, stdin=subprocess.DEVNULL,
                          capture_output=True)


class Slopes(Case):
    def drawn(self, accuracy):
        """What is printed for accuracies by (way, rate, seed, budget)."""
        with open(self.path("a.csv"), "w", encoding="ascii") as file:
            for way in WAYS:
                for rate in (0.001, 0.003):
                    for seed in (1, 2, 3):
                        for budget in BUDGETS:
                            a = accuracy(way, rate, seed, budget)
                            file.write(f"{way},{rate},{seed},{budget},{a:.4f},"
                                       "1.0\n")
        made = run("draw", self.path("a.csv"), self.path("a.svg"))
        self.assertEqual(made.returncode, 0, made.stderr)
        xml.etree.ElementTree.parse(self.path("a.svg"))
        return made.stdout

    def test_the_best_rate_of_each_seed_counts_and_then_the_median(self):
        said = self.drawn(lambda way, rate, seed, budget:
                          0.5 if way == "low-rank"
                          else 0.1 * seed + (0.01 if rate == 0.003 else 0))
        self.assertIn("| 60 | 50.0 (50.0-50.0) | 21.0 (11.0-31.0) "
                      "0.003 0.003 0.003 |", said)
        self.assertIn("ahead at 3 of 3 budgets, with its worst seed ahead of "
                      "the others' best at 3.", said)

    def test_the_figure_names_budgets_at_which_low_rank_loses(self):
        said = self.drawn(lambda way, rate, seed, budget:
                          0.6 if way == "two-point" and budget == 100
                          else 0.5 if way == "low-rank" else 0.4)
        self.assertIn("ahead at 2 of 3 budgets, not at 100, with", said)

    def test_every_way_and_rate_is_run(self):
        dice = random.Random(1)
        for stem, count in (("train", 300), ("t10k", 50)):
            with open(self.path(stem + "-images-idx3-ubyte"), "wb") as file:
                file.write(struct.pack(">IIII", 0x803, count, 28, 28))
                file.write(dice.randbytes(784 * count))
            with open(self.path(stem + "-labels-idx1-ubyte"), "wb") as file:
                file.write(struct.pack(">II", 0x801, count))
                file.write(bytes(i % 10 for i in range(count)))
        made = run("run", self.folder, 100, 2)
        self.assertEqual(made.returncode, 0, made.stderr)
        rows = [line.split(",") for line in made.stdout.splitlines()]
        rates = {way: {row[1] for row in rows if row[0] == way}
                 for way in WAYS}
        self.assertEqual(rates["low-rank"], {"1"})
        grid = {"0.0003", "0.001", "0.003", "0.01", "0.03"}
        self.assertEqual(rates["forward-gradient"], grid)
        self.assertEqual(rates["two-point"], grid)
        self.assertEqual({(row[2], row[3]) for row in rows},
                         {("2", "60"), ("2", "100")})
        one = run("run", self.folder, 100, 2, "two-point", "1e-3")
        self.assertEqual(one.returncode, 0, one.stderr)
        self.assertEqual(len(one.stdout.splitlines()), 2, one.stdout)
        self.assertTrue(set(one.stdout.splitlines())
                        <= set(made.stdout.splitlines()))


if __name__ == "__main__":
    main()
