"""What a run is given beside f: .npy files, names, scales, logarithms; and
what is shown while it runs."""
import json
import math
import re
import sqlite3
import struct
import sys

from harness import PYTHON, Case, main, worker

SCALES = """
import math, sys
# minimum at (1e-3, 2, 5e4), each input in units of its own
for line in sys.stdin:
    a, b, c = map(float, line.split())
    print((math.log(a / 1e-3)) ** 2 + (b - 2) ** 2 + (c / 5e4 - 1) ** 2,
          flush=True)
"""


def npy(numbers, descr="<f8", shape=None, order="False", version=1,
        header=None, more=b""):
    """A .npy file, by the format's description."""
    letter = {"<f8": "d", "<f4": "f", "<i8": "q"}.get(descr, "d")
    shape = shape or f"({len(numbers)},)"
    text = header
    if text is None:
        text = (f"{{'descr': '{descr}', 'fortran_order': {order}, "
                f"'shape': {shape}, }}")
    width = "<H" if version == 1 else "<I"
    size = 8 + struct.calcsize(width)
    text += " " * (-(size + len(text) + 1) % 64) + "\n"
    return (b"\x93NUMPY" + bytes([version, 0]) +
            struct.pack(width, len(text)) + text.encode() +
            struct.pack(f"<{len(numbers)}{letter}", *numbers) + more)


PLANE = """
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    ok = (abs(sum(x) - 3) < 1e-13 and abs(x[0] - x[1]) < 1e-13
          and all(0 <= v <= 1 for v in x))
    print(sum((i + 1) * (v - 0.2 * i) ** 2 for i, v in enumerate(x))
          if ok else "off", flush=True)
"""


class Equal(Case):
    def setUp(self):
        super().setUp()
        self.write("A.txt", "1 1 1 1 1 1 1 1\n\n1 -1 0 0 0 0 0 0\n")
        self.write("b.txt", "3\n0\n")
        self.write("plane.py", PLANE)
        self.worker = f"{PYTHON} plane.py"
        self.plain = ("minimize", "--worker", self.worker, "--dim", 8,
                      "--lower", 0, "--upper", 1)

    def test_equations_are_kept_within_bounds(self):
        found = self.run_json(*self.plain, "--equal", "A.txt", "b.txt")
        self.assertEqual(found["outcome"], "converged")
        self.assertEqual(found["counts"]["failures"], 0)
        self.assertAlmostEqual(sum(found["x"]), 3, places=12)

    def test_a_run_is_resumed_with_its_equations(self):
        whole = self.run_json(*self.plain, "--equal", "A.txt", "b.txt")
        self.run_lrgd(*self.plain, "--equal", "A.txt", "b.txt", "--journal",
                      "run.db", "--max-evals", 20, "--quiet", code=3)
        found = self.run_json("resume", "run.db", "--worker",
                              self.worker, "--max-evals", 9999)
        self.assertEqual((found["x"], found["evaluations"]),
                         (whole["x"], whole["evaluations"]))

    def test_equations_are_those_of_x_whatever_the_scale(self):
        self.write("scale", "1\n2\n1\n5\n1\n1\n1\n9\n")
        found = self.run_json(*self.plain, "--equal", "A.txt", "b.txt", "--scale",
                          "scale")
        self.assertEqual(found["counts"]["failures"], 0)
        self.assertAlmostEqual(sum(found["x"]), 3, places=10)

    def test_wrong_equations_are_refused_with_file_and_line(self):
        self.write("short", "1 1 1\n")
        self.write("three", "1\n2\n3\n")
        self.write("large", "30\n0\n")
        for more, says in ((("A.txt",), "wants two values"),
                           (("short", "b.txt"), "short:1: 3 numbers"),
                           (("A.txt", "three"), "2 rows and b 3"),
                           (("A.txt", "none"), "none"),
                           (("A.txt", "large"), "0 to 8, and b is 30"),
                           (("A.txt", "b.txt", "--method", "gd"),
                            "auto and quasi-newton can"),
                           (("A.txt", "b.txt", "--log", "all"),
                            "without --log")):
            self.refused(*self.plain, "--equal", *more, says=says)


