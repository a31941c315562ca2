"""Data, functions and witnesses of the tests of least squares."""
import os
import signal

import numpy as np

T = np.linspace(0, 4, 40)
TRUE = np.array([2.5, 1.3, 0.5])
# Misra1a of NIST's Statistical Reference Datasets, and its certified values
MISRA_X = np.array([77.6, 114.9, 141.1, 190.8, 239.9, 289.0, 332.8, 378.4,
                    434.8, 477.3, 536.8, 593.1, 689.1, 760.0])
MISRA_Y = np.array([10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02, 44.82,
                    50.76, 55.05, 61.01, 66.40, 75.47, 81.78])
MISRA = np.array([2.3894212918e2, 5.5015643181e-4])
MISRA_DEVIATION = np.array([2.7070075241, 7.2668688436e-6])


def decay(t, a, b, c):
    return a * np.exp(-b * t) + c


def misra(x, a, b):
    return a * (1 - np.exp(-b * x))


def noisy(seed):
    return decay(T, *TRUE) + 0.05 * np.random.default_rng(seed).normal(
        size=T.size)


Y = noisy(0)


def misfit(x):
    return decay(T, *x) - Y


def rosenbrock(x):
    return np.concatenate([10 * (x[1:] - x[:-1] ** 2), 1 - x[:-1]])


class Record:
    """Calls a function, and keeps the cost of each answer."""

    def __init__(self, f, n=0, act=None):
        self.f, self.n, self.act, self.points, self.costs = f, n, act, [], []

    def __call__(self, x, *more, **others):
        self.points.append(x.copy())
        if len(self.points) == self.n:
            self.act()
        r = self.f(x, *more, **others)
        self.costs.append(0.5 * float(np.sum(np.square(r))))
        return r

    @property
    def calls(self):
        return len(self.points)

    def reaches(self, cost):
        """How many calls it took."""
        return 1 + next(i for i, c in enumerate(self.costs) if c <= cost)


class Boom(Exception):
    pass


def throw():
    raise Boom("half way")


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
