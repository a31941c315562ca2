"""lrgd-bench makespan: the time that a run takes on many workers whose
evaluations differ in length, by a clock that is computed.

usage: lrgd-bench makespan [--workers 1000] [--spread 10] [--seeds 1-3]
                [--only CLASS] [--csv RUNS.csv] [--plot PICTURE.svg]

Lengths are log-normal: 95 % of them differ by at most `spread` times, and the
mean is 1.  Two runs with a width of as many as there are workers: one that
waits for whole rounds, and one that does not (async).  Each evaluation starts
on a worker that is free; solver and messages take no time.  The ideal is the
run's evaluations times their mean length over the workers, as if all were busy
from the first to the last.
"""
import argparse
import csv
import ctypes
import heapq
import math
import os
import statistics
import sys

import numpy as np

import width as classes  # the problems, and where the package is
from lrgd import _abi, _options


class Clock:
    """Workers, evaluations under way, and what they bring."""

    def __init__(self, problem, workers, spread, seed):
        self.problem, self.workers = problem, workers
        self.now = self.busy = 0.0
        self.free = [0.0] * workers  # when each worker is free
        self.ends = []  # (time, order, ticket, f)
        sigma = math.log(spread) / (2 * 1.96)
        self.lengths = np.random.default_rng(seed), -sigma ** 2 / 2, sigma
        self.best, self.order = math.inf, 0
        self.hits = {}  # when each target was reached, and evaluations

    def begin(self, X, ticket=0):
        f = float(self.problem.f(X[None])[0])
        random, mean, sigma = self.lengths
        length = float(random.lognormal(mean, sigma))
        start = max(heapq.heappop(self.free), self.now)
        heapq.heappush(self.free, start + length)
        self.busy += length
        self.order += 1
        heapq.heappush(self.ends, (start + length, self.order, ticket, f))
        return f

    def end(self):
        self.now, _, ticket, f = heapq.heappop(self.ends)
        self.best = min(self.best, f)
        for target in classes.TARGETS:
            if self.best <= target * self.problem.first:
                self.hits.setdefault(target, (self.now, self.order, self.busy))
        return ticket, f


def run(problem, workers, spread, seed, asynchronous, patience=60):
    """The clock of one run to its last target, or to its end."""
    clock, p = Clock(problem, workers, spread, seed), problem.x.size
    stop = []

    def enough():
        if len(clock.hits) == len(classes.TARGETS) or (
                clock.order > max(patience * p, 10 * workers)):
            stop[0]()

    @_abi.VALUES
    def values(p, m, X, f, user):
        points = np.ctypeslib.as_array(
            ctypes.cast(X, ctypes.POINTER(ctypes.c_double)), (m, p))
        out = np.ctypeslib.as_array(
            ctypes.cast(f, ctypes.POINTER(ctypes.c_double)), (m,))
        for i in range(m):
            out[i] = clock.begin(points[i])
        for _ in range(m):
            clock.end()
        enough()

    @_abi.START
    def start(p, x, ticket, user):
        clock.begin(np.ctypeslib.as_array(
            ctypes.cast(x, ctypes.POINTER(ctypes.c_double)), (p,)), ticket)

    @_abi.FINISH
    def finish(f, user):
        ticket, f[0] = clock.end()
        enough()
        return ticket

    told = _abi.problem_default(p)
    told.values, told.start, told.finish = values, start, finish
    box = [None if side is None else np.ascontiguousarray(side)
           for side in (problem.lower, problem.upper)]
    told.lower, told.upper = (None if side is None else side.ctypes.data for side in box)
    options = _options.make({"width": workers, "async": int(asynchronous), "tol": 1e-9})
    solver, error = ctypes.c_void_p(), _abi.Error()
    x, result = problem.x.copy(), _abi.Result()
    if _abi.solver_create(ctypes.byref(solver), ctypes.byref(told),
                          ctypes.byref(options), ctypes.byref(error)):
        sys.exit(error.text.decode())
    stop.append(lambda: _abi.solver_stop(solver))
    status = _abi.solver_solve(solver, x.ctypes.data, x.ctypes.data,
                               ctypes.byref(result), ctypes.byref(error))
    if status:
        sys.exit(error.text.decode())
    _abi.solver_destroy(ctypes.byref(solver))
    clock.result = result
    return clock


