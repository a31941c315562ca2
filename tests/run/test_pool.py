#!/usr/bin/env python3
"""Programs that behave, and programs that do not.  Rows: see ROWS.md."""

import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

from harness import (BUILT, Case, DRIVER, HERE, SIM, SOAK, drive, environment,
                     gone, interrupt, start, wait_for)

SIMS = os.path.join(HERE, "sims")


class Answers(Case):
    def test_a_worker_a_program_and_any_number_of_jobs_give_the_same_path(self):
        runs = [drive(worker=f"{SIM} uneven", jobs=jobs, dim=12, steps=3)
                for jobs in (1, 2, 8)]
        runs.append(drive(program=f"{SIM} ok", jobs=3, dim=12, steps=3))
        self.assertEqual(len({(run["f"], run["hash"]) for run in runs}), 1)
        self.assertEqual({run["asked"] for run in runs}, {39})

    def test_the_programs_own_count_equals_the_pools(self):
        for kind in ("worker", "program"):
            with self.subTest(kind):
                env = environment(SIM_COUNT=self.path(kind))
                run = drive(env=env, jobs=2, **{kind: f"{SIM} ok"})
                self.assertEqual(os.path.getsize(self.path(kind)), run["asked"])

    def test_gradients_and_slopes_take_the_same_path(self):
        gradient = drive(worker=f"{SIM} gradient", oracle="gradient")
        slope = drive(worker=f"{SIM} slope", oracle="slope", jobs=2)
        self.assertEqual(gradient["f"], slope["f"])
        self.assertEqual(gradient["hash"], slope["hash"])

    def test_workers_in_several_languages_work(self):
        commands = [f"python3 {SIMS}/sphere.py", f"{SIMS}/sphere.sh"]
        if shutil.which("gfortran"):
            program = self.path("sphere")
            subprocess.run(["gfortran", f"{SIMS}/sphere.f90", "-o", program],
                           check=True, cwd=self.folder)
            commands.append(program)
        values = []
        for command in commands:
            for kind in ("worker", "program"):
                run = drive(dim=3, steps=1, **{kind: command})
                self.assertEqual(run["failed"], 0, run)
                values.append(float.fromhex(run["f"]))
        for value in values:
            self.assertAlmostEqual(value, values[0], delta=1e-15)

    def test_a_program_is_found_beside_us_and_so_are_its_files(self):
        shutil.copy(SIM, self.path("mysim"))
        shutil.copy(f"{SIMS}/sphere.py", self.path("sphere.py"))
        for command in ("./mysim ok", "python3 sphere.py"):
            run = drive(program=command, steps=1, cwd=self.folder)
            self.assertEqual((run["exit"], run["failed"]), (0, 0), run)

    def test_a_question_of_11_megabytes_meets_a_worker_that_talks_first(self):
        run = drive(worker=f"{SIM} stderr-first", dim=623290 if SOAK else 60000,
                    steps=0, max_output=1 << 26)
        self.assertEqual(run["exit"], 0)
        done = subprocess.run(
            [os.path.join(BUILT, "run-big"), f"{SIM} stderr-first"],
            timeout=600, stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


class Failures(Case):
    def failing(self, how, **more):
        kinds = more.pop("kinds", ("worker", "program"))
        for kind in kinds:
            with self.subTest(kind):
                settings = {"steps": 1, "dim": 2, "timeout": 0.4, **more,
                            kind: f"{SIM} {how}"}
                began = time.monotonic()
                run = drive(**settings)
                self.assertLess(time.monotonic() - began, 20)
                self.assertEqual(run["exit"], 0, run)
                self.assertEqual(run["failed"], 3, run)
                yield run["failure"]

    def each(self, how, text, **more):
        for failure in self.failing(how, **more):
            self.assertIn(text, failure)

    def test_an_exit_status_is_a_failure_with_the_last_lines_of_stderr(self):
        for failure in self.failing("exit 3"):
            lines = failure.split("\n")
            self.assertEqual(lines[0], "evaluation 3: exit status 3")
            self.assertEqual(lines[1:], ["first line",
                                         "the mesh is \\x1b[31mred"])

    def test_a_signal_is_named(self):
        self.each("segv", "signal 11 (SIGSEGV)")

    def test_a_kill_that_is_not_ours_hints_at_memory(self):
        self.each("killed", "signal 9 (SIGKILL), not sent by this program")

    def test_an_evaluation_that_hangs_is_terminated(self):
        self.each("hang", "no answer within 0.4 s")

    def test_sigterm_ignored_is_followed_by_sigkill(self):
        self.each("ignore-term", "no answer within 0.4 s", grace=0.1)

    def test_no_output_is_no_value(self):
        self.each("say ''", "without an answer", kinds=("program",))
        self.each("say '\\n'", "an empty line", kinds=("worker",))

    def test_garbage_is_never_read_in_part(self):
        for text in ("abc", "1.0abc", "1,5", "0x10", "0x1p3", "1e", "nan",
                     "inf", "-Infinity", "1.5 x", "--1", ".", "1d0", "1_0"):
            for failure in self.failing(f"say '{text}\\n'", kinds=("worker",)):
                self.assertRegex(failure, "not a (finite )?number at byte")
        self.each("say '1e999\\n'", "beyond all bounds")
        self.each("say '1\\0\\n'", "not a number", kinds=("worker",))

    def test_a_wrong_count_shows_both(self):
        self.each("say '1 2\\n'", "1 number expected, 2 answered")
        run = drive(worker=f"{SIM} say '1 2\\n'", oracle="gradient", dim=2,
                    steps=1)
        self.assertIn("3 numbers expected, 2 answered", run["failure"])

    def test_a_line_cut_short_is_not_an_answer(self):
        self.each("say 12.5", "the answer has no line end: '12.5'",
                  kinds=("program",))
        self.each("say '12\\n\\n12.5'", "no line end", kinds=("program",))

    def test_endless_output_is_cut_off(self):
        self.each("flood", "more than 100000 bytes on stdout",
                  max_output=100000)
        self.each("flood-stderr", "more than 100000 bytes on stderr",
                  max_output=100000)

    def test_more_than_one_line_is_refused(self):
        self.each("twice", "more than one line", kinds=("worker",))
        run = drive(worker=f"{SIM} banner", steps=1)
        self.assertGreater(run["failed"], 0)
        self.assertIn("'hello", run["failure"])

    def test_a_program_must_end_well_for_its_answer_to_count(self):
        self.each("then-hang", "no answer within", kinds=("program",))
        self.each("then-exit", "exit status 1", kinds=("program",))

    def test_a_closed_stdin_is_no_fault_where_the_answer_is_good(self):
        run = drive(program=f"{SIM} closes-stdin", dim=20000, steps=0)
        run = drive(program=f"{SIM} closes-stdin", dim=2, steps=1)
        self.assertEqual((run["exit"], run["failed"]), (0, 0))

    def test_only_the_one_of_a_batch_that_failed_is_lost(self):
        run = drive(worker=f"{SIM} every 4", steps=4, jobs=2,
                    journal=self.journal)
        self.assertEqual(run["exit"], 0)
        self.assertEqual(run["rows"], run["asked"])
        self.assertTrue(0 < run["failed"] < run["asked"] / 2)
        again = drive(worker=f"{SIM} every 4", steps=4, jobs=1,
                      journal=self.journal)
        self.assertEqual((again["asked"], again["hash"]), (0, run["hash"]))

    def test_a_worker_that_dies_is_started_again(self):
        run = drive(worker=f"{SIM} every 3", steps=3)
        self.assertIn(run["started"] - run["failed"], (0, 1))

    def test_failures_beyond_the_limit_end_the_run(self):
        run = drive(worker=f"{SIM} exit 3", method="gd", max_failures=3)
        self.assertLessEqual(run["asked"], 4)


class Step(Case):
    """A worker owes one line for each it reads; a stray one must never be
    taken for the next answer."""

    def test_a_stray_line_after_an_answer_costs_one_question_and_no_more(self):
        for stray in ("warning: mesh is coarse", "42", "42\\n43", "4", "0"):
            for seed in (1, 2, 3):
                with self.subTest(stray, seed=seed):
                    run = drive(worker=f"{SIM} stray-after '{stray}\\n'",
                                method="gd", seed=seed, retries=2, dim=4,
                                max_evals=60)
                    self.assertEqual(run["exit"], 0, run)
                    self.assertGreater(run["failed"], 0)
                    # both lines in one look where the machine is slow
                    self.assertRegex(run["failure"],
                                     "out of step: .*'|more than one line")
                    self.assertEqual(float.fromhex(run["f"]), run["value"])

    def test_after_a_stray_line_the_path_is_that_of_a_faultless_worker(self):
        # only what failed is asked again: nothing was shifted
        good = drive(worker=f"{SIM} ok", method="gd", dim=4, max_evals=60)
        run = drive(worker=f"{SIM} stray-after '42\\n'", method="gd", dim=4,
                    retries=3, max_evals=100)
        self.assertEqual(run["hash"], good["hash"])

    def test_no_evaluation_is_paid_beyond_those_counted(self):
        run = drive(worker=f"{SIM} stray-after '42\\n'", env=self.counted(),
                    steps=4, dim=3)
        self.assertGreater(run["failed"], 0)
        self.assertLessEqual(self.count(), run["asked"])

    def test_a_number_before_the_answer_ends_the_run_with_a_sentence(self):
        for jobs in (1, 2):
            with self.subTest(jobs=jobs):
                run = drive(worker=f"{SIM} stray-before '42\\n'", dim=3,
                            steps=4, jobs=jobs)
                self.assertNotEqual(run["exit"], 0, run)
                self.assertIn("cannot be trusted", run["error"])
                self.assertIn("('42')", run["error"])
                self.assertIn("answered otherwise", run["error"])

    def test_a_number_before_the_last_answer_ends_the_run_too(self):
        run = drive(worker=f"{SIM} stray-before '42\\n'", dim=2, steps=1)
        self.assertNotEqual(run["exit"], 0, run)
        self.assertIn("the answer to evaluation 3 ('42') cannot be trusted",
                      run["error"])

    def test_a_number_after_the_last_answer_costs_one_question(self):
        run = drive(worker=f"{SIM} stray-after '42\\n'", dim=2, steps=1,
                    env=self.counted())
        # on a busy machine the number may come before the pool listens no
        # more, or be found before the next question: a failure either way
        self.assertEqual((run["exit"], run["failed"]), (0, 1), run)
        self.assertIn(run["asked"], (3, 4))
        if run["asked"] == 4:
            self.assertIn("another answer after its last: '42'",
                          run["failure"])
        self.assertLessEqual(self.count(), run["asked"])

    def test_words_before_the_answer_cost_that_answer(self):
        run = drive(worker=f"{SIM} stray-before 'mesh is coarse\\n'", dim=3,
                    steps=3)
        self.assertEqual(run["exit"], 0, run)
        self.assertIn("not a number at byte 1 of the answer: 'mesh'",
                      run["failure"])
        self.assertIn(run["started"] - run["failed"], (0, 1), run)

    def test_a_banner_gets_an_error_that_says_what_standard_output_is_for(self):
        run = drive(worker=f"{SIM} banner", steps=1)
        self.assertEqual(run["failed"], run["asked"])
        self.assertIn("it wrote before it was asked: 'hello'; standard output "
                      "is for answers only", run["failure"])

    def test_a_line_printed_at_exit_is_not_taken_for_an_answer(self):
        run = drive(worker=f"{SIM} farewell 'bye\\n'", steps=2)
        self.assertEqual((run["exit"], run["failed"]), (0, 0), run)

    def test_an_answer_of_nan_does_not_desynchronise_a_worker(self):
        run = drive(worker=f"{SIM} flaky", steps=3, dim=3, start=1)
        self.assertGreater(run["failed"], 0)
        self.assertEqual(run["started"], 1, run)


class Start(Case):
    def cannot(self, command, reason):
        for kind in ("worker", "program"):
            run = drive(**{kind: command})
            self.assertEqual(run["exit"], 2, run)
            self.assertIn(reason, run["error"])

    def test_a_program_that_cannot_be_started_is_reported(self):
        self.cannot("no-such-program-here x", "No such file or directory in PATH")
        self.cannot("/no/such/file", "No such file or directory")
        self.cannot(self.folder, "not an executable file")
        self.cannot(f"{SIMS}/sim.c", "not an executable file")
        self.cannot("", "the command is empty")
        self.cannot("'", "quote that is not closed")

    def test_scripts_with_a_bad_or_missing_shebang_are_reported(self):
        for first in ("#!/no/such/shell", "just words"):
            script = self.path("script")
            with open(script, "w", encoding="ascii") as file:
                file.write(first + "\n")
            os.chmod(script, 0o755)
            self.cannot(script, "cannot start")

    def test_a_file_still_being_written_is_waited_for(self):
        program = self.path("busy")
        shutil.copy(SIM, program)
        holder = os.open(program, os.O_RDWR)
        process = start(worker=f"{program} ok", steps=1)
        time.sleep(0.2)
        os.close(holder)
        self.assertEqual(process.wait(20), 0)
        process.communicate()

    def test_words_reach_the_program_as_they_are(self):
        out = self.path("out")
        odd = "; rm -rf x $(touch y) `z` * \"q\" -n"
        script = self.path("show words")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\nprintf '%s|' \"$@\" > '{out}'\n"
                       "while read l; do echo 1; done\n")
        os.chmod(script, 0o755)
        run = drive(worker=f"'{script}' '{odd}' a\\ b \"c'd\" ''", steps=1)
        self.assertEqual(run["failed"], 0, run)
        with open(out, encoding="ascii") as file:
            self.assertEqual(file.read(), f"{odd}|a b|c'd||")

    @unittest.skipUnless(shutil.which("strace"), "needs strace")
    def test_a_lack_of_processes_passes_and_is_not_charged(self):
        run = drive(prefix=("strace", "-o", "/dev/null", "-f", "-e",
                            "trace=clone,clone3,vfork", "-e",
                            "inject=clone,clone3,vfork:error=EAGAIN:when=3..8"),
                    program=f"{SIM} ok", steps=1)
        self.assertEqual((run["exit"], run["failed"]), (0, 0), run)

    def test_few_descriptors_mean_fewer_jobs(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (18, 18))
        process = subprocess.run(
            [DRIVER, f"worker={SIM} slow 5", "jobs=16", "dim=20", "steps=2"],
            preexec_fn=limit, stdout=subprocess.PIPE, text=True, timeout=600)
        self.assertEqual(process.returncode, 0, process.stdout)
        self.assertIn('"failed": 0', process.stdout)