class Npy(Case):
    def minimize(self, *more):
        return ("minimize", "quadratic", "--set", "p=3", "--set", "rank=1",
                "--rank", 1, "--max-evals", 1, *more)

    def put(self, data, name="start.npy"):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def test_saved_numbers_are_read_back_exactly(self):
        for descr, numbers in (("<f8", [0.1, -1e3, 5e-324]),
                               ("<f4", [0.5, -0.25, 3]),
                               ("<i8", [2 ** 53, -7, 0])):
            for version in (1, 2, 3):
                self.put(npy(numbers, descr, version=version))
                result = self.run_json(*self.minimize(
                    "--start", "start.npy", "--oracle", "gradient"), code=3)
                self.assertEqual(result["x"], numbers)

    def test_bounds_may_be_infinite_and_a_start_may_not(self):
        self.put(npy([-math.inf, 2, -math.inf]), "lower.npy")
        result = self.run_json(*self.minimize("--lower", "lower.npy",
                                              "--start", 3), code=3)
        self.assertGreaterEqual(result["x"][1], 2)
        for bad in (math.inf, math.nan):
            self.put(npy([1, bad, 2]))
            self.refused(*self.minimize("--start", "start.npy"),
                         says="number 2")

    def test_the_count_is_checked_and_gives_the_dimension(self):
        self.put(npy([1, 2, 3, 4]))
        self.refused(*self.minimize("--start", "start.npy"),
                     says="has 4 numbers; the problem has 3 inputs")
        result = self.run_json("minimize", "--worker",
                               worker("bowl.py", "value"), "--start",
                               "start.npy", "--rank", 2)
        self.assertEqual(result["dimension"], 4)

    def test_files_in_other_formats_are_refused(self):
        good = npy([1, 2, 3])
        cases = [npy([1, 2, 3], descr=d) for d in
                 (">f8", "=f8", "|u1", "<f2", "<c16", "|O", "<f8' or '<f8")]
        cases += [npy([1, 2, 3], shape=s) for s in
                  ("(3)", "(3, 1)", "()", "(-3,)", "(3,,)", "[3,]", "(0x3,)",
                   "(99999999999999999999,)", "(2305843009213693951,)",
                   "(4,)", "(2,)")]
        cases += [npy([1, 2, 3], header=h) for h in (
            "__import__('os').system('touch evaluated')",
            "{'descr': '<f8', 'fortran_order': False}",
            "{'descr': '<f8', 'descr': '<f8', 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)} + {}",
            "{'descr': open('x'), 'fortran_order': False, 'shape': (3,)}",
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), 'a': 1}",
            "{'descr': '<f8' 'fortran_order': False 'shape': (3,)}", "{", "")]
        cases += [npy([1, 2, 3], order="True"), npy([1, 2, 3], version=4),
                  npy([1, 2, 3], more=b"x"), npy([], shape="(0,)"),
                  npy([2 ** 53 + 1] * 3, "<i8")]
        cases += [good[:n] for n in (1, 5, 6, 8, 9, 10, 40, len(good) - 1)]
        for data in cases:
            self.put(data)
            self.refused(*self.minimize("--start", "start.npy"),
                         says="start.npy: ")

    def test_a_pipe_is_read_as_text(self):
        import os
        import subprocess
        from harness import LRGD
        read, write = os.pipe()
        os.write(write, b"1\n2\n3\n")
        os.close(write)
        run = subprocess.run(
            [LRGD, *map(str, self.minimize("--start", f"/dev/fd/{read}")),
             "--json", "--quiet"], pass_fds=[read], text=True,
            stdout=subprocess.PIPE)
        os.close(read)
        self.assertEqual(json.loads(run.stdout)["x"], [1, 2, 3])