def medians(rows, name, asynchronous):
    """For each number of workers: the time to the goal, and the ideal."""
    found = {}
    for row in rows:
        if row[0] == name and row[4] == asynchronous:
            found.setdefault(row[1], []).append((row[6], row[7] / row[1]))
    return [(workers, *(statistics.median(part) for part in zip(*pairs)))
            for workers, pairs in sorted(found.items())]


def plot(rows, path):
    """Times to the goal against the number of workers, a panel for a class."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    matplotlib.rcParams["svg.hashsalt"] = "lrgd"
    names = list(dict.fromkeys(row[0] for row in rows))
    figure, axes = plt.subplots(1, len(names), figsize=(2.6 * len(names), 3.2),
                                squeeze=False)
    for axis, name in zip(axes.flat, names):
        for asynchronous, color, label in ((0, "#36c", "rounds"), (1, "#0b6", "async")):
            points = [q for q in medians(rows, name, asynchronous) if math.isfinite(q[1])]
            workers, times, ideal = zip(*points) if points else ((), (), ())
            axis.plot(workers, times, "o-", color=color, label=label)
            axis.plot(workers, ideal, "--", color=color, linewidth=1,
                      label=f"{label}, ideal")
        axis.set(xscale="log", yscale="log", xlabel="workers",
                 title=f"{classes.CLASSES[name][0]},\nto {rows_goal(rows, name):g}")
        axis.title.set_fontsize(8)
        axis.grid(alpha=0.3)
        counts = sorted({row[1] for row in rows})
        axis.set_xticks(counts, [f"{count:,}" for count in counts])
        axis.minorticks_off()
        low, high = axis.get_ylim()
        ticks = [t for e in range(4) for t in (10 ** e, 2 * 10 ** e, 5 * 10 ** e)
                 if low <= t <= high]
        axis.set_yticks(ticks, [str(tick) for tick in ticks])
        axis.minorticks_off()
    axes.flat[0].set_ylabel("time, in mean evaluations")
    figure.legend(*axes.flat[0].get_legend_handles_labels(), fontsize=8, ncol=4,
                  loc="lower center")
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(path, metadata={"Date": None})


def rows_goal(rows, name):
    return next(row[5] for row in rows if row[0] == name)


def main():
    words = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    words.add_argument("--workers", default="1000")
    words.add_argument("--spread", type=float, default=10)
    words.add_argument("--seeds", default="111-113")
    words.add_argument("--only")
    words.add_argument("--csv")
    words.add_argument("--plot")
    how = words.parse_args()
    low, _, high = how.seeds.partition("-")
    rows = []
    for name in classes.CLASSES if how.only is None else how.only.split(","):
        goal = 1e-2 if name in ("tanh", "decays") else 1e-3
        for workers in map(int, how.workers.split(",")):
            for asynchronous in (False, True):
                found = []
                for seed in range(int(low), int(high or low) + 1):
                    clock = run(classes.CLASSES[name][1](seed), workers, how.spread,
                                seed, asynchronous)
                    time, asked, _ = clock.hits.get(goal, (math.inf, math.inf, 0))
                    whole = max(clock.free)
                    found.append((time, asked, clock.busy / (whole * workers)))
                    rows.append([name, workers, how.spread, seed, int(asynchronous), goal,
                                 time, asked, whole, clock.order, clock.busy])
                print(name, workers, "async" if asynchronous else "rounds",
                      *(f"{statistics.median(c):.3g}" for c in zip(*found)), flush=True)
    if how.csv:
        with open(how.csv, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file)
            out.writerow(["class", "workers", "spread", "seed", "async", "goal", "time", "evaluations", "whole", "all", "busy"])
            out.writerows(rows)
    if how.plot:
        plot(rows, how.plot)


if __name__ == "__main__":
    main()
