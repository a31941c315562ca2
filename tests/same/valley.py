"""valley.py ORACLE [COUNT_FILE|- [NOISE [WALL]]]: a worker, or a program.

ORACLE: value, gradient or slope; residuals, half the sum of whose squares is f
up to the ridge; outputs, f and two numbers to be limited: the square of the
distance from the origin and the first direction.

A chain of Rosenbrock's valleys in three directions of p, and a weak ridge in a
fourth.  Made of + - * / and square roots, which IEEE rounds in one way, and of
no sum whose order is not written here: no libm, no NumPy.

NOISE is a function of x that has no trend: a bit of x that differs, and f
differs in its leading digits.  Where the first direction is above WALL there is
no answer.  COUNT_FILE gets one byte for every question, before its answer.
"""
import os
import sys
from math import sqrt  # of the processor; ** 0.5 is libm's pow

RANK = 4


def row(k, p):
    """Direction k: numbers from -1 to 1 that look drawn, of norm about 1."""
    state, found = 1000 * k + 17, []
    for _ in range(p):
        state = (state * 1103515245 + 12345) % 2 ** 31
        found.append((state / 2 ** 30 - 1) * sqrt(3 / p))
    return found


ROWS = {}


def rows(p):
    if p not in ROWS:
        ROWS[p] = [row(k, p) for k in range(RANK)]
    return ROWS[p]


def dot(a, x):
    total = 0.0
    for s, t in zip(a, x):
        total += s * t
    return total


def f_and_g(x):
    A = rows(len(x))
    t = [dot(a, x) for a in A]
    d = [0.0] * RANK
    f = 0.0
    for k in range(RANK - 2):
        u, v = t[k + 1] - t[k] * t[k], 1 - t[k]
        f += 10 * u * u + v * v
        d[k] += -40 * u * t[k] - 2 * v
        d[k + 1] += 20 * u
    root = sqrt(1 + t[3] * t[3])
    f += 0.05 * root
    d[3] += 0.05 * t[3] / root
    g = [0.0] * len(x)
    for k in range(RANK):
        g = [s + d[k] * a for s, a in zip(g, A[k])]
    return f, g, t[0]


def value(x):
    return f_and_g(list(map(float, x)))[0]


def gradient(x):
    return f_and_g(list(map(float, x)))[1]


def slope(x, u):
    f, g, _ = f_and_g(list(map(float, x)))
    return f, dot(g, map(float, u))


def residuals(x):
    """Of the valleys, and the fourth direction."""
    A = rows(len(x))
    t = [dot(a, x) for a in A]
    found = [0.1 * t[3]]
    for k in range(RANK - 2):
        found += [sqrt(20) * (t[k + 1] - t[k] * t[k]), sqrt(2) * (1 - t[k])]
    return found


def outputs(x):
    f, _, first = f_and_g(x)
    return [f, dot(x, x), first]


def whim(x):
    """From -1 to 1."""
    total = 0.0
    for k, s in enumerate(x):
        total += (k + 1) * 1e9 * s
    return 2 * (total - total // 1) - 1


def answer(oracle, numbers, noise, wall):
    if oracle == "residuals":
        return residuals(numbers)
    if oracle == "outputs":
        return outputs(numbers)
    p = len(numbers) // 2 if oracle == "slope" else len(numbers)
    x = numbers[:p]
    f, g, first = f_and_g(x)
    if first > wall:
        return ["nan"]
    more = {"value": [], "gradient": g, "slope": [dot(g, numbers[p:])]}
    return [f + noise * whim(x) if noise else f] + more[oracle]


def main():
    oracle, count, noise, wall = (sys.argv[1:] + ["-", "0", "inf"][
        len(sys.argv) - 2:])[:4]
    noise, wall = float(noise), float(wall)
    counter = None if count == "-" else os.open(
        count, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for line in sys.stdin:
        if counter is not None:
            os.write(counter, b".")
        numbers = [float(word) for word in line.split()]
        print(*answer(oracle, numbers, noise, wall), flush=True)


if __name__ == "__main__":
    main()
