# Calibrates a simulator from its residuals: a rod with 60 unknown
# conductivities, and 72 temperatures that were measured while it heated up.
import numpy as np

import lrgd

CELLS, STEPS = 60, 60
SENSORS = np.arange(2, CELLS, 5)  # 12 of them, read 6 times
DEVIATION = 0.01  # of a measured temperature


def simulate(x):
    """The temperatures at the sensors; x holds logarithms of conductivities.
    The left end is at 1, the right end at 0."""
    k = CELLS ** 2 * np.exp(x)
    between = 2 / (1 / k[1:] + 1 / k[:-1])
    A = np.diag(np.append(2 * k[0], between) + np.append(between, 2 * k[-1]))
    A -= np.diag(between, 1) + np.diag(between, -1)
    step = np.linalg.inv(np.eye(CELLS) + 0.005 * A)  # implicit Euler
    push = step[:, 0] * (0.005 * 2 * k[0])
    u, told = np.zeros(CELLS), []
    for n in range(1, STEPS + 1):
        u = step @ u + push
        if n % 10 == 0:
            told.append(u[SENSORS])
    return np.concatenate(told)


TRUTH = 0.7 * np.sin(np.arange(CELLS) / 9)
DATA = simulate(TRUTH) + DEVIATION * np.random.default_rng(1).normal(
    size=6 * SENSORS.size)


def residuals(x):
    """In units of what a measurement is wrong by."""
    return (simulate(x) - DATA) / DEVIATION


def with_prior(x):
    """And x = 0, give or take 1: what is known without data."""
    return np.append(residuals(x), x)


def main():
    start = np.zeros(CELLS)
    before = 0.5 * np.sum(residuals(start) ** 2)
    enough = DATA.size / 2  # residuals of the size of 1: as good as the data

    # 1. Inputs that explain the data.
    fit = lrgd.least_squares(residuals, start, target=enough)
    print(f"{fit.outcome}: cost {before:.4g} -> {fit.cost:.3g}, "
          f"{fit.nfev} simulations, {fit.basis.shape[1]} directions")

    # 2. What the data say of each input, beyond what was known before: that
    # takes derivatives in all directions.
    fit = lrgd.least_squares(with_prior, start, target=enough, complete=True)
    deviation = np.sqrt(np.diag(fit.covariance(absolute=True)))
    inside = np.count_nonzero(abs(fit.x - TRUTH) < 2 * deviation)
    print(f"{fit.nfev} simulations: input {deviation.argmin() + 1} is known "
          f"to {deviation.min():.2g}, input {deviation.argmax() + 1} to "
          f"{deviation.max():.2g}, which is nothing new")
    print(f"{inside} of {CELLS} true inputs lie within two deviations")


if __name__ == "__main__":
    main()
