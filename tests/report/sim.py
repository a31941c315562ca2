"""A simulator of the tests: sim.py [delay=S] [fail=N] [say=TEXT] [noise=S]

f depends on two sums of its inputs and a little on each.  Every N-th
evaluation fails, and TEXT is what it then says."""
import math
import random
import sys
import time

given = dict(word.split("=", 1) for word in sys.argv[1:])
delay = float(given.get("delay", 0))
fail = int(given.get("fail", 0))
noise = float(given.get("noise", 0))
dice = random.Random(3)

for number, line in enumerate(sys.stdin, 1):
    x = [float(word) for word in line.split()]
    time.sleep(delay)
    if fail and number % fail == 0:
        print(given.get("say", "no convergence"), file=sys.stderr, flush=True)
        print("nan", flush=True)
        continue
    a = sum(math.cos(1 + i) * v for i, v in enumerate(x))
    b = sum(math.sin(2 * i) * v for i, v in enumerate(x))
    print((a - 1) ** 2 + 0.3 * (b + 2) ** 4
          + 0.02 * sum(v * v for v in x) + 3 + noise * dice.gauss(0, 1),
          flush=True)
