"""Least mass of four bars whose stresses are limited."""
import numpy as np
from scipy.optimize import NonlinearConstraint

import lrgd

LOADS = np.array([3.0, 1.0, 2.0, 0.5])


def mass(x):
    return x.sum()


def stresses(x):
    return [(LOADS / x).sum(), 1 / x[0] + 1 / x[1]]


def minimize():
    return lrgd.minimize(mass, [5.0] * 4, bounds=(0.1, 20), constraints=[
        NonlinearConstraint(stresses, -np.inf, [4, 1.5]),
        {"type": "ineq", "fun": lambda x: x[0] - x[3]}])


if __name__ == "__main__":
    result = minimize()
    print(f"{result.fun:.4f} at {result.x.round(3)}")
    for name, gain in result.multipliers.items():
        if gain > 1e-6:
            print(f"1 more allowed of {name} saves {gain:.3g}")
