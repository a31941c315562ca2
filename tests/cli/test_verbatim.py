"""The paper's algorithms as they are written, and sample points of the user's
own, from the command: a worker writes down what it is asked, and a straight
transcription of Algorithm 1 says what it should be asked."""
import json
import math

from harness import PYTHON, Case, main

P = 5
START = [0.5, -0.3, 0.8, 0.1, -0.6]
POINTS = [[1.0, 0.2, -0.4, 0.3, 0.5], [-0.7, 0.9, 0.1, -0.2, 0.4],
          [0.3, 0.3, 0.6, -0.8, 0.2]]

# f = log cosh(a.x - 1) + (b.x + 0.5)^2 / 2: rank 2, not a quadratic
WORKER = """
import math, sys
a, b = [1, -0.5, 0.3, 0.2, 0], [0.1, 0.4, 0, -0.6, 0.5]
log = open(sys.argv[2], "a")
for line in sys.stdin:
    x = [float(word) for word in line.split()]
    print(*x, file=log, flush=True)
    u = x[5:]
    x = x[:5]
    s = sum(c * y for c, y in zip(a, x)) - 1
    t = sum(c * y for c, y in zip(b, x)) + 0.5
    g = [math.tanh(s) * c + t * d for c, d in zip(a, b)]
    f = math.log(math.cosh(s)) + t * t / 2
    more = {"value": [], "gradient": g,
            "slope": [sum(c * d for c, d in zip(g, u))]}[sys.argv[1]]
    print(repr(f), *map(repr, more), flush=True)
"""


def gradient(x):
    a, b = [1, -0.5, 0.3, 0.2, 0], [0.1, 0.4, 0, -0.6, 0.5]
    s, t = dot(a, x) - 1, dot(b, x) + 0.5
    return [math.tanh(s) * c + t * d for c, d in zip(a, b)]


def dot(a, b):
    return sum(c * d for c, d in zip(a, b))


def orthonormal(vectors):
    made = []
    for v in vectors:
        for _ in range(2):
            for u in made:
                c = dot(u, v)
                v = [y - c * z for y, z in zip(v, u)]
        norm = math.sqrt(dot(v, v))
        made.append([y / norm for y in v])
    return made


def algorithm_1(points, theta, alpha, iterations):
    """Where gradients are taken, where slopes are, and theta_T."""
    U = orthonormal([gradient(x) for x in points])
    path = []
    for _ in range(iterations):
        path.append(theta)
        g = gradient(theta)
        for u in U:
            d = dot(g, u)
            theta = [y - alpha * d * z for y, z in zip(theta, u)]
    return path, theta


class Asked(Case):
    def setUp(self):
        super().setUp()
        self.write("worker.py", WORKER)
        self.write("start", "\n".join(map(str, START)))
        self.samples(POINTS[:2])

    def samples(self, points, name="samples"):
        return self.write(name, "\n".join(" ".join(map(str, x))
                                          for x in points))

    def command(self, oracle, *more, rank=2):
        return ("minimize", "--worker",
                f"{PYTHON} {self.path('worker.py')} {oracle} "
                f"{self.path('log')}",
                "--oracle", oracle, "--dim", P, "--start", "start",
                "--method", "lrgd", "--rank", rank, "--alpha", 0.3, *more)

    def asked(self):
        return [list(map(float, line.split()))
                for line in self.read("log").splitlines()]

    def near(self, a, b):
        self.assertEqual(len(a), len(b))
        for y, z in zip(a, b):
            self.assertAlmostEqual(y, z, delta=1e-12)


class Verbatim(Asked):
    def test_algorithm_1_as_written_call_for_call(self):
        told = self.run_json(*self.command(
            "slope", "--verbatim", "--samples", "samples",
            "--max-iterations", 12, "--tol", 1e-12), code=3)
        path, theta = algorithm_1(POINTS[:2], START, 0.3, 12)
        wanted = [x for x in POINTS[:2] for _ in range(P)]
        wanted += [x for x in path for _ in range(2)]
        asked = self.asked()
        self.assertEqual(len(asked), len(wanted) + 1)  # and f at theta_T
        for question, x in zip(asked, wanted + [theta]):
            self.near(question[:P], x)
        self.near(told["x"], theta)
        self.assertEqual(told["oracle_calls"], 2 * P + 2 * 12)
        self.assertEqual(told["iterations"], 12)
        self.assertEqual(told["rank"], 2)
        self.assertIsNone(told["certificate"])

    def test_verbatim_ends_at_the_tolerance_and_certifies_nothing(self):
        told = self.run_json(*self.command(
            "slope", "--verbatim", "--samples", "samples", "--tol", 1e-6),
            code=3)
        self.assertEqual(told["outcome"], "stalled")
        self.assertIsNone(told["certificate"])
        self.assertIn("certifies nothing", json.dumps(told))
        self.assertEqual(told["oracle_calls"],
                         2 * P + 2 * (told["iterations"] + 1))

    def test_whole_gradients_are_asked_for_at_the_same_points(self):
        self.run_json(*self.command("gradient", "--verbatim", "--samples",
                                    "samples", "--max-iterations", 12,
                                    "--tol", 1e-12), code=3)
        path, theta = algorithm_1(POINTS[:2], START, 0.3, 12)
        asked = self.asked()
        self.assertEqual(len(asked), 2 + 12 + 1)
        for question, x in zip(asked, POINTS[:2] + path + [theta]):
            self.near(question, x)

    def test_the_other_algorithms_run_as_written_too(self):
        for method in ("iterated", "adaptive", "gd"):
            told = self.run_json(
                *self.command("gradient", "--verbatim", "--method", method),
                code=0)
            self.assertEqual(told["outcome"], "converged")

    def test_options_that_the_paper_does_not_have_are_refused(self):
        self.refused(*self.command("slope", "--verbatim", "--method", "auto",
                                   "--quiet"),
                     says="method lrgd, iterated, adaptive or gd")
        self.refused(*self.command("slope", "--verbatim", "--lower", -5),
                     says="bounds")
        self.refused(*self.command("slope", "--verbatim=1"),
                     says="takes no value")
        self.refused(*self.command("slope", "--verbatim", "--learn-from",
                                   "old.db"), says="do not go together")