class Widths(Case):
    """Inputs in units of their own, in a box."""

    WORKER = """
import math, sys
sizes = [1e5, 1e-6, 1, 1e-3]
for line in sys.stdin:
    y = [float(word) / sizes[i % 4] for i, word in enumerate(line.split())]
    f = sum((1 + i % 3) * (z - 0.4) ** 2 for i, z in enumerate(y))
    print(f + sum(z * math.sin(i) for i, z in enumerate(y)) ** 2 / 10,
          flush=True)
"""

    def minimize(self, p, *more, **how):
        sizes = [[1e5, 1e-6, 1, 1e-3][i % 4] for i in range(p)]
        self.write("sizes.py", self.WORKER)
        self.write("upper.txt", "".join(f"{size}\n" for size in sizes))
        self.write("start.txt", "".join(f"{0.8 * size}\n" for size in sizes))
        return self.run_lrgd(
            "minimize", "--worker", f"{sys.executable} sizes.py", "--dim", p,
            "--lower", 0, "--upper", "upper.txt", "--start", "start.txt",
            *more, **how)

    def test_each_input_is_measured_in_the_width_of_its_box(self):
        for p in (4, 12, 40):
            run = self.minimize(p)
            self.assertIn("widths of the bounds differ by 1e+11 times",
                          run.stderr)
            self.assertTrue(run.stdout.startswith("Converged"), run.stdout)
            result = json.loads(self.minimize(p, "--json", "--quiet").stdout)
            self.assertLess(result["evaluations"], 40 * p + 200)
            ours = result["f"]
            best = json.loads(self.minimize(
                p, "--json", "--quiet", "--scale", "upper.txt", "--tol",
                "1e-9", "--method", "quasi-newton", code=None).stdout)["f"]
            self.assertLess(ours, best + 1e-9, p)

    GENEROUS = """
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    f = sum((1 + i) * (y - 2 - i) ** 2 for i, y in enumerate(x))
    print(f + sum(x) ** 2, flush=True)
"""

    def test_a_very_wide_bound_does_not_set_the_scale(self):
        self.write("plain.py", self.GENEROUS)
        for top in ("1e4", "1e9", "1e16"):
            self.write("upper.txt", f"{top}\n10\n10\n")
            run = self.run_lrgd(
                "minimize", "--worker", f"{sys.executable} plain.py", "--dim",
                3, "--start", 1, "--lower", 0, "--upper", "upper.txt")
            self.assertNotIn("widths", run.stderr)
            best = float(re.search(r"f +([0-9.]+)", run.stdout)[1])
            self.assertAlmostEqual(best, 30.7272727, 4, top)

    def test_steps_and_tolerances_given_in_units_of_x_prevent_scaling(self):
        for more in (["--method", "gd"], ["--mu", 2, "--epsilon", "1e-8"]):
            run = self.minimize(4, "--max-evals", 9, *more, code=None)
            self.assertNotIn("widths", run.stderr)

    def test_a_scaling_is_recorded_and_can_be_declined(self):
        self.minimize(12, "--max-evals", 30, "--journal", "run.db", code=3)
        run = self.run_lrgd("resume", "run.db", "--worker",
                            f"{sys.executable} sizes.py", "--max-evals", 900)
        self.assertTrue(run.stdout.startswith("Converged"), run.stdout)
        for more in (["--scale", 1], ["--tol", "1e-3"]):
            run = self.minimize(12, "--max-evals", 5, *more, code=3)
            self.assertNotIn("widths", run.stderr)


