"""bowl.py ORACLE [COUNT_FILE|- [DELAY [FAIL_EVERY]]]: a worker.

f(x) = (sum x - 3)^2 + (x_1 - x_2)^2: rank 2, minimum 0.  Writes how often it
was asked to COUNT_FILE after every answer.
"""
import sys
import time

oracle = sys.argv[1]
count_file = sys.argv[2] if len(sys.argv) > 2 else "-"
delay = float(sys.argv[3]) if len(sys.argv) > 3 else 0
fail_every = int(sys.argv[4]) if len(sys.argv) > 4 else 0


def bowl(x):
    s, t = sum(x) - 3, x[0] - x[1]
    g = [2 * s] * len(x)
    g[0] += 2 * t
    g[1] -= 2 * t
    return s * s + t * t, g


asked = 0
for line in sys.stdin:
    numbers = [float(word) for word in line.split()]
    asked += 1
    time.sleep(delay)
    if oracle == "slope":
        p = len(numbers) // 2
        f, g = bowl(numbers[:p])
        answer = [f, sum(a * b for a, b in zip(g, numbers[p:]))]
    else:
        f, g = bowl(numbers)
        answer = [f] + (g if oracle == "gradient" else [])
    if fail_every and asked % fail_every == 0:
        answer = ["oops"]
    print(*answer, flush=True)
    if count_file != "-":
        with open(count_file, "w") as file:
            file.write(str(asked))
