"""The width: how many evaluations a run asks for together."""

from harness import main
from kept import Kept


class Width(Kept):
    options = ()

    def same(self, one, other):
        for key in ("f", "x", "evaluations", "rounds", "width", "phases"):
            self.assertEqual(one[key], other[key], key)

    def test_it_is_the_number_of_jobs_unless_it_is_given(self):
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
        run = self.run_lrgd(*self.command(jobs=4))
        self.assertRegex(run.stdout,
                         r"rounds +\d+, with [1-4]\.\d of 4 places busy")
        self.assertGreater(self.status()["busy"], 0)
        self.assertRegex(self.run_lrgd("status", "run.db").stdout,
                         r"busy +\d+\.\d workers on average; 4 evaluations in")

    def test_no_width_beyond_reason_is_taken(self):
        for width in (0, -3, 65537, "many"):
            run = self.run_lrgd(*self.command("--width", width), code=2)
            self.assertIn("--width", run.stderr)


if __name__ == "__main__":
    main()
