"""lrgd-bench width: rounds of W evaluations, for this program and for what
people use instead.

usage: lrgd-bench width [--widths 1,4,16,64] [--seeds 111-116] [--only CLASS]
                [--solvers lrgd,...] [--csv RUNS.csv] [--plot PICTURE.svg]

A round is up to W evaluations at the same time.  Each class is drawn by a rule
that looks at the seed alone; seeds from 111 on are reported, those below are
for tuning.  Rounds are counted where the values are asked for:
  lrgd      told the width, and nothing else
  l-bfgs-b  SciPy's, a gradient and its value in ceil((p + 1) / W) rounds
  bfgs      projected BFGS: all lengths of a line search in one round, then the
            gradient by differences in ceil(p / W)
  cma-es    cmaes' (separable from 400 inputs on), population max(W, 4 + 3 ln p)
Forward differences have the step that suits the noise, told to the peers.
"""
import argparse
import csv
import math
import os
import pathlib
import statistics
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
for folder in HERE.parents:  # a build folder: the package is in the tree
    if (folder / "python" / "lrgd").is_dir():
        sys.path.insert(0, str(folder / "python"))
        break
if any(HERE.glob("liblrgd.so*")):
    os.environ.setdefault("LRGD_LIBDIR", str(HERE))

TARGETS = (1e-1, 1e-2, 1e-3, 1e-4)
PATIENCE = 60  # x p evaluations, and at least 6,000


class Enough(Exception):
    """The last target is reached, or the patience is over."""


