"""The plate from Python: a function that runs CalculiX in a folder of its own.

    plate.py [ALONG ACROSS [EVALUATIONS]]
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import lrgd
from mesh import deck, inputs


def last(pattern, text):
    return float(re.findall(pattern, text, re.MULTILINE)[-1])


def plate(x, template, along, middle):
    """Volume, how far the tip moves, and two stresses at the clamped end."""
    with tempfile.TemporaryDirectory() as folder:
        filled = re.sub(r"{{t(\d+)}}", lambda t: repr(float(x[int(t[1]) - 1])),
                        template)
        Path(folder, "plate.inp").write_text(filled)
        run = subprocess.run(["ccx", "plate"], cwd=folder,
                             stdout=subprocess.DEVNULL)
        if run.returncode != 0:
            return float("nan")  # this point cannot be evaluated
        said = Path(folder, "plate.dat").read_text()
    return {"volume": last(r"^ +(\S+) *$", said),
            "tip": last(rf"^ +{along} +\S+ +\S+ +(\S+)$", said),
            "edge": last(r"^ +1 +7 +(\S+)", said),
            "middle": last(rf"^ +{middle} +7 +(\S+)", said)}


def main(along=10, across=5, most=300):
    p = max(inputs(along, across))
    middle = 1 + (along - 1) * (across // 2 - 1)  # the shell beside the axis
    result = lrgd.minimize(
        plate, [25.0] * p, args=(deck(along, across), along, middle),
        bounds=(5, 60), answers=["volume", "tip", "edge", "middle"],
        constraints=["tip >= -15", "edge <= 120", "middle <= 120"],
        max_evals=most, jobs=2)
    print(result.message)
    print(f"{7.85e-6 * result.fun:.1f} kg after {result.nfev} runs of ccx; the "
          f"tip moves by {-result.outputs['tip']:.4g} mm")
    print(f"1 mm more would save {7.85e-6 * result.multipliers['tip']:.2f} kg")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
