#!/usr/bin/env python3
"""What storage that fails can do to journals.  Rows: see ROWS.md."""

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest

from harness import (BUILT, Case, DRIVER, SANITIZED, SIM, SOAK, drive,
                     environment, look, start, wait_for)

WORKER = f"{SIM} ok"


@unittest.skipUnless(shutil.which("strace"), "needs strace")
class Storage(Case):
    def faulty(self, fault, **more):
        call = fault.split(":")[0]
        return drive(prefix=("strace", "-o", "/dev/null", "-e", f"trace={call}",
                             "-e", f"inject={fault}"), worker=WORKER,
                     journal=self.journal, ack=self.path("ack"), **more)

    def recovers(self):
        """Nothing acknowledged is lost, and the path is the same."""
        acked = self.acked()
        run = drive(worker=WORKER, journal=self.journal)
        self.assertEqual(run["exit"], 0, run)
        self.assertGreaterEqual(run["replayed"], acked)
        self.assertEqual(run["hash"], drive(worker=WORKER)["hash"])

    def test_a_sync_that_fails_ends_the_run_and_loses_nothing(self):
        for when in (1, 3, 4, 7, 15):
            run = self.faulty(f"fdatasync:error=EIO:when={when}+")
            self.assertEqual(run["exit"], 6, (when, run))
            self.recovers()
            os.unlink(self.journal)

    def test_a_disk_that_stays_full_ends_the_run_and_loses_nothing(self):
        for when in (6, 10, 20, 40):
            run = self.faulty(f"pwrite64:error=ENOSPC:when={when}+")
            self.assertEqual(run["exit"], 6, (when, run))
            self.recovers()
            os.unlink(self.journal)

    def test_a_disk_that_is_full_when_a_path_begins_loses_nothing(self):
        before = drive(worker=WORKER, journal=self.journal)
        for when in range(1, 12):
            run = self.faulty(f"pwrite64:error=ENOSPC:when={when}+", seed=2,
                              new_path=1)
            self.assertEqual(run["exit"], 6, (when, run))
            state = look(self.journal)
            self.assertEqual((state["exit"], state["gaps"]), (0, 0), state)
            self.assertGreaterEqual(state["rows"], before["rows"])
        run = drive(worker=WORKER, journal=self.journal, seed=2, new_path=1)
        self.assertEqual((run["exit"], run["paths"], run["path_rows"]),
                         (0, 2, before["rows"]), run)

    def test_a_disk_that_is_full_for_a_while_is_waited_for(self):
        run = self.faulty("pwrite64:error=ENOSPC:when=50..56",
                          storage_wait=5)
        self.assertEqual(run["exit"], 0, run)
        self.recovers()

    def test_a_limit_on_file_sizes_is_a_full_disk(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
        done = subprocess.run(
            [DRIVER, f"worker={WORKER}", f"journal={self.journal}",
             f"ack={self.path('ack')}"], preexec_fn=limit, timeout=600,
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 6, done)
        self.recovers()

    def test_a_file_moved_away_is_noticed(self):
        process = start(worker=f"{SIM} slow 30", journal=self.journal, steps=50)
        wait_for(lambda: os.path.exists(self.journal + "-wal"))
        time.sleep(0.2)
        os.rename(self.journal, self.path("moved"))
        out, _ = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 6, out)
        self.assertIn("was moved or replaced", out)

    @unittest.skipIf(SANITIZED, "preloads")
    def test_no_log_in_shared_memory_on_a_network_file_system(self):
        env = environment(LD_PRELOAD=os.path.join(BUILT, "librun-shim.so"),
                          SHIM_STATFS="1")
        process = start(worker=f"{SIM} slow 20", journal=self.journal, env=env,
                        steps=3)
        time.sleep(0.3)
        self.assertFalse(os.path.exists(self.journal + "-wal"))
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, 0)
        again = drive(worker=WORKER, journal=self.journal, steps=3)
        self.assertEqual((again["asked"], again["exit"]), (0, 0))

    @unittest.skipIf(SANITIZED, "preloads")
    def test_a_clock_that_jumps_is_only_a_label(self):
        env = environment(LD_PRELOAD=os.path.join(BUILT, "librun-shim.so"),
                          SHIM_CLOCK="-4000000000")
        run = drive(worker=WORKER, journal=self.journal, env=env, timeout=5)
        self.assertEqual((run["exit"], run["failed"]), (0, 0))
        state = look(self.journal)
        self.assertTrue(0 <= state["seconds"] < 10)

    @unittest.skipIf(SANITIZED, "preloads")
    def test_memory_that_ends_at_any_allocation_loses_nothing(self):
        whole = drive(worker=WORKER, steps=2)
        shim = os.path.join(BUILT, "librun-shim.so")
        step = 7 if SOAK else 149
        for when in range(1, 100000, step):
            for sticky in ("", "+"):
                env = environment(LD_PRELOAD=shim,
                                  SHIM_MALLOC=f"{when}{sticky}")
                process = subprocess.run(
                    [DRIVER, f"worker={WORKER}",
                     f"journal={self.journal}", "steps=2", "spawn_wait=0.1",
                     f"ack={self.path('ack')}"], env=env, timeout=600,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertIn(process.returncode, (0, 1, 2, 6),
                              (when, sticky, process))
                acked = self.acked()
                run = drive(worker=WORKER, journal=self.journal, steps=2)
                self.assertEqual(run["hash"], whole["hash"], (when, sticky))
                self.assertGreaterEqual(run["replayed"], acked)
                os.unlink(self.journal)
            if process.returncode == 0:
                return


if __name__ == "__main__":
    ctypes.CDLL(None)
    unittest.main(argv=sys.argv)