class Names(Case):
    def minimize(self, *more):
        return ("minimize", "--worker", worker("bowl.py", "value"), "--dim", 3,
                "--rank", 2, *more)

    def test_inputs_that_did_not_move_are_not_among_those_that_did(self):
        names = self.write("names", "width\nheight\n_depth2\n")
        run = self.run_lrgd("minimize", "--worker", "false", "--dim", 3,
                            "--names", names, code=4)
        self.assertIn("the start cannot be evaluated", run.stdout)
        self.assertNotIn("moved most", run.stdout)

    def test_the_inputs_that_moved_most_are_shown_by_name(self):
        names = self.write("names", "width\nheight\n_depth2\n")
        run = self.run_lrgd(*self.minimize("--names", names))
        self.assertRegex(run.stdout, r"moved most +\w+: 0 -> ")
        self.assertIn("_depth2: 0 -> 1", run.stdout)
        result = self.run_json(*self.minimize("--names", names))
        self.assertEqual(result["names"], ["width", "height", "_depth2"])

    def write_wall(self, least, wall):
        """A bowl, least so far from 0, beyond a wall of the third input."""
        self.write("wall.py", f"""
import sys
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    f = sum((i + 1) * (y - {least}) ** 2 for i, y in enumerate(x))
    print("nan" if x[2] > {wall} else f, flush=True)
""")

    def test_messages_name_inputs(self):
        self.write_wall(least=1, wall=0.5)
        self.write("names.txt", "".join(f"knob{i}\n" for i in range(12)))
        run = ["minimize", "--worker", f"{sys.executable} wall.py",
               "--dim", 12, "--start", 0]
        named = self.run_lrgd(*run, "--names", "names.txt", code=3).stdout
        self.assertRegex(named, r"where input 3 \(knob2\) is above 0\.(5|4999)")
        self.assertRegex(self.run_lrgd(*run, code=3).stdout,
                         r"where input 3 is above 0\.(5|4999)")

    def test_decisions_in_events_and_journals_are_in_the_users_units(self):
        self.write_wall(least=5, wall=2)
        self.write("names.txt", "".join(f"knob{i}\n" for i in range(6)))
        self.run_lrgd("minimize", "--worker", f"{sys.executable} wall.py",
                      "--dim", 6, "--start", 1, "--lower", 0.1, "--upper", 10,
                      "--log", "all", "--names", "names.txt", "--events",
                      "events", "--journal", "run.db", "--quiet", code=3)
        told = [json.loads(line) for line in self.read("events").splitlines()]
        told = [one for one in told if one.get("kind") == "hidden_bound"]
        database = sqlite3.connect(self.path("run.db"))
        kept = database.execute("SELECT input, side, value FROM decisions "
                                "WHERE kind = 'hidden_bound'").fetchall()
        database.close()
        self.assertTrue(told and len(told) == len(kept))
        for event, row in zip(told, kept):
            self.assertIn("input 3 (knob2) is above 2", event["text"])
            self.assertEqual((event["input"], event["side"]), (3, "upper"))
            self.assertEqual((3, 1, event["value"]), row)
            self.assertAlmostEqual(event["value"], 2, 3)

    def test_a_wall_is_reported_in_the_units_of_its_input(self):
        self.write_wall(least=5, wall=2)
        run = ["minimize", "--worker", f"{sys.executable} wall.py", "--dim", 6,
               "--start", 1, "--lower", 0.1, "--upper", 10]
        for name, more in (("as-is", []), ("scale", ["--scale", 10]),
                           ("log", ["--log", "all"])):
            result = self.run_json(*run, *more, code=3)
            told = [phase["text"] for phase in result["phases"]
                    if phase["kind"] == "hidden_bound"]
            for bound in (*result["hidden_bounds"], result["held"]):
                self.assertEqual((bound["input"], bound["side"]), (3, "upper"))
                self.assertAlmostEqual(bound["value"], 2, 3)
            self.assertEqual(len(result["hidden_bounds"]), 1)
            self.assertEqual(result["stall_reason"], "unevaluable")
            self.run_lrgd(*run, *more, "--journal", f"{name}.db", "--quiet",
                          code=3)
            self.run_lrgd("report", f"{name}.db", "-o", f"{name}.html")
            page = re.findall("input 3 is above [0-9.]+",
                              self.read(f"{name}.html"))
            self.assertGreaterEqual(len(page), 2)
            for text in [result["message"], *told, *page]:
                at = re.search(r"input 3 is above ([0-9.]+)", text)
                self.assertAlmostEqual(float(at[1]), 2, 3, text)

    def test_names_are_kept_in_the_journal(self):
        names = self.write("names", "a\nb\nc\n")
        self.run_json(*self.minimize("--names", names, "--journal", "run.db"))
        result = self.run_json("resume", "run.db", "--worker",
                               worker("bowl.py", "value"))
        self.assertEqual(result["names"], ["a", "b", "c"])

    def test_an_invalid_name_of_an_input_is_refused(self):
        for text, says in (("a\nb b\nc\n", "names:2: "),
                           ("a\n2b\nc\n", "names:2: "),
                           ("a\n\nc\n", "names:2: "),
                           ("a\nb\xe9\nc\n", "names:2: "),
                           (f"a\n{'b' * 64}\nc\n", "names:2: "),
                           ("a\nb\n", "2 names; the problem has 3 inputs"),
                           ("a\nb\nc\nd\n", "names:4: one name too many"),
                           ("a\nb\na\n", '"a" is there twice')):
            self.refused(*self.minimize("--names",
                                        self.write("names", text)), says=says)
        self.refused(*self.minimize("--names", "nowhere"), says="nowhere")


