# Calibrates an ordinary differential equation with 40 unknown inputs.
# docs/tutorial-ode.md tells the story.  `calibrate.py FOLDER` also draws there.
import os
import sys
import tempfile

import numpy as np
from scipy.integrate import odeint

import lrgd

WEEKS = 40
SURVEYS = np.array([0, 10, 20, 30, 40])  # weeks; before the first, one case


def simulate(x):
    """An epidemic: susceptible, infected, ever infected, as shares.
    x holds the logarithm of the contact rate in each of the 40 weeks (1.3 a
    week where it is 0); the surveys tell who was ever infected."""
    rate = (1.3 * np.exp(np.append(x, x[-1]))).tolist()

    def change(week, y):
        i = min(int(week), WEEKS - 1)
        contacts = rate[i] + (week - i) * (rate[i + 1] - rate[i])
        new = contacts * y[0] * y[1]
        return -new, new - y[1], new

    first = (1 - 1e-4, 1e-4, 1e-4)
    y = odeint(change, first, SURVEYS, rtol=1e-8, atol=1e-12, tfirst=True)
    return np.log(y[1:, 2])


TRUTH = 0.15 * np.sin(np.arange(WEEKS) / 6) - 0.05
DATA = simulate(TRUTH)


def misfit(x):
    """The squared distance to what the surveys told."""
    return float(np.sum((simulate(x) - DATA) ** 2))


def main(folder):
    start = np.zeros(WEEKS)

    # 1. Is it worth it?
    study = lrgd.diagnose(misfit, start, bounds=(-0.3, 0.3), held_out=20,
                          gradients=15, trial_runs=False)
    print(study.verdict)
    print("spectrum", study.spectrum[:6].round(6))

    # 2. Calibrate, and keep every simulation that was paid for.
    journal = os.path.join(folder, "calibrate.db")
    result = lrgd.minimize(misfit, start, tol=1e-4, journal=journal)
    print(f"{result.outcome}: misfit {misfit(start):.4g} -> {result.fun:.2g}, "
          f"{result.nfev} simulations, rank {result.rank}")
    print(f"largest error of the fit "
          f"{abs(simulate(result.x) - DATA).max():.1e}")

    # 3. What the data do not say: move along a direction they do not see.
    unseen = np.random.default_rng(0).normal(size=WEEKS)
    U = study.directions[:, :study.recommended_rank]
    unseen -= U @ (U.T @ unseen)
    unseen *= 0.3 / np.linalg.norm(unseen)
    print(f"misfit after a step of 0.3 where f hardly varies: "
          f"{misfit(result.x + unseen):.1e}")
    return study, result, journal


def draw(folder, study, result, journal):
    """The three pictures of docs/tutorial-ode.md."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    study.plot_spectrum(axes[0])
    lrgd.Run(journal).plot(axes[1]).set_title("The run, from its journal")
    fine = axes[2]
    weeks = SURVEYS[1:]
    fine.plot(weeks, simulate(np.zeros(WEEKS)), "--", color="#8a8f98",
              label="at the start")
    fine.plot(weeks, simulate(result.x), color="#2a6f97", label="calibrated")
    fine.plot(weeks, DATA, "o", color="#e07a1f", ms=5, label="surveys")
    fine.set(xlabel="week", ylabel="log of the share ever infected",
             title="The fit")
    fine.spines[["top", "right"]].set_visible(False)
    fine.legend(frameon=False)
    figure.savefig(os.path.join(folder, "calibrate.svg"))
    figure.savefig(os.path.join(folder, "calibrate.png"), dpi=80)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        draw(sys.argv[1], *main(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            main(scratch)
