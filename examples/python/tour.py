"""What docs/python.md shows of the package beside `minimize`, in one go.

    tour.py FOLDER      pictures, a journal and a report go there
"""
import os
import shutil
import sys

import lrgd
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

SHARES = np.cos(np.arange(100)[:, None] * np.arange(1, 4)) / 7


def f(x):
    """Varies along three directions of a hundred."""
    a, b, c = x @ SHARES
    return (a - 1) ** 2 + (b + a ** 2) ** 2 + 3 * (c - 2) ** 2


x0 = np.zeros(100)
bounds = [(-3, 3)] * 100


def residuals(x):
    """f is the sum of their squares."""
    a, b, c = x @ SHARES
    return a - 1, b + a ** 2, 3 ** 0.5 * (c - 2)


def curve(t, height, rate):
    return height * np.exp(-rate * t)


def fitting():
    t = np.linspace(0, 3, 30)
    y, p0 = curve(t, 2, 1.5), [1, 1]
    fit = lrgd.least_squares(residuals, x0)           # SciPy's names in and out
    fit.x, fit.cost, fit.fun, fit.nfev, fit.outcome
    fit.combinations, fit.combination_deviation       # what the data tell, in the directions looked at
    popt, pcov = lrgd.curve_fit(curve, t, y, p0)      # as SciPy's, where a curve has few parameters
    print(f"fit {fit.nfev} {fit.cost:.1e}, curve {popt.round(4)}")


def diagnosis():
    _, ax = plt.subplots()
    study = lrgd.diagnose(f, x0)          # or bounds=(lower, upper)
    print(study)                          # a page: verdict, spectrum, what each method would cost
    study.plot()                          # spectrum, eta, f over the first active coordinate
    study.plot_spectrum(ax)               # or each on axes of yours


def journal():
    lrgd.minimize(f, x0, journal="run.db", max_evals=60)
    run = lrgd.Run("run.db")              # also while it goes on, also one of the command's
    run.best_f, run.best_x, run.outcome, run.settings
    run.to_frame()                        # pandas; to_records() without it
    run.plot()                            # the best value over evaluations
    run.resume(f, max_evals=20_000)       # goes on
    print(run.outcome, run.best_f)
    if shutil.which("lrgd"):
        run.report("run.html")            # the page of `lrgd report`


def learning():
    X = np.random.default_rng(1).normal(size=(20, 100))
    values = [f(x) for x in X]
    lrgd.minimize(f, x0, learn_from="run.db")             # a journal, also one of the command's; or a list of them
    lrgd.minimize(f, x0, learn_from=(X, values))          # n × p points and n values in memory
    lrgd.minimize(f, x0, learn_from=list(zip(X, values))) # the same as pairs; a third part is a gradient
    lrgd.diagnose(f, x0, learn_from="run.db")             # asks nothing again, and takes gradients for samples


def asking():
    run = lrgd.Asker(x0, tol=1e-6)
    for question in run:
        question.tell([f(x) for x in question.points])    # a whole batch, in any order or place
    print(run.result)


def inside_scipy():
    from scipy.optimize import minimize
    found = minimize(f, x0, method=lrgd.scipy_method, bounds=bounds, options={"maxfev": 5000})
    print(found.message, found.fun)


if __name__ == "__main__":
    os.chdir(sys.argv[1])
    fitting()
    diagnosis()
    journal()
    learning()
    asking()
    inside_scipy()
