"""-tao_type lrgd in programs of PETSc: the same answers as PETSc's own solvers,
on any number of ranks, with TAO's options obeyed.

TAO_PROGRAMS is the folder of the programs, TAO_LRGD the plug-in, MPIRUN what
starts ranks.
"""
import os
import re
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "cli"))
from harness import main  # noqa: E402

FOLDER = os.environ["TAO_PROGRAMS"]
PLUGIN = os.environ["TAO_LRGD"]
MPIRUN = os.environ.get("MPIRUN", "mpirun")
TOLERANCE = 1e-5

# name, its arguments, PETSc's solver for it, on so many ranks (all of 1, 2 and
# 4 for one program, two of them for others, as ranks are dear).  Those on one
# rank only refuse others, or break.  ex1 is in a box, its constraints aside.
GRID = "-mx 20 -my 20".split()
TUTORIALS = [
    ("rosenbrock1", [], "lmvm", [1]),
    ("rosenbrock1f", [], "lmvm", [1]),
    ("rosenbrock2", [], "lmvm", [1]),
    ("rosenbrock3", [], "blmvm", [1]),
    ("eptorsion1", GRID, "lmvm", [1]),
    ("eptorsion2", GRID, "lmvm", [1, 2, 4]),
    ("eptorsion2f", GRID, "lmvm", [1, 4]),
    ("eptorsion3", GRID, "blmvm", [1]),
    ("minsurf1", "-mx 10 -my 8".split(), "lmvm", [1]),
    ("minsurf2", "-mx 10 -my 8".split(), "lmvm", [1, 2]),
    ("burgers_spectral", "-E 4 -N 4 -Tend 0.1".split(), "lmvm", [1]),
    ("spectraladjointassimilation", [], "lmvm", [1]),
    ("elliptic", "-tao_gttol 0".split(), "lmvm", [1, 4]),
    ("parabolic", "-tao_gttol 0".split(), "lmvm", [1, 2]),
    ("hyperbolic", "-tao_gttol 0".split(), "lmvm", [1]),
    ("ex4", [], "lmvm", [1, 2]),
    ("jbearing2", "-mx 16 -my 20".split(), "blmvm", [1, 4]),
    ("plate2", "-mx 8 -my 8 -bmy 3 -bheight 1".split(), "blmvm", [1, 2]),
    ("plate2f", [], "blmvm", [1, 4]),
    ("ex1", [], "blmvm", [1, 2]),
]
# They end with a check of how LMVM recycles, which is not about the answer.
RECYCLE = ("rosenbrock2", "rosenbrock3")
# One whose problem is another on another number of ranks.
OWN_PROBLEM = ("ex4",)


def run(program, ranks, *arguments, code=0, folder=None):
    """What a program writes."""
    got = subprocess.run(
        [MPIRUN, "--oversubscribe", "--bind-to", "none", "-n", str(ranks),
         program if "/" in program else os.path.join(FOLDER, "tao-" + program),
         *map(str, arguments)],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        timeout=600, cwd=folder)
    if code is not None and got.returncode != code:
        raise AssertionError(f"{program} {arguments}: {got.stdout}")
    return got.stdout


def number(text, before):
    """The last number that follows some words."""
    found = re.findall(before + r"\s*(-?[0-9.]+(?:e[-+]?\d+)?)", text)
    if not found:
        raise AssertionError(f"no {before!r} in\n{text}")
    return float(found[-1].rstrip("."))


def solve(program, ranks, solver, *arguments):
    """(value, evaluations, norm of the gradient, all that was written)."""
    text = run(program, ranks, "-tao_type", solver, "-dll_prepend", PLUGIN,
               "-tao_view", "-tao_gatol", TOLERANCE, "-tao_grtol", 1e-14,
               *arguments, code=None if program in RECYCLE else 0)
    f = number(text, "Objective value=")
    asked = number(text, r"number of function(?:/gradient)? evaluations=")
    return f, int(asked), number(text, "Residual in Function/Gradient:="), text


def has(program):
    return os.path.exists(os.path.join(FOLDER, "tao-" + program))


class Tutorials(unittest.TestCase):
    """PETSc's own programs, which were never told of lrgd."""

    @unittest.skipUnless(has("eptorsion2"),
                         "needs libpetsc3.18-dev-examples")
    def test_the_tutorials_end_where_petscs_solvers_do(self):
        print(f"\n{'tutorial':28}{'ranks':>6}{'PETSc':>8}{'asked':>6}"
              f"{'lrgd':>6}{'f':>14}{'|g|':>10}")
        for name, arguments, peer, sizes in TUTORIALS:
            if not has(name):
                continue
            theirs = first = None
            for ranks in sizes:
                if theirs is None or name in OWN_PROBLEM:
                    theirs, asked, _, _ = solve(name, ranks, peer, *arguments)
                with self.subTest(tutorial=name, ranks=ranks):
                    f, n, norm, text = solve(name, ranks, "lrgd", *arguments)
                    print(f"{name:28}{ranks:6}{peer:>8}{asked:6}{n:6}"
                          f"{f:14.6g}{norm:10.2e}")
                    self.assertIn("Solution converged", text)
                    self.assertLessEqual(norm, TOLERANCE)
                    # six digits are printed; two points with gradients of
                    # 1e-5 differ by far less in value
                    self.assertLessEqual(abs(f - theirs),
                                         2e-5 * max(abs(theirs), 1e-3))
                    first = first or n
                    self.assertLessEqual(abs(n - first), 0.1 * first + 2)


