"""Networks from the command: the paper's experiment, training with slopes.

On the tiny set, which the command draws itself."""
import json
import math
import os
import re
import shlex
import signal
import subprocess
import time
import xml.etree.ElementTree

from harness import Case, LRGD, main, without_sanitizers

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

    @without_sanitizers
    def test_the_variations_of_the_papers_closing_remark_are_a_table(self):
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

    def test_the_hessian_is_looked_at_on_the_way(self):
        run = self.run_lrgd("reproduce", "mnist", *SMALL, "--hessian",
                            "--json", "--quiet")
        seen = json.loads(run.stdout)["hessian"]
        sizes = [abs(value) for value in seen["eigenvalues"]]
        self.assertEqual(len(sizes), 20)
        self.assertEqual(sizes, sorted(sizes, reverse=True))
        self.assertEqual(seen["steps"], sorted(seen["steps"]))
        self.assertEqual(seen["steps"][-1], 120)
        self.assertTrue(all(0 < share <= 1
                            for share in seen["gradient_share"]))
        xml.etree.ElementTree.parse(self.path("hessian.svg"))

    @without_sanitizers
    def test_all_says_what_it_leaves_out_without_the_data(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..",
                            "..")
        if os.path.isdir(os.path.join(root, "build", "mnist")):
            self.skipTest("the data are there, and all would take minutes")
        self.assertIn("left out, as there is no MNIST here",
                      self.run_lrgd("reproduce", "all").stdout)
        self.assertIsNone(self.run_json("reproduce", "all")["mnist"])
        self.refused("reproduce", "all", "--epochs", 2,
                     says="there is no MNIST here")
        self.refused("reproduce", "half", "mnist",
                     says="there is no MNIST here")

    def test_without_a_blas_networks_say_what_to_install(self):
        # files that are no libraries end the loader's search for their names
        os.mkdir(self.path("none"))
        for name in ("openblas.so.0", "openblasp.so.0", "blas.so.3",
                     "flexiblas.so.3", "cblas.so.3", "blis.so.4"):
            open(self.path("none/lib" + name), "w").close()
        env = {"LD_LIBRARY_PATH": self.path("none")}
        for words in (("reproduce", "mnist"), ("minimize", "mlp")):
            run = self.run_lrgd(*words, "--data", "tiny", code=2, env=env)
            self.assertEqual(run.stderr, "lrgd: networks need a BLAS: install "
                             "libopenblas0-pthread (libopenblas.so.0 was not "
                             "found)\n")
        self.run_lrgd("minimize", "quadratic", "--set", "p=50", env=env)

    def test_two_figures_do_not_share_a_file(self):
        self.run_lrgd("reproduce", "figure-1", "mnist", *SMALL, "--plot",
                      "a.svg")
        self.run_lrgd("reproduce", "figure-1", "--plot", "b.svg")
        self.assertTrue(self.read("a.svg") == self.read("b.svg"))
        self.assertTrue(os.path.exists(self.path("figure-2.svg")))

    def test_wrong_settings_of_a_network_are_refused_precisely(self):
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