class Variables(Case):
    """--scale and --log: the solver works in others, the program does not
    notice."""
    answer = (1e-3, 2, 5e4)

    def minimize(self, *more):
        script = self.write("scales.py", SCALES)
        start = self.write("start", "1\n1\n1\n")
        return ("minimize", "--worker", f"/usr/bin/python3 {script}",
                "--start", start, "--method", "gd", "--step", "bfgs", "--tol",
                "1e-7", "--max-evals", 2000, *more)

    def check(self, result):
        self.assertEqual(result["outcome"], "converged")
        for x, best in zip(result["x"], self.answer):
            self.assertAlmostEqual(x / best, 1, places=4)

    def test_a_run_with_inputs_of_different_units_converges(self):
        log = self.write("log", "1\n")
        scale = self.write("scale", "1\n1\n5e4\n")
        result = self.run_json(*self.minimize("--log", log, "--scale", scale))
        self.check(result)
        self.assertTrue(result["scaled"])
        self.assertLess(result["evaluations"], 100)
        self.check(self.run_json(*self.minimize("--log", "all")))

    def test_coordinates_may_be_named(self):
        names = self.write("names", "tiny\nplain\nhuge\n")
        log = self.write("log", "huge\n\n1\n")
        self.check(self.run_json(*self.minimize("--names", names, "--log",
                                                log)))

    def test_bounds_hold_in_the_programs_units(self):
        lower = self.write("lower", "-5\n2.5\n-inf\n")
        upper = self.write("upper", "0.3\ninf\n3e4\n")
        result = self.run_json(*self.minimize(
            "--log", "all", "--scale", 3, "--lower", lower, "--upper", upper,
            "--tol", "1e-6", "--start", 0.2, "--start", self.write("s", "0.2\n3\n1e4\n")))
        for x, best in zip(result["x"], (1e-3, 2.5, 3e4)):
            self.assertAlmostEqual(x / best, 1, places=4)
        self.assertGreaterEqual(result["x"][1], 2.5)
        self.assertLessEqual(result["x"][2], 3e4)

    def test_every_oracle_obeys_the_chain_rule(self):
        for oracle in ("value", "gradient", "slope", "complex"):
            plain = ("minimize", "quadratic", "--set", "p=8", "--set",
                     "rank=3", "--oracle", oracle, "--method", "gd", "--step",
                     "bfgs", "--tol", "1e-3")
            scale = self.write("scale", "".join(
                f"{2.0 ** (i - 3)}\n" for i in range(8)))
            result = self.run_json(*plain, "--scale", scale)
            self.assertEqual(result["outcome"], "converged", oracle)
            self.assertLess(result["f"], 1e-5)
            positive = self.run_json(*plain, "--log", "all", "--start", 1)
            self.assertEqual(positive["outcome"], "converged", oracle)
            self.assertLess(positive["f"], 1e-5)
            self.assertGreater(min(positive["x"]), 0)

    def test_bounds_in_the_wrong_order_are_the_only_error_reported(self):
        self.refused("minimize", "quadratic", "--set", "p=5", "--start", 0,
                     "--lower", 1, "--upper", 0, says="its lower bound is 1")

    def test_impossible_scales_and_logarithms_are_refused(self):
        self.refused(*self.minimize("--scale", 0), says="must be > 0")
        self.refused(*self.minimize("--scale", -1), says="coordinate 1")
        self.refused(*self.minimize("--scale", "inf"), says="--scale")
        self.refused(*self.minimize("--log", "all", "--start", 0, "--dim", 3),
                     says="starts at 0; it must be > 0")
        self.refused(*self.minimize("--log", "all", "--upper", -1),
                     says="at most -1")
        for text in ("0\n", "4\n", "x\n", "1.5\n", "1 2\n"):
            self.refused(*self.minimize("--log", self.write("log", text)),
                         says="log:1: ")


class Shown(Case):
    def test_a_slow_first_evaluation_is_reported_in_a_log(self):
        run = self.run_lrgd(
            "minimize", "--worker", worker("bowl.py", "value", "-", 2.4),
            "--dim", 2, "--rank", 1, "--max-evals", 2, code=3)
        self.assertRegex(run.stderr, r"(?m)^0:02  1 asked, 0 answered")

    def test_the_lowest_answer_is_reported_before_the_first_iteration(self):
        run = self.run_lrgd(
            "minimize", "--worker", worker("bowl.py", "value", "-", 0.25),
            "--dim", 12, "--start", 1, "--method", "gd", "--max-evals", 13,
            code=3)
        self.assertRegex(run.stderr, r"(?m)^0:0\d  best \d\S*  \d+ evaluation")

    def test_a_run_that_models_all_inputs_says_so(self):
        run = self.run_lrgd("minimize", "airfoil", "--max-evals", 150, code=3)
        self.assertIn("  directions    all 36 inputs\n", run.stdout)
        self.assertNotIn("oracle calls", run.stdout)
        told = self.run_lrgd("minimize", "airfoil", "--max-evals", 150,
                             "--json", code=3)
        self.assertEqual(json.loads(told.stdout)["rank"], 36)

    def test_verbose_shows_purposes_oracle_calls_and_decisions(self):
        run = self.run_lrgd("minimize", "quadratic", "--verbose")
        self.assertRegex(run.stdout, r"evaluations +\d+  \(descend \d+")
        self.assertRegex(run.stdout, r"oracle calls +\d+")
        self.assertRegex(run.stdout, r"decisions +after 0: embedding in a")
        self.assertRegex(run.stdout, r"(?m)^ +after \d+: embedding: direction")

    def test_the_time_left_comes_from_the_budget(self):
        run = self.run_lrgd(
            "minimize", "--worker", worker("bowl.py", "value", "-", 0.25),
            "--dim", 4, "--method", "gd", "--max-evals", 11, code=3)
        line = re.search(r"(\d+) evaluations  ~0:0(\d) left", run.stderr)
        self.assertIsNotNone(line, run.stderr)
        left = 0.25 * (11 - int(line[1]))
        self.assertLess(abs(int(line[2]) - left), 1.5)


if __name__ == "__main__":
    main()
