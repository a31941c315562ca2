"""What a long run pays: the time of the door, and memory that comes back.

SOAK=1: as many as there may be in earnest.
"""
import gc
import math
import os
import time
import tracemalloc

import numpy as np

import lrgd
from common import SOAK, Case, main
from lrgd import _door

WEIGHTS = np.ones(20)
START = np.zeros(20)


class Boom(Exception):
    pass


def line(x):
    return (WEIGHTS @ x - 3) ** 2


def slope(x, u):
    return line(x), 2 * (WEIGHTS @ x - 3) * (WEIGHTS @ u)


class Fails:
    """Raises at the n-th call."""

    def __init__(self, f, n):
        self.f, self.n = f, n

    def __call__(self, *given):
        self.n -= 1
        if self.n == 0:
            raise Boom(*given)
        return self.f(*given)


class Cost(Case):
    """The unit is a Python call with a copy of x, some 0.4 µs here: 12 of them
    are 5 µs.  CPU time, and the best of some: others are at work."""

    COUNT = 100_000 if SOAK else 10_000
    FIXED = dict(method="gd", step="fixed", alpha=1e-3, tol=1e-300,
                 max_evals=COUNT, stall_iterations=10 ** 9)

    def cpu(self, work, times=5):
        best = math.inf
        for _ in range(times):
            began = time.process_time()
            work()
            best = min(best, time.process_time() - began)
        return best

    def calls(self, evaluate, *given, **how):
        """What the door adds to an evaluation, counted in such calls."""
        x, n, evaluated = np.zeros(100), self.COUNT, []
        unit = self.cpu(lambda: [evaluate(x.copy()) for _ in range(n)])
        bare = self.cpu(lambda: [evaluate(x) for _ in range(n)])
        through = self.cpu(lambda: evaluated.append(lrgd.minimize(
            *given, np.ones(100), **self.FIXED, **how).nfev))
        self.assertGreater(evaluated[0], 0.99 * n)
        return (through / evaluated[0] - bare / n) / (unit / n)

    def test_a_call_for_a_value_costs_less_than_six_plain_calls(self):
        def f(x):
            return 1 + 1e-9 * x[0]
        self.assertLess(self.calls(f, f), 6)

    def test_a_call_for_a_slope_costs_less_than_ten_plain_calls(self):
        def f(x):
            return 1 + 1e-9 * x[0], 1e-9
        self.assertLess(self.calls(f, None, jvp=lambda x, u: f(x)), 10)

    def test_a_gradient_and_the_step_it_is_for(self):
        g = np.full(100, 1e-9)

        def f(x):
            return 1 + 1e-9 * x[0], g
        self.assertLess(self.calls(f, f, jac=True), 24)


class Leaks(Case):
    def resident(self):
        gc.collect()
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def test_thousands_of_solves_leave_nothing_behind(self):
        def solve(i):
            try:
                lrgd.minimize(Fails(line, 9 if i % 2 else 0), START)
            except Boom:
                pass
        for i in range(1000):
            solve(i)
        before = self.resident()
        for i in range(20_000 if SOAK else 4_000):  # 260 bytes of each show
            solve(i)
        self.assertLess(self.resident() - before, 1 << 20)
        self.assertEqual(len(_door._doors), 0)

    def kinds(self):
        """Every way in, and every way out of it."""
        def both(x):
            return line(x), 2 * (WEIGHTS @ x - 3) * WEIGHTS

        def nested(x):
            return lrgd.minimize(Fails(line, 0), START[:3], basis=np.eye(3),
                                 max_evals=5).nfev + line(x)

        def stop(news):
            return news.nit >= 1

        def abandoned():
            lrgd.Asker(START, bounds=(-1, 1)).ask()

        def told():
            for question in lrgd.Asker(START):
                question.tell([line(x) for x in question.points])
        yield "gradient", lambda n: lrgd.minimize(Fails(both, n), START,
                                                  jac=True)
        yield "slope", lambda n: lrgd.minimize(None, START,
                                               jvp=Fails(slope, n))
        yield "batch", lambda n: lrgd.minimize(
            None, START, batch=Fails(lambda X: [line(x) for x in X], n))
        yield "bounds", lambda n: lrgd.minimize(Fails(line, n), START,
                                                bounds=(-0.1, 0.1))
        yield "callback", lambda n: lrgd.minimize(Fails(line, n), START,
                                                  callback=stop)
        yield "constraints", lambda n: lrgd.minimize(
            Fails(line, n), START, constraints=(np.ones((1, 20)), [1.0]))
        yield "nested", lambda n: lrgd.minimize(Fails(nested, n), START,
                                                max_evals=9)
        yield "refused", lambda n: lrgd.minimize(line, START, rank=21)
        yield "diagnosis", lambda n: lrgd.diagnose(
            Fails(line, n), START, trial_runs=False, held_out=5)
        yield "abandoned", lambda n: abandoned()
        yield "told", lambda n: told()
        yield "journal", self.journalled

    def journalled(self, n):
        db = self.path("run.db")
        if os.path.exists(db):
            os.remove(db)
        try:
            lrgd.minimize(Fails(line, n), START, journal=db)
        finally:
            lrgd.Run(db).to_records()

    def measure(self, solve, count):
        """Growth of Python's memory and of the process's over so many."""
        def some(times):
            for i in range(times):
                try:
                    solve(5 if i % 2 else 0)
                except (Boom, ValueError):
                    pass
            gc.collect()
        some(count)
        tracemalloc.start()
        try:
            some(10)
            before, resident = (tracemalloc.get_traced_memory()[0],
                                self.resident())
            some(count)
            return (tracemalloc.get_traced_memory()[0] - before,
                    self.resident() - resident)
        finally:
            tracemalloc.stop()

    def test_every_way_gives_back_what_it_took(self):
        """Python keeps some 20 kB of small objects to use again; a door, a
        closure or an exception kept would be 200 bytes of each and more."""
        count = 10_000 if SOAK else 200
        for name, solve in self.kinds():
            with self.subTest(name):
                python, process = self.measure(solve, count)
                if python >= 40_000:  # a cache filled late is not filled again
                    python, process = self.measure(solve, count)
                self.assertLess(python, 40_000)
                self.assertLess(process, 2 << 20)
        self.assertEqual(len(_door._doors), 0)


if __name__ == "__main__":
    main()
