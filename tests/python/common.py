"""What the tests of the Python package share.

The environment says which library (LRGD_LIBDIR) and command (LRGD) are under
test; PYTHONPATH leads to the package.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, "..", "cli"))

import numpy as np  # noqa: E402

import harness  # noqa: E402
from harness import LRGD, PYTHON, main  # noqa: E402,F401

# a journal waits for the disk at every answer, and the disk is not under test
if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"


class Case(harness.Case):
    def run_lrgd(self, *arguments, env=None, **more):
        """A sanitized command has in it what Python is started with."""
        return super().run_lrgd(*arguments, **more,
                                env={**(env or {}), "LD_PRELOAD": ""})


SOAK = os.environ.get("SOAK") == "1"  # long loops
P = 60
ROWS = np.array([np.cos(np.arange(P)), np.sin(0.7 * np.arange(P) + 1),
                 np.linspace(-1, 1, P)])


class Boom(Exception):
    pass


class Counter:
    """Calls f, counts, and does something at the n-th call."""

    def __init__(self, f, n=0, act=None):
        self.f, self.n, self.act, self.calls = f, n, act, 0

    def __call__(self, *given):
        self.calls += 1
        if self.calls == self.n:
            self.act()
        return self.f(*given)


def throw():
    raise Boom("half way")


def bowl(x):
    """Of rank 3, and not a quadratic."""
    s = ROWS @ x
    return float((s[0] - 3) ** 2 + 2 * (s[1] + 1) ** 2 + (s[2] - 2) ** 4)


def bowl_gradient(x):
    s = ROWS @ x
    return ROWS.T @ np.array([2 * (s[0] - 3), 4 * (s[1] + 1),
                              4 * (s[2] - 2) ** 3])


def bowl_slope(x, u):
    return bowl(x), float(bowl_gradient(x) @ u)


def valley(x):
    """Of full rank, with a narrow curved valley."""
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2
                        + (1 - x[:-1]) ** 2))


def answer(kind):
    """As a worker: lines in, lines out."""
    for line in sys.stdin:
        numbers = np.array(line.split(), dtype=float)
        if kind == "gradient":
            told = [bowl(numbers), *bowl_gradient(numbers)]
        elif kind == "slope":
            told = bowl_slope(numbers[:P], numbers[P:])
        else:
            told = [bowl(numbers)]
        print(*(repr(float(n)) for n in told), flush=True)


if __name__ == "__main__":
    answer(sys.argv[1])
