"""The n-th allocation of the command fails, once and from then on: no crash,
nothing acknowledged is lost, no journal is called damaged, and the run goes on
as if nothing had been.  SOAK=1: every n; SOAK=k: every k-th."""
import hashlib
import json
import os
import re
import subprocess
import unittest

from harness import Case, LRGD, main

SHIM = os.environ.get("RUN_SHIM", "")
SIM = os.environ.get("RUN_SIM", "")
STEP = int(os.environ.get("SOAK", 331))


@unittest.skipUnless(os.path.exists(SHIM), "preloads, not with sanitizers")
class Memory(Case):
    budget = 12  # evaluations, before the run converges
    run_it = ["minimize", "--worker", f"{SIM} ok", "--dim", 3, "--start", 0.5,
              "--method", "lrgd", "--rank", 1, "--max-evals", budget, "--journal",
              "run.db", "--json", "--quiet"]
    go_on = ["resume", "run.db", "--worker", f"{SIM} ok", "--json", "--quiet"]

    def short(self, command, n):
        """Runs with the n-th allocation failing; its exit status."""
        run = subprocess.run(
            [LRGD, *map(str, command)], cwd=self.folder, timeout=600,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, errors="replace",
            env={**os.environ, "LD_PRELOAD": SHIM, "SHIM_MALLOC": n})
        self.assertIn(run.returncode, (0, 1, 2, 3, 6), (n, run))
        if run.returncode not in (0, 3):
            self.assertNotEqual(run.stderr, "", (n, run))
        return run.returncode

    def forget(self):
        for name in os.listdir(self.folder):
            os.remove(self.path(name))

    def every(self, command, good, prepare, check):
        """good: exit status of a run that had memory enough."""
        for mode in ("", "+"):
            n = 1
            while True:
                prepare()
                code = self.short(command, f"{n}{mode}")
                check(n, mode)
                if code == good and mode == "+":
                    break
                if mode == "" and n > self.most:
                    break
                n += STEP
            self.tried = n
        self.assertGreater(self.tried, STEP)

    def whole(self):
        whole = json.loads(self.run_lrgd(*self.run_it, code=3).stdout)
        self.forget()
        return whole["f"], whole["x"], whole["evaluations"]

    def check_goes_on(self, whole):
        result = json.loads(self.run_lrgd(*self.run_it, code=3).stdout)
        self.assertEqual((result["f"], result["x"], result["evaluations"]),
                         whole)

    def test_minimize_that_lacks_memory_keeps_its_journal(self):
        self.most = 3300
        whole = self.whole()
        self.every(self.run_it, 3, self.forget,
                   lambda n, mode: self.check_goes_on(whole))

    def test_resume_that_lacks_memory_keeps_its_journal(self):
        self.most = 3300
        whole = self.whole()

        def half():
            self.forget()
            self.run_lrgd(*self.run_it, "--max-evals", self.budget // 2, code=3)
        self.every(self.go_on + ["--max-evals", self.budget], 3, half,
                   lambda n, mode: self.check_goes_on(whole))

    def test_status_that_lacks_memory_says_so(self):
        self.most = 1300
        self.run_lrgd(*self.run_it, code=3)
        before = hashlib.sha256(self.read("run.db", "rb")).hexdigest()

        def check(n, mode):
            after = hashlib.sha256(self.read("run.db", "rb")).hexdigest()
            self.assertEqual(before, after, (n, mode))
        self.every(["status", "run.db", "--json"], 0, lambda: None, check)

    def test_a_report_that_lacks_memory_says_so(self):
        """A page is whole or not there, and never a poorer one."""
        self.most = 1600
        self.run_lrgd(*self.run_it, code=3)
        self.run_lrgd("report", "run.db", "-o", "good.html")

        def page(name):
            text = re.sub("Written .* UTC", "", self.read(name))
            return text.replace(name, "")
        good = page("good.html")

        def check(n, mode):
            names = os.listdir(self.folder)
            if "run.html" in names:
                self.assertEqual(page("run.html"), good, (n, mode))
                os.remove(self.path("run.html"))
            self.assertNotIn("run.html.part", names)
        self.every(["report", "run.db", "-o", "run.html"], 0, lambda: None,
                   check)


class Residuals(Memory):
    """The same for a program that answers residuals.  Status is the same."""
    budget = 8
    run_it = ["minimize", "--residuals", "--worker", f"{SIM} residuals",
              "--dim", 5, "--start", 0.5, "--max-evals", budget, "--journal",
              "run.db", "--json", "--quiet"]
    go_on = ["resume", "run.db", "--worker", f"{SIM} residuals", "--json",
             "--quiet"]
    test_status = None


if __name__ == "__main__":
    main()
