"""lrgd fit where some of the simulated values are missing."""
import os
import random
import signal
import sqlite3
import struct
import subprocess
import time

import dry
from harness import LRGD, Case, main, worker


class Missing(Case):
    def gauges(self, *more):
        return worker("dry.py", self.path("count"), *more)

    def count(self):
        try:
            return os.path.getsize(self.path("count"))
        except FileNotFoundError:
            return 0

    def flags(self, *more):
        self.write("obs", "".join(
            f"g{g} {dry.value(g, dry.TRUTH)} {int(g < dry.GAUGES - 1)}\n"
            for g in range(dry.GAUGES)))
        return ["fit", "--observations", "obs", "--dim", dry.P, *more]

    def fit(self, *more, **how):
        return self.run_json(*self.flags("--worker", self.gauges(), *more),
                             **how)

    def answers(self):
        with sqlite3.connect(self.path("run.db")) as file:
            rows = file.execute("SELECT answer, why FROM evaluations ORDER BY "
                                "sequence").fetchall()
        return [(struct.unpack(f"<{len(a) // 8}d", a), why) for a, why in rows]

    def test_residuals_of_weight_zero_may_be_missing(self):
        result = self.fit("--max-evals", 1, code=3)
        self.assertEqual(result["counts"]["failures"], 0)
        self.assertGreater(result["f"], 0)

    def test_incomplete_answers_are_failures_whose_numbers_are_kept(self):
        result = self.fit("--max-evals", 80, "--journal",
                          "run.db", code=None)
        rows = self.answers()
        partial = [(a, why) for a, why in rows if why]
        self.assertGreater(len(partial), 0)
        self.assertEqual(result["counts"]["failures"], len(partial))
        for answer, why in partial:
            self.assertRegex(why, "not a (finite )?number at byte")
            self.assertEqual(len(answer), 1 + dry.GAUGES)
            self.assertTrue(dry.math.isnan(answer[0]))  # f
            known = [v for v in answer[1:] if not dry.math.isnan(v)]
            self.assertGreater(len(known), dry.GAUGES / 2)
        self.assertLess(result["f"], 1e-6 * result["f_start"])
        plain = self.fit("--max-evals", 80, code=None)
        self.assertEqual((plain["x"], plain["evaluations"]),
                         (result["x"], result["evaluations"]))

    def test_a_resumed_run_uses_incomplete_answers_as_the_first_did(self):
        whole = self.fit("--max-evals", 40, code=None)
        os.unlink(self.path("count"))
        self.fit("--max-evals", 9, "--journal", "run.db", code=3)
        last = self.run_json("resume", "run.db", "--worker", self.gauges(),
                             "--max-evals", 40, code=None)
        self.assertEqual((last["x"], last["evaluations"]),
                         (whole["x"], whole["evaluations"]))
        self.assertEqual(self.count(), last["evaluations"])
        self.run_lrgd("status", "run.db")
        self.run_lrgd("report", "run.db", "-o", "page.html")

    def test_kills_lose_no_answer_of_a_fit_with_jobs(self):
        how = ("--max-evals", 40)
        whole = self.fit(code=None)
        os.unlink(self.path("count"))
        command = [LRGD, *map(str, self.flags(
            "--worker", self.gauges("0.02"), "--jobs", 3, "--journal",
            "run.db"))]
        chance, kills = random.Random(5), 0
        for _ in range(6):
            run = subprocess.Popen(command, cwd=self.folder,
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
            time.sleep(0.3 + 0.4 * chance.random())
            if run.poll() is None:
                run.send_signal(signal.SIGKILL)
                kills += 1
            run.wait()
        last = self.run_json(*self.flags(
            "--worker", self.gauges("0.02"), "--jobs", 3, "--journal",
            "run.db"), code=None)
        self.assertEqual(last["x"], whole["x"])
        # what was in flight at a kill is paid twice, and a check of the worker
        self.assertLessEqual(self.count(), whole["evaluations"] + 4 * kills)


if __name__ == "__main__":
    main()