def fit(solver, ranks, *arguments):
    """(f as the solver tells it, evaluations, x, all that was written)."""
    text = run("fit", ranks, "-tao_type", solver, "-tao_view", *arguments)
    x = [float(line) for line in
         re.findall(r"^-?[0-9.]+(?:e-?\d+)?$", text, re.MULTILINE)]
    return (number(text, r"\n  Objective value="),
            int(number(text, r"\n  total number of function evaluations=")),
            x, text)


class Residuals(unittest.TestCase):
    """Programs that give residuals, as for POUNDERS and BRGN."""

    def same(self, x, y, tolerance=1e-3):
        self.assertEqual(len(x), 4)
        for mine, theirs in zip(x, y):
            self.assertAlmostEqual(mine, theirs, delta=tolerance)

    def test_a_fit_ends_where_pounders_ends(self):
        # the vector of weights apart: there POUNDERS stops beside the minimum
        for flags in ([], ["-weights", "diagonal"], ["-weights", "matrix"]):
            with self.subTest(flags=flags):
                twice, _, theirs, _ = fit("pounders", 1, *flags)
                f, asked, x, text = fit("lrgd", 1, *flags)
                self.assertIn("Solution converged", text)
                self.assertAlmostEqual(f, twice / 2, delta=1e-5 * twice)
                self.same(x, theirs)
                self.assertLess(asked, 150)

    def test_weights_by_vector_and_by_entries_are_the_same(self):
        f, asked, x, _ = fit("lrgd", 1, "-weights", "vector")
        other, again, y, _ = fit("lrgd", 1, "-weights", "diagonal")
        self.assertAlmostEqual(f, other, delta=1e-9 * f)
        self.same(x, y, 1e-5)
        plain = fit("lrgd", 1)[2]
        self.assertGreater(abs(plain[2] - x[2]), 0.05)

    def test_several_ranks_work_on_f_by_values_or_by_the_jacobian(self):
        _, _, x, _ = fit("lrgd", 1, "-tao_gatol", 1e-6)
        for flags in ([], ["-jacobian"]):
            with self.subTest(flags=flags):
                _, asked, y, text = fit("lrgd", 2, "-tao_gatol", 1e-6, *flags)
                self.assertIn("Solution converged", text)
                self.same(x, y)
                if flags:
                    self.assertLess(asked, 100)

    def test_weights_that_are_no_squares_are_refused_in_a_sentence(self):
        text = run("fit", 1, "-tao_type", "lrgd", "-weights", "negative",
                   code=None)
        self.assertIn("the weights of the residuals are not positive definite "
                      "(row 0)", text)
        text = run("fit", 2, "-tao_type", "lrgd", "-weights", "matrix",
                   code=None)
        self.assertIn("entries of a weight matrix are for one rank, not 2",
                      text)

    @unittest.skipUnless(has("chwirut1"), "needs libpetsc3.18-dev-examples")
    def test_petscs_tutorials_run_unmodified(self):
        for name, ranks in (("chwirut1", 1), ("chwirut2", 3)):
            with self.subTest(tutorial=name):
                text = run(name, ranks, "-tao_type", "lrgd", "-dll_prepend",
                           PLUGIN, "-tao_view")
                self.assertIn("Solution converged", text)
                # NIST certifies 2384.4771393 for the sum of squares
                self.assertAlmostEqual(number(text, "Objective value="),
                                       2384.4771393 / 2, delta=0.01)
                asked = number(text, "total number of function evaluations=")
                self.assertLess(asked, 60)
                print(f"{name}: {asked:.0f} evaluations, {ranks} ranks")

    @unittest.skipUnless(has("cs1") and os.environ.get("TAO_DATA"),
                         "needs libpetsc3.18-dev-examples")
    def test_a_tutorial_of_brgn_runs_unmodified(self):
        text = run("cs1", 1, "-tao_type", "lrgd", "-dll_prepend", PLUGIN,
                   "-tao_view", folder=os.environ["TAO_DATA"])
        self.assertIn("Solution converged", text)
        # its regulariser aside the data can be met
        self.assertLess(number(text, "Objective value="), 1e-8)