class Surroundings(Case):
    def test_every_evaluation_of_a_program_has_a_fresh_directory(self):
        run = drive(program=f"{SIM} stale", jobs=2, work_root=self.folder)
        self.assertEqual(run["failed"], 0, run)
        self.assertEqual(os.listdir(self.folder), [], "removed at the end")

    def test_the_directory_is_private(self):
        process = start(program=f"{SIM} hang", work_root=self.folder)
        wait_for(lambda: os.listdir(self.folder))
        outer = self.path(os.listdir(self.folder)[0])
        wait_for(lambda: os.listdir(outer))
        inner = os.path.join(outer, os.listdir(outer)[0])
        for path in (outer, inner):
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o700)
        interrupt(process)
        time.sleep(0.1)
        interrupt(process)
        process.communicate(timeout=600)
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_a_kill_left_is_removed_by_the_next_session(self):
        os.mkdir(self.path("work"))
        more = {"work_root": self.path("work"), "journal": self.path("run.db")}
        process = start(program=f"{SIM} hang", env=self.counted(), **more)
        wait_for(self.count)
        process.kill()
        process.communicate()
        self.assertEqual(len(os.listdir(self.path("work"))), 1)
        run = drive(program=f"{SIM} ok", **more)
        self.assertEqual((run["exit"], run["failed"]), (0, 0))
        self.assertEqual(os.listdir(self.path("work")), [])

    def test_what_a_kill_left_is_removed_by_any_other_run(self):
        root = self.path("work")
        os.mkdir(root)
        for name in ("lrgd-mine", "lrgd-12345678-0123456789abcdef-abcdef"):
            os.mkdir(os.path.join(root, name))  # nobody's, another machine's
        others = set(os.listdir(root))
        dead = start(program=f"{SIM} hang", env=self.counted(), work_root=root)
        wait_for(self.count)
        dead.kill()
        dead.communicate()
        os.remove(self.path("count"))
        self.assertEqual(len(set(os.listdir(root)) - others), 1)
        self.assertEqual(len(self.running()), 1)
        alive = start(program=f"{SIM} hang", env=self.counted(),
                      work_root=root)
        wait_for(self.count)
        lives = set(os.listdir(root)) - others
        self.assertEqual(len(lives), 1)  # the dead one's is gone
        running = self.running()  # and so is what it ran
        self.assertEqual(len(running), 1)
        run = drive(program=f"{SIM} ok", steps=1, work_root=root)
        self.assertEqual((run["exit"], run["failed"]), (0, 0))
        self.assertEqual(set(os.listdir(root)), others | lives)
        self.assertEqual(self.running(), running)
        alive.kill()
        alive.communicate()

    def test_working_folders_are_made_in_tmpdir(self):
        root = self.path("work")
        os.mkdir(root)
        run = start(program=f"{SIM} hang",
                    env={**self.counted(), "TMPDIR": root})
        wait_for(self.count)
        self.assertEqual(len(os.listdir(root)), 1)
        run.kill()
        run.communicate()
        for place in (root, "/proc/none"):
            run = drive(program=f"{SIM} ok", steps=1,
                        env=environment(TMPDIR=place))
            self.assertEqual((run["exit"], run["failed"]), (0, 0))
        self.assertEqual(os.listdir(root), [])

    def test_links_in_it_are_not_followed_when_it_is_removed(self):
        keep = self.path("keep")
        os.mkdir(keep)
        with open(os.path.join(keep, "file"), "w", encoding="ascii"):
            pass
        script = self.path("linker")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"#!/bin/sh\nln -s '{keep}' link; mkdir -p a/b; "
                       "chmod 0 a; cat > /dev/null; echo 1\n")
        os.chmod(script, 0o755)
        os.mkdir(self.path("work"))
        run = drive(program=script, steps=1, work_root=self.path("work"))
        self.assertEqual(run["failed"], 0, run)
        self.assertEqual(os.listdir(keep), ["file"])
        self.assertEqual(os.listdir(self.path("work")), [])

    def test_where_the_working_folder_is_unwritable_another_is_used(self):
        run = drive(program=f"{SIM} ok", steps=1, work_root="/proc/none")
        self.assertEqual((run["exit"], run["failed"]), (0, 0))

    def test_a_program_cannot_change_the_folder_or_descriptors_of_the_pool(self):
        for kind in ("worker", "program"):
            run = drive(steps=1, **{kind: f"{SIM} meddle"})
            self.assertEqual(run["failed"], 0, run)

    def test_background_children_end_with_the_evaluation(self):
        pids = self.path("pid")
        run = drive(program=f"{SIM} child {pids}", dim=1, steps=1)
        with open(pids, encoding="ascii") as file:
            self.assertTrue(gone(int(file.read())))
        self.assertEqual(run["failed"], 0, run)

    def test_a_child_in_a_session_of_its_own_is_found_too(self):
        for kind in ("program", "worker"):
            pids = self.path(kind)
            run = drive(dim=1, steps=1, orphans=1,
                        **{kind: f"{SIM} escaped {pids}"})
            self.assertEqual(run["exit"], 0, run)
            with open(pids, encoding="ascii") as file:
                self.assertTrue(gone(int(file.read())), kind)

    def test_closed_descriptors_0_1_2_are_no_obstacle(self):
        out = self.path("out")
        script = f"exec '{DRIVER}' 'worker={SIM} ok' steps=2 journal=" + \
            f"'{self.journal}' 0<&- 1>&- 2>&-"
        done = subprocess.run(["sh", "-c", script], timeout=600)
        self.assertEqual(done.returncode, 0)
        again = drive(worker=f"{SIM} ok", steps=2, journal=self.journal)
        self.assertEqual((again["asked"], again["replayed"]), (0, 12), out)

    def test_a_decimal_comma_and_no_home_are_no_obstacle(self):
        env = {"LC_ALL": "de_DE.UTF-8", "LANG": "tr_TR", "PATH": os.environ[
            "PATH"], "LOCPATH": os.environ.get("LOCPATH", "")}
        run = drive(worker=f"{SIM} ok", env=env)
        self.assertEqual(run["hash"], drive(worker=f"{SIM} ok")["hash"])

    def test_the_pool_runs_with_a_small_stack(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_STACK, (262144, 262144))
        done = subprocess.run(
            [DRIVER, f"program={SIM} exit 3", f"journal={self.journal}"],
            preexec_fn=limit, timeout=600, stdout=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