class FullRank(Case):
    """"Using LRGD instead of GD does not seem to hurt", the paper says of
    functions of full rank.  It does."""

    def calls(self, *method):
        told = self.run_json(
            "minimize", "quadratic", "--set", "p=100", "--set", "rank=100",
            "--set", "kappa=10", "--oracle", "slope", "--alpha", 0.1,
            "--tol", 1e-3, *method)
        return told["oracle_calls"]

    def test_algorithm_1_costs_more_than_gd_where_its_rank_must_grow(self):
        gd = self.calls("--method", "gd")
        self.assertGreater(self.calls("--method", "lrgd", "--rank", 50),
                           2 * gd)
        self.assertLess(self.calls("--method", "iterated", "--rank", 5), gd)

    def test_algorithm_1_as_written_never_converges_on_this_quadratic(self):
        told = self.run_json(
            "minimize", "quadratic", "--set", "p=100", "--set", "rank=100",
            "--set", "kappa=10", "--oracle", "slope", "--alpha", 0.1,
            "--tol", 1e-3, "--method", "lrgd", "--rank", 5, "--verbatim",
            code=3)
        self.assertGreater(told["f"], 0.1)

    def test_algorithm_1_as_written_converges_in_13_of_60_cells(self):
        rows = [line.split(",") for line in self.run_lrgd(
            "reproduce", "half", "fourth", "tenth", "--csv")
            .stdout.splitlines()[1:]]
        self.assertEqual(len(rows), 60)
        self.assertEqual(sum(int(row[6]) > int(row[5]) for row in rows), 13)


class Samples(Asked):
    def test_samples_with_one_number_on_a_line_are_the_same(self):
        self.write("column", "\n".join(str(y) for x in POINTS for y in x))
        for name in ("column", self.samples(POINTS, "rows")):
            self.write("log", "")
            told = self.run_json(*self.command("slope", "--samples", name))
            self.assertEqual(told["outcome"], "converged")
            asked = self.asked()
            for j, x in enumerate(POINTS):
                self.assertEqual(asked[j * P][:P], x)
            self.assertEqual(asked[3 * P][:P], START)

    def test_wrong_sample_files_are_refused_with_a_message(self):
        self.write("short", "1 2 3")
        self.write("odd", "1 2 3\n4 five 6")
        self.write("infinite", "1 2 3 4 inf " + "0 " * P)
        self.write("empty", "\n")
        say = {"short": "3 numbers are no whole number of points of 5 inputs",
               "odd": 'odd:2: "five" is not a finite number',
               "infinite": 'infinite:1: "inf" is not a finite number',
               "empty": "no numbers in it",
               "none": 'none" is not a file that can be read'}
        for name, words in say.items():
            self.refused(*self.command("slope", "--samples", name), says=words)
        self.refused(*self.command("slope", "--samples", "samples", rank=3),
                     says="2 samples, but rank 3")
        self.refused(*self.command("slope", "--samples", "samples",
                                   "--method", "adaptive"),
                     says="method lrgd only")
        self.refused(*self.command("slope", "--samples", "samples",
                                   "--lower", -0.65),
                     says="input 1 of sample 2 (the first is 1) is -0.7, "
                          "outside its bounds -0.65")

    def test_given_samples_are_points_of_x_whatever_the_scale(self):
        self.run_json(*self.command("slope", "--samples", "samples",
                                    "--scale", 4, "--max-evals", 2 * P),
                      code=3)
        for question, x in zip(self.asked(), [x for x in POINTS[:2]
                                              for _ in range(P)]):
            self.near(question[:P], x)

    def test_a_journal_records_the_given_samples(self):
        first = self.command("slope", "--samples", "samples", "--verbatim",
                             "--journal", "run.db", "--tol", 1e-6)
        told = self.run_json(*first, code=3)
        count = len(self.asked())
        again = self.run_json(*first, code=3)
        self.assertEqual(len(self.asked()), count)
        self.assertEqual(again["x"], told["x"])
        worker = first[first.index("--worker") + 1]
        again = self.run_json("resume", "run.db", "--worker", worker, code=3)
        self.assertEqual(again["x"], told["x"])
        self.assertEqual(len(self.asked()), count)
        self.samples(POINTS[1:], "samples")
        run = self.run_lrgd(*first, code=7)
        self.assertIn("samples is other numbers there, these here",
                      run.stderr)
        self.run_lrgd("report", "run.db", "-o", "page.html")
        run = self.run_lrgd("resume", "run.db", "--worker", worker,
                            "--samples", "samples", code=3)
        self.assertIn("samples is other numbers there", run.stderr)
        self.assertIn("as a new path", run.stderr)
        self.assertEqual(self.asked()[count][:P], POINTS[1])


if __name__ == "__main__":
    main()
