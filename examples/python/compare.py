# Several methods on one function of 100 inputs, 500 values each.
import numpy as np
import lrgd

A = np.random.default_rng(1).normal(size=(3, 100))


def f(x):
    return float(np.sum((A @ x - 1) ** 2) + np.cos(A[0] @ x))


print(lrgd.compare(f, np.zeros(100), max_evals=500))