class Field(unittest.TestCase):
    """examples/petsc/field.c: nine sensors, a PDE, p = 1600."""

    def test_the_field_explains_what_the_sensors_saw(self):
        text = run(os.environ["TAO_FIELD"], 2, "-n", 40, "-tao_type", "lrgd",
                   "-dll_prepend", PLUGIN, "-tao_view", "-tao_gatol", 1e-3,
                   "-tao_grtol", 0)
        self.assertIn("Solution converged", text)
        self.assertLess(number(text, "Objective value="), 1e-4)
        # far fewer than the 1600 values that one gradient costs without
        # the adjoint equation
        self.assertLess(number(text, "function/gradient evaluations="), 100)

    def test_the_gradient_of_the_example_is_right(self):
        text = run(os.environ["TAO_FIELD"], 1, "-n", 12, "-tao_type", "lmvm",
                   "-tao_test_gradient", "-tao_max_it", 0)
        self.assertLess(number(text, r"2-norm \|\|G - Gfd\|\|/\|\|G\|\| ="),
                        1e-4)


class Options(unittest.TestCase):
    """TAO's options, and ours of the one table."""

    def test_values_alone_are_enough_on_distributed_vectors(self):
        first = None
        for ranks in (1, 2, 4):
            text = run("value", ranks, "-tao_view", "-tao_gatol", 1e-4,
                       "-tao_converged_reason")
            self.assertIn("CONVERGED_GATOL", text)
            self.assertLess(number(text, "Objective value="), 1e-7)
            asked = number(text, "total number of function evaluations=")
            print("values only, p = 1000:", ranks, "ranks,", int(asked))
            self.assertLess(asked, 1000)  # fewer than one gradient costs
            first = first or asked
            self.assertLessEqual(abs(asked - first), 0.1 * first)

    def test_messages_do_not_grow_with_the_vector(self):
        sent = []
        for p in (1000, 8000):
            text = run("value", 2, "-p", p, "-tao_view", "-tao_gatol", 1e-4)
            asked = number(text, "total number of function evaluations=")
            sent.append(number(text, r"reductions,") / asked)
        self.assertLess(sent[1], 3 * sent[0])

    def test_tao_evaluates_no_point_outside_the_bounds(self):
        text = run("value", 2, "-p", 200, "-bound", 0.25, "-tao_view",
                   "-tao_gatol", 1e-3)
        self.assertLessEqual(number(text, "largest"), 0.25)
        self.assertIn("Solution converged", text)

    def test_monitor_and_limits_are_obeyed(self):
        text = run("value", 1, "-tao_monitor", "-tao_max_it", 3,
                   "-tao_converged_reason")
        self.assertIn("DIVERGED_MAXITS", text)
        shown = re.findall(r"^ *(\d+) TAO,", text, re.MULTILINE)
        self.assertEqual(shown, ["0", "1", "2", "3"])
        text = run("value", 1, "-tao_max_funcs", 40, "-tao_converged_reason",
                   "-tao_view")
        self.assertIn("DIVERGED_MAXFCN", text)
        self.assertLessEqual(
            number(text, "total number of function evaluations="), 40)

    @unittest.skipUnless(has("eptorsion2"),
                         "needs libpetsc3.18-dev-examples")
    def test_every_tolerance_of_tao_ends_a_run(self):
        for flags, reason in (("-tao_gatol 1e-3 -tao_grtol 0", "GATOL"),
                              ("-tao_gatol 0 -tao_grtol 3e-7", "GRTOL"),
                              ("-tao_gatol 0 -tao_grtol 0 -tao_gttol 1e-3",
                               "GTTOL"),
                              ("-tao_fmin -0.3", "MINF"),
                              ("-tao_gatol 0 -tao_grtol 0 -tao_max_funcs 9",
                               "MAXFCN")):
            with self.subTest(flags=flags):
                text = run("eptorsion2", 2, *GRID, "-tao_type", "lrgd",
                           "-dll_prepend", PLUGIN, "-tao_view",
                           "-tao_converged_reason", *flags.split())
                self.assertIn("VERGED_" + reason, text)
                f = number(text, "Objective value=")
                norm = number(text, "Residual in Function/Gradient:=")
                asked = number(text, "function/gradient evaluations=")
                self.assertTrue({"GATOL": norm <= 1e-3,
                                 "GRTOL": norm <= 3e-7 * abs(f),
                                 "GTTOL": asked > 1 and norm < 1e-2,
                                 "MINF": f <= -0.3 and asked < 9,
                                 "MAXFCN": asked <= 9}[reason], text)

    def test_options_are_those_of_the_table(self):
        text = run("value", 1, "-tao_view", "-tao_lrgd_method", "lrgd",
                   "-tao_lrgd_rank", 4, "-tao_gatol", 1e-3, "-p", 50)
        self.assertIn("method: lrgd", text)
        self.assertIn("rank: 4", text)
        text = run("value", 1, "-tao_lrgd_rank", -3, code=None)
        self.assertIn("rank is -3; it must be >= 1", text)
        self.assertIn("-tao_lrgd_max_evals", run("value", 1, "-help"))


if __name__ == "__main__":
    main()
