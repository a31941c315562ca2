#!/usr/bin/env python3
"""Programs that answer residuals: how many there are is found, every number is
kept, and nothing is paid twice."""

import os
import random
import sys
import time
import unittest

from harness import Case, SIM, SOAK, drive, interrupt, look, start, wait_for


def fit(how="", kind="worker", **more):
    settings = {"residuals": "found", "method": "auto", **more}
    return drive(**{kind: f"{SIM} residuals {how}".strip()}, **settings)


class Answers(Case):
    def test_the_number_of_residuals_is_found_by_one_evaluation(self):
        for kind in ("worker", "program"):
            found = fit(kind=kind, env=self.counted())
            self.assertEqual(found["unused"], 0)
            self.assertEqual(found["evaluations"], found["asked"])
            self.assertEqual(self.count(), found["asked"])
            os.unlink(self.path("count"))
        told = fit(residuals=6)
        self.assertEqual((found["f"], found["hash"]),
                         (told["f"], told["hash"]))
        self.assertLess(float.fromhex(found["f"]), 1e-12)

    def test_a_vector_is_one_evaluation_and_far_fewer_are_needed(self):
        run = fit(dim=12)
        self.assertLess(float.fromhex(run["f"]), 1e-9)
        self.assertLess(run["asked"], 30)

    def test_jobs_and_modes_take_the_same_path(self):
        runs = [fit(jobs=3), fit(), fit(kind="program")]
        self.assertEqual(len({(run["f"], run["hash"]) for run in runs}), 1)


class Failures(Case):
    def test_a_number_that_is_not_finite_fails_the_evaluation(self):
        run = fit("nan:3")
        self.assertEqual((run["failed"], run["started"]), (1, 1))
        self.assertRegex(run["failure"], "not a (finite )?number at byte")
        self.assertLess(float.fromhex(run["f"]), 1e-12)

    def test_residuals_whose_squares_overflow_fail_the_evaluation(self):
        run = fit("huge:4")
        self.assertEqual((run["failed"], run["started"]), (1, 1))
        self.assertIn("beyond all bounds", run["failure"])

    def test_an_answer_with_another_number_of_residuals_names_both_numbers(self):
        run = fit("short:3")
        self.assertIn("6 numbers expected, 5 answered", run["failure"])
        run = fit(residuals=5)
        self.assertIn("5 numbers expected, 6 answered", run["failure"])

    def test_a_start_that_fails_is_tried_again_as_often_as_others(self):
        for retries in (0, 1, 2):
            run = fit("exit:1", retries=retries, env=self.counted())
            self.assertEqual(run["f"], "nan")
            self.assertEqual(run["evaluations"], 1 + retries)
            self.assertEqual(self.count(), 1 + retries)
            self.assertIn("exit status 5", run["failure"])
            os.unlink(self.path("count"))
        run = fit("huge:1", retries=1)  # the second time it answers
        self.assertLess(float.fromhex(run["f"]), 1e-12)
        self.assertEqual((run["failed"], run["unused"]), (1, 0))

    def test_without_any_answer_the_number_of_residuals_is_unknown(self):
        for text, why in (("\\n", "an empty line"), ("abc\\n", "not a number"),
                          ("nan 2 3\\n", "not a finite number at byte 1")):
            run = drive(worker=f"{SIM} say '{text}'", residuals="found",
                        method="auto")
            self.assertIn(why, run["failure"])
            self.assertEqual(run["f"], "nan")

    def test_a_line_too_many_costs_a_question_and_no_wrong_answer(self):
        # noticed at once or at the next question, which is lost too then
        run = fit("line:5")
        self.assertEqual(run["exit"], 0, run)
        self.assertRegex(run["failure"], "out of step|more than one line")
        self.assertLess(float.fromhex(run["f"]), 1e-12)

    def test_a_line_too_many_after_the_first_answer_is_noticed(self):
        # at once, or when the next question comes: then it is asked again
        run = fit("line:1", journal=self.journal)
        self.assertIn(run["exit"], (0, 1), run)
        self.assertRegex(run["failure"], "out of step|more than one line")
        if run["exit"] == 1:
            self.assertIn("cannot be trusted", run["error"])
            self.assertEqual(look(self.journal)["vectors"], 0)


