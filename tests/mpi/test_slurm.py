"""examples/slurm/minimize.sh, with a stand-in for srun that starts as many
ranks by mpirun; Slurm itself is not needed.

LRGD names the command, MPIRUN what starts ranks.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
from harness import LRGD, PYTHON, Case, main  # noqa: E402

SCRIPT = os.path.join(HERE, "..", "..", "examples", "slurm", "minimize.sh")
MPIRUN = os.environ.get("MPIRUN", "mpirun")
WORKER = " ".join([PYTHON, os.path.join(HERE, "sphere.py")])
PROBLEM = ["--worker", WORKER, "--dim", "40", "--start", "1", "--json",
           "--quiet"]
SRUN = f"""#!/bin/sh
[ "$1" = --mpi=pmix ] || exit 9
shift
exec {MPIRUN} --oversubscribe --bind-to none -n "$SLURM_NTASKS" "$@"
"""


class Slurm(Case):
    """The script of a job."""

    def submit(self, ranks, *more, code=0):
        os.makedirs(self.path("bin"), exist_ok=True)
        with open(self.path("bin/srun"), "w", encoding="ascii") as srun:
            srun.write(SRUN)
        os.chmod(self.path("bin/srun"), 0o755)
        here = os.pathsep.join((self.path("bin"), os.path.dirname(LRGD),
                                os.environ["PATH"]))
        run = subprocess.run(
            ["sh", SCRIPT, *PROBLEM, *map(str, more)], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=600,
            cwd=self.folder,
            env={**os.environ, "PATH": here, "SLURM_NTASKS": str(ranks)})
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return run

    def test_a_job_that_was_cut_goes_on_with_fewer_ranks(self):
        plain = self.run_json("minimize", *PROBLEM, "--width", 4)
        self.submit(5, "--max-evals", 20, code=3)
        found = json.loads(self.submit(3).stdout)
        for key in ("outcome", "f", "x", "evaluations", "rounds", "width"):
            self.assertEqual(found[key], plain[key], key)
        self.assertEqual(found["journal"]["replayed"], 20)

    def test_one_rank_is_refused_with_a_sentence(self):
        self.assertIn("one rank evaluates nothing",
                      self.submit(1, code=2).stderr)


if __name__ == "__main__":
    main()
