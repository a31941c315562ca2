"""A worker that answers twelve simulated values, of which some are nan where
gauges are dry, and the last, which does not count, always.
dry.py [COUNT [SLEEP]]: COUNT is a file that gets a byte for each question."""
import math
import sys
import time

P, GAUGES = 6, 12
TRUTH = (1, 0.5, -0.3, 0.8, 0.2, -0.6)


def level(g, x):
    return sum(math.sin(1 + g + 2 * i) * v for i, v in enumerate(x))


def value(g, x):
    at = level(g, x)
    return at + 0.1 * at * at


def is_dry(g, x):
    """Every third gauge, a little below its level at the start (0) and at the
    truth."""
    return g % 3 == 0 and level(g, x) < min(0, level(g, TRUTH)) - 1e-9


def values(x):
    found = [math.nan if is_dry(g, x) else value(g, x)
             for g in range(GAUGES - 1)]
    return [*found, math.nan]


def main():
    count = sys.argv[1] if len(sys.argv) > 1 else "-"
    pause = float(sys.argv[2]) if len(sys.argv) > 2 else 0
    for line in sys.stdin:
        if count != "-":
            with open(count, "a") as file:
                file.write("x")
        time.sleep(pause)
        print(*map(repr, values([float(word) for word in line.split()])),
              flush=True)


if __name__ == "__main__":
    main()
