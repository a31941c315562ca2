"""Functions that both doors can answer for, in plain Python: a worker that
imports nothing starts at once, and the same lines give the same bits.

    functions.py NAME ORACLE      as a worker: lines in, lines out
"""
import math
import sys
import zlib

P = 24
NAN = math.nan


def rows(k):
    """Directions, none of them an axis."""
    return [[math.cos((j + 1) * i + j) for i in range(P)] for j in range(k)]


R1, R3, R5 = rows(1), rows(3), rows(5)


def along(R, x):
    return [sum(r * t for r, t in zip(row, x)) for row in R]


def back(R, d):
    """Derivatives by the k coordinates to those by the p inputs."""
    return [sum(dj * row[i] for dj, row in zip(d, R)) for i in range(P)]


# ---- each gives f, and its derivatives ----


def bowl(x):
    """Of rank 3, and no quadratic."""
    a, b, c = along(R3, x)
    return ((a - 3) ** 2 + 2 * (b + 1) ** 2 + (c - 2) ** 4,
            back(R3, (2 * (a - 3), 4 * (b + 1), 4 * (c - 2) ** 3)))


def quadratic(x):
    """Of rank 5, badly conditioned."""
    s = along(R5, x)
    weights = [10.0 ** j for j in range(5)]
    return (sum(w * (t - 1) ** 2 for w, t in zip(weights, s)),
            back(R5, [2 * w * (t - 1) for w, t in zip(weights, s)]))


def banana(x):
    """Rosenbrock's, in two hidden coordinates."""
    a, b = along(R3[:2], x)
    return (100 * (b - a * a) ** 2 + (1 - a) ** 2,
            back(R3[:2], (-400 * a * (b - a * a) - 2 * (1 - a),
                          200 * (b - a * a))))


def ridge(x):
    """One direction, and a weak pull along all."""
    (a,) = along(R1, x)
    pull = 1e-6
    return (math.cosh(a - 1) + pull * sum(t * t for t in x),
            [g + 2 * pull * t
             for g, t in zip(back(R1, (math.sinh(a - 1),)), x)])


def valley(x):
    """Of full rank."""
    g = [0.0] * P
    f = 0.0
    for i in range(P - 1):
        bend, off = x[i + 1] - x[i] ** 2, 1 - x[i]
        f += 100 * bend ** 2 + off ** 2
        g[i] += -400 * x[i] * bend - 2 * off
        g[i + 1] += 200 * bend
    return f, g


def slope(x):
    """Falls for ever."""
    (a,) = along(R1, x)
    return a, back(R1, (1.0,))


def constant(x):
    return 7.0, [0.0] * P


def corner(x):
    """Not smooth."""
    a, b = along(R3[:2], x)
    return (abs(a - 1) + 3 * abs(b + 2),
            back(R3[:2], (math.copysign(1, a - 1), math.copysign(3, b + 2))))


def huge(x):
    f, g = bowl(x)
    return 1e12 * f, [1e12 * t for t in g]


def noisy(x):
    """Noise that is the same wherever x is the same to the bit."""
    f, g = bowl(x)
    draw = zlib.crc32(repr(x).encode()) / 2 ** 32 - 0.5
    return f + 1e-3 * draw, [t + 1e-3 * draw for t in g]


def rounded(x):
    """As a program prints it."""
    f, g = bowl(x)
    return float(f"{f:.9g}"), [float(f"{t:.9g}") for t in g]


def holes(x):
    """Cannot be evaluated in places."""
    f, g = bowl(x)
    fails = zlib.crc32(repr(x).encode()) % 11 == 0
    return (NAN, [NAN] * P) if fails else (f, g)


def wall(x):
    """Cannot be evaluated beyond a plane."""
    f, g = bowl(x)
    return (NAN, [NAN] * P) if sum(x) > 1.5 else (f, g)


def nowhere(x):
    return NAN, [NAN] * P


FUNCTIONS = {f.__name__: f for f in (
    bowl, quadratic, banana, ridge, valley, slope, constant, corner, huge,
    noisy, rounded, holes, wall, nowhere)}


def answer(name, oracle):
    f = FUNCTIONS[name]
    for line in sys.stdin:
        numbers = [float(word) for word in line.split()]
        value, g = f(numbers[:P])
        told = {"value": [value], "gradient": [value, *g],
                "slope": [value, sum(a * b for a, b in zip(g, numbers[P:]))]}
        print(*map(repr, told[oracle]), flush=True)


if __name__ == "__main__":
    answer(*sys.argv[1:])
