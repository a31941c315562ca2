#!/usr/bin/env python3
"""Killed at any moment: nothing acknowledged is lost, nothing is paid twice
but what was in flight, and the path is that of an uninterrupted run."""

import json
import os
import random
import subprocess
import sys
import time
import unittest

from harness import (BUILT, Case, DRIVER, SANITIZED, SIM, SOAK, drive,
                     environment, look, start, words)


class Kills(Case):
    def check_state(self, acked):
        """After a kill: readable, and all that was acknowledged is there."""
        if not os.path.exists(self.journal):
            self.assertEqual(acked, 0)
            return
        state = look(self.journal)
        if state["exit"] == 6:  # killed before the journal was made
            self.assertEqual(acked, 0, state)
            return
        self.assertEqual(state["exit"], 0, state)
        self.assertGreaterEqual(state["rows"], acked)

    def forget(self, *files):
        """The next run is a new one: what an earlier one acknowledged and
        counted must not be taken for its own."""
        for path in (self.journal, *map(self.path, files)):
            if os.path.exists(path):
                os.unlink(path)

    def kill_at_random(self, kills, jobs, **more):
        """Runs that are killed until they end, as many as it takes."""
        dice = random.Random(jobs)
        settings = {"steps": 12, "jobs": jobs, **more}
        whole = drive(**settings)
        while kills > 0:
            killed = self.kill_one_run(dice, kills, settings)
            kills -= killed
            self.check_end(whole, killed, settings)
            self.forget("count", "ack")

    def kill_one_run(self, dice, most, settings):
        for killed in range(most):
            process = start(env=self.counted(), journal=self.journal,
                            ack=self.path("ack"), **settings)
            time.sleep(dice.uniform(0.002, 0.12))
            done = process.poll() is not None
            process.kill()
            process.communicate()
            if done:
                return killed
            self.check_state(self.acked())
        return most

    def check_end(self, whole, killed, settings):
        last = drive(env=self.counted(), journal=self.journal, **settings)
        self.assertEqual(last["exit"], 0, last)
        self.assertEqual((last["f"], last["hash"]),
                         (whole["f"], whole["hash"]))
        self.assertEqual(last["rows"], whole["asked"])
        paid_twice = self.count() - whole["asked"]
        self.assertTrue(0 <= paid_twice <= killed * settings["jobs"],
                        (paid_twice, killed))
        self.assertLessEqual(paid_twice, last["in_flight"])

    def test_a_run_of_workers_survives_kills_at_random(self):
        kills = 100 if SOAK else 12
        self.kill_at_random(kills, 1, worker=f"{SIM} slow 3")
        self.kill_at_random(kills, 3, worker=f"{SIM} slow 3")

    def test_a_run_of_programs_survives_kills_at_random(self):
        self.kill_at_random(50 if SOAK else 8, 2, program=f"{SIM} slow 1")

    def test_a_run_of_the_core_survives_kills_at_random(self):
        self.kill_at_random(50 if SOAK else 8, 2, worker=f"{SIM} slow 2",
                            method="lrgd", dim=8, max_evals=150)

    def kill_at_write(self, n, settings):
        env = environment(LD_PRELOAD=os.path.join(BUILT, "librun-shim.so"),
                          SHIM_WRITE=n)
        done = subprocess.run(
            [DRIVER, *words(**{"worker": f"{SIM} ok", "journal": self.journal,
                               "ack": self.path("ack"), **settings})],
            env=env, stdout=subprocess.PIPE, timeout=600)
        return done

    @unittest.skipIf(SANITIZED, "preloads")
    def test_a_run_survives_a_kill_before_every_write_also_resumed(self):
        """The driver's acks are writes too, so moments between a commit and
        its acknowledgement are among them."""
        settings = {"steps": 2, "dim": 3}
        whole = drive(worker=f"{SIM} ok", **settings)
        step = 1 if SOAK else 3
        for n in range(1, 100000, step):
            first = self.kill_at_write(n, settings)
            self.check_state(self.acked())
            if first.returncode == 0:
                break
            self.assertEqual(first.returncode, -9, (n, first))
            self.kill_at_write(1 + n % 11, settings)  # during resume
            last = drive(worker=f"{SIM} ok", journal=self.journal, **settings)
            self.assertEqual(last["exit"], 0, (n, last))
            self.assertEqual(last["hash"], whole["hash"], n)
            self.forget("ack")
        self.assertGreater(n, 50)

    @unittest.skipIf(SANITIZED, "preloads")
    def test_a_run_survives_a_kill_before_every_write_of_a_new_path(self):
        """With another seed and another command: the path, its settings and
        the check of the command are there whole, or not at all."""
        more = {"dim": 3, "steps": 2, "seed": 2, "new_path": 1, "function": 1}
        for n in range(1, 100000, 1 if SOAK else 3):
            before = drive(worker=f"{SIM} ok", journal=self.journal, dim=3,
                           steps=2)
            first = self.kill_at_write(n, {**more, "worker": f"{SIM} slow 0"})
            state = look(self.journal)
            self.assertEqual(state["exit"], 0, (n, state))
            self.assertGreaterEqual(state["rows"], before["rows"])
            last = drive(worker=f"{SIM} slow 0", journal=self.journal, **more)
            self.assertEqual((last["exit"], last["paths"], last["path_rows"]),
                             (0, 2, before["rows"]), (n, last))
            self.assertIn(last["checks"], (1, 2), n)
            self.assertEqual(last["rows"], 2 * before["rows"], n)
            self.assertEqual(last["hash"], before["hash"], n)
            os.unlink(self.journal)
            if first.returncode == 0:
                break
            self.assertEqual(first.returncode, -9, (n, first))
        self.assertGreater(n, 30)

    @unittest.skipUnless(SOAK, "long")
    def test_a_run_survives_a_kill_at_every_system_call(self):
        settings = {"steps": 1, "dim": 2}
        whole = drive(worker=f"{SIM} ok", **settings)
        for n in range(1, 100000):
            done = subprocess.run(
                ["strace", "-o", "/dev/null", "-e", "trace=all", "-e",
                 f"inject=all:signal=KILL:when={n}", DRIVER,
                 *words(worker=f"{SIM} ok", journal=self.journal, **settings)],
                stdout=subprocess.PIPE, timeout=600)
            if done.returncode == 0:
                break
            last = drive(worker=f"{SIM} ok", journal=self.journal, **settings)
            self.assertEqual(last["exit"], 0, (n, last))
            self.assertEqual(last["hash"], whole["hash"], n)
            os.unlink(self.journal)


if __name__ == "__main__":
    json.dumps(None)
    unittest.main(argv=sys.argv)
