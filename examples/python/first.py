# Minimises a function of 1,000 variables that varies along two directions.
import numpy as np
import lrgd

A = np.random.default_rng(1).normal(size=(2, 1000))


def f(x):
    s = A @ x  # all that f depends on
    return (s[0] - 3) ** 2 + 4 * (s[1] + 1) ** 2


result = lrgd.minimize(f, np.zeros(1000))
print(f"{result.message}; f = {result.fun:.2g}, {result.nfev} evaluations")
