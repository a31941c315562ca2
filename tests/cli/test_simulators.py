"""Programs as people write them: a shell script, a Python script, a Fortran
program, a circuit simulator."""
import os
import shutil
import subprocess
import unittest

from harness import Case, HERE, PYTHON, main

SIMS = os.path.join(HERE, "..", "run", "sims")
NGSPICE = os.path.join(HERE, "..", "..", "examples", "ngspice")


class Simulators(Case):
    def asked(self):
        return os.path.getsize(self.path("count"))

    def counted(self, command):
        """A script around a program that counts what it is asked."""
        return "sh " + self.write("counted.sh", "printf x >>" + self.path(
            "count") + "\nexec " + command + "\n")

    def check(self, command):
        """The sum of squares, as a worker and as a program."""
        for flag, name in (("--worker", command),
                           ("--program", self.counted(command))):
            result = self.run_json("minimize", flag, name, "--dim", 3,
                                   "--start", 1, "--jobs", 2)
            self.assertEqual(result["outcome"], "converged", (flag, result))
            self.assertLess(result["f"], 1e-9)
        self.assertEqual(result["evaluations"], self.asked())

    def test_a_shell_script_is_minimised_without_a_wrapper(self):
        self.check("sh " + os.path.join(SIMS, "sphere.sh"))

    def test_a_simulator_as_a_python_script_is_minimised(self):
        self.check(f"{PYTHON} " + os.path.join(SIMS, "sphere.py"))

    @unittest.skipUnless(shutil.which("gfortran"), "needs gfortran")
    def test_a_fortran_program_is_minimised_without_a_wrapper(self):
        subprocess.run(["gfortran", os.path.join(SIMS, "sphere.f90"), "-o",
                        self.path("sphere")], check=True)
        self.check(self.path("sphere"))

    @unittest.skipUnless(shutil.which("ngspice"), "needs ngspice")
    def test_a_circuit_simulator_is_minimised_without_a_wrapper(self):
        """40 component values; the same path for any number of jobs, and
        the run goes on from its journal."""
        command = self.counted("sh " + os.path.join(NGSPICE, "filter.sh"))
        run = ["minimize", "--program", command, "--dim", 40, "--start",
               os.path.join(NGSPICE, "start.txt"), "--log", "all"]
        first = self.run_json(*run, "--max-evals", 1, code=3)
        whole = self.run_json(*run, "--max-evals", 60, "--jobs", 2, code=3)
        self.assertEqual(self.asked(), 1 + whole["evaluations"])
        self.assertLess(whole["f"], first["f"] / 10)
        self.assertEqual(whole["counts"]["failures"], 0)
        os.remove(self.path("count"))
        run += ["--journal", "run.db"]
        self.run_json(*run, "--max-evals", 25, code=3)
        again = self.run_json("resume", "run.db", "--program", command,
                              "--max-evals", 60, code=3)
        self.assertEqual((again["f"], again["x"]), (whole["f"], whole["x"]))
        self.assertEqual(self.asked(), again["evaluations"])


if __name__ == "__main__":
    main()
