"""uneven.py LOG SEED SPREAD MEDIAN [CLASS]: a worker whose answers take times
that differ by up to SPREAD, log-normal with this median in seconds.

f is low (four combinations of the inputs, not quadratic), full (all inputs, of
different curvature), or box (a sum of squares of sines).  Writes a line to LOG
for every question before it is answered, and one after it.
"""
import math
import os
import random
import sys
import time

log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sigma = math.log(float(sys.argv[3])) / 3.92  # 95 % between the ends
median = float(sys.argv[4])
kind = sys.argv[5] if len(sys.argv) > 5 else "low"
chance = random.Random(f"{sys.argv[2]} {os.getpid()}")


def low(x):
    p = len(x)
    total = 0
    for j in range(4):
        z = sum(math.sin(1 + i * (j + 1)) * x[i] for i in range(p))
        z = z / math.sqrt(p) - 1
        total += (j + 1) * z * z + 0.05 * z ** 4
    return total


def full(x):
    p = len(x)
    return sum((1 + 9 * i / p) * (v - 1) ** 2 for i, v in enumerate(x))


def box(x):
    return sum(math.sin(v - 0.3) ** 2 * (1 + i % 5) for i, v in enumerate(x))


for line in sys.stdin:
    x = [float(word) for word in line.split()]
    os.write(log, b"?" + line.encode())
    f = {"low": low, "full": full, "box": box}[kind](x)
    time.sleep(median * math.exp(chance.gauss(0, sigma)))
    os.write(log, b"!" + line.encode())
    print(repr(f), flush=True)
