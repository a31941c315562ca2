#!/usr/bin/env python3
"""Journals: what is kept, what is refused, what storage can do to them."""

import ctypes
import hashlib
import os
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import time
import unittest

from harness import (BUILT, Case, HERE, SANITIZED, SIM, SOAK, alive, drive,
                     environment, gone, look, start, wait_for)

WORKER = f"{SIM} ok"


def digest(*paths):
    total = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            total.update(file.read())
    return total.hexdigest()


class Replay(Case):
    def test_a_second_run_asks_nothing_and_gives_the_same(self):
        for oracle in ("value", "gradient", "slope"):
            how = {"value": "ok"}.get(oracle, oracle)
            journal = self.path(oracle)
            first, second = (drive(worker=f"{SIM} {how}", oracle=oracle, jobs=2,
                                   journal=journal) for _ in range(2))
            self.assertEqual(first["exit"], 0, first)
            self.assertEqual(second["asked"], 0)
            self.assertEqual(second["hash"], first["hash"])
            self.assertEqual(second["replayed"], first["rows"])

    def test_a_longer_run_goes_on_where_the_shorter_ended(self):
        drive(worker=WORKER, journal=self.journal, steps=2)
        longer = drive(worker=WORKER, journal=self.journal, steps=5)
        self.assertEqual(longer["asked"], 18)
        self.assertEqual(longer["hash"], drive(worker=WORKER, steps=5)["hash"])

    def test_failures_are_replayed_too(self):
        runs = [drive(worker=f"{SIM} flaky", journal=self.journal, steps=3)
                for _ in range(2)]
        self.assertGreater(runs[0]["failed"], 0)
        self.assertEqual(runs[0]["hash"], runs[1]["hash"])
        self.assertEqual(runs[1]["asked"], 0)

    def test_the_command_and_the_jobs_may_change(self):
        drive(worker=WORKER, journal=self.journal, steps=1)
        again = drive(program=f"{SIM} slow 1", jobs=4, journal=self.journal)
        self.assertEqual(again["exit"], 0)
        self.assertEqual(again["replayed"], 6)

    def test_a_solver_of_the_core_resumes_bit_for_bit(self):
        for method in ("gd", "lrgd", "iterated", "adaptive"):
            journal = self.path(method)
            more = {"worker": WORKER, "method": method, "dim": 8}
            whole = drive(**more, max_evals=120)
            for evals in (7, 31, 64, 120):
                part = drive(**more, journal=journal, max_evals=evals, jobs=2)
                self.assertLessEqual(part["rows"], evals)
            self.assertEqual((part["f"], part["hash"]),
                             (whole["f"], whole["hash"]), method)

    def test_numbers_are_little_endian(self):
        drive(worker=WORKER, journal=self.journal, steps=1, dim=3)
        database = sqlite3.connect(self.journal)
        x, = database.execute("SELECT data FROM vectors WHERE id = 1").fetchone()
        self.assertEqual(struct.unpack("<3d", x), (0.0, 0.25, 0.5))
        answer, f = database.execute(
            "SELECT answer, f FROM evaluations WHERE sequence = 1").fetchone()
        self.assertEqual(struct.unpack("<d", answer), (f,))

    def test_status_reads_while_it_is_written(self):
        process = start(worker=f"{SIM} slow 20", journal=self.journal, steps=8)
        seen = []
        while process.poll() is None:
            if os.path.exists(self.journal):
                state = look(self.journal)
                if state["exit"] == 0:
                    seen.append(state["rows"])
            time.sleep(0.02)
        process.communicate()
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(len(set(seen)), 3)
        self.assertEqual(look(self.journal)["outcome"], "converged")

    def test_status_reads_where_it_may_not_write(self):
        drive(worker=WORKER, journal=self.journal)
        os.chmod(self.journal, 0o444)
        os.chmod(self.folder, 0o555)

        def drop():
            if os.getuid() == 0:
                os.setuid(65534)
        done = subprocess.run([os.path.join(BUILT, "run-look"), self.journal],
                              preexec_fn=drop, stdout=subprocess.PIPE,
                              text=True, timeout=600)
        os.chmod(self.folder, 0o755)
        self.assertIn('"rows": 24', done.stdout)

    def test_a_copy_without_its_index_is_read_and_gains_no_file(self):
        """Also where one may not write; and the copy goes on."""
        process = start(worker=f"{SIM} slow 1", journal=self.journal, steps=99)
        wait_for(lambda: os.path.exists(self.journal + "-wal") and
                 os.path.getsize(self.journal + "-wal") > 150000)
        process.kill()
        process.communicate()
        rows = look(self.journal)["rows"]
        self.assertGreater(rows, 2)
        place = self.path("copy")
        os.mkdir(place)
        for end in ("", "-wal"):
            shutil.copy(self.journal + end, os.path.join(place, "run.db" + end))
        before = {name: digest(os.path.join(place, name))
                  for name in os.listdir(place)}
        self.assertEqual(look(os.path.join(place, "run.db"))["rows"], rows)
        os.chmod(self.folder, 0o755)
        os.chmod(place, 0o555)

        def drop():
            if os.getuid() == 0:
                os.setuid(65534)
        done = subprocess.run(
            [os.path.join(BUILT, "run-look"), os.path.join(place, "run.db")],
            preexec_fn=drop, stdout=subprocess.PIPE, text=True, timeout=600)
        self.assertIn(f'"rows": {rows},', done.stdout)
        os.chmod(place, 0o755)
        self.assertEqual(before, {name: digest(os.path.join(place, name))
                                  for name in os.listdir(place)})
        run = drive(worker=f"{SIM} ok", journal=os.path.join(place, "run.db"),
                    steps=99)
        self.assertEqual(run["exit"], 0, run)
        self.assertGreaterEqual(run["replayed"], rows - 1)

    def test_reading_a_journal_changes_no_file(self):
        """After an end in good order, a refusal, and a kill."""
        def files():
            return {name: digest(self.path(name))
                    for name in os.listdir(self.folder)
                    if not name.endswith("-shm")}
        drive(worker=WORKER, journal=self.journal)
        before = files()
        self.assertEqual(list(before), ["run.db"])
        self.assertEqual(look(self.journal)["rows"], 24)
        self.assertEqual(drive(worker=WORKER, journal=self.journal,
                               seed=2)["exit"], 7)
        self.assertEqual(files(), before)
        process = start(worker=f"{SIM} slow 2", journal=self.journal, steps=99)
        wait_for(lambda: os.path.exists(self.journal + "-wal") and
                 os.path.getsize(self.journal + "-wal") > 100000)
        process.kill()
        process.communicate()
        before = files()
        self.assertGreater(look(self.journal)["rows"], 24)
        self.assertEqual(files(), before)

    @unittest.skipIf(SANITIZED, "preloads")
    def test_a_journal_killed_while_it_is_made_lost_nothing_and_says_so(self):
        shim = os.path.join(BUILT, "librun-shim.so")
        said = set()
        for n in range(1, 60, 1 if SOAK else 4):
            env = environment(LD_PRELOAD=shim, SHIM_WRITE=n)
            run = drive(worker=WORKER, journal=self.journal, steps=1, env=env)
            self.assertEqual(run["exit"], -9, n)
            state = look(self.journal)
            self.assertIn(state["exit"], (0, 6), (n, state))
            if state["exit"] == 6:
                said.add(state["error"].split(self.journal)[0])
                resumed = drive(worker=WORKER, journal=self.journal, resume=1)
                self.assertEqual(resumed["exit"], 6, (n, resumed))
            run = drive(worker=WORKER, journal=self.journal, steps=1)
            self.assertEqual(run["exit"], 0, (n, run))
            os.unlink(self.journal)
        self.assertEqual(said, {"there is no journal ",
                                "nothing is recorded in "})

    def test_wall_time_adds_up_over_sessions(self):
        for steps in (1, 2):
            drive(worker=f"{SIM} slow 30", journal=self.journal, steps=steps)
        state = look(self.journal)
        self.assertEqual(state["sessions"], 2)
        self.assertGreater(state["seconds"], 0.36)

    def test_no_secret_of_the_environment_is_stored(self):
        env = environment(SECRET_TOKEN="hunter2hunter2")
        drive(worker=WORKER, journal=self.journal, env=env)
        with open(self.journal, "rb") as file:
            self.assertNotIn(b"hunter2", file.read())