class Counter:
    """Counts rounds and evaluations, and when each target was reached."""

    def __init__(self, problem, width):
        self.problem, self.width = problem, width
        self.rounds = self.asked = 0
        self.hits, self.best = {}, math.inf
        self.most = max(PATIENCE * problem.p, 6000)
        self.random = np.random.default_rng(7)

    def __call__(self, X):
        X = np.atleast_2d(X)
        f = self.problem.f(X)
        self.asked += len(f)
        self.rounds += -(-len(f) // self.width)
        self.best = min(self.best, np.min(f))
        for target in TARGETS:
            if self.best <= target * self.problem.first:
                self.hits.setdefault(target, (self.rounds, self.asked))
        if len(self.hits) == len(TARGETS) or self.asked >= self.most:
            raise Enough
        noise = self.problem.noise * self.problem.first
        return f + noise * self.random.normal(size=len(f)) if noise else f


# ---- problems: the least value is 0, the first `first` ----------------------

class Problem:
    def __init__(self, f, x, half=0.0, noise=0.0):
        self.f, self.x, self.p, self.noise = f, x, x.size, noise
        self.lower, self.upper = (x * 0 - half, x * 0 + half) if half else (None, None)
        self.first = float(f(x[None])[0])


def rotation(random, r, p):
    return np.linalg.qr(random.normal(size=(p, r)))[0].T


def exact(seed, noise=0.0):
    random = np.random.default_rng(seed)
    r, p = int(random.integers(4, 13)), int(random.integers(300, 901))
    A = np.logspace(0, 1, r)[:, None] * rotation(random, r, p)
    b = A @ random.normal(size=p)
    return Problem(lambda X: ((X @ A.T - b) ** 2).sum(1), np.zeros(p), noise=noise)


def embedded(seed):
    random = np.random.default_rng(seed)
    n, p = int(random.integers(4, 9)), int(random.integers(200, 701))
    A = rotation(random, n, p)
    x = A.T @ random.uniform(0.2, 0.8, n)

    def f(X):
        Z = X @ A.T
        return (100 * (Z[:, 1:] - Z[:, :-1] ** 2) ** 2 + (1 - Z[:, :-1]) ** 2).sum(1)
    return Problem(f, x)


def curved(seed):
    """A few combinations of the inputs, far from quadratic: five kinds."""
    random = np.random.default_rng(seed)
    r, p = int(random.integers(3, 7)), int(random.integers(40, 301))
    A = np.logspace(0, 0.7, r)[:, None] * rotation(random, r, p)
    b = A @ random.normal(size=p)

    def f(X):
        Z = X @ A.T - b
        if seed % 5 == 0:
            return (np.abs(Z) + np.log1p(np.exp(-2 * np.abs(Z))) - math.log(2)).sum(1)
        if seed % 5 == 1:
            return (Z ** 4 / 4 + 0.1 * Z ** 2).sum(1)
        if seed % 5 == 2:
            return (np.exp(Z) - Z - 1).sum(1)
        if seed % 5 == 3:
            return (Z ** 2 / (1 + Z ** 2)).sum(1) + 0.05 * (Z ** 2).sum(1)
        return (np.sqrt(1 + 4 * Z ** 2) - 1).sum(1) + 0.3 * np.sin(Z[:, 0] * Z[:, 1]) ** 2
    return Problem(f, np.zeros(p))


def full(seed):
    random = np.random.default_rng(seed)
    p = int(random.integers(60, 121))
    A = np.logspace(0, 1, p)[:, None] * rotation(random, p, p)
    b = A @ random.normal(size=p)
    if seed % 2:
        return Problem(lambda X: ((X @ A.T - b) ** 2).sum(1), np.zeros(p))

    def f(X):
        Z = np.abs(X @ A.T - b)
        return (Z + np.log1p(np.exp(-2 * Z)) - math.log(2)).sum(1)
    return Problem(f, np.zeros(p))


def tanh_fit(seed):
    """A small network's weights from its own answers, in a box."""
    random = np.random.default_rng(seed)
    n, m = 12, 5
    p = n * (m + 1)
    T = random.normal(size=(60, m))
    true = random.uniform(-1.5, 1.5, p)

    def answers(X):
        W = X.reshape(-1, n, m + 1)
        return np.tanh(np.einsum('tj,sij->sti', T, W[:, :, :m])) @ W[:, :, m, None]
    want = answers(true[None])
    return Problem(lambda X: ((answers(X) - want) ** 2).mean((1, 2)),
                   random.uniform(-1, 1, p), half=2.0)


def exponentials(seed):
    """Rates and weights of a sum of decays, in a box."""
    random = np.random.default_rng(seed)
    n = 24
    t = np.linspace(0, 3, 80)
    true = random.uniform(-0.8, 0.8, 2 * n)

    def answers(X):
        rates = np.exp(X[:, :n] + np.linspace(-1.5, 1.5, n))
        return np.einsum('si,sit->st', 1 + X[:, n:], np.exp(-rates[:, :, None] * t)
                         * np.cos(2 * np.arange(n)[:, None] * t / n))
    want = answers(true[None])
    return Problem(lambda X: ((answers(X) - want) ** 2).mean(1),
                   random.uniform(-0.8, 0.8, 2 * n), half=1.0)


CLASSES = {
    "exact": ("Exactly low rank", exact),
    "embedded": ("Rosenbrock's chain, embedded", embedded),
    "full": ("Full rank", full),
    "tanh": ("A network's weights in a box", tanh_fit),
    "decays": ("Decays in a box", exponentials),
    "noise": ("Exactly low rank, noise 1e-6", lambda s: exact(s, noise=1e-6)),
    "curved": ("Rank 3 to 6, far from quadratic", curved),
}


# ---- solvers ---------------------------------------------------------------

def lrgd_run(problem, ask, width):
    import lrgd
    how = {}
    if problem.lower is not None:
        how["bounds"] = np.c_[problem.lower, problem.upper]
    if problem.noise:
        how["noise"] = problem.noise * problem.first
    lrgd.minimize(None, problem.x, batch=ask, width=width, tol=1e-9, **how)


def step(problem):
    return 2e-8 if not problem.noise else 2 * math.sqrt(problem.noise)


def gradient(problem, ask, x, f=None):
    """Forward differences inside the box; the value with them unless known."""
    h = np.full(problem.p, step(problem))
    if problem.upper is not None:
        h[x + h > problem.upper] *= -1
    X = x + np.diag(h)
    if f is not None:
        return f, (ask(X) - f) / h
    v = ask(np.vstack([x, X]))
    return v[0], (v[1:] - v[0]) / h


def l_bfgs_b(problem, ask, width):
    from scipy.optimize import minimize
    bounds = None
    if problem.lower is not None:
        bounds = list(zip(problem.lower, problem.upper))
    x = problem.x
    for _ in range(6):
        x = minimize(lambda x: gradient(problem, ask, x), x, jac=True,
                     method='L-BFGS-B', bounds=bounds,
                     options=dict(ftol=0, gtol=0, maxls=50, maxfun=10**9,
                                  maxiter=10**9)).x


def bfgs(problem, ask, width):
    p = problem.p
    low, high = (-np.inf, np.inf) if problem.lower is None else (problem.lower, problem.upper)
    x, H = problem.x.copy(), None
    f, g = gradient(problem, ask, x)
    lengths = 2.0 ** np.array([0, -1, 1, -2, 2, -3, -4, 3, -6, -8, -11, -15, -20])
    stuck = 0
    while stuck < 3:
        free = ~(((x <= low) & (g > 0)) | ((x >= high) & (g < 0)))
        if H is None:
            d = -g * free * 0.3 / np.linalg.norm(g)
        else:
            d = -np.linalg.solve(H[np.ix_(free, free)] + 1e-12 * np.eye(free.sum()), g[free])
            d = np.bincount(np.flatnonzero(free), d, p)
        best = None
        for first in range(0, len(lengths), width):
            T = np.clip(x + np.outer(lengths[first:first + width], d), low, high)
            v = ask(T)
            best = int(np.argmin(v))
            if v[best] < f:
                break
        if not v[best] < f:
            H, stuck = None, stuck + 1
            f, g = gradient(problem, ask, x)
            continue
        stuck = 0
        new = gradient(problem, ask, T[best], v[best])
        s, y = T[best] - x, new[1] - g
        x, (f, g) = T[best], new
        if s @ y > 1e-10 * np.linalg.norm(s) * np.linalg.norm(y):
            if H is None:
                H = np.eye(p) * (y @ y) / (s @ y)
            Hs = H @ s
            H = H + np.outer(y, y) / (s @ y) - np.outer(Hs, Hs) / (s @ Hs)


def cma_es(problem, ask, width):
    from cmaes import CMA, SepCMA
    kind = CMA if problem.p < 400 else SepCMA
    bounds = None
    if problem.lower is not None:
        bounds = np.c_[problem.lower, problem.upper]
    n = max(width, 4 + int(3 * math.log(problem.p)))
    search = kind(mean=problem.x.copy(), sigma=0.3, population_size=n, seed=1, bounds=bounds)
    while True:
        X = np.array([search.ask() for _ in range(n)])
        search.tell(list(zip(X, ask(X))))


SOLVERS = {"lrgd": lrgd_run, "l-bfgs-b": l_bfgs_b, "bfgs": bfgs, "cma-es": cma_es}


def run(name, problem, width):
    ask = Counter(problem, width)
    try:
        SOLVERS[name](problem, ask, width)
    except Enough:
        pass
    return ask


# ---- tables ----------------------------------------------------------------

def median(rows, target, column):
    if not rows:  # this solver was not run on the class
        return math.inf
    return statistics.median(r["hits"].get(target, (math.inf, math.inf))[column] for r in rows)


def shown(value):
    return "–" if math.isinf(value) else f"{value:,.0f}"


def table(runs, widths, out):
    for name, (title, _) in CLASSES.items():
        mine = [r for r in runs if r["class"] == name]
        if not mine:
            continue
        goals = (1e-2, 1e-4) if name in ("tanh", "decays") else (1e-1, 1e-3)
        print(f"\n**{title}**: rounds (evaluations) to {goals[0]:g} · {goals[1]:g} of the first gap\n", file=out)
        print("| | " + " | ".join(f"W = {w}" for w in widths) + " |", file=out)
        print("|---|" + "--:|" * len(widths), file=out)
        for solver in SOLVERS:
            cells = []
            for width in widths:
                rows = [r for r in mine if r["solver"] == solver and r["width"] == width]
                if not rows:
                    cells.append("")
                    continue
                cells.append(" · ".join(
                    f"{shown(median(rows, t, 0))} ({shown(median(rows, t, 1))})" for t in goals))
            print(f"| {solver} | " + " | ".join(cells) + " |", file=out)


def plot(runs, widths, path):
    """Rounds to the first goal against the width, a panel for each class."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    matplotlib.rcParams["svg.hashsalt"] = "lrgd"
    names = [n for n in CLASSES if any(r["class"] == n for r in runs)]
    figure, axes = plt.subplots(2, 3, figsize=(10, 6))
    for axis, name in zip(axes.flat, names):
        goal = 1e-2 if name in ("tanh", "decays") else 1e-3
        for solver, color in zip(SOLVERS, ("#0b6", "#36c", "#999", "#c73")):
            points = [(w, median([r for r in runs if r["class"] == name and r["solver"] == solver
                                  and r["width"] == w], goal, 0)) for w in widths]
            points = [q for q in points if not math.isinf(q[1])]
            axis.plot(*zip(*points) if points else ([], []), "o-", color=color, label=solver,
                      linewidth=2.5 if solver == "lrgd" else 1.2)
        axis.set(xscale="log", yscale="log", title=f"{CLASSES[name][0]}, to {goal:g}",
                 xlabel="W", ylabel="rounds", xticks=widths)
        axis.title.set_fontsize(9)
        axis.set_xticklabels([str(w) for w in widths])
        axis.minorticks_off()
        axis.grid(alpha=0.3)
    axes.flat[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    words.add_argument("--widths", default="1,4,16,64")
    words.add_argument("--seeds", default="111-116")
    words.add_argument("--only")
    words.add_argument("--solvers", default=",".join(SOLVERS))
    words.add_argument("--csv")
    words.add_argument("--plot")
    how = words.parse_args()
    widths = [int(w) for w in how.widths.split(",")]
    low, _, high = how.seeds.partition("-")
    runs = []
    for name, (_, make) in CLASSES.items():
        if how.only and how.only != name:
            continue
        for seed in range(int(low), int(high or low) + 1):
            for width in widths:
                for solver in how.solvers.split(","):
                    ask = run(solver, make(seed), width)
                    runs.append({"class": name, "seed": seed, "width": width, "solver": solver,
                                 "hits": ask.hits})
        table([r for r in runs if r["class"] == name], widths, sys.stdout)
        sys.stdout.flush()
    if how.csv:
        with open(how.csv, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["class", "seed", "width", "solver", "target", "rounds", "evaluations"])
            for r in runs:
                for target, (rounds, asked) in r["hits"].items():
                    out.writerow([r["class"], r["seed"], r["width"], r["solver"], target, rounds, asked])
    if how.plot:
        plot(runs, widths, how.plot)


if __name__ == "__main__":
    main()