class Slopes(Case):
    """lrgd minimize mlp"""
    TINY = ("minimize", "mlp", "--data", "tiny", "--set", "hidden=12",
            "--rank", "20")

    def test_a_network_is_trained_without_a_backward_pass(self):
        got = self.run_json(*self.TINY, "--max-evals", 4000, code=3)
        self.assertEqual(got["outcome"], "budget")
        self.assertGreater(got["accuracy"], 0.75)
        self.assertEqual(got["counts"]["gradients"], 0)
        self.assertLessEqual(got["evaluations"], 4000)
        self.assertEqual(got["evaluations"],
                         got["counts"]["slopes"] + got["iterations"])
        self.assertEqual(got["oracle_calls"], got["counts"]["slopes"])
        self.assertEqual(len(got["x"]), 144 * 12 + 12 + 12 * 10 + 10)
        self.assertIsNone(got["certificate"])

    @without_sanitizers
    def test_an_accuracy_is_a_target(self):
        run = self.run_lrgd(*self.TINY, "--set", "accuracy=0.5",
                            "--max-evals", 100000, "--plot", "way.svg",
                            "--save", "x.txt")
        self.assertIn("0 gradients", run.stdout)
        xml.etree.ElementTree.parse(self.path("way.svg"))
        x = [float(line) for line in self.read("x.txt").split()]
        self.assertEqual(len(x), 1870)
        self.assertTrue(all(map(math.isfinite, x)))

    def test_a_network_saved_is_where_the_next_run_begins(self):
        first = self.run_json(*self.TINY, "--max-evals", 2000, "--save",
                              "x.txt", code=3)
        again = self.run_json(*self.TINY, "--max-evals", 0, "--start",
                              "x.txt", code=3)
        self.assertEqual(again["x"], first["x"])
        self.assertEqual(again["f"], first["f"])
        on = self.run_json(*self.TINY, "--max-evals", 3000, "--start", "x.txt",
                           "--set", "done=2000", code=3)
        self.assertLess(on["f"], first["f"])
        self.assertGreater(on["evaluations"], 900)
        self.assertLessEqual(on["evaluations"], 1000)
        self.assertEqual(on["done"], 2000 + on["evaluations"])

    def test_passes_done_before_count_against_the_budget(self):
        more = ("--set", "done=2000", "--max-evals")
        run = self.run_lrgd(*self.TINY, *more, 2021, code=3)
        self.assertIn("after 2,021 forward passes of 200 images, 21 of them "
                      "in this run", run.stdout)
        for most in 2000, 7:
            got = self.run_json(*self.TINY, *more, most, code=3)
            self.assertEqual((got["evaluations"], got["done"]), (0, 2000))

    def stop_once_it_shows(self, *more):
        """What a run with a budget far away says when stopped at its first
        line of progress."""
        run = subprocess.Popen([LRGD, *self.TINY, "--max-evals", "900000000",
                                *more], cwd=self.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = run.stderr.readline()
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=600)
        self.assertEqual(run.returncode, 130, err)
        self.assertRegex(first, "training: 0 %.*test accuracy")
        self.assertRegex(out, "^Stopped: test accuracy .* forward passes")
        return out, err

    def test_a_stopped_training_prints_how_to_continue(self):
        out, err = self.stop_once_it_shows(
            "--save", "it's x.txt", "--set", "done=5000", "--set", "rate=0.5")
        done = int(re.search("after ([0-9,]+) ", out)[1].replace(",", ""))
        self.assertGreater(done, 5000)
        line = re.search("^lrgd: to go on: (.*)$", err, re.M)[1]
        words = shlex.split(line)
        self.assertEqual(words, [
            "lrgd", *self.TINY, "--max-evals", "900000000", "--save",
            "it's x.txt", "--set", "rate=0.5", "--start", "it's x.txt",
            "--set", f"done={done}"])
        words[words.index("900000000")] = done + 100
        got = self.run_json(*words[1:], code=3)
        self.assertGreater(got["done"], done)
        self.assertLessEqual(got["done"], done + 100)

    def test_a_stopped_training_that_saved_nothing_says_so(self):
        self.assertIn("with --save FILE", self.stop_once_it_shows()[1])

    def test_training_ends_after_so_many_iterations(self):
        got = self.run_json(*self.TINY, "--max-iterations", 3, code=3)
        self.assertEqual(got["iterations"], 3)

    def test_a_killed_training_has_saved_the_network_of_its_last_check(self):
        run = subprocess.Popen([LRGD, *self.TINY, "--save", "x.txt",
                                "--quiet"], cwd=self.folder,
                               stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while (not os.path.exists(self.path("x.txt"))
               and time.monotonic() < deadline):
            time.sleep(0.02)
        run.kill()
        run.wait()
        x = [float(line) for line in self.read("x.txt").split()]
        self.assertEqual(len(x), 1870)

    def test_other_directions_and_step_rules_can_be_chosen(self):
        for more in (["--set", "way=forward-gradient"],
                     ["--set", "way=two-point", "--alpha", "0.002"],
                     ["--step", "adam", "--set", "probes=4", "--set",
                      "from=gradients"],
                     ["--step", "fixed", "--alpha", "0.1", "--set",
                      "probes=4", "--set", "svrg=1"]):
            got = self.run_json(*self.TINY, *more, "--max-evals", 600, code=3)
            self.assertLess(got["f"], math.log(10) + 0.5, more)

    def test_flags_that_training_does_not_support_are_refused(self):
        self.refused(*self.TINY, "--method", "gd", says="mlp has no --method")
        self.refused(*self.TINY, "--journal", "a.db", says="--save FILE keeps")
        self.refused(*self.TINY, "--target", 0.1, says="--set accuracy=A")
        self.refused(*self.TINY, "--tol", 0.1, says="mlp has no --tol")
        self.refused(*self.TINY, "--jobs", 2, says="mlp has no --jobs")
        self.refused(*self.TINY, "--max-failures", 2,
                     says="mlp has no --max-failures")
        self.refused(*self.TINY, "--start", self.write("x.txt", "1\n2\n"),
                     says="x.txt")
        self.refused(*self.TINY, "--set", "svrg=1", says="give probes")
        self.refused(*self.TINY, "--set", "way=back", says="way")
        self.refused(*self.TINY, "--set", "device=gpu", says="device")
        card = (*self.TINY, "--set", "device=cuda")
        self.refused(*card, "--step", "adam", says="on a card")
        self.refused(*card, "--set", "way=two-point", says="on a card")
        self.refused(*card, "--set", "from=gradients", says="on a card")

    def test_a_missing_card_is_reported(self):
        if os.path.exists("/dev/nvidia0"):
            self.skipTest("there is a card")
        run = self.run_lrgd(*self.TINY, "--set", "device=cuda", code=2)
        self.assertRegex(run.stderr, "device=cuda needs liblrgd_cuda|"
                         "no CUDA device can be used")
        self.assertIn("principal directions",
                      self.run_lrgd("problems", "mlp").stdout)


if __name__ == "__main__":
    main()
