#!/usr/bin/env python3
"""What signals do to a pool.  Rows: see ROWS.md."""

import os
import signal
import sys
import time
import unittest

from harness import Case, SIM, drive, interrupt, start, wait_for


class Signals(Case):
    def slow_run(self, **more):
        process = start(worker=f"{SIM} slow 400", jobs=2, env=self.counted(),
                        journal=self.journal, **more)
        wait_for(lambda: self.count() >= 2)
        return process

    def test_the_first_interrupt_drains_and_keeps(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.slow_run()
            began = time.monotonic()
            process.send_signal(number)
            process.communicate(timeout=600)
            self.assertGreater(time.monotonic() - began, 0.05)
            asked = self.count()
            again = drive(worker=f"{SIM} ok", journal=self.journal)
            self.assertEqual(again["exit"], 0)
            self.assertEqual(again["replayed"], asked, "all that was asked")
            os.unlink(self.journal)
            os.unlink(self.path("count"))

    def test_the_second_interrupt_kills_at_once(self):
        process = start(worker=f"{SIM} hang", jobs=2, env=self.counted())
        wait_for(lambda: self.count() >= 1)
        interrupt(process)
        time.sleep(0.2)
        self.assertIsNone(process.poll())
        began = time.monotonic()
        for _ in range(9):
            interrupt(process)
        process.communicate(timeout=600)
        self.assertLess(time.monotonic() - began, 2)

    def test_draining_ends_when_its_time_is_up(self):
        process = start(worker=f"{SIM} hang", env=self.counted(), drain=0.3)
        wait_for(lambda: self.count() >= 1)
        interrupt(process)
        process.communicate(timeout=600)

    def test_time_spent_stopped_is_not_the_programs(self):
        process = start(worker=f"{SIM} slow 300", timeout=1.2, dim=1, steps=2,
                        env=self.counted())
        wait_for(lambda: self.count() >= 1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(3)
        process.send_signal(signal.SIGCONT)
        out, _ = process.communicate(timeout=600)
        self.assertIn('"failed": 0', out)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
