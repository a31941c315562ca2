"""tally.py COUNT_FILE [DELAY [ORACLE]]: a worker, or a program.

f(x) = (sum x - 3)^2 + t^2 + t^4 / 5 with t = x_1 - x_2 - 1: rank 2, minimum 0.
Appends one byte to COUNT_FILE for every question, before it is answered.
"""
import os
import sys
import time

count = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
delay = float(sys.argv[2]) if len(sys.argv) > 2 else 0
oracle = sys.argv[3] if len(sys.argv) > 3 else "value"


def f_and_g(x):
    s, t = sum(x) - 3, x[0] - x[1] - 1
    g = [2 * s] * len(x)
    g[0] += 2 * t + 0.8 * t ** 3
    g[1] -= 2 * t + 0.8 * t ** 3
    return s * s + t * t + 0.2 * t ** 4, g


for line in sys.stdin:
    numbers = [float(word) for word in line.split()]
    os.write(count, b".")
    time.sleep(delay)
    if oracle == "slope":
        p = len(numbers) // 2
        f, g = f_and_g(numbers[:p])
        print(f, sum(a * b for a, b in zip(g, numbers[p:])), flush=True)
    else:
        f, g = f_and_g(numbers)
        print(f, *(g if oracle == "gradient" else []), flush=True)
