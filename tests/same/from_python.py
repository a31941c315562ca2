"""The runs that are made from Python: a JSON object of all of them."""
import json
import os
import sys
import tempfile

import numpy as np

import lrgd
import valley

P = 24
START = [0.1] * P


def told(what):
    """As JSON; numbers are written so that they read back the same."""
    if isinstance(what, np.ndarray):
        return told(what.tolist())
    if isinstance(what, dict):
        return {str(key): told(value) for key, value in what.items()}
    if isinstance(what, (list, tuple)):
        return [told(value) for value in what]
    return what.item() if isinstance(what, np.generic) else what


def ask_tell():
    run = lrgd.Asker(START, max_evals=400)
    for question in run:
        question.tell([valley.value(x) for x in question.points])
    return run.result


def diagnosis():
    found = lrgd.diagnose(valley.value, START, grad=valley.gradient,
                          max_evals=300)
    return {"text": str(found), "spectrum": found.spectrum,
            "directions": found.directions, "eta": found.eta,
            "predicted": found.predicted_evaluations}


def residual_fit(**options):
    fit = lrgd.least_squares(valley.residuals, START, max_nfev=200, **options)
    # jac and what else NumPy makes of the Jacobian hangs on its BLAS
    return {key: getattr(fit, key) for key in (
        "x", "cost", "fun", "jac_basis", "grad", "nfev", "outcome")}


def learned():
    first = lrgd.minimize(valley.value, START, max_evals=200, journal="a.db")
    return [first, lrgd.minimize(valley.value, START, seed=2, max_evals=400,
                                 learn_from="a.db")]


RUNS = {
    "values": lambda: lrgd.minimize(valley.value, START, max_evals=500),
    "values in a box": lambda: lrgd.minimize(
        valley.value, START, bounds=(-0.3, 0.4), max_evals=500),
    "gradients": lambda: lrgd.minimize(
        valley.value, START, grad=valley.gradient, method="adaptive",
        max_evals=60),
    "slopes": lambda: lrgd.minimize(
        valley.value, START, jvp=valley.slope, method="lrgd", rank=4,
        max_evals=300),
    "constraints": lambda: lrgd.minimize(
        valley.value, START, constraints=([[1.0] * P], [2.0]),
        max_evals=400),
    "noise": lambda: lrgd.minimize(
        lambda x: valley.value(x) + 1e-4 * valley.whim(x.tolist()), START,
        max_evals=500),
    "16 values a round": lambda: lrgd.minimize(
        valley.value, START, width=16, max_evals=600),
    "a scattered start in a box": lambda: lrgd.minimize(
        valley.value, [i * 7 % P / 5 - 1.9 for i in range(P)],
        bounds=(-2, 3), max_evals=200),
    "few inputs": lambda: lrgd.minimize(
        valley.value, START[:6], bounds=(-1, 2), max_evals=300),
    "residuals": residual_fit,
    "residuals in a box": lambda: residual_fit(bounds=(-0.3, 0.4)),
    "learned": learned,
    "ask and tell": ask_tell,
    "diagnose": diagnosis,
}

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)  # journals
    json.dump({name: told(run()) for name, run in RUNS.items()}, sys.stdout)