class Refusal(Case):
    def setUp(self):
        super().setUp()
        drive(worker=WORKER, journal=self.journal)

    def refused(self, reason, status=7, **more):
        before = digest(self.journal)
        run = drive(worker=WORKER, journal=self.journal, **more)
        self.assertEqual(run["exit"], status, run)
        self.assertIn(reason, run["error"])
        self.assertEqual(digest(self.journal), before, "altered")
        return run

    def alter(self, sql):
        database = sqlite3.connect(self.journal)
        database.executescript(sql)
        database.close()

    def test_another_run_is_refused_by_what_differs(self):
        self.refused("seed is 1 there, 2 here", seed=2)
        self.refused("dimension is 5 there, 6 here", dim=6)
        self.refused("method is descend there, gd here; "
                     "seed is 1 there, 2 here", method="gd", seed=2)

    def test_another_start_is_refused(self):
        database = sqlite3.connect(self.journal)
        blob = struct.pack("<5d", 9, 9, 9, 9, 9)
        database.execute("UPDATE settings SET numbers = ? WHERE key = 'start'",
                         (blob,))
        database.commit()
        database.close()
        self.refused("damaged")  # the sum tells, too

    def test_a_newer_format_is_refused(self):
        self.alter("PRAGMA user_version = 1000")
        self.refused("newer version")

    def test_an_older_format_is_read_as_it_is_and_goes_on(self):
        """A journal of format 1, as lrgd wrote it before there were notes."""
        os.unlink(self.journal)
        with open(os.path.join(HERE, "journal-1.sql"),
                  encoding="ascii") as file:
            self.alter(file.read())
        before = digest(self.journal)
        state = look(self.journal)
        self.assertEqual((state["exit"], state["rows"], state["phase"]),
                         (0, 8, ""), state)
        self.refused("seed is 1 there, 2 here", seed=2, dim=3)
        self.assertEqual(digest(self.journal), before)
        run = drive(worker=WORKER, journal=self.journal, dim=3, steps=3)
        self.assertEqual((run["exit"], run["replayed"]), (0, 8), run)
        self.assertEqual(run["hash"], drive(worker=WORKER, dim=3,
                                            steps=3)["hash"])
        again = drive(worker=WORKER, journal=self.journal, dim=3, steps=3)
        self.assertEqual((again["exit"], again["asked"]), (0, 0), again)

    def test_a_foreign_database_is_refused(self):
        os.unlink(self.journal)
        self.alter("CREATE TABLE songs(name); INSERT INTO songs VALUES('x')")
        self.refused("not a journal of lrgd")

    def test_triggers_views_and_other_tables_are_refused(self):
        for sql in ("CREATE TRIGGER t AFTER INSERT ON evaluations BEGIN "
                    "DELETE FROM vectors; END",
                    "CREATE VIEW v AS SELECT 1",
                    "CREATE TABLE more(x)",
                    "ALTER TABLE vectors ADD COLUMN extra TEXT"):
            with self.subTest(sql):
                os.unlink(self.journal)
                drive(worker=WORKER, journal=self.journal)
                self.alter(sql)
                self.refused("its tables are not those of a journal")

    def test_a_vector_that_refers_to_itself_is_refused(self):
        self.alter("UPDATE vectors SET base = id WHERE id = 2")
        self.refused("damaged")

    def test_garbage_is_refused(self):
        for content in (b"not a database at all" * 100, b"\0" * 4096,
                        b"SQLite format 3\0" + b"\xff" * 4080):
            with open(self.journal, "wb") as file:
                file.write(content)
            run = drive(worker=WORKER, journal=self.journal)
            self.assertEqual(run["exit"], 7, run)
            with open(self.journal, "rb") as file:
                self.assertEqual(file.read(), content)

    def test_a_truncated_file_is_refused(self):
        size = os.path.getsize(self.journal)
        for part in (100, size // 3, size - 4096, size - 1):
            copy = self.path("copy")
            shutil.copy(self.journal, copy)
            os.truncate(copy, part)
            run = drive(worker=WORKER, journal=copy)
            self.assertEqual(run["exit"], 7, (part, run))

    def test_a_flipped_bit_never_gives_another_answer(self):
        """Refused, or not a bit of what counts: the same path, nothing lost."""
        dice = random.Random(1)
        whole = drive(worker=WORKER)
        size = os.path.getsize(self.journal)
        copy = self.path("copy")
        refused = 0
        for _ in range(400 if SOAK else 40):
            shutil.copy(self.journal, copy)
            with open(copy, "r+b") as file:
                at = dice.randrange(size)
                file.seek(at)
                byte = file.read(1)[0] ^ (1 << dice.randrange(8))
                file.seek(at)
                file.write(bytes([byte]))
            run = drive(worker=WORKER, journal=copy)
            self.assertIn(run["exit"], (0, 6, 7), (at, run))
            refused += run["exit"] == 7
            if run["exit"] == 0:
                self.assertEqual(run["hash"], whole["hash"], at)
                self.assertEqual(run["asked"], 0, at)
        self.assertGreater(refused, 0)

    def test_a_run_that_departs_is_reported_with_the_evaluation(self):
        before = look(self.journal)
        run = drive(worker=WORKER, journal=self.journal, oracle="gradient")
        self.assertEqual(run["exit"], 7)
        self.assertIn("evaluation 1 is a value there, a gradient here",
                      run["error"])
        after = look(self.journal)
        for key in ("outcome", "sessions", "rows"):
            self.assertEqual(after[key], before[key], key)

    def test_a_directory_or_a_path_in_a_missing_folder_is_refused(self):
        run = drive(worker=WORKER, journal=self.folder)
        self.assertEqual(run["exit"], 7, run)
        for place in ("/no/such/folder/run.db", "/proc/run.db"):
            run = drive(worker=WORKER, journal=place, env=self.counted())
            self.assertEqual(run["exit"], 6, run)
            self.assertEqual(self.count(), 0)
        run = drive(worker=WORKER, journal=self.path("none"), resume=1)
        self.assertEqual(run["exit"], 6, run)
        self.assertFalse(os.path.exists(self.path("none")))

    def test_a_lost_log_leaves_what_was_committed_before_it(self):
        process = start(worker=f"{SIM} slow 1", journal=self.path("j"), steps=99)
        wait_for(lambda: os.path.exists(self.path("j-wal")) and
                 os.path.getsize(self.path("j-wal")) > 200000)
        process.kill()
        process.communicate()
        os.unlink(self.path("j-wal"))
        run = drive(worker=WORKER, journal=self.path("j"), steps=99)
        self.assertIn(run["exit"], (0, 7), run)
        if run["exit"] == 0:
            self.assertEqual(run["hash"],
                             drive(worker=WORKER, steps=99)["hash"])


class Locks(Case):
    def test_a_second_writer_learns_who_holds_the_journal(self):
        process = start(worker=f"{SIM} hang", journal=self.journal,
                        env=self.counted())
        wait_for(self.count)
        run = drive(worker=WORKER, journal=self.journal)
        self.assertEqual(run["exit"], 8, run)
        self.assertIn(f"process {process.pid} on ", run["error"])
        process.kill()
        process.communicate()
        self.assertEqual(drive(worker=WORKER, journal=self.journal)["exit"], 0)
        self.assertFalse(os.path.exists(self.journal + ".lock"))

    def test_a_reader_with_a_long_transaction_stops_nobody(self):
        drive(worker=WORKER, journal=self.journal, steps=1)
        reader = sqlite3.connect(self.journal, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM evaluations").fetchone()
        run = drive(worker=WORKER, journal=self.journal, steps=30)
        self.assertEqual(run["exit"], 0, run)
        reader.close()

    def test_what_a_killed_session_left_running_is_ended_by_the_next(self):
        pids = self.path("pid")
        process = start(program=f"{SIM} child {pids}", journal=self.journal,
                        steps=1000, env=self.counted())
        wait_for(lambda: os.path.exists(pids) and os.path.getsize(pids))
        process.kill()
        process.communicate()
        drive(program=WORKER, journal=self.journal, steps=2)
        with open(pids, encoding="ascii") as file:
            self.assertTrue(gone(int(file.read())))
        process = start(program=f"{SIM} hang", journal=self.path("other"),
                        env=self.counted())
        before = self.count()
        wait_for(lambda: self.count() > before)
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(process.pid)],
            stdout=subprocess.PIPE, text=True).stdout.split()
        process.kill()
        process.communicate()
        self.assertTrue(children and alive(int(children[0])))
        drive(program=WORKER, journal=self.path("other"), steps=1)
        self.assertTrue(gone(int(children[0])))


if __name__ == "__main__":
    ctypes.CDLL(None)
    unittest.main(argv=sys.argv)