class Journal(Case):
    def test_every_number_is_kept_and_replayed_to_the_bit(self):
        whole = fit(journal=self.journal, env=self.counted())
        paid = self.count()
        self.assertEqual(whole["rows"], paid)
        again = fit(journal=self.journal, env=self.counted())
        self.assertEqual(self.count(), paid)
        self.assertEqual((again["f"], again["hash"], again["replayed"]),
                         (whole["f"], whole["hash"], paid))
        state = look(self.journal)
        self.assertEqual((state["vectors"], state["residuals"],
                          state["wrong"]), (paid, 6, 0))

    def test_a_run_goes_on_where_its_budget_ended(self):
        whole = fit()
        fit(journal=self.journal, max_evals=4)
        run = fit(journal=self.journal, env=self.counted())
        self.assertEqual((run["f"], run["hash"], run["replayed"]),
                         (whole["f"], whole["hash"], 4))
        self.assertEqual(self.count(), whole["asked"] - 4)

    def test_failures_are_kept_those_of_the_start_too(self):
        run = fit("exit:1", retries=1, journal=self.journal)
        self.assertEqual(run["rows"], 2)
        again = fit("exit:1", retries=1, journal=self.journal,
                    env=self.counted())
        self.assertEqual(again["replayed"], 2)

    def test_another_number_of_residuals_is_reported(self):
        fit(journal=self.journal)
        run = fit(journal=self.journal, residuals=5)
        self.assertEqual(run["exit"], 7)
        self.assertIn("of 6 residuals there, of 5 here", run["error"])

    def test_values_and_residuals_are_not_mixed(self):
        fit(journal=self.journal)
        run = drive(worker=f"{SIM} ok", method="auto", journal=self.journal)
        self.assertEqual(run["exit"], 7)
        self.assertIn("a vector of residuals there, a value here",
                      run["error"])

    def test_another_command_is_asked_again_and_compared(self):
        fit(journal=self.journal, max_evals=4, function=1)
        same = fit("same", journal=self.journal, max_evals=6, function=1)
        self.assertEqual((same["exit"], same["checks"]), (0, 1), same)
        other = fit("huge:1", journal=self.journal, function=1)
        self.assertEqual(other["exit"], 7)
        self.assertIn("is of another function", other["error"])

    def test_an_answer_that_cannot_be_trusted_is_taken_back(self):
        # the first worker's line at question 1 belongs to nobody, and what
        # follows differs: the start's answer goes
        script = self.path("liar.sh")
        with open(script, "w", encoding="ascii") as file:
            file.write(f"""#!/bin/sh
if [ -e {self.folder}/seen ]; then other=7; else other=1; fi
touch {self.folder}/seen
n=0
while read -r line; do
  n=$((n + 1)); echo "$other $n 3"
  [ $n = 1 ] && sleep 0.02 && echo "9 9 9"
done
""")
        run = drive(worker=f"sh {script}", residuals="found", method="auto",
                    journal=self.journal)
        self.assertEqual(run["exit"], 1, run)
        self.assertIn("cannot be trusted", run["error"])
        self.assertEqual(look(self.journal)["vectors"], 0)

    def test_a_run_killed_at_any_moment_loses_only_evaluations_in_flight(self):
        dice = random.Random(1)
        settings = {"worker": f"{SIM} residuals wait:3", "dim": 8,
                    "residuals": "found", "method": "auto"}
        whole = drive(**settings)
        kills, done = 60 if SOAK else 12, False
        killed = 0
        while killed < kills and not done:
            process = start(env=self.counted(), journal=self.journal,
                            **settings)
            time.sleep(dice.uniform(0.002, 0.06))
            done = process.poll() is not None
            killed += not done
            process.kill()
            process.communicate()
        last = drive(env=self.counted(), journal=self.journal, **settings)
        self.assertEqual((last["f"], last["hash"], last["rows"]),
                         (whole["f"], whole["hash"], whole["asked"]))
        self.assertLessEqual(self.count() - whole["asked"], last["in_flight"])
        state = look(self.journal)
        self.assertEqual((state["vectors"], state["wrong"], state["gaps"]),
                         (whole["asked"], 0, 0))

    def test_a_run_with_many_jobs_killed_loses_only_evaluations_in_flight(self):
        dice = random.Random(2)
        settings = {"worker": f"{SIM} residuals wait:3", "dim": 16, "jobs": 4,
                    "residuals": "found", "method": "auto"}
        whole = drive(**{**settings, "jobs": 1})
        kills, done, killed = 60 if SOAK else 10, False, 0
        while killed < kills and not done:
            process = start(env=self.counted(), journal=self.journal,
                            **settings)
            time.sleep(dice.uniform(0.002, 0.08))
            done = process.poll() is not None
            killed += not done
            process.kill()
            process.communicate()
        last = drive(env=self.counted(), journal=self.journal, **settings)
        self.assertEqual((last["f"], last["hash"], last["rows"]),
                         (whole["f"], whole["hash"], whole["asked"]))
        self.assertLessEqual(self.count() - whole["asked"], last["in_flight"])
        state = look(self.journal)
        self.assertEqual((state["vectors"], state["wrong"], state["gaps"]),
                         (whole["asked"], 0, 0))

    def test_an_interrupt_keeps_what_was_answered(self):
        settings = {"worker": f"{SIM} residuals wait:20", "dim": 8,
                    "residuals": "found", "method": "auto"}
        process = start(env=self.counted(), journal=self.journal, **settings)
        wait_for(lambda: self.count() >= 3)
        interrupt(process)
        process.communicate()
        paid = self.count()
        self.assertEqual(look(self.journal)["rows"], paid)
        whole = drive(**settings)
        last = drive(env=self.counted(), journal=self.journal, **settings)
        self.assertEqual((last["hash"], last["replayed"]),
                         (whole["hash"], paid))
        self.assertEqual(self.count(), whole["asked"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
