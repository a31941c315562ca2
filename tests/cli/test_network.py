"""Networks from the command: the paper's experiment, training with slopes.

On the tiny set, which the command draws itself."""
import json
import math
import os
import xml.etree.ElementTree

from harness import Case, main

SMALL = ("--data", "tiny", "--epochs", "6", "--set", "hidden=16", "--set",
         "n=30")


class Mnist(Case):
    def test_accuracy_and_spectrum_come_as_data(self):
        got = self.run_json("reproduce", "mnist", *SMALL)
        self.assertGreater(got["accuracy"], 0.6)
        self.assertEqual(got["dimension"], 144 * 16 + 16 + 16 * 10 + 10)
        spectrum = got["spectrum"]
        self.assertEqual(len(spectrum), 30)
        self.assertEqual(spectrum, sorted(spectrum, reverse=True))
        self.assertAlmostEqual(sum(spectrum), 1, 9)
        self.assertAlmostEqual(got["top10_energy"], sum(spectrum[:10]), 12)
        self.assertAlmostEqual(got["top20_energy"], sum(spectrum[:20]), 12)
        self.assertGreater(got["seconds"], 0)

    def test_figure_2_is_drawn_twice(self):
        os.mkdir(self.path("here"))
        run = self.run_lrgd("reproduce", "mnist", *SMALL, "--out", "here")
        self.assertIn("ten largest", run.stdout)
        self.assertEqual(sorted(os.listdir(self.path("here"))),
                         ["figure-2.png", "figure-2.svg"])
        xml.etree.ElementTree.parse(self.path("here/figure-2.svg"))

    def test_the_closing_remark_is_a_table(self):
        got = self.run_json("reproduce", "mnist", *SMALL, "--variations",
                            "--plot", "a.svg")
        names = [row["name"] for row in got["variations"]]
        self.assertEqual(names, ["tau=0.1", "tau=0.3", "n=200", "batch=1000",
                                 "hidden=392", "activation=tanh",
                                 "optimiser=sgd"])
        self.assertEqual(len(got["variations"][2]["spectrum"]), 200)
        self.assertEqual(got["variations"][0]["accuracy"], got["accuracy"])
        # nearer points have gradients more alike
        self.assertGreater(got["variations"][0]["top10_energy"],
                           got["variations"][1]["top10_energy"])

    def test_what_is_wrong_is_said_precisely(self):
        self.refused("reproduce", "mnist", "--data", "nowhere",
                     says="nowhere holds neither train-images-idx3-ubyte")
        self.refused("reproduce", "mnist", "--data", "tiny", "--set", "tau=x",
                     says="tau")
        self.refused("reproduce", "mnist", "--data", "tiny", "--set",
                     "depth=2", says="mnist has no parameter 'depth'")
        self.refused("reproduce", "mnist", "--data", "tiny", "--epochs",
                     "many", says="--epochs")
        self.refused("reproduce", "mnist", "--data", "tiny", "--set",
                     "hidden=1.5", says="1.5 is no number of units")
        self.refused("reproduce", "half", "--epochs", "3", says="for mnist")
        os.mkdir(self.path("set"))
        for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"):
            with open(self.path("set/" + name), "wb") as file:
                file.write(b"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02123")
        self.refused("reproduce", "mnist", "--data", "set",
                     says="cut off: 2 images take 8 bytes, there are 3")


if __name__ == "__main__":
    main()
