"""The width: how many evaluations a run asks for together."""

from harness import main
from kept import Kept


class Width(Kept):
    options = ()

    def same(self, one, other):
        for key in ("f", "x", "evaluations", "rounds", "width", "phases"):
            self.assertEqual(one[key], other[key], key)

    def test_the_width_is_the_number_of_jobs_unless_it_is_given(self):
        for jobs, more, width in ((1, [], 1), (3, [], 3), (3, ["--width", 5], 5),
                                  (2, ["--width", 1], 1)):
            with self.subTest((jobs, more)):
                self.forget()
                found = self.run_json(*self.command(*more, jobs=jobs))
                self.assertEqual(found["width"], width)
                self.assertLessEqual(found["evaluations"] / found["width"],
                                     found["rounds"])
                self.assertAlmostEqual(found["busy"] * found["rounds"],
                                       found["evaluations"])
                if width == 1:
                    self.assertEqual(found["rounds"], found["evaluations"])

    def test_the_path_is_a_function_of_the_width_and_not_of_the_jobs(self):
        first = self.run_json(*self.command("--width", 8, jobs=1))
        for jobs in (3, 8):
            self.forget()
            self.same(first, self.run_json(*self.command("--width", 8,
                                                         jobs=jobs)))

    def test_a_session_goes_on_with_the_width_of_the_journal(self):
        whole = self.run_json(*self.command(jobs=8))
        for jobs in (1, 3):
            for verb in ("minimize", "resume"):
                with self.subTest((jobs, verb)):
                    self.forget()
                    self.run_json(*self.command("--max-evals", 20, jobs=8),
                                  code=3)
                    again = self.run_json(*self.command(
                        "--max-evals", 9999, jobs=jobs, verb=verb))
                    self.same(whole, again)
                    self.assertEqual(self.asked(), whole["evaluations"])

    def test_runs_that_are_killed_end_as_if_they_were_not(self):
        whole = self.run_json(*self.command(jobs=8))
        for asked in (3, 17, 30):
            with self.subTest(asked):
                self.forget()
                self.kill_at(self.command(jobs=8, delay=0.002), asked)
                again = self.run_json(*self.command(jobs=3, delay=0.002,
                                                    verb="resume"))
                self.same(whole, again)

    def test_another_width_is_another_run(self):
        self.run_json(*self.command("--max-evals", 20, jobs=8), code=3)
        run = self.run_lrgd(*self.command("--width", 4), code=7)
        self.assertIn("width is 8 there, 4 here", run.stderr)
        self.assertIn("--learn-from", run.stderr)

    def test_the_end_and_the_status_say_how_busy_the_workers_were(self):
        # a worker that sleeps for a known time: however slow the machine is,
        # it is busy for that long at least, and for the whole run at most
        run = self.run_lrgd(*self.command(jobs=4, delay=0.05))
        self.assertRegex(run.stdout,
                         r"rounds +\d+, with [1-4]\.\d of 4 places busy")
        self.assertRegex(run.stdout, r"workers +[0-4]\.\d of 4 busy")
        status = self.status()
        self.assertGreater(status["busy"], 0)
        self.check_workers(status, 4, status["seconds"])
        self.assertRegex(self.run_lrgd("status", "run.db").stdout,
                         r"workers +[0-4]\.\d of 4 busy; 4 evaluations in")
        self.run_lrgd("report", "run.db", "-o", "run.html")
        self.assertRegex(self.read("run.html"), r"workers: [0-4]\.\d of 4 busy")
        self.forget()
        found = self.run_json(*self.command(jobs=4, delay=0.05))
        self.check_workers(found, 4, found["seconds"])

    def check_workers(self, found, count, seconds):
        workers = found["workers"]
        self.assertEqual(workers["count"], count)
        took = workers["seconds"]
        self.assertLess(took["busy"], (count + 0.01) * took["elapsed"])
        self.assertLess(took["elapsed"], seconds + 1)
        self.assertGreater(took["busy"], 0.04 * found["evaluations"])

    def test_one_worker_was_busy_for_as_long_as_it_slept(self):
        found = self.run_json(*self.command("--max-evals", 10, delay=0.1),
                              code=3)
        self.check_workers(found, 1, found["seconds"])
        took = found["workers"]["seconds"]
        self.assertGreater(took["busy"], 0.3 * took["elapsed"])

    def test_a_resumed_session_reports_its_own_workers(self):
        self.run_json(*self.command("--max-evals", 20, jobs=4), code=3)
        self.assertEqual(self.status()["workers"]["count"], 4)
        self.run_json(*self.command("--max-evals", 40, jobs=2), code=3)
        self.assertEqual(self.status()["workers"]["count"], 2)

    def test_a_function_in_this_process_reports_no_workers(self):
        found = self.run_json("minimize", "rosenbrock", "--max-evals", 20,
                              code=3)
        self.assertIsNone(found["workers"])

    def test_a_width_that_is_too_large_is_refused(self):
        for width in (0, -3, 65537, "many"):
            run = self.run_lrgd(*self.command("--width", width), code=2)
            self.assertIn("--width", run.stderr)


if __name__ == "__main__":
    main()
