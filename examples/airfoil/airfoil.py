"""Drag of an airfoil by XFOIL, for lrgd minimize --program.

One line of numbers in: how much of each bump is added to a NACA 2412, in
thousandths of the chord, the first half of them on the upper side.  Out: the
mean drag at five lifts from 0.2 to 0.8 in counts (1e-4), Reynolds number 1e6, and
a penalty where the airfoil gets thinner than 11.8 % of its chord.
A flow that does not converge ends with status 1: a failed evaluation.

    echo 0 0 0 0 | python3 airfoil.py             # the drag of NACA 2412 itself
    echo 0 0 0 0 | python3 airfoil.py --shape     # its coordinates
"""
import math
import os
import subprocess
import sys
import tempfile

LIFTS = (0.2, 0.35, 0.5, 0.65, 0.8)
HERE = os.path.dirname(os.path.abspath(__file__))
STATIONS = [0.5 * (1 - math.cos(math.pi * i / 80)) for i in range(81)]


def bump(x, place):
    """A smooth bump with its top at x = place (Hicks and Henne, 1978)."""
    return math.sin(math.pi * x ** (math.log(0.5) / math.log(place))) ** 2


def surface(x, side, amounts):
    """Height of NACA 2412 at x, side +1 or -1, and what is added to it."""
    half = 0.6 * (0.2969 * math.sqrt(x) - 0.126 * x - 0.3516 * x ** 2
                  + 0.2843 * x ** 3 - 0.1036 * x ** 4)
    camber = (0.125 * (0.8 * x - x * x) if x < 0.4
              else 0.02 / 0.36 * (0.2 + 0.8 * x - x * x))
    n = len(amounts)
    places = [0.5 * (1 - math.cos(math.pi * (i + 1) / (n + 1)))
              for i in range(n)]
    added = sum(a * bump(x, place) for a, place in zip(amounts, places))
    return camber + side * half + 1e-3 * added


def shape(amounts):
    """Coordinates from the trailing edge over the top and back below."""
    n = len(amounts) // 2
    upper = [(x, surface(x, +1, amounts[:n])) for x in STATIONS]
    lower = [(x, surface(x, -1, amounts[n:])) for x in STATIONS]
    thick = max(u[1] - v[1] for u, v in zip(upper, lower))
    if any(u[1] < v[1] - 1e-9 for u, v in zip(upper, lower)):
        raise ValueError("the two sides cross")
    return upper[::-1] + lower[1:], thick


def polar(folder, lifts):
    """Drag by lift, as XFOIL prints it; where the flow did not converge there
    is none."""
    orders = ["PLOP", "G F", "", "LOAD foil.dat", "PANE", "OPER", "VISC 1e6",
              "ITER 200", "PACC", "polar.txt", ""]
    orders += [f"CL {lift}" for lift in lifts] + ["PACC", "", "QUIT", ""]
    path = os.path.join(folder, "polar.txt")
    if os.path.exists(path):
        os.remove(path)
    subprocess.run(
        ["xfoil"], cwd=folder, input="\n".join(orders), text=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60,
        env={**os.environ, "LD_PRELOAD": os.path.join(HERE, "nofpe.so")})
    with open(path) as file:
        rows = [line.split() for line in file.readlines()[12:]]
    return {round(float(row[1]), 2): float(row[2]) for row in rows}


def drag(points):
    """Drag coefficients at LIFTS.  A flow that does not converge from the one
    before often does from the one after."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "foil.dat"), "w") as file:
            file.write("foil\n")
            file.writelines(f"{x:.7f} {y:.7f}\n" for x, y in points)
        found = polar(folder, LIFTS)
        if len(found) < len(LIFTS):
            found = {**polar(folder, LIFTS[::-1]), **found}
    if len(found) < len(LIFTS):
        raise ValueError(f"{len(found)} of {len(LIFTS)} flows converged")
    return [found[lift] for lift in LIFTS]


def main():
    points, thick = shape([float(word) for word in sys.stdin.read().split()])
    if sys.argv[1:] == ["--shape"]:
        for x, y in points:
            print(f"{x:.7f} {y:.7f}")
        return
    counts = 1e4 * sum(drag(points)) / len(LIFTS)
    print(f"{counts + (100 * max(0, 0.118 - thick)) ** 2 * 100:.4f}")


if __name__ == "__main__":
    try:
        main()
    except (ValueError, OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"airfoil: {error}")
