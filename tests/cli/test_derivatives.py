"""Programs that answer derivatives of their residuals: --oracle gradient and
slope with --residuals and lrgd fit."""
import os
import subprocess
import time

from harness import LRGD, main, worker
from observed import Base
import decay

KINDS = {"gradient": "gradients", "slope": "slopes"}
WEIGHTS = [1, 2, 1, 1, 0.5, 1, 0, 1]


class Derivatives(Base):
    def decay(self, what, oracle, *more):
        return worker("decay.py", what, oracle, self.path("count"), *more)

    def run_decay(self, oracle, *more, wrong=(), what="residuals", **how):
        try:
            os.unlink(self.path("count"))
        except FileNotFoundError:
            pass
        flags = ["minimize", "--residuals"]
        if what == "values":
            self.write("obs", "".join(
                f"t{i} {o} {w} g{i // 4}\n" for i, (o, w) in
                enumerate(zip(decay.OBSERVED, WEIGHTS))))
            flags = ["fit", "--observations", "obs"]
        return self.run_json(*flags, "--worker",
                             self.decay(what, oracle, *wrong), "--oracle",
                             oracle, "--dim", 3, "--start", 1, *more, **how)

    def test_they_take_the_place_of_differences(self):
        plain = self.run_decay("value")
        for oracle, kind in KINDS.items():
            told = self.run_decay(oracle)
            self.assertEqual(told["outcome"], "converged")
            self.assertAlmostEqual(told["f"], plain["f"], 10)
            self.assertEqual(self.count(), told["evaluations"])
            counts = told["counts"]["evaluations"]
            self.assertEqual(sum(counts[kind].values()), told["evaluations"])
            for r, s in zip(told["residuals"], decay.answer(
                    "residuals", "value", told["x"])):
                self.assertAlmostEqual(r, s, delta=1e-12)
            self.assertLessEqual(told["evaluations"], plain["evaluations"])
        self.assertEqual(self.run_decay("gradient")["phases"][0]["kind"],
                         "levenberg_marquardt")

    def test_a_program_per_evaluation_and_several_at_once_are_the_same(self):
        for oracle in KINDS:
            alone = self.run_decay(oracle)
            several = self.run_decay(oracle, "--jobs", 3)
            self.assertEqual((several["f"], several["x"]),
                             (alone["f"], alone["x"]))
            other = self.run_decay(oracle, "--method", "quasi-newton",
                                   "--tol", 1e-6)
            self.assertAlmostEqual(other["f"], alone["f"], 8)
            more = self.run_json(
                "minimize", "--residuals", "--program",
                self.decay("residuals", oracle), "--oracle", oracle, "--dim",
                3, "--start", 1)
            self.assertEqual((more["f"], more["evaluations"]),
                             (alone["f"], alone["evaluations"]))

    def test_fit_weighs_the_derivatives_of_simulated_values(self):
        plain = self.run_decay("value", what="values")
        for oracle in KINDS:
            for more in ((), ("--log", "all"), ("--scale", 3),
                         ("--lower", 0.4, "--upper", 5),
                         ("--loss", "huber", "--loss-scale", 0.02)):
                told = self.run_decay(oracle, *more, what="values")
                other = self.run_decay("value", *more, what="values")
                self.assertEqual(told["outcome"], "converged", more)
                self.assertAlmostEqual(told["f"], other["f"], 9)
                self.assertEqual(len(told["observations"]), 8)
            for ours, theirs in zip(
                    self.run_decay(oracle, what="values")
                    ["uncertainty"]["inputs"], plain["uncertainty"]["inputs"]):
                self.assertAlmostEqual(
                    ours["deviation"] / theirs["deviation"], 1, 4)

    def test_a_journal_replays_and_goes_on(self):
        for oracle in KINDS:
            whole = self.run_decay(oracle, what="values")
            journal = f"{oracle}.db"
            self.run_decay(oracle, "--journal", journal, "--max-evals", 4,
                           what="values", code=3)
            flags = ("--worker", self.decay("values", oracle))
            went = self.run_json("resume", journal, *flags, "--max-evals", 900)
            self.assertEqual((went["f"], went["evaluations"], went["x"]),
                             (whole["f"], whole["evaluations"], whole["x"]))
            self.assertEqual(self.count(), whole["evaluations"])
            self.run_lrgd("report", journal)
            self.write("others", "".join(
                f"t{i} {o + 0.01 * i} 1 all\n"
                for i, o in enumerate(decay.OBSERVED)))
            moved = self.run_json("resume", journal, *flags,
                                  "--observations", "others")
            learnt = self.run_json(
                "fit", *flags, "--oracle", oracle, "--dim", 3, "--start", 1,
                "--observations", "others", "--learn-from", journal)
            self.assertAlmostEqual(moved["f"], learnt["f"], 9)

    def test_what_was_answered_before_a_kill_is_not_asked_again(self):
        for oracle in KINDS:
            whole = self.run_decay(oracle)
            os.unlink(self.path("count"))
            flags = ("--worker", self.decay("residuals", oracle, "slow", 0))
            run = subprocess.Popen(
                [LRGD, "minimize", "--residuals", *flags, "--oracle", oracle,
                 "--dim", "3", "--start", "1", "--quiet", "--journal",
                 self.path("kill.db")], stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
            while self.count() < 4:
                time.sleep(0.01)
            run.kill()
            run.wait()
            went = self.run_json("resume", "kill.db", *flags)
            self.assertEqual((went["f"], went["x"], went["evaluations"]),
                             (whole["f"], whole["x"], whole["evaluations"]))
            # the one under way when it was killed may be asked once more
            self.assertLessEqual(self.count(), whole["evaluations"] + 1)
            os.unlink(self.path("kill.db"))

    def test_numbers_that_are_too_few_or_too_many_are_failures(self):
        for oracle in KINDS:
            for wrong in ("short", "long", "text"):
                for at in (1, 3):
                    run = self.run_decay(oracle, "--retries", 1,
                                         wrong=(wrong, at))
                    self.assertEqual(run["counts"]["failures"], 1,
                                     (oracle, wrong, at))
                    self.assertEqual(run["outcome"], "converged")
        for numbers, oracle, says in (
                ("1 2 3 4 5", "gradient", "5 numbers answered; residuals and "
                 "their derivatives are a multiple of 4"),
                ("1 2 3", "slope", "a multiple of 2"),
                ("8", "gradient", "derivatives behind them")):
            run = self.run_lrgd("minimize", "--residuals", "--program",
                                f"/bin/echo {numbers}", "--oracle", oracle,
                                "--dim", 3, code=None)
            self.assertIn(says, run.stderr + run.stdout)

    def test_a_number_that_is_not_finite_is_a_failure_and_not_the_end(self):
        for oracle in KINDS:
            for wrong in ("nan", "nan-derivative"):
                for at in (2, 4):
                    run = self.run_decay(oracle, wrong=(wrong, at))
                    self.assertEqual(run["counts"]["failures"], 1)
                    self.assertEqual(run["outcome"], "converged",
                                     (oracle, wrong, at))

    def test_what_cannot_be_asked_for_is_refused(self):
        self.refused("minimize", "--residuals", "--worker",
                     self.decay("residuals", "value"), "--dim", 3,
                     "--oracle", "complex", says="values, gradients or slopes")
        self.refused("fit", "--pest", "x.pst", "--oracle", "slope",
                     says="--oracle and --pest")
        self.assertEqual(self.count(), 0)


if __name__ == "__main__":
    main()
