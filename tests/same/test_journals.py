"""A journal begun in one place is gone on with in any other.

LRGD is the command; LRGD_NARROW the one with narrow loops and LRGD_OTHER that
of another compiler, where there are such.
"""
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "..", "cli"))

from compare import NO_FMA, kernels  # noqa: E402
from runs import SCATTERED  # noqa: E402
from harness import Case, LRGD, PYTHON, main  # noqa: E402

# a journal waits for the disk at every answer, and the disk is not under test
if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"

PLACES = {
    "as it is": (LRGD, {}),
    "Prescott": (LRGD, {**kernels("Prescott"), **NO_FMA}),
    "SkylakeX": (LRGD, kernels("SkylakeX", 4)),
}
SANITIZED = bool(os.environ.get("RUN_SANITIZED"))
if SANITIZED:  # bits are compared by the other builds
    del PLACES["SkylakeX"]
for place in () if SANITIZED else ("NARROW", "OTHER"):
    if os.environ.get(f"LRGD_{place}"):
        PLACES[place.lower()] = (
            os.path.abspath(os.environ[f"LRGD_{place}"]), {})

# what is minimised, and after how many evaluations a first session ends
RUNS = {
    "values": (["value"], ["--dim", 100, "--start", 0.1], 150),
    "noise": (["value", "count", 1e-5], ["--dim", 30, "--max-evals", 400],
              120),
    "a box": (["value"], ["--dim", 30, "--lower", -0.3, "--upper", 0.4,
                          "--max-evals", 300], 100),
    "a scattered start": (
        ["value"], ["--dim", 24, "--start", SCATTERED, "--lower", -2,
                    "--upper", 3, "--max-evals", 200], 70),
    "few inputs": (["value"], ["--dim", 6, "--start", 0.1,
                               "--max-evals", 150], 60),
    "slopes": (["slope"], ["--dim", 40, "--oracle", "slope", "--method",
                           "adaptive", "--max-evals", 300], 60),
    "residuals": (["residuals"], ["--residuals", "--dim", 30, "--lower", -0.3,
                                  "--upper", 0.4], 60),
    "limits": (["outputs"], ["--answers", "f,far,first", "--constraint",
                             "far <= 1", "--objective", "first", "--maximize",
                             "--dim", 10, "--start", 0.1], 60),
    "rounds": (["value"], ["--dim", 30, "--start", 0.1, "--width", 16,
                           "--jobs", 2, "--max-evals", 320], 160),
}
ENDS = ("outcome", "f", "x", "evaluations", "counts", "oracle_calls",
        "iterations", "phases", "certificate", "noise")


class Journals(Case):
    def command(self, run, verb="minimize"):
        """Its words; the worker counts what it is asked in `count`."""
        worker, options, _ = RUNS[run]
        worker = worker if len(worker) > 1 else worker + ["count"]
        what = " ".join(map(str, [PYTHON, os.path.join(HERE, "valley.py"),
                                  *worker]))
        if verb == "resume":
            return ["resume", "run.db", "--worker", what]
        return ["minimize", "--worker", what, "--journal", "run.db", *options]

    def start(self, place, folder, words):
        lrgd, env = PLACES[place]
        return subprocess.Popen(
            [lrgd, *map(str, words), "--json", "--quiet"], cwd=folder,
            text=True, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def sit(self, place, folder, words):
        process = self.start(place, folder, words)
        out, err = process.communicate(timeout=600)
        self.assertIn(process.returncode, (0, 3), f"{words}\n{out}\n{err}")
        return json.loads(out)

    def empty(self, name):
        folder = self.path(name)
        os.mkdir(folder)
        return folder

    def asked(self, folder):
        try:
            return os.path.getsize(os.path.join(folder, "count"))
        except FileNotFoundError:
            return 0

    def check_end(self, wanted, found):
        for key in ENDS:
            self.assertEqual(wanted[key], found[key], key)

    def whole(self, run):
        folder = self.empty("whole " + run)
        result = self.sit("as it is", folder, self.command(run))
        self.assertEqual(self.asked(folder), result["evaluations"])
        self.assertGreater(result["evaluations"], 1.5 * RUNS[run][2])
        return result

    def try_pairs(self, run):
        """Every place to every other: all is replayed, nothing paid twice."""
        wanted, (_, options, part) = self.whole(run), RUNS[run]
        # an earlier word is overruled by a later one
        limit = [] if "--max-evals" in options else ["--max-evals", 1000000]
        for begun in PLACES:
            first = self.empty("begun " + begun)
            self.sit(begun, first,
                     [*self.command(run), "--max-evals", part])
            paid = self.asked(first)
            for ended in PLACES:
                with self.subTest(begun=begun, ended=ended):
                    folder = self.path(f"{begun}, {ended}")
                    shutil.copytree(first, folder)
                    result = self.sit(ended, folder,
                                      [*self.command(run), *limit])
                    self.check_end(wanted, result)
                    self.assertEqual(result["journal"]["replayed"], paid)
                    self.assertEqual(self.asked(folder),
                                     wanted["evaluations"])

    def test_journals_of_values_are_equal_everywhere(self):
        self.try_pairs("values")

    def test_journals_under_noise_are_equal_everywhere(self):
        self.try_pairs("noise")

    def test_journals_in_a_box_are_equal_everywhere(self):
        self.try_pairs("a box")

    def test_journals_of_a_scattered_start_are_equal_everywhere(self):
        self.try_pairs("a scattered start")

    def test_journals_of_few_inputs_are_equal_everywhere(self):
        self.try_pairs("few inputs")

    def test_journals_of_slopes_are_equal_everywhere(self):
        self.try_pairs("slopes")

    def test_journals_of_residuals_are_equal_everywhere(self):
        self.try_pairs("residuals")

    def test_journals_under_limits_are_equal_everywhere(self):
        self.try_pairs("limits")

    def test_journals_of_rounds_are_equal_everywhere(self):
        self.try_pairs("rounds")

    def kill_at(self, place, folder, words, count):
        """Or after the end, if that comes first."""
        process = self.start(place, folder, words)
        end = time.monotonic() + 100
        while self.asked(folder) < count and process.poll() is None \
                and time.monotonic() < end:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def test_a_run_killed_and_resumed_elsewhere_ends_equally(self):
        wanted = self.whole("values")
        total = wanted["evaluations"]
        for turn, order in enumerate(itertools.islice(
                itertools.permutations(PLACES), 0, 28, 7)):
            folder = self.empty(f"killed {turn}")
            for k, place in enumerate(order):
                words = self.command("values", "resume" if k else "minimize")
                if k < len(order) - 1:
                    self.kill_at(place, folder, words,
                                 total * (k + 1) // (len(order) + 1))
            result = self.sit(order[-1], folder, words)
            self.check_end(wanted, result)
            # what was in flight at a kill was not acknowledged
            self.assertLessEqual(self.asked(folder), total + len(order) - 1)


if __name__ == "__main__":
    main()
